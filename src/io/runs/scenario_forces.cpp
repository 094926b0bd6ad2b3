#include "chasles/io/scenario_file.hpp"
#include "io/runs/scenario_parts.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

constexpr const char* signal_kinds =
    "a number, {amplitude, frequency, phase, offset} or {times: [..], values: [..]}";

Signal read_signal(const Fields& force, const Value& value, std::string_view key) {
  if (value.kind == Kind::scalar && !parse_expression(value.text))
    force.refuse(value, std::string(key) + " " + quote(value.text) + " is not a signal; give " +
                            signal_kinds);
  if (value.kind != Kind::map) return signals::constant(force.to_number(value, key));
  const std::string what = force.what() + ", " + std::string(key);
  const Fields fields(force.file(), value, what,
                      {"amplitude", "frequency", "phase", "offset", "times", "values"});
  const bool wave = fields.has("amplitude") || fields.has("frequency") || fields.has("phase") ||
                    fields.has("offset");
  if (wave && (fields.has("times") || fields.has("values")))
    fields.refuse(value, "is a sinusoid and a table; give one of them");
  if (wave)
    return signals::sinusoid({fields.number("amplitude"), fields.number("frequency"),
                              fields.number("phase", 0), fields.number("offset", 0)});
  if (value.keys.empty()) fields.refuse(value, std::string("is empty; give ") + signal_kinds);
  fields.require("times"), fields.require("values");
  std::vector<double> times, values;
  for (const Value& t : fields.list("times")) times.push_back(fields.to_number(t, "times"));
  for (const Value& y : fields.list("values")) values.push_back(fields.to_number(y, "values"));
  return with_location(fields, value,
                       [&] { return signals::table(std::move(times), std::move(values)); });
}

/// One signal per entry; a single one may be written without a list.
std::vector<Signal> read_signals(const Fields& force, std::string_view key) {
  const Value& value = force.require(key);
  if (value.kind != Kind::list) return {read_signal(force, value, key)};
  std::vector<Signal> signals;
  for (const Value& item : value.items) signals.push_back(read_signal(force, item, key));
  return signals;
}

BodyPoint read_body_point(const Fields& force, std::string_view key) {
  const Fields fields(force.file(), force.require(key), force.what() + ", " + std::string(key),
                      {"body", "point"});
  return {fields.text("body"), fields.vec3("point", {})};
}

struct ForceReader {
  const std::string& file;
  const Value& value;
  const Model& model;   // of its joints
  const Model& bodies;  // of its bodies
  std::string what;     // "force 3"

  Fields fields(Fields::Keys known) const { return {file, value, what, known}; }

  Force joint_spring_damper() const {
    const Fields f = fields({"type", "joint", "stiffness", "damping", "rest"});
    const std::string joint = f.text("joint");
    std::vector<double> rest;
    if (const Value* given = f.find("rest"))
      rest = read_coordinates(f, *given, "rest", with_location(f, f.require("joint"), [&] {
                                return model.joint(joint).nq;
                              }));
    return with_location(f, value, [&] {
      return chasles::joint_spring_damper(model, joint, f.number("stiffness", 0),
                                          f.number("damping", 0), rest);
    });
  }
  Force joint_friction() const {
    const Fields f =
        fields({"type", "joint", "viscous", "coulomb", "velocity", "stick", "breakaway"});
    Friction friction{f.number("viscous", 0), f.number("coulomb", 0),
                      f.number("velocity", Friction{}.velocity), f.boolean("stick", false)};
    if (f.has("breakaway")) friction.breakaway = f.number("breakaway");
    if (friction.stick && f.has("velocity"))
      f.refuse(
          f.require("velocity"),
          "velocity: only of friction that creeps; friction that sticks has none, leave it out");
    return with_location(f, value,
                         [&] { return chasles::joint_friction(model, f.text("joint"), friction); });
  }
  Force pd_hold() const {
    const Fields f = fields({"type", "joint", "stiffness", "damping", "target"});
    const double stiffness = f.number("stiffness"), damping = f.number("damping", 0);
    std::vector<Signal> target = read_signals(f, "target");
    return with_location(f, value, [&] {
      return chasles::pd_hold(model, f.text("joint"), stiffness, damping, std::move(target));
    });
  }
  Force joint_torque() const {
    const Fields f = fields({"type", "joint", "value"});
    std::vector<Signal> signals = read_signals(f, "value");
    return with_location(f, value, [&] {
      return chasles::joint_torque(model, f.text("joint"), std::move(signals));
    });
  }
  Force body_wrench() const {
    const Fields f = fields({"type", "body", "point", "wrench", "representation"});
    static constexpr std::string_view names[] = {"body", "spatial", "hybrid", "mixed"};
    const auto rep = static_cast<Representation>(f.choice(
        "representation", names, static_cast<std::size_t>(AppliedWrench{}.representation)));
    const std::vector<Signal> signals = read_signals(f, "wrench");
    if (signals.size() != 6)
      f.refuse(f.require("wrench"),
               "wrench has " + std::to_string(signals.size()) + " entries; give 6: torque, force");
    std::array<Signal, 6> wrench{};
    std::copy(signals.begin(), signals.end(), wrench.begin());
    return with_location(f, value, [&] {
      return chasles::body_wrench(bodies, {f.text("body"), f.vec3("point", {})}, wrench, rep);
    });
  }
  Force point_spring_damper() const {
    const Fields f = fields({"type", "a", "b", "stiffness", "damping", "length"});
    const BodyPoint a = read_body_point(f, "a"), b = read_body_point(f, "b");
    const double stiffness = f.number("stiffness", 0), damping = f.number("damping", 0);
    return with_location(f, value, [&] {
      return chasles::point_spring_damper(bodies, a, b, stiffness, damping, f.number("length", 0));
    });
  }
};

struct ForceType {
  std::string_view name;
  bool of_joint;
  Force (ForceReader::*read)() const;
};
constexpr ForceType types[] = {{"joint_spring_damper", true, &ForceReader::joint_spring_damper},
                               {"joint_friction", true, &ForceReader::joint_friction},
                               {"pd_hold", true, &ForceReader::pd_hold},
                               {"joint_torque", true, &ForceReader::joint_torque},
                               {"body_wrench", false, &ForceReader::body_wrench},
                               {"point_spring_damper", false, &ForceReader::point_spring_damper}};

}  // namespace

std::size_t type_of(const std::string& file, const Value& value, const std::string& what,
                    const std::string& kind, std::span<const std::string_view> known) {
  if (value.kind != Kind::map) fail(file, value.location, what + ": give a map with type");
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    if (value.keys[i].text != "type") continue;
    const Value& given = value.items[i];
    for (std::size_t k = 0; k < known.size(); ++k)
      if (given.kind == Kind::scalar && given.text == known[k]) return k;
    fail(file, given.location,
         what + ": there is no " + kind + " of type " + quote(given.text) +
             choices(given.text, known));
  }
  fail(file, value.location, what + ": needs 'type'; give " + any_of(known));
}

void read_forces(const Fields& scenario, Scenario& run) {
  const std::vector<std::string_view> known = force_type_names();
  int number = 0;
  for (const Value& value : scenario.list("forces")) {
    const std::string what = "force " + std::to_string(++number);
    const std::size_t type = type_of(scenario.file(), value, what, "force", known);
    const ForceReader reader{scenario.file(), value, joints_of(run), run.model, what};
    Forces& forces = types[type].of_joint ? joint_forces_of(run) : run.forces;
    forces.add((reader.*types[type].read)());
  }
}

}  // namespace chasles::io

std::vector<std::string_view> chasles::force_type_names() {
  std::vector<std::string_view> names;
  for (const io::ForceType& type : io::types) names.push_back(type.name);
  return names;
}
