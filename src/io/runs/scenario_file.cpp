#include "chasles/io/scenario_file.hpp"

#include <cmath>
#include <map>
#include <unordered_set>

#include "chasles/constraints/point_constraints.hpp"
#include "chasles/io/run_file.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/simulation/contact.hpp"
#include "io/mechanism_text.hpp"
#include "io/report/collision_shapes.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/yaml/coordinate_dimensions.hpp"
#include "io/yaml/renamed_keys.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles {
namespace io {

std::vector<double> read_coordinates(const Fields& fields, const Value& value, std::string_view key,
                                     std::span<const Dimension> wanted) {
  if (wanted.size() == 1 && value.kind == Value::Kind::scalar)
    return {fields.to_number(value, key, wanted[0])};
  return fields.to_numbers(value, key, wanted);
}

namespace {

namespace fs = std::filesystem;

double positive(const Fields& fields, std::string_view key) {
  const double value = fields.number(key, dimensions::time);
  if (!(value > 0))
    fields.refuse(fields.require(key), std::string(key) + " " + to_text(value) +
                                           " is not positive; give seconds, more than 0");
  return value;
}

using Files = std::vector<fs::path>;

/// `packages`: folders by name, relative to the scenario.
std::vector<std::pair<std::string, fs::path>> read_packages(const Fields& file,
                                                            const fs::path& folder) {
  std::vector<std::pair<std::string, fs::path>> list;
  const Value* map = file.find("packages");
  if (map == nullptr) return list;
  if (map->kind != Value::Kind::map)
    file.refuse(*map, "packages is not a map; give folders by package, {my_robot: ../my_robot}");
  for (std::size_t i = 0; i < map->keys.size(); ++i) {
    if (map->items[i].kind != Value::Kind::scalar || map->items[i].text.empty())
      file.refuse(map->items[i], "packages: give the folder of " + quote(map->keys[i].text));
    list.emplace_back(map->keys[i].text, folder / map->items[i].text);
  }
  return list;
}

Mechanism read_model(const Fields& file, const fs::path& path, const ReadModel& read,
                     std::vector<std::string>* warnings, Files* files) {
  const fs::path model = path.parent_path() / file.text("model");
  if (files != nullptr) files->push_back(model);
  std::error_code error;
  if (!read && !fs::exists(model, error))
    file.refuse(file.require("model"), "model " + quote(model.string()) +
                                           ": there is no such file; the path is relative to "
                                           "the scenario");
  ReadOptions options{file.boolean("floating_base", false), warnings, true};
  options.allow_outside = file.boolean("allow_outside", false);
  options.model = file.text("model_name", "");
  options.packages = read_packages(file, path.parent_path());
  Mechanism mechanism = read ? read(model, options) : read_mechanism(model, options);
  mechanism.gravity = file.vec3("gravity", mechanism.gravity, dimensions::acceleration);
  return mechanism;
}

bool continues_run(const Fields& file) {
  const Value* initial = file.find("initial");
  return initial != nullptr &&
         std::ranges::any_of(initial->keys, [](const Value& key) { return key.text == "from"; });
}

void read_stabilization(const Fields& file, IntegratorOptions& options) {
  static constexpr std::string_view kinds[] = {"projection", "none", "baumgarte"};
  const Value* value = file.find("stabilization");
  if (value != nullptr && value->kind == Value::Kind::map) {
    const Fields fields(file.file(), *value, "stabilization", {"baumgarte"});
    const auto rates =
        fields.to_numbers(fields.require("baumgarte"), "baumgarte", 2, dimensions::frequency);
    options.stabilization = Stabilization::baumgarte;
    options.baumgarte = {rates[0], rates[1]};
    return with_location(fields, *value, [&] { MechanicalSystem::check(*options.baumgarte); });
  }
  options.stabilization = static_cast<Stabilization>(file.choice("stabilization", kinds, 0));
  if (options.stabilization == Stabilization::baumgarte)
    file.refuse(*value,
                "baumgarte needs its rates; give {baumgarte: [alpha, beta]} [1/s], such as both "
                "a tenth of 1 / step");
}

/// In maximal coordinates, scales are those of bodies.
void refuse_scales_of_joints(const Fields& integrator, const Scenario& scenario) {
  if (!scenario.joints || !integrator.has("scales")) return;
  const auto& bodies = scenario.model.joints();
  for (const Value& key : integrator.require("scales").keys)
    if (std::ranges::find(bodies, key.text, &ModelJoint::name) == bodies.end())
      integrator.refuse(key, "scales: " + quote(key.text) +
                                 " is not a body that moves; in maximal coordinates scales are "
                                 "those of bodies, {BODY: [6 numbers]}");
}

IntegratorOptions read_integrator(const Fields& file, const Scenario& scenario) {
  const Model& model = scenario.model;
  IntegratorOptions options;
  const Value* value = file.find("integrator");
  if (value == nullptr) return options;
  static constexpr std::string_view chosen[] = {"step",     "tolerance", "scales", "first_step",
                                                "max_step", "order",     "chart",  "composition",
                                                "rho",      "index"};
  const Fields fields(
      file.file(), *value, "integrator",
      {"method", "step", "tolerance", "scales", "first_step", "max_step", "order", "chart",
       "composition", "rho", "index", "momentum_form", "keep_invariants", "tableau"});
  options.method = fields.text("method", options.method);
  const Value& at = fields.has("method") ? fields.require("method") : *value;
  if (const Value* tableau = fields.find("tableau")) {
    if (fields.has("method"))
      fields.refuse(at, "give either method, or a tableau, which is a method of its own");
    const RungeKuttaTableau given = read_tableau(fields);
    options.own = with_location(fields, *tableau, [&] { return runge_kutta_method(given); });
  }
  const MethodInfo info = with_location(fields, at, [&] { return method_info(options); });
  const auto used = options_of(info);
  for (const std::string_view key : chosen)
    if (fields.has(key) && std::find(used.begin(), used.end(), key) == used.end())
      fields.refuse(fields.require(key), unused_option(info, key));
  const auto given = [&](std::string_view key, std::optional<double>& out) {
    if (fields.has(key)) out = positive(fields, key);
  };
  given("step", options.step);
  given("first_step", options.first_step);
  given("max_step", options.max_step);
  if (fields.has("tolerance")) {
    const double tolerance = fields.number("tolerance");
    if (!(tolerance >= 1e-15 && tolerance < 1))
      fields.refuse(fields.require("tolerance"),
                    "tolerance " + to_text(tolerance) + " is out of range; give 1e-15 to 1");
    options.tolerance = tolerance;
  }
  refuse_scales_of_joints(fields, scenario);
  if (fields.has("scales")) {
    options.scales.setZero(model.nv());
    options.scales.setConstant(1);
    read_by_joint(fields, "scales", model, options.scales);
    for (int k = 0; k < model.nv(); ++k)
      if (!(options.scales[k] > 0))
        fields.refuse(fields.require("scales"),
                      "scales of joint " + quote(model.joint_of_v(k).name) + ": " +
                          to_text(options.scales[k]) +
                          " is not positive; give rad or m, such as 0.01");
  }
  const auto whole = [&](std::string_view key, std::optional<int>& out) {
    if (!fields.has(key)) return;
    const double n = fields.number(key);
    if (n != std::floor(n) || n < 1 || n > 100)
      fields.refuse(fields.require(key), std::string(key) + " " + to_text(n) + " is not an " +
                                             std::string(key) + "; give 1, 2, ...");
    out = static_cast<int>(n);
  };
  whole("order", options.order);
  whole("index", options.index);
  if (fields.has("rho")) options.rho = fields.number("rho");
  options.momentum_form = fields.boolean("momentum_form", false);
  options.keep_invariants = fields.boolean("keep_invariants", false);
  static constexpr std::string_view kinds[] = {"exponential", "cayley", "second_kind"};
  static constexpr std::string_view compositions[] = {"yoshida", "suzuki", "kahan_li"};
  if (fields.has("composition"))
    options.composition = static_cast<Composition>(fields.choice("composition", compositions, 0));
  if (fields.has("chart")) options.chart = static_cast<Chart>(fields.choice("chart", kinds, 0));
  with_location(fields, *value, [&] { check_options(options, model.nv()); });
  return options;
}

void read_limits(const Fields& file, Scenario& scenario) {
  static constexpr std::string_view modes[] = {"ignore", "warn", "soft", "rigid"};
  const Value* value = file.find("limits");
  if (value == nullptr || value->kind != Value::Kind::map) {
    scenario.limits = static_cast<LimitMode>(file.choice("limits", modes, 1));
    return;
  }
  const Fields fields(file.file(), *value, "limits",
                      {"mode", "time", "damping_ratio", "stiffness", "damping", "depth",
                       "restitution", "rest_velocity"});
  fields.require("mode");
  scenario.limits = static_cast<LimitMode>(fields.choice("mode", modes, 1));
  const bool soft = scenario.limits == LimitMode::soft, rigid = scenario.limits == LimitMode::rigid;
  for (const Value& key : value->keys)
    if (const bool of_rigid = key.text == "restitution" || key.text == "rest_velocity";
        key.text != "mode" && !(of_rigid ? rigid : soft))
      fields.refuse(key, key.text + ": only of mode: " + (of_rigid ? "rigid" : "soft"));
  scenario.rigid.restitution = fields.number("restitution", scenario.rigid.restitution);
  scenario.rigid.rest_velocity =
      fields.number("rest_velocity", scenario.rigid.rest_velocity, dimensions::any);
  with_location(fields, *value, [&] { return scenario.rigid.check(), 0; });
  if (!soft) return;
  for (const auto& [unused, by] : {std::pair{"time", "stiffness"}, {"damping_ratio", "damping"}})
    if (fields.has(unused) && fields.has(by))
      fields.refuse(fields.require(unused), std::string(unused) + ": is not used, since " + by +
                                                " is given; leave one of them out");
  SoftStops& stops = scenario.stops;
  stops.time = fields.number("time", stops.time, dimensions::time);
  stops.ratio = fields.number("damping_ratio", stops.ratio);
  if (fields.has("stiffness")) stops.stiffness = fields.number("stiffness", dimensions::any);
  if (fields.has("damping")) stops.damping = fields.number("damping", dimensions::any);
  stops.depth = fields.number("depth", stops.depth, dimensions::any);
  with_location(fields, *value, [&] {
    return soft_stops(joints_of(scenario), joints_q_of(scenario), stops).size();
  });
}

/// Warns about settings without effect.
void warn_of_unused(const Fields& file, const Scenario& scenario, const Mechanism& mechanism,
                    std::vector<std::string>* warnings) {
  if (warnings == nullptr) return;
  const auto warn = [&](const Value& at, const std::string& message) {
    warnings->push_back(location_text(file.file(), at.location) + ": " + message);
  };
  const bool mimics = std::ranges::any_of(
      mechanism.bodies, [](const Body& body) { return body.joint.mimic.has_value(); });
  const bool bound = !mechanism.loops.empty() || !mechanism.couplings.empty() ||
                     !mechanism.constraints.empty() || mimics;
  const Value* loops = file.find("loops");
  if (loops != nullptr && loops->text == "open" && !bound)
    warn(*loops, "loops: open: the model has no loops or couplings, so nothing is opened");
  const bool open = loops != nullptr && loops->text == "open";
  const bool constrained =
      !scenario.constraints.more.empty() ||
      (scenario.joints ? !scenario.model.loops().empty() || !scenario.model.constraints().empty()
                       : bound && !open);
  if (const Value* kept = file.find("stabilization"); kept != nullptr && !constrained)
    warn(*kept, "stabilization: nothing is constrained in this run, so it is not used");
  const IntegratorOptions& options = scenario.integrator;
  const Value* integrator = file.find("integrator");
  if (integrator == nullptr) return;
  if (options.index && !constrained)
    warn(*integrator, "index: nothing is constrained in this run, so it is not used");
  if (options.step && *options.step > scenario.duration * (1 + 1e-9))
    warn(*integrator, "step: " + to_text(*options.step) + " s is longer than the run, of " +
                          to_text(scenario.duration) + " s, which is one shorter step");
}

/// @throws Error with the nearest name, if a quantity `driver_force:NAME` names no driver, `constraint_force:NAME` no
///         constraint
void require_constraint(const Scenario& scenario, const std::string& kind,
                        std::string_view quantity) {
  const std::string_view name = quantity.substr(std::min(quantity.find(':') + 1, quantity.size()));
  std::vector<std::string> names;
  for (const auto& constraint : scenario.constraints.more)
    if (constraint->kind() == kind) names.push_back(constraint->name());
  if (kind == "constraint" && scenario.loops)
    for (const auto& constraint : constraints_of(scenario.model))
      names.push_back(constraint->name());
  if (std::ranges::find(names, name) != names.end()) return;
  const std::string none = "there is no " + kind + " " + quote(name);
  if (names.empty()) throw Error(none + ": the scenario has none");
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw Error(none + choices(name, known));
}

void read_record(const Fields& file, Scenario& scenario) {
  const Value* value = file.find("record");
  if (value == nullptr) return;
  const Fields record(file.file(), *value, "record", {"every", "quantities"});
  if (record.has("every")) scenario.every = positive(record, "every");
  std::unordered_set<std::string_view> seen;
  for (const Value& item : record.list("quantities")) {
    if (item.kind != Value::Kind::scalar)
      record.refuse(item, "quantities: give names such as energy or pose:hand");
    with_location(record, item, [&] {
      if (item.text.starts_with("contact:")) contact_named(scenario.forces, item.text.substr(8));
      if (item.text.starts_with("driver_")) require_constraint(scenario, "driver", item.text);
      if (item.text.starts_with("constraint_force:"))
        require_constraint(scenario, "constraint", item.text);
      return quantity(scenario.model, item.text, QuantitySource::run);
    });
    if (!seen.insert(item.text).second)
      record.refuse(item, "quantities: " + quote(item.text) + " is given twice; give it once");
    scenario.quantities.push_back(item.text);
  }
}

}  // namespace

Scenario read_scenario(std::string_view text, const fs::path& path, const ReadModel& read,
                       std::vector<std::string>* warnings, Files* files,
                       std::span<const std::string> changes) {
  const std::string name = input_name(path);
  Value document = parse_yaml(text, name);
  change_document(document, changes);
  use_present_names(document, name, warnings);
  const Fields file(
      name, document, "scenario",
      {"chasles",       "name",          "model",     "floating_base", "gravity",
       "initial",       "coordinates",   "group",     "loops",         "mimic",
       "stabilization", "integrator",    "duration",  "forces",        "contacts",
       "control",       "drivers",       "limits",    "events",        "joint_dynamics",
       "record",        "constraints",   "actuators", "model_name",    "packages",
       "allow_outside", "series_elastic"});
  check_version(file);
  const double duration = positive(file, "duration");
  Mechanism mechanism = read_model(file, path, read, warnings, files);
  const ElasticDrives drives = read_series_elastic(file, mechanism);
  const Mechanism described = mechanism;
  static constexpr std::string_view coordinates[] = {"minimal", "maximal"},
                                    ends[] = {"closed", "open"};
  const bool absolute = file.choice("coordinates", coordinates, 0) == 1;
  const bool open = file.choice("loops", ends, 0) == 1;
  // In maximal coordinates joints are themselves loops of the model, which stay closed.
  if (absolute && open)
    mechanism.loops.clear(), mechanism.couplings.clear(), mechanism.constraints.clear();
  // With drivers and further constraints, bodies without mass are as intended.
  if (!absolute && !file.has("drivers") && !file.has("constraints"))
    hold_massless_joints(mechanism, name, !open, warnings);
  const Model tree = compile(mechanism);
  Scenario scenario{.name = file.text("name", path.stem().string()),
                    .model = tree,
                    .start = {},
                    .duration = duration};
  scenario.file = path, scenario.source = text;
  complete_appearance(mechanism);
  scenario.appearance = mechanism.appearance;
  scenario.loops = absolute || !open;
  if (absolute)
    scenario.model = read_maximal(file, path, mechanism), scenario.joints = tree;
  else if (file.has("group"))
    file.refuse(file.require("group"), "group: of coordinates: maximal; leave it out");
  if (open && file.has("constraints"))
    file.refuse(file.require("constraints"),
                "constraints: with loops: open nothing is constrained; leave one of them out");
  if (open && !absolute && file.has("drivers"))
    file.refuse(file.require("drivers"),
                "drivers: with loops: open nothing is constrained in minimal coordinates; leave "
                "one of them out, or take coordinates: maximal");
  scenario.constraints.mimic = file.boolean("mimic", true);
  const RecordedEnd end = read_initial(file, path, described, drives, scenario, warnings, files);
  if (absolute) {
    choose_groups(file, path, mechanism, scenario);
    for (auto& constraint : read_constraints(file, scenario.model, scenario.start.q))
      scenario.constraints.more.push_back(std::move(constraint));
  }
  scenario.integrator = read_integrator(file, scenario);
  read_stabilization(file, scenario.integrator);
  continue_from(end, scenario);
  // Settings that need minimal coordinates are rejected.
  const auto check_part = [&](std::string_view key) {
    if (const Value* part = file.find(key); part != nullptr && absolute)
      with_location(file, *part, [&] { check(scenario); });
  };
  read_forces(file, scenario);
  read_contacts(file, described, scenario.model, scenario.forces, warnings);
  read_drawn_elements(file, scenario.appearance);
  check_part("forces");
  read_control(file, path, described, drives, scenario, files, warnings, continues_run(file));
  read_limits(file, scenario);
  check_part("limits");
  scenario.events = read_events(file, scenario);
  check_part("events");
  scenario.joint_dynamics = file.boolean("joint_dynamics", true);
  if (!scenario.joint_dynamics && !drives.list.empty())
    file.refuse(file.require("joint_dynamics"),
                "joint_dynamics: false leaves out the springs of series_elastic too, so that no "
                "drive moves its joint; leave one of them out");
  read_actuators(file, scenario);
  read_record(file, scenario);
  check_part("record");
  with_location(file, document, [&] { check(scenario); });
  warn_of_unused(file, scenario, described, warnings);
  return scenario;
}

}  // namespace io

Scenario read_scenario(const std::filesystem::path& path, std::vector<std::string>* warnings,
                       std::vector<std::filesystem::path>* files,
                       std::span<const std::string> changes) {
  if (files != nullptr) files->push_back(path);
  const std::string text = io::read_file(path);
  try {
    return io::read_scenario(text, path, {}, warnings, files, changes);
  } catch (const Error& error) {
    if (changes.empty()) throw;
    std::string said = std::string(error.what()) + "; changed:";
    for (const std::string& change : changes) said += " " + change;
    throw Error(said);
  }
}

}  // namespace chasles
