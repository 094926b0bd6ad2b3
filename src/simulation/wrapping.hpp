/// The shortest path around a sphere or cylinder between two points outside of it: a tangent, a geodesic of the surface,
/// a tangent.
///
/// In the plane of the circle, with the polar angles theta_i and distances r_i of the points, tangents touch at
/// theta_0 + s phi_0 and theta_1 - s phi_1, cos phi_i = R / r_i; s = 1 counterclockwise, -1 clockwise. With Delta in
/// [0, 2 pi) the angle from the first to the second point in that sense, the path is
///
///     sqrt(r_0^2 - R^2) + R (Delta - phi_0 - phi_1) + sqrt(r_1^2 - R^2)                            (1)
///
/// A negative arc means that the straight line passes on that side without touching. The shorter way is taken; the back, if
/// the side is s = -alpha x_0 - beta x_1 with positive alpha and beta. A sphere has the plane through its
/// center and both points. A cylinder is unrolled: with the plane path of length p and the distance z along the axis the
/// path is sqrt(p^2 + z^2) long, its height proportional to the way in the plane.
///
/// A path is stationary with respect to the points where it touches (it is a geodesic with the tangents as its
/// directions there), so that its rate is that of the two tangents with touching points that are fixed in the surface.
#pragma once

#include <optional>

#include "chasles/math/linalg.hpp"
#include "chasles/mechanism/tendon.hpp"

namespace chasles::forces {

struct WrappedPath {
  Vec3 first, second;  // where it touches
  double arc;          // length on the surface [m]
};

/// The path between two points in axes of the shape; none: it is straight, and does not touch. Points inside of the shape
/// are joined by straight lines.
/// @param side  a point: the path runs around the back where it is opposite to both ends; none: the shorter one
std::optional<WrappedPath> wrapped_path(Tendon::Wrap::Shape shape, double radius, const Vec3& from,
                                        const Vec3& to, const std::optional<Vec3>& side);

}  // namespace chasles::forces
