/// Linear feedback and estimation for x' = A x + B u (linear_system.hpp): linear-quadratic regulators, Kalman filters,
/// controllability.
///
/// The feedback u = -K x that minimizes the integral of x^T Q x + u^T R u is
///
///     K = R^-1 B^T P,                     A^T P + P A - P B R^-1 B^T P + Q = 0                     (1)
///
/// and for x_k+1 = A x_k + B u_k, with the sum in place of the integral,
///
///     K = (R + B^T P B)^-1 B^T P A,       P = A^T P (A - B K) + Q                                  (2)
///
/// The estimate z' = A z + B u + L (y - C z) from y = C x + e, with white noise of intensity V in e and W in x', has the
/// least variance P with
///
///     L = P C^T V^-1,                     A P + P A^T - P C^T V^-1 C P + W = 0                     (3)
///
/// which is (1) for A^T, C^T; sampled, z_k+1 = A z_k + B u_k + L (y_k - C z_k), it is (2) for these. (1) is solved by the
/// invariant subspace of the balanced Hamiltonian matrix (Laub 1979), (2) by structure-preserving doubling (Chu, Fan, Lin
/// 2005), and both are corrected by Newton's method (Kleinman). Rounding P alone leaves a residual of 1e-16 |P| |A - B K|.
///
///     LinearSystem s = linearize(system, 0, q, v);
///     Regulator cart = lqr(s.A, s.B.leftCols(1), Q, R);        // the first joint has the motor
///     u = -cart.K * x;
#pragma once

#include <complex>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/math/dense.hpp"

namespace chasles CHASLES_API {

struct Regulator {
  Matrix K;                                 // gain; L of (3) for filters
  Matrix P;                                 // solution of the Riccati equation
  std::vector<std::complex<double>> poles;  // of A - B K, or A - L C
  double residual = 0;                      // of the Riccati equation, relative to its largest term
};

/// (1). Q is n x n, symmetric and positive semidefinite; R is m x m, symmetric and positive definite.
/// @throws Error for wrong sizes; if Q or R are not so, a number is not finite, or no feedback makes the loop stable: names the
///         eigenvalue that the inputs do not affect, or the neutral one that the weights do not see
Regulator lqr(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef Q, ConstMatrixRef R);
/// (2), A and B those of discretize.
/// @throws as lqr
Regulator sampled_lqr(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef Q, ConstMatrixRef R);
/// (3). C is p x n, W n x n as Q, V p x p as R.
/// @throws as lqr, for eigenvalues that the measurements do not see
Regulator kalman_filter(ConstMatrixRef A, ConstMatrixRef C, ConstMatrixRef W, ConstMatrixRef V);
/// (3), sampled.
Regulator sampled_kalman_filter(ConstMatrixRef A, ConstMatrixRef C, ConstMatrixRef W,
                                ConstMatrixRef V);

/// The states that inputs reach: the smallest subspace that has the columns of B and is invariant under A (Kalman).
struct Reachability {
  int rank = 0;                             // n: controllable
  Matrix basis;                             // n x rank, orthonormal
  std::vector<std::complex<double>> fixed;  // eigenvalues of A that no feedback changes: n - rank
};
/// @param tolerance  columns of A x that leave the subspace by less than this fraction of |A| do not extend it
/// @throws Error for wrong sizes; if a number is not finite
/// @paper 000 section 6.1
Reachability controllability(ConstMatrixRef A, ConstMatrixRef B, double tolerance = 1e-10);
/// The same for the states that y = C x shows, by duality: `basis` spans the observable states.
Reachability observability(ConstMatrixRef A, ConstMatrixRef C, double tolerance = 1e-10);

/// The integral of exp(A t) B B^T exp(A^T t) from 0 to `horizon`: x_T^T W^-1 x_T is the least integral of u^T u with
/// which x_T is reached from rest.
/// @param horizon  [s], positive and finite
/// @throws Error for wrong sizes; for a horizon that is not
Matrix controllability_gramian(ConstMatrixRef A, ConstMatrixRef B, double horizon);

/// The solution X of A X + X A^T + W = 0 for a stable A.
/// @throws Error for wrong sizes; if A is not stable
Matrix solve_lyapunov(ConstMatrixRef A, ConstMatrixRef W);

}  // namespace CHASLES_API
