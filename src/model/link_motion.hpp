/// The elementary motions of links: pose, screws, and joint twist. Only this file and groups.hpp distinguish
/// kinds of motion.
///
/// floating_so3xr3 is a floating joint on SO(3) x R^3, T = (R, Q r) with velocity (w; rd), r and rd in the
/// axes Q of the parent body; its screws rotate relative to the body,
///
///     X = diag(1, R^T Q),    u = (w; R^T Q rd),    ud = (wd; R^T Q rdd - w x R^T Q rd)
#pragma once

#include <complex>

#include "model/groups.hpp"
#include "model/model_data.hpp"

namespace chasles::links {

// Queries about a motion.

/// Whether the pose is exp(Z_1 q_1 + ... + Z_n q_n).
inline bool is_exponential(const Link& link) { return link.motion == LinkMotion::custom; }
/// A floating joint on SO(3) x R^3: its position and velocity are in the axes Link::Q.
inline bool has_position_axes(const Link& link) {
  return link.motion == LinkMotion::floating_so3xr3;
}
/// Whether it has one coordinate, a length.
inline bool is_slide(const Link& link) { return link.motion == LinkMotion::prismatic; }
inline bool is_turn(const Link& link) { return link.motion == LinkMotion::revolute; }
inline bool is_ball(const Link& link) { return link.motion == LinkMotion::spherical; }
/// Whether it moves along one screw with a translation along the z axis.
inline bool slides_along_z(const Link& link) {
  return link.motion == LinkMotion::prismatic || link.motion == LinkMotion::helical;
}
/// Whether the origin of the link may move in the joint frame.
inline bool moves_origin(const Link& link) {
  return link.motion != LinkMotion::revolute && link.motion != LinkMotion::spherical;
}
/// Whether each of its screws is described separately, so that one may change without the others.
inline bool has_single_screws(const Link& link) {
  return one_screw(link.motion) || is_exponential(link);
}

/// Z_1 q_1 + ... + Z_n q_n of a custom link.
inline Twist combine(const Model& model, const Link& link, const double* q) {
  Twist X;
  for (int k = 0; k < link.nv; ++k)
    X += q[k] * custom_screws(model)[static_cast<std::size_t>(link.screws + k)];
  return X;
}

/// T_i(q_i) of motions that are not revolute, prismatic or helical.
inline SE3 group_motion(const Model& model, const Link& link, const double* q) {
  switch (link.motion) {
    case LinkMotion::spherical:
      return {rotation_of(q), {}};
    case LinkMotion::floating_se3:
      return {rotation_of(q), vec3_at(q + 4)};
    case LinkMotion::floating_so3xr3:
      return {rotation_of(q), link.Q * vec3_at(q + 4)};
    default:
      return exp(combine(model, link, q));
  }
}

/// Column k of X_i: the body-fixed twist of the link for unit velocity k.
inline Twist screw_of(const Model& model, const Link& link, const double* q, int k) {
  switch (link.motion) {
    case LinkMotion::revolute:
      return {{0, 0, 1}, {}};
    case LinkMotion::prismatic:
      return {{}, {0, 0, 1}};
    case LinkMotion::helical:
      return {{0, 0, 1}, {0, 0, link.pitch}};
    case LinkMotion::spherical:
    case LinkMotion::floating_se3: {
      Twist X;
      (k < 3 ? X.w : X.v)[k % 3] = 1;
      return X;
    }
    case LinkMotion::floating_so3xr3: {
      Vec3 e;
      e[k % 3] = 1;
      return k < 3 ? Twist{e, {}} : Twist{{}, inverse_times(rotation_of(q), link.Q * e)};
    }
    case LinkMotion::custom:
      break;
  }
  return dexp(-combine(model, link, q))(
      custom_screws(model)[static_cast<std::size_t>(link.screws + k)]);
}
/// The same in axes in which the rotation of the link is R.
inline Twist screw_in_axes(const Model& model, const Link& link, const double* q, int k,
                           const SO3& R) {
  const Vec3& z = R.matrix().c2;
  switch (link.motion) {
    case LinkMotion::revolute:
      return {z, {}};
    case LinkMotion::prismatic:
      return {{}, z};
    case LinkMotion::helical:
      return {z, link.pitch * z};
    case LinkMotion::spherical:
    case LinkMotion::floating_se3:
      return k < 3 ? Twist{R.matrix().column(k), {}} : Twist{{}, R.matrix().column(k - 3)};
    default: {
      const Twist X = screw_of(model, link, q, k);
      return {R * X.w, R * X.v};
    }
  }
}
/// Z_k of links with single screws: the screw at q = 0.
inline Twist single_screw(const Model& model, const Link& link, int k) {
  return is_exponential(link) ? custom_screws(model)[static_cast<std::size_t>(link.screws + k)]
                              : screw_of(model, link, nullptr, k);
}
/// X_i^T W for a wrench on the link in its own frame: the joint forces dual to its entries of v.
inline void project(const Model& model, const Link& link, const double* q, const Wrench& W,
                    double* out) {
  switch (link.motion) {
    case LinkMotion::revolute:
      out[0] = W.t.z;
      return;
    case LinkMotion::prismatic:
      out[0] = W.f.z;
      return;
    case LinkMotion::helical:
      out[0] = W.t.z + link.pitch * W.f.z;
      return;
    case LinkMotion::spherical:
      return put(W.t, out);
    case LinkMotion::floating_se3:
      return put(W.t, out), put(W.f, out + 3);
    case LinkMotion::floating_so3xr3:
      return put(W.t, out), put(inverse_times(link.Q, rotation_of(q) * W.f), out + 3);
    case LinkMotion::custom:
      break;
  }
  for (int k = 0; k < link.nv; ++k) out[k] = dot(W, screw_of(model, link, q, k));
}
/// P_i T_i(q_i): the pose of a link in its parent; q: its coordinates.
inline SE3 pose_in_parent(const Model& model, const Link& link, const double* q) {
  return link.P * (one_screw(link.motion) ? exp(q[0] * screw_of(model, link, q, 0))
                                          : group_motion(model, link, q));
}
/// Whether screw_of depends on q.
inline bool screws_turn(const Link& link) { return chasles::screws_turn(link.motion); }
/// d/dt of screw_of.
inline Twist screw_rate(const Model& model, const Link& link, const double* q, const double* v,
                        int k) {
  if (!screws_turn(link)) return {};
  if (link.motion == LinkMotion::floating_so3xr3)
    return k < 3 ? Twist{} : Twist{{}, cross(screw_of(model, link, q, k).v, vec3_at(v))};
  return d_dexp(-combine(model, link, q), -combine(model, link, v),
                custom_screws(model)[static_cast<std::size_t>(link.screws + k)]);
}

/// u = X_i v_i of motions that are not revolute, prismatic or helical.
inline Twist group_twist(const Model& model, const Link& link, const double* q, const double* v) {
  switch (link.motion) {
    case LinkMotion::spherical:
      return {{v[0], v[1], v[2]}, {}};
    case LinkMotion::floating_se3:
      return {vec3_at(v), vec3_at(v + 3)};
    case LinkMotion::floating_so3xr3:
      return {vec3_at(v), inverse_times(rotation_of(q), link.Q * vec3_at(v + 3))};
    default:
      return dexp(-combine(model, link, q))(combine(model, link, v));
  }
}
/// u = X_i v_i of any motion.
inline Twist joint_twist(const Model& model, const Link& link, const double* q, const double* v) {
  return one_screw(link.motion) ? v[0] * screw_of(model, link, q, 0)
                                : group_twist(model, link, q, v);
}
/// ud of motions that are not revolute, prismatic or helical.
inline Twist group_acceleration(const Model& model, const Link& link, const double* q,
                                const double* v, const double* vd) {
  const Twist linear = group_twist(model, link, q, vd);
  if (!screws_turn(link)) return linear;
  if (link.motion == LinkMotion::floating_so3xr3)
    return {linear.w,
            linear.v + cross(inverse_times(rotation_of(q), link.Q * vec3_at(v + 3)), vec3_at(v))};
  const Twist rate = combine(model, link, v);
  return linear + d_dexp(-combine(model, link, q), -rate, rate);
}

/// The derivative of ud = X_i vd + Xd_i v along entry l of a step q exp(x), with v and vd fixed. At v = 0 it
/// is the derivative of X_i vd alone; that of X_i is screw_rate at the velocity e_l.
inline Twist d_group_acceleration(const Model& model, const Link& link, const double* q,
                                  const double* v, const double* vd, int l) {
  if (!screws_turn(link)) return {};
  if (link.motion == LinkMotion::floating_so3xr3) {
    if (l >= 3) return {};
    Vec3 e;
    e[l] = 1;
    const SO3 R = rotation_of(q);
    return {{},
            cross(inverse_times(R, link.Q * vec3_at(vd + 3)), e) +
                cross(cross(inverse_times(R, link.Q * vec3_at(v + 3)), e), vec3_at(v))};
  }
  // By a complex step, free of cancellation.
  using C = std::complex<double>;
  constexpr double h = 1e-100;
  const auto complex = [](const Twist& a, const Twist& b) {
    const auto join = [](const Vec3& x, const Vec3& y) {
      return lie::Vec3<C>{C(x.x, y.x), C(x.y, y.y), C(x.z, y.z)};
    };
    return lie::Twist<C>{join(a.w, b.w), join(a.v, b.v)};
  };
  const lie::Twist<C> x = -complex(
                          combine(model, link, q),
                          h * custom_screws(model)[static_cast<std::size_t>(link.screws + l)]),
                      rate = complex(combine(model, link, v), {});
  const lie::Twist<C> ud = dexp(x)(complex(combine(model, link, vd), {})) + d_dexp(x, -rate, rate);
  const auto slope = [](const lie::Vec3<C>& a) {
    return Vec3{a.x.imag() / h, a.y.imag() / h, a.z.imag() / h};
  };
  return {slope(ud.w), slope(ud.v)};
}

}  // namespace chasles::links
