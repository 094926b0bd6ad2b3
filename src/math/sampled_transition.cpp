#include "math/sampled_transition.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/error.hpp"

namespace chasles {
namespace {

using Eigen::Index, Eigen::MatrixXd;

struct Delay {
  double whole, part;  // m, f of (1)
  Delay(double delay, double period)
      : whole(std::floor(delay / period + 1e-9)), part(std::max(0.0, delay - whole * period)) {}
};

}  // namespace

MatrixXd matrix_exponential(const MatrixXd& X) {
  const Index n = X.rows();
  MatrixXd sum = MatrixXd::Identity(n, n);
  if (n == 0) return sum;
  const double size = X.cwiseAbs().colwise().sum().maxCoeff();
  if (!std::isfinite(size))
    throw Error("the step of a linear system is not finite; take a shorter time");
  const int halvings = size > 1 ? std::ilogb(size) + 1 : 0;
  const MatrixXd part = std::ldexp(1.0, -halvings) * X;
  MatrixXd term = sum;
  // 1 / 20! is below the rounding of 1.
  for (int k = 1; k <= 20 && !term.isZero(0); ++k) {
    term = (part * term / k).eval();
    sum += term;
  }
  for (int k = 0; k < halvings; ++k) sum = (sum * sum).eval();
  return sum;
}

MatrixXd held_step(const MatrixXd& A, const MatrixXd& B, double h) {
  const Index n = A.rows(), m = B.cols();
  MatrixXd both = MatrixXd::Zero(n + m, n + m);
  both.topLeftCorner(n, n) = h * A;
  both.topRightCorner(n, m) = h * B;
  return matrix_exponential(both).topRows(n);
}

double kept_samples(double delay, double period) {
  const Delay d(delay, period);
  return d.whole + (d.part > 0 ? 1 : 0);
}

MatrixXd sampled_transition(const MatrixXd& A, std::span<const SampledInput> inputs,
                            double period) {
  const Index n = A.rows();
  Index rows = n;
  for (const SampledInput& in : inputs)
    rows += in.B.cols() * static_cast<Index>(kept_samples(in.delay, period));
  MatrixXd out = MatrixXd::Zero(rows, rows);
  out.topLeftCorner(n, n) = held_step(A, MatrixXd(n, 0), period);
  Index first = n;  // column of the first stored sample of this input
  for (const SampledInput& in : inputs) {
    const Index m = in.B.cols();
    const Delay d(in.delay, period);
    const auto past = static_cast<Index>(kept_samples(in.delay, period));
    // u_{k-i}, i = 1 ... past, in the columns from first + (i - 1) m on.
    const auto act = [&](Index i, const MatrixXd& Gamma) {
      if (i > 0)
        out.block(0, first + (i - 1) * m, n, m) += Gamma;
      else
        out.topLeftCorner(n, n) += Gamma * in.F;
    };
    const MatrixXd rest = held_step(A, in.B, period - d.part);
    act(d.part > 0 ? past - 1 : past, rest.rightCols(m));
    if (d.part > 0) act(past, rest.leftCols(n) * held_step(A, in.B, d.part).rightCols(m));
    if (past > 0) out.block(first, 0, m, n) = in.F;
    if (past > 1) out.block(first + m, first, (past - 1) * m, (past - 1) * m).setIdentity();
    first += past * m;
  }
  return out;
}

}  // namespace chasles
