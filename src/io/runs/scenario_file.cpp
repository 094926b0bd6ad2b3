#include "chasles/io/scenario_file.hpp"

#include <cmath>
#include <map>
#include <unordered_set>

#include "chasles/constraints/absolute.hpp"
#include "chasles/io/run_file.hpp"
#include "chasles/mechanism/freed.hpp"
#include "chasles/simulation/contact.hpp"
#include "io/mechanism_text.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles {
namespace io {

std::vector<double> read_coordinates(const Fields& fields, const Value& value, std::string_view key,
                                     int count) {
  if (count == 1 && value.kind == Value::Kind::scalar) return {fields.to_number(value, key)};
  return fields.to_numbers(value, key, static_cast<std::size_t>(count));
}

namespace {

namespace fs = std::filesystem;

double positive(const Fields& fields, std::string_view key) {
  const double value = fields.number(key);
  if (!(value > 0))
    fields.refuse(fields.require(key), std::string(key) + " " + to_text(value) +
                                           " is not positive; give seconds, more than 0");
  return value;
}

using Files = std::vector<fs::path>;

Mechanism read_model(const Fields& file, const fs::path& path, const ReadModel& read,
                     std::vector<std::string>* warnings, Files* files) {
  const fs::path model = path.parent_path() / file.text("model");
  if (files != nullptr) files->push_back(model);
  std::error_code error;
  if (!read && !fs::exists(model, error))
    file.refuse(file.require("model"), "model " + quote(model.string()) +
                                           ": there is no such file; the path is relative to "
                                           "the scenario");
  const ReadOptions options{file.boolean("floating_base", false), warnings, true};
  Mechanism mechanism = read ? read(model, options) : read_mechanism(model, options);
  mechanism.gravity = file.vec3("gravity", mechanism.gravity);
  return mechanism;
}

/// One of the maps of coordinates by joint, `q` or `v`, into `out`; and which entries of v it is about.
void read_by_joint(const Fields& initial, std::string_view key, const Model& model, Vector& out,
                   std::vector<bool>* given = nullptr) {
  const Value* map = initial.find(key);
  if (map == nullptr) return;
  const std::string name(key);
  if (map->kind != Value::Kind::map)
    initial.refuse(*map, name + " is not a map; give numbers by joint, {shoulder: 0.3}");
  for (std::size_t i = 0; i < map->keys.size(); ++i) {
    const ModelJoint& joint = placed(initial, map->keys[i], [&]() -> const ModelJoint& {
      return model.joint(map->keys[i].text);
    });
    const bool is_q = key == "q";
    const auto x = read_coordinates(initial, map->items[i], name + " of joint " + quote(joint.name),
                                    is_q ? joint.nq : joint.nv);
    for (std::size_t k = 0; k < x.size(); ++k)
      out[(is_q ? joint.q_index : joint.v_index) + static_cast<Eigen::Index>(k)] = x[k];
    if (given != nullptr) std::fill_n(given->begin() + joint.v_index, joint.nv, true);
  }
  if (key == "q") placed(initial, *map, [&] { out = checked_configuration(model, out); });
}

/// @returns what the end of the run knows that is continued as it was left
RecordedEnd read_initial(const Fields& file, const fs::path& path, const Model& model,
                         Scenario& scenario, Files* files) {
  RecordedEnd end;
  State& state = scenario.start;
  state = {0, model.neutral(), Vector(model.nv())};
  const Value* value = file.find("initial");
  if (value == nullptr) return end;
  scenario.kept_q.assign(static_cast<std::size_t>(model.nv()), false);
  scenario.kept_v = scenario.kept_q;
  const Fields initial(file.file(), *value, "initial", {"q", "v", "from", "at"});
  if (initial.has("from")) {
    std::optional<double> at;
    if (initial.has("at")) at = initial.number("at");
    const fs::path run = path.parent_path() / initial.text("from");
    if (files != nullptr) files->push_back(run);
    state = placed(initial, initial.require("from"),
                   [&] { return read_recorded_state(run, model, at, end); });
  } else if (initial.has("at")) {
    initial.refuse(initial.require("at"), "at: a time in a recorded run; give it with from");
  }
  read_by_joint(initial, "q", model, state.q, &scenario.kept_q);
  read_by_joint(initial, "v", model, state.v, &scenario.kept_v);
  return initial.has("at") || initial.has("q") || initial.has("v") ? RecordedEnd{} : end;
}

bool continues_run(const Fields& file) {
  const Value* value = file.find("initial");
  return value != nullptr &&
         Fields(file.file(), *value, "initial", {"q", "v", "from", "at"}).has("from");
}

/// One group for all bodies, or a map of those of some.
Model read_freed(const Fields& file, const Mechanism& mechanism) {
  static constexpr std::string_view names[] = {"auto", "se3", "so3xr3"};
  static constexpr FreedGroup groups[] = {FreedGroup::automatic, FreedGroup::se3,
                                          FreedGroup::so3xr3};
  const Value* given = file.find("group");
  FreedGroup group = FreedGroup::automatic;
  std::map<std::string, FreedGroup> of_bodies;
  if (given != nullptr && given->kind == Value::Kind::map) {
    for (std::size_t i = 0; i < given->keys.size(); ++i) {
      const Value& item = given->items[i];
      const auto* at = std::ranges::find(names, item.text);
      if (item.kind != Value::Kind::scalar || at == std::end(names))
        file.refuse(item, "group of body " + quote(given->keys[i].text) + ": " + quote(item.text) +
                              choices(item.text, names));
      of_bodies.emplace(given->keys[i].text, groups[at - names]);
    }
  } else {
    group = groups[file.choice("group", names, 0)];
  }
  return placed(file, given != nullptr ? *given : file.require("coordinates"),
                [&] { return compile(freed(mechanism, group, of_bodies)); });
}
/// A start that is given by the joints of the tree, in absolute coordinates.
void free_start(const Model& tree, Scenario& scenario) {
  State& start = scenario.start;
  if (!tree.loops().empty()) {
    Constraints constraints(tree);
    start.q = assemble(constraints, start.q, scenario.kept_q);
    start.v = consistent_velocity(constraints, start.q, start.v, scenario.kept_v);
  }
  VelocityKinematics kin(tree);
  velocities(tree, start.q, start.v, kin);
  start.q.resize(scenario.model.nq()), start.v.resize(scenario.model.nv());
  absolute_state(kin, scenario.model, start.q, start.v);
  scenario.kept_q.clear(), scenario.kept_v.clear();
}

void read_stabilisation(const Fields& file, IntegratorOptions& options) {
  static constexpr std::string_view kinds[] = {"projection", "none", "baumgarte"};
  const Value* value = file.find("stabilisation");
  if (value != nullptr && value->kind == Value::Kind::map) {
    const Fields fields(file.file(), *value, "stabilisation", {"baumgarte"});
    const auto rates = fields.to_numbers(fields.require("baumgarte"), "baumgarte", 2);
    options.stabilisation = Stabilisation::baumgarte;
    options.baumgarte = {rates[0], rates[1]};
    return placed(fields, *value, [&] { MechanicalSystem::check(*options.baumgarte); });
  }
  options.stabilisation = static_cast<Stabilisation>(file.choice("stabilisation", kinds, 0));
  if (options.stabilisation == Stabilisation::baumgarte)
    file.refuse(*value,
                "baumgarte needs its rates; give {baumgarte: [alpha, beta]} [1/s], such as both "
                "a tenth of 1 / step");
}

IntegratorOptions read_integrator(const Fields& file, const Model& model) {
  IntegratorOptions options;
  const Value* value = file.find("integrator");
  if (value == nullptr) return options;
  static constexpr std::string_view chosen[] = {"step",        "tolerance", "scales",
                                                "first_step",  "max_step",  "order",
                                                "coordinates", "rho",       "index"};
  const Fields fields(file.file(), *value, "integrator",
                      {"method", "step", "tolerance", "scales", "first_step", "max_step", "order",
                       "coordinates", "rho", "index", "momentum_form", "keep_invariants"});
  options.method = fields.text("method", options.method);
  const Value& at = fields.has("method") ? fields.require("method") : *value;
  const MethodInfo info = placed(fields, at, [&] { return method_info(options.method); });
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
  if (fields.has("scales")) {
    options.scales.setZero(model.nv());
    options.scales.setConstant(1);
    read_by_joint(fields, "scales", model, options.scales);
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
  if (fields.has("coordinates"))
    options.coordinates = static_cast<LocalCoordinates>(fields.choice("coordinates", kinds, 0));
  placed(fields, *value, [&] { check_options(options, model.nv()); });
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
  scenario.rigid.rest_velocity = fields.number("rest_velocity", scenario.rigid.rest_velocity);
  placed(fields, *value, [&] { return scenario.rigid.check(), 0; });
  if (!soft) return;
  SoftStops& stops = scenario.stops;
  stops.time = fields.number("time", stops.time);
  stops.ratio = fields.number("damping_ratio", stops.ratio);
  if (fields.has("stiffness")) stops.stiffness = fields.number("stiffness");
  if (fields.has("damping")) stops.damping = fields.number("damping");
  stops.depth = fields.number("depth", stops.depth);
  placed(fields, *value,
         [&] { return soft_stops(scenario.model, scenario.start.q, stops).size(); });
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
    placed(record, item, [&] {
      if (item.text.starts_with("contact:")) contact_named(scenario.forces, item.text.substr(8));
      return quantity(item.text, scenario.model, Source::run);
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
  const Fields file(name, document, "scenario",
                    {"chasles",       "name",        "model",    "floating_base",  "gravity",
                     "initial",       "coordinates", "group",    "loops",          "mimic",
                     "stabilisation", "integrator",  "duration", "forces",         "contacts",
                     "control",       "limits",      "events",   "joint_dynamics", "record"});
  check_version(file);
  const double duration = positive(file, "duration");
  const Mechanism mechanism = read_model(file, path, read, warnings, files);
  const Model tree = compile(mechanism);
  Scenario scenario{.name = file.text("name", path.stem().string()),
                    .model = tree,
                    .start = {},
                    .duration = duration};
  scenario.file = path, scenario.source = text;
  scenario.appearance = mechanism.appearance;
  static constexpr std::string_view coordinates[] = {"relative", "absolute"};
  const bool absolute = file.choice("coordinates", coordinates, 0) == 1;
  if (absolute)
    scenario.model = read_freed(file, mechanism);
  else if (file.has("group"))
    file.refuse(file.require("group"), "group: of coordinates: absolute; leave it out");
  // A recorded run has the coordinates that it was run with.
  const bool continues = continues_run(file);
  const RecordedEnd end =
      read_initial(file, path, continues ? scenario.model : tree, scenario, files);
  if (absolute && !continues)
    placed(file, file.require("model"), [&] { free_start(tree, scenario); });
  static constexpr std::string_view ends[] = {"closed", "open"};
  scenario.loops = file.choice("loops", ends, 0) == 0;
  scenario.constraints.mimic = file.boolean("mimic", true);
  scenario.integrator = read_integrator(file, scenario.model);
  read_stabilisation(file, scenario.integrator);
  continue_from(end, scenario);
  scenario.forces = read_forces(file, scenario.model);
  read_contacts(file, scenario.model, scenario.forces);
  read_control(file, path, scenario, files, warnings);
  read_limits(file, scenario);
  scenario.events = read_events(file, scenario.model);
  scenario.joint_dynamics = file.boolean("joint_dynamics", true);
  read_record(file, scenario);
  placed(file, document, [&] { check(scenario); });
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

std::variant<Scenario, Mechanism> read_scenario_or_mechanism(
    const std::filesystem::path& path, const ReadOptions& options,
    std::vector<std::filesystem::path>* files) {
  const std::string text = io::read_file(path);
  if (files != nullptr) files->push_back(path);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] != '<') {
    const io::Value document = io::parse_yaml(text, io::input_name(path));
    const bool names_model = std::ranges::any_of(
        document.keys, [](const io::Value& key) { return key.text == "model"; });
    if (names_model && options.floating_base)
      throw Error(path.string() +
                  ": a scenario says floating_base itself; leave out --floating-base");
    if (names_model) return io::read_scenario(text, path, {}, options.warnings, files);
  }
  return io::read_mechanism(text, path, options);
}

std::string write_initial(const Model& model, const State& state) {
  const auto by_joint = [&](ConstVectorRef x, auto first, auto count) {
    std::string text;
    for (const ModelJoint& joint : model.joints()) {
      std::string numbers;
      for (int k = 0; k < joint.*count; ++k)
        numbers += (k > 0 ? ", " : "") + to_text(x[joint.*first + k]);
      text += (text.empty() ? "" : ", ") + io::yaml_word(joint.name) + ": [" + numbers + "]";
    }
    return "{" + text + "}\n";
  };
  return "initial:\n  q: " + by_joint(state.q, &ModelJoint::q_index, &ModelJoint::nq) +
         "  v: " + by_joint(state.v, &ModelJoint::v_index, &ModelJoint::nv);
}

}  // namespace chasles
