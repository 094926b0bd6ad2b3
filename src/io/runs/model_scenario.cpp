/// Scenarios of models alone, files that are either, and states as text.
#include "chasles/io/scenario_file.hpp"
#include "chasles/model/keyframe_state.hpp"
#include "io/mechanism_text.hpp"
#include "io/runs/scenario_parts.hpp"
#include "simulation/maximal_joints.hpp"

namespace chasles {

DefaultScenario default_scenario(const std::filesystem::path& model,
                                 std::vector<std::string>* warnings,
                                 std::vector<std::filesystem::path>* files,
                                 std::span<const std::string> changes) {
  std::vector<std::string> of_model, of_scenario;
  std::vector<std::filesystem::path> inputs;
  std::optional<Mechanism> mechanism;  // read once
  const io::ReadModel read = [&](const std::filesystem::path& path, ReadOptions options) {
    options.warnings = &of_model;
    if (!mechanism) mechanism = read_mechanism(path, options);
    return *mechanism;
  };
  DefaultScenario made;
  made.text = "chasles: 1\nmodel: " + io::yaml_word(model.filename().string()) + "\nduration: 5\n";
  const auto read_again = [&] {
    of_scenario.clear(), inputs.clear();
    made.scenario = io::read_scenario(made.text, model, read, &of_scenario, &inputs, changes);
  };
  read_again();
  const bool starts = std::ranges::any_of(
      changes, [](const std::string& change) { return change.starts_with("initial"); });
  const ModelJoint* joint = nullptr;
  const Keyframe* key = keyframe_within_limits(*mechanism, io::joints_of(made.scenario),
                                               io::joints_q_of(made.scenario), &joint);
  if (key != nullptr && !starts) {
    made.keyframe = key->name;
    made.text += "initial: {keyframe: " + io::yaml_word(key->name) + "}\n";
    read_again();
  }
  if (!mechanism->actuators.empty()) made.text += "# control: [{type: actuators}]\n";
  if (!mechanism->collisions.shapes.empty()) made.text += "# contacts: {from: model}\n";
  if (warnings != nullptr)
    for (const auto* list : {&of_model, &of_scenario})
      warnings->insert(warnings->end(), list->begin(), list->end());
  if (files != nullptr) files->insert(files->end(), inputs.begin(), inputs.end());
  return made;
}

std::variant<Scenario, Mechanism> read_scenario_or_mechanism(
    const std::filesystem::path& path, const ReadOptions& options,
    std::vector<std::filesystem::path>* files, std::span<const std::string> changes) {
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
    if (names_model) return io::read_scenario(text, path, {}, options.warnings, files, changes);
  }
  return io::read_mechanism(text, path, options);
}

std::string write_initial(const Scenario& scenario, const State& state) {
  if (!scenario.absolute) return write_initial(scenario.model, state);
  return write_initial(scenario.joints, scenario.absolute->at(state));
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
