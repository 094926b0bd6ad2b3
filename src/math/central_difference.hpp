/// Numerical derivatives of functions without analytic ones.
#pragma once

#include <Eigen/Core>

namespace chasles {

/// d/ds f(s) at 0, by central differences of order 8. With steps of 5e-3 rad or m, truncation and rounding are
/// near 1e-12 for functions of unit size.
template <class F>
Eigen::VectorXd central_difference(const F& f) {
  constexpr double h = 5e-3;
  constexpr double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  Eigen::VectorXd sum = weights[0] / h * (f(h) - f(-h));
  for (int k = 1; k < 4; ++k) sum += weights[k] / h * (f((k + 1) * h) - f(-(k + 1) * h));
  return sum;
}

}  // namespace chasles
