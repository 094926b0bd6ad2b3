/// Matrix equations of linear-quadratic control, by Schur decompositions. Empty results: the decomposition does not
/// converge, or the equation has no such solution.
#pragma once

#include <Eigen/Core>

#include "chasles/math/dense.hpp"

namespace chasles {

/// X of A^T X + X A + W = 0, W symmetric (Bartels, Stewart 1972). With A = U T U^H and Y = U^H X U,
///
///     (T^H + T_kk) Y_k = -F_k - sum over j < k of Y_j T_jk,     F = U^H W U                        (1)
Eigen::MatrixXd lyapunov_solution(ConstMatrixRef A, ConstMatrixRef W);

/// X of X = A^T X A + W, W symmetric (Kitagawa 1977):
///
///     (1 - T_kk T^H) Y_k = F_k + T^H sum over j < k of Y_j T_jk                                    (2)
Eigen::MatrixXd stein_solution(ConstMatrixRef A, ConstMatrixRef W);

/// P of A^T P + P A - P G P + Q = 0 for which A - G P is stable: P = Y X^-1, where (X; Y) spans the invariant subspace of
/// the stable eigenvalues of the Hamiltonian matrix (Laub 1979),
///
///     [ A  -G  ] [X]   [X]
///     [-Q -A^T ] [Y] = [Y] S                                                                       (3)
///
/// balanced beforehand by diag(D, D^-1), D of powers of two, and by a common factor of G and Q (Benner 2001).
Eigen::MatrixXd riccati_solution(ConstMatrixRef A, ConstMatrixRef G, ConstMatrixRef Q);

}  // namespace chasles
