/// `collisions` of YAML models, read and written.
#include "io/yaml/yaml_collisions.hpp"

#include <algorithm>

namespace chasles::io {
namespace {

constexpr std::string_view shape_kinds[] = {"plane",    "sphere",    "capsule", "box",
                                            "cylinder", "ellipsoid", "mesh"};

unsigned layer_bits(const Fields& fields, std::string_view key) {
  const double x = fields.number(key, 1);
  if (!(x >= 0 && x <= 4294967295.0 && x == static_cast<double>(static_cast<unsigned>(x))))
    fields.refuse(fields.require(key), std::string(key) + " " + to_text(x) +
                                           " is not a set of bits; give a whole number");
  return static_cast<unsigned>(x);
}

CollisionShape read_collision_shape(const std::string& file, const Value& value) {
  const Fields f(
      file, value, "collision shape",
      {"name", "body", "shape", "radius", "length", "size", "semiaxes", "pose", "friction",
       "torsional_friction", "rolling_friction", "margin", "layers", "touches"});
  CollisionShape shape{.kind = static_cast<CollisionShape::Kind>(f.choice("shape", shape_kinds, 1)),
                       .name = f.text("name", ""),
                       .body = f.text("body")};
  f.require("shape");
  shape.size = read_shape_size(f, shape.kind);
  if (const Value* pose = f.find("pose"))
    shape.pose =
        read_pose({file, *pose, f.what() + ", pose", {"xyz", "rpy", "quaternion", "matrix"}});
  shape.friction = f.number("friction", shape.friction);
  shape.torsional_friction = f.number("torsional_friction", 0, dimensions::length);
  shape.rolling_friction = f.number("rolling_friction", 0, dimensions::length);
  shape.margin = f.number("margin", shape.margin, dimensions::length);
  shape.layers = layer_bits(f, "layers");
  shape.touches = layer_bits(f, "touches");
  shape.where = f.where();
  return shape;
}

std::array<std::string, 2> two_names(const Fields& f, const Value& value, std::string_view key) {
  if (value.kind != Value::Kind::list || value.items.size() != 2 ||
      value.items[0].kind != Value::Kind::scalar || value.items[1].kind != Value::Kind::scalar)
    f.refuse(value, std::string(key) + ": give two names, [one, other]");
  return {value.items[0].text, value.items[1].text};
}

std::string vec3_text(const Vec3& a) {
  return "[" + to_text(a.x) + ", " + to_text(a.y) + ", " + to_text(a.z) + "]";
}

}  // namespace

Vec3 read_shape_size(const Fields& f, CollisionShape::Kind kind) {
  const auto refuse_others = [&](std::initializer_list<std::string_view> used) {
    for (const std::string_view key : {"radius", "length", "size", "semiaxes"})
      if (f.has(key) && std::find(used.begin(), used.end(), key) == used.end())
        f.refuse(f.require(key),
                 std::string(key) + ": a " + std::string(collision_kind_name(kind)) + " has none");
  };
  const auto edges = [&](std::string_view key) {
    refuse_others({key});
    f.require(key);
    return f.vec3(key, {}, dimensions::length);
  };
  switch (kind) {
    case CollisionShape::plane:
    case CollisionShape::mesh:
      refuse_others({});
      return {};
    case CollisionShape::sphere:
      refuse_others({"radius"});
      return {f.number("radius", dimensions::length), 0, 0};
    case CollisionShape::capsule:
    case CollisionShape::cylinder:
      refuse_others({"radius", "length"});
      return {f.number("radius", dimensions::length), f.number("length", dimensions::length), 0};
    case CollisionShape::box:
      return edges("size");
    case CollisionShape::ellipsoid:
      return edges("semiaxes");
  }
  return {};
}

std::string shape_size_text(CollisionShape::Kind kind, const Vec3& size) {
  switch (kind) {
    case CollisionShape::sphere:
      return ", radius: " + to_text(size.x);
    case CollisionShape::capsule:
    case CollisionShape::cylinder:
      return ", radius: " + to_text(size.x) + ", length: " + to_text(size.y);
    case CollisionShape::box:
      return ", size: " + vec3_text(size);
    case CollisionShape::ellipsoid:
      return ", semiaxes: " + vec3_text(size);
    default:
      return "";
  }
}

void read_collisions(const Fields& file, Mechanism& mechanism) {
  const Value* value = file.find("collisions");
  if (value == nullptr) return;
  const Fields f(file.file(), *value, "collisions", {"shapes", "pairs", "excluded", "neighbors"});
  Collisions& out = mechanism.collisions;
  for (const Value& shape : f.list("shapes"))
    out.shapes.push_back(read_collision_shape(file.file(), shape));
  for (const Value& item : f.list("pairs")) {
    const Fields pair(file.file(), item, "collision pair", {"shapes", "friction", "margin"});
    CollisionPair read{two_names(pair, pair.require("shapes"), "shapes"), {}, {}, pair.where()};
    if (pair.has("friction")) read.friction = pair.number("friction");
    if (pair.has("margin")) read.margin = pair.number("margin", dimensions::length);
    out.pairs.push_back(std::move(read));
  }
  for (const Value& item : f.list("excluded"))
    out.excluded.push_back(two_names(f, item, "excluded"));
  out.neighbors = f.boolean("neighbors", false);
}

std::string collisions_text(const Collisions& all,
                            const std::function<std::string(const SE3&)>& pose_text) {
  if (all.shapes.empty() && all.pairs.empty() && all.excluded.empty() && !all.neighbors) return "";
  std::string out = "collisions:\n";
  if (!all.shapes.empty()) out += "  shapes:\n";
  for (const CollisionShape& shape : all.shapes) {
    out += "    - {";
    if (!shape.name.empty()) out += "name: " + yaml_word(shape.name) + ", ";
    out += "body: " + yaml_word(shape.body) +
           ", shape: " + std::string(collision_kind_name(shape.kind)) +
           shape_size_text(shape.kind, shape.size);
    if (shape.pose != SE3{}) out += ", pose: {" + pose_text(shape.pose) + "}";
    if (shape.friction != 1) out += ", friction: " + to_text(shape.friction);
    if (shape.torsional_friction != 0)
      out += ", torsional_friction: " + to_text(shape.torsional_friction);
    if (shape.rolling_friction != 0)
      out += ", rolling_friction: " + to_text(shape.rolling_friction);
    if (shape.margin != 0) out += ", margin: " + to_text(shape.margin);
    if (shape.layers != 1) out += ", layers: " + std::to_string(shape.layers);
    if (shape.touches != 1) out += ", touches: " + std::to_string(shape.touches);
    out += "}\n";
  }
  if (!all.pairs.empty()) out += "  pairs:\n";
  for (const CollisionPair& pair : all.pairs) {
    out += "    - {shapes: [" + yaml_word(pair.shapes[0]) + ", " + yaml_word(pair.shapes[1]) + "]";
    if (pair.friction) out += ", friction: " + to_text(*pair.friction);
    if (pair.margin) out += ", margin: " + to_text(*pair.margin);
    out += "}\n";
  }
  if (!all.excluded.empty()) out += "  excluded:\n";
  for (const auto& [a, b] : all.excluded)
    out += "    - [" + yaml_word(a) + ", " + yaml_word(b) + "]\n";
  if (all.neighbors) out += "  neighbors: true\n";
  return out;
}

}  // namespace chasles::io
