/// Interpolating cubic splines: (1) of math/curve.hpp. Arguments are checked by the callers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "chasles/math/curve.hpp"

namespace chasles {

struct CubicSpline {
  std::vector<double> x, y, m;  // points, second derivatives there

  double h(std::size_t i) const { return x[i + 1] - x[i]; }
  double slope(std::size_t i) const { return (y[i + 1] - y[i]) / h(i); }
  /// First derivative at the beginning of piece i.
  double start_slope(std::size_t i) const { return slope(i) - h(i) * (2 * m[i] + m[i + 1]) / 6; }

  void solve(Curve::Ends ends);
  /// At x_i + s.
  CurveValue piece(std::size_t i, double s) const {
    const double third = (m[i + 1] - m[i]) / h(i), v = start_slope(i);
    return {y[i] + s * (v + s * (m[i] / 2 + s * third / 6)), v + s * (m[i] + s * third / 2),
            m[i] + s * third};
  }
  /// Between the first and the last point.
  CurveValue inside(double at) const {
    const auto after = std::upper_bound(x.begin(), x.end(), at) - x.begin();
    const auto last = static_cast<std::ptrdiff_t>(x.size()) - 2;
    const auto i = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, last));
    return piece(i, at - x[i]);
  }
  /// Whether all coefficients are finite.
  bool is_finite() const {
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
      for (const double s : {0.0, h(i)}) {
        const CurveValue value = piece(i, s);
        if (!std::isfinite(value.f) || !std::isfinite(value.df) || !std::isfinite(value.ddf))
          return false;
      }
    return true;
  }
};

}  // namespace chasles
