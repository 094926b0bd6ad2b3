/// Rows of the constraint Jacobian in the metric of M, from which the rank and the distance from losing it are
/// computed.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace chasles {

/// C^-1 B^T, M = C C^T: rows of B as columns, each scaled to length one, or zero if it is only rounding (out of the
/// plane of a planar mechanism). Coordinates that move no mass get a thousandth of the largest inertia: with zero
/// weight, two rows on the same massless joint would be parallel whatever their other entries are.
Eigen::MatrixXd unit_rows(Eigen::MatrixXd M, const Eigen::MatrixXd& B);

/// So many of the rows, by pivoted QR.
struct LeadingRows {
  std::vector<int> rows;  // numbers
  double pivot = 1;       // the square of what is left of the last of them across the others
  /// @param A  of unit_rows
  LeadingRows(const Eigen::MatrixXd& A, int count);
};

}  // namespace chasles
