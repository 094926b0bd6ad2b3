/// Events of a run: an action when a function of the state crosses zero (Events).
///
///     scenario.events.push_back({{"bottom", [](const State& s) { return s.q[0]; }, IntegratorEvent::rising},
///                                RunEvent::stop});
///
/// The summary lists the events. Their times are as accurate as the integration method.
#pragma once

#include "chasles/export.hpp"
#include "chasles/integrators/events.hpp"

namespace chasles CHASLES_API {

/// A rigid stop (RigidStops) for a coordinate whose rate is an entry of v.
struct Impact {
  int v = -1;
  double level = 0, restitution = 0;
  bool upper = true;  // upper stop, hit from below
};

struct RunEvent {
  IntegratorEvent event;  // event.name also names the run event
  /// log; stop; set velocities (the change of kinetic energy is booked as work; in a closed mechanism the velocities
  /// are then projected onto the constraints); impact at a stop (made by impact_event).
  enum Action : unsigned char { log, stop, set_velocity, impact } action = log;
  /// Entries of v and their new values; in maximal coordinates those of Scenario::joints.
  std::vector<std::pair<int, double>> velocity{};
  /// In maximal coordinates: event.g takes the state of Scenario::joints.
  bool of_joints = false;
  Impact hit{};
};
/// A joint that reaches `level` from below (`rising`) or above (`falling`) rebounds, by an impulse in that joint.
/// @param coordinate  entry of the joint's q, an angle or a distance
/// @throws Error naming the event: restitution outside 0 to 1, no direction, a joint without such a coordinate
RunEvent impact_event(const Model& model, std::string name, std::string_view joint, double level,
                      IntegratorEvent::Direction direction, double restitution, int coordinate = 0);

struct EventRecord {
  std::string name;
  double t = 0;  // [s]
};

}  // namespace CHASLES_API
