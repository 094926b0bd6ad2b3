/// Derivatives of forward dynamics (optimized kernel).
///
///     a(q, v, tau) = M^-1 (tau - h(q, v) + sum_k J_k^T W_k)                                  (1)
///
///     da = da/dq dq + da/dv dv + M^-1 dtau                                                  (2)
///     da/dq = -M^-1 dtau/dq,   da/dv = -M^-1 dtau/dv      at a of (1)                        (3)
///
/// with the derivatives of inverse dynamics on the right; dq and wrenches as there (derivatives/inverse_dynamics.hpp).
/// O(n^2); M^-1 is applied by the factors of forward dynamics:
/// src/kernels/derivatives/articulated_columns.inl.
///
///     ForwardDynamicsDerivatives d(model);
///     d_forward_dynamics(model, q, v, tau, d);
///     Eigen::VectorXd change = d.dq() * dq + d.dv() * dv + d.dtau() * dtau;
#pragma once

#include "chasles/derivatives/inverse_dynamics.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace and result: one per thread; after construction no call allocates (the first applied wrench does, once).
/// The views refer to this object and change with it.
class ForwardDynamicsDerivatives {
 public:
  explicit ForwardDynamicsDerivatives(const Model& model);
  const Vector& a() const { return a_; }                    // nv
  RowsView dq() const { return detail::stacked(all_, 0); }  // nv x nv
  RowsView dv() const { return detail::stacked(all_, 1); }
  RowsView dtau() const { return detail::stacked(all_, 2); }  // M^-1

 private:
  friend const ForwardDynamicsDerivatives& d_forward_dynamics(const Model&, ConstVectorRef,
                                                              ConstVectorRef, ConstVectorRef,
                                                              ForwardDynamicsDerivatives&,
                                                              AppliedWrenches);
  Workspace work_;
  Vector a_;
  RowMatrix all_;  // three matrices, stacked vertically
};
/// a of (1) and the matrices of (2), stored in `out`. q: nq; v, tau: nv; all finite.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models;
///         SingularError naming the joint without inertia
/// @paper 002 Lemma 4.1
const ForwardDynamicsDerivatives& d_forward_dynamics(const Model& model, ConstVectorRef q,
                                                     ConstVectorRef v, ConstVectorRef tau,
                                                     ForwardDynamicsDerivatives& out,
                                                     AppliedWrenches applied = {});

}  // namespace CHASLES_API
