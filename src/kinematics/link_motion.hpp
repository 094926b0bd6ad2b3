/// The elementary motions of links: pose, screws, and the twist they add. The one place that knows
/// them.
#pragma once

#include "chasles/lie/quaternion.hpp"
#include "chasles/model/model.hpp"

namespace chasles::kinematics {

/// Rotation of a quaternion of any nonzero length.
inline SO3 rotation_of(const double* q) {
  const Vec3 v{q[1], q[2], q[3]};
  const double vv = dot(v, v), ww = q[0] * q[0], s = 1 / (ww + vv);
  return SO3::unchecked(lie::rodrigues(v, (ww - vv) * s, 2 * q[0] * s, 2 * s));
}

/// Z_1 q_1 + ... + Z_n q_n of an exponential link.
inline Twist combine(const Model& model, const Link& link, const double* q) {
  Twist X;
  for (int k = 0; k < link.nv; ++k)
    X += q[k] * model.screws()[static_cast<std::size_t>(link.screws + k)];
  return X;
}

/// T_i(q_i) of the motions that are not a turn, slide or screw.
inline SE3 group_motion(const Model& model, const Link& link, const double* q) {
  switch (link.motion) {
    case LinkMotion::ball:
      return {rotation_of(q), {}};
    case LinkMotion::rigid:
      return {rotation_of(q), {q[4], q[5], q[6]}};
    default:
      return exp(combine(model, link, q));
  }
}

/// Column k of X_i: the body-fixed twist of the link for unit velocity k.
inline Twist screw_of(const Model& model, const Link& link, const double* q, int k) {
  switch (link.motion) {
    case LinkMotion::turn:
      return {{0, 0, 1}, {}};
    case LinkMotion::slide:
      return {{}, {0, 0, 1}};
    case LinkMotion::screw:
      return {{0, 0, 1}, {0, 0, link.pitch}};
    case LinkMotion::ball:
    case LinkMotion::rigid: {
      Twist X;
      (k < 3 ? X.w : X.v)[k % 3] = 1;
      return X;
    }
    case LinkMotion::exponential:
      break;
  }
  return dexp(-combine(model, link, q))(model.screws()[static_cast<std::size_t>(link.screws + k)]);
}
/// d/dt of screw_of: zero but for exponential links.
inline Twist screw_rate(const Model& model, const Link& link, const double* q, const double* v,
                        int k) {
  if (link.motion != LinkMotion::exponential) return {};
  return d_dexp(-combine(model, link, q), -combine(model, link, v),
                model.screws()[static_cast<std::size_t>(link.screws + k)]);
}

/// u = X_i v_i of the motions that are not a turn, slide or screw.
inline Twist group_twist(const Model& model, const Link& link, const double* q, const double* v) {
  switch (link.motion) {
    case LinkMotion::ball:
      return {{v[0], v[1], v[2]}, {}};
    case LinkMotion::rigid:
      return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    default:
      return dexp(-combine(model, link, q))(combine(model, link, v));
  }
}
/// ud of the same.
inline Twist group_acceleration(const Model& model, const Link& link, const double* q,
                                const double* v, const double* vd) {
  const Twist linear = group_twist(model, link, q, vd);
  if (link.motion != LinkMotion::exponential) return linear;
  const Twist rate = combine(model, link, v);
  return linear + d_dexp(-combine(model, link, q), -rate, rate);
}

}  // namespace chasles::kinematics
