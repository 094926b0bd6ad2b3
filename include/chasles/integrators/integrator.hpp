/// The interface of all integrators: a method, its tableau and its workspace, advancing a state.
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
#include "chasles/systems/model_system.hpp"

namespace chasles CHASLES_API {

/// A callback that may modify each state that a step reaches, before its derivatives are evaluated: the method
/// continues from the modified state, and so do its history, interpolants and repeated steps. For projections and
/// controllers that act per step. Small changes only: after a jump use Integrator::replace.
class StepHook {
 public:
  virtual ~StepHook() = default;
  virtual void start(const State&) {}  // at the start of the integration, or after a replacement
  virtual void reached(State& state) = 0;
};

/// How constrained systems stay on Phi = 0 and B v = 0 if the method does not enforce them itself: projection onto
/// the constraints after each step; none (drift accumulates); Baumgarte stabilization (modifies the equations).
enum class Stabilization : unsigned char { projection, none, baumgarte };

/// How steps of a symmetric method of order 2 are composed to a step of order 4, 6 or 8 (variational, rattle): yoshida
/// with 3, 7 and 15 steps; suzuki with 5, 25 and 125; kahan_li, of order 6 and 8, with 9 and 17.
enum class Composition : unsigned char { yoshida, suzuki, kahan_li };

struct OwnMethod;

/// Integrator settings. Unset options take the method's default; a method rejects options that it does not use and
/// names those that it does (options_of).
struct IntegratorOptions {
  std::string method = "auto";         // dop853, switching to radau5 where the system is stiff
  std::optional<double> step{};        // [s], fixed-step methods need it
  std::optional<double> tolerance{};   // of (1): 1e-10; radau5 within auto 1e-6
  std::optional<double> first_step{};  // [s], adaptive methods; default: estimated
  std::optional<double> max_step{};    // [s], adaptive methods; default: unlimited
  std::optional<int> order{};  // default: abm 10, taylor 16, gauss 8, variational and rattle 2
  std::optional<Composition> composition{};  // default: suzuki for order 4, kahan_li for 6 and 8
  std::optional<Chart> chart{};              // Munthe-Kaas methods; default: exponential
  /// generalized_alpha: spectral radius at infinite frequency (0: full numerical damping, 1: none); default 0.8
  std::optional<double> rho{};
  /// generalized_alpha: DAE index; 2 enforces Phi = 0 and B v = 0, 3 enforces Phi = 0 only; default 2
  std::optional<int> index{};
  Stabilization stabilization = Stabilization::projection;  // ignored without constraint equations
  /// Required by Stabilization::baumgarte, unused otherwise.
  std::optional<MechanicalSystem::Baumgarte> baumgarte{};
  /// Adaptive methods keep the error of a step, e_x in q and e_v in v, below
  ///
  ///     |e_x| <= tolerance scale,     |e_v| <= tolerance (scale / (1 s) + |v|)               (1)
  ///
  /// (root mean square over the coordinates). The scale of a coordinate is the angle or length that counts as 1: nv
  /// entries; empty: 1 rad, 1 m.
  Vector scales{};
  /// Floating base: momentum_form integrates the momentum instead of the velocity of the base, which conserves it to
  /// rounding in the absence of external forces; keep_invariants projects every step onto the energy and momenta of
  /// the start, for motions without any forces.
  bool momentum_form = false, keep_invariants = false;
  std::shared_ptr<StepHook> hook{};  // null: none; not together with keep_invariants
  /// A user-defined method; null: the built-in one named by `method`.
  std::shared_ptr<const OwnMethod> own{};
};

/// What a method requires of a system; each level includes those before it.
enum class Needs : unsigned char {
  rates,        // DynamicalSystem::rates and the Lie group: any DynamicalSystem
  coordinates,  // time derivatives of the coordinates q: Group::coordinate_rate
  masses,  // mass matrix, forces and constraints: DynamicalSystem::mechanical, a MechanicalSystem
  mechanism,  // links: DynamicalSystem::mechanism, a ModelSystem
  expansion   // forces with a Taylor expansion in time: ModelSystem::expand_forces
};

/// A row of the list of methods.
struct MethodInfo {
  std::string_view name;
  int order = 0;
  bool adaptive = false, symmetric = false;
  std::string_view description{};
  Needs needs = Needs::rates;
  bool takes_chart = false, takes_order = false;
  bool takes_composition = false;  // orders are 2, 4, 6 and 8
  bool fixed_or_adaptive = false;  // takes `step` instead of a tolerance
  bool takes_rho = false;          // takes `rho` and `index`
  /// Solves the index-2 or index-3 DAE directly; no stabilization is added.
  bool constrained = false;
  /// Order of the states within steps (Integrator::interpolate); 0: that of the method.
  int dense_order = 0;
  /// A method that needed less work for the same error (with order 4, if it takes compositions) in all motions of
  /// tests/integrators/dominated_test.cpp; empty: none.
  std::string_view dominated_by{};
  bool newton = false;  // solves its steps by Newton's method, even with joints that a run holds
};
/// @paper 001 Table I, Table II, Table III, section V
std::span<const MethodInfo> methods();
/// The names of the options of a method: "step"; or "tolerance", "scales", "first_step", "max_step"; or all of them
/// if it can do both; then "chart", "order", "composition", "rho" and "index" if it takes them.
std::vector<std::string_view> options_of(const MethodInfo& info);
/// Explains why an option is rejected, and names the options of the method.
std::string unused_option(const MethodInfo& info, std::string_view option);
/// @throws Error with the nearest known name
const MethodInfo& method_info(std::string_view name);
/// The method that the options select: `own`, or the one named `method`.
const MethodInfo& method_info(const IntegratorOptions& options);

class Integrator;

/// A user-defined method: its factory and its properties. `info` decides which options are valid: `step` is required
/// unless the method is adaptive. With constraint equations options.hook projects states; a step must end with
/// options.hook->reached(now_), if there is a hook. With a class Mine that is constructed from (DynamicalSystem&, const
/// IntegratorOptions&), as in tests/simulation/own_integrator_test.cpp:
///
///     IntegratorOptions options{.step = 1e-3};
///     options.own = own_method<Mine>({.name = "mine", .order = 1});
///     auto integrator = make_integrator(system, options);        // or a Scenario with these options
struct OwnMethod {
  MethodInfo info;
  std::function<std::unique_ptr<Integrator>(DynamicalSystem&, const IntegratorOptions&)> make;
};
/// For a class with the constructor of `Mine` above.
template <class Method>
std::shared_ptr<const OwnMethod> own_method(const MethodInfo& info) {
  return std::make_shared<OwnMethod>(
      OwnMethod{info, [](DynamicalSystem& system, const IntegratorOptions& o) {
                  return std::make_unique<Method>(system, o);
                }});
}

/// Checks options without building an integrator; make_integrator also checks that the system provides what the
/// method requires.
/// @throws Error for an unknown method (with a suggestion), an unused option, or a value out of range
void check_options(const IntegratorOptions& options, int nv);

/// Accepted steps; a step repeated to locate an event counts once, and not as rejected. An evaluation of taylor
/// computes all coefficients.
struct StepStatistics {
  long steps = 0, rejected = 0, evaluations = 0, iterations = 0;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  /// Adaptive methods: steps limited by stability rather than accuracy, estimated from every 16th step.
  long stiff = 0;
  /// Method `auto`: switches between its methods, the time of the first one [s], steps of the implicit one.
  long switches = 0;
  double first_switch = 0;
  long implicit_steps = 0;
  /// Whether an implicit method would need far fewer steps.
  bool is_stiff() const { return stiff > 100 && 3 * stiff > steps; }
};

/// The data besides the state that carries over from step to step. Resuming with it reproduces an uninterrupted
/// integration bit for bit for explicit one-step methods, and for radau5 and auto, which use `memory`. Other methods
/// differ: abm restarts its history; gauss, rattle, verlet and variational start their iterations from past steps,
/// the last two also carry momenta; generalized_alpha and blied2 restore their `memory` but rebuild the Newton
/// matrix, and so differ by rounding, as do keep_invariants and momentum_form.
struct Checkpoint {
  double origin = 0;             // [s]: fixed steps end at origin + k step
  double next_step = 0;          // [s], of adaptive methods; 0: not known
  double last_error = 0;         // of the last step in units of the tolerance, for step control
  std::vector<double> memory{};  // internal data of the method, such as accelerations; empty: none
};

/// A step that failed: the step size collapsed, the motion diverged, or an implicit stage did not converge. The state
/// is that of the last valid step.
class StepError : public StateError {
  using StateError::StateError;
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Starts at a state; discards all history.
  /// @throws SizeError
  virtual void reset(const State& start) = 0;
  /// `reset`, continuing the steps of an integration that was stopped there.
  /// The default implementation starts a new integration.
  virtual void resume(const State& at, const Checkpoint&) { reset(at); }
  virtual Checkpoint checkpoint() const { return {}; }
  const State& state() const { return now_; }
  const State& before() const { return before_; }  // the last step led from here to state()
  /// One step, not beyond `until`. Fixed steps end on the grid start + k step, k = 1, 2, ...: after a step that was cut
  /// short by `until` or an event, the next step returns to the grid.
  /// @throws StepError; exceptions of user-defined forces, constraints and systems pass unchanged, unless they are a
  ///         StateError. state() is then the start of the step, and the integration can continue
  /// @throws Error before `reset`, or if the step is too short for double precision
  virtual void step(double until) = 0;
  /// Repeats the last step, but to `until`, a time within it. For events.
  virtual void retry(double until) = 0;
  /// Replaces the state at the same time, after an impact or a projection: the integration continues from there with
  /// its statistics and step size.
  /// @throws SizeError
  virtual void replace(ConstVectorRef q, ConstVectorRef v) = 0;
  /// The state at a time within the last step, on the Lie group: its error is that of the steps plus O(h^p), p the
  /// order of the method, or its dense_order. Costs at most a few evaluations, once per step and only on demand.
  virtual void interpolate(double t, State& out) const = 0;
  const StepStatistics& statistics() const { return statistics_; }
  /// Constraint forces lambda at state(): those computed by the method, or else from one evaluation of the
  /// accelerations. Empty: no constraint equations.
  virtual const Vector& multipliers() const;
  /// The mechanism of the system, at state(): its kinematics, forces and constraints are computed once and shared by
  /// all users at this state and by the next step. Null: the system is not a mechanism, or uses other coordinates.
  /// Other functions of the integrator may move it to another state.
  virtual MechanismState* mechanism_at_state() const { return nullptr; }

 protected:
  friend std::unique_ptr<Integrator> make_integrator(std::shared_ptr<DynamicalSystem>,
                                                     const IntegratorOptions&);
  std::shared_ptr<DynamicalSystem> kept_;  // keeps alive a system that was moved in or shared
  State now_, before_;
  mutable StepStatistics statistics_;  // interpolation may need an evaluation
};

/// The system must outlive the integrator, unless it is moved in or shared.
/// @throws Error for an unknown method (with a suggestion), an unused option, a step or tolerance out of range, or a
///         system that does not provide what the method requires
/// @paper 001 (28), (29), (32), (37), (39)-(42), (46), (47)
/// @paper 004 (35), (36)
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
