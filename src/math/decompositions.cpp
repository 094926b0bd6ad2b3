/// Decompositions used occasionally.
#include "math/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace chasles {

Eigen::MatrixXd solve_cholesky_half(ConstMatrixRef A, ConstMatrixRef B) {
  if (B.size() == 0) return B;
  return Eigen::LLT<Eigen::MatrixXd>(A).matrixL().solve(B);
}

LeastNorm solve_least_norm(ConstMatrixRef A, ConstVectorRef b, std::optional<double> threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(A.rows(), A.cols());
  if (threshold) solver.setThreshold(*threshold);
  solver.compute(A);
  return {solver.solve(b), static_cast<int>(solver.rank())};
}

PivotedQr pivoted_qr(ConstMatrixRef A, std::optional<double> threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.rows(), A.cols());
  if (threshold) qr.setThreshold(*threshold);
  qr.compute(A);
  return {qr.matrixR().triangularView<Eigen::Upper>(), qr.colsPermutation().indices(),
          static_cast<int>(qr.rank())};
}
Eigen::MatrixXd PivotedQr::combinations(int r) const {
  const Eigen::MatrixXd rest = R.topRightCorner(r, R.cols() - r);
  if (rest.size() == 0) return rest;
  return R.topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(rest);
}
Eigen::VectorXd solve_pivoted_qr(ConstMatrixRef A, ConstVectorRef b) {
  return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(A).solve(b);
}

Eigen::MatrixXd orthonormal_columns(ConstMatrixRef A) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(A).householderQ() *
         Eigen::MatrixXd::Identity(A.rows(), A.cols());
}
Complement orthogonal_complement(ConstMatrixRef A) {
  const Eigen::Index n = A.rows(), r = A.cols();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  Complement out{Eigen::MatrixXd::Zero(n, n - r), qr.matrixQR()(r - 1, r - 1)};
  if (r == n) return out;
  out.basis.bottomRows(n - r).setIdentity();
  out.basis.applyOnTheLeft(qr.householderQ());
  return out;
}

void FullyPivotedLu::compute(ConstMatrixRef A, std::optional<double> threshold) {
  lu_.compute(A);
  if (threshold)
    lu_.setThreshold(*threshold);
  else
    lu_.setThreshold(Eigen::Default);
}
int FullyPivotedLu::rank() const { return static_cast<int>(lu_.rank()); }
bool FullyPivotedLu::is_invertible() const { return lu_.isInvertible(); }
double FullyPivotedLu::reciprocal_condition() const { return lu_.rcond(); }
Eigen::VectorXd FullyPivotedLu::solve(ConstVectorRef b) const { return lu_.solve(b); }
Eigen::MatrixXd FullyPivotedLu::solve_columns(ConstMatrixRef B) const { return lu_.solve(B); }
Eigen::MatrixXd FullyPivotedLu::kernel() const { return lu_.kernel(); }

}  // namespace chasles
