/// Comparisons of group elements, tangents and matrices, entry by entry.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "chasles/lie/so3xr3.hpp"
#include "chasles/screws/inertia.hpp"

namespace chasles::test {

template <class S, int N>
std::vector<S> entries(const lie::Matrix<S, N>& m) {
  return {m.entries.begin(), m.entries.end()};
}
template <class S>
std::vector<S> entries(const lie::Mat3<S>& m) {
  std::vector<S> v;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) v.push_back(m(i, j));
  return v;
}
template <class S>
std::vector<S> entries(const lie::Sym3<S>& m) {
  return {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
}
template <class S>
std::vector<S> entries(const lie::Inertia<S>& M) {
  const auto p = lie::parameters(M);
  return {p.begin(), p.end()};
}
template <class X>
requires requires(const X& x) { coordinates(x); }
auto entries(const X& x) {
  const auto a = coordinates(x);
  return std::vector(a.begin(), a.end());
}
template <class G>
requires requires(const G& g) { g.normalized(); }
auto entries(const G& g) { return entries(matrix(g)); }

/// The largest difference of two things of one kind.
template <class X>
double distance(const X& a, const X& b) {
  const auto p = entries(a), q = entries(b);
  double d = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double e = static_cast<double>(std::abs(p[i] - q[i]));
    if (!(e <= d)) d = e;  // not-a-number is kept
  }
  return d;
}

}  // namespace chasles::test

/// The largest difference of the entries of a and b is at most `tolerance`.
#define EXPECT_CLOSE(a, b, tolerance) EXPECT_LE(::chasles::test::distance((a), (b)), (tolerance))
