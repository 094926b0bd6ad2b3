/// State files, the input of `chasles eval`. JSON, SI units; missing entries are neutral or zero:
///
///     {"states": [{"q": [..], "v": [..], "a": [..], "jerk": [..], "snap": [..], "tau": [..],
///                  "wrenches": {"BODY": {"wrench": [6 numbers], "representation": "hybrid"}}}, ..]}
///
/// A wrench is torque and force at the body origin, in world axes (hybrid) unless a representation is given.
#pragma once

#include <filesystem>

#include "chasles/export.hpp"
#include "chasles/simulation/quantity.hpp"

namespace chasles CHASLES_API {

/// A state of a model, with applied forces.
struct GivenState {
  Vector q, v, a, jerk, snap, tau;  // nq; nv
  std::vector<AppliedWrench> wrenches;
  bool gives_a = false, gives_tau = false;

  /// Neutral configuration, at rest, no forces.
  explicit GivenState(const Model& model);
  void write_to(EvaluationState& moment) const;
};

/// @param path  "-": standard input
/// @throws Error naming the file, line and column, the entry, its value and the remedy
std::vector<GivenState> read_states(const std::filesystem::path& path, const Model& model);
/// @param name  name of the text in messages
std::vector<GivenState> read_states(std::istream& in, const std::string& name, const Model& model);

}  // namespace CHASLES_API
