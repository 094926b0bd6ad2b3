/// Eigen's decompositions of dense matrices, as functions: compiled once, since each takes seconds to compile
/// in every file that uses it. Classes allocate only when the size changes.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <optional>

#include "chasles/math/dense.hpp"

namespace chasles {

// Symmetric matrices; only the lower half is read.

/// In increasing order.
Eigen::VectorXd symmetric_eigenvalues(ConstMatrixRef A);

/// A = vectors diag(values) vectors^T, values in increasing order.
template <int N>
struct SymmetricEigen {
  Eigen::Matrix<double, N, 1> values;
  Eigen::Matrix<double, N, N> vectors;
};
SymmetricEigen<3> symmetric_eigen(const Eigen::Matrix3d& A);
SymmetricEigen<4> symmetric_eigen(const Eigen::Matrix4d& A);

/// The same of any size.
SymmetricEigen<Eigen::Dynamic> symmetric_eigen_of_any_size(ConstMatrixRef A);
/// A x = lambda B x with B positive definite; x^T B x = 1.
SymmetricEigen<Eigen::Dynamic> generalized_symmetric_eigen(ConstMatrixRef A, ConstMatrixRef B);

/// A x = b by L D L^T with pivots.
Eigen::VectorXd solve_ldlt(ConstMatrixRef A, ConstVectorRef b);
/// The same for the columns of B.
Eigen::MatrixXd solve_ldlt_columns(ConstMatrixRef A, ConstMatrixRef B);

/// L^-1 B, where A = L L^T.
Eigen::MatrixXd solve_cholesky_half(ConstMatrixRef A, ConstMatrixRef B);

// General matrices.

/// Eigenvalues and eigenvectors, as columns, of a square matrix.
struct Eigenpairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // empty if they are not wanted
};
/// @returns none if the iteration does not converge
std::optional<Eigenpairs> eigenpairs(ConstMatrixRef A, bool vectors = true);

/// An orthonormal basis of the columns of A, n x r with r <= n, if these are linearly independent.
Eigen::MatrixXd orthonormal_columns(ConstMatrixRef A);
/// The same of their orthogonal complement, n x (n - r), and the last pivot of A P = Q R.
struct Complement {
  Eigen::MatrixXd basis;
  double last_pivot;
};
Complement orthogonal_complement(ConstMatrixRef A);

/// The least x of those that leave the least of A x - b; A by a complete orthogonal decomposition.
struct LeastNorm {
  Eigen::VectorXd x;
  int rank;
};
/// @param threshold  pivots below this fraction of the largest count as zero; default: rounding level
LeastNorm solve_least_norm(ConstMatrixRef A, ConstVectorRef b,
                           std::optional<double> threshold = {});

/// A P = Q R by Householder reflections with column pivoting.
struct PivotedQr {
  Eigen::MatrixXd R;      // rows x columns of A; zero below the diagonal
  Eigen::VectorXi order;  // column k of A P is column order[k] of A
  int rank;
  /// The columns after the first r as combinations of the first r: R_1^-1 R_2.
  Eigen::MatrixXd combinations(int r) const;
};
/// @param threshold  as above
PivotedQr pivoted_qr(ConstMatrixRef A, std::optional<double> threshold = {});
/// The least-squares solution of A x = b, by the same decomposition.
Eigen::VectorXd solve_pivoted_qr(ConstMatrixRef A, ConstVectorRef b);

/// P A = L U with partial pivoting; A is not checked.
class RowPivotedLu {
 public:
  RowPivotedLu() = default;
  explicit RowPivotedLu(Eigen::Index size) : lu_(size) {}
  void compute(ConstMatrixRef A);
  void solve(ConstVectorRef b, VectorRef x) const;
  Eigen::MatrixXd solve_columns(ConstMatrixRef B) const;
  double reciprocal_condition() const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

/// P A Q = L U with full pivoting.
class FullyPivotedLu {
 public:
  FullyPivotedLu() = default;
  /// @param threshold  as above
  explicit FullyPivotedLu(ConstMatrixRef A, std::optional<double> threshold = {}) {
    compute(A, threshold);
  }
  void compute(ConstMatrixRef A, std::optional<double> threshold = {});

  int rank() const;
  bool is_invertible() const;
  double reciprocal_condition() const;
  Eigen::VectorXd solve(ConstVectorRef b) const;
  Eigen::MatrixXd solve_columns(ConstMatrixRef B) const;
  /// A basis of the null space of A, as columns; a column of zeros if it is trivial.
  Eigen::MatrixXd kernel() const;

 private:
  Eigen::FullPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace chasles
