/// Drivers: prescribed motions of a joint coordinate or of a point, as constraints with time (theory: docs/theory/drivers.md).
///
///     Phi = x(q) - f(t) = 0,      B v = f'(t),      B v' + Bd v = f''(t)                      (1)
///
/// x is the coordinate of a joint, or the component of the position of a frame along a direction fixed in the world. The
/// driver acts with the force -lambda along x: the torque of the motor that imposes the motion; its power is
/// -lambda f'(t).
///
///     scenario.constraints.more.push_back(joint_driver(model, "elbow", references::speed(10)));
///
/// f and f' must be continuous; runs end steps where f'' or its derivative jumps (Reference::next_break).
#pragma once

#include "chasles/constraints/constraint.hpp"
#include "chasles/export.hpp"
#include "chasles/simulation/reference.hpp"

namespace chasles CHASLES_API {

/// One equation. Immutable, as all constraints.
class Driver : public RheonomicConstraint {
 public:
  std::string name() const override { return name_; }
  std::string kind() const override { return "driver"; }
  int constraint_count() const override { return 1; }
  const Reference& motion() const { return motion_; }
  /// The joint that is driven; empty: a frame.
  const std::string& joint() const { return joint_; }

  void error_at(double t, const PositionKinematics& kin, VectorRef Phi) const override;
  void time_rate_at(double t, const PositionKinematics& kin, VectorRef out) const override;
  void bias_at(double t, const VelocityKinematics& kin, VectorRef out) const override;
  double next_break(double t) const override { return motion_.next_break(t); }

 protected:
  Driver(std::string name, std::string joint, Reference motion);
  /// x(q); `near` resolves the number of full turns of an angle that poses do not determine.
  virtual double coordinate(const PositionKinematics& kin, double near) const = 0;
  /// Bd v.
  virtual double coordinate_bias(const VelocityKinematics& kin) const = 0;

 private:
  std::string name_, joint_;
  Reference motion_;
};

/// Drives a scalar coordinate of a joint, or the coordinate of a loop joint with one degree of freedom; in maximal
/// coordinates the joints of the tree are such loops.
/// @param coordinate  index, for joints with several
/// @param name        empty: that of the joint
/// @throws Error naming the joint: unknown, or without such a coordinate (spherical, floating)
std::shared_ptr<const Driver> joint_driver(const Model& model, std::string_view joint,
                                           Reference motion, int coordinate = 0,
                                           std::string name = {});
/// Drives the component of the position of a body or frame along a direction of the world [m].
/// @param name  empty: that of the frame
/// @throws Error for an unknown frame, or an axis without direction
std::shared_ptr<const Driver> frame_driver(const Model& model, std::string_view frame,
                                           const Vec3& axis, Reference motion,
                                           std::string name = {});

}  // namespace CHASLES_API
