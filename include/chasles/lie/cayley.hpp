/// The Cayley map of each group, its inverse, its differential and the inverse differential: rational alternatives to
/// exp, log, dexp and dexp_inv. No trigonometry; singular only at rotations by pi.
///
///     cay(X) = (I - X^/2)^-1 (I + X^/2),     dcay_X Y^ = (I - X^/2)^-1 Y^ (I + X^/2)^-1
///
/// with the matrices X^ = hat(X), Y^ = hat(Y); d/dt cay(X) = hat(dcay_X Xdot) cay(X). On SO(3) x R^3 the translation is
/// plain addition.
///
///     SO3 R = cay(Vec3{0, 0, 2});          // quarter turn about z: the angle is 2 atan(|w|/2)
#pragma once

#include "chasles/export.hpp"
#include "chasles/lie/so3xr3.hpp"

namespace chasles CHASLES_API {
namespace lie {

// ---- SO(3)

/// Cayley: (I - w~/2)^-1 (I + w~/2), rotation about w by the angle 2 atan(|w|/2). No trigonometry.
template <class S>
SO3<S> cay(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation);
  const S k = S(1) / (S(1) + S(0.25) * x);
  return SO3<S>::unchecked(rodrigues(w, (S(1) - S(0.25) * x) * k, k, S(0.5) * k));
}
/// Inverse of cay: 2 tan(t/2) n. Infinite or NaN at a rotation by pi.
template <class S>
Vec3<S> cay_inv(const SO3<S>& C) {
  const Quaternion<S> q = quaternion(C);
  return (S(2) / q.w) * Vec3<S>{q.x, q.y, q.z};
}
/// d/dt cay(w) = hat(dcay(w)(wdot)) cay(w);  dcay_w = (I + w~/2) / (1 + |w|^2/4).
template <class S>
SO3Map<S> dcay(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation);
  const S k = S(1) / (S(1) + S(0.25) * x);
  return {{w, x, k, S(0.5) * k, S(0)}};
}
/// dcay_w^-1 = I - w~/2 + w w^T/4 = (1 + |w|^2/4) I - w~/2 + w~^2/4.
template <class S>
SO3Map<S> dcay_inv(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation);
  return {{w, x, S(1) + S(0.25) * x, S(-0.5), S(0.25)}};
}

// ---- SE(3)

/// (I - w~/2)^-1 v = v + k (w~/2 + w~^2/4) v with k = 1 / (1 + |w|^2/4).
template <class S>
constexpr Vec3<S> cayley_half(const Vec3<S>& w, const S& k, const Vec3<S>& v) {
  return k * v + (S(0.5) * k) * cross(w, v) + ((S(0.25) * k) * dot(w, v)) * w;
}

/// cay(X) = (cay w, (I - w~/2)^-1 v).
template <class S>
SE3<S> cay(const Twist<S>& X) {
  const auto [w, x, dx] = rotation_vector(X.w);
  return {cay(w), cayley_half(w, S(1) / (S(1) + S(0.25) * x), X.v)};
}
/// Inverse of cay: (w, (I - w~/2) r) with w = cay_inv(R). Infinite or NaN at a rotation by pi.
template <class S>
Twist<S> cay_inv(const SE3<S>& C) {
  const Vec3<S> w = cay_inv(C.R);
  return {w, C.r - S(0.5) * cross(w, C.r)};
}

/// dcay_X (a; b) = (w', (I - w~/2)^-1 b - w' x v / 2), w' = (I + w~/2) a / (1 + |w|^2/4).
template <class S>
struct SE3CayleyMap {
  Twist<S> X;
  S k;  // 1 / (1 + |w|^2/4)
  constexpr Twist<S> operator()(const Twist<S>& Y) const {
    const Vec3<S> w = k * (Y.w + S(0.5) * cross(X.w, Y.w));
    return {w, cayley_half(X.w, k, Y.v) - S(0.5) * cross(w, X.v)};
  }
  constexpr Wrench<S> dual(const Wrench<S>& W) const {
    const Vec3<S> t = W.t - S(0.5) * cross(X.v, W.f);
    return {k * (t - S(0.5) * cross(X.w, t)), cayley_half(-X.w, k, W.f)};
  }
};
/// dcay_X^-1 (w'; u) = ((I - w~/2 + w w^T/4) w', (I - w~/2)(u + w' x v / 2)).
template <class S>
struct SE3CayleyInverseMap {
  Twist<S> X;
  constexpr Twist<S> operator()(const Twist<S>& Y) const {
    const Vec3<S> u = Y.v + S(0.5) * cross(Y.w, X.v);
    return {Y.w - S(0.5) * cross(X.w, Y.w) + (S(0.25) * dot(X.w, Y.w)) * X.w,
            u - S(0.5) * cross(X.w, u)};
  }
  constexpr Wrench<S> dual(const Wrench<S>& W) const {
    const Vec3<S> f = W.f + S(0.5) * cross(X.w, W.f);
    return {
        W.t + S(0.5) * cross(X.w, W.t) + (S(0.25) * dot(X.w, W.t)) * X.w + S(0.5) * cross(X.v, f),
        f};
  }
};

template <class S>
SE3CayleyMap<S> dcay(const Twist<S>& X) {
  const auto [w, x, dx] = rotation_vector(X.w);
  return {{w, X.v}, S(1) / (S(1) + S(0.25) * x)};
}
template <class S>
SE3CayleyInverseMap<S> dcay_inv(const Twist<S>& X) {
  return {{rotation_vector(X.w).w, X.v}};
}

// ---- SO(3) x R^3

template <class S>
SO3xR3<S> cay(const MixedTwist<S>& X) {
  return {cay(X.w), X.v};
}
template <class S>
MixedTwist<S> cay_inv(const SO3xR3<S>& C) {
  return {cay_inv(C.R), C.r};
}
template <class S>
SO3xR3Map<S> dcay(const MixedTwist<S>& X) {
  return {dcay(X.w)};
}
template <class S>
SO3xR3Map<S> dcay_inv(const MixedTwist<S>& X) {
  return {dcay_inv(X.w)};
}

}  // namespace lie
}  // namespace CHASLES_API
