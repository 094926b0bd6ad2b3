/// Constraints on points of bodies: rods, cables, points on planes, lines and curves, rolling without slip. They hold in
/// minimal and in maximal coordinates.
///
///     ConstraintOptions options;
///     options.more = {distance_constraint(model, "rod", {"hand"}, {"ground", {0, 0, 1}}, 0.3)};
///
/// With the position y of a point of b in the frame a, y = R_a^T (x_b - x_a), r = x_b - x_a, u = r' - w_a x r:
///
///     Phi = phi(y),  B v = g . R_a^T u,  g = d phi / dy                                            (1)
///     Bd v = g . R_a^T (r'' - w_a' x r - 2 w_a x u - w_a x (w_a x r)) + y' . H y'   at vd = 0       (2)
#pragma once

#include <memory>

#include "chasles/constraints/constraint.hpp"
#include "chasles/export.hpp"
#include "chasles/math/space_curve.hpp"
#include "chasles/mechanism/constraint_element.hpp"

namespace chasles CHASLES_API {

using ConstraintPtr = std::shared_ptr<const Constraint>;

// All functions throw an Error that names the constraint and the mistake: an unknown body with the nearest known name,
// points that move together, a length, radius or direction that is none.

/// A massless rod: the distance of two points is `length` [m], more than 0. One equation.
ConstraintPtr distance_constraint(const Model& model, std::string name, const ConstraintPoint& a,
                                  const ConstraintPoint& b, double length);
/// A cable of constant length [m] through points, in their order: the sum of their distances. It also pushes: a
/// negative tension (multiplier) means that a real cable would be slack. One equation.
ConstraintPtr cable_constraint(const Model& model, std::string name,
                               const std::vector<ConstraintPoint>& points, double length);
/// `at` stays in the plane through `plane` with the normal, in axes of the plane's body. One equation.
ConstraintPtr point_on_plane(const Model& model, std::string name, const ConstraintPoint& at,
                             const ConstraintPoint& plane, const Vec3& normal);
/// `at` stays on the line through `line` with the direction, in axes of the line's body. Two equations.
ConstraintPtr point_on_line(const Model& model, std::string name, const ConstraintPoint& at,
                            const ConstraintPoint& line, const Vec3& direction);

/// `at` stays on a curve c(s) in axes of the curve's body, whose origin is `origin`: a bead on a wire. Two equations. With the nearest
/// point of the curve, d = y - c(s), c' . d = 0, and unit vectors e_1, e_2 perpendicular to c',
///
///     phi_i = e_i(s) . d,    g_i = e_i + (e_i' . d) ds/dy,    ds/dt = c' . y' / (c' . c' - c'' . d)           (3)
///
/// The branch of a curve that crosses itself is the nearest one. @throws Error where a point is in the center of
/// curvature of the curve, so that no point of it is nearest
ConstraintPtr point_on_curve(const Model& model, std::string name, const ConstraintPoint& at,
                             const ConstraintPoint& origin, const SpaceCurve& curve);
/// `at` stays on the surface of all lines parallel to z through the curve: a pin in a slot or on a cam profile of a planar
/// mechanism. One equation, (3) with e = z x c' / |..| and without the z components of c and y.
ConstraintPtr point_on_profile(const Model& model, std::string name, const ConstraintPoint& at,
                               const ConstraintPoint& origin, const SpaceCurve& curve);

/// The material point of the rim at the contact is at rest, in both directions of the plane: nonholonomic. With the
/// unit vector m in the plane of the wheel that points away from the contact and rho = -radius m,
///
///     B v = t_i . (v_c + w x rho),  i = 1, 2                                                      (4)
ConstraintPtr rolling_constraint(const Model& model, std::string name, const RollingWheel& wheel);
/// The lowest point of the rim stays in the plane. Not needed where joints keep it there already.
ConstraintPtr wheel_on_plane(const Model& model, std::string name, const RollingWheel& wheel);

/// The constraints of an element of a description: one, or two for rolling with contact.
/// @param q  where a length is taken that is not given
std::vector<ConstraintPtr> constraints_of(const Model& model, const ConstraintElement& element,
                                          ConstVectorRef q);
/// Those of all elements of the model, with lengths at q = 0. `Constraints` has them.
std::vector<ConstraintPtr> constraints_of(const Model& model);

}  // namespace CHASLES_API
