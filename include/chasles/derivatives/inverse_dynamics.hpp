/// Derivatives of inverse dynamics (optimized kernel).
///
///     tau(q, v, a) = M(q) a + h(q, v) - sum_k J_k^T W_k                                      (1)
///
///     d tau = dtau/dq dq + dtau/dv dv + M da                                                (2)
///
/// dq is an increment on the Lie group of the joints, q -> plus(q, dq): in the entries of v, on the right of q
/// (model/model.hpp). When bodies move, wrenches are constant in their representation: body-fixed ones move with the
/// body, spatial ones stay, hybrid ones keep their world axes and act at the frame origin; of mixed ones the torque
/// moves with the body and the force keeps its axes. O(n depth), 002 Algorithm 2, corrected and for every joint:
/// docs/theory/linearization.md, src/kernels/derivatives/d_inverse_dynamics.inl.
///
///     InverseDynamicsDerivatives d(model);
///     d_inverse_dynamics(model, q, v, a, d);
///     Eigen::VectorXd change = d.dq() * dq + d.dv() * dv + d.da() * da;
#pragma once

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Non-owning view of a row-major matrix.
using RowsView =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

namespace detail {
/// Matrix k of vertically stacked square matrices.
inline RowsView stacked(const RowMatrix& all, int k) {
  const Eigen::Index n = all.cols();
  return {all.data() + k * n * n, n, n};
}
}  // namespace detail

/// Workspace and result: one per thread; after construction no call allocates (the first applied wrench does, once).
/// The views refer to this object and change with it.
class InverseDynamicsDerivatives {
 public:
  explicit InverseDynamicsDerivatives(const Model& model);
  RowsView dq() const { return detail::stacked(all_, 0); }  // nv x nv
  RowsView dv() const { return detail::stacked(all_, 1); }
  RowsView da() const { return detail::stacked(all_, 2); }  // M

 private:
  friend const InverseDynamicsDerivatives& d_inverse_dynamics(const Model&, ConstVectorRef,
                                                              ConstVectorRef, ConstVectorRef,
                                                              InverseDynamicsDerivatives&,
                                                              AppliedWrenches);
  Workspace work_;
  RowMatrix all_;  // stacked vertically; structural zeros are written once
};
/// The matrices of (2), stored in `out`. q: nq; v, a: nv; all finite.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
/// @paper 002 Algorithm 2
const InverseDynamicsDerivatives& d_inverse_dynamics(const Model& model, ConstVectorRef q,
                                                     ConstVectorRef v, ConstVectorRef a,
                                                     InverseDynamicsDerivatives& out,
                                                     AppliedWrenches applied = {});

}  // namespace CHASLES_API
