/// Motors that are commanded: control laws, continuous or sampled.
///
///     Controller arm = pd_control(model, {"shoulder", "elbow"}, {0.3, references::sinusoid({0.2, 1})},
///                                 {.stiffness = {100, 50}, .damping = {20, 5}});
///     arm.max_effort = effort_limits(model, arm.joints);
///     arm.period = 1e-3;                                      // sampled; between samples it holds
///     forces.add(control(arm));
///
/// One's own is a function of time and state:
///
///     Controller mine{"mine", model, [](double t, const VelocityKinematics& kin, VectorRef tau) {
///                       tau[0] = -3 * kin.q()[0];
///                     }};
///
/// A sampled law is called once per sample, in order of time: it may remember (integral action,
/// filters, observers). Every Simulation begins with a copy of the law as it was given.
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/simulation/reference.hpp"

namespace chasles CHASLES_API {

/// Writes what the motors should give at (t, q, v); the state is kin.q(), kin.v(). `tau` has nv
/// entries, all 0; those of joints without motor are not used.
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
  /// What each motor gives at most, either sign, one entry per joint of `joints`; empty: anything.
  std::vector<double> max_effort{};  // [N m] or [N]
  /// Sampled: the law is evaluated at the start and at multiples of `period`, and its result acts from
  /// `delay` later on until the next one does; before the first, nothing does. 0: it acts all the time.
  double period = 0, delay = 0;  // [s]
  /// The first time after t at which the law is not smooth; empty: it is. Not used if it is sampled.
  Signal::Function next_break{};
  /// What the motion does not determine, or the motors cannot do, in sentences for people.
  std::vector<std::string> notes{};
  /// Of `law`, for its tangent and for sampled_loop; none: not known. Reset it if you replace the law.
  std::optional<LinearGains> gains{};
};

/// The controller as a force. If it is sampled, a Simulation takes the samples; if you drive the integrator
/// yourself, end steps at Forces::next_break and call Forces::sample there. It has a tangent if it is
/// sampled, since it is constant between samples, or if its gains are known: these where the motor is
/// not saturated, without the derivative of g(q) in (1).
/// @throws Error naming the controller and what is wrong with it: no law, no model, joints that are not
///         there or given twice, efforts or times that are negative, a delay without period
Force control(const Controller& controller);

/// The efforts of a controller near a state: effort + gain x at (t, q exp(e), v + dv), (e; dv) = C x.
struct ControlTangent {
  std::vector<int> entries;  // of v: those with a motor
  Vector effort;             // as many, within max_effort
  Matrix gain;               // entries x columns of C; 0 where a motor is saturated
};
/// By central differences of the law, as if it acted all the time. A law that remembers begins as it was given: what it
/// remembers is not part of x.
/// @param C  2 nv x columns, as of LinearSystem
/// @throws SizeError; Error naming the controller, or if an effort is not finite
ControlTangent control_tangent(const Controller& controller, double t, ConstVectorRef q,
                               ConstVectorRef v, const Matrix& C);

/// The joints whose coordinates are a vector: all but spherical, free and fixed ones.
std::vector<std::string> vector_joints(const Model& model);
/// The joints that motors drive unless others are named: not floating joints, nor those that mimic others, nor rotors behind
/// gears, which their joints drive.
std::vector<std::string> driven_joints(const Model& model);

/// How the joints of a controlled mechanism are bound to each other: as in the run (Scenario). Laws that know the model
/// compute with its loops, couplings and rotors.
struct Binding {
  bool loops = true;  // false: the tree
  ConstraintOptions constraints{};
  Vector near{};  // nq: where loops close; empty: near the neutral configuration
};
/// The limits of effort of joints.
/// @throws Error naming a joint that has none
std::vector<double> effort_limits(const Model& model, std::span<const std::string> joints);

/// Gains by joint; one entry is for all.
///
///     tau = stiffness (q_w - q) + damping (v_w - v) + velocity v_w + acceleration a_w (+ g(q))  (1)
///
/// where (q_w, v_w, a_w) is what is wanted and g what holds the mechanism still (gravity_compensation).
struct PdGains {
  std::vector<double> stiffness{0}, damping{0};  // [N m/rad, N m s/rad] or [N/m, N s/m]
  std::vector<double> velocity{0},
      acceleration{0};   // feed-forward [N m s/rad, kg m^2] or [N s/m, kg]
  bool gravity = false;  // with g(q)
};
// Of all below: `reference` has an entry for every coordinate of the joints, in their order. They throw
// an Error that names the joint that is not there or has no coordinates of that kind, or the gain.

/// (1).
Controller pd_control(const Model& model, std::vector<std::string> joints,
                      std::vector<Reference> reference, PdGains gains, const Binding& binding = {});

/// Computed torque: the errors e = q_w - q of the joints obey e'' + 2 z w e' + w^2 e = 0, by
///
///     a_c = a_w + 2 z w (v_w - v) + w^2 (q_w - q),     tau_c = M_cc a_c + M_cu a_u + h_c       (2)
///     M_uu a_u = -h_u - M_uc a_c                                                              (3)
///
/// c: the joints that are controlled, u: all others, which move freely as (3) says. Other forces than
/// gravity are not known to it. Loops, couplings and rotors are: then tau_c are the efforts that give a_c to the
/// constrained mechanism; of joints that are bound to each other the nearest to a_c, by the least sum of squares.
/// @param frequency  w [rad/s] by joint, one entry for all; 0: nothing brings errors back
/// @param ratio      z likewise
Controller computed_torque(const Model& model, std::vector<std::string> joints,
                           std::vector<Reference> reference, std::vector<double> frequency,
                           std::vector<double> ratio = {1}, const Binding& binding = {});

/// tau that holds the mechanism still, by motors in joints of any type: g(q) of a tree. With loops, couplings and rotors
/// the motors bear what the constraints do not; of more motors than they can move, those efforts with the least sum of
/// squares. What the motors do not move, such as a floating base, is taken to be held by something else.
Controller gravity_compensation(const Model& model, std::vector<std::string> joints,
                                const Binding& binding = {});

}  // namespace CHASLES_API
