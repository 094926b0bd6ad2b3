/// A mechanism near a state, as a linear system.
///
/// The state moves on a group: q' = q hat(v). A neighbour q exp(e) with the velocity v + dv has, to
/// first order,
///
///     e'  = dv - ad_v e                                                                     (1)
///     dv' = -M^-1 (K e + D dv) + M^-1 u        K, D, M of motion/mechanical_system.hpp (3)    (2)
///
/// so with x = (e; dv), 2 nv numbers, and joint forces u that come on top of those that act,
///
///     x' = A x + B u,    A = [ -ad_v    1     ],    B = [ 0    ]                            (3)
///                            [ -M^-1 K -M^-1 D ]         [ M^-1 ]
///
/// ad_v vanishes at rest, and where joints turn or slide. Held for a time h, u takes x to
///
///     x(h) = A_h x + B_h u,    [A_h B_h; 0 1] = exp(h [A B; 0 0])                           (4)
///
///     ModelSystem system(model);
///     LinearSystem s = linearize(system, 0, q, v);
///     LinearSystem each_millisecond = hold(s, 1e-3);
#pragma once

#include "chasles/motion/mechanical_system.hpp"

namespace chasles {

struct LinearSystem {
  Matrix A;  // 2 nv x 2 nv
  Matrix B;  // 2 nv x nv
};

/// (3) at (t, q, v), of a system without constraints. The state need not be at rest, nor an
/// equilibrium: then x is how a neighbour moves away from the motion through it.
/// @throws SizeError; SingularError naming the joint; Error if the system has constraints, or a
///         state or force is not finite
LinearSystem linearize(MechanicalSystem& system, double t, ConstVectorRef q, ConstVectorRef v);

/// (4): the exact step of a linear system under a force that is held.
/// @param h  [s], finite and not negative
LinearSystem hold(const LinearSystem& system, double h);

}  // namespace chasles
