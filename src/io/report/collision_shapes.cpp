#include "io/report/collision_shapes.hpp"

namespace chasles::io {
namespace {

using Shown = VisualShape::Kind;

/// None for meshes, whose triangles are not kept.
std::optional<Shown> shown_kind(CollisionShape::Kind kind) {
  switch (kind) {
    case CollisionShape::plane:
      return Shown::plane;
    case CollisionShape::sphere:
      return Shown::sphere;
    case CollisionShape::capsule:
      return Shown::capsule;
    case CollisionShape::box:
      return Shown::box;
    case CollisionShape::cylinder:
      return Shown::cylinder;
    case CollisionShape::ellipsoid:
      return Shown::ellipsoid;
    case CollisionShape::mesh:
      break;
  }
  return std::nullopt;
}

}  // namespace

void complete_appearance(Mechanism& mechanism) {
  Appearance& out = mechanism.appearance;
  out.collisions.clear(), out.lines.clear();
  for (const CollisionShape& shape : mechanism.collisions.shapes)
    if (const auto kind = shown_kind(shape.kind))
      out.collisions.push_back(
          {shape.body, {.kind = *kind, .size = shape.size, .pose = shape.pose}});
  for (const Tendon& tendon : mechanism.tendons) {
    DrawnLine line{DrawnLine::Kind::tendon};
    for (const Tendon::Point& point : tendon.points) line.points.emplace_back(point.frame, Vec3{});
    if (!line.points.empty()) out.lines.push_back(std::move(line));
  }
  for (const ConstraintElement& element : mechanism.constraints) {
    const auto* cable = std::get_if<CableElement>(&element.data);
    if (cable == nullptr) continue;
    DrawnLine line{DrawnLine::Kind::rod};
    for (const ConstraintPoint& at : cable->points) line.points.emplace_back(at.body, at.point);
    out.lines.push_back(std::move(line));
  }
}

}  // namespace chasles::io
