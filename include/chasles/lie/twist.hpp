/// Twists and wrenches: elements of se(3) and of its dual, and the same for the direct product
/// so(3) x R^3.
///
///     Twist  V = (w; v)   angular velocity [rad/s], linear velocity [m/s]; screws are twists too
///     Wrench W = (t; f)   torque [N m], force [N]; momenta (L; P) are wrenches too
///
/// (angular; linear) everywhere. The four spaces are distinct types, so that mismatched pairings do not compile. The
/// representation of a quantity is in its name (V_b, V_s, V_h, V_m: docs/notation.md), not in its type.
///
///     Twist V{{0, 0, 1}, {0.1, 0, 0}};
///     Wrench W{{0, 0, 2}, {5, 0, 0}};
///     double power = dot(W, V);        // 2.5 W, the same in every frame
#pragma once

#include "chasles/export.hpp"
#include "chasles/math/matrix.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// @paper 002 (2.4)
template <class S>
struct Twist {
  using Scalar = S;
  Vec3<S> w, v;
  constexpr bool operator==(const Twist&) const = default;
};

template <class S>
struct Wrench {
  using Scalar = S;
  Vec3<S> t, f;
  constexpr bool operator==(const Wrench&) const = default;
};

/// (w; v) in so(3) x R^3, the algebra of SO3xR3: the mixed twist V^m = (w^b; rdot) of a body whose
/// pose is in that group.
template <class S>
struct MixedTwist {
  using Scalar = S;
  Vec3<S> w, v;
  constexpr bool operator==(const MixedTwist&) const = default;
};

/// The dual of MixedTwist: torque in body axes, force in inertial axes.
template <class S>
struct MixedWrench {
  using Scalar = S;
  Vec3<S> t, f;
  constexpr bool operator==(const MixedWrench&) const = default;
};

template <class X>
inline constexpr bool is_six_vector = false;
template <class S>
inline constexpr bool is_six_vector<Twist<S>> = true;
template <class S>
inline constexpr bool is_six_vector<Wrench<S>> = true;
template <class S>
inline constexpr bool is_six_vector<MixedTwist<S>> = true;
template <class S>
inline constexpr bool is_six_vector<MixedWrench<S>> = true;

/// Any of the four types: a pair (angular; linear) with vector-space operations.
template <class X>
concept SixVector = is_six_vector<X>;

template <SixVector X>
constexpr X operator+(const X& x, const X& y) {
  const auto& [a, b] = x;
  const auto& [c, d] = y;
  return {a + c, b + d};
}
template <SixVector X>
constexpr X operator-(const X& x, const X& y) {
  const auto& [a, b] = x;
  const auto& [c, d] = y;
  return {a - c, b - d};
}
template <SixVector X>
constexpr X operator-(const X& x) {
  const auto& [a, b] = x;
  return {-a, -b};
}
template <SixVector X>
constexpr X operator*(const typename X::Scalar& s, const X& x) {
  const auto& [a, b] = x;
  return {s * a, s * b};
}
template <SixVector X>
constexpr X operator*(const X& x, const typename X::Scalar& s) {
  return s * x;
}
template <SixVector X>
constexpr X& operator+=(X& x, const X& y) {
  return x = x + y;
}
template <SixVector X>
constexpr X& operator-=(X& x, const X& y) {
  return x = x - y;
}
template <SixVector X>
Real<typename X::Scalar> max_abs(const X& x) {
  const auto& [a, b] = x;
  const auto p = max_abs(a), q = max_abs(b);
  return p > q ? p : q;
}
template <SixVector X>
constexpr std::array<typename X::Scalar, 6> coordinates(const X& x) {
  const auto& [a, b] = x;
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}
template <SixVector X>
constexpr X from_coordinates(const std::array<typename X::Scalar, 6>& a, X*) {
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

/// Power of a wrench on a twist, W^T V [W].
template <class S>
constexpr S dot(const Wrench<S>& W, const Twist<S>& V) {
  return dot(W.t, V.w) + dot(W.f, V.v);
}
template <class S>
constexpr S dot(const MixedWrench<S>& W, const MixedTwist<S>& V) {
  return dot(W.t, V.w) + dot(W.f, V.v);
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using Twist = lie::Twist<double>;
using Wrench = lie::Wrench<double>;
using MixedTwist = lie::MixedTwist<double>;
using MixedWrench = lie::MixedWrench<double>;
}  // namespace CHASLES_API
