/// Operational-space inertia of a body or frame, in O(n), without M or its inverse.
///
///     Lambda^-1 = J M^-1 J^T = sum_i Y_i^T D_i^-1 Y_i                                              (1)
///
/// M = L D L^T is the articulated-body factorization (factorization.hpp), J the Jacobian of the frame. Y = L^-1 J^T is
/// nonzero only for the links between the frame and ground. With F the six unit wrenches at the frame, inward along
/// that path, p the parent of i:
///
///     Y_i = H_i^T F_i,      F_p = F_i - G_i Y_i, shifted from r_i to r_p                           (2)
///
/// (1) is the acceleration of the frame per unit wrench on it, symmetric and positive semidefinite: 6 x 6, in the order
/// (angular, linear) of the representation. Lambda is Khatib's operational-space inertia; it exists where the joints
/// move the frame in all six directions. For a frame with fewer, such as that of a planar arm, invert the
/// corresponding rows and columns of (1).
///
///     MassFactorization M(model);
///     M.factorize(model, kin);                                       // O(n), once for all frames
///     Matrix Lambda(6, 6);
///     operational_space_inertia(M, model.frame("hand"), Representation::hybrid, Lambda);
///
/// Nothing here allocates. At an evaluated state, and with closed loops: MechanismState.
#pragma once

#include "chasles/dynamics/factorization.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// (1) by (2), in O(depth) after `factorize`. Zero for ground.
/// @throws ForeignError; Error before the first `factorize`
void inverse_operational_space_inertia(const MassFactorization& M, const Frame& frame,
                                       Representation rep, Matrix6Ref Lambda_inv);
/// Lambda. @throws SingularError if the joints do not move the frame in all six directions at this state
void operational_space_inertia(const MassFactorization& M, const Frame& frame, Representation rep,
                               Matrix6Ref Lambda);
/// Inverts (1) in place. @throws SingularError likewise
void invert_operational_space(Matrix6Ref A);

}  // namespace CHASLES_API
