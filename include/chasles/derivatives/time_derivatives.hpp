/// Time derivatives of dynamics of any order N, in O(n N^2): derivatives of joint forces along a motion, and of a
/// motion under given forces.
///
///     Q(t)  = M(q) v' + h(q, v) - sum_k J_k^T W_k      q' = q hat(v)                        (1)
///
/// `inverse_dynamics_derivatives`: Q, Q', ..., Q^(N) from v, v', ..., v^(N+1).
/// `forward_dynamics_derivatives`: a, jerk, snap, ..., a^(N) from tau, tau', ..., tau^(N). The highest
/// derivative enters (1) linearly,
///
///     M a^(k) = tau^(k) - terms in q, v, a, ..., a^(k-1)                                     (2)
///
/// so that the articulated-body inertias are factorized once and used at every order. Both use one recursion on
/// truncated power series (docs/theory/time-derivatives.md). The formulas of the papers for Q' and Q'' are in
/// textbook/time_derivatives.hpp.
///
///     TimeDerivatives work(model, 2);
///     const Matrix& a = forward_dynamics_derivatives(model, q, v, tau, work);
///     Eigen::VectorXd jerk = a.col(1);
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

namespace derivatives {
class TreeSeries;
}

/// Workspace and results: one per thread; after construction no call allocates (the first applied
/// wrench does, once).
struct TimeDerivatives {
  Matrix Q;  // nv x (N + 1): Q, Q', ...
  Matrix a;  // nv x (N + 1): a, a', ...

  /// @param order  N
  /// @throws Error unless 0 <= N <= max_time_derivative
  TimeDerivatives(const Model& model, int order);
  int order() const { return order_; }

 private:
  friend struct detail::Access;
  derivatives::TreeSeries& series(const Model& model);
  int order_;
  Model model_;
  ValuePtr<derivatives::TreeSeries> series_;
};

/// Largest order: beyond, N! exceeds the useful range of double.
inline constexpr int max_time_derivative = 60;

/// Q^(0) ... Q^(N) into out.Q, which is returned.
/// @param q      nq
/// @param rates  nv x (N + 2): v and its first N + 1 time derivatives
/// @param applied  wrenches on bodies; each constant in its representation, unless
/// @param wrench_rates  their derivatives W', W'', ... are given: the same number for each wrench, those of the first
///                      wrench first; higher ones are zero
/// @throws SizeError naming the argument and both sizes; ForeignError; Error for a custom joint of the first kind that
///         is rotated by more than 1e8 rad
/// @paper 000 section 6.3
const Matrix& inverse_dynamics_derivatives(const Model& model, ConstVectorRef q,
                                           ConstMatrixRef rates, TimeDerivatives& out,
                                           AppliedWrenches applied = {},
                                           std::span<const Wrench> wrench_rates = {});

/// a^(0) ... a^(N) into out.a, which is returned.
/// @param q, v  nq, nv
/// @param tau   nv x m: joint forces and their derivatives; higher ones are zero
/// @throws as above; SingularError naming the joint without inertia
const Matrix& forward_dynamics_derivatives(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                           ConstMatrixRef tau, TimeDerivatives& out,
                                           AppliedWrenches applied = {},
                                           std::span<const Wrench> wrench_rates = {});

}  // namespace CHASLES_API
