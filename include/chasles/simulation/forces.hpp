/// Forces that act on a mechanism besides gravity, with their energy bookkeeping and tangents.
///
///     Forces forces;
///     forces.add(joint_spring_damper(model, "shoulder", 10, 0.1));
///     forces.add({"wind", model, [](double t, const VelocityKinematics& kin, JointForces& out) {
///                   out.tau[0] += std::sin(t) - 0.1 * kin.v()[0];
///                 }});
///     system.set_forces(forces.function());
///
/// A force either stores energy, U(q), or does work. The energy balance of a run is
///
///     T + U_gravity + sum U_force - W = constant,       dW/dt = sum P                       (1)
///
/// where P is the power of the nonconservative forces: dampers, friction, motors.
///
/// A force between bodies, such as a motor in a joint of a floating-base robot, is `internal`: it conserves total
/// momentum. A spring to ground, a motor in a joint attached to ground and an external wrench are not internal.
///
/// Implicit methods need the partial derivatives of forces (systems/force_tangent.hpp). All forces below provide
/// them; a user-defined force does so by a member `tangent` of its function object (force.hpp).
#pragma once

#include <array>
#include <string_view>

#include "chasles/export.hpp"
#include "chasles/simulation/force.hpp"
#include "chasles/state_error.hpp"

namespace chasles CHASLES_API {

/// A force returned NaN; names the force, the joint or body, and the time.
class ForceError : public StateError {
  using StateError::StateError;
};

class Forces {
 public:
  /// @throws Error naming a force without function or model
  void add(Force force);
  const std::vector<Force>& list() const { return list_; }
  bool empty() const { return list_.empty(); }
  /// Whether any force does work, so that W in (1) is not zero.
  bool works() const;

  /// Adds all forces to `out`.
  /// @throws ForceError; Error for a force that changes the size of out.tau; ForeignError for a force on
  ///         another model than that of `kin`
  void apply(double t, const VelocityKinematics& kin, JointForces& out) const;
  /// `apply` for ModelSystem::set_forces. Holds a copy of the forces. A Simulation stops at their breaks; if you drive
  /// the integrator yourself, end steps at next_break.
  ForceFunction function() const;

  /// The Taylor expansion of all forces, for ModelSystem::set_forces. Throws an Error if a force has none.
  ExpandFunction expansion() const;

  /// Whether the partial derivatives of all forces are known.
  bool has_tangent() const;
  /// The partial derivatives of `apply`; overwrites `out`. Does not allocate once `out` has reached its size.
  /// @throws Error naming a force without tangent; Error for terms outside the model; ForeignError
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const;

  /// The first time after t at which one of the forces is not smooth, or Signal::never.
  /// @throws Error naming a force whose answer is not after t
  double next_break(double t) const;
  /// Passes the state to the sampled forces; call it at the start and at every break.
  void sample(double t, const VelocityKinematics& kin) const;
  bool sampled() const;
  /// These forces in their initial state, before any sample.
  Forces fresh() const;
  /// Adds the actuator efforts to `out`: `apply` without the other forces.
  void apply_motors(double t, const VelocityKinematics& kin, JointForces& out) const;

  /// sum U_force [J].
  double potential(const PositionKinematics& kin) const;
  /// sum P [W].
  /// @param scratch  memory
  double power(double t, const VelocityKinematics& kin, JointForces& scratch) const;

 private:
  std::vector<Force> list_;
};

// All functions below throw an Error that names the joint or body and suggests the nearest known name, or names
// the value out of range: stiffness, damping and friction must be finite and nonnegative, signals must have a
// function.

/// Q = -stiffness x - damping v, with x = q - rest, or x = log(rest^-1 q) for a spherical joint;
/// U = stiffness |x|^2 / 2. [N m/rad, N m s/rad] or [N/m, N s/m].
/// @param rest  nq entries; empty: zero. Not for floating joints.
Force joint_spring_damper(const Model& model, std::string_view joint, double stiffness,
                          double damping = 0, std::vector<double> rest = {});

/// Q = -viscous v - coulomb tanh(v / velocity) in each coordinate: dry friction, regularized below about
/// `velocity`. With `stick` it is not regularized: Q = -viscous v - coulomb sign(v), and a joint at rest sticks as
/// long as the load is at most `breakaway` (default: `coulomb`). Only a Simulation handles sticking; without one the
/// force is the regularized one.
struct Friction {
  double viscous = 0, coulomb = 0, velocity = 1e-3;
  bool stick = false;
  std::optional<double> breakaway{};
};
Force joint_friction(const Model& model, std::string_view joint, const Friction& friction);
/// The forces of the description: friction and spring of every joint that has them (JointDynamics), and its tendons
/// (mechanism/tendon.hpp). Runs add these forces automatically (Scenario::joint_dynamics).
std::vector<Force> joint_dynamics(const Model& model);

/// A spring-damper around a setpoint: Q = -stiffness (q - target(t)) - damping v. Its power counts as work.
/// @param target  nq signals; constant for a spherical joint. Not for floating joints.
Force pd_hold(const Model& model, std::string_view joint, double stiffness, double damping,
              std::vector<Signal> target);

/// Q = value(t).
/// @param value  nv signals
Force joint_torque(const Model& model, std::string_view joint, std::vector<Signal> value);

/// A point fixed to a body, given in its frame; the body may be a frame, or `ground`.
struct BodyPoint {
  std::string body;
  Vec3 point{};
};

/// The wrench (t; f) of six signals at a point of a body, in the axes of the representation (hybrid:
/// those of the world).
Force body_wrench(const Model& model, const BodyPoint& at, std::array<Signal, 6> wrench,
                  Representation representation = AppliedWrench{}.representation);

/// A spring and a damper on the line between two points d apart: the tension is
/// stiffness (d - length) + damping d'; U = stiffness (d - length)^2 / 2. [N/m, N s/m, m]
Force point_spring_damper(const Model& model, const BodyPoint& a, const BodyPoint& b,
                          double stiffness, double damping, double length);

}  // namespace CHASLES_API
