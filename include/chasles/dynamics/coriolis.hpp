/// The Coriolis matrix (optimized kernel).
///
///     h(q, v) = C(q, v) v + g(q),     C_ij = sum_k Gamma_ijk v_k                             (1)
///
/// with the Christoffel symbols of textbook/closed_form.hpp, so that Md - 2 C is skew, as passivity-based and adaptive
/// controllers require. O(n depth): src/kernels/matrices/coriolis.inl.
///
///     CoriolisMatrix work(model);
///     const RowMatrix& C = coriolis_matrix(model, q, v, work);
#pragma once

#include "chasles/dynamics/workspace.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace and result: one per thread; after construction no call allocates.
class CoriolisMatrix {
 public:
  explicit CoriolisMatrix(const Model& model);
  const RowMatrix& C() const { return C_; }  // nv x nv

 private:
  friend const RowMatrix& coriolis_matrix(const Model&, ConstVectorRef, ConstVectorRef,
                                          CoriolisMatrix&);
  Workspace work_;
  RowMatrix C_;  // structural zeros are written once
};
/// C of (1), stored in `out`. q: nq; v: nv.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
const RowMatrix& coriolis_matrix(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                 CoriolisMatrix& out);

}  // namespace CHASLES_API
