/// Levenberg-Marquardt least squares on the configuration space: minimize |r(q)|^2,
/// q <- plus(q, d) with
///
///     (A^T A + mu s) d = -A^T r,     A = dr/dv,     s the mean square of the rows of A            (1)
///
/// mu decreases after success and increases after failure; it is at least min((100 |r|)^2, 1e-6). No entry of a step
/// exceeds 1/2.
#pragma once

#include <cmath>
#include <utility>

#include "chasles/kinematics/kinematics.hpp"
#include "math/decompositions.hpp"

namespace chasles {

/// Columns of B. Rows of which only rounding errors are left there are zero: an equation of other coordinates.
inline Eigen::MatrixXd columns_of(const Eigen::MatrixXd& B, const std::vector<int>& list) {
  Eigen::MatrixXd out(B.rows(), static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k)
    out.col(static_cast<Eigen::Index>(k)) = B.col(list[k]);
  if (list.empty()) return out;
  for (Eigen::Index i = 0; i < out.rows(); ++i)
    if (out.row(i).norm() < 1e-12 * B.row(i).norm()) out.row(i).setZero();
  return out;
}

/// @param q     start on entry, result on return
/// @param free  the entries of v that may move
/// @returns the number of iterations
template <class Residual, class Slope>
int minimize(const Model& model, Vector& q, const std::vector<int>& free, int iterations,
             const Residual& residual, const Slope& slope) {
  constexpr double closed = 1e-13;
  // A gap below this that hardly shrinks comes from equations that contradict each other in their last digits: stop
  // rather than go far to where they contradict each other slightly less.
  constexpr double digits = 1e-5;
  const auto size_of = [](const Eigen::VectorXd& r) {
    const double size = r.norm();
    return std::isfinite(size) ? size : HUGE_VAL;
  };
  Eigen::VectorXd r = residual(q);
  double gap = size_of(r), mu = 1e-4;
  Vector there(model.nq()), d = Vector::Zero(model.nv());
  Eigen::MatrixXd A, normal;  // where the last step succeeded
  double s = 0;
  bool moved = true, wide = false;
  int k = 0;
  for (int idle = 0; k < iterations && gap > closed && !free.empty(); ++k) {
    if (idle >= (gap < digits ? 6 : 30)) break;
    if (std::exchange(moved, false)) {
      A = columns_of(slope(q), free);
      s = std::max(A.squaredNorm() / static_cast<double>(A.rows()), 1e-300);
      // The smaller of the two normal matrices; solve_ldlt reads the lower half.
      wide = A.rows() < A.cols();
      const Eigen::Index size = std::min(A.rows(), A.cols());
      normal.setZero(size, size);
      auto half = normal.selfadjointView<Eigen::Lower>();
      if (wide)
        half.rankUpdate(A);
      else
        half.rankUpdate(A.transpose());
    }
    Eigen::MatrixXd damped = normal;
    damped.diagonal().array() += std::max(mu, std::min(1e-6, 1e4 * gap * gap)) * s;
    Eigen::VectorXd step;
    if (wide)
      step = -A.transpose() * solve_ldlt(damped, r);
    else
      step = -solve_ldlt(damped, A.transpose() * r);
    if (const double longest = step.cwiseAbs().maxCoeff(); longest > 0.5) step *= 0.5 / longest;
    for (std::size_t c = 0; c < free.size(); ++c) d[free[c]] = step[static_cast<Eigen::Index>(c)];
    plus(model, q, d, there);
    const Eigen::VectorXd next = residual(there);
    if (const double gap_there = size_of(next); gap_there < gap) {
      idle = gap_there < (gap < digits ? 0.9 : 0.999) * gap ? 0 : idle + 1;
      q = there, r = next, gap = gap_there;
      mu = std::max(mu / 10, 1e-16);
      moved = true;
    } else {
      ++idle;
      mu = std::min(mu * 4, 1e8);
    }
  }
  return k;
}

}  // namespace chasles
