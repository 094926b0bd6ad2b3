/// Event location: times at which a function g of the state crosses zero.
///
///     Events events({{"bottom", [](const State& s) { return s.q[0]; }, IntegratorEvent::rising}});
///     events.start(*integrator);
///     while (integrator->state().t < 10)
///       events.advance(*integrator, 10,
///                      [](const IntegratorEvent& e, const State&) { std::puts(e.name.c_str()); });
///
/// Each step is sampled inside, sign changes are located on the interpolant to 1e-14 of the step (ITP; Oliveira &
/// Takahashi 2020), and the step is repeated to the event, whose time is refined until the state itself, not the
/// interpolant, is on g = 0. So an event is as accurate as the method. A step may contain any number of events; they
/// are reported in order of time, and the integration continues from each. If g is zero at the end of a step, the
/// event happens there; if g is zero at the start of a step, also after an event, its next nonzero sign is taken as
/// the initial sign. So the state may be replaced at an event (a bouncing ball), in the report or after it, without
/// triggering the event again. Pairs of zeros between two samples are missed unless the rate of g is known and
/// changes sign between them: limit the step (max_step) if g oscillates fast. A g that touches zero without changing
/// sign is not an event.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/integrators/integrator.hpp"

namespace chasles CHASLES_API {

struct IntegratorEvent {
  enum Direction : int { falling = -1, both = 0, rising = 1 };
  std::string name;
  std::function<double(const State&)> g;
  Direction direction = both;
  bool terminal = false;
  /// g' along the motion, if known.
  std::function<double(const State&)> rate{};
  /// A bound of |g'|, if known: a step is not searched if |g| exceeds twice the change that the bound allows.
  std::function<double(const State&)> fastest{};
};

/// @throws Error for a value outside the enumeration, made by a cast
inline void require_known(IntegratorEvent::Direction direction) {
  if (direction < IntegratorEvent::falling || direction > IntegratorEvent::rising)
    throw Error("there is no direction of an event number " +
                std::to_string(static_cast<int>(direction)));
}

class Events {
 public:
  /// @param samples  within each step, 0 to 10000
  /// @throws Error for another number of samples; naming an event without g
  explicit Events(std::vector<IntegratorEvent> events, int samples = 4);

  const std::vector<IntegratorEvent>& list() const { return events_; }
  /// Starts at the integrator's state.
  void start(const Integrator& integrator);
  using Report = std::function<void(const IntegratorEvent&, const State&)>;
  /// Takes one step towards `until`, or to the first event in it, which is reported.
  /// @returns whether the event was terminal; the integrator is then at the event
  /// @throws the exceptions of the step; Error naming the event if g is not finite
  bool advance(Integrator& integrator, double until, const Report& report);

 private:
  struct Zero {
    double t = std::numeric_limits<double>::infinity(), slope = 0;
    bool at_end = false;  // at the end of the step, which need not be repeated
  };
  double value(std::size_t i, const State& state) const;
  Zero first_zero(std::size_t i, const Integrator& integrator);
  double next_sign(std::size_t i, const Integrator& integrator, double& begin);
  double turns(std::size_t i, std::size_t j, double s, const Integrator& integrator);
  void refine(std::size_t i, Integrator& integrator);
  void go_on_from(const State& state);
  double fastest(std::size_t i, const State& state) const;
  bool is_far(std::size_t i, double h, const State& end) const;
  double locate(std::size_t i, double a, double b, const Integrator& integrator);
  void improve(std::size_t i, Integrator& integrator, double t, double slope);
  bool wanted(std::size_t i, double to) const;

  std::vector<IntegratorEvent> events_;
  std::vector<double> sign_;     // of each g: +1, -1, or 0 while g has been zero
  std::vector<double> left_;     // each g at the state of the last call
  std::vector<double> fastest_;  // bound of |g'| there
  std::vector<Zero> located_;    // for each g, its first zero in this step
  std::vector<char> far_, happened_;
  std::vector<double> g_;  // at the samples of the step
  std::vector<State> at_;  // samples
  State scratch_;
};

}  // namespace CHASLES_API
