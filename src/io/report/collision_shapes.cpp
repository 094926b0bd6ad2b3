#include "io/report/collision_shapes.hpp"

#include <unordered_set>

namespace chasles::io {

Appearance appearance_of(const Mechanism& mechanism) {
  Appearance out = mechanism.appearance;
  using Kind = VisualShape::Kind;
  std::unordered_set<std::string> seen;
  for (const auto& [body, shapes] : out.shapes)
    if (!shapes.empty()) seen.insert(body);
  for (const CollisionShape& shape : mechanism.collisions.shapes) {
    if (shape.body == ground || seen.contains(shape.body)) continue;
    const Vec3& s = shape.size;
    const bool drawn = shape.kind == CollisionShape::box || shape.kind == CollisionShape::sphere ||
                       shape.kind == CollisionShape::cylinder ||
                       shape.kind == CollisionShape::capsule;
    if (!drawn || !(s.x > 0)) continue;
    std::vector<VisualShape>& list = out.shapes[shape.body];
    if (shape.kind == CollisionShape::box)
      list.push_back({.kind = Kind::box, .size = s, .pose = shape.pose});
    if (shape.kind == CollisionShape::sphere)
      list.push_back({.kind = Kind::sphere, .size = s, .pose = shape.pose});
    const bool capsule = shape.kind == CollisionShape::capsule;
    if ((capsule || shape.kind == CollisionShape::cylinder) && s.y > 0)
      list.push_back({.kind = Kind::cylinder, .size = s, .pose = shape.pose});
    for (const double side : {-0.5, 0.5})
      if (capsule)
        list.push_back({.kind = Kind::sphere,
                        .size = {s.x, 0, 0},
                        .pose = {shape.pose.R, shape.pose * Vec3{0, 0, side * s.y}}});
  }
  return out;
}

}  // namespace chasles::io
