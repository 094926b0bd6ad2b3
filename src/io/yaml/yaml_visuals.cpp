#include "io/yaml/yaml_visuals.hpp"

#include <algorithm>

#include "io/resources.hpp"
#include "io/yaml/yaml_collisions.hpp"

namespace chasles::io {
namespace {

using VisualKind = VisualShape::Kind;

constexpr std::string_view visual_kinds[] = {"box",  "sphere",  "cylinder",
                                             "mesh", "capsule", "ellipsoid"};

/// The kind whose sizes are given by the same keys.
CollisionShape::Kind sized_as(VisualKind kind) {
  static constexpr CollisionShape::Kind same[] = {
      CollisionShape::box,  CollisionShape::sphere,  CollisionShape::cylinder,
      CollisionShape::mesh, CollisionShape::capsule, CollisionShape::ellipsoid};
  return same[static_cast<std::size_t>(kind)];
}

/// Red, green, blue, and opacity, which may be left out.
std::array<double, 4> read_color(const Fields& f) {
  const std::vector<Value>& given = f.list("color");
  if (given.size() != 3 && given.size() != 4)
    f.refuse(f.require("color"),
             "color is not three or four numbers; give [red, green, blue] or [red, green, blue, "
             "opacity], from 0 to 1");
  std::array<double, 4> color{0, 0, 0, 1};
  for (std::size_t k = 0; k < given.size(); ++k) {
    color[k] = f.to_number(given[k], "color");
    if (!(color[k] >= 0 && color[k] <= 1))
      f.refuse(given[k], "color: " + to_text(color[k]) + " is not within 0 and 1");
  }
  return color;
}

VisualShape read_visual(const Fields& body, const Value& value, const ReadOptions& options) {
  const Fields f(
      body.file(), value, body.what() + ", visual",
      {"shape", "radius", "length", "size", "semiaxes", "file", "scale", "pose", "color"});
  f.require("shape");
  VisualShape shape{.kind = static_cast<VisualKind>(f.choice("shape", visual_kinds, 0))};
  if (shape.kind == VisualKind::mesh) {
    read_shape_size(f, CollisionShape::mesh);
    shape.size = f.vec3("scale", {1, 1, 1});
    shape.mesh = find_mesh(f.text("file"), options, options.folder);
  } else {
    for (const std::string_view key : {"file", "scale"})
      if (f.has(key)) f.refuse(f.require(key), std::string(key) + ": only meshes have it");
    shape.size = read_shape_size(f, sized_as(shape.kind));
    const bool thin = shape.kind == VisualKind::box || shape.kind == VisualKind::ellipsoid
                          ? !(std::min({shape.size.x, shape.size.y, shape.size.z}) > 0)
                          : !(shape.size.x > 0) || shape.size.y < 0;
    if (thin) f.refuse(value, "the size of the shape is not positive");
  }
  if (const Value* pose = f.find("pose"))
    shape.pose =
        read_pose({f.file(), *pose, f.what() + ", pose", {"xyz", "rpy", "quaternion", "matrix"}});
  if (f.has("color")) shape.color = read_color(f);
  return shape;
}

}  // namespace

void read_visuals(const Fields& body, const ReadOptions& options, Appearance& out) {
  if (!body.has("visuals")) return;
  std::vector<VisualShape>& visuals = out.shapes[body.text("name")];
  for (const Value& value : body.list("visuals"))
    visuals.push_back(read_visual(body, value, options));
}

std::string visuals_text(const Appearance& appearance, const std::string& body,
                         const std::function<std::string(const SE3&)>& pose_text) {
  const auto found = appearance.shapes.find(body);
  if (found == appearance.shapes.end() || found->second.empty()) return {};
  const auto list = [](const auto& numbers) {
    std::string text;
    for (const double x : numbers) text += (text.empty() ? "[" : ", ") + to_text(x);
    return text + "]";
  };
  std::string out = "    visuals:\n";
  for (const VisualShape& shape : found->second) {
    if (shape.kind > VisualKind::ellipsoid) continue;
    const Vec3& s = shape.size;
    out += "      - {shape: " + std::string(visual_kinds[static_cast<std::size_t>(shape.kind)]) +
           shape_size_text(sized_as(shape.kind), s);
    if (shape.kind == VisualKind::mesh)
      out += ", file: " + yaml_word(std::filesystem::absolute(shape.mesh).string()) +
             ", scale: " + list(std::array{s.x, s.y, s.z});
    if (shape.pose != SE3{}) out += ", pose: {" + pose_text(shape.pose) + "}";
    if (shape.color) out += ", color: " + list(*shape.color);
    out += "}\n";
  }
  return out;
}

}  // namespace chasles::io
