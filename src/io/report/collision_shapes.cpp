#include "io/report/collision_shapes.hpp"

#include "constraints/element_constraints.hpp"

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

/// None of a curve with a mistake, which is named where its constraint is made.
std::vector<std::pair<std::string, Vec3>> points_of_curve(const CurveElement& element) try {
  constexpr int pieces = 96;
  const SpaceCurve curve = space_curve_of(element);
  std::vector<std::pair<std::string, Vec3>> points;
  for (int k = 0; k <= pieces; ++k) {
    const double s = curve.from() + (curve.to() - curve.from()) * k / pieces;
    points.emplace_back(element.origin.body, element.origin.point + curve(s).c);
  }
  return points;
} catch (const Error&) {
  return {};
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
  draw_constraints(mechanism.constraints, out.lines);
}

void draw_constraints(std::span<const ConstraintElement> elements, std::vector<DrawnLine>& out) {
  for (const ConstraintElement& element : elements) {
    DrawnLine line{DrawnLine::Kind::rod};
    if (const auto* cable = std::get_if<CableElement>(&element.data))
      for (const ConstraintPoint& at : cable->points) line.points.emplace_back(at.body, at.point);
    else if (const auto* on = std::get_if<CurveElement>(&element.data))
      line.points = points_of_curve(*on);
    if (!line.points.empty()) out.push_back(std::move(line));
  }
}

}  // namespace chasles::io
