/// The common face of all integrators: a method, its tableau and its workspace, advancing a state.
///
///     auto integrator = make_integrator(system, {.method = "dop853", .tolerance = 1e-10});
///     integrator->reset({0, q, v});
///     while (integrator->state().t < 10) integrator->step(10);
///
/// After `reset` no step allocates.
#pragma once

#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/motion/model_system.hpp"

namespace chasles CHASLES_API {

/// What is done with a state as soon as a step has reached it, before its rates are taken: methods
/// go on from what is left in it, and their history, interpolants and repeated steps know it. For
/// projections and controllers that work in steps. Small changes only: after a jump use
/// Integrator::replace.
class StepHook {
 public:
  virtual ~StepHook() = default;
  virtual void start(const State&) {}  // of the integration, or after a replacement
  virtual void reached(State& state) = 0;
};

/// How states are kept on Phi = 0 and B v = 0, of systems with rows of constraints and of methods that
/// do not do it themselves: every step is brought back to there; nothing is done, and what is left of
/// every step adds up; or what has left is drawn back (Baumgarte), which is another equation.
enum class Stabilization : unsigned char { projection, none, baumgarte };

struct OwnMethod;

/// How to integrate. What is not given has the method's default; a method refuses options that it
/// does not use, and says which it does (options_of).
struct IntegratorOptions {
  std::string method = "auto";         // dop853, radau5 where the system is stiff
  std::optional<double> step{};        // [s], fixed-step methods need it
  std::optional<double> tolerance{};   // of (1): 1e-10; radau5 within auto 1e-6
  std::optional<double> first_step{};  // [s], adaptive methods: estimated
  std::optional<double> max_step{};    // [s], adaptive methods: none
  std::optional<int> order{};          // abm: 10; taylor: 16
  std::optional<Chart> chart{};        // Munthe-Kaas methods: exponential
  /// generalized_alpha: the spectral radius, what a step leaves of vibrations that are far too fast for
  /// it, 0 to 1: 0.8
  std::optional<double> rho{};
  /// generalized_alpha: 2 keeps Phi = 0 and B v = 0, 3 keeps Phi = 0 alone: 2
  std::optional<int> index{};
  Stabilization stabilization = Stabilization::projection;  // matters only if there are rows
  /// Needed by Stabilization::baumgarte alone.
  std::optional<MechanicalSystem::Baumgarte> baumgarte{};
  /// Adaptive methods keep the error of a step, e_x in q and e_v in v, below
  ///
  ///     |e_x| <= tolerance scale,     |e_v| <= tolerance (scale / (1 s) + |v|)               (1)
  ///
  /// (root mean square over the coordinates). The scale of a coordinate is the angle or length that
  /// counts as 1: nv entries; empty: 1 rad, 1 m.
  Vector scales{};
  /// A floating base: carry the momentum instead of the velocity of the base, so that, where nothing
  /// acts from outside, it is kept to rounding; and, where nothing acts at all, bring every step back
  /// to the energy and the momenta of the start.
  bool momentum_form = false, keep_invariants = false;
  std::shared_ptr<StepHook> hook{};  // null: none; not together with keep_invariants
  /// A method of one's own; null: that of the list which `method` names.
  std::shared_ptr<const OwnMethod> own{};
};

/// What a method asks of a system.
enum class Needs : unsigned char {
  rates,        // System::rates and the group: any System
  coordinates,  // and the rates of the coordinates: Group::coordinate_rate
  masses,       // and masses, forces and constraints: System::mechanical, a MechanicalSystem
  mechanism,    // and links: System::mechanism, a ModelSystem
  expansion     // and forces that can be expanded in time: ModelSystem::expand_forces
};

/// A row of the list of methods.
struct MethodInfo {
  std::string_view name;
  int order = 0;
  bool adaptive = false, symmetric = false;
  std::string_view description{};
  Needs needs = Needs::rates;
  bool takes_chart = false, takes_order = false;
  bool fixed_or_adaptive = false;  // takes `step` instead of a tolerance
  bool takes_rho = false;          // takes `rho` and `index`
  /// Of a system with rows: keeps Phi = 0 (and B v = 0, but for index 3) by itself; a method that does
  /// not is stabilized.
  bool constrained = false;
  /// Of states within the steps (Integrator::interpolate); 0: that of the method.
  int dense_order = 0;
  bool newton = false;  // solves its steps by Newton's method, also with joints that a run holds
};
std::span<const MethodInfo> methods();
/// The options of a method, by name: "step"; or "tolerance", "scales", "first_step", "max_step"; or
/// all of them, where either way is open; then "chart", "order", "rho" and "index" where there is a
/// choice.
std::vector<std::string_view> options_of(const MethodInfo& info);
/// Why an option is refused: the method does not use it, and what it takes instead.
std::string unused_option(const MethodInfo& info, std::string_view option);
/// @throws Error with the nearest known name
const MethodInfo& method_info(std::string_view name);
/// The method that the options ask for: `own`, or the one with their name.
const MethodInfo& method_info(const IntegratorOptions& options);

class Integrator;

/// A method that is not in the list: how it is made for a system, and what is to be known about it. Options are
/// checked by `info`: of fixed steps unless it is adaptive, so that `step` must be given. Of a system with
/// constraint equations options.hook projects states; a step ends with options.hook->reached(now_), if there is one.
///
///     struct Mine : Integrator { Mine(System&, const IntegratorOptions&); ... };
///     IntegratorOptions options{.step = 1e-3};
///     options.own = own_method<Mine>({.name = "mine", .order = 1});
///     auto integrator = make_integrator(system, options);        // or a Scenario with these options
struct OwnMethod {
  MethodInfo info;
  std::function<std::unique_ptr<Integrator>(DynamicalSystem&, const IntegratorOptions&)> make;
};
/// Of a class with the constructor of `Mine` above.
template <class Method>
std::shared_ptr<const OwnMethod> own_method(const MethodInfo& info) {
  return std::make_shared<OwnMethod>(
      OwnMethod{info, [](DynamicalSystem& system, const IntegratorOptions& o) {
                  return std::make_unique<Method>(system, o);
                }});
}

/// Checks options without building an integrator; whether a system gives what the method needs is found by
/// make_integrator.
/// @throws Error for an unknown method (with a suggestion), an option that it does not use or out of range
void check_options(const IntegratorOptions& options, int nv);

/// Steps are those that led to where the integration is: one that is taken again to an event counts
/// once, and is not among the rejected. An evaluation of taylor is that of all coefficients.
struct StepStatistics {
  long steps = 0, rejected = 0, evaluations = 0, iterations = 0;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  /// Of adaptive methods: steps that stability held down, not accuracy, judged by every 16th.
  long stiff = 0;
  /// Of `auto`: changes between its methods, the time of the first one [s], steps of the implicit one.
  long switches = 0;
  double first_switch = 0;
  long implicit_steps = 0;
  /// An implicit method would need far fewer steps.
  bool is_stiff() const { return stiff > 100 && 3 * stiff > steps; }
};

/// What leads from step to step besides the state. An integration that is resumed with it goes on bit
/// by bit as if it had not been stopped, with explicit methods of one step. Not so with others: abm has a
/// history, and begins anew; gauss, rattle, verlet and variational start their iterations from the past, the
/// last two also carry momenta; generalized_alpha and blied2 find their `memory`, but make Newton's matrix
/// again: these differ by rounding, as do kept invariants and momentum form. radau5 and auto find their `memory`
/// and go on bit by bit.
struct Checkpoint {
  double origin = 0;      // [s]: fixed steps end at origin + k step
  double next_step = 0;   // [s], of adaptive methods; 0: not known
  double last_error = 0;  // of the last step in units of the tolerance: what step control remembers
  std::vector<double>
      memory{};  // what the method itself carries, such as accelerations; empty: nothing
};

/// A step that cannot be taken: the step size collapsed, the motion diverged, or an implicit stage does
/// not converge. The state is that of the last good step.
class StepError : public StateError {
  using StateError::StateError;
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Begins at a state; forgets everything before.
  /// @throws SizeError
  virtual void reset(const State& start) = 0;
  /// `reset`, and goes on with the steps of an integration that was stopped there.
  /// Unless overridden the steps are those of a new integration.
  virtual void resume(const State& at, const Checkpoint&) { reset(at); }
  virtual Checkpoint checkpoint() const { return {}; }
  const State& state() const { return now_; }
  const State& before() const { return before_; }  // the last step led from here to state()
  /// One step, not beyond `until`. Fixed steps end at start + k step, k = 1, 2, ..., whatever came
  /// between: after a step that was cut short by `until` or an event, the next leads back to there.
  /// @throws StepError; and what forces, constraints and systems of users throw, unchanged, unless it is a
  ///         StateError. state() is then where the step began, and the integration can go on
  /// @throws Error before `reset`, or where doubles cannot tell the ends of a step apart
  virtual void step(double until) = 0;
  /// The last step again, but to `until`, a time within it. For events.
  virtual void retry(double until) = 0;
  /// Another state at the same time, after an impact or a projection: the integration goes on from
  /// there, its statistics and step size are kept.
  /// @throws SizeError
  virtual void replace(ConstVectorRef q, ConstVectorRef v) = 0;
  /// The state at a time within the last step, on the group: its error is that of the steps and O(h^p),
  /// p the order of the method, or its dense_order. Evaluates the rates a few times at most, once a step,
  /// and only if it is asked.
  virtual void interpolate(double t, State& out) const = 0;
  const StepStatistics& statistics() const { return statistics_; }
  /// Constraint forces lambda at state(): those that the method has found, or of accelerations there, at
  /// one evaluation. Empty: the system has no rows.
  virtual const Vector& multipliers() const;
  /// The mechanism of the system, at state(): its kinematics, forces and constraints are computed once for
  /// all who look at them there, and for the start of the next step. Null: the system is not a mechanism, or not in these
  /// coordinates. Other functions of the integrator may move it elsewhere.
  virtual MechanismState* mechanism_at_state() const { return nullptr; }

 protected:
  friend std::unique_ptr<Integrator> make_integrator(std::shared_ptr<DynamicalSystem>,
                                                     const IntegratorOptions&);
  std::shared_ptr<DynamicalSystem> kept_;  // a system that was moved in or shared
  State now_, before_;
  mutable StepStatistics statistics_;  // interpolation may need an evaluation
};

/// The system must outlive the integrator; one that is moved in, or shared, lives as long.
/// @throws Error for an unknown method (with a suggestion), an option that it does not use, a step or
///         tolerance out of range, or a system that does not give what the method needs
std::unique_ptr<Integrator> make_integrator(DynamicalSystem& system,
                                            const IntegratorOptions& options);
std::unique_ptr<Integrator> make_integrator(std::shared_ptr<DynamicalSystem> system,
                                            const IntegratorOptions& options);
template <std::derived_from<DynamicalSystem> Moved>
std::unique_ptr<Integrator> make_integrator(
    Moved&& system, const IntegratorOptions& options) requires(!std::is_lvalue_reference_v<Moved>) {
  return make_integrator(std::make_shared<Moved>(std::forward<Moved>(system)), options);
}

}  // namespace CHASLES_API
