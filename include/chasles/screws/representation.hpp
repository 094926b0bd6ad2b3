/// The four representations of the motion of a body with pose C = (R, r), and the conversions between them: Table 3 of
/// paper 003 with the missing inverses of (47).
///
///                reference point  angular axes  linear axes  elsewhere called
///     body       body origin      body          body         LOCAL
///     spatial    world origin     world         world        WORLD
///     hybrid     body origin      world         world        LOCAL_WORLD_ALIGNED
///     mixed      body origin      body          world        (SO(3) x R^3)
///
///     V^s = Ad_C V^b,   V^h = (R w^b; R v^b),   V^m = (w^b; R v^b)                         (1)
///
/// Wrenches transform dually: W.V is the same in all four. Accelerations are time derivatives of twists; those of
/// hybrid and mixed twists contain w x v, so their conversion needs the twist too.
///
///     Twist V_h = convert(V_b, C, Representation::body, Representation::hybrid);
#pragma once

#include "chasles/export.hpp"
#include "chasles/screws/inertia.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// @paper 003 Table 4
enum class Representation { body, spatial, hybrid, mixed };

/// @throws Error for a value outside the enumeration, made by a cast
constexpr void require_known(Representation rep) {
  chasles::require_known(rep, Representation::mixed, "representation");
}

/// From body-fixed to `to`, (1).
template <class S>
constexpr Twist<S> from_body(const Twist<S>& V_b, const SE3<S>& C, Representation to) {
  switch (to) {
    case Representation::spatial:
      return Ad(C, V_b);
    case Representation::hybrid:
      return {C.R * V_b.w, C.R * V_b.v};
    case Representation::mixed:
      return {V_b.w, C.R * V_b.v};
    case Representation::body:
      break;
  }
  require_known(to);
  return V_b;
}
template <class S>
constexpr Twist<S> to_body(const Twist<S>& V, const SE3<S>& C, Representation from) {
  switch (from) {
    case Representation::spatial:
      return Ad_inv(C, V);
    case Representation::hybrid:
      return {inverse_times(C.R, V.w), inverse_times(C.R, V.v)};
    case Representation::mixed:
      return {V.w, inverse_times(C.R, V.v)};
    case Representation::body:
      break;
  }
  require_known(from);
  return V;
}
template <class S>
constexpr Wrench<S> from_body(const Wrench<S>& W_b, const SE3<S>& C, Representation to) {
  switch (to) {
    case Representation::spatial:
      return Ad_inv_dual(C, W_b);
    case Representation::hybrid:
      return {C.R * W_b.t, C.R * W_b.f};
    case Representation::mixed:
      return {W_b.t, C.R * W_b.f};
    case Representation::body:
      break;
  }
  require_known(to);
  return W_b;
}
template <class S>
constexpr Wrench<S> to_body(const Wrench<S>& W, const SE3<S>& C, Representation from) {
  switch (from) {
    case Representation::spatial:
      return Ad_dual(C, W);
    case Representation::hybrid:
      return {inverse_times(C.R, W.t), inverse_times(C.R, W.f)};
    case Representation::mixed:
      return {W.t, inverse_times(C.R, W.f)};
    case Representation::body:
      break;
  }
  require_known(from);
  return W;
}

/// Converts a twist or a wrench of the body with pose C between representations.
/// @paper 000 (98)-(100)
/// @paper 003 (47), (54), (55), (58), (82), Table 3
template <SixVector X, class S>
constexpr X convert(const X& x, const SE3<S>& C, Representation from, Representation to) {
  if (from != to) return from_body(to_body(x, C, from), C, to);
  require_known(from);
  return x;
}

/// The difference between classical and body-fixed acceleration, w x v in the linear part.
template <class S>
constexpr Twist<S> convective(const Twist<S>& V_b) {
  return {{}, cross(V_b.w, V_b.v)};
}
constexpr bool at_moving_point_in_world_axes(Representation rep) {
  return rep == Representation::hybrid || rep == Representation::mixed;
}
/// Converts the acceleration Vdot of the body with pose C and twist V, both in `from`, to Vdot in `to`:
///
///     Vdot^s = Ad_C Vdot^b,   Vdot^h = (R wdot^b; rddot),   Vdot^m = (wdot^b; rddot)
///     rddot  = R (vdot^b + w^b x v^b)
template <class S>
constexpr Twist<S> convert_acceleration(const Twist<S>& A, const Twist<S>& V, const SE3<S>& C,
                                        Representation from, Representation to) {
  const Twist<S> c = convective(to_body(V, C, from));
  Twist<S> A_b = to_body(A, C, from);
  if (at_moving_point_in_world_axes(from)) A_b -= c;
  if (at_moving_point_in_world_axes(to)) A_b += c;
  return from_body(A_b, C, to);
}
/// The classical acceleration of the body origin, rddot in world axes [m/s^2], from Vdot and V in `rep`.
template <class S>
constexpr Vec3<S> classical_acceleration(const Twist<S>& A, const Twist<S>& V, const SE3<S>& C,
                                         Representation rep) {
  return convert_acceleration(A, V, C, rep, Representation::hybrid).v;
}

/// The 6x6 mass matrix of a body-fixed inertia in `to`: kinetic energy V^T M V / 2 with V in `to`. The mixed one is not
/// of the form (m, m c, I).
template <class S>
constexpr Matrix<S, 6> inertia_matrix(const Inertia<S>& M_b, const SE3<S>& C, Representation to) {
  return matrix_of<Twist<S>>(
      [&](const Twist<S>& V) { return from_body(M_b * to_body(V, C, to), C, to); });
}
/// The frame in which a body-fixed inertia has the form (m, m c, I) of the body, spatial or hybrid representation.
/// @throws Error for mixed: use inertia_matrix
template <class S>
SE3<S> inertia_frame(const SE3<S>& C, Representation rep) {
  switch (rep) {
    case Representation::spatial:
      return C;
    case Representation::hybrid:
      return {C.R, {}};
    case Representation::body:
      return {};
    case Representation::mixed:
      break;
  }
  require_known(rep);
  throw Error("a mixed inertia is not of the form (m, m c, I); use inertia_matrix");
}
/// @paper 000 (34), (47), (51)
template <class S>
Inertia<S> convert(const Inertia<S>& M, const SE3<S>& C, Representation from, Representation to) {
  return transform(inertia_frame(C, to), transform(inverse(inertia_frame(C, from)), M));
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using lie::Representation;
}  // namespace CHASLES_API
