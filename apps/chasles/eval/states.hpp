#pragma once

#include <chasles/simulation/quantity.hpp>
#include <string>
#include <vector>

/// A state of the model, with what acts on it; what the file does not give is neutral or zero.
struct EvalState {
  Eigen::VectorXd q, v, a, jerk, snap, tau;
  std::vector<chasles::AppliedWrench> wrenches;
  void write_to(chasles::Moment& moment) const;
};

/// {"states": [{"q": [..], "v": [..], "a": [..], "jerk": [..], "snap": [..], "tau": [..],
///   "wrenches": {"BODY": {"wrench": [6 numbers], "representation": "body"}}}, ..]}
/// @throws chasles::Error naming the file, the entry, its value and the remedy
std::vector<EvalState> read_states(const std::string& path, const chasles::Model& model);
