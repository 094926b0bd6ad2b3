/// Dynamics of mechanisms with constraints beyond forward dynamics (ConstrainedSystem): what actuators
/// must do, and derivatives.
///
///     M a + h + B^T lambda = S^T tau + sum_k J_k^T W_k,       B a + Bd v = 0                  (1)
///
/// S picks the entries of v that have actuators.
#pragma once

#include "chasles/export.hpp"
#include "chasles/motion/closed_kinematics.hpp"

namespace chasles CHASLES_API {

/// Inverse dynamics: tau of the actuators for a motion that the constraints permit. With N of
/// closed_kinematics.hpp, (1) is
///
///     (S N)^T tau = N^T (M a + h - sum_k J_k^T W_k)                                           (2)
///
/// With as many actuators as degrees of freedom tau is determined; with more, the one with the least
/// sum of weight_k tau_k^2 is taken.
struct ClosedInverseDynamics {
  Vector tau;     // one for each actuator [N m, N]
  Vector lambda;  // all constraint equations; of redundant ones the least norm
};
/// @param closed     at (q, v)
/// @param a          nv: consistent, such as N ud + Nd u
/// @param actuators  entries of v
/// @param weights    one for each actuator, positive; empty: 1
/// @throws Error if the actuators cannot bring about the motion, naming how much is missing
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
/// r by derivatives of inverse dynamics and of B^T lambda, s by v exactly (Bd v is a quadratic form), s
/// by q by differences of order 8, good to about 1e-11. Steps dq as everywhere: q moved by plus(q, dq).
/// Of redundant equations the changes of multipliers are those along the independent combinations at q
/// (MechanicalSystem::independent_equations): the forces B^T dlambda are right, the rest is not determined.
struct ClosedForwardDerivatives {
  Vector a, lambda;                          // nv; all constraint equations
  Matrix dq, dv, dtau;                       // nv x nv
  Matrix lambda_dq, lambda_dv, lambda_dtau;  // equations x nv
};
ClosedForwardDerivatives closed_forward_derivatives(ConstrainedSystem& system, ConstVectorRef q,
                                                    ConstVectorRef v, ConstVectorRef tau,
                                                    AppliedWrenches applied = {});

}  // namespace CHASLES_API
