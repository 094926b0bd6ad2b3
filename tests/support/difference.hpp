/// Derivatives by finite differences.
#pragma once

namespace chasles::test {

/// df/dt at 0 by the central difference of order 8 with step h; of 0.01, truncation and rounding are
/// near 1e-12 for functions of unit size.
template <class F>
auto derivative(const F& f, double h = 0.01) {
  const double w[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  using Value = decltype(f(h));
  Value d = (w[0] / h) * (f(h) - f(-h));
  for (int k = 1; k < 4; ++k) d = Value(d + (w[k] / h) * (f((k + 1) * h) - f(-(k + 1) * h)));
  return d;
}

}  // namespace chasles::test
