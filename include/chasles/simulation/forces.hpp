/// Forces that act on a mechanism besides gravity, with their energy bookkeeping and tangents.
///
///     Forces forces;
///     forces.add(joint_spring_damper(model, "shoulder", 10, 0.1));
///     forces.add({"wind", model, [](double t, const VelocityKinematics& kin, JointForces& out) {
///                   out.tau[0] += std::sin(t) - 0.1 * kin.v()[0];
///                 }});
///     system.set_forces(forces.function());
///
/// A force either stores energy, U(q), or does work. The balance of a run is
///
///     T + U_gravity + sum U_force - W = constant,       dW/dt = sum P                       (1)
///
/// where P is the power of the nonconservative forces: dampers, friction, motors.
///
/// A force between bodies, such as a motor in a joint of a robot that floats, is `internal`: it keeps
/// the momenta of the whole. A spring to ground, a motor in a joint that hangs on ground and a wrench
/// from outside are not.
///
/// Implicit methods need the partial derivatives of forces (motion/force_tangent.hpp). All forces below
/// have them; a function has none unless it is an object with a member `tangent` (force.hpp).
#pragma once

#include <array>
#include <string_view>

#include "chasles/export.hpp"
#include "chasles/simulation/force.hpp"
#include "chasles/state_error.hpp"

namespace chasles CHASLES_API {

/// A force that is not a number; names the force, the joint or body, and the time.
class ForceError : public StateError {
  using StateError::StateError;
};

class Forces {
 public:
  /// @throws Error naming a force without function or model
  void add(Force force);
  const std::vector<Force>& list() const { return list_; }
  bool empty() const { return list_.empty(); }
  /// Whether any of them does work, so that W of (1) is not zero.
  bool works() const;

  /// All of them, added to `out`.
  /// @throws ForceError; Error for a force that changes the size of out.tau; ForeignError for a force on
  ///         another model than that of `kin`
  void apply(double t, const VelocityKinematics& kin, JointForces& out) const;
  /// `apply` for ModelSystem::set_forces. It holds a copy of the forces. A Simulation stops at their
  /// breaks; if you drive the integrator yourself, end steps at next_break.
  ForceFunction function() const;

  /// Their expansion, for the same. It throws an Error if one of the forces has none.
  ExpandFunction expansion() const;

  /// Whether the partial derivatives of all of them are known.
  bool has_tangent() const;
  /// The partial derivatives of `apply`, in place of what `out` held. Allocates nothing once `out` has
  /// been as large before.
  /// @throws Error naming a force without tangent; Error for terms outside the model; ForeignError
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const;

  /// The first time after t at which one of them is not smooth, or Signal::never.
  /// @throws Error naming a force whose answer is not after t
  double next_break(double t) const;
  /// At the start and at every break, with the state there: forces that are sampled look at it.
  void sample(double t, const VelocityKinematics& kin) const;
  bool sampled() const;
  /// These forces as they were before any sample.
  Forces fresh() const;
  /// What motors give, added to `out`: `apply` without the passive forces.
  void apply_motors(double t, const VelocityKinematics& kin, JointForces& out) const;

  /// sum U_force [J].
  double potential(const PositionKinematics& kin) const;
  /// sum P [W].
  /// @param scratch  memory
  double power(double t, const VelocityKinematics& kin, JointForces& scratch) const;

 private:
  std::vector<Force> list_;
};

// All functions below throw an Error that names the joint or body and suggests the nearest known
// one, or names the value that is out of range: stiffness, damping and friction must be finite and not
// negative, signals must have a function.

/// Q = -stiffness x - damping v, with x = q - rest, on the group of a spherical joint
/// log(rest^-1 q); U = stiffness |x|^2 / 2. [N m/rad, N m s/rad] or [N/m, N s/m].
/// @param rest  nq entries; empty: zero. Not for floating joints.
Force joint_spring_damper(const Model& model, std::string_view joint, double stiffness,
                          double damping = 0, std::vector<double> rest = {});

/// Q = -viscous v - coulomb tanh(v / velocity), each coordinate by itself: dry friction, made smooth
/// below about `velocity`. With `stick` it is not made smooth: Q = -viscous v - coulomb sign(v), and a joint that stands
/// still is held against all that is not more than `breakaway`, which is `coulomb` unless more is given.
/// Only a Simulation does that; who integrates by himself gets the smooth one.
struct Friction {
  double viscous = 0, coulomb = 0, velocity = 1e-3;
  bool stick = false;
  std::optional<double> breakaway{};
};
Force joint_friction(const Model& model, std::string_view joint, const Friction& friction);
/// The friction of every joint whose description has damping or friction (JointDynamics); runs add it
/// by themselves (Scenario::joint_dynamics).
std::vector<Force> joint_dynamics(const Model& model);

/// A motor that holds a target: Q = -stiffness (q - target(t)) - damping v. Its work counts as done.
/// @param target  nq signals; of a spherical joint constant. Not for floating joints.
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
