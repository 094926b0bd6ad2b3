/// Rows of constraints in the metric of M: what their rank, and how far they are from losing it, is read from.
#pragma once

#include <Eigen/Core>

namespace chasles {

/// C^-1 B^T, M = C C^T: rows of B as columns, each of length one, or zero where it is rounding (across the plane of a
/// planar mechanism). Coordinates that move no mass weigh a thousandth of the largest inertia. In a metric where they
/// weighed nothing, two rows on the same massless joint would be parallel, whatever else they bind.
Eigen::MatrixXd unit_rows(Eigen::MatrixXd M, const Eigen::MatrixXd& B);

/// The square of what is left of the last of unit rows across all others, by pivoted QR; 1 if there are none.
double least_pivot(const Eigen::MatrixXd& rows);

}  // namespace chasles
