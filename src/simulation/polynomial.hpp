/// The polynomials of progressive springs, a x + b x^2 + c x^3, and dampers, a v + b v |v| + c v^3.
#pragma once

#include <array>
#include <cmath>

namespace chasles::forces {

struct SpringPolynomial {
  double a = 0;
  std::array<double, 2> more{};  // b, c

  double operator()(double x) const { return x * (a + x * (more[0] + x * more[1])); }
  double slope(double x) const { return a + x * (2 * more[0] + x * 3 * more[1]); }
  /// Its integral from 0.
  double integral(double x) const { return x * x * (a / 2 + x * (more[0] / 3 + x * more[1] / 4)); }
};

struct DamperPolynomial {
  double a = 0;
  std::array<double, 2> more{};  // b, c

  double operator()(double v) const { return v * (a + more[0] * std::abs(v) + more[1] * v * v); }
  double slope(double v) const { return a + 2 * more[0] * std::abs(v) + 3 * more[1] * v * v; }
};

}  // namespace chasles::forces
