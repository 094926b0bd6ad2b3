/// The mass matrix (CRBA) and its inverse.
///
///     T = v^T M(q) v / 2,     M = sum_i J_i^T M_i J_i        000 (81)                       (1)
///
///     MassMatrix work(model);
///     const Eigen::MatrixXd& M = mass_matrix(model, q, work);
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"

namespace chasles {

/// Workspace and result: one per thread; after construction no call allocates.
struct MassMatrix {
  Eigen::MatrixXd M;  // nv x nv, symmetric, both triangles
  Workspace work;
  explicit MassMatrix(const Model& model);
};
/// (1) into out.M in O(n depth), and returns it. q: nq.
/// @throws SizeError naming the argument and both sizes
const Eigen::MatrixXd& mass_matrix(const Model& model, ConstVectorRef q, MassMatrix& out);

/// Workspace and result: one per thread; after construction no call allocates.
struct MassMatrixInverse {
  Eigen::MatrixXd M_inv;  // nv x nv, symmetric, both triangles
  Workspace work;
  explicit MassMatrixInverse(const Model& model);
};
/// M^-1 into out.M_inv in O(n^2) from the articulated inertias, without forming M; and returns it.
/// @throws SizeError naming the argument and both sizes; SingularError naming the joint
const Eigen::MatrixXd& mass_matrix_inverse(const Model& model, ConstVectorRef q,
                                           MassMatrixInverse& out);

}  // namespace chasles
