#pragma once

#include <chasles/linearization/linear_quadratic.hpp>
#include <chasles/linearization/linear_system.hpp>
#include <chasles/model/model.hpp>
#include <optional>

#include "command.hpp"
#include "json.hpp"
#include "regulator.hpp"

/// `linearize --kalman`: noise of forces and measurements by joint, and the filter. With --lqr and --period the observer is
/// part of the controller's entry in a scenario.
struct EstimatorOptions {
  bool wanted = false;
  std::string force_noise = "1", position_noise = "1e-3", velocity_noise;

  void add_to(Command command);
  /// @throws chasles::Error for options without --kalman
  void check(bool lqr, const std::optional<double>& period) const;
};

struct EstimatorDesign {
  chasles::Regulator filter;                       // K is L, of x' = .. + L (y - C x)
  std::vector<std::string> positions, velocities;  // measured joints: the rows of C
  chasles::Matrix C;
  std::string
      scenario_lines;  // of the observer, to follow those of the regulator; empty without one
};
/// @param regulator  null without --lqr
EstimatorDesign design_estimator(const chasles::Model& model, const chasles::LinearSystem& linear,
                                 const EstimatorOptions& options,
                                 const std::optional<double>& period,
                                 const RegulatorDesign* regulator);
void print(const EstimatorDesign& design);
Json describe(const EstimatorDesign& design);
