/// Decompositions used in every step of a method.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "math/decompositions.hpp"

namespace chasles {

SymmetricEigen<3> symmetric_eigen(const Eigen::Matrix3d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}
SymmetricEigen<4> symmetric_eigen(const Eigen::Matrix4d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd solve_ldlt(ConstMatrixRef A, ConstVectorRef b) {
  return Eigen::LDLT<Eigen::MatrixXd>(A).solve(b);
}
Eigen::MatrixXd solve_ldlt_columns(ConstMatrixRef A, ConstMatrixRef B) {
  return Eigen::LDLT<Eigen::MatrixXd>(A).solve(B);
}

void RowPivotedLu::compute(ConstMatrixRef A) { lu_.compute(A); }
void RowPivotedLu::solve(ConstVectorRef b, VectorRef x) const { x = lu_.solve(b); }
Eigen::MatrixXd RowPivotedLu::solve_columns(ConstMatrixRef B) const { return lu_.solve(B); }
double RowPivotedLu::reciprocal_condition() const { return lu_.rcond(); }

}  // namespace chasles
