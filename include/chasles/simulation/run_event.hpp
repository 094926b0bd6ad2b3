/// What a run does when something happens: a function of the state passes through zero (Events).
///
///     scenario.events.push_back({{"bottom", [](const State& s) { return s.q[0]; }, IntegratorEvent::rising},
///                                RunEvent::stop});
///
/// What happened is in the summary. Events are as accurate as the method.
#pragma once

#include "chasles/export.hpp"
#include "chasles/integrators/events.hpp"

namespace chasles CHASLES_API {

/// A rigid stop (RigidStops) for a coordinate whose rate is an entry of v.
struct Impact {
  int v = -1;
  double level = 0, restitution = 0;
  bool upper = true;  // it is met from below
};

struct RunEvent {
  IntegratorEvent event;  // its name is its own
  /// It is only told; it ends the run; some velocities change, and what that does to the kinetic energy
  /// counts as work. Velocities of a closed mechanism are then made to fit, as near as can be.
  /// Or it is an impact at a stop: impact_event makes one.
  enum Action : unsigned char { log, stop, set_velocity, impact } action = log;
  /// Entries of v, and what they become; in maximal coordinates those of Scenario::joints.
  std::vector<std::pair<int, double>> velocity{};
  /// In maximal coordinates: event.g is a function of the state of Scenario::joints.
  bool of_joints = false;
  Impact hit{};
};
/// A joint that meets the level going up (`rising`) or down (`falling`) bounces back, by an impulse in that joint.
/// @param coordinate  entry of the joint's q, an angle or a distance
/// @throws Error naming the event: restitution outside 0 to 1, no direction, a joint that has no such
///         coordinate
RunEvent impact_event(const Model& model, std::string name, std::string_view joint, double level,
                      IntegratorEvent::Direction direction, double restitution, int coordinate = 0);

struct EventRecord {
  std::string name;
  double t = 0;  // [s]
};

}  // namespace CHASLES_API
