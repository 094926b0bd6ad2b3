#pragma once

#include <chasles/linearization/linear_quadratic.hpp>
#include <chasles/linearization/linear_system.hpp>
#include <chasles/model/model.hpp>
#include <optional>

#include "command.hpp"
#include "json.hpp"

/// `linearize --lqr`: weights by joint, and the regulator as an entry of a scenario.
struct RegulatorOptions {
  bool wanted = false;
  std::vector<std::string> motors;
  std::string position_weight = "1", velocity_weight = "0", effort_weight = "1";
  std::optional<double> period;

  void add_to(Command command);
  /// @throws chasles::Error for options without --lqr, or a period that is not positive
  void check() const;
};

struct RegulatorDesign {
  chasles::Regulator regulator;
  std::vector<std::string> motors, measured;
  chasles::Vector effort;  // that holds the state
  std::string scenario_entry;
};
/// @param a  accelerations at the state without further efforts: nv
RegulatorDesign design_regulator(const chasles::Model& model, const chasles::LinearSystem& linear,
                                 const chasles::Vector& a, const RegulatorOptions& options);
void print(const RegulatorDesign& design);
Json describe(const RegulatorDesign& design);
