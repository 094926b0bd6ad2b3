/// Conventions shared by the writers and the reader of recorded runs.
#pragma once

#include <string>
#include <vector>

#include "chasles/simulation/quantity.hpp"

namespace chasles::io {

/// A field of CSV, in quotes if it needs them.
std::string csv_field(const std::string& text);
/// The fields of a line of CSV, without their quotes.
std::vector<std::string> split_csv(std::string_view line);

/// The units of the coordinates of a joint and of their rates, one per number: angles in rad,
/// distances in m, quaternions in 1.
std::vector<std::string> q_units(const ModelJoint& joint);
std::vector<std::string> v_units(const ModelJoint& joint);

/// The group that a floating joint moves on, "se3" or "so3xr3"; empty for other joints.
std::string_view group_name(const ModelJoint& joint);

/// The columns of t, q and v: "t [s]", "q:base[0] [1]", .., "q:elbow [rad]", .., "v:elbow [rad/s]".
std::vector<std::string> csv_names(const Model& model);
/// The columns of a quantity: "energy [J]"; "pose:hand[0][3] [m]".
std::vector<std::string> csv_names(const Quantity& quantity, const Model& model);

}  // namespace chasles::io
