/// Truncated Taylor series as a scalar: with it the formulas of lie/ give all derivatives of a
/// curve at once.
///
///     x(t) = c_0 + c_1 t + ... + c_{N-1} t^{N-1},    x^(k)(0) = k! c_k
#pragma once

#include <array>

#include "chasles/math/scalar.hpp"

namespace chasles {

template <int N>
struct Series {
  std::array<double, static_cast<std::size_t>(N)> c{};

  constexpr Series() = default;
  constexpr explicit Series(double constant) : c{constant} {}

  friend constexpr Series operator+(const Series& a, const Series& b) {
    Series s;
    for (std::size_t k = 0; k < N; ++k) s.c[k] = a.c[k] + b.c[k];
    return s;
  }
  friend constexpr Series operator-(const Series& a, const Series& b) {
    Series s;
    for (std::size_t k = 0; k < N; ++k) s.c[k] = a.c[k] - b.c[k];
    return s;
  }
  friend constexpr Series operator-(const Series& a) { return Series() - a; }
  /// Cauchy product.
  friend constexpr Series operator*(const Series& a, const Series& b) {
    Series s;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; i + j < N; ++j) s.c[i + j] += a.c[i] * b.c[j];
    return s;
  }
  constexpr bool operator==(const Series&) const = default;
};

}  // namespace chasles

namespace chasles::lie {

/// Branches are chosen by the value at t = 0.
template <int N>
struct ScalarTraits<Series<N>> {
  using Real = double;
  static constexpr double real_part(const Series<N>& s) { return s.c[0]; }
};

}  // namespace chasles::lie
