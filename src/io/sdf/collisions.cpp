#include "io/sdf/collisions.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/lie/rotation_vector.hpp"
#include "io/sdf/frames.hpp"

namespace chasles::io::sdf {
namespace {

CollisionShape sdf_geometry(const Element& geometry) {
  const auto number = [](const Element& e, const char* tag) {
    return e.require(tag).content_number();
  };
  for (const Element& e : geometry.children()) {
    if (e.tag() == "box" || e.tag() == "ellipsoid") {
      const bool box = e.tag() == "box";
      const auto s = e.require(box ? "size" : "radii").content_numbers(3, 3);
      return {.kind = box ? CollisionShape::box : CollisionShape::ellipsoid,
              .size = {s[0], s[1], s[2]}};
    }
    if (e.tag() == "sphere")
      return {.kind = CollisionShape::sphere, .size = {number(e, "radius"), 0, 0}};
    if (e.tag() == "cylinder" || e.tag() == "capsule")
      return {.kind = e.tag() == "capsule" ? CollisionShape::capsule : CollisionShape::cylinder,
              .size = {number(e, "radius"), number(e, "length"), 0}};
    if (e.tag() == "plane") {
      CollisionShape plane{.kind = CollisionShape::plane};
      if (const auto normal = e.child("normal")) {
        const auto n = normal->content_numbers(3, 3);
        const Vec3 z{n[0], n[1], n[2]}, across = cross(Vec3{0, 0, 1}, z);
        if (!(norm(z) > 0)) normal->refuse("the normal is zero");
        const double s = norm(across);
        plane.pose.R = s > 0     ? exp((std::atan2(s, z.z) / s) * across)
                       : z.z > 0 ? SO3{}
                                 : exp(Vec3{M_PI, 0, 0});
      }
      return plane;
    }
  }
  return {.kind = CollisionShape::mesh};
}

/// surface/friction/ode/mu; SDF's default is 1.
double sdf_friction(const Element& e) {
  if (const auto surface = e.child("surface"))
    if (const auto friction = surface->child("friction"))
      if (const auto ode = friction->child("ode"))
        if (const auto mu = ode->child("mu")) return std::max(0.0, mu->content_number());
  return 1;
}

CollisionShape sdf_collision(const Element& e, int version) {
  CollisionShape shape = sdf_geometry(e.require("geometry"));
  for (const double x : {shape.size.x, shape.size.y, shape.size.z})
    if (!(x >= 0)) e.refuse("size " + to_text(x) + " is negative");
  const auto pose = e.child("pose");
  if (pose && (!pose->raw("relative_to").empty() || !pose->raw("frame").empty()))
    e.refuse("its pose is not given in the frame of the link");
  shape.pose = read_pose(e, version).C * shape.pose;
  shape.friction = sdf_friction(e);
  shape.where = e.where();
  return shape;
}

}  // namespace

void read_sdf_collisions(const Element& link, const std::string& body, int version,
                         Mechanism& mechanism) {
  for (const Element& e : link.children()) {
    if (e.tag() != "collision") continue;
    try {
      CollisionShape shape = sdf_collision(e, version);
      shape.body = body;
      mechanism.collisions.shapes.push_back(std::move(shape));
    } catch (const Error& error) {
      e.warn(std::string("a collision shape is not kept: ") + error.what());
    }
  }
}

}  // namespace chasles::io::sdf
