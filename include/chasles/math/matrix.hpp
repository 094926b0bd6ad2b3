/// A small square matrix of any scalar, and the matrix of a linear operator: for output, analysis and tests. The
/// algorithms use the operators themselves, which are much cheaper than dense products.
#pragma once

#include <array>
#include <cstddef>

#include "chasles/export.hpp"
#include "chasles/math/linalg.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// N x N, row by row.
template <class S, int N>
struct Matrix {
  static constexpr int size = N;
  std::array<S, static_cast<std::size_t>(N* N)> entries{};

  constexpr S& operator()(int i, int j) {
    return entries[static_cast<std::size_t>(i) * N + static_cast<std::size_t>(j)];
  }
  constexpr const S& operator()(int i, int j) const {
    return entries[static_cast<std::size_t>(i) * N + static_cast<std::size_t>(j)];
  }
  constexpr bool operator==(const Matrix&) const = default;

  static constexpr Matrix identity() {
    Matrix m;
    for (int i = 0; i < N; ++i) m(i, i) = S(1);
    return m;
  }
  /// Writes a 3x3 block whose upper left corner is at (i, j).
  constexpr void set_block(int i, int j, const Mat3<S>& b) {
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) (*this)(i + k, j + l) = b(k, l);
  }
  /// Writes three entries of column j, from row i downwards.
  constexpr void set_column(int i, int j, const Vec3<S>& v) {
    for (int k = 0; k < 3; ++k) (*this)(i + k, j) = v[k];
  }

  friend constexpr Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix c;
    for (int i = 0; i < N; ++i)
      for (int k = 0; k < N; ++k)
        for (int j = 0; j < N; ++j) c(i, j) += a(i, k) * b(k, j);
    return c;
  }
};

/// The coordinates of x, an element of a vector space, as an array.
template <class S>
constexpr std::array<S, 3> coordinates(const Vec3<S>& v) {
  return {v.x, v.y, v.z};
}
template <class S>
constexpr Vec3<S> from_coordinates(const std::array<S, 3>& a, Vec3<S>*) {
  return {a[0], a[1], a[2]};
}

/// The element of X with coordinates a: `from_coordinates<Twist>({0, 0, 1, 0, 0, 0})`.
template <class X, class Array>
constexpr X from_coordinates(const Array& a) {
  return from_coordinates(a, static_cast<X*>(nullptr));
}

/// The matrix of a linear operator on X, by its columns op(e_j): `matrix_of<Twist>(dexp(X))`.
template <class X, class Operator>
constexpr auto matrix_of(const Operator& op) {
  using Array = decltype(coordinates(X{}));
  using S = typename Array::value_type;
  constexpr int n = static_cast<int>(std::tuple_size_v<Array>);
  Matrix<S, n> m;
  for (int j = 0; j < n; ++j) {
    Array unit{};
    unit[static_cast<std::size_t>(j)] = S(1);
    const auto column = coordinates(op(from_coordinates<X>(unit)));
    for (int i = 0; i < n; ++i) m(i, j) = column[static_cast<std::size_t>(i)];
  }
  return m;
}

}  // namespace lie
}  // namespace CHASLES_API
