/// Vectors, matrices and symmetric matrices of size 3 as plain structs, used throughout the project. Scalar-generic, no
/// heap, no alignment requirements. Conversion from and to Eigen: screws/eigen.hpp.
///
///     Vec3 a{1, 0, 0}, b{0, 1, 0};
///     cross(a, b);              // (0, 0, 1)
///     Mat3 R = hat(a);  // hat(a) * b == cross(a, b)
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "chasles/export.hpp"
#include "chasles/math/scalar.hpp"

namespace chasles CHASLES_API {
namespace lie {

template <class S>
struct Vec3 {
  S x{}, y{}, z{};

  constexpr S& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const S& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  constexpr bool operator==(const Vec3&) const = default;

  constexpr Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  constexpr Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
  friend constexpr Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend constexpr Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(const S& s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend constexpr Vec3 operator*(const Vec3& a, const S& s) { return s * a; }
  friend constexpr Vec3 operator/(const Vec3& a, const S& s) { return {a.x / s, a.y / s, a.z / s}; }
};

template <class S>
constexpr S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
constexpr Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S>
S norm(const Vec3<S>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}
template <class S>
bool is_finite(const Vec3<S>& a) {
  return std::isfinite(real_part(a.x)) && std::isfinite(real_part(a.y)) &&
         std::isfinite(real_part(a.z));
}
/// The largest of |x|, |y|, |z| of the real parts; NaN if one of them is NaN.
template <class S>
Real<S> max_abs(const Vec3<S>& a) {
  using std::abs, std::max;
  const Real<S> x = abs(real_part(a.x)), y = abs(real_part(a.y)), z = abs(real_part(a.z)),
                sum = x + y + z;
  return sum != sum ? sum : max(max(x, y), z);
}

/// A 3x3 matrix by its columns.
template <class S>
struct Mat3 {
  Vec3<S> c0, c1, c2;

  static constexpr Mat3 identity() {
    return {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}};
  }
  static constexpr Mat3 rows(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c) {
    return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
  }
  constexpr Vec3<S>& column(int j) { return j == 0 ? c0 : j == 1 ? c1 : c2; }
  constexpr const Vec3<S>& column(int j) const { return j == 0 ? c0 : j == 1 ? c1 : c2; }
  constexpr S& operator()(int i, int j) { return column(j)[i]; }
  constexpr const S& operator()(int i, int j) const { return column(j)[i]; }
  constexpr bool operator==(const Mat3&) const = default;

  friend constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
  }
  friend constexpr Mat3 operator-(const Mat3& a, const Mat3& b) {
    return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
  }
  friend constexpr Mat3 operator*(const S& s, const Mat3& a) {
    return {s * a.c0, s * a.c1, s * a.c2};
  }
  friend constexpr Vec3<S> operator*(const Mat3& a, const Vec3<S>& v) {
    return v.x * a.c0 + v.y * a.c1 + v.z * a.c2;
  }
  friend constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
    return {a * b.c0, a * b.c1, a * b.c2};
  }
};

template <class S>
constexpr Mat3<S> transpose(const Mat3<S>& a) {
  return Mat3<S>::rows(a.c0, a.c1, a.c2);
}
/// a^T v without forming a^T.
template <class S>
constexpr Vec3<S> transpose_times(const Mat3<S>& a, const Vec3<S>& v) {
  return {dot(a.c0, v), dot(a.c1, v), dot(a.c2, v)};
}
/// a^T b without forming a^T.
template <class S>
constexpr Mat3<S> transpose_times(const Mat3<S>& a, const Mat3<S>& b) {
  return {transpose_times(a, b.c0), transpose_times(a, b.c1), transpose_times(a, b.c2)};
}
template <class S>
constexpr S trace(const Mat3<S>& a) {
  return a.c0.x + a.c1.y + a.c2.z;
}
template <class S>
constexpr S determinant(const Mat3<S>& a) {
  return dot(a.c0, cross(a.c1, a.c2));
}
/// a b^T.
template <class S>
constexpr Mat3<S> outer(const Vec3<S>& a, const Vec3<S>& b) {
  return {b.x * a, b.y * a, b.z * a};
}
/// w~, the matrix of the cross product: hat(w) * y = cross(w, y).
/// @paper 001 (4)
template <class S>
constexpr Mat3<S> hat(const Vec3<S>& w) {
  return {{S(0), w.z, -w.y}, {-w.z, S(0), w.x}, {w.y, -w.x, S(0)}};
}
/// Inverse of hat; for a general matrix, the vector of its skew part.
template <class S>
constexpr Vec3<S> vee(const Mat3<S>& a) {
  return S(0.5) * Vec3<S>{a.c1.z - a.c2.y, a.c2.x - a.c0.z, a.c0.y - a.c1.x};
}

/// A symmetric 3x3 matrix by its six entries, in the order of a URDF inertia.
template <class S>
struct Sym3 {
  S xx{}, xy{}, xz{}, yy{}, yz{}, zz{};

  static constexpr Sym3 diagonal(const S& a, const S& b, const S& c) {
    return {a, S(0), S(0), b, S(0), c};
  }
  static constexpr Sym3 identity() { return diagonal(S(1), S(1), S(1)); }
  constexpr bool operator==(const Sym3&) const = default;

  friend constexpr Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
  }
  friend constexpr Sym3 operator-(const Sym3& a, const Sym3& b) { return a + S(-1) * b; }
  friend constexpr Sym3 operator*(const S& s, const Sym3& a) {
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
  }
  friend constexpr Vec3<S> operator*(const Sym3& a, const Vec3<S>& v) {
    return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
            a.xz * v.x + a.yz * v.y + a.zz * v.z};
  }
};

template <class S>
constexpr S trace(const Sym3<S>& a) {
  return a.xx + a.yy + a.zz;
}
template <class S>
constexpr Mat3<S> matrix(const Sym3<S>& a) {
  return {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}
/// (a + a^T) / 2.
template <class S>
constexpr Sym3<S> symmetric_part(const Mat3<S>& a) {
  const S half(0.5);
  return {a.c0.x, half * (a.c0.y + a.c1.x), half * (a.c0.z + a.c2.x),
          a.c1.y, half * (a.c1.z + a.c2.y), a.c2.z};
}
/// a b^T + b a^T.
template <class S>
constexpr Sym3<S> symmetric_outer(const Vec3<S>& a, const Vec3<S>& b) {
  return {S(2) * a.x * b.x, a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x,
          S(2) * a.y * b.y, a.y * b.z + a.z * b.y, S(2) * a.z * b.z};
}
/// R a R^T: transforms the symmetric tensor a from the axes of a frame to the reference axes of R.
template <class S>
constexpr Sym3<S> rotate(const Mat3<S>& R, const Sym3<S>& a) {
  const Mat3<S> T = R * matrix(a);
  const auto entry = [&](int i, int j) {
    return T(i, 0) * R(j, 0) + T(i, 1) * R(j, 1) + T(i, 2) * R(j, 2);
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using Vec3 = lie::Vec3<double>;
using Mat3 = lie::Mat3<double>;
using Sym3 = lie::Sym3<double>;
}  // namespace CHASLES_API
