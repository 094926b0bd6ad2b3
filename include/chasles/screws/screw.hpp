/// Screws as geometry: conversion between screw coordinates and an axis with a pitch. Mozzi-Chasles theorem: every
/// displacement is a rotation about an axis and a translation along it.
///
///     X = (e; p x e + h e)    axis e (unit), a point p on it [m], pitch h [m/rad], 003 (5)
///     X = (0; e)              infinite pitch: pure translation
///
/// Poinsot's theorem is its dual: every system of forces is one force along an axis and a couple about it, 000 B.2,
///
///     W = f (p x e + h e; e)  axis e, magnitude f [N], pitch h = t . f / f^2 [m]
///     W = (t e; 0)            infinite pitch: a pure couple
///
///     Twist X = screw({0, 0, 1}, {1, 0, 0});       // revolute joint: z axis through (1, 0, 0)
///     ScrewAxis a = mozzi_axis(C);                 // the axis about which C turns by a.magnitude
///     ScrewAxis b = poinsot_axis(W);               // the line of action of the force of W
///
/// Several screws together: screw_system.hpp. Lines: pluecker.hpp.
#pragma once

#include <type_traits>

#include "chasles/export.hpp"
#include "chasles/lie/se3.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// A screw axis and the amount of motion along it. For an infinite pitch the point is the origin.
template <class S>
struct ScrewAxis {
  Vec3<S> axis;   // unit vector; zero for zero motion
  Vec3<S> point;  // the point of the axis nearest to the origin [m]
  S pitch{};      // [m/rad]; infinity for a translation
  S magnitude{};  // angle [rad], or distance [m] for a translation; per second if the screw is a
                  // velocity
};

template <class S>
Vec3<S> unit_axis(const Vec3<S>& axis) {
  const S largest = max_abs(axis);
  if (!is_finite(axis) || largest == 0)
    throw Error("axis " + tuple_text(coordinates(axis)) + " has no direction; give a nonzero axis");
  const Vec3<S> scaled = axis / largest;  // no overflow or underflow in the norm
  return scaled / norm(scaled);
}

/// The unit screw about `axis` (any length) through `point` with a finite or infinite pitch.
/// @throws Error for a zero axis, a point that is not finite, or a pitch that is not a number
/// @paper 003 (1), (2), Remark 1, (67)
template <class S = double>
Twist<S> screw(const Vec3<S>& axis, const Vec3<S>& point,
               const std::type_identity_t<S>& pitch = S(0)) {
  const Vec3<S> e = unit_axis(axis);
  if (std::isnan(pitch))
    throw Error("the pitch of a screw is not a number; give meters per radian, or infinity");
  if (std::isinf(pitch)) return {{}, e};
  if (!is_finite(point))
    throw Error("the screw axis passes through the point " + tuple_text(coordinates(point)) +
                "; give a finite point");
  return {e, cross(point, e) + pitch * e};
}

/// Axis, point, pitch and magnitude of a screw. An angular part below 1e-12 of the linear part (in 1/m) is treated as
/// rounding error: the axis would be farther than 1e12 m.
template <class S>
ScrewAxis<S> screw_axis(const Twist<S>& X) {
  const S w = norm(X.w), v = norm(X.v);
  if (w == 0 && v == 0) return {};
  if (w <= S(1e-12) * v) return {X.v / v, {}, std::numeric_limits<S>::infinity(), v};
  const Vec3<S> e = X.w / w, u = X.v / w;
  return {e, cross(e, u), dot(e, u), w};
}

/// Poinsot's central axis of a wrench: W = magnitude (point x axis + pitch axis; axis). Magnitude in N; of a pure couple
/// (infinite pitch) in N m. A force below 1e-12 of the torque (in 1/m) is treated as rounding error, as in screw_axis.
/// @paper 000 section B.2
template <class S>
ScrewAxis<S> poinsot_axis(const Wrench<S>& W) {
  return screw_axis(Twist<S>{W.f, W.t});
}

/// The reciprocal product of two screws, X_1 o X_2 = w_1 . v_2 + v_1 . w_2: the power of one as a wrench of force w and
/// torque v on the other as a twist; the same in every frame. For unit screws at distance d, with the angle a between
/// the axes about their common normal, it is (h_1 + h_2) cos a - d sin a.
/// @paper 000 section B.2
template <class S>
constexpr S reciprocal_product(const Twist<S>& X_1, const Twist<S>& X_2) {
  return dot(X_1.w, X_2.v) + dot(X_1.v, X_2.w);
}

/// The power of a wrench on a twist, both in the same representation: W^T V [W]; zero if they are reciprocal.
/// @paper 000 section B.2
template <class S>
constexpr S power(const Wrench<S>& W, const Twist<S>& V) {
  return dot(W, V);
}

/// A screw as a wrench, (v; w), and a wrench as a screw, (f; t): power(as_wrench(X_1), X_2) is the reciprocal product.
/// @paper 000 section B.2
template <class S>
constexpr Wrench<S> as_wrench(const Twist<S>& X) {
  return {X.v, X.w};
}
template <class S>
constexpr Twist<S> as_screw(const Wrench<S>& W) {
  return {W.f, W.t};
}

/// The Mozzi axis of a displacement: C = exp(magnitude * screw(axis, point, pitch)), magnitude <=
/// pi for a rotation.
/// @paper 003 section A.1
template <class S>
ScrewAxis<S> mozzi_axis(const SE3<S>& C) {
  return screw_axis(log(C));
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using ScrewAxis = lie::ScrewAxis<double>;
using lie::screw;
}  // namespace CHASLES_API
