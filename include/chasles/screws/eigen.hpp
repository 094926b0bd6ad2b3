/// Conversion from and to Eigen: to_eigen(x) gives the fixed-size vector or matrix, from_eigen<X>(m) converts back. SO3
/// and SE3 are validated.
///
///     Eigen::Matrix<double, 6, 6> A = to_eigen(Ad_matrix(C));
///     SO3 R = from_eigen<SO3>(eigen_matrix);          // throws if it is not a rotation
///
/// The Eigen types are unaligned, so that they are compatible between units compiled with different flags (dense.hpp).
#pragma once

#include <Eigen/Core>

#include "chasles/export.hpp"
#include "chasles/lie/so3xr3.hpp"

namespace chasles CHASLES_API {
namespace lie {

template <class S, int rows, int columns>
using Unaligned = Eigen::Matrix<S, rows, columns, Eigen::ColMajor | Eigen::DontAlign>;

template <class X>
requires requires(const X& x) { coordinates(x); }
auto to_eigen(const X& x) {
  const auto a = coordinates(x);
  using Array = std::remove_const_t<decltype(a)>;
  return Unaligned<typename Array::value_type, static_cast<int>(std::tuple_size_v<Array>), 1>(
      a.data());
}
template <class S, int N>
Unaligned<S, N, N> to_eigen(const Matrix<S, N>& m) {
  return Eigen::Map<const Eigen::Matrix<S, N, N, Eigen::RowMajor>>(m.entries.data());
}
template <class S>
Unaligned<S, 3, 3> to_eigen(const Mat3<S>& m) {
  Unaligned<S, 3, 3> e;
  e << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
  return e;
}
template <class S>
Unaligned<S, 3, 3> to_eigen(const Sym3<S>& m) {
  return to_eigen(matrix(m));
}
template <class G>
requires requires(const G& g) { g.normalized(); }
auto to_eigen(const G& C) { return to_eigen(matrix(C)); }

namespace detail {
template <class S, class E>
Vec3<S> take(const E& e, Vec3<S>*) {
  return {e[0], e[1], e[2]};
}
template <SixVector X, class E>
X take(const E& e, X*) {
  return {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
}
template <class S, class E>
Mat3<S> take(const E& e, Mat3<S>*) {
  return Mat3<S>::rows({e(0, 0), e(0, 1), e(0, 2)}, {e(1, 0), e(1, 1), e(1, 2)},
                       {e(2, 0), e(2, 1), e(2, 2)});
}
template <class S, class E>
Sym3<S> take(const E& e, Sym3<S>*) {
  return symmetric_part(take(e, static_cast<Mat3<S>*>(nullptr)));
}
template <class S, int N, class E>
Matrix<S, N> take(const E& e, Matrix<S, N>*) {
  Matrix<S, N> m;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) m(i, j) = e(i, j);
  return m;
}
template <class S, class E>
SO3<S> take(const E& e, SO3<S>*) {
  return SO3<S>(take(e, static_cast<Mat3<S>*>(nullptr)));
}
template <class S, class E>
SE3<S> take(const E& e, SE3<S>*) {
  return SE3<S>::from_matrix(take(e, static_cast<Matrix<S, 4>*>(nullptr)));
}
}  // namespace detail

template <class X, class Derived>
X from_eigen(const Eigen::MatrixBase<Derived>& e) {
  return detail::take(e.derived().eval(), static_cast<X*>(nullptr));
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using lie::from_eigen;
using lie::to_eigen;
}  // namespace CHASLES_API
