/// The parts of a scenario that reports draw: contact shapes, springs, bushings, rods and cables. They have been read and
/// checked as forces, contacts and constraints.
#include <cmath>

#include "io/report/collision_shapes.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {
namespace {

using Shown = VisualShape::Kind;
using LineKind = DrawnLine::Kind;

struct DrawnPart {
  const Fields& scenario;
  const Value& value;

  const Value* find(std::string_view key) const {
    for (std::size_t i = 0; i < value.keys.size(); ++i)
      if (value.keys[i].text == key) return &value.items[i];
    return nullptr;
  }
  DrawnPart at(std::string_view key) const { return {scenario, *find(key)}; }
  std::string text(std::string_view key, std::string_view otherwise = {}) const {
    const Value* found = find(key);
    return found != nullptr ? found->text : std::string(otherwise);
  }
  Vec3 vec3(std::string_view key, const Vec3& otherwise = {}) const {
    const Value* found = find(key);
    return found != nullptr ? to_vec3(*found, key) : otherwise;
  }
  Vec3 to_vec3(const Value& list, std::string_view key) const {
    const auto x = scenario.to_numbers(list, key, 3, dimensions::length);
    return {x[0], x[1], x[2]};
  }
  double number(std::string_view key) const {
    return scenario.to_number(*find(key), key, dimensions::length);
  }
  std::pair<std::string, Vec3> point() const { return {text("body"), vec3("point")}; }
};

/// The plane z = 0 of a frame whose z axis is the normal.
SE3 plane_pose(const Vec3& point, const Vec3& normal) {
  const double length = norm(normal);
  if (!(length > 0)) return {SO3{}, point};
  const Vec3 n = (1 / length) * normal, turn = cross(Vec3{0, 0, 1}, n);
  const double sine = norm(turn), angle = std::atan2(sine, n.z);
  if (sine < 1e-12) return {n.z > 0 ? SO3{} : exp(Vec3{M_PI, 0, 0}), point};
  return {exp((angle / sine) * turn), point};
}

void draw_contact(const DrawnPart& contact, std::vector<TouchingShape>& out) {
  const auto add = [&](const std::string& frame, const VisualShape& shape) {
    out.push_back({frame, shape});
  };
  if (contact.find("sphere") != nullptr) {
    const DrawnPart sphere = contact.at("sphere");
    add(sphere.text("body"), {.kind = Shown::sphere,
                              .size = {sphere.number("radius"), 0, 0},
                              .pose = {SO3{}, sphere.vec3("center")}});
  } else if (contact.find("box") != nullptr) {
    const DrawnPart box = contact.at("box");
    add(box.text("body"),
        {.kind = Shown::box, .size = box.vec3("size"), .pose = {SO3{}, box.vec3("center")}});
  } else if (contact.find("points") != nullptr) {
    const DrawnPart points = contact.at("points");
    for (const Value& point : points.find("at")->items)
      add(points.text("body"),
          {.kind = Shown::sphere, .size = {}, .pose = {SO3{}, points.to_vec3(point, "at")}});
  }
  const bool given = contact.find("against") != nullptr;
  if (given && contact.at("against").find("sphere") != nullptr) {
    const DrawnPart sphere = contact.at("against").at("sphere");
    add(sphere.text("body", ground), {.kind = Shown::sphere,
                                      .size = {sphere.number("radius"), 0, 0},
                                      .pose = {SO3{}, sphere.vec3("center")}});
  } else if (given) {
    const DrawnPart plane = contact.at("against").at("plane");
    const auto pose = plane_pose(plane.vec3("point"), plane.vec3("normal", {0, 0, 1}));
    add(plane.text("body", ground), {.kind = Shown::plane, .pose = pose});
  } else {
    add(std::string(ground), {.kind = Shown::plane});
  }
}

void draw_forces(const Fields& scenario, std::vector<DrawnLine>& out) {
  for (const Value& value : scenario.list("forces")) {
    const DrawnPart part{scenario, value};
    const std::string type = part.text("type");
    if (type == "point_spring_damper" || type == "point_expression" || type == "bushing")
      out.push_back({type == "bushing" ? LineKind::bushing : LineKind::spring,
                     {part.at("a").point(), part.at("b").point()}});
  }
}

}  // namespace

void read_drawn_elements(const Fields& scenario, Appearance& out) {
  const auto add = [&](const Value& value) {
    const DrawnPart contact{scenario, value};
    if (contact.find("from") == nullptr && contact.find("floor") == nullptr)
      return draw_contact(contact, out.contacts);
    if (contact.find("floor") != nullptr)
      out.contacts.push_back(
          {std::string(ground),
           {.kind = Shown::plane, .pose = {SO3{}, Vec3{0, 0, contact.number("floor")}}}});
  };
  if (const Value* value = scenario.find("contacts");
      value != nullptr && value->kind == Value::Kind::map)
    add(*value);
  else
    for (const Value& contact : scenario.list("contacts")) add(contact);
  draw_forces(scenario, out.lines);
  draw_constraints(read_constraints(scenario), out.lines);
}

}  // namespace chasles::io
