#include "subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chasles/constraints/analysis.hpp>
#include <chasles/io/scenario_file.hpp>
#include <chasles/model/keyframe_state.hpp>

using namespace chasles;

std::shared_ptr<StateOptions> StateOptions::add_to(Command command, bool with_v) {
  auto options = std::make_shared<StateOptions>();
  command.add_option("--q", options->q,
                     "Positions by joint: elbow=0.3,base=[1,0,0,0,0,0,0.5], or base.6=0.5 for one "
                     "of several; or all nq numbers. Others are zero, or follow from the loops");
  if (with_v)
    command.add_option("--v", options->v, "Velocities by joint: elbow=0.3; or all nv numbers");
  command.add_option("--near", options->near,
                     "Loops that close in several ways: positions by joint, the nearest is taken");
  command
      .add_option(
          "--set", options->changes,
          "PATH=VALUE. Of a scenario: change it before it is read, forces.0.stiffness=5; of "
          "a model: a value of the state, q.elbow=0.3; may be given again")
      .one_at_a_time();
  return options;
}

void set_option(GivenState& state, const Model& model, const std::string& key,
                const std::string& text) {
  if (text.empty()) return;
  try {
    set_by_joint(model, state, key, text);
  } catch (const Error& error) {
    throw Error("--" + std::string(error.what()));
  }
}

ConstraintOptions constraints_of(const Subject& subject) {
  ConstraintOptions options = subject.scenario.constraints;
  if (subject.scenario.joints) options.more.clear();
  return options;
}
bool has_constraints(const Subject& subject) {
  return subject.model.is_bound() || !constraints_of(subject).more.empty();
}
bool is_driven(const Scenario& scenario) {
  return std::ranges::any_of(scenario.constraints.more,
                             [](const auto& one) { return one->kind() == "driver"; });
}

namespace {

Subject read_file(const ModelInput& input, const StateOptions& options,
                  const SubjectOptions& more) {
  const std::optional<Vec3>& gravity = more.gravity;
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> inputs;
  auto file = read_scenario_or_mechanism(input.path, input.options(warnings, more.appearance),
                                         &inputs, options.changes);
  if (auto* mechanism = std::get_if<Mechanism>(&file); mechanism != nullptr && more.accelerates)
    hold_massless_joints(*mechanism, input.path, !more.open, &warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (auto* scenario = std::get_if<Scenario>(&file)) {
    if (gravity)
      throw Error(input.path +
                  ": --gravity: a scenario has its own; change it by --set gravity=[0,0,-9.81]");
    const Model model = scenario->joints ? scenario->joints : scenario->model;
    return {std::move(*scenario), model, inputs, true};
  }
  Mechanism& mechanism = std::get<Mechanism>(file);
  if (gravity) mechanism.gravity = *gravity;
  const Model model = compile(mechanism);
  Scenario alone{.name = model.name(),
                 .model = model,
                 .start = {0, model.neutral(), Vector(model.nv())},
                 .duration = 1};
  if (const Keyframe* key = keyframe_within_limits(mechanism, model, alone.start.q);
      more.appearance && key != nullptr)
    alone.start.q = keyframe_state(model, *key).q;
  Subject subject{std::move(alone), model, inputs};
  subject.scenario.appearance = std::move(mechanism.appearance);
  return subject;
}

/// Changes of a model's state: "q.elbow=0.3".
void set_changes(const std::vector<std::string>& changes, const Model& model, GivenState& state) {
  for (const std::string& change : changes) {
    const auto dot = change.find('.'), equals = change.find('=');
    if (dot == change.npos || equals == change.npos || dot > equals)
      throw Error("--set '" + change + "': of a model, write a value of the state: q.JOINT=0.3");
    try {
      set_by_joint(model, state, change.substr(0, dot), change.substr(dot + 1));
    } catch (const Error& error) {
      throw Error("--set '" + change + "': " + error.what());
    }
  }
}

}  // namespace

void take_state(const GivenState& state, Subject& subject) {
  Scenario& s = subject.scenario;
  s.start.q = state.q, s.start.v = state.v;
  s.kept_q = state.kept_q, s.kept_v = state.kept_v;
  s.checkpoint.reset();
  subject.given = state;
  if (state.near.empty() || !has_constraints(subject)) return;
  Constraints constraints(s.model, s.constraints);
  s.start.q = assemble(constraints, s.start.q, {.kept = s.kept_q, .near = state.near});
}

Subject read_subject(const ModelInput& input, const StateOptions& options,
                     const SubjectOptions& more) {
  Subject subject = read_file(input, options, more);
  const bool changes_state = !subject.is_scenario && !options.changes.empty();
  if (!options.given() && !changes_state) return subject;
  if (subject.scenario.joints)
    throw Error(input.path +
                ": --q, --v and --near are for minimal coordinates; change the start by --set "
                "initial.q.JOINT=0.3");
  const Model& model = subject.model;
  if (!options.near.empty() && !has_constraints(subject))
    throw Error("--near: chooses among the ways in which loops can be closed, and '" +
                model.name() + "' has none; give --q");
  GivenState state = state_by_joint(model);
  if (subject.is_scenario) {
    const Scenario& s = subject.scenario;
    state.q = s.start.q, state.v = s.start.v;
    if (!s.kept_q.empty()) state.kept_q = s.kept_q;
    if (!s.kept_v.empty()) state.kept_v = s.kept_v;
  } else {
    set_changes(options.changes, model, state);
  }
  set_option(state, model, "near", options.near);
  set_option(state, model, "q", options.q);
  set_option(state, model, "v", options.v);
  take_state(state, subject);
  return subject;
}
