/// Controllers of joint motors: continuous or sampled control laws.
///
///     Controller arm = pd_control(model, {"shoulder", "elbow"}, {0.3, references::sinusoid({0.2, 1})},
///                                 {.stiffness = {100, 50}, .damping = {20, 5}});
///     arm.max_effort = effort_limits(model, arm.joints);
///     arm.period = 1e-3;                                      // sampled, with zero-order hold
///     forces.add(control(arm));
///
/// A user-defined law is a function of time and state:
///
///     Controller mine{"mine", model, [](double t, const VelocityKinematics& kin, VectorRef tau) {
///                       tau[0] = -3 * kin.q()[0];
///                     }};
///
/// A sampled law is called once per sample, in order of time, and may keep state (integral action, filters,
/// observers). Every Simulation begins with a copy of the law as it was given.
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/simulation/reference.hpp"
#include "chasles/simulation/sensors.hpp"

namespace chasles CHASLES_API {

/// Writes the motor efforts at (t, q, v); the state is kin.q(), kin.v(). `tau` has nv entries, initially 0; entries
/// of joints without motor are ignored.
using ControlLaw = std::function<void(double t, const VelocityKinematics& kin, VectorRef tau)>;

/// The linear part of a law: tau = ... - stiffness q - damping v, entry by entry of v.
struct LinearGains {
  Vector stiffness, damping;  // nv
};

struct Controller {
  std::string name;  // for messages
  Model model;
  ControlLaw law;
  std::vector<std::string> joints{};  // those with a motor; empty: all
  /// Saturation: largest absolute effort of each motor, one entry per joint of `joints`; empty: unlimited.
  std::vector<double> max_effort{};  // [N m] or [N]
  /// Sampled: the law is evaluated at the start and at multiples of `period`; its result is applied `delay` later and
  /// held until the next one. Before the first result the effort is zero. period = 0: continuous.
  double period = 0, delay = 0;  // [s]
  /// What the law of a sampled controller is given instead of the state; none: the state itself.
  std::optional<Sensors> sensors{};
  /// Delay of the loop: of sensors and of efforts [s].
  double loop_delay() const { return delay + (sensors ? sensors->delay : 0); }
  /// The first time after t at which the law is not smooth; empty: smooth everywhere. Ignored if sampled.
  Signal::Function next_break{};
  /// Remarks for the user: what the motion leaves undetermined, or the motors cannot do.
  std::vector<std::string> notes{};
  /// Gains of `law`, for its tangent and for sampled_loop; none: unknown. Reset them if you replace the law.
  std::optional<LinearGains> gains{};
};

/// The controller as a force. If it is sampled, a Simulation takes the samples; if you drive the integrator
/// yourself, end steps at Forces::next_break and call Forces::sample there. It has a tangent if it is sampled
/// (constant between samples) or if its gains are known: then the gains of the unsaturated motors, without the
/// derivative of g(q) in (1).
/// @throws Error naming the controller and the mistake: no law, no model, unknown or repeated joints, negative
///         efforts or times, a delay or sensors without period
Force control(const Controller& controller);

/// Linearized controller: the efforts are effort + gain x at (t, q exp(e), v + dv), (e; dv) = C x.
struct ControlTangent {
  std::vector<int> entries;  // entries of v with a motor
  Vector effort;             // one per entry, within max_effort
  Matrix gain;               // entries x columns of C; 0 where a motor is saturated
};
/// Linearizes the law by central differences, as if it were continuous. Internal state of the law starts as given and
/// is not part of x.
/// @param C  2 nv x columns, as in LinearSystem
/// @throws SizeError; Error naming the controller, or if an effort is not finite
ControlTangent control_tangent(const Controller& controller, double t, ConstVectorRef q,
                               ConstVectorRef v, const Matrix& C);

/// The joints whose coordinates are a vector: all except spherical, floating and fixed joints.
std::vector<std::string> vector_joints(const Model& model);
/// The joints that have motors by default: all except floating joints, joints that mimic others, and geared rotors
/// (driven by their joints).
std::vector<std::string> driven_joints(const Model& model);

/// The constraints of a controlled mechanism, as in the run (Scenario). Model-based laws take its loops, couplings
/// and rotors into account.
struct Binding {
  bool loops = true;  // false: the tree
  ConstraintOptions constraints{};
  Vector near{};  // nq: initial guess for closing the loops; empty: the neutral configuration
};
/// The effort limits of joints.
/// @throws Error naming a joint that has none
std::vector<double> effort_limits(const Model& model, std::span<const std::string> joints);

/// Gains by joint; a single entry applies to all.
///
///     tau = stiffness (q_w - q) + damping (v_w - v) + velocity v_w + acceleration a_w (+ g(q))  (1)
///
/// where (q_w, v_w, a_w) is the setpoint and g(q) the effort that holds the mechanism still (gravity_compensation).
struct PdGains {
  std::vector<double> stiffness{0}, damping{0};  // [N m/rad, N m s/rad] or [N/m, N s/m]
  std::vector<double> velocity{0},
      acceleration{0};   // feed-forward [N m s/rad, kg m^2] or [N s/m, kg]
  bool gravity = false;  // adds g(q)
};
// In all functions below `reference` has an entry for every coordinate of the joints, in their order. They throw an
// Error naming an unknown joint, a joint without such coordinates, or a wrong gain.

/// PD control with feed-forward, (1).
Controller pd_control(const Model& model, std::vector<std::string> joints,
                      std::vector<Reference> reference, PdGains gains, const Binding& binding = {});

/// Computed torque: the errors e = q_w - q of the joints obey e'' + 2 z w e' + w^2 e = 0, by
///
///     a_c = a_w + 2 z w (v_w - v) + w^2 (q_w - q),     tau_c = M_cc a_c + M_cu a_u + h_c       (2)
///     M_uu a_u = -h_u - M_uc a_c                                                              (3)
///
/// c: the controlled joints, u: all others, which move freely according to (3). The law knows no forces other than
/// gravity. With loops, couplings and rotors, tau_c are the efforts that give a_c to the constrained mechanism; if
/// the controlled joints are not independent, the nearest accelerations in the least-squares sense.
/// @param frequency  w [rad/s] by joint, one entry for all; 0: no feedback of the position error
/// @param ratio      z, damping ratio, likewise
Controller computed_torque(const Model& model, std::vector<std::string> joints,
                           std::vector<Reference> reference, std::vector<double> frequency,
                           std::vector<double> ratio = {1}, const Binding& binding = {});

/// The efforts that hold the mechanism still, by motors in joints of any type: g(q) of a tree. With loops, couplings
/// and rotors, the motors bear the part that the constraints do not; if the motors are redundant, the efforts of least
/// norm. Directions without motors, such as those of a floating base, are assumed to be supported otherwise.
Controller gravity_compensation(const Model& model, std::vector<std::string> joints,
                                const Binding& binding = {});

}  // namespace CHASLES_API
