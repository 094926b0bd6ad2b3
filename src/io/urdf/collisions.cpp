#include "io/urdf/collisions.hpp"

#include <algorithm>

#include "chasles/lie/quaternion.hpp"

namespace chasles::io {
namespace {

CollisionShape read_collision_geometry(const Element& geometry) {
  for (const Element& e : geometry.children()) {
    if (e.tag() == "box") {
      const auto s = e.numbers("size", 3, 3);
      return {.kind = CollisionShape::box, .size = {s[0], s[1], s[2]}};
    }
    if (e.tag() == "sphere")
      return {.kind = CollisionShape::sphere, .size = {e.number("radius"), 0, 0}};
    if (e.tag() == "cylinder")
      return {.kind = CollisionShape::cylinder,
              .size = {e.number("radius"), e.number("length"), 0}};
    if (e.tag() == "capsule")
      return {.kind = CollisionShape::capsule, .size = {e.number("radius"), e.number("length"), 0}};
    if (e.tag() == "mesh") return {.kind = CollisionShape::mesh};
  }
  geometry.refuse("a collision has none of box, sphere, cylinder, capsule and mesh");
}

CollisionShape read_link_collision(const Element& e) {
  CollisionShape shape = read_collision_geometry(e.require("geometry"));
  for (const double x : {shape.size.x, shape.size.y, shape.size.z})
    if (!(x >= 0)) e.refuse("size " + to_text(x) + " is negative");
  if (const auto origin = e.child("origin")) {
    const Vec3 a = origin->vec3("rpy", {});
    shape.pose = {rotation_from_rpy(a.x, a.y, a.z), origin->vec3("xyz", {})};
  }
  shape.where = e.where();
  return shape;
}

}  // namespace

void read_urdf_collisions(const Element& robot, Mechanism& mechanism) {
  for (const Element& link : robot.children()) {
    if (link.tag() != "link" || !link.has("name")) continue;
    const std::string body = beside_ground(link.text("name"), [&](const std::string& other) {
      const auto all = robot.children();
      return std::any_of(all.begin(), all.end(), [&](const Element& e) {
        return e.tag() == "link" && e.raw("name") == other;
      });
    });
    for (const Element& e : link.of("link " + quote(body)).children()) {
      if (e.tag() != "collision" || !e.child("geometry")) continue;
      try {
        CollisionShape shape = read_link_collision(e);
        shape.body = body;
        mechanism.collisions.shapes.push_back(std::move(shape));
      } catch (const Error& error) {
        e.warn(std::string("a collision shape is not kept: ") + error.what());
      }
    }
  }
}

}  // namespace chasles::io
