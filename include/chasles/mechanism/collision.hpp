/// Collision shapes of the bodies of a mechanism, and the pairs of them that may touch.
///
///     m.collisions.shapes.push_back({.kind = CollisionShape::sphere, .body = "foot", .size = {0.02, 0, 0}});
///     m.collisions.shapes.push_back({.kind = CollisionShape::plane, .body = std::string(ground)});
///     std::vector<CollidingShapes> pairs = colliding_pairs(m);          // foot and floor
///
/// Runs use them if asked for: simulation/shape_contact.hpp; `contacts: {from: model}` in scenario files.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/lie/se3.hpp"

namespace chasles CHASLES_API {

struct Mechanism;

struct CollisionShape {
  enum Kind : unsigned char { plane, sphere, capsule, box, cylinder, ellipsoid, mesh };
  Kind kind = sphere;
  std::string name{};  // empty: "BODY 1", ... in messages
  std::string body{};  // or ground
  /// [m] plane: not used, it is the half space below z = 0; sphere: radius; capsule and cylinder: radius, length along
  /// z without caps; box: edges; ellipsoid: semiaxes; mesh: not kept, so that it never touches
  Vec3 size{};
  SE3 pose{};           // in the body frame
  double friction = 1;  // coefficient; a pair has the larger one of its shapes
  double torsional_friction = 0, rolling_friction = 0;  // [m] likewise: simulation/contact.hpp (3)
  double margin = 0;  // [m] thickness of a soft layer around the shape; a pair has the larger one
  /// Two shapes may touch if a bit of `layers` of one is in `touches` of the other.
  unsigned layers = 1, touches = 1;
  std::string where{};  // "file:line" for messages, if read from a file
};

/// Two shapes by name that may touch whatever their layers are.
struct CollisionPair {
  std::array<std::string, 2> shapes;
  std::optional<double> friction{}, margin{};  // none: those of the shapes
  std::string where{};
};

struct Collisions {
  std::vector<CollisionShape> shapes{};
  std::vector<CollisionPair> pairs{};
  std::vector<std::array<std::string, 2>> excluded{};  // bodies whose shapes never touch
  bool neighbors = false;  // shapes of bodies that are connected by a joint may touch
  bool empty() const { return shapes.empty(); }
};

/// "box"
std::string_view collision_kind_name(CollisionShape::Kind kind);

/// Two shapes that may touch.
struct CollidingShapes {
  int a, b;  // indices of shapes
  double friction, margin, torsional_friction, rolling_friction;
};
/// All pairs: those listed, and those of bodies that move relative to each other, whose layers match, that are not
/// excluded, and, unless `neighbors`, are not connected by a joint (bodies without shapes and mass between them count as
/// part of the joint). Bodies on fixed joints are one body. Shapes on ground touch all others.
/// @throws Error naming the shape or pair, its source location and the value
std::vector<CollidingShapes> colliding_pairs(const Mechanism& mechanism);

/// Checks the shapes: bodies, sizes, numbers, names.
/// @throws Error likewise
void check_collisions(const Mechanism& mechanism);

}  // namespace CHASLES_API
