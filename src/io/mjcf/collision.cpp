#include "io/mjcf/collision.hpp"

#include <algorithm>

#include "io/mjcf/geoms.hpp"

namespace chasles::io::mjcf {
namespace {

/// A set of bits, such as contype.
unsigned bits(const Setting& geom, const char* attribute, double otherwise) {
  const double x = geom.number(attribute, otherwise);
  if (!(x >= 0 && x <= 4294967295.0 && x == static_cast<double>(static_cast<unsigned>(x))))
    geom.of(attribute).refuse(std::string(attribute) + " " + to_text(x) +
                              " is not a whole number of 0 or more");
  return static_cast<unsigned>(x);
}

/// Sizes of MJCF are halves.
void set_shape(const GeomShape& from, CollisionShape& to) {
  const Vec3& s = from.size;
  to.pose = from.pose;
  switch (from.kind) {
    case GeomShape::plane:
      to.kind = CollisionShape::plane;
      return;
    case GeomShape::sphere:
      to.kind = CollisionShape::sphere, to.size = {s.x, 0, 0};
      return;
    case GeomShape::capsule:
      to.kind = CollisionShape::capsule, to.size = {s.x, 2 * s.y, 0};
      return;
    case GeomShape::cylinder:
      to.kind = CollisionShape::cylinder, to.size = {s.x, 2 * s.y, 0};
      return;
    case GeomShape::box:
      to.kind = CollisionShape::box, to.size = 2.0 * s;
      return;
    case GeomShape::ellipsoid:
      to.kind = CollisionShape::ellipsoid, to.size = s;
      return;
    case GeomShape::hfield:
    case GeomShape::mesh:
    case GeomShape::sdf:
      to.kind = CollisionShape::mesh;
      return;
  }
}

std::vector<double> friction_of(const Setting& s) {
  return s.has("friction") ? s.of("friction").numbers("friction", 1, 5) : std::vector<double>{};
}

}  // namespace

void CollisionReader::add_names(const Element& contact) {
  for (const Element& e : contact.children())
    if (e.tag() == "pair")
      for (const char* end : {"geom1", "geom2"})
        if (e.has(end)) in_pairs_.insert(e.text(end));
}

void CollisionReader::add_geom(const Setting& geom, const std::string& body,
                               const Compiler& compiler, Collisions& out) const {
  CollisionShape shape{.body = body,
                       .layers = bits(geom, "contype", 1),
                       .touches = bits(geom, "conaffinity", 1),
                       .where = geom.element().where()};
  if (geom.element().has("name")) shape.name = geom.element().text("name");
  const bool listed = !shape.name.empty() && in_pairs_.contains(shape.name);
  if (shape.layers == 0 && shape.touches == 0 && !listed) return;
  const std::string type = geom.text("type", "sphere");
  if (type == "mesh" || type == "sdf" || type == "hfield") {
    shape.kind = CollisionShape::mesh;  // its file is not needed
  } else {
    const GeomShape form = read_shape(geom, compiler);
    set_shape(form, shape);
    if (!form.known()) shape.kind = CollisionShape::mesh;
  }
  const std::vector<double> friction = friction_of(geom);
  const double condim = geom.number("condim", 3);
  if (!friction.empty()) shape.friction = friction[0];
  if (condim == 1) shape.friction = 0;
  if (condim >= 4) shape.torsional_friction = friction.size() > 1 ? friction[1] : 0.005;
  if (condim >= 6) shape.rolling_friction = friction.size() > 2 ? friction[2] : 1e-4;
  shape.margin = std::max(0.0, geom.number("margin", 0));
  for (double* x : {&shape.friction, &shape.torsional_friction, &shape.rolling_friction})
    if (!(*x >= 0)) *x = 0;
  if (std::ranges::any_of(out.shapes, [&](const CollisionShape& other) {
        return !shape.name.empty() && other.name == shape.name;
      }))
    shape.name.clear();
  out.shapes.push_back(std::move(shape));
}

void CollisionReader::add_contact(const Element& contact, const Defaults& defaults,
                                  const BodyNamed& body_named, Collisions& out) const {
  for (const Element& e : contact.children()) {
    if (e.tag() == "exclude") {
      out.excluded.push_back({body_named(e, "body1"), body_named(e, "body2")});
    } else if (e.tag() == "pair") {
      const Setting s = defaults.of(e, "");
      CollisionPair pair{{s.text("geom1", ""), s.text("geom2", "")}, {}, {}, e.where()};
      const auto known = [&](const std::string& name) {
        return std::ranges::any_of(out.shapes,
                                   [&](const CollisionShape& shape) { return shape.name == name; });
      };
      if (!known(pair.shapes[0]) || !known(pair.shapes[1])) {
        e.warn("one of its geoms does not exist; the pair is not kept");
        continue;
      }
      if (const auto friction = friction_of(s); !friction.empty()) pair.friction = friction[0];
      if (s.number("condim", 3) == 1) pair.friction = 0;
      if (s.has("margin")) pair.margin = std::max(0.0, s.number("margin", 0));
      out.pairs.push_back(std::move(pair));
    }
  }
}

}  // namespace chasles::io::mjcf
