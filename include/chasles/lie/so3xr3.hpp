/// SO(3) x R^3, the direct product of orientation and position, paper 004 section 2.2.
///
///     (R1, r1) * (R2, r2) = (R1 R2, r1 + r2)
///
/// Not the group of rigid motions: its product is not a change of frame, and it has no screw motions. It is the
/// classical configuration space of integrators in maximal coordinates, where C^-1 Cdot is the mixed twist V^m = (w^b;
/// rdot) and Cdot C^-1 the hybrid twist V^h = (w^s; rdot), 003 Remark 17. Every map acts separately on SO(3) and R^3.
///
///     SO3xR3 C = exp(MixedTwist{{0, 0, M_PI / 2}, {1, 2, 3}});  // quarter turn, at (1, 2, 3)
#pragma once

#include "chasles/export.hpp"
#include "chasles/lie/se3.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// @paper 003 Remark 17
/// @paper 004 section 2.2, (15)
template <class S>
struct SO3xR3 {
  using Scalar = S;
  using Tangent = MixedTwist<S>;
  using Cotangent = MixedWrench<S>;

  SO3<S> R;
  Vec3<S> r;

  static constexpr SO3xR3 identity() { return {}; }
  constexpr bool operator==(const SO3xR3&) const = default;
  SO3xR3 normalized() const { return {R.normalized(), r}; }

  friend constexpr SO3xR3 operator*(const SO3xR3& a, const SO3xR3& b) {
    return {a.R * b.R, a.r + b.r};
  }
  /// Action of the rigid motion (R, r) on points of the body: (A * B) * p is not A * (B * p).
  friend constexpr Vec3<S> operator*(const SO3xR3& a, const Vec3<S>& p) { return a.R * p + a.r; }
};

/// The twist of a body with pose C as a tangent of this group, V^m = (w^b; R v^b), and back.
/// @paper 004 (19)
/// @paper 003 Remark 17
template <class S>
constexpr MixedTwist<S> mixed_twist(const Twist<S>& V_b, const SO3xR3<S>& C) {
  return {V_b.w, C.R * V_b.v};
}
template <class S>
constexpr Twist<S> body_twist(const MixedTwist<S>& V_m, const SO3xR3<S>& C) {
  return {V_m.w, inverse_times(C.R, V_m.v)};
}
/// The same configuration as an element of the other group.
template <class S>
constexpr SE3<S> to_se3(const SO3xR3<S>& C) {
  return {C.R, C.r};
}
template <class S>
constexpr SO3xR3<S> to_so3xr3(const SE3<S>& C) {
  return {C.R, C.r};
}

template <class S>
constexpr SO3xR3<S> inverse(const SO3xR3<S>& C) {
  return {inverse(C.R), -C.r};
}
/// A faithful 7x7 matrix: diag(R, [[I, r], [0, 1]]).
template <class S>
constexpr Matrix<S, 7> matrix(const SO3xR3<S>& C) {
  auto m = Matrix<S, 7>::identity();
  m.set_block(0, 0, C.R.matrix());
  m.set_column(3, 6, C.r);
  return m;
}
template <class S>
constexpr Matrix<S, 7> hat(const MixedTwist<S>& X) {
  Matrix<S, 7> m;
  m.set_block(0, 0, hat(X.w));
  m.set_column(3, 6, X.v);
  return m;
}
template <class S>
constexpr MixedTwist<S> vee(const Matrix<S, 7>& m) {
  const S half(0.5);
  return {{half * (m(2, 1) - m(1, 2)), half * (m(0, 2) - m(2, 0)), half * (m(1, 0) - m(0, 1))},
          {m(3, 6), m(4, 6), m(5, 6)}};
}

/// @paper 004 (17)
template <class S>
SO3xR3<S> exp(const MixedTwist<S>& X) {
  return {exp(X.w), X.v};
}
template <class S>
MixedTwist<S> log(const SO3xR3<S>& C) {
  return {log(C.R), C.r};
}

template <class S>
constexpr MixedTwist<S> Ad(const SO3xR3<S>& C, const MixedTwist<S>& X) {
  return {C.R * X.w, X.v};
}
template <class S>
constexpr MixedTwist<S> Ad_inv(const SO3xR3<S>& C, const MixedTwist<S>& X) {
  return {inverse_times(C.R, X.w), X.v};
}
template <class S>
constexpr MixedWrench<S> Ad_dual(const SO3xR3<S>& C, const MixedWrench<S>& W) {
  return {inverse_times(C.R, W.t), W.f};
}
template <class S>
constexpr MixedWrench<S> Ad_inv_dual(const SO3xR3<S>& C, const MixedWrench<S>& W) {
  return {C.R * W.t, W.f};
}
/// @paper 004 (16)
template <class S>
constexpr MixedTwist<S> ad(const MixedTwist<S>& X, const MixedTwist<S>& Y) {
  return {cross(X.w, Y.w), {}};
}
template <class S>
constexpr MixedWrench<S> ad_dual(const MixedTwist<S>& X, const MixedWrench<S>& W) {
  return {cross(W.t, X.w), {}};
}

/// An operator of so(3) and the identity on R^3.
template <class S>
struct SO3xR3Map {
  SO3Map<S> A;
  constexpr MixedTwist<S> operator()(const MixedTwist<S>& Y) const { return {A(Y.w), Y.v}; }
  constexpr MixedWrench<S> dual(const MixedWrench<S>& W) const { return {A.dual(W.t), W.f}; }
};

/// @paper 004 (18)
template <class S>
SO3xR3Map<S> dexp(const MixedTwist<S>& X) {
  return {dexp(X.w)};
}
template <class S>
SO3xR3Map<S> dexp_inv(const MixedTwist<S>& X) {
  return {dexp_inv(X.w)};
}
/// d/ds dexp(X + s Y) Z at s = 0.
template <class S>
MixedTwist<S> d_dexp(const MixedTwist<S>& X, const MixedTwist<S>& Y, const MixedTwist<S>& Z) {
  return {d_dexp(X.w, Y.w, Z.w), {}};
}
/// d/ds dexp_inv(X + s Y) Z at s = 0.
template <class S>
MixedTwist<S> d_dexp_inv(const MixedTwist<S>& X, const MixedTwist<S>& Y, const MixedTwist<S>& Z) {
  return {d_dexp_inv(X.w, Y.w, Z.w), {}};
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using SO3xR3 = lie::SO3xR3<double>;
}  // namespace CHASLES_API
