#include "chasles/kinematics/kinematics.hpp"

#include <algorithm>

#include "kernels/motion.hpp"
#include "kinematics/link_motion.hpp"

namespace chasles {
namespace {

using namespace kinematics;

template <class Each>
inline void for_links(const Model& model, const Each& each) {
  const std::vector<Link>& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) each(i, links[i], links[i].parent);
}

}  // namespace

MotionScratch::MotionScratch(const Model& model)
    : q(static_cast<std::size_t>((model.nq() + 3) / 4 * 4)), sine(q.size()), cosine(q.size()) {
  for_links(model, [&](std::size_t i, const Link& link, int) {
    if (link.motion != LinkMotion::turn && link.motion != LinkMotion::slide &&
        link.motion != LinkMotion::screw)
      group_links.push_back(static_cast<int>(i));
  });
  if (group_links.empty()) return;
  local.resize(model.links().size());
  u.resize(model.links().size());
  ud.resize(model.links().size());
}
PositionKinematics::PositionKinematics(const Model& model)
    : q(Eigen::VectorXd::Zero(model.nq())), C(model.links().size()), scratch(model) {}
VelocityKinematics::VelocityKinematics(const Model& model)
    : PositionKinematics(model), v(Eigen::VectorXd::Zero(model.nv())), V_h(C.size()) {}
AccelerationKinematics::AccelerationKinematics(const Model& model)
    : VelocityKinematics(model), A_h(C.size()) {}

namespace {

/// The part of a pass that the levels share: what kernels read, and the motions they do not know.
kernels::MotionPass begin(const Model& model, ConstVectorRef q, PositionKinematics& out) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  MotionScratch& s = out.scratch;
  out.q = q;
  std::copy_n(q.data(), q.size(), s.q.data());
  for (const int i : s.group_links) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    s.local[static_cast<std::size_t>(i)] =
        link.P * group_motion(model, link, q.data() + link.q_index);
  }
  return {model.links().data(),
          static_cast<int>(model.links().size()),
          s.q.data(),
          nullptr,
          nullptr,
          s.local.data(),
          s.u.data(),
          s.ud.data(),
          s.sine.data(),
          s.cosine.data(),
          out.C.data(),
          nullptr,
          nullptr};
}
void add_velocities(const Model& model, ConstVectorRef v, VelocityKinematics& out,
                    kernels::MotionPass& pass) {
  require_size("v", static_cast<std::size_t>(v.size()), model.nv());
  out.v = v;
  for (const int i : out.scratch.group_links) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    out.scratch.u[static_cast<std::size_t>(i)] =
        group_twist(model, link, out.q.data() + link.q_index, v.data() + link.v_index);
  }
  pass.v = out.v.data();
  pass.V_h = out.V_h.data();
}

}  // namespace

void positions(const Model& model, ConstVectorRef q, PositionKinematics& out) {
  static const kernels::MotionKernel kernel = kernels::motion_kernel(0);
  kernel(begin(model, q, out));
}

void velocities(const Model& model, ConstVectorRef q, ConstVectorRef v, VelocityKinematics& out) {
  static const kernels::MotionKernel kernel = kernels::motion_kernel(1);
  kernels::MotionPass pass = begin(model, q, out);
  add_velocities(model, v, out, pass);
  kernel(pass);
}

void accelerations(const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef vd,
                   AccelerationKinematics& out) {
  static const kernels::MotionKernel kernel = kernels::motion_kernel(2);
  require_size("vd", static_cast<std::size_t>(vd.size()), model.nv());
  kernels::MotionPass pass = begin(model, q, out);
  add_velocities(model, v, out, pass);
  for (const int i : out.scratch.group_links) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    out.scratch.ud[static_cast<std::size_t>(i)] =
        group_acceleration(model, link, out.q.data() + link.q_index, v.data() + link.v_index,
                           vd.data() + link.v_index);
  }
  pass.vd = vd.data();
  pass.A_h = out.A_h.data();
  kernel(pass);
}

SE3 pose(const PositionKinematics& kin, const Place& place) {
  return place.link < 0 ? place.offset : kin.C[static_cast<std::size_t>(place.link)] * place.offset;
}

namespace {

/// The hybrid twist at a point p of a body with the hybrid twist V at r, and its acceleration.
Twist moved(const Twist& V, const Vec3& d) { return {V.w, V.v + cross(V.w, d)}; }
Twist moved(const Twist& A, const Twist& V, const Vec3& d) {
  return {A.w, A.v + cross(A.w, d) + cross(V.w, cross(V.w, d))};
}

Twist hybrid_twist(const VelocityKinematics& kin, const Place& place, const SE3& C) {
  if (place.link < 0) return {};
  const auto i = static_cast<std::size_t>(place.link);
  return moved(kin.V_h[i], C.r - kin.C[i].r);
}

}  // namespace

Twist twist(const VelocityKinematics& kin, const Place& place, Representation rep) {
  const SE3 C = pose(kin, place);
  return lie::convert(hybrid_twist(kin, place, C), C, Representation::hybrid, rep);
}

Twist acceleration(const AccelerationKinematics& kin, const Place& place, Representation rep) {
  if (place.link < 0) return {};
  const auto i = static_cast<std::size_t>(place.link);
  const SE3 C = pose(kin, place);
  const Vec3 d = C.r - kin.C[i].r;
  return lie::convert_acceleration(moved(kin.A_h[i], kin.V_h[i], d), moved(kin.V_h[i], d), C,
                                   Representation::hybrid, rep);
}

SE3 relative_pose(const PositionKinematics& kin, const Place& from, const Place& to) {
  return inverse(pose(kin, from)) * pose(kin, to);
}

Twist relative_twist(const VelocityKinematics& kin, const Place& from, const Place& to) {
  // Both about the origin of `from`: Ad_C^-1 (V^s_to - V^s_from) without the detour by the world.
  const SE3 C = pose(kin, from), D = pose(kin, to);
  const Twist V = moved(hybrid_twist(kin, to, D), C.r - D.r) - hybrid_twist(kin, from, C);
  return lie::to_body(V, C, Representation::hybrid);
}

Vec3 center_of_mass(const Model& model, const PositionKinematics& kin) {
  if (!(model.mass() > 0))
    throw Error("nothing that moves in model '" + model.name() + "' has mass");
  Vec3 sum;
  for_links(model, [&](std::size_t i, const Link& link, int) {
    sum += kin.C[i].R * link.inertia.mc + link.inertia.m * kin.C[i].r;
  });
  return sum / model.mass();
}

}  // namespace chasles
