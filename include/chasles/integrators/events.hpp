/// Events: moments at which a function g of the state passes through zero.
///
///     Events events({{"bottom", [](const State& s) { return s.q[0]; }, IntegratorEvent::rising}});
///     events.start(*integrator);
///     while (integrator->state().t < 10)
///       events.advance(*integrator, 10, [](const Event& e, const State&) { std::puts(e.name.c_str()); });
///
/// Each step is sampled inside, changes of sign are located on the interpolant to 1e-14 of the
/// step (ITP; Oliveira & Takahashi 2020), and the step is taken again to the event, its time
/// improved until the state itself, not the interpolant, is on g = 0. So an event is as accurate
/// as the method. Any number may happen within a step; they are reported in order of time, and the
/// integration goes on from each. A g that is zero at the end of a step has happened there; one that
/// is zero at its start, also after an event, begins with the sign it takes next. So a state may be
/// replaced at an event (a ball that bounces), by the report or after it: g is not taken to have passed
/// zero by that. Zeros that come in pairs between two samples are missed, but where the rate of g is known and
/// shows that it turns between them: limit the step (max_step) if g oscillates fast. A g that touches
/// zero and turns back has not passed it.
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
  /// g' along the motion, if it is known.
  std::function<double(const State&)> rate{};
  /// A bound of |g'|, if it is known: steps in which g is twice as far from zero as it could get are not
  /// searched.
  std::function<double(const State&)> fastest{};
};

/// @throws Error for a number that is none of the three, made by a cast
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
  /// Begins at the integrator's state.
  void start(const Integrator& integrator);
  using Report = std::function<void(const IntegratorEvent&, const State&)>;
  /// One step towards `until`, or to the first event in it, which is reported.
  /// @returns whether the event was terminal; the integrator is at it then
  /// @throws what the step throws; Error naming the event if g is not finite
  bool advance(Integrator& integrator, double until, const Report& report);

 private:
  struct Zero {
    double t = std::numeric_limits<double>::infinity(), slope = 0;
    bool at_end = false;  // of the step, which need not be taken again
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
  std::vector<double> sign_;     // of each g: +1, -1, or 0 as long as it was zero
  std::vector<double> left_;     // each g where the last call left the integrator
  std::vector<double> fastest_;  // |g'| at most, there
  std::vector<Zero> located_;    // of each g, the first in this step
  std::vector<char> far_, happened_;
  std::vector<double> g_;  // at the samples of the step
  std::vector<State> at_;  // samples
  State scratch_;
};

}  // namespace CHASLES_API
