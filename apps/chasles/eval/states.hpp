#pragma once

#include <chasles/dynamics/applied_wrench.hpp>
#include <string>
#include <vector>

/// A state of the model; what the file does not give is neutral or zero.
struct State {
  Eigen::VectorXd q, v, a, jerk, snap, tau;
  std::vector<chasles::AppliedWrench> wrenches;
};

/// {"states": [{"q": [..], "v": [..], "a": [..], "jerk": [..], "snap": [..], "tau": [..],
///   "wrenches": {"BODY": {"wrench": [6 numbers], "representation": "body"}}}, ..]}
/// @throws chasles::Error naming the file, the entry, its value and the remedy
std::vector<State> read_states(const std::string& path, const chasles::Model& model);

/// A representation by its name.
/// @throws chasles::Error that begins with `where`
chasles::Representation representation(const std::string& name, const std::string& where);
