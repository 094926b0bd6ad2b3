/// The key `initial` of a scenario: states by joint, keyframes, recorded runs, and the choice of the assembly mode.
#include "chasles/constraints/analysis.hpp"
#include "chasles/constraints/maximal_state.hpp"
#include "chasles/io/run_file.hpp"
#include "chasles/model/keyframe_state.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/runs/start_constraints.hpp"
#include "io/yaml/coordinate_dimensions.hpp"
#include "simulation/maximal_joints.hpp"

namespace chasles::io {
namespace {

/// Scales of coordinates: rad or m.
std::vector<Dimension> any_dimensions(const ModelJoint& joint) {
  return std::vector<Dimension>(static_cast<std::size_t>(joint.nv), dimensions::any);
}

}  // namespace

void read_by_joint(const Fields& initial, std::string_view key, const Model& model, Vector& out,
                   std::vector<bool>* given) {
  const Value* map = initial.find(key);
  if (map == nullptr) return;
  const std::string name(key);
  if (map->kind != Value::Kind::map)
    initial.refuse(*map, name + " is not a map; give numbers by joint, {shoulder: 0.3}");
  for (std::size_t i = 0; i < map->keys.size(); ++i) {
    const ModelJoint& joint = with_location(initial, map->keys[i], [&]() -> const ModelJoint& {
      return model.joint(map->keys[i].text);
    });
    const bool is_q = key == "q" || key == "near";
    const auto x = read_coordinates(initial, map->items[i], name + " of joint " + quote(joint.name),
                                    is_q         ? q_dimensions(joint)
                                    : key == "v" ? v_dimensions(joint)
                                                 : any_dimensions(joint));
    for (std::size_t k = 0; k < x.size(); ++k)
      out[(is_q ? joint.q_index : joint.v_index) + static_cast<Eigen::Index>(k)] = x[k];
    if (given != nullptr) std::fill_n(given->begin() + joint.v_index, joint.nv, true);
  }
  if (key == "q" || key == "near")
    with_location(initial, *map, [&] { out = checked_configuration(model, out); });
}

namespace {

/// Reads `near` of `initial` into q, the configuration whose nearest assembly mode is wanted.
/// @param kept  nv: entries that q gives
/// @returns the entries that choose; empty: none do
std::vector<bool> read_near(const Fields& file, const Fields& initial, const Model& tree,
                            const std::vector<bool>& kept, Vector& q) {
  const Value* at = initial.find("near");
  if (at == nullptr) return {};
  const bool open = file.has("loops") && file.text("loops") == "open";
  const ConstraintOptions options{.mimic = file.boolean("mimic", true)};
  const bool more = !file.list("drivers").empty() || !file.list("constraints").empty();
  if (open || (!more && Constraints(tree, options).position_constraint_count() == 0))
    initial.refuse(*at, "near: chooses among the ways in which loops can be closed, and there " +
                            std::string(open ? "they are open" : "are none") + "; give q");
  std::vector<bool> near(static_cast<std::size_t>(tree.nv()));
  read_by_joint(initial, "near", tree, q, &near);
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (kept[k] && near[k])
      initial.refuse(*at, "near and q: both have joint " +
                              quote(tree.joint_of_v(static_cast<int>(k)).name) +
                              "; what q gives is kept, so leave it out of near");
  return near;
}

}  // namespace

Vector StartConstraints::assembled(const Vector& q) const {
  Constraints constraints(model_, options_);
  if (constraints.position_constraint_count() == 0) return q;
  return assemble(constraints, q, {.kept = kept_, .near = near_});
}

Vector StartConstraints::assembled_if_possible(const Vector& q) const {
  try {
    return assembled(q);
  } catch (const Error&) {
    return q;
  }
}

State StartConstraints::closed(const State& start, const std::vector<bool>& kept_v) const {
  State out = start;
  Constraints constraints(model_, options_);
  if (constraints.constraint_count() == 0) return out;
  out.q = assembled(start.q);
  constraints.set_time(start.t);
  out.v = consistent_velocity(constraints, out.q, start.v, kept_v);
  return out;
}

void read_actuators(const Fields& file, Scenario& run) {
  for (const Value& item : file.list("actuators")) {
    if (item.kind != Value::Kind::scalar)
      file.refuse(item, "actuators: give names of joints, [crank, slider]");
    with_location(file, item, [&] { return run.model.joint(item.text).nv; });
    if (std::ranges::find(run.actuators, item.text) != run.actuators.end())
      file.refuse(item, "actuators: joint " + quote(item.text) + " is given twice; give it once");
    run.actuators.push_back(item.text);
  }
}

namespace {

namespace fs = std::filesystem;
using Files = std::vector<fs::path>;

/// Converts an initial state of the joints of the tree to maximal coordinates.
void free_start(const Model& tree, const State& joints, Scenario& scenario) {
  VelocityKinematics kin(tree);
  forward_kinematics(tree, joints.q, joints.v, kin);
  State& start = scenario.start;
  start.t = joints.t;
  start.q.resize(scenario.model.nq()), start.v.resize(scenario.model.nv());
  maximal_state(kin, scenario.model, start.q, start.v);
  scenario.joints_q = joints.q;
  scenario.kept_q.clear(), scenario.kept_v.clear();
}

/// A table does not tell the groups of bodies. On another group its velocities have another meaning, and do not fit the
/// joints.
void require_groups_of(const Model& maximal, const State& start) {
  Constraints constraints(maximal);
  VelocityKinematics kin(maximal);
  forward_kinematics(maximal, start.q, start.v, kin);
  constraints.update(kin);
  Vector rate(constraints.constraint_count());
  constraints.rate(kin, rate);
  const double apart = rate.lpNorm<Eigen::Infinity>();
  if (apart <= 0.01 * start.v.lpNorm<Eigen::Infinity>()) return;
  throw Error(
      "its velocities do not fit the joints: bodies come apart with " + to_text(apart) +
      " m/s or rad/s, as if they were recorded on other groups, which a .csv does not tell; "
      "continue from the .json of that run, or give its groups: group: se3 or so3xr3, or by body");
}

/// The joint state at the end of a recorded run, or at a time in it. scenario.start is set to the state in
/// the coordinates of that run.
State read_recorded_start(const Fields& initial, const fs::path& run, Scenario& scenario,
                          RecordedEnd& end, std::vector<std::string>* warnings) {
  std::optional<double> at;
  if (initial.has("at")) at = initial.number("at", dimensions::time);
  scenario.start = read_recorded_state(run, scenario.model, at, end);
  if (!scenario.joints) return scenario.start;
  if (run.extension() != ".json") require_groups_of(scenario.model, scenario.start);
  const Model& tree = scenario.joints;
  scenario.joints_q = tree.neutral();
  if (!at && end.joints_q.size() == static_cast<std::size_t>(tree.nq()))
    std::ranges::copy(end.joints_q, scenario.joints_q.begin());
  else if (warnings != nullptr)
    warnings->push_back(run.string() +
                        ": does not tell how often joints turned, in maximal coordinates; their "
                        "angles begin between -pi and pi");
  const State joints = MaximalJoints(tree, scenario.model, scenario.joints_q).at(scenario.start);
  scenario.joints_q = joints.q;
  return joints;
}

/// Warns if a joint starts beyond its limits though the model has a keyframe to start from.
void suggest_keyframe(const Fields& file, const Mechanism& described, const Model& tree,
                      const Vector& q, std::vector<std::string>* warnings) {
  if (warnings == nullptr) return;
  if (const Value* initial = file.find("initial"))
    for (const Value& key : initial->keys)
      if (key.text != "v") return;
  const ModelJoint* joint = nullptr;
  if (const Keyframe* best = keyframe_within_limits(described, tree, q, &joint))
    warnings->push_back(message_text(file.file() + ": joint " + quote(joint->name) + " starts at " +
                                     to_text(q[joint->q_index]) +
                                     ", beyond its limits; start from a keyframe: "
                                     "initial: {keyframe: " +
                                     yaml_word(best->name) + "}"));
}

}  // namespace

RecordedEnd read_initial(const Fields& file, const fs::path& path, const Mechanism& described,
                         const ElasticDrives& drives, Scenario& scenario,
                         std::vector<std::string>* warnings, Files* files) {
  const Model& tree = joints_of(scenario);
  RecordedEnd end;
  std::vector<bool> near;
  State joints{0, tree.neutral(), Vector(tree.nv())};
  bool as_recorded = false;
  if (const Value* value = file.find("initial")) {
    scenario.kept_q.assign(static_cast<std::size_t>(tree.nv()), false);
    scenario.kept_v = scenario.kept_q;
    const Fields initial(file.file(), *value, "initial",
                         {"q", "v", "near", "from", "at", "keyframe"});
    const bool changed = initial.has("q") || initial.has("v") || initial.has("near");
    if (initial.has("keyframe")) {
      if (initial.has("from"))
        initial.refuse(initial.require("keyframe"), "keyframe and from are two starts; give one");
      with_location(initial, initial.require("keyframe"), [&] {
        auto [q, v] = keyframe_state(tree, find_keyframe(described, initial.text("keyframe")));
        joints.q = checked_configuration(tree, q), joints.v = v;
      });
    }
    if (initial.has("from")) {
      const fs::path run = path.parent_path() / initial.text("from");
      if (files != nullptr) files->push_back(run);
      joints = with_location(initial, initial.require("from"), [&] {
        return read_recorded_start(initial, run, scenario, end, warnings);
      });
      as_recorded = !changed;
    } else if (initial.has("at")) {
      initial.refuse(initial.require("at"), "at: a time in a recorded run; give it with from");
    }
    read_by_joint(initial, "q", tree, joints.q, &scenario.kept_q);
    near = read_near(file, initial, tree, scenario.kept_q, joints.q);
    read_by_joint(initial, "v", tree, joints.v, &scenario.kept_v);
    if (initial.has("at") || changed) end = {};
    start_motors_at_joints(drives, tree, scenario.kept_q, scenario.kept_v, initial.has("from"),
                           joints);
  }
  suggest_keyframe(file, described, tree, joints.q, warnings);
  StartConstraints start(
      tree, {.mimic = scenario.constraints.mimic, .closed = scenario.loops, .time = joints.t},
      scenario.kept_q, std::move(near));
  read_drivers(file, file.find("initial"), start, scenario, joints, warnings);
  const auto closed = [&] {
    if (start.near().empty()) return start.assembled_if_possible(joints.q);
    return with_location(file, file.require("initial"), [&] { return start.assembled(joints.q); });
  };
  if (file.has("constraints")) {
    const Vector q = as_recorded ? joints.q : closed();
    for (auto& one : read_constraints(file, tree, q)) start.add(std::move(one));
  }
  if (!scenario.joints) {
    if (!as_recorded) joints.q = closed();
    scenario.start = joints, scenario.constraints.more = start.options().more;
    return end;
  }
  scenario.joint_constraints = start.options();
  if (as_recorded)
    scenario.kept_q.clear(), scenario.kept_v.clear();
  else
    with_location(file, file.require("model"),
                  [&] { free_start(tree, start.closed(joints, scenario.kept_v), scenario); });
  return end;
}

}  // namespace chasles::io
