/// State files, the input of `chasles eval`. JSON, SI units; missing entries are neutral or zero:
///
///     {"states": [{"q": [..], "v": [..], "a": [..], "jerk": [..], "snap": [..], "tau": [..],
///                  "wrenches": {"BODY": {"wrench": [6 numbers], "representation": "hybrid"}}}, ..]}
///
/// Lists have nq or nv entries; instead of a list, an object gives entries by joint, {"elbow": 0.3, "base": [1, 0, ..]}.
/// Joints that q, v and a given by joint do not name follow from the loops of a closed mechanism.
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
  /// Closed mechanisms: the entries of q, v and a that are kept when the state is made consistent with the constraints
  /// (complete), nv each. Empty: all entries are given, and nothing is changed.
  std::vector<bool> kept_q{}, kept_v{}, kept_a{};
  std::vector<bool> near{};  // nv: entries of q that only choose among assembly modes; empty: none

  /// Neutral configuration, at rest, no forces.
  explicit GivenState(const Model& model);
  void write_to(EvaluationState& moment) const;
};

/// The neutral configuration at rest, where all joints follow from the constraints of a closed mechanism.
GivenState state_by_joint(const Model& model);
/// Sets entries of a state by joint: "elbow=0.3, base=[1,0,0,0,0,0,0.5], base.6=0.4". All entries at once, without
/// names: "0.3,0.1".
/// @param key  q, v, a, jerk, snap or tau; or near, for q
/// @throws Error naming the key, the text and the remedy; for an unknown joint the nearest name
void set_by_joint(const Model& model, GivenState& state, std::string_view key,
                  std::string_view text);
/// Makes q, v and a consistent with the constraints, as far as they are given by joint.
/// @throws Error naming the constraint that the kept entries violate
void complete(GivenState& state, ConstrainedSystem& system);

/// @param path  "-": standard input
/// @throws Error naming the file, line and column, the entry, its value and the remedy
std::vector<GivenState> read_states(const std::filesystem::path& path, const Model& model);
/// @param name  name of the text in messages
std::vector<GivenState> read_states(std::istream& in, const std::string& name, const Model& model);

}  // namespace CHASLES_API
