/// Rotors of motors that drive joints through gears (Rotor in mechanism/joint.hpp), as bodies and
/// couplings: what `compile` makes of them.
///
///     joint 'elbow' with rotor {inertia, ratio}   ->   body, joint  'elbow_rotor' on the parent of the joint,
///                                                      turning about the same axis
///                                                      coupling     'elbow_gear': q_rotor - ratio q = 0
///
/// The rotor is a thin disc without mass: inertia I about its axis, I/2 across; what it weighs belongs to the
/// body that carries it. With n the ratio, a the axis and w the angular velocity of that body its energy is
///
///     T = I (a . w + n v)^2 / 2 + I |a x w|^2 / 4                                             (1)
///
/// so that the joint feels n^2 I besides what it moves, and the bodies before it the reaction of the spin.
///
///     Mechanism m = MechanismBuilder("drive").body("arm", ground, joints::revolute({0, 1, 0}))
///                       .rotor({.inertia = 1e-4, .ratio = 80}).inertia(2, {0, 0, 0.5}, Sym3::diagonal(0.1, 0.1, 0.01)).build();
///     Model model = compile(m);                    // nv = 2; ConstrainedSystem and runs hold the gear
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

/// The same mechanism with its rotors as bodies; without rotors, itself.
/// @throws Error naming the joint: a rotor of a joint that has not one coordinate, an inertia that is not
///         positive, a ratio that is zero
Mechanism with_rotors(const Mechanism& mechanism);

}  // namespace CHASLES_API
