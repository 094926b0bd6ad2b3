/// Eigenvalues.
#include <Eigen/Eigenvalues>

#include "math/decompositions.hpp"

namespace chasles {

Eigen::VectorXd symmetric_eigenvalues(ConstMatrixRef A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}
SymmetricEigen<Eigen::Dynamic> symmetric_eigen_of_any_size(ConstMatrixRef A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}
SymmetricEigen<Eigen::Dynamic> generalized_symmetric_eigen(ConstMatrixRef A, ConstMatrixRef B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(A, B);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<Eigenpairs> eigenpairs(ConstMatrixRef A, bool vectors) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A, vectors);
  if (solver.info() != Eigen::Success) return {};
  return Eigenpairs{solver.eigenvalues(), vectors ? solver.eigenvectors() : Eigen::MatrixXcd()};
}

}  // namespace chasles
