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

double least_pivot(const Eigen::MatrixXd& rows) {
  if (rows.cols() == 0) return 1;
  if (rows.cols() > rows.rows()) return 0;
  const Eigen::Index last = rows.cols() - 1;
  const double left = pivoted_qr(rows).R(last, last);
  return left * left;
}

}  // namespace chasles
