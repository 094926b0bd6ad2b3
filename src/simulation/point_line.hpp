/// Forces on the line between two points: a tension T(t, d, d') along it, with its derivatives k = dT/dd and
/// c = dT/dd'. F = -T u acts on b at x_b. With r = x_b - x_a, N = 1 - u u^T:
///
///     dF = G dr + H dr',     G = -(k u u^T + T / d N + c / d u (N r')^T),     H = -c u u^T      (1)
///
/// About p = x_b the points move by dx = delta + theta x (x - p), their velocities by
/// dv + dw x (x - p) + w x dx; the torque of F changes by dx_b x F.
#pragma once

#include "simulation/force_parts.hpp"
#include "simulation/tangent_parts.hpp"

namespace chasles::forces {

/// The frame at a point of a body.
inline Frame frame_of(const Model& model, const BodyPoint& at, const std::string& what) {
  if (!is_finite(at.point)) throw Error(what + ": the point on '" + at.body + "' is not finite");
  try {
    return model.frame(at.body).at({SO3{}, at.point});
  } catch (const Error& error) {
    throw Error(what + ": " + error.what());
  }
}

/// The line between two points: length d, direction u from a to b, rate of length d_dot.
struct Line {
  double d, d_dot;
  Vec3 u;
};
inline double length_of(const PositionKinematics& kin, const Frame& a, const Frame& b) {
  return norm(pose(kin, b).r - pose(kin, a).r);
}
inline Line line(const VelocityKinematics& kin, const Frame& a, const Frame& b) {
  const Vec3 r = pose(kin, b).r - pose(kin, a).r;
  const Vec3 r_dot =
      twist(kin, b, Representation::hybrid).v - twist(kin, a, Representation::hybrid).v;
  const double d = norm(r);
  const Vec3 u = d > 0 ? (1 / d) * r : Vec3{};
  return {d, dot(u, r_dot), u};
}

inline void add_tension(const Line& s, double T, const Frame& a, const Frame& b, JointForces& out) {
  const Vec3 f = T * s.u;
  out.wrenches.push_back({a, {{}, f}, Representation::hybrid});
  out.wrenches.push_back({b, {{}, -f}, Representation::hybrid});
}

/// (1). Coincident points: F = -k r.
inline void add_line_tangent(const VelocityKinematics& kin, const Frame& a, const Frame& b,
                             const Line& s, double T, double k, double c, ForceTangent& out) {
  const Twist V_a = twist(kin, a, Representation::hybrid);
  const Twist V_b = twist(kin, b, Representation::hybrid);
  const Mat3 uu = outer(s.u, s.u), N = Mat3::identity() - uu, H = -c * uu;
  Mat3 G = -k * Mat3::identity();
  if (s.d > 0) G = -k * uu - (T / s.d) * N - (c / s.d) * outer(s.u, N * (V_b.v - V_a.v));
  const Vec3 p = pose(kin, b).r, r_a = pose(kin, a).r - p, F = -T * s.u;
  auto& e = add_element(out, a.link, b.link, p, {}, F);
  const Mat3 zero{};
  if (b.link >= 0) {
    add_point(e.K_b, hat(-F), G + H * hat(V_b.w), {});
    add_point(e.D_b, zero, H, {});
  }
  if (a.link >= 0) {
    add_point(e.K_a, zero, -1.0 * (G + H * hat(V_a.w)), r_a);
    add_point(e.D_a, zero, -1.0 * H, r_a);
  }
}

}  // namespace chasles::forces
