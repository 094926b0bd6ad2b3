/// Violations of joint limits during a run: positions, velocities and efforts beyond the limits of the description
/// (JointLimits), and violated mimic relations. Limits are not enforced; the summary of a run lists the violations.
/// Likewise for actuators that are asked for more than their ranges, which are enforced.
#pragma once

#include <string>
#include <string_view>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Violations of one limit of one joint, in the units of q, v or tau of the joint; or of one range of an actuator or tendon.
struct Violation {
  enum Kind { position, velocity, effort, mimic, force_range, control_range, length_range };
  std::string joint;  // or actuator: force_range, control_range; or tendon: length_range
  Kind kind;
  double bound = 0;       // the limit; 0 for a mimic relation
  long count = 0;         // number of crossings from inside to outside
  double first = 0;       // time of the first crossing [s]
  double worst = 0;       // extreme value; for a mimic relation q - (multiplier q_other + offset)
  double worst_time = 0;  // [s]
  std::string_view unit;
  double duration = 0;  // of all times beyond the limit, at the resolution of steps [s]

  std::string_view name() const;  // "position", ...
  /// "joint 'elbow': position 1.93 rad at t = 2.1 s, beyond 1.57 rad; 3 times, first at t = 0.52 s"
  /// "actuator 'elbow': force 93 at t = 2.1 s, limited to 40; 3 times, first at t = 0.52 s, for 0.3 s in all"
  std::string text() const;
};

}  // namespace CHASLES_API
