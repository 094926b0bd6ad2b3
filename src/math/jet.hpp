/// Numbers with their partial derivatives by N variables (forward differentiation).
#pragma once

#include <array>
#include <cmath>

#include "chasles/math/scalar.hpp"

namespace chasles {

template <int N>
struct Jet {
  double value = 0;
  std::array<double, N> d{};

  constexpr Jet() = default;
  constexpr Jet(double x) : value(x) {}
  static Jet variable(double x, int k) {
    Jet a(x);
    a.d[static_cast<std::size_t>(k)] = 1;
    return a;
  }

  /// f(a, b) with partial derivatives f_a, f_b.
  friend Jet combine(double f, const Jet& a, double f_a, const Jet& b, double f_b) {
    Jet c(f);
    for (std::size_t k = 0; k < N; ++k) c.d[k] = f_a * a.d[k] + f_b * b.d[k];
    return c;
  }
  friend Jet scale(double f, const Jet& a, double f_a) {
    Jet c(f);
    for (std::size_t k = 0; k < N; ++k) c.d[k] = f_a * a.d[k];
    return c;
  }
  friend Jet operator+(const Jet& a, const Jet& b) {
    return combine(a.value + b.value, a, 1, b, 1);
  }
  friend Jet operator-(const Jet& a, const Jet& b) {
    return combine(a.value - b.value, a, 1, b, -1);
  }
  friend Jet operator-(const Jet& a) { return scale(-a.value, a, -1); }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return combine(a.value * b.value, a, b.value, b, a.value);
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    return combine(a.value / b.value, a, 1 / b.value, b, -a.value / (b.value * b.value));
  }
  friend Jet sqrt(const Jet& a) {
    const double root = std::sqrt(a.value);
    return scale(root, a, 0.5 / root);
  }
  friend Jet pow(const Jet& a, double n) {
    const double power = std::pow(a.value, n);
    return scale(power, a, n * power / a.value);
  }
};

namespace lie {
template <int N>
struct ScalarTraits<Jet<N>> {
  using Real = double;
  static constexpr double real_part(const Jet<N>& a) { return a.value; }
};
}  // namespace lie

}  // namespace chasles
