/// Linearization of a mechanism at a state.
///
/// The configuration moves on a Lie group: q' = q hat(v). A neighbor q exp(e) with velocity v + dv satisfies, to first
/// order,
///
///     e'  = dv - ad_v e                                                                     (1)
///     M da + (K + S) e + D dv + B^T dlambda = u,      S e = d(B^T lambda)                   (2)
///
/// with K, D, M of systems/mechanical_system.hpp (3). With z and w the independent entries of e and dv under the
/// constraints,
///
///     e = N z,    dv = N w + T z,    da = N w' + P z + Q w                                    (3)
///
/// from B e = 0, d(B v) = 0 and d(B a + Bd v) = 0: N is a basis of the null space of B, and T, P, Q are zero in the
/// independent entries and vanish in equilibria. Multiplying (2) by N^T eliminates the multipliers,
///
///     M_r w' + D_r w + K_r z = N^T u,    M_r = N^T M N,   D_r = N^T (D N + M Q),
///                                        K_r = N^T ((K + S) N + D T + M P)                   (4)
///
/// so with x = (z; w), and additional joint forces u,
///
///     x' = A x + G u,    A = [ (T - ad_v N)_I      1         ],    G = [ 0           ]        (5)
///                            [ -M_r^-1 K_r   -M_r^-1 D_r     ]         [ M_r^-1 N^T ]
///
/// Without constraints N = 1 and S, T, P, Q are zero: x = (e; dv), 2 nv entries. ad_v vanishes at rest, and for
/// revolute and prismatic joints. Zero-order hold of u for a time h gives
///
///     x(h) = A_h x + G_h u,    [A_h G_h; 0 1] = exp(h [A G; 0 0])                           (6)
///
///     ConstrainedSystem system(model);
///     LinearSystem s = linearize(system, 0, q, v);
///     LinearSystem each_millisecond = discretize(s, 1e-3);
#pragma once

#include "chasles/export.hpp"
#include "chasles/systems/mechanical_system.hpp"

namespace chasles CHASLES_API {

struct LinearSystem {
  Matrix A;  // x' = A x + B u; x as in (5)
  Matrix B;  // G of (5): rows of A x nv
  /// Entries of v selected by z and by w. They differ only for nonholonomic constraints (rolling).
  std::vector<int> positions{}, velocities{};
  /// All joints: (e; dv) = C x by (3), 2 nv x rows of A; the identity for a tree.
  Matrix C{};
};

/// Selects the independent entries of v.
struct CoordinateChoice {
  /// As many as degrees of freedom; empty: the first entries of v that determine the rest well; joints that mimic
  /// others only as a last resort.
  std::vector<int> independent{};
  /// Entries of v held fixed by stops or friction, as additional constraints.
  std::vector<int> held{};
};

/// (5) at (t, q, v), which must satisfy the constraints. The state need not be an equilibrium: x is then the deviation
/// from the motion through it.
/// @throws SizeError; SingularError naming the joint, or where constraint equations are dependent; Error if a state
///         or force is not finite
/// @paper 000 section 6.1
LinearSystem linearize(MechanicalSystem& system, double t, ConstVectorRef q, ConstVectorRef v,
                       const CoordinateChoice& choice = {});

/// The matrices of (4), and N: nv x degrees of freedom.
struct ReducedDynamics {
  Matrix M, D, K;
  Matrix N;
  std::vector<int> independent;  // entries of v
};
/// @throws as linearize; Error for nonholonomic constraints, for which z and w differ in size
ReducedDynamics reduced_dynamics(MechanicalSystem& system, double t, ConstVectorRef q,
                                 ConstVectorRef v, const CoordinateChoice& choice = {});

/// Zero-order-hold discretization (6): the exact step of a linear system under a constant force.
/// @param h  [s], finite and nonnegative
LinearSystem discretize(const LinearSystem& system, double h);

}  // namespace CHASLES_API
