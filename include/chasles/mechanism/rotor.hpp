/// Rotors of motors that drive joints through gears (Rotor in mechanism/joint.hpp), which `compile` converts to bodies
/// and couplings.
///
///     joint 'elbow' with rotor {inertia, ratio}   ->   body, joint  'elbow_rotor', revolute about the same
///                                                      axis, on the parent of the joint
///                                                      coupling     'elbow_gear': q_rotor - ratio q = 0
///
/// The rotor is a thin massless disc: inertia I about its axis, I/2 across; its mass belongs to the body that carries
/// it. With the ratio n, the axis a and the angular velocity w of that body its kinetic energy is
///
///     T = I (a . w + n v)^2 / 2 + I |a x w|^2 / 4                                             (1)
///
/// so that n^2 I adds to the joint inertia, and the bodies before the joint bear the gyroscopic reaction.
///
///     Mechanism m = MechanismBuilder("drive")
///                       .body("arm", ground, joints::revolute({0, 1, 0}))
///                       .rotor({.inertia = 1e-4, .ratio = 80})
///                       .inertia(2, {0, 0, 0.5}, Sym3::diagonal(0.1, 0.1, 0.01))
///                       .build();
///     Model model = compile(m);                    // nv = 2; ConstrainedSystem and runs enforce the gear
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

/// The same mechanism with its rotors as bodies; unchanged without rotors.
/// @throws Error naming the joint: a rotor on a joint that does not have exactly one coordinate, a nonpositive inertia,
///         a ratio of zero
Mechanism with_rotors(const Mechanism& mechanism);

}  // namespace CHASLES_API
