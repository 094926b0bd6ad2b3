/// The numbers in the text of a scenario, and the text with other numbers in their places: everything else, comments too,
/// stays as it was.
///
///     const std::string swing = "forces: [{type: joint_spring_damper, joint: hinge, stiffness: 3}]";
///     const auto numbers = scenario_numbers(swing, "swing.yaml");  // numbers[0].path: forces.0.stiffness
///     const std::string stiffer = with_number(swing, "swing.yaml", numbers[0].path, 5);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

struct ScenarioNumber {
  std::string path;  // as for read_scenario: "forces.0.stiffness"
  double value;
  int line, column;  // from 1, in bytes
  std::string text;  // as it is written there
};

/// All finite numbers that are values, in their order, except for the version of the format. A number whose path would be
/// ambiguous, since a name in it contains a dot or '=', is left out; numbers in quotes are texts.
/// @param name  of the text in messages
/// @throws Error with line and column, if it is not YAML
std::vector<ScenarioNumber> scenario_numbers(std::string_view text, const std::string& name);

/// The text with another value of one number; reads back as the same double.
/// @throws Error if there is no such number, or if the value is not finite
std::string with_number(std::string_view text, const std::string& name, std::string_view path,
                        double value);

}  // namespace CHASLES_API
