/// Bars for mechanisms defined by the points of their joints at q = 0.
#pragma once

#include "chasles/mechanism/builder.hpp"

namespace chasles::studies {

/// A slender bar of uniform density between two points, its frame in the middle, in axes of the world.
/// @param thickness  diameter over length: gives the inertia about its own axis
inline MechanismBuilder& rod(MechanismBuilder& builder, const std::string& name,
                             std::string_view parent, const Joint& joint, const Vec3& from,
                             const Vec3& to, double mass, double thickness = 0.05) {
  const Vec3 way = to - from;
  const double length2 = dot(way, way), across = mass * length2 / 12,
               along = mass * length2 * thickness * thickness / 8;
  const double k = (along - across) / length2;
  const Sym3 tensor{across + k * way.x * way.x, k * way.x * way.y, k * way.x * way.z,
                    across + k * way.y * way.y, k * way.y * way.z, across + k * way.z * way.z};
  return builder.body(name, parent, joint).pose({{}, 0.5 * (from + to)}).inertia(mass, {}, tensor);
}

/// A joint that closes a loop at a point, given in the world at q = 0.
inline Loop closure(std::string name, std::string one, std::string other, JointType type,
                    const Vec3& point, const Vec3& axis = {0, 0, 1}) {
  return {.name = std::move(name),
          .bodies = {std::move(one), std::move(other)},
          .type = type,
          .geometry = AxisGeometry{axis, point, {}, DescribedIn::world}};
}

/// Moments of a box about its middle.
inline Sym3 box(double mass, const Vec3& sides) {
  const double xx = sides.x * sides.x, yy = sides.y * sides.y, zz = sides.z * sides.z;
  return Sym3::diagonal(mass / 12 * (yy + zz), mass / 12 * (xx + zz), mass / 12 * (xx + yy));
}

}  // namespace chasles::studies
