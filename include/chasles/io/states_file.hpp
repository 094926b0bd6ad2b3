/// States in files: where `chasles eval` evaluates. JSON, SI units; what is missing is neutral or zero:
///
///     {"states": [{"q": [..], "v": [..], "a": [..], "jerk": [..], "snap": [..], "tau": [..],
///                  "wrenches": {"BODY": {"wrench": [6 numbers], "representation": "hybrid"}}}, ..]}
///
/// A wrench is torque and force at the body, in world axes (hybrid) unless it says otherwise.
#pragma once

#include <filesystem>

#include "chasles/export.hpp"
#include "chasles/simulation/quantity.hpp"

namespace chasles CHASLES_API {

/// A state of a model, with what acts on it.
struct GivenState {
  Vector q, v, a, jerk, snap, tau;  // nq; nv
  std::vector<AppliedWrench> wrenches;
  bool gives_a = false, gives_tau = false;

  /// Neutral and at rest; nothing acts.
  explicit GivenState(const Model& model);
  void write_to(EvaluationState& moment) const;
};

/// @param path  "-": standard input
/// @throws Error naming the file, line and column, the entry, its value and the remedy
std::vector<GivenState> read_states(const std::filesystem::path& path, const Model& model);
/// @param name  of the text in messages
std::vector<GivenState> read_states(std::istream& in, const std::string& name, const Model& model);

}  // namespace CHASLES_API
