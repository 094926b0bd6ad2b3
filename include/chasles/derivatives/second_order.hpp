/// Second derivatives of dynamics: how the matrices of derivatives/inverse_dynamics.hpp and
/// derivatives/forward_dynamics.hpp vary. The kernels of these run with dual numbers, four directions
/// at a time: exact but for rounding.
///
///     d/ds f'(q exp(s x_q), v + s x_v, u + s x_u)   at s = 0                                 (1)
///
/// f' are the three matrices, u accelerations (inverse) or joint forces (forward). Derivatives by q
/// twice are steps one after the other, the second on the right: in joints on a group they do not
/// commute; all others do. A direction costs about as much as the matrices themselves.
///
///     SecondDerivatives d(model);
///     d2_inverse_dynamics(model, q, v, a, d);
///     RowsView H = d.qq(3);             // H(i, j) = d/dq_3 of dtau_i/dq_j
///
///     DirectionalDerivatives h(model);
///     d_inverse_dynamics_along(model, q, v, a, {dq, dv, da}, h);     // h.dq() = sum_k d.qq(k) dq_k + ...
#pragma once

#include "chasles/derivatives/forward_dynamics.hpp"

namespace chasles {

/// A direction; empty parts are zero.
struct Direction {
  Vector dq, dv, du;  // nv
};

/// Result and workspace of (1) along one direction: one per thread.
class DirectionalDerivatives {
 public:
  explicit DirectionalDerivatives(const Model& model);
  RowsView dq() const { return square(all_, 0); }  // nv x nv: of df/dq
  RowsView dv() const { return square(all_, 1); }
  RowsView du() const { return square(all_, 2); }  // of M, or of M^-1

 private:
  friend class SecondOrder;
  Workspace work_;
  RowMatrix all_;
};

/// All second derivatives but those by u twice, which are zero, and those by v and u, which vanish too.
/// One per thread.
class SecondDerivatives {
 public:
  /// @throws Error if the tensors, 4 nv^3 numbers, are too large
  explicit SecondDerivatives(const Model& model);
  RowsView qq(int k) const { return matrix(0, k); }  // d/dq_k of df/dq
  RowsView vq(int k) const { return matrix(1, k); }  // d/dq_k of df/dv
  RowsView uq(int k) const { return matrix(2, k); }  // d/dq_k of M, or of M^-1
  RowsView vv(int k) const { return matrix(3, k); }  // d/dv_k of df/dv

  /// The contraction sum_i lambda_i d2 f_i, as matrices: (by q, by q), (by v, by q), (by v, by v).
  struct Contraction {
    Matrix qq, vq, vv;
  };
  Contraction contracted(ConstVectorRef lambda) const;

 private:
  friend class SecondOrder;
  RowsView matrix(int tensor, int k) const;
  Workspace work_;
  Eigen::Index nv_;
  std::vector<double> all_;  // 4 tensors of nv matrices of nv x nv
};

/// (1) of inverse dynamics. q: nq; v, a: nv; all finite.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
const DirectionalDerivatives& d_inverse_dynamics_along(const Model& model, ConstVectorRef q,
                                                       ConstVectorRef v, ConstVectorRef a,
                                                       const Direction& direction,
                                                       DirectionalDerivatives& out);
const SecondDerivatives& d2_inverse_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                             ConstVectorRef a, SecondDerivatives& out);
/// (1) of forward dynamics, u = tau.
/// @throws as above; SingularError naming the joint
const DirectionalDerivatives& d_forward_dynamics_along(const Model& model, ConstVectorRef q,
                                                       ConstVectorRef v, ConstVectorRef tau,
                                                       const Direction& direction,
                                                       DirectionalDerivatives& out);
const SecondDerivatives& d2_forward_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                             ConstVectorRef tau, SecondDerivatives& out);

}  // namespace chasles
