/// Sizes of matrices, for what results are compared with.
#pragma once

#include <algorithm>

#include "math/decompositions.hpp"

namespace chasles::test {

inline double largest(const Eigen::MatrixXd& m) {
  return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff();
}

/// The condition of M, units aside: of the matrix scaled to a diagonal of ones.
inline double condition(const Eigen::MatrixXd& M) {
  const Eigen::VectorXd s = M.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd e = symmetric_eigenvalues(s.asDiagonal() * M * s.asDiagonal());
  // Of a singular matrix the smallest is a rounding error of either sign.
  return e.maxCoeff() / std::max(e.minCoeff(), 1e-16);
}

}  // namespace chasles::test
