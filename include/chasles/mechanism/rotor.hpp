/// Rotors of motors that drive joints through gears (Rotor in mechanism/joint.hpp).
///
/// The rotor is a thin massless disc on the parent of the joint, about the same axis: inertia I about it, I/2 across; its
/// mass belongs to the body that carries it. With the ratio n, the axis a, the angular velocity w of the parent and w_c of
/// the body its kinetic energy is
///
///     T = I (a . w + n v)^2 / 2 + I |a x w|^2 / 4                                             (1)
///
/// so that n^2 I adds to the joint inertia, and the bodies before the joint bear the gyroscopic reaction. In a revolute or
/// helical joint a . w_c = a . w + v, and (1) is
///
///     T = n I (a . w_c)^2 / 2 + (1 - n) I (a . w)^2 / 2 + I |a x w|^2 / 4 + n (n - 1) I v^2 / 2   (2)
///
/// the energy of two bodies and an armature. So `compile` adds n I a a^T to the rotational inertia of the body,
/// I (1 + a a^T) / 2 - n I a a^T to that of the parent, and n (n - 1) I to the armature of the joint: M, momenta, forces
/// and all derivatives have the rotor, and no coordinate is added. Both bodies of a prismatic joint turn alike, so that
/// no inertia of theirs has the term n I (a . w) v of (1), nor the angular momentum n I v a: its rotor becomes a body and
/// a coupling:
///
///     joint 'slide' with rotor {inertia, ratio}   ->   body, joint  'slide_rotor', revolute about the same
///                                                      axis, on the parent of the joint
///                                                      coupling     'slide_gear': q_rotor - ratio q = 0
///
///     Mechanism m = MechanismBuilder("drive")
///                       .body("arm", ground, joints::revolute({0, 1, 0}))
///                       .rotor({.inertia = 1e-4, .ratio = 80})
///                       .inertia(2, {0, 0, 0.5}, Sym3::diagonal(0.1, 0.1, 0.01))
///                       .build();
///     Model model = compile(m);                    // nv = 1
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

/// The same mechanism with all its rotors as bodies and couplings, those of revolute joints too; unchanged without
/// rotors.
/// @throws Error naming the joint: a rotor on a joint that does not have exactly one coordinate, a nonpositive inertia,
///         a ratio of zero
Mechanism with_rotors(const Mechanism& mechanism);

}  // namespace CHASLES_API
