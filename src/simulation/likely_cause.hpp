/// Why a run most likely blew up, in words for its error.
#pragma once

#include <string>

#include "chasles/simulation/scenario.hpp"

namespace chasles {

/// What was seen of a run that cannot go on.
struct Symptoms {
  const Scenario& scenario;
  const State& state;
  const StepStatistics& statistics;
  double reciprocal_condition = 1;  // of the constraints: 0 in a singular configuration
  bool loop_grows = false;  // the motion grew out of a sampled loop, with its energy accounted for
  bool energy_created = false;  // the balance of energy is off: it is the method that fails
};

/// "; the controllers ... are unstable", or empty if nothing points to a cause. Only remedies that follow from
/// what was seen are named.
std::string likely_cause(const Symptoms& seen);

/// Whether the gains of a sampled controller are unstable at the start.
bool is_loop_unstable(const Scenario& scenario);

/// The joint with the largest velocity; "?" of a model without joints.
std::string fastest_joint(const Scenario& scenario, const State& state);

}  // namespace chasles
