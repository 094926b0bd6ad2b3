/// Series elastic drives: a motor behind a gear moves a joint through a spring (Pratt, Williamson 1995; Spong 1987;
/// 000 section 6.3). With q the joint, theta the motor seen through the gear, both in the unit of the joint,
///
///     M(q) v' + h(q, v) = k (theta - q) + d (theta' - q')                                      (1)
///     n^2 I theta'' + b theta' = u - k (theta - q) - d (theta' - q')                           (2)
///
/// where u is the motor's effort times the ratio n. The kinetic energy of a rotor is that of its own rotation, as with an
/// armature. The spring is a tendon along theta - q, so that energy, tangents and summaries have it:
///
///     drive of joint 'elbow'  ->  body, joint  'elbow_motor', like the joint, on its parent: no mass, armature n^2 I,
///                                              damping b, and the effort and velocity limits of the joint
///                                 tendon       'elbow_spring': theta - q, stiffness k, damping d
///
/// Actuators of the mechanism act on the motors instead of the joints.
/// Its control: simulation/series_elastic_control.hpp.
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

struct SeriesElasticDrive {
  std::string joint;
  double stiffness = 0;      // k, of the spring, at the joint [N m/rad] or [N/m]
  double damping = 0;        // d, parallel to the spring [N m s/rad] or [N s/m]
  double motor_inertia = 0;  // I, of the rotor about its axis [kg m^2]
  double ratio = 1;          // n, of the gear [1] or [rad/m]
  double motor_damping = 0;  // b, of the motor, at the joint [N m s/rad] or [N s/m]

  std::string motor() const { return joint + "_motor"; }
  double reflected_inertia() const { return ratio * ratio * motor_inertia; }  // [kg m^2] or [kg]
};

/// @throws Error naming the drive: an unknown joint or one that does not have exactly one coordinate, mimics another or
///         has a rotor, two drives of one joint, a stiffness, inertia or ratio that is not positive, a negative damping,
///         or a body, joint or tendon that has the name of a new one
Mechanism with_series_elastic_drives(const Mechanism& mechanism,
                                     const std::vector<SeriesElasticDrive>& drives);

/// The same joints with rigid drives: the armature of each is larger by n^2 I. For control laws that do not know of
/// springs.
/// @throws as above
Mechanism with_rigid_drives(const Mechanism& mechanism,
                            const std::vector<SeriesElasticDrive>& drives);

}  // namespace CHASLES_API
