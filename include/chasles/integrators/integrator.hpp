/// The common face of all integrators: a method, its tableau and its workspace, advancing a state.
///
///     auto integrator = make_integrator(system, {.method = "dop853", .tolerance = 1e-10});
///     integrator->reset({0, q, v});
///     while (integrator->state().t < 10) integrator->step(10);
///
/// After `reset` no step allocates.
#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "chasles/motion/model_system.hpp"

namespace chasles {

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

struct IntegratorOptions {
  std::string method = "dop853";
  double step = 0;           // [s], fixed-step methods; of adaptive ones the first, 0: estimated
  double tolerance = 1e-10;  // adaptive methods: absolute in rotations and positions, relative in v
  int order = 0;             // methods of several orders (abm); 0: their default
  LocalCoordinates coordinates = LocalCoordinates::exponential;
  /// A floating base: carry the momentum instead of the velocity of the base, so that, where nothing
  /// acts from outside, it is kept to rounding; and, where nothing acts at all, bring every step back
  /// to the energy and the momenta of the start.
  bool momentum_form = false, keep_invariants = false;
  std::shared_ptr<StepHook> hook{};  // null: none; not together with keep_invariants
  double max_step = std::numeric_limits<double>::infinity();
};

/// What a method asks of a system.
enum class Needs : unsigned char {
  rates,        // System::rates and the group: any System
  coordinates,  // and the rates of the coordinates: Group::coordinate_rate
  mechanism     // and masses, links and forces: System::mechanism, a ModelSystem
};

/// A row of the list of methods.
struct MethodInfo {
  std::string_view name;
  int order;
  bool adaptive, symmetric;
  std::string_view description;
  Needs needs = Needs::rates;
};
std::span<const MethodInfo> methods();
/// @throws Error with the nearest known name
const MethodInfo& method_info(std::string_view name);

struct StepStatistics {
  long steps = 0, rejected = 0, evaluations = 0, iterations = 0;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
};

/// A step that cannot be taken: the step size collapsed, or an implicit stage does not converge. The
/// state is that of the last good step.
class StepError : public Error {
  using Error::Error;
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Begins at a state; forgets everything before.
  /// @throws SizeError
  virtual void reset(const State& start) = 0;
  const State& state() const { return now_; }
  const State& before() const { return before_; }  // the last step led from here to state()
  /// One step, not beyond `until`: a fixed-step method takes its step, or what is left.
  /// @throws StepError, and what the system throws
  virtual void step(double until) = 0;
  /// The last step again, but to `until`, a time within it. For events.
  virtual void retry(double until) = 0;
  /// Another state at the same time, after an impact or a projection: the integration goes on from
  /// there, its statistics and step size are kept.
  /// @throws SizeError
  virtual void replace(ConstVectorRef q, ConstVectorRef v) = 0;
  /// The state at a time within the last step, by the method's own interpolant, or cubic Hermite in
  /// the algebra.
  virtual void interpolate(double t, State& out) const = 0;
  const StepStatistics& statistics() const { return statistics_; }

 protected:
  friend std::unique_ptr<Integrator> make_integrator(std::shared_ptr<System>,
                                                     const IntegratorOptions&);
  std::shared_ptr<System> kept_;  // a system that was moved in or shared
  State now_, before_;
  mutable StepStatistics statistics_;  // interpolation may need an evaluation
};

/// The system must outlive the integrator; one that is moved in, or shared, lives as long.
/// @throws Error for an unknown method (with a suggestion), a step or tolerance out of range, or a
///         system that does not give what the method needs
std::unique_ptr<Integrator> make_integrator(System& system, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_integrator(std::shared_ptr<System> system,
                                            const IntegratorOptions& options);
template <std::derived_from<System> Moved>
std::unique_ptr<Integrator> make_integrator(
    Moved&& system, const IntegratorOptions& options) requires(!std::is_lvalue_reference_v<Moved>) {
  return make_integrator(std::make_shared<Moved>(std::move(system)), options);
}

}  // namespace chasles
