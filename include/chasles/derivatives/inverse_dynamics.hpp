/// Derivatives of inverse dynamics, of the fast path.
///
///     tau(q, v, a) = M(q) a + h(q, v) - sum_k J_k^T W_k                                      (1)
///
///     d tau = dtau/dq dq + dtau/dv dv + M da                                                (2)
///
/// dq is a step on the group of the joints, q -> plus(q, dq): in the entries of v, right of q
/// (model/model.hpp). Wrenches stay what their representation says when bodies move: body-fixed ones
/// go along, spatial ones stay, hybrid ones keep their axes and act at the place; of mixed ones the torque
/// goes along and the force keeps its axes. O(n depth), 002 Algorithm 2, corrected and for every joint:
/// docs/theory/linearization.md, src/kernels/derivatives/d_inverse_dynamics.inl.
///
///     InverseDynamicsDerivatives d(model);
///     d_inverse_dynamics(model, q, v, a, d);
///     Eigen::VectorXd change = d.dq() * dq + d.dv() * dv + d.da() * da;
#pragma once

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A matrix that somebody else owns, row after row.
using RowsView =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
/// Number k of square matrices that stand one below the other.
inline RowsView square(const RowMatrix& all, int k) {
  const Eigen::Index n = all.cols();
  return {all.data() + k * n * n, n, n};
}

/// Workspace and result: one per thread; after construction no call allocates (the first applied
/// wrench does, once). The views are of this object, and change with it.
class InverseDynamicsDerivatives {
 public:
  explicit InverseDynamicsDerivatives(const Model& model);
  RowsView dq() const { return square(all_, 0); }  // nv x nv
  RowsView dv() const { return square(all_, 1); }
  RowsView da() const { return square(all_, 2); }  // M

 private:
  friend const InverseDynamicsDerivatives& d_inverse_dynamics(const Model&, ConstVectorRef,
                                                              ConstVectorRef, ConstVectorRef,
                                                              InverseDynamicsDerivatives&,
                                                              AppliedWrenches);
  Workspace work_;
  RowMatrix all_;  // one below the other; zero where no path joins two joints, for ever
};
/// The matrices of (2), which are kept in `out`. q: nq; v, a: nv; all finite.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
const InverseDynamicsDerivatives& d_inverse_dynamics(const Model& model, ConstVectorRef q,
                                                     ConstVectorRef v, ConstVectorRef a,
                                                     InverseDynamicsDerivatives& out,
                                                     AppliedWrenches applied = {});

}  // namespace CHASLES_API
