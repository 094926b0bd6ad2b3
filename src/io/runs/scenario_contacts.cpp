/// The list `contacts` of a scenario.
#include "chasles/simulation/contact.hpp"
#include "io/runs/scenario_parts.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

Vec3 to_vec3(const Fields& fields, const Value& value, std::string_view key) {
  const std::vector<double> x = fields.to_numbers(value, key, 3);
  return {x[0], x[1], x[2]};
}

/// A part of a contact: the map under `key`.
Fields part(const Fields& contact, std::string_view key, Fields::Keys known) {
  return {contact.file(), contact.require(key), contact.what() + ", " + std::string(key), known};
}
/// @param choice  keys of which exactly one is given
std::string_view one_of(const Fields& fields, std::span<const std::string_view> choice) {
  std::string_view found;
  for (const std::string_view key : choice) {
    if (!fields.has(key)) continue;
    if (!found.empty())
      fields.refuse(fields.require(key),
                    "has " + std::string(found) + " and " + std::string(key) +
                        "; give one of them, and the other to another contact");
    found = key;
  }
  if (found.empty()) fields.refuse(fields.value(), "needs " + any_of(choice));
  return found;
}

ContactBalls read_balls(const Fields& contact) {
  static constexpr std::string_view kinds[] = {"points", "sphere", "box"};
  const std::string_view kind = one_of(contact, kinds);
  if (kind == "sphere") {
    const Fields f = part(contact, kind, {"body", "center", "radius"});
    return {f.text("body"), {f.vec3("center", {})}, f.number("radius")};
  }
  if (kind == "box") {
    const Fields f = part(contact, kind, {"body", "center", "size"});
    const Vec3 size = f.vec3("size");
    if (!(size.x >= 0 && size.y >= 0 && size.z >= 0))
      f.refuse(f.require("size"), "size: a length is negative; give three edges");
    return {f.text("body"), box_corners(size, f.vec3("center", {}))};
  }
  const Fields f = part(contact, kind, {"body", "at"});
  f.require("at");
  ContactBalls balls{f.text("body")};
  for (const Value& point : f.list("at")) balls.points.push_back(to_vec3(f, point, "at"));
  return balls;
}

ContactSurface read_surface(const Fields& contact) {
  if (!contact.has("against")) return {};
  static constexpr std::string_view kinds[] = {"plane", "sphere"};
  const Fields against = part(contact, "against", {"plane", "sphere"});
  const std::string_view kind = one_of(against, kinds);
  ContactSurface surface;
  if (kind == "plane") {
    const Fields f = part(against, kind, {"body", "point", "normal"});
    surface.body = f.text("body", surface.body);
    surface.point = f.vec3("point", surface.point);
    surface.normal = f.vec3("normal", surface.normal);
    return surface;
  }
  const Fields f = part(against, kind, {"body", "center", "radius"});
  surface.kind = ContactSurface::sphere;
  surface.body = f.text("body", surface.body);
  surface.point = f.vec3("center", {});
  surface.radius = f.number("radius");
  return surface;
}

}  // namespace

void read_contacts(const Fields& scenario, const Model& model, Forces& forces) {
  int number = 0;
  std::vector<std::string> names;
  for (const Value& value : scenario.list("contacts")) {
    const std::string what = "contact " + std::to_string(++number);
    const Fields f(scenario.file(), value, "contact",
                   {"name", "points", "sphere", "box", "against", "stiffness", "exponent",
                    "dissipation", "friction", "velocity"},
                   what);
    Contact given{f.text("name", what), read_balls(f), read_surface(f), {}};
    if (std::ranges::find(names, given.name) != names.end())
      f.refuse(value, "there is another contact of this name");
    names.push_back(given.name);
    ContactLaw& law = given.law;
    if (f.has("stiffness")) law.stiffness = f.number("stiffness");
    law.exponent = f.number("exponent", law.exponent);
    law.dissipation = f.number("dissipation", law.dissipation);
    law.friction = f.number("friction", law.friction);
    law.velocity = f.number("velocity", law.velocity);
    forces.add(with_location(f, value, [&] { return contact(model, given); }));
  }
}

}  // namespace chasles::io
