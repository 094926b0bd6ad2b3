/// Lines by their Pluecker coordinates: direction and moment,
///
///     l = (e; m),   m = p x e,   |e| = 1,   e . m = 0          p: any point of the line        (1)
///
/// A screw is a line and a pitch, X = (e; m + h e), 003 (67), so that revolute axes are lines. Two lines with the
/// directed distance d and angle a about their common normal have the reciprocal product -d sin a, which is zero if
/// and only if they meet or are parallel.
///
///     PlueckerLine hinge = pluecker_line({0, 0, 1}, {1, 0, 0});      // z axis through (1, 0, 0)
///     double d = line_distance(hinge, pluecker_line({1, 0, 0}, {0, 0.5, 0}));   // 0.5
#pragma once

#include "chasles/export.hpp"
#include "chasles/screws/screw.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// @paper 000 section B.2
/// @paper 003 (67)
template <class S>
struct PlueckerLine {
  Vec3<S> direction;  // e, a unit vector
  Vec3<S> moment;     // about the origin [m]
};

/// The line through a point along `direction` (any length).
/// @throws Error for a zero direction or a point that is not finite
template <class S = double>
PlueckerLine<S> pluecker_line(const Vec3<S>& direction, const Vec3<S>& point) {
  const Twist<S> X = screw(direction, point);
  return {X.w, X.v};
}

/// The axis of a screw with a finite pitch, as a line.
/// @throws Error for a translation or zero motion: they have no axis
template <class S>
PlueckerLine<S> pluecker_line(const ScrewAxis<S>& axis) {
  if (std::isinf(axis.pitch) || max_abs(axis.axis) == 0)
    throw Error("a screw of " +
                std::string(std::isinf(axis.pitch) ? "infinite pitch" : "no magnitude") +
                " has no axis, so no Pluecker coordinates; give a screw with a rotation");
  return {axis.axis, cross(axis.point, axis.axis)};
}

/// The screw about a line: (e; m + h e).
template <class S>
Twist<S> screw(const PlueckerLine<S>& line, const std::type_identity_t<S>& pitch = S(0)) {
  return {line.direction, line.moment + pitch * line.direction};
}

/// The point of a line nearest to the origin, e x m.
template <class S>
Vec3<S> nearest_point(const PlueckerLine<S>& line) {
  return cross(line.direction, line.moment);
}

/// The distance of two lines [m]. Lines whose directions differ by less than 1e-12 rad count as parallel.
template <class S>
S line_distance(const PlueckerLine<S>& a, const PlueckerLine<S>& b) {
  using std::abs;
  const S sine = norm(cross(a.direction, b.direction));
  if (sine > S(1e-12)) return abs(reciprocal_product(screw(a), screw(b))) / sine;
  return norm(cross(a.direction, nearest_point(b) - nearest_point(a)));
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using PlueckerLine = lie::PlueckerLine<double>;
using lie::pluecker_line;
}  // namespace CHASLES_API
