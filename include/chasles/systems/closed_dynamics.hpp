/// Inverse dynamics and derivatives of forward dynamics for mechanisms with constraints (ConstrainedSystem).
///
///     M a + h + B^T lambda = S^T tau + sum_k J_k^T W_k,       B a + Bd v = 0                  (1)
///
/// S selects the actuated entries of v.
#pragma once

#include "chasles/derivatives/second_order.hpp"
#include "chasles/export.hpp"
#include "chasles/systems/closed_kinematics.hpp"

namespace chasles CHASLES_API {

/// Inverse dynamics: actuator efforts tau for a motion that satisfies the constraints. With N of
/// closed_kinematics.hpp, (1) becomes
///
///     (S N)^T tau = N^T (M a + h - sum_k J_k^T W_k)                                           (2)
///
/// With as many actuators as degrees of freedom tau is unique; with more, the solution minimizes the sum of
/// weight_k tau_k^2.
struct ClosedInverseDynamics {
  Vector tau;     // one per actuator [N m, N]
  Vector lambda;  // all constraint equations; of least norm if redundant
};
/// @param closed     at (q, v)
/// @param a          nv: consistent, such as N ud + Nd u
/// @param actuators  entries of v
/// @param weights    one per actuator, positive; empty: 1
/// @throws Error if the actuators cannot produce the motion, with the missing force
ClosedInverseDynamics closed_inverse_dynamics(ConstrainedSystem& system,
                                              const ClosedKinematics& closed, ConstVectorRef q,
                                              ConstVectorRef v, ConstVectorRef a,
                                              const std::vector<int>& actuators,
                                              const Vector& weights = {},
                                              AppliedWrenches applied = {});

/// Derivatives of constrained forward dynamics at (q, v, tau): by differentiating (1),
///
///     [M  B^T] [da     ]     [dr]        r = M a + h + B^T lambda - S^T tau - sum_k J_k^T W_k
///     [B   0 ] [dlambda] = - [ds]        s = B a + Bd v                                       (3)
///
/// The derivatives of r come from those of inverse dynamics and of B^T lambda; ds/dv is exact (Bd v is a quadratic
/// form), ds/dq by differences of order 8, accurate to about 1e-11. As everywhere dq means plus(q, dq). With redundant
/// equations the multipliers change along the independent combinations at q
/// (MechanicalSystem::independent_equations): the forces B^T dlambda are right, the rest is not determined.
struct ClosedForwardDerivatives {
  Vector a, lambda;                          // nv; all constraint equations
  Matrix dq, dv, dtau;                       // nv x nv
  Matrix lambda_dq, lambda_dv, lambda_dtau;  // equations x nv
};
ClosedForwardDerivatives closed_forward_derivatives(ConstrainedSystem& system, ConstVectorRef q,
                                                    ConstVectorRef v, ConstVectorRef tau,
                                                    AppliedWrenches applied = {});

/// Second derivatives of constrained forward dynamics along one direction x: the derivatives of all members above, of
/// the matrices dq, dv, dtau among them, at q exp(s x_q), v + s x_v, tau + s x_u. Write (3) as A Z = -R, Z the columns
/// (da; dlambda); then, with dots for derivatives along the direction,
///
///     A Zd = -(Rd + Ad Z),      Ad = [Md Bd^T; Bd 0]                                          (4)
///
/// Md and the part of Rd that is of the tree are exact (derivatives/second_order.hpp, along the changing acceleration),
/// those of B, S and s are differences of order 8, accurate to about 1e-10. With redundant equations second derivatives of
/// multipliers depend on the choice of independent combinations; those of accelerations do not.
/// @throws as above
ClosedForwardDerivatives closed_forward_derivatives_along(ConstrainedSystem& system,
                                                          ConstVectorRef q, ConstVectorRef v,
                                                          ConstVectorRef tau,
                                                          const Direction& direction);

}  // namespace CHASLES_API
