#include "io/mjcf/visuals.hpp"

#include <algorithm>

#include "io/mjcf/geoms.hpp"

namespace chasles::io::mjcf {
namespace {

using Shown = VisualShape::Kind;
constexpr double last_shown_group = 2;

std::array<double, 4> read_rgba(const Setting& s) {
  const auto x = s.of("rgba").numbers("rgba", 4, 4);
  std::array<double, 4> rgba{};
  for (std::size_t k = 0; k < 4; ++k) rgba[k] = std::clamp(x[k], 0.0, 1.0);
  return rgba;
}

/// Sizes of MJCF are halves. None: floors, which are drawn as such, height fields and shapes of plugins.
std::optional<VisualShape> primitive(const GeomShape& from) {
  const Vec3& s = from.size;
  switch (from.kind) {
    case GeomShape::sphere:
      return VisualShape{.kind = Shown::sphere, .size = {s.x, 0, 0}, .pose = from.pose};
    case GeomShape::capsule:
      return VisualShape{.kind = Shown::capsule, .size = {s.x, 2 * s.y, 0}, .pose = from.pose};
    case GeomShape::cylinder:
      return VisualShape{.kind = Shown::cylinder, .size = {s.x, 2 * s.y, 0}, .pose = from.pose};
    case GeomShape::ellipsoid:
      return VisualShape{.kind = Shown::ellipsoid, .size = s, .pose = from.pose};
    case GeomShape::box:
      return VisualShape{.kind = Shown::box, .size = 2.0 * s, .pose = from.pose};
    default:
      return std::nullopt;
  }
}

std::optional<VisualShape> shape_of(const Setting& geom, const Compiler& compiler) {
  const std::string type = geom.text("type", "sphere");
  if (type == "plane" || type == "hfield" || type == "sdf") return std::nullopt;
  if (type != "mesh") {
    const GeomShape shape = read_shape(geom, compiler);
    return shape.known() ? primitive(shape) : std::nullopt;
  }
  if (compiler.meshes == nullptr || !geom.has("mesh")) return std::nullopt;
  std::optional<VisualShape> shape = compiler.meshes->shown(geom.text("mesh", ""));
  if (shape) shape->pose = read_pose(geom, compiler) * shape->pose;
  return shape;
}

}  // namespace

void VisualReader::list_materials(const Element& asset, const Defaults& defaults) {
  for (const Element& e : asset.children())
    if (e.tag() == "material" && e.has("name"))
      if (const Setting s = defaults.of(e, ""); s.has("rgba"))
        materials_.emplace(e.text("name"), read_rgba(s));
}

std::optional<VisualReader::Color> VisualReader::color_of(const Setting& geom) const {
  if (geom.has("rgba")) return read_rgba(geom);
  const auto found = materials_.find(geom.text("material", ""));
  return found != materials_.end() ? std::optional(found->second) : std::nullopt;
}

void VisualReader::add_geom(const Setting& geom, const std::string& body, const Compiler& compiler,
                            Appearance& out) const try {
  if (geom.number("group", 0) > last_shown_group) return;
  const std::optional<Color> color = color_of(geom);
  if (color && (*color)[3] == 0) return;
  std::optional<VisualShape> shape = shape_of(geom, compiler);
  if (!shape) return;
  shape->color = color;
  out.shapes[body].push_back(std::move(*shape));
} catch (const Error& error) {
  out.notes.push_back(std::string("not shown: ") + error.what());
}

}  // namespace chasles::io::mjcf
