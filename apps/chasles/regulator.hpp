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
  chasles::Vector effort;        // that holds the state
  chasles::Matrix B;             // columns of the motors
  std::string scenario_entry;    // without the observer
  std::optional<double> period;  // sampled
};

/// One number per entry of v: a number for all, or numbers by joint.
/// @param others  of the joints that are not named
/// @throws chasles::Error naming the option
chasles::Vector numbers_by_joint(const chasles::Model& model, const std::string& option,
                                 const std::string& text, double others = 0);
/// "[1, 2.5]"
std::string row_text(const Eigen::VectorXd& row);
std::string names_text(const std::vector<std::string>& names);
/// @param q  of the state: the setpoint
/// @param a  accelerations at the state without further efforts: nv
RegulatorDesign design_regulator(const chasles::Model& model, const chasles::LinearSystem& linear,
                                 const chasles::Vector& q, const chasles::Vector& a,
                                 const RegulatorOptions& options);
void print(const RegulatorDesign& design);
Json describe(const RegulatorDesign& design);
