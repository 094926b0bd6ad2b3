/// Functions of truncated Taylor series (math/series.hpp), from the Taylor coefficients of the function at x = a_0:
///
///     f(a(t)) = f_0 + f_1 h + ... + f_{N-1} h^{N-1},     h = a(t) - a_0                              (1)
#pragma once

#include <cmath>

#include "math/series.hpp"

namespace chasles {

/// (1), by Horner's scheme.
template <int N>
Series<N> compose(const Series<N>& a, const std::array<double, static_cast<std::size_t>(N)>& f) {
  Series<N> h = a, sum(f[N - 1]);
  h.c[0] = 0;
  for (std::size_t k = N - 1; k-- > 0;) sum = sum * h + Series<N>(f[k]);
  return sum;
}
/// x^p. Terms beyond the degree of a whole power are zero also at x = 0.
template <int N>
Series<N> power_of(const Series<N>& a, double p) {
  std::array<double, static_cast<std::size_t>(N)> f{};
  double factor = 1;  // p (p - 1) ... (p - k + 1) / k!
  for (std::size_t k = 0; k < N && factor != 0; ++k) {
    f[k] = factor * std::pow(a.c[0], p - static_cast<double>(k));
    factor *= (p - static_cast<double>(k)) / static_cast<double>(k + 1);
  }
  return compose(a, f);
}
template <int N>
Series<N> operator/(const Series<N>& a, const Series<N>& b) {
  return a * power_of(b, -1);
}
template <int N>
Series<N> sqrt(const Series<N>& a) {
  return power_of(a, 0.5);
}
/// Sine; with a quarter turn more, cosine.
template <int N>
Series<N> sine(const Series<N>& a, int quarter_turns = 0) {
  const double s = std::sin(a.c[0]), c = std::cos(a.c[0]), values[] = {s, c, -s, -c};
  std::array<double, static_cast<std::size_t>(N)> f{};
  double factorial = 1;
  for (std::size_t k = 0; k < N; factorial *= static_cast<double>(++k))
    f[k] = values[(k + static_cast<std::size_t>(quarter_turns)) % 4] / factorial;
  return compose(a, f);
}
template <int N>
Series<N> exp(const Series<N>& a) {
  std::array<double, static_cast<std::size_t>(N)> f{std::exp(a.c[0])};
  for (std::size_t k = 1; k < N; ++k) f[k] = f[k - 1] / static_cast<double>(k);
  return compose(a, f);
}
/// The series with the value a0 and the derivative `rate`, whose last coefficient is not used.
template <int N>
Series<N> integral(double a0, const Series<N>& rate) {
  Series<N> out(a0);
  for (std::size_t k = 1; k < N; ++k) out.c[k] = rate.c[k - 1] / static_cast<double>(k);
  return out;
}
template <int N>
Series<N> derivative(const Series<N>& a) {
  Series<N> out;
  for (std::size_t k = 1; k < N; ++k) out.c[k - 1] = static_cast<double>(k) * a.c[k];
  return out;
}
template <int N>
Series<N> log(const Series<N>& a) {
  return integral(std::log(a.c[0]), derivative(a) / a);
}
/// With the rate (x y' - y x') / (x^2 + y^2).
template <int N>
Series<N> atan2(const Series<N>& y, const Series<N>& x) {
  return integral(std::atan2(y.c[0], x.c[0]),
                  (x * derivative(y) - y * derivative(x)) / (x * x + y * y));
}

}  // namespace chasles
