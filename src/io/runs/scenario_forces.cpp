#include "chasles/io/scenario_file.hpp"
#include "chasles/simulation/element_forces.hpp"
#include "chasles/simulation/expression_force.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/yaml/coordinate_dimensions.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

constexpr const char* signal_kinds =
    "a number, {amplitude, frequency, phase, offset} or {times: [..], values: [..]}";

Signal read_signal(const Fields& force, const Value& value, std::string_view key,
                   const Dimension& wanted) {
  if (value.kind == Kind::scalar && !parse_expression(value.text))
    force.refuse(value, std::string(key) + " " + quote(value.text) + " is not a signal; give " +
                            signal_kinds);
  if (value.kind != Kind::map) return signals::constant(force.to_number(value, key, wanted));
  const std::string what = force.what() + ", " + std::string(key);
  const Fields fields(force.file(), value, what,
                      {"amplitude", "frequency", "phase", "offset", "times", "values"});
  const bool wave = fields.has("amplitude") || fields.has("frequency") || fields.has("phase") ||
                    fields.has("offset");
  if (wave && (fields.has("times") || fields.has("values")))
    fields.refuse(value, "is a sinusoid and a table; give one of them");
  if (wave)
    return signals::sinusoid(
        {fields.number("amplitude", wanted), fields.number("frequency", dimensions::frequency),
         fields.number("phase", 0, dimensions::angle), fields.number("offset", 0, wanted)});
  if (value.keys.empty()) fields.refuse(value, std::string("is empty; give ") + signal_kinds);
  fields.require("times"), fields.require("values");
  std::vector<double> times, values;
  for (const Value& t : fields.list("times"))
    times.push_back(fields.to_number(t, "times", dimensions::time));
  for (const Value& y : fields.list("values"))
    values.push_back(fields.to_number(y, "values", wanted));
  return with_location(fields, value,
                       [&] { return signals::table(std::move(times), std::move(values)); });
}

/// One signal per entry; a single one may be written without a list.
/// @param wanted  dimensions of the entries; others may have any
std::vector<Signal> read_signals(const Fields& force, std::string_view key,
                                 std::span<const Dimension> wanted) {
  const Value& value = force.require(key);
  const auto dimension = [&](std::size_t i) {
    return i < wanted.size() ? wanted[i] : dimensions::any;
  };
  if (value.kind != Kind::list) return {read_signal(force, value, key, dimension(0))};
  std::vector<Signal> signals;
  for (std::size_t i = 0; i < value.items.size(); ++i)
    signals.push_back(read_signal(force, value.items[i], key, dimension(i)));
  return signals;
}

BodyPoint read_body_point(const Fields& force, std::string_view key) {
  const Fields fields(force.file(), force.require(key), force.what() + ", " + std::string(key),
                      {"body", "point"});
  return {fields.text("body"), fields.vec3("point", {}, dimensions::length)};
}

constexpr Dimension wrench_dimensions[] = {dimensions::torque, dimensions::torque,
                                           dimensions::torque, dimensions::force,
                                           dimensions::force,  dimensions::force};

struct ForceReader {
  const std::string& file;
  const Value& value;
  const Model& model;   // of its joints
  const Model& bodies;  // of its bodies
  std::string what;     // "force 3"

  Fields fields(Fields::Keys known) const { return {file, value, what, known}; }

  const ModelJoint& joint_of(const Fields& f) const {
    return with_location(f, f.require("joint"),
                         [&]() -> const ModelJoint& { return model.joint(f.text("joint")); });
  }

  Force joint_spring_damper() const {
    const Fields f = fields({"type", "joint", "stiffness", "damping", "rest"});
    const ModelJoint& joint = joint_of(f);
    const CoordinateDimensions d = dimensions_of(joint);
    std::vector<double> rest;
    if (const Value* given = f.find("rest"))
      rest = read_coordinates(f, *given, "rest", q_dimensions(joint));
    return with_location(f, value, [&] {
      return chasles::joint_spring_damper(model, joint.name,
                                          f.number("stiffness", 0, d.stiffness()),
                                          f.number("damping", 0, d.damping()), rest);
    });
  }
  Force joint_friction() const {
    const Fields f =
        fields({"type", "joint", "viscous", "coulomb", "velocity", "stick", "breakaway"});
    const CoordinateDimensions d = dimensions_of(joint_of(f));
    Friction friction{f.number("viscous", 0, d.damping()), f.number("coulomb", 0, d.force),
                      f.number("velocity", Friction{}.velocity, d.v), f.boolean("stick", false)};
    if (f.has("breakaway")) friction.breakaway = f.number("breakaway", d.force);
    if (friction.stick && f.has("velocity"))
      f.refuse(
          f.require("velocity"),
          "velocity: only of friction that creeps; friction that sticks has none, leave it out");
    return with_location(f, value,
                         [&] { return chasles::joint_friction(model, f.text("joint"), friction); });
  }
  Force pd_hold() const {
    const Fields f = fields({"type", "joint", "stiffness", "damping", "target"});
    const ModelJoint& joint = joint_of(f);
    const CoordinateDimensions d = dimensions_of(joint);
    const double stiffness = f.number("stiffness", d.stiffness()),
                 damping = f.number("damping", 0, d.damping());
    std::vector<Signal> target = read_signals(f, "target", q_dimensions(joint));
    return with_location(f, value, [&] {
      return chasles::pd_hold(model, f.text("joint"), stiffness, damping, std::move(target));
    });
  }
  Force joint_torque() const {
    const Fields f = fields({"type", "joint", "value"});
    const CoordinateDimensions d = dimensions_of(joint_of(f));
    std::vector<Signal> signals = read_signals(f, "value", std::vector<Dimension>(6, d.force));
    return with_location(f, value, [&] {
      return chasles::joint_torque(model, f.text("joint"), std::move(signals));
    });
  }
  Force body_wrench() const {
    const Fields f = fields({"type", "body", "point", "wrench", "representation"});
    static constexpr std::string_view names[] = {"body", "spatial", "hybrid", "mixed"};
    const auto rep = static_cast<Representation>(f.choice(
        "representation", names, static_cast<std::size_t>(AppliedWrench{}.representation)));
    if (rep == Representation::spatial && f.has("point"))
      f.refuse(f.require("point"),
               "point: a spatial wrench is about the origin of the world; leave it out, or take "
               "representation hybrid for one in world axes at the point");
    const std::vector<Signal> signals = read_signals(f, "wrench", wrench_dimensions);
    if (signals.size() != 6)
      f.refuse(f.require("wrench"),
               "wrench has " + std::to_string(signals.size()) + " entries; give 6: torque, force");
    std::array<Signal, 6> wrench{};
    std::copy(signals.begin(), signals.end(), wrench.begin());
    return with_location(f, value, [&] {
      return chasles::body_wrench(bodies, {f.text("body"), f.vec3("point", {}, dimensions::length)},
                                  wrench, rep);
    });
  }
  /// One end of a bushing: a point of a body and axes there.
  void read_end(const Fields& f, std::string_view key, BodyPoint& point, SO3& axes) const {
    const Fields end(file, f.require(key), f.what() + ", " + std::string(key),
                     {"body", "point", "rpy", "quaternion", "matrix"});
    point = {end.text("body"), end.vec3("point", {}, dimensions::length)};
    axes = read_pose(end).R;
  }
  /// Six numbers on the diagonal, or six rows; entry (i, j) has the dimension of Q_i / xi_j'.
  std::array<double, 36> read_six_by_six(const Fields& f, std::string_view key,
                                         const Dimension& angle, const Dimension& length) const {
    std::array<double, 36> out{};
    const Value* given = f.find(key);
    if (given == nullptr) return out;
    const std::string name(key);
    if (given->kind != Kind::list || given->items.size() != 6)
      f.refuse(*given, name + ": give six numbers, (rotation; translation), or six rows of six");
    const bool rows = given->items[0].kind == Kind::list;
    for (std::size_t i = 0; i < 6; ++i) {
      std::array<Dimension, 6> wanted;
      for (std::size_t j = 0; j < 6; ++j)
        wanted[j] = CoordinateDimensions::quotient(wrench_dimensions[i], j < 3 ? angle : length);
      if (!rows) {
        out[7 * i] = f.to_number(given->items[i], key, wanted[i]);
        continue;
      }
      const auto row = f.to_numbers(given->items[i], "a row of " + name, wanted);
      std::copy(row.begin(), row.end(), out.begin() + static_cast<std::ptrdiff_t>(6 * i));
    }
    return out;
  }
  Force bushing() const {
    const Fields f = fields({"type", "a", "b", "stiffness", "damping", "preload"});
    Bushing out;
    read_end(f, "a", out.a, out.axes_a), read_end(f, "b", out.b, out.axes_b);
    f.require("stiffness");
    out.stiffness = read_six_by_six(f, "stiffness", dimensions::angle, dimensions::length);
    out.damping = read_six_by_six(f, "damping", dimensions::angular_velocity, dimensions::velocity);
    if (const Value* preload = f.find("preload")) {
      const auto x = f.to_numbers(*preload, "preload", wrench_dimensions);
      std::copy(x.begin(), x.end(), out.preload.begin());
    }
    return with_location(f, value, [&] { return chasles::bushing(bodies, out); });
  }
  std::vector<double> read_list(const Fields& f, std::string_view key,
                                const Dimension& wanted) const {
    f.require(key);
    std::vector<double> out;
    for (const Value& item : f.list(key)) out.push_back(f.to_number(item, key, wanted));
    return out;
  }
  Force joint_spring_table() const {
    const Fields f = fields({"type", "joint", "positions", "forces", "damping", "interpolation"});
    const ModelJoint& joint = joint_of(f);
    const CoordinateDimensions d = dimensions_of(joint);
    auto positions = read_list(f, "positions", d.q), forces = read_list(f, "forces", d.force);
    static constexpr std::string_view kinds[] = {"linear", "cubic"};
    const auto kind = static_cast<TableInterpolation>(f.choice("interpolation", kinds, 0));
    const double damping = f.number("damping", 0, d.damping());
    return with_location(f, value, [&] {
      return chasles::joint_spring_table(model, joint.name, std::move(positions), std::move(forces),
                                         damping, kind);
    });
  }
  Force point_drag() const {
    const Fields f =
        fields({"type", "body", "point", "density", "coefficient", "area", "viscous", "wind"});
    Drag drag;
    drag.viscous = f.number("viscous", 0, dimensions::damping);
    drag.wind = f.vec3("wind", {}, dimensions::velocity);
    static constexpr std::string_view together[] = {"density", "coefficient", "area"};
    const bool quadratic =
        std::ranges::any_of(together, [&](std::string_view key) { return f.has(key); });
    if (!quadratic && !f.has("viscous"))
      f.refuse(value, "needs density, coefficient and area, or viscous");
    if (quadratic)
      drag.quadratic = f.number("density", Dimension{-3, 1}) * f.number("coefficient") *
                       f.number("area", Dimension{2}) / 2;
    return with_location(f, value, [&] {
      return chasles::point_drag(bodies, {f.text("body"), f.vec3("point", {}, dimensions::length)},
                                 drag);
    });
  }
  std::string expression_text(const Fields& f, const Value& given) const {
    if (given.kind != Kind::scalar || given.text.empty())
      f.refuse(given, "force is not an expression; give text such as \"-k*q.elbow\"");
    return given.text;
  }
  ExpressionParameters parameters(const Fields& f) const {
    ExpressionParameters out;
    const Value* given = f.find("parameters");
    if (given == nullptr) return out;
    if (given->kind != Kind::map)
      f.refuse(*given, "parameters is not a map; give numbers by name, {k: 10}");
    for (std::size_t i = 0; i < given->keys.size(); ++i)
      out[given->keys[i].text] =
          f.to_number(given->items[i], "parameter " + given->keys[i].text, dimensions::any);
    return out;
  }
  Force expression() const {
    const Fields f = fields({"type", "joint", "force", "parameters"});
    const ModelJoint& joint = joint_of(f);
    const Value& given = f.require("force");
    std::vector<std::string> texts;
    if (given.kind == Kind::list)
      for (const Value& item : given.items) texts.push_back(expression_text(f, item));
    else
      texts.push_back(expression_text(f, given));
    const ExpressionParameters numbers = parameters(f);
    return with_location(
        f, given, [&] { return chasles::expression_force(model, joint.name, texts, numbers); });
  }
  Force point_expression() const {
    const Fields f = fields({"type", "a", "b", "force", "parameters"});
    const BodyPoint a = read_body_point(f, "a"), b = read_body_point(f, "b");
    const Value& given = f.require("force");
    const std::string text = expression_text(f, given);
    const ExpressionParameters numbers = parameters(f);
    return with_location(f, given,
                         [&] { return chasles::point_expression(bodies, a, b, text, numbers); });
  }
  Force point_spring_damper() const {
    const Fields f = fields({"type", "a", "b", "stiffness", "damping", "length"});
    const BodyPoint a = read_body_point(f, "a"), b = read_body_point(f, "b");
    const double stiffness = f.number("stiffness", 0, dimensions::stiffness),
                 damping = f.number("damping", 0, dimensions::damping),
                 length = f.number("length", 0, dimensions::length);
    return with_location(f, value, [&] {
      return chasles::point_spring_damper(bodies, a, b, stiffness, damping, length);
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
                               {"point_spring_damper", false, &ForceReader::point_spring_damper},
                               {"bushing", false, &ForceReader::bushing},
                               {"joint_spring_table", true, &ForceReader::joint_spring_table},
                               {"point_drag", false, &ForceReader::point_drag},
                               {"expression", true, &ForceReader::expression},
                               {"point_expression", false, &ForceReader::point_expression}};

}  // namespace

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
