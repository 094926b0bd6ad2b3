#pragma once

#include <chasles/io/states_file.hpp>
#include <chasles/simulation/scenario.hpp>
#include <optional>

#include "command.hpp"
#include "model_input.hpp"

/// What a command is about: a model at the state that its options give, or a scenario at its start.

/// Options for the state: `--q elbow=0.3,shoulder=1 --v .. --near .. --set ..`.
struct StateOptions {
  std::string q, v, near;
  std::vector<std::string> changes;

  /// @param with_v  whether the command has a use for velocities
  static std::shared_ptr<StateOptions> add_to(Command command, bool with_v = true);
  /// Whether any of them is given.
  bool given() const { return !q.empty() || !v.empty() || !near.empty(); }
};

struct Subject {
  /// Of a model: with its neutral configuration, at rest. `model` has the joints that people name, of a scenario in
  /// maximal coordinates too.
  chasles::Scenario scenario;
  chasles::Model model;
  std::vector<std::filesystem::path> inputs{};
  bool is_scenario = false;
  std::optional<chasles::GivenState> given{};  // by options or a file of states
};

/// Reads a model or a scenario, and sets the state that the options give. Warnings go to stderr.
struct SubjectOptions {
  /// What bodies look like is read, too; where joints would be beyond their limits, a model starts from a keyframe.
  bool appearance = false;
  std::optional<chasles::Vec3> gravity{};
  /// Joints of a model that move no mass get an armature, for commands that need accelerations; `open`: its loops are
  /// open.
  bool accelerates = false, open = false;
};
Subject read_subject(const ModelInput& input, const StateOptions& options,
                     const SubjectOptions& more = {});

/// Starts at a state; joints that it does not name follow from the loops.
void take_state(const chasles::GivenState& state, Subject& subject);

/// Sets what one option gives; errors name the option.
void set_option(chasles::GivenState& state, const chasles::Model& model, const std::string& key,
                const std::string& text);
/// The constraints on the joints of `model`: of a scenario also its drivers and other constraints, which in maximal
/// coordinates are on poses of bodies instead.
chasles::ConstraintOptions constraints_of(const Subject& subject);
/// Whether loops, couplings, mimic relations or constraints of the scenario bind the joints.
bool has_constraints(const Subject& subject);
/// Whether drivers prescribe a part of the motion.
bool is_driven(const chasles::Scenario& scenario);
