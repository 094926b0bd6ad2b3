#include "chasles/kinematics/kinematics.hpp"

#include <algorithm>

#include "kernels/motion.hpp"
#include "model/link_motion.hpp"

namespace chasles {
namespace {

using namespace links;

template <class Each>
inline void for_links(const Model& model, const Each& each) {
  const std::vector<Link>& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) each(i, links[i], links[i].parent);
}

}  // namespace

/// What the passes over the links need besides their results.
struct PositionKinematics::Scratch {
  std::vector<double> q, sine, cosine;  // padded to a multiple of 4
  std::vector<int> group_links;         // links that are not a turn, slide or screw
  std::vector<SE3> local;               // their P_i T_i; links
  std::vector<Twist> u, ud;             // their joint twist and its rate; links

  explicit Scratch(const Model& model)
      : q(static_cast<std::size_t>((model.nq() + 3) / 4 * 4)), sine(q.size()), cosine(q.size()) {
    for_links(model, [&](std::size_t i, const Link& link, int) {
      if (!one_screw(link.motion)) group_links.push_back(static_cast<int>(i));
    });
    if (group_links.empty()) return;
    local.resize(model.links().size());
    u.resize(model.links().size());
    ud = u;
  }
};

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Vec3 nowhere{nan, nan, nan};

}  // namespace

PositionKinematics::PositionKinematics(const Model& model)
    : model_(model),
      q_(unknown<Vector>(model.nq())),
      C_(model.links().size(), SE3{SO3::unchecked({nowhere, nowhere, nowhere}), nowhere}),
      scratch_(Hidden<Scratch>::make(model)) {}
VelocityKinematics::VelocityKinematics(const Model& model)
    : position_(model), v_(unknown<Vector>(model.nv())), V_h_(C().size(), {nowhere, nowhere}) {}
AccelerationKinematics::AccelerationKinematics(const Model& model)
    : velocity_(model), A_h_(C().size(), {nowhere, nowhere}) {}

/// The passes of the three levels: what kernels read, and the motions they do not know.
class MotionPasses {
 public:
  static void positions(const Model& model, ConstVectorRef q, PositionKinematics& out) {
    static const kernels::MotionKernel kernel = kernels::motion_kernel(0);
    kernel(begin(model, q, out));
  }
  static void velocities(const Model& model, ConstVectorRef q, ConstVectorRef v,
                         VelocityKinematics& out) {
    static const kernels::MotionKernel kernel = kernels::motion_kernel(1);
    kernels::MotionPass pass = begin(model, q, out.position_);
    add_velocities(model, v, out, pass);
    kernel(pass);
  }
  static void accelerations(const Model& model, ConstVectorRef q, ConstVectorRef v,
                            ConstVectorRef vd, AccelerationKinematics& out) {
    static const kernels::MotionKernel kernel = kernels::motion_kernel(2);
    require_size("vd", vd, model.nv());
    VelocityKinematics& velocity = out.velocity_;
    kernels::MotionPass pass = begin(model, q, velocity.position_);
    add_velocities(model, v, velocity, pass);
    PositionKinematics::Scratch& s = *velocity.position_.scratch_;
    for (const int i : s.group_links) {
      const Link& link = model.links()[static_cast<std::size_t>(i)];
      s.ud[static_cast<std::size_t>(i)] =
          group_acceleration(model, link, q.data() + link.q_index, v.data() + link.v_index,
                             vd.data() + link.v_index);
    }
    pass.vd = vd.data();
    pass.A_h = out.A_h_.data();
    kernel(pass);
  }

 private:
  static kernels::MotionPass begin(const Model& model, ConstVectorRef q, PositionKinematics& out) {
    require_model("the kinematics", out.model_, model);
    require_size("q", q, model.nq());
    PositionKinematics::Scratch& s = *out.scratch_;
    out.q_ = q;
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
            out.C_.data(),
            nullptr,
            nullptr};
  }
  static void add_velocities(const Model& model, ConstVectorRef v, VelocityKinematics& out,
                             kernels::MotionPass& pass) {
    require_size("v", v, model.nv());
    out.v_ = v;
    PositionKinematics::Scratch& s = *out.position_.scratch_;
    for (const int i : s.group_links) {
      const Link& link = model.links()[static_cast<std::size_t>(i)];
      s.u[static_cast<std::size_t>(i)] =
          group_twist(model, link, out.q().data() + link.q_index, v.data() + link.v_index);
    }
    pass.v = out.v_.data();
    pass.V_h = out.V_h_.data();
  }
};

void positions(const Model& model, ConstVectorRef q, PositionKinematics& out) {
  MotionPasses::positions(model, q, out);
}
void velocities(const Model& model, ConstVectorRef q, ConstVectorRef v, VelocityKinematics& out) {
  MotionPasses::velocities(model, q, v, out);
}
void accelerations(const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef vd,
                   AccelerationKinematics& out) {
  MotionPasses::accelerations(model, q, v, vd, out);
}

SE3 pose(const PositionKinematics& kin, const Place& place) {
  require_place(place, kin.model());
  return place.link < 0 ? place.offset : kin.C()[static_cast<std::size_t>(place.link)] * place.offset;
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
  return moved(kin.V_h()[i], C.r - kin.C()[i].r);
}

}  // namespace

Twist twist(const VelocityKinematics& kin, const Place& place, Representation rep) {
  const SE3 C = pose(kin, place);
  return lie::convert(hybrid_twist(kin, place, C), C, Representation::hybrid, rep);
}

Twist acceleration(const AccelerationKinematics& kin, const Place& place, Representation rep) {
  const SE3 C = pose(kin, place);
  if (place.link < 0) return {};
  const auto i = static_cast<std::size_t>(place.link);
  const Vec3 d = C.r - kin.C()[i].r;
  return lie::convert_acceleration(moved(kin.A_h()[i], kin.V_h()[i], d), moved(kin.V_h()[i], d), C,
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
  require_model("the kinematics", kin.model(), model);
  if (!(model.mass() > 0))
    throw Error("nothing that moves in model '" + model.name() + "' has mass");
  Vec3 sum;
  for_links(model, [&](std::size_t i, const Link& link, int) {
    sum += kin.C()[i].R * link.inertia.mc + link.inertia.m * kin.C()[i].r;
  });
  return sum / model.mass();
}

}  // namespace chasles
