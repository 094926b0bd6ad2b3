#include "io/urdf/visuals.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "chasles/lie/quaternion.hpp"
#include "io/resources.hpp"

namespace chasles::io {
namespace {

namespace fs = std::filesystem;
using Color = std::array<double, 4>;
using Materials = std::map<std::string, Color, std::less<>>;

/// Numbers between spaces, exactly as many as there are.
template <std::size_t n>
std::array<double, n> numbers(const Element& element, const char* attribute) {
  std::array<double, n> out{};
  const std::string text = element.text(attribute);
  std::size_t at = 0;
  for (double& x : out) {
    const std::size_t begin = text.find_first_not_of(" \t\n", at);
    if (begin == text.npos) element.refuse(std::string(attribute) + " has too few numbers");
    at = std::min(text.find_first_of(" \t\n", begin), text.size());
    const std::optional<double> value = parse_number(text.substr(begin, at - begin));
    if (!value || !std::isfinite(*value))
      element.refuse(std::string(attribute) + " " + quote(text) + " has no finite numbers");
    x = *value;
  }
  return out;
}
Vec3 vec3(const Element& element, const char* attribute) {
  const auto x = numbers<3>(element, attribute);
  return {x[0], x[1], x[2]};
}
double positive(const Element& element, const char* attribute) {
  const double x = element.number(attribute);
  if (!(x > 0)) element.refuse(std::string(attribute) + " " + to_text(x) + " is not positive");
  return x;
}

std::optional<Color> read_color(const Element& material) {
  const std::optional<Element> color = material.child("color");
  if (!color) return std::nullopt;
  Color rgba = numbers<4>(*color, "rgba");
  for (double& x : rgba) x = std::clamp(x, 0.0, 1.0);
  return rgba;
}

/// The model file and the options for reading it, with which meshes are found.
struct MeshSource {
  const fs::path& model;
  const ReadOptions& options;
};

VisualShape read_geometry(const Element& geometry, const MeshSource& source) {
  using Kind = VisualShape::Kind;
  for (const Element& e : geometry.children()) {
    if (e.tag() == "box") {
      const Vec3 size = vec3(e, "size");
      if (!(size.x > 0 && size.y > 0 && size.z > 0)) e.refuse("size of a box is not positive");
      return {.kind = Kind::box, .size = size};
    }
    if (e.tag() == "sphere") return {.kind = Kind::sphere, .size = {positive(e, "radius"), 0, 0}};
    if (e.tag() == "cylinder" || e.tag() == "capsule")
      return {.kind = e.tag() == "capsule" ? Kind::capsule : Kind::cylinder,
              .size = {positive(e, "radius"), positive(e, "length"), 0}};
    if (e.tag() == "mesh") {
      VisualShape shape{.kind = Kind::mesh};
      if (e.has("scale")) shape.size = vec3(e, "scale");
      shape.mesh =
          find_mesh(e.text("filename"), source.options, fs::absolute(source.model).parent_path());
      return shape;
    }
  }
  geometry.refuse("a visual has none of box, sphere, cylinder and mesh");
}

VisualShape read_visual(const Element& visual, const MeshSource& source,
                        const Materials& materials) {
  VisualShape shape = read_geometry(visual.require("geometry"), source);
  if (const auto origin = visual.child("origin")) {
    const Vec3 a = origin->vec3("rpy", {});
    shape.pose = {rotation_from_rpy(a.x, a.y, a.z), origin->vec3("xyz", {})};
  }
  if (const auto material = visual.child("material")) {
    shape.color = read_color(*material);
    if (!shape.color && material->has("name"))
      if (const auto found = materials.find(material->text("name")); found != materials.end())
        shape.color = found->second;
  }
  return shape;
}

/// Materials of the robot, and those that a visual names for others.
Materials read_materials(const Element& robot) {
  Materials materials;
  const auto add = [&](const Element& material) {
    if (!material.has("name")) return;
    if (const auto color = read_color(material)) materials[material.text("name")] = *color;
  };
  for (const Element& e : robot.children()) {
    if (e.tag() == "material") add(e);
    if (e.tag() != "link") continue;
    for (const Element& visual : e.children())
      if (visual.tag() == "visual")
        if (const auto material = visual.child("material")) add(*material);
  }
  return materials;
}

}  // namespace

Appearance read_visuals(const tinyxml2::XMLElement& root, const std::string& name,
                        const fs::path& model, const ReadOptions& options) {
  const MeshSource source{model, options};
  Appearance appearance;
  const auto note = [&](const Error& error) {
    appearance.notes.push_back(std::string("not shown: ") + error.what());
  };
  try {
    Report report(name, nullptr);
    const Element robot(report, root, "robot");
    const Materials materials = read_materials(robot);
    for (const Element& link : robot.children()) {
      if (link.tag() != "link" || !link.has("name")) continue;
      const std::string body = beside_ground(link.text("name"), [&](const std::string& other) {
        const auto all = robot.children();
        return std::any_of(all.begin(), all.end(), [&](const Element& e) {
          return e.tag() == "link" && e.raw("name") == other;
        });
      });
      for (const Element& e : link.of("link " + quote(body)).children()) try {
          if (e.tag() == "visual")
            appearance.shapes[body].push_back(read_visual(e, source, materials));
        } catch (const Error& error) {
          note(error);
        }
    }
  } catch (const Error& error) {
    note(error);
  }
  return appearance;
}

}  // namespace chasles::io
