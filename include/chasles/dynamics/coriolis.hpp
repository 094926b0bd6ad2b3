/// The Coriolis matrix, of the fast path.
///
///     h(q, v) = C(q, v) v + g(q),     C_ij = sum_k Gamma_ijk v_k                             (1)
///
/// with the Christoffel symbols of textbook/closed_form.hpp, so that Md - 2 C is skew: what passivity
/// based and adaptive controllers need. O(n depth): src/kernels/matrices/coriolis.inl.
///
///     CoriolisMatrix work(model);
///     const RowMatrix& C = coriolis_matrix(model, q, v, work);
#pragma once

#include "chasles/dynamics/workspace.hpp"

namespace chasles {

/// Workspace and result: one per thread; after construction no call allocates.
struct CoriolisMatrix {
  RowMatrix C;  // nv x nv
  Workspace work;
  explicit CoriolisMatrix(const Model& model);
};
/// (1) into out.C, and returns it. q: nq; v: nv.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
const RowMatrix& coriolis_matrix(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                 CoriolisMatrix& out);

}  // namespace chasles
