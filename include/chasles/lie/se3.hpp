/// SE(3), the group of rigid motions C = (R, r): p_0 = R p_b + r. Its Lie algebra consists of the screws X = (w; v) in
/// R^6.
///
///     C1 * C2, inverse(C), C * p  composition, inverse, action on a point
///     hat(X), vee(M)              R^6 and 4x4 matrices, 003 (68)
///     exp(X), log(C)              every motion is a screw motion: C = exp(X)
///     Ad(C, X), Ad_inv(C, X)      screws from the body to the reference frame, and back, 003 (73)
///     Ad_dual(C, W) = Ad_C^T W    wrenches from the reference frame to the body frame, 000 (120)
///     ad(X, Y) = [X, Y]           the screw product, 000 (114); ad_dual(X, W) = ad_X^T W
///     dexp(X), dexp_inv(X)        V^s = dexp_X Xdot, V^b = dexp_{-X} Xdot for C = exp(X), 000 (89)
///
///     SE3 C = exp(Twist{{0, 0, M_PI}, {0, -M_PI, 0}});  // half a turn about z through (1, 0, 0)
///     C * Vec3{0, 0, 0};                                // (2, 0, 0)
#pragma once

#include "chasles/export.hpp"
#include "chasles/lie/so3.hpp"
#include "chasles/lie/twist.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// @paper 000 (90)
/// @paper 001 (1)
/// @paper 003 (60), (61)
/// @paper 004 (3), (4)
template <class S>
struct SE3 {
  using Scalar = S;
  using Tangent = Twist<S>;
  using Cotangent = Wrench<S>;

  SO3<S> R;   // orientation: body axes in reference axes
  Vec3<S> r;  // position of the body-frame origin [m]

  static constexpr SE3 identity() { return {}; }

  /// A pose from its homogeneous matrix.
  /// @throws Error if the upper left block is not a rotation, the position is not finite or the
  /// last row is not (0, 0, 0, 1)
  static SE3 from_matrix(const Matrix<S, 4>& m);

  constexpr bool operator==(const SE3&) const = default;
  /// Removes drift of the rotation, see SO3::normalized.
  SE3 normalized() const { return {R.normalized(), r}; }

  friend constexpr SE3 operator*(const SE3& a, const SE3& b) {
    return {a.R * b.R, a.R * b.r + a.r};
  }
  friend constexpr Vec3<S> operator*(const SE3& a, const Vec3<S>& p) { return a.R * p + a.r; }
};

template <class S>
SE3<S> SE3<S>::from_matrix(const Matrix<S, 4>& m) {
  const std::array<S, 4> last{m(3, 0), m(3, 1), m(3, 2), m(3, 3)};
  if (last != std::array<S, 4>{S(0), S(0), S(0), S(1)})
    throw Error("not a rigid motion: the last row of the 4x4 matrix is " + tuple_text(last) +
                "; it must be (0, 0, 0, 1)");
  Mat3<S> R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = m(i, j);
  const Vec3<S> r{m(0, 3), m(1, 3), m(2, 3)};
  if (!is_finite(r))
    throw Error("not a rigid motion: the position is " + tuple_text(coordinates(r)) +
                "; give finite numbers");
  return {SO3<S>(R), r};
}

/// @paper 003 (62)
template <class S>
constexpr SE3<S> inverse(const SE3<S>& C) {
  return {inverse(C.R), -inverse_times(C.R, C.r)};
}
/// C^-1 p without forming the inverse.
template <class S>
constexpr Vec3<S> inverse_times(const SE3<S>& C, const Vec3<S>& p) {
  return inverse_times(C.R, p - C.r);
}
/// The homogeneous 4x4 matrix.
template <class S>
constexpr Matrix<S, 4> matrix(const SE3<S>& C) {
  Matrix<S, 4> m;
  m.set_block(0, 0, C.R.matrix());
  m.set_column(0, 3, C.r);
  m(3, 3) = S(1);
  return m;
}
/// @paper 001 (3)
/// @paper 003 (68), (78)
template <class S>
constexpr Matrix<S, 4> hat(const Twist<S>& X) {
  Matrix<S, 4> m;
  m.set_block(0, 0, hat(X.w));
  m.set_column(0, 3, X.v);
  return m;
}
/// Inverse of hat; for a general matrix, the screw of its skew part.
template <class S>
constexpr Twist<S> vee(const Matrix<S, 4>& m) {
  const S half(0.5);
  return {{half * (m(2, 1) - m(1, 2)), half * (m(0, 2) - m(2, 0)), half * (m(1, 0) - m(0, 1))},
          {m(0, 3), m(1, 3), m(2, 3)}};
}

/// exp(X) = (exp w, dexp_w v): with c the Stumpff functions, r = c1 v + c2 w x v + c3 (w.v) w. 001
/// (10) without its cancellation.
/// @paper 001 (10)
/// @paper 003 (69), (70)
/// @paper 004 (7)
template <class S>
SE3<S> exp(const Twist<S>& X) {
  const auto [w, x, dx] = rotation_vector(X.w);
  const auto c = stumpff(x, dx);
  return {SO3<S>::unchecked(rodrigues(w, c[0], c[1], c[2])),
          c[1] * X.v + c[2] * cross(w, X.v) + (c[3] * dot(w, X.v)) * w};
}
/// log(C) = (w, dexp_w^-1 r) with w = log R, |w| <= pi; sign at rotations by pi as in SO3. With v = sin(t/2) n and
/// g = (t/2) cot(t/2),  dexp_w^-1 r = g r - w x r / 2 + b v (v.r),  b = (1 - g) / |v|^2 = 1/3 + 2/15 |v|^2 + ...
template <class S>
Twist<S> log(const SE3<S>& C) {
  const auto [v, c, k] = half_angle(C.R);
  const S s2 = dot(v, v), g = k * c;
  const S b =
      real_part(s2) > Real<S>(1e-3)
          ? (S(1) - g) / s2
          : (S(1) + s2 * (S(2) / S(5) +
                          s2 * (S(8) / S(35) + s2 * (S(16) / S(105) + s2 * (S(128) / S(1155)))))) /
                S(3);
  return {(k + k) * v, g * C.r - k * cross(v, C.r) + (b * dot(v, C.r)) * v};
}

/// Ad_C = [[R, 0], [r~ R, R]].
/// @paper 000 (94), (95)
/// @paper 001 (7), (8)
/// @paper 002 (2.10)
/// @paper 003 (35), Remark 12, (71)-(73)
template <class S>
constexpr Twist<S> Ad(const SE3<S>& C, const Twist<S>& X) {
  const Vec3<S> w = C.R * X.w;
  return {w, C.R * X.v + cross(C.r, w)};
}
/// @paper 003 (20), Remark 7
template <class S>
constexpr Twist<S> Ad_inv(const SE3<S>& C, const Twist<S>& X) {
  return {inverse_times(C.R, X.w), inverse_times(C.R, X.v - cross(C.r, X.w))};
}
/// Ad_C^T W: the wrench W, given in the reference frame, in the frame whose pose is C.
/// @paper 000 (120)
template <class S>
constexpr Wrench<S> Ad_dual(const SE3<S>& C, const Wrench<S>& W) {
  return {inverse_times(C.R, W.t - cross(C.r, W.f)), inverse_times(C.R, W.f)};
}
/// Ad_C^-T W: the wrench W, given in the frame whose pose is C, in the reference frame.
template <class S>
constexpr Wrench<S> Ad_inv_dual(const SE3<S>& C, const Wrench<S>& W) {
  const Vec3<S> f = C.R * W.f;
  return {C.R * W.t + cross(C.r, f), f};
}
/// ad_X = [[w~, 0], [v~, w~]].
/// @paper 000 (113), (114), (116), section B.1
/// @paper 001 (6)
/// @paper 004 (6)
template <class S>
constexpr Twist<S> ad(const Twist<S>& X, const Twist<S>& Y) {
  return {cross(X.w, Y.w), cross(X.v, Y.w) + cross(X.w, Y.v)};
}
template <class S>
constexpr Wrench<S> ad_dual(const Twist<S>& X, const Wrench<S>& W) {
  return {cross(W.t, X.w) + cross(W.f, X.v), cross(W.f, X.w)};
}

/// The operator [[A(w), 0], [DA(w)[v], A(w)]] on screws, A isotropic: A over the dual numbers, 001 (20), (23).
template <class S>
struct SE3Map {
  Isotropic<S> A;
  Vec3<S> v;
  constexpr Twist<S> operator()(const Twist<S>& Y) const {
    return {A.apply(Y.w), A.apply(Y.v) + A.derivative(v, Y.w)};
  }
  constexpr Wrench<S> dual(const Wrench<S>& W) const {
    const Isotropic<S> T = A.transposed();
    return {T.apply(W.t) + T.derivative(v, W.f), T.apply(W.f)};
  }
  /// Its derivative along Y, applied to Z.
  constexpr Twist<S> derivative(const Twist<S>& Y, const Twist<S>& Z) const {
    return {A.derivative(Y.w, Z.w),
            A.derivative(Y.w, Z.v) + A.second_derivative(v, Y.w, Z.w) + A.derivative(Y.v, Z.w)};
  }
};

/// @paper 001 Lemma 1, (20)-(22)
template <class S>
SE3Map<S> dexp(const Twist<S>& X) {
  return {dexp_isotropic<1>(X.w), X.v};
}
/// @paper 001 Lemma 1, (23), (24)
/// @paper 004 (9)
template <class S>
SE3Map<S> dexp_inv(const Twist<S>& X) {
  return {dexp_inv_isotropic<1>(X.w), X.v};
}
/// d/ds dexp(X + s Y) Z at s = 0.
template <class S>
Twist<S> d_dexp(const Twist<S>& X, const Twist<S>& Y, const Twist<S>& Z) {
  return SE3Map<S>{dexp_isotropic<2>(X.w), X.v}.derivative(Y, Z);
}
/// d/ds dexp_inv(X + s Y) Z at s = 0.
template <class S>
Twist<S> d_dexp_inv(const Twist<S>& X, const Twist<S>& Y, const Twist<S>& Z) {
  return SE3Map<S>{dexp_inv_isotropic<2>(X.w), X.v}.derivative(Y, Z);
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using SE3 = lie::SE3<double>;
}  // namespace CHASLES_API
