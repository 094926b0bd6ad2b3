#include "constraints/unit_rows.hpp"

#include <algorithm>
#include <cmath>

#include "math/decompositions.hpp"

namespace chasles {

Eigen::MatrixXd unit_rows(Eigen::MatrixXd M, const Eigen::MatrixXd& B) {
  constexpr double massless = 1e-9, weight = 1e-3, shortest = 1e-10;
  const double most = std::max(M.size() > 0 ? M.diagonal().maxCoeff() : 0, 1e-12);
  for (double& m : M.diagonal()) m += m > massless * most ? massless * m : weight * most;
  Eigen::MatrixXd A = solve_cholesky_half(M, B.transpose());
  const Eigen::RowVectorXd lengths = A.colwise().norm();
  const double longest = lengths.size() > 0 ? lengths.maxCoeff() : 0;
  for (Eigen::Index k = 0; k < A.cols(); ++k)
    A.col(k) *= lengths[k] > shortest * longest ? 1 / lengths[k] : 0;
  return A;
}

LeadingRows::LeadingRows(const Eigen::MatrixXd& A, int count) {
  if (count == 0) return;
  const PivotedQr qr = pivoted_qr(A);
  rows.assign(qr.order.begin(), qr.order.begin() + count);
  pivot = qr.R(count - 1, count - 1) * qr.R(count - 1, count - 1);
}

}  // namespace chasles
