#include "chasles/kinematics/kinematics.hpp"

#include "kinematics/link_motion.hpp"

namespace chasles {
namespace {

using namespace kinematics;

/// (1) for one link: C_p (P_i T_i), the product in brackets being off the path from link to link.
inline void link_pose(const Model& model, const Link& link, const SE3& parent, const double* q,
                      SE3& C) {
  const Mat3& P = link.P.R.matrix();
  const Mat3& R = parent.R.matrix();
  if (link.motion == LinkMotion::turn || link.motion == LinkMotion::screw) {
    const auto [s, c] = lie::sincos(*q);
    const Vec3 x = c * P.c0 + s * P.c1, y = c * P.c1 - s * P.c0, z = R * P.c2;
    C.R = SO3::unchecked({R * x, R * y, z});
    C.r = R * link.P.r + parent.r;
    if (link.motion == LinkMotion::screw) C.r += (link.pitch * *q) * z;
  } else if (link.motion == LinkMotion::slide) {
    C = parent * SE3{link.P.R, link.P.r + *q * P.c2};
  } else {
    C = parent * (link.P * group_motion(model, link, q));
  }
}

/// R_i u for the joint twist u = X_i v_i (or for its rate, with vd in place of v, but for the
/// exponential motion).
inline Twist joint_twist(const Model& model, const Link& link, const SE3& C, const double* q,
                         const double* v) {
  const Vec3& z = C.R.matrix().c2;
  switch (link.motion) {
    case LinkMotion::turn:
      return {*v * z, {}};
    case LinkMotion::slide:
      return {{}, *v * z};
    case LinkMotion::screw:
      return {*v * z, (link.pitch * *v) * z};
    default: {
      const Twist u = group_twist(model, link, q, v);
      return {C.R * u.w, C.R * u.v};
    }
  }
}
inline Twist joint_acceleration(const Model& model, const Link& link, const SE3& C, const double* q,
                                const double* v, const double* vd) {
  if (link.motion != LinkMotion::exponential) return joint_twist(model, link, C, q, vd);
  const Twist u = group_acceleration(model, link, q, v, vd);
  return {C.R * u.w, C.R * u.v};
}

const SE3 world;
const Twist rest;

template <class Each>
inline void for_links(const Model& model, const Each& each) {
  const std::vector<Link>& links = model.links();
  for (std::size_t i = 0; i < links.size(); ++i) each(i, links[i], links[i].parent);
}

}  // namespace

PositionKinematics::PositionKinematics(const Model& model)
    : q(Eigen::VectorXd::Zero(model.nq())), C(model.links().size()) {}
VelocityKinematics::VelocityKinematics(const Model& model)
    : PositionKinematics(model),
      v(Eigen::VectorXd::Zero(model.nv())),
      V_h(C.size()),
      u_h(C.size()) {}
AccelerationKinematics::AccelerationKinematics(const Model& model)
    : VelocityKinematics(model), A_h(C.size()) {}

void positions(const Model& model, ConstVectorRef q, PositionKinematics& out) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  out.q = q;
  for_links(model, [&](std::size_t i, const Link& link, int p) {
    link_pose(model, link, p < 0 ? world : out.C[static_cast<std::size_t>(p)],
              q.data() + link.q_index, out.C[i]);
  });
}

void velocities(const Model& model, ConstVectorRef q, ConstVectorRef v, VelocityKinematics& out) {
  require_size("v", static_cast<std::size_t>(v.size()), model.nv());
  positions(model, q, out);
  out.v = v;
  for_links(model, [&](std::size_t i, const Link& link, int p) {
    const auto k = static_cast<std::size_t>(p);
    const Twist& V = p < 0 ? rest : out.V_h[k];
    const Vec3 d = out.C[i].r - (p < 0 ? world : out.C[k]).r;
    const Twist u =
        joint_twist(model, link, out.C[i], q.data() + link.q_index, v.data() + link.v_index);
    out.u_h[i] = u;
    out.V_h[i] = {V.w + u.w, V.v + cross(V.w, d) + u.v};
  });
}

void accelerations(const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef vd,
                   AccelerationKinematics& out) {
  require_size("vd", static_cast<std::size_t>(vd.size()), model.nv());
  velocities(model, q, v, out);
  for_links(model, [&](std::size_t i, const Link& link, int p) {
    const auto k = static_cast<std::size_t>(p);
    const Twist &V = p < 0 ? rest : out.V_h[k], &A = p < 0 ? rest : out.A_h[k];
    const Vec3 d = out.C[i].r - (p < 0 ? world : out.C[k]).r;
    const Twist& u = out.u_h[i];
    const Twist ud = joint_acceleration(model, link, out.C[i], q.data() + link.q_index,
                                        v.data() + link.v_index, vd.data() + link.v_index);
    out.A_h[i] = {A.w + ud.w + cross(V.w, u.w), A.v + cross(A.w, d) + cross(V.w, cross(V.w, d)) +
                                                    cross(V.w + out.V_h[i].w, u.v) + ud.v};
  });
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
