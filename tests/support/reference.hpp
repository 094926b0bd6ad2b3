/// Independent evaluation in quadruple precision: matrix power series and elimination, none of the
/// closed forms of lie/.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "chasles/lie/so3xr3.hpp"

namespace chasles::reference {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif

template <int N>
using QMatrix = lie::Matrix<Quad, N>;

inline Quad abs(Quad a) { return a < 0 ? -a : a; }

template <int N>
QMatrix<N> sum(QMatrix<N> a, const QMatrix<N>& b, Quad factor = 1) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) a(i, j) += factor * b(i, j);
  return a;
}
template <int N>
QMatrix<N> scaled(const QMatrix<N>& a, Quad factor) {
  return sum(QMatrix<N>{}, a, factor);
}
template <int N>
Quad largest(const QMatrix<N>& a) {
  Quad m = 0;
  for (const Quad& entry : a.entries) m = std::max(m, abs(entry));
  return m;
}

/// sum_k A^k / (k+1)! (shift 1: dexp) or sum_k A^k / k! (shift 0: exp).
template <int N>
QMatrix<N> series(const QMatrix<N>& A, int shift) {
  QMatrix<N> result = QMatrix<N>::identity(), power = result;
  for (int k = 1; k < 400; ++k) {
    power = scaled(power * A, Quad(1) / (k + shift));
    result = sum(result, power);
    if (largest(power) < Quad(1e-36) * largest(result) && k > 3) break;
  }
  return result;
}

/// Gauss-Jordan with partial pivoting.
template <int N>
QMatrix<N> inverted(QMatrix<N> a) {
  auto b = QMatrix<N>::identity();
  for (int c = 0; c < N; ++c) {
    int pivot = c;
    for (int i = c + 1; i < N; ++i)
      if (abs(a(i, c)) > abs(a(pivot, c))) pivot = i;
    for (int j = 0; j < N; ++j) std::swap(a(c, j), a(pivot, j)), std::swap(b(c, j), b(pivot, j));
    const Quad d = 1 / a(c, c);
    for (int j = 0; j < N; ++j) a(c, j) *= d, b(c, j) *= d;
    for (int i = 0; i < N; ++i) {
      if (i == c) continue;
      const Quad f = a(i, c);
      for (int j = 0; j < N; ++j) a(i, j) -= f * a(c, j), b(i, j) -= f * b(c, j);
    }
  }
  return b;
}

/// A plain matrix of any source scalar, in quadruple precision.
template <class S, int N>
QMatrix<N> quad(const lie::Matrix<S, N>& m) {
  QMatrix<N> q;
  for (std::size_t i = 0; i < m.entries.size(); ++i) q.entries[i] = static_cast<Quad>(m.entries[i]);
  return q;
}
template <class S>
QMatrix<3> quad(const lie::Mat3<S>& m) {
  QMatrix<3> q;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) q(i, j) = static_cast<Quad>(m(i, j));
  return q;
}

template <int N>
auto vee(const QMatrix<N>& m) {
  if constexpr (N == 3) {
    lie::Mat3<Quad> a;
    a.c0 = {m(0, 0), m(1, 0), m(2, 0)}, a.c1 = {m(0, 1), m(1, 1), m(2, 1)},
    a.c2 = {m(0, 2), m(1, 2), m(2, 2)};
    return lie::coordinates(lie::vee(a));
  } else {
    return lie::coordinates(lie::vee(m));
  }
}

/// The matrix of y -> vee(f(hat(y))), f linear on the algebra that X belongs to.
template <class X, class F>
auto operator_matrix(const F& f) {
  constexpr int n = static_cast<int>(std::tuple_size_v<decltype(coordinates(X{}))>);
  QMatrix<n> m;
  for (int j = 0; j < n; ++j) {
    auto unit = coordinates(X{});
    unit[static_cast<std::size_t>(j)] = 1;
    const auto column = reference::vee(f(quad(hat(lie::from_coordinates<X>(unit)))));
    for (int i = 0; i < n; ++i) m(i, j) = column[static_cast<std::size_t>(i)];
  }
  return m;
}
/// ad_x as the commutator of matrices.
template <class X>
auto ad(const X& x) {
  const auto x_hat = quad(hat(x));
  return operator_matrix<X>(
      [&](const auto& y_hat) { return sum(x_hat * y_hat, y_hat * x_hat, -1); });
}
/// x + s y, both exact, as an ad matrix.
template <class X>
auto ad_along(const X& x, const X& y, Quad s) {
  return sum(reference::ad(x), reference::ad(y), s);
}
template <class X>
auto exp(const X& x) {
  return series(quad(hat(x)), 0);
}
template <class X>
auto dexp(const X& x) {
  return series(reference::ad(x), 1);
}
/// d/ds of dexp (or its inverse) along y by a central difference: truncation 1e-20, rounding 1e-24.
template <class X>
auto d_dexp(const X& x, const X& y, bool inverse) {
  const Quad h = Quad(1e-10);
  auto plus = series(ad_along(x, y, h), 1), minus = series(ad_along(x, y, -h), 1);
  if (inverse) plus = inverted(plus), minus = inverted(minus);
  return scaled(sum(plus, minus, -1), 1 / (2 * h));
}

/// The largest error of `got` in units in the last place of the largest entry of `want`, or of
/// `data` if that is larger.
template <class S>
double ulps(const std::vector<S>& got, const std::vector<Quad>& want, S data = 0) {
  Quad dominant = static_cast<Quad>(data), error = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    dominant = std::max(dominant, abs(want[i]));
    error = std::max(error, abs(want[i] - static_cast<Quad>(got[i])));
    if (!std::isfinite(got[i])) return std::numeric_limits<double>::infinity();
  }
  if (dominant == 0) return error == 0 ? 0 : std::numeric_limits<double>::infinity();
  const auto exponent = std::ilogb(static_cast<long double>(dominant));
  const auto ulp = std::max(std::scalbn(1.0L, exponent + 1 - std::numeric_limits<S>::digits),
                            static_cast<long double>(std::numeric_limits<S>::denorm_min()));
  return static_cast<double>(static_cast<long double>(error) / ulp);
}
template <class S, int N>
double ulps(const lie::Matrix<S, N>& got, const QMatrix<N>& want, S data = 0) {
  return ulps(std::vector<S>(got.entries.begin(), got.entries.end()),
              std::vector<Quad>(want.entries.begin(), want.entries.end()), data);
}

}  // namespace chasles::reference
