/// What a run does when something happens: a function of the state passes through zero (Events).
///
///     scenario.events.push_back({{"bottom", [](const State& s) { return s.q[0]; }, Event::rising},
///                                RunEvent::stop});
///
/// What happened is in the summary. Events are as accurate as the method.
#pragma once

#include "chasles/integrators/events.hpp"

namespace chasles {

struct RunEvent {
  Event event;  // its name is its own
  /// It is only told; it ends the run; some velocities change, and what that does to the kinetic energy
  /// counts as work. Velocities of a closed mechanism are then made to fit, as near as can be.
  enum Action : unsigned char { log, stop, set_velocity } action = log;
  std::vector<std::pair<int, double>> velocity{};  // entries of v, and what they become
};

struct Happened {
  std::string name;
  double t = 0;  // [s]
};

}  // namespace chasles
