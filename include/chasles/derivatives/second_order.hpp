/// Second derivatives of dynamics: derivatives of the matrices of derivatives/inverse_dynamics.hpp and
/// derivatives/forward_dynamics.hpp.
///
///     d/ds f'(q exp(s x_q), v + s x_v, u + s x_u)   at s = 0                                 (1)
///
/// f' are the three matrices, u accelerations (inverse) or joint forces (forward). Second derivatives by q are taken by
/// successive increments, the second on the right: for joints on a Lie group they do not commute; all others do. Three
/// forms, exact up to rounding:
///
///  - directional: the kernels of first derivatives run with dual numbers, four directions at a time, each costs about
///    as much as the first derivatives;
///  - complete tensors: closed formulas in O(n depth^2) for inverse dynamics, from which those of forward dynamics
///    follow, docs/theory/linearization.md, section 13;
///  - contracted with weights lambda of the joint forces or accelerations, the Hessian of lambda.f, in O(n depth) for
///    inverse dynamics and O(n^3) for forward dynamics, without tensors.
///
/// Where screws depend on q in their link (floating on SO(3) x R^3, custom of the first kind), the last two are
/// assembled from directional derivatives.
///
///     SecondDerivatives d(model);
///     d2_inverse_dynamics(model, q, v, a, d);
///     RowsView H = d.qq(3);             // H(i, j) = d/dq_3 of dtau_i/dq_j
///
///     ContractedDerivatives c(model);
///     d2_inverse_dynamics_contracted(model, q, v, a, lambda, c);     // c.qq()(j, k) = sum_i lambda_i d.qq(k)(i, j)
///
///     DirectionalDerivatives h(model);
///     d_inverse_dynamics_along(model, q, v, a, {dq, dv, da}, h);     // h.dq() = sum_k d.qq(k) dq_k + ...
#pragma once

#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A direction; empty parts are zero.
struct Direction {
  Vector dq, dv, du;  // nv
};

/// Result and workspace of (1) along one direction: one per thread.
class DirectionalDerivatives {
 public:
  explicit DirectionalDerivatives(const Model& model);
  RowsView dq() const { return detail::stacked(all_, 0); }  // nv x nv: of df/dq
  RowsView dv() const { return detail::stacked(all_, 1); }
  RowsView du() const { return detail::stacked(all_, 2); }  // of M, or of M^-1

 private:
  friend class SecondOrder;
  Workspace work_;
  RowMatrix all_;
};

/// All second derivatives except d2/du2 and d2/dv du, which are zero. Workspace and result: one per thread. After
/// construction no call allocates, unless the model has custom joints of the first kind.
class SecondDerivatives {
 public:
  /// @throws Error if the tensors, 4 nv^3 numbers, are too large
  explicit SecondDerivatives(const Model& model);
  RowsView qq(int k) const { return matrix(0, k); }  // d/dq_k of df/dq
  RowsView vq(int k) const { return matrix(1, k); }  // d/dq_k of df/dv
  RowsView uq(int k) const { return matrix(2, k); }  // d/dq_k of M, or of M^-1
  RowsView vv(int k) const { return matrix(3, k); }  // d/dv_k of df/dv

  /// The contraction sum_i lambda_i d2 f_i, as matrices: (by q, by q), (by v, by q), (by u, by q), (by v, by v). Prefer
  /// d2_inverse_dynamics_contracted if you need only the contraction.
  struct Contraction {
    Matrix qq, vq, uq, vv;
  };
  Contraction contracted(ConstVectorRef lambda) const;

 private:
  friend class SecondOrder;
  friend class SecondOrderClosed;
  RowsView matrix(int tensor, int k) const;
  Workspace work_;
  ForwardDynamicsDerivatives first_;
  Eigen::Index nv_;
  bool sparse_ = false;      // structural zeros: joints that are not on one path
  std::vector<double> all_;  // 4 tensors of nv matrices of nv x nv
};

/// sum_i lambda_i d2 f_i. Workspace and result as above.
class ContractedDerivatives {
 public:
  explicit ContractedDerivatives(const Model& model);
  RowsView qq() const { return detail::stacked(all_, 0); }  // (j, k): d/dq_k of d(lambda.f)/dq_j
  RowsView vq() const { return detail::stacked(all_, 1); }  // d/dq_k of d/dv_j
  RowsView uq() const { return detail::stacked(all_, 2); }  // d/dq_k of d/du_j
  RowsView vv() const { return detail::stacked(all_, 3); }  // d/dv_k of d/dv_j

 private:
  friend class SecondOrderClosed;
  Workspace work_;
  ForwardDynamicsDerivatives first_;
  Vector mu_;            // M^-1 lambda
  bool sparse_ = false;  // structural zeros: joints that are not on one path
  RowMatrix all_;
};

/// (1) for inverse dynamics. q: nq; v, a: nv; all finite.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
const DirectionalDerivatives& d_inverse_dynamics_along(const Model& model, ConstVectorRef q,
                                                       ConstVectorRef v, ConstVectorRef a,
                                                       const Direction& direction,
                                                       DirectionalDerivatives& out);
const SecondDerivatives& d2_inverse_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                             ConstVectorRef a, SecondDerivatives& out);
/// lambda: nv.
const ContractedDerivatives& d2_inverse_dynamics_contracted(const Model& model, ConstVectorRef q,
                                                            ConstVectorRef v, ConstVectorRef a,
                                                            ConstVectorRef lambda,
                                                            ContractedDerivatives& out);
/// (1) for forward dynamics, u = tau.
/// @throws as above; SingularError naming the joint
const DirectionalDerivatives& d_forward_dynamics_along(const Model& model, ConstVectorRef q,
                                                       ConstVectorRef v, ConstVectorRef tau,
                                                       const Direction& direction,
                                                       DirectionalDerivatives& out);
const SecondDerivatives& d2_forward_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                             ConstVectorRef tau, SecondDerivatives& out);
const ContractedDerivatives& d2_forward_dynamics_contracted(const Model& model, ConstVectorRef q,
                                                            ConstVectorRef v, ConstVectorRef tau,
                                                            ConstVectorRef lambda,
                                                            ContractedDerivatives& out);

}  // namespace CHASLES_API
