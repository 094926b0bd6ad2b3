/// `contacts` of a scenario: a list, or the collision shapes of the model.
#include <set>

#include "chasles/simulation/shape_contact.hpp"
#include "io/runs/scenario_parts.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

Vec3 to_vec3(const Fields& fields, const Value& value, std::string_view key) {
  const std::vector<double> x = fields.to_numbers(value, key, 3, dimensions::length);
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
    return {f.text("body"),
            {f.vec3("center", {}, dimensions::length)},
            f.number("radius", dimensions::length)};
  }
  if (kind == "box") {
    const Fields f = part(contact, kind, {"body", "center", "size"});
    f.require("size");
    const Vec3 size = f.vec3("size", {}, dimensions::length);
    if (!(size.x >= 0 && size.y >= 0 && size.z >= 0))
      f.refuse(f.require("size"), "size: a length is negative; give three edges");
    return {f.text("body"), box_corners(size, f.vec3("center", {}, dimensions::length))};
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
    surface.point = f.vec3("point", surface.point, dimensions::length);
    surface.normal = f.vec3("normal", surface.normal);
    return surface;
  }
  const Fields f = part(against, kind, {"body", "center", "radius"});
  surface.kind = ContactSurface::sphere;
  surface.body = f.text("body", surface.body);
  surface.point = f.vec3("center", {}, dimensions::length);
  surface.radius = f.number("radius", dimensions::length);
  return surface;
}

/// Names of contacts, each once.
class ContactNames {
 public:
  bool add(const std::string& name) { return used_.insert(name).second; }

 private:
  std::set<std::string> used_;
};

/// {from: model, ...}: the contacts of all collision shapes.
void add_model_contacts(const Fields& scenario, const Value& value, const Mechanism& mechanism,
                        const Model& model, Forces& forces, ContactNames& names,
                        std::vector<std::string>* warnings) {
  const Fields f(scenario.file(), value, "contacts",
                 {"from", "floor", "stiffness", "exponent", "dissipation", "friction", "velocity",
                  "torsional_friction", "rolling_friction", "angular_velocity"});
  static constexpr std::string_view sources[] = {"model"};
  f.choice("from", sources, 0);
  ModelContactOptions options;
  const auto given = [&](std::string_view key, const Dimension& wanted,
                         std::optional<double>& out) {
    if (f.has(key)) out = f.number(key, wanted);
  };
  given("floor", dimensions::length, options.floor);
  given("stiffness", dimensions::any, options.stiffness);
  given("dissipation", Dimension{-1, 0, 1}, options.dissipation);
  given("friction", dimensions::none, options.friction);
  given("torsional_friction", dimensions::length, options.torsional_friction);
  given("rolling_friction", dimensions::length, options.rolling_friction);
  options.exponent = f.number("exponent", options.exponent);
  options.velocity = f.number("velocity", options.velocity, dimensions::velocity);
  options.angular_velocity =
      f.number("angular_velocity", options.angular_velocity, dimensions::angular_velocity);
  const ModelContacts contacts =
      with_location(f, value, [&] { return model_contacts(model, mechanism, options); });
  for (const ShapeContact& pair : contacts.list) {
    if (!names.add(pair.name))
      f.refuse(value, "there is another contact " + quote(pair.name) + "; rename it");
    forces.add(with_location(f, value, [&] { return shape_contact(model, pair); }));
  }
  if (warnings != nullptr)
    for (const std::string& note : contacts.notes)
      warnings->push_back(location_text(scenario.file(), value.location) + ": contacts: " + note);
}

bool is_from_model(const Value& value) {
  return value.kind == Kind::map && std::ranges::any_of(value.keys, [](const Value& key) {
           return key.text == "from" || key.text == "floor";
         });
}

void add_contact(const Fields& scenario, const Value& value, const std::string& what,
                 const Model& model, Forces& forces, ContactNames& names) {
  const Fields f(
      scenario.file(), value, "contact",
      {"name", "points", "sphere", "box", "against", "stiffness", "exponent", "dissipation",
       "friction", "velocity", "torsional_friction", "rolling_friction", "angular_velocity"},
      what);
  Contact given{f.text("name", what), read_balls(f), read_surface(f), {}};
  if (!names.add(given.name)) f.refuse(value, "there is another contact of this name");
  ContactLaw& law = given.law;
  if (f.has("stiffness")) law.stiffness = f.number("stiffness", dimensions::any);
  law.exponent = f.number("exponent", law.exponent);
  law.dissipation = f.number("dissipation", law.dissipation, Dimension{-1, 0, 1});
  law.friction = f.number("friction", law.friction);
  law.velocity = f.number("velocity", law.velocity, dimensions::velocity);
  law.torsional_friction = f.number("torsional_friction", 0, dimensions::length);
  law.rolling_friction = f.number("rolling_friction", 0, dimensions::length);
  law.angular_velocity =
      f.number("angular_velocity", law.angular_velocity, dimensions::angular_velocity);
  forces.add(with_location(f, value, [&] { return contact(model, given); }));
}

}  // namespace

void read_contacts(const Fields& scenario, const Mechanism& mechanism, const Model& model,
                   Forces& forces, std::vector<std::string>* warnings) {
  ContactNames names;
  if (const Value* value = scenario.find("contacts"); value != nullptr && value->kind == Kind::map)
    return add_model_contacts(scenario, *value, mechanism, model, forces, names, warnings);
  int number = 0;
  for (const Value& value : scenario.list("contacts")) {
    if (is_from_model(value))
      add_model_contacts(scenario, value, mechanism, model, forces, names, warnings);
    else
      add_contact(scenario, value, "contact " + std::to_string(++number), model, forces, names);
  }
}

}  // namespace chasles::io
