/// The list `series_elastic` of a scenario.
#include <algorithm>

#include "chasles/simulation/control.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/text.hpp"
#include "io/yaml/coordinate_dimensions.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

/// The joints of an entry: a list, or all that have one coordinate.
std::vector<std::string> driven_by(const Fields& f, const Model& model) {
  const Value& given = f.require("joints");
  std::vector<std::string> names;
  if (given.kind == Kind::list) {
    for (const Value& item : given.items) {
      with_location(f, item, [&] { return model.joint(item.text).nv; });
      names.push_back(item.text);
    }
  } else if (given.text == "all") {
    for (const std::string& name : driven_joints(model))
      if (model.joint(name).is_vector() && model.joint(name).nv == 1) names.push_back(name);
  } else {
    f.refuse(given, "joints: give a list of joints, or all");
  }
  if (names.empty()) f.refuse(given, "joints: there are none; name joints with one coordinate");
  return names;
}

/// A number for all joints of the entry, or numbers by joint.
double of_joint(const Fields& f, std::string_view key, const std::string& joint,
                std::optional<double> otherwise, const Dimension& wanted) {
  if (!f.has(key) && otherwise) return *otherwise;
  const Value& given = f.require(key);
  if (given.kind != Kind::map) return f.to_number(given, key, wanted);
  for (std::size_t i = 0; i < given.keys.size(); ++i)
    if (given.keys[i].text == joint) return f.to_number(given.items[i], key, wanted);
  if (!otherwise) f.refuse(given, std::string(key) + " of joint " + quote(joint) + " is missing");
  return *otherwise;
}

/// Rejects keys of maps that do not name joints of the entry.
void check_maps(const Fields& f, const std::vector<std::string>& names) {
  for (const char* key : {"stiffness", "damping", "motor_inertia", "ratio", "motor_damping"})
    if (const Value* given = f.find(key); given != nullptr && given->kind == Kind::map)
      for (const Value& name : given->keys)
        if (std::ranges::find(names, name.text) == names.end())
          f.refuse(name, std::string(key) + ": " + quote(name.text) +
                             " is not one of the joints of this entry");
}

}  // namespace

ElasticDrives read_series_elastic(const Fields& scenario, Mechanism& mechanism) {
  ElasticDrives out;
  if (!scenario.has("series_elastic")) return out;
  const Model model = compile(mechanism);
  int number = 0;
  for (const Value& value : scenario.list("series_elastic")) {
    const Fields f(scenario.file(), value, "series elastic drive " + std::to_string(++number),
                   {"joints", "stiffness", "damping", "motor_inertia", "ratio", "motor_damping"});
    const std::vector<std::string> names = driven_by(f, model);
    check_maps(f, names);
    for (const std::string& name : names) {
      const CoordinateDimensions d = dimensions_of(model.joint(name));
      out.list.push_back({name, of_joint(f, "stiffness", name, {}, d.stiffness()),
                          of_joint(f, "damping", name, 0, d.damping()),
                          of_joint(f, "motor_inertia", name, {}, dimensions::inertia),
                          of_joint(f, "ratio", name, 1, dimensions::any),
                          of_joint(f, "motor_damping", name, 0, d.damping())});
    }
  }
  with_location(scenario, scenario.require("series_elastic"), [&] {
    out.rigid = with_rigid_drives(mechanism, out.list);
    mechanism = with_series_elastic_drives(mechanism, out.list);
  });
  return out;
}

void start_motors_at_joints(const ElasticDrives& drives, const Model& tree,
                            const std::vector<bool>& given_q, const std::vector<bool>& given_v,
                            bool recorded, State& start) {
  const auto is_given = [](const std::vector<bool>& list, int k) {
    return !list.empty() && list[static_cast<std::size_t>(k)];
  };
  for (const SeriesElasticDrive& drive : drives.list) {
    const ModelJoint &joint = tree.joint(drive.joint), &motor = tree.joint(drive.motor());
    if (!is_given(given_q, motor.v_index) && (!recorded || is_given(given_q, joint.v_index)))
      start.q[motor.q_index] = start.q[joint.q_index];
    if (!is_given(given_v, motor.v_index) && (!recorded || is_given(given_v, joint.v_index)))
      start.v[motor.v_index] = start.v[joint.v_index];
  }
}

}  // namespace chasles::io
