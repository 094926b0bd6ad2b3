/// The mass matrix (CRBA) and its inverse.
///
///     T = v^T M(q) v / 2,     M = sum_i J_i^T M_i J_i        000 (81)                       (1)
///
///     MassMatrix work(model);
///     const Matrix& M = mass_matrix(model, q, work);
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// The part of a symmetric matrix that is written.
enum class Triangle { both, upper };

/// Workspace and result: one per thread; after construction no call allocates.
class MassMatrix {
 public:
  explicit MassMatrix(const Model& model);
  const Matrix& M() const { return M_; }  // nv x nv

 private:
  friend const Matrix& mass_matrix(const Model&, ConstVectorRef, MassMatrix&, Triangle);
  Workspace work_;
  Matrix M_;  // structural zeros are written once
};
/// M of (1) in O(n depth), stored in `out`. q: nq.
///
///     M.selfadjointView<Eigen::Upper>()        // the full matrix if only the upper triangle was computed
///
/// @param part  Triangle::upper: entries below the diagonal are undefined
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
/// @paper 000 (81)
const Matrix& mass_matrix(const Model& model, ConstVectorRef q, MassMatrix& out,
                          Triangle part = Triangle::both);

/// Workspace and result: one per thread; after construction no call allocates.
struct MassMatrixInverse {
  Matrix M_inv;  // nv x nv, symmetric, both triangles
  Workspace work;
  explicit MassMatrixInverse(const Model& model);
};
/// M^-1 into out.M_inv, which is returned; O(n^2) from the articulated-body inertias, without forming M.
/// @throws SizeError naming the argument and both sizes; SingularError naming the joint
const Matrix& mass_matrix_inverse(const Model& model, ConstVectorRef q, MassMatrixInverse& out);

}  // namespace CHASLES_API
