/// The mass matrix (CRBA) and its inverse.
///
///     T = v^T M(q) v / 2,     M = sum_i J_i^T M_i J_i        000 (81)                       (1)
///
///     MassMatrix work(model);
///     const Matrix& M = mass_matrix(model, q, work);
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"

namespace chasles {

/// Workspace and result: one per thread; after construction no call allocates.
struct MassMatrix {
  Matrix M;  // nv x nv, symmetric, both triangles
  Workspace work;
  explicit MassMatrix(const Model& model);
};
/// (1) into out.M in O(n depth), and returns it. q: nq.
/// @throws SizeError naming the argument and both sizes
const Matrix& mass_matrix(const Model& model, ConstVectorRef q, MassMatrix& out);

/// Workspace and result: one per thread; after construction no call allocates.
struct MassMatrixInverse {
  Matrix M_inv;  // nv x nv, symmetric, both triangles
  Workspace work;
  explicit MassMatrixInverse(const Model& model);
};
/// M^-1 into out.M_inv in O(n^2) from the articulated inertias, without forming M; and returns it.
/// @throws SizeError naming the argument and both sizes; SingularError naming the joint
const Matrix& mass_matrix_inverse(const Model& model, ConstVectorRef q, MassMatrixInverse& out);

}  // namespace chasles
