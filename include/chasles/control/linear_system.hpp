/// A mechanism near a state, as a linear system.
///
/// The state moves on a group: q' = q hat(v). A neighbor q exp(e) with the velocity v + dv has, to first
/// order,
///
///     e'  = dv - ad_v e                                                                     (1)
///     M da + (K + S) e + D dv + B^T dlambda = u,      S e = d(B^T lambda)                   (2)
///
/// with K, D, M of motion/mechanical_system.hpp (3). Constraints leave as many of e, dv and da free as
/// there are degrees of freedom. With z and w the independent entries of e and dv,
///
///     e = N z,    dv = N w + T z,    da = N w' + P z + Q w                                    (3)
///
/// from B e = 0, d(B v) = 0 and d(B a + Bd v) = 0: N is that of B v = 0, and T, P, Q have zeros in the
/// independent entries; all three vanish in equilibria. N^T times (2) is free of the multipliers,
///
///     M_r w' + D_r w + K_r z = N^T u,    M_r = N^T M N,   D_r = N^T (D N + M Q),
///                                        K_r = N^T ((K + S) N + D T + M P)                   (4)
///
/// so with x = (z; w), and joint forces u that come on top of those that act,
///
///     x' = A x + G u,    A = [ (T - ad_v N)_I      1         ],    G = [ 0           ]        (5)
///                            [ -M_r^-1 K_r   -M_r^-1 D_r     ]         [ M_r^-1 N^T ]
///
/// Without constraints N = 1 and S, T, P, Q are zero: x = (e; dv), 2 nv numbers. ad_v vanishes at rest,
/// and where joints turn or slide. Held for a time h, u takes x to
///
///     x(h) = A_h x + G_h u,    [A_h G_h; 0 1] = exp(h [A G; 0 0])                           (6)
///
///     ConstrainedSystem system(model);
///     LinearSystem s = linearize(system, 0, q, v);
///     LinearSystem each_millisecond = discretize(s, 1e-3);
#pragma once

#include "chasles/export.hpp"
#include "chasles/motion/mechanical_system.hpp"

namespace chasles CHASLES_API {

struct LinearSystem {
  Matrix A;  // x' = A x + B u; x as (5) says
  Matrix B;  // its G: rows of A x nv
  /// Entries of v: those of e that are z, and those of dv that are w. They differ only where constraints
  /// bind velocities and not positions (rolling).
  std::vector<int> positions{}, velocities{};
  /// All joints: (e; dv) = C x by (3), 2 nv x rows of A; one of a tree.
  Matrix C{};
};

/// Which entries of v are independent.
struct CoordinateChoice {
  /// As many as degrees of freedom; empty: in the order of v those that move the rest well, and joints
  /// that mimic others only if nothing else is left.
  std::vector<int> independent{};
  /// Entries of v that are held where they are, by stops or friction: more constraints.
  std::vector<int> held{};
};

/// (5) at (t, q, v), which satisfies the constraints. The state need not be at rest, nor an equilibrium:
/// then x is how a neighbor moves away from the motion through it.
/// @throws SizeError; SingularError naming the joint, or where constraint equations depend on each other; Error if
///         a state or force is not finite
LinearSystem linearize(MechanicalSystem& system, double t, ConstVectorRef q, ConstVectorRef v,
                       const CoordinateChoice& choice = {});

/// The matrices of (4), and N: nv x degrees of freedom.
struct ReducedDynamics {
  Matrix M, D, K;
  Matrix N;
  std::vector<int> independent;  // entries of v
};
/// @throws as linearize; Error if constraints bind velocities and not positions: then z and w differ in size
ReducedDynamics reduced_dynamics(MechanicalSystem& system, double t, ConstVectorRef q,
                                 ConstVectorRef v, const CoordinateChoice& choice = {});

/// (6): the exact step of a linear system under a force that is held.
/// @param h  [s], finite and not negative
LinearSystem discretize(const LinearSystem& system, double h);

}  // namespace CHASLES_API
