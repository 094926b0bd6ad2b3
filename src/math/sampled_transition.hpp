/// Discrete-time transition of linear systems with sampled and held inputs (zero-order hold).
///
///     x' = A x + sum_g B_g u_g,     u_g = F_g x(k T)  from  k T + d_g  on,  d_g = m_g T + f_g    (1)
///
/// Over a time h with constant u, x becomes Phi(h) x + Gamma(h) u, [Phi Gamma; 0 1] = exp(h [A B; 0 0]), so
///
///     x_{k+1} = Phi(T) x_k + sum_g Phi(T - f) Gamma_g(f) u_g,k-m-1 + Gamma_g(T - f) u_g,k-m      (2)
///
/// which is a matrix acting on (x_k, u_0,k-1, u_0,k-2, ..., u_1,k-1, ...): sampled inputs that are still
/// acting or pending are part of the state.
#pragma once

#include <Eigen/Core>
#include <span>

namespace chasles {

/// exp X by scaling and squaring: the series of X / 2^k, |X / 2^k| <= 1, squared k times. Powers of two are
/// exact, so that nilpotent parts of X (masses without springs) stay exact to rounding of each entry; Pade
/// approximations mix rows.
/// @throws Error if X is not finite
Eigen::MatrixXd matrix_exponential(const Eigen::MatrixXd& X);

/// (Phi(h), Gamma(h)), n x (n + m).
Eigen::MatrixXd held_step(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double h);

struct SampledInput {
  Eigen::MatrixXd B, F;  // n x m, m x n
  double delay = 0;      // d [s]
};
/// Number of stored samples of an input with this delay: m + 1, or m if f = 0. A delay within rounding of a
/// multiple of the period counts as that multiple.
double kept_samples(double delay, double period);

/// The matrix of (2).
Eigen::MatrixXd sampled_transition(const Eigen::MatrixXd& A, std::span<const SampledInput> inputs,
                                   double period);

}  // namespace chasles
