/// The likely cause of a diverged run, as text for its error message.
#pragma once

#include <string>

#include "chasles/simulation/scenario.hpp"
#include "chasles/systems/mechanism_state.hpp"

namespace chasles {

/// Observations of a run that cannot continue.
struct Symptoms {
  const Scenario& scenario;
  const State& state;
  const StepStatistics& statistics;
  double reciprocal_condition = 1;  // of the constraints: 0 in a singular configuration
  bool loop_grows = false;  // a sampled control loop drives the growth; the energy balance holds
  bool energy_created = false;  // the energy balance is violated: the method fails
};

/// "; the controllers ... are unstable", or empty if no cause is evident. Names only remedies that follow from the
/// observations.
std::string likely_cause(const Symptoms& seen);

/// "drivers 'cam' do not determine the motion of joint 'follower'": the joint whose velocity constraints and drivers
/// determine least at a state, by the last pivot of B.
std::string undetermined_by_drivers(MechanismState& system, const State& state);
/// "; the constraints are near a singular configuration ..", for a run that cannot go on from a state, with the joint that
/// drivers do not determine there, if there are drivers; empty if they are regular.
std::string near_singular(MechanismState& system, const State& state);

/// Whether the gains of a sampled controller are unstable at the start.
bool is_loop_unstable(const Scenario& scenario);

/// The force that changes most between a state and one next to it, as "tendon 'cable'"; empty: there is none, or they
/// cannot be compared.
std::string stiffest_force(const Scenario& scenario, const State& state);

/// The joint with the largest velocity; "?" for a model without joints.
std::string fastest_joint(const Scenario& scenario, const State& state);

}  // namespace chasles
