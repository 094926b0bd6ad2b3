/// Checks and kinematics shared by the constraints on points of bodies.
#pragma once

#include <cmath>

#include "chasles/constraints/point_constraints.hpp"
#include "chasles/kinematics/jacobian.hpp"

namespace chasles::point_constraints {

inline std::string title(const std::string& name) { return "constraint '" + name + "'"; }

inline Frame frame_at(const std::string& name, const Model& model, const ConstraintPoint& at) {
  if (!is_finite(at.point))
    throw Error(title(name) + ": the point on '" + at.body + "' is not finite");
  try {
    return model.frame(at.body).at({SO3{}, at.point});
  } catch (const Error& error) {
    throw Error(title(name) + ": " + error.what());
  }
}
inline void require_positive(const std::string& name, const char* what, double value) {
  if (!(value > 0 && std::isfinite(value)))
    throw Error(title(name) + ": " + what + " " + to_text(value) + " is not positive");
}
inline Vec3 direction_of(const std::string& name, const char* what, const Vec3& given) {
  const double size = norm(given);
  if (!(size > 0 && std::isfinite(size)))
    throw Error(title(name) + ": " + what + " " +
                tuple_text(std::array{given.x, given.y, given.z}) +
                " has no direction; give a nonzero vector");
  return (1 / size) * given;
}
inline void require_apart(const std::string& name, const Frame& a, const Frame& b) {
  if (a.link == b.link)
    throw Error(title(name) + ": its points move together, so there is nothing to constrain");
}
/// Two unit vectors perpendicular to n and to each other.
inline std::array<Vec3, 2> perpendicular(const Vec3& n) {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  const Vec3 least = x <= y && x <= z ? Vec3{1, 0, 0} : y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  const Vec3 c = cross(n, least), t = (1 / norm(c)) * c;
  return {t, cross(n, t)};
}

/// Jacobians and accelerations of a frame at vd = 0. Memory per thread: constraints are shared between threads.
struct FrameMotion {
  Vec3 w, v, w_dot, v_dot;
};
inline Matrix6X& jacobian_memory(const Model& model) {
  static thread_local Matrix6X J;
  if (J.cols() != model.nv()) J.setZero(6, model.nv());
  return J;
}
/// B += t . angular + f . linear velocity of the frame.
inline void add_row(const PositionKinematics& kin, const Frame& frame, const Vec3& t, const Vec3& f,
                    Eigen::Ref<Eigen::MatrixXd> B, int row) {
  if (frame.link < 0) return;
  Matrix6X& J = jacobian_memory(kin.model());
  jacobian(kin.model(), kin, frame, Representation::hybrid, J);
  for (Eigen::Index k = 0; k < J.cols(); ++k)
    B(row, k) += t.x * J(0, k) + t.y * J(1, k) + t.z * J(2, k) + f.x * J(3, k) + f.y * J(4, k) +
                 f.z * J(5, k);
}
inline FrameMotion motion_of(const VelocityKinematics& kin, const Frame& frame) {
  if (frame.link < 0) return {};
  const Twist V = twist(kin, frame, Representation::hybrid);
  Matrix6X& J = jacobian_memory(kin.model());
  jacobian_rate(kin.model(), kin, frame, Representation::hybrid, J);
  double a[6] = {};
  for (Eigen::Index k = 0; k < J.cols(); ++k)
    for (int i = 0; i < 6; ++i) a[i] += J(i, k) * kin.v()[k];
  return {V.w, V.v, {a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

/// Position, velocity and acceleration at vd = 0 of a point relative to a frame, in world axes: r, u and the parenthesis of (2).
struct RelativeMotion {
  Vec3 r, u, a;
};
inline RelativeMotion relative_motion(const VelocityKinematics& kin, const Frame& point,
                                      const Frame& frame) {
  const Vec3 r = pose(kin, point).r - pose(kin, frame).r;
  const FrameMotion a = motion_of(kin, frame), b = motion_of(kin, point);
  const Vec3 u = b.v - a.v - cross(a.w, r);
  return {r, u,
          b.v_dot - a.v_dot - cross(a.w_dot, r) - 2.0 * cross(a.w, u) - cross(a.w, cross(a.w, r))};
}
/// The row n . u of B, for a direction n in world axes.
inline void add_relative_row(const PositionKinematics& kin, const Frame& point, const Frame& frame,
                             const Vec3& n, Eigen::Ref<Eigen::MatrixXd> B, int row) {
  const Vec3 r = pose(kin, point).r - pose(kin, frame).r;
  add_row(kin, point, {}, n, B, row);
  add_row(kin, frame, cross(n, r), -n, B, row);  // -n . (w x r) = (n x r) . w
}

}  // namespace chasles::point_constraints
