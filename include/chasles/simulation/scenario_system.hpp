/// The equations of motion of a scenario at a state: the system that a Simulation integrates, for evaluations,
/// equilibria and linear systems. Loops, couplings and rotors, forces, stops and friction are those of the run.
///
///     ScenarioSystem run(scenario);
///     State at = run.start();                                    // loops are closed
///     std::vector<int> held = run.hold(at);
///     LinearSystem s = linearize(run.system(), at.t, at.q, at.v, {.held = held});
#pragma once

#include <memory>

#include "chasles/export.hpp"
#include "chasles/motion/constrained_system.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/scenario.hpp"

namespace chasles CHASLES_API {

class ScenarioSystem {
 public:
  /// @throws Error naming a loop that cannot be closed, or what is wrong with the scenario (check)
  explicit ScenarioSystem(const Scenario& scenario);
  ScenarioSystem(ScenarioSystem&&) noexcept;
  ScenarioSystem& operator=(ScenarioSystem&&) noexcept;
  ~ScenarioSystem();

  /// The scenario with the forces that joints have by themselves, and those of soft stops.
  const Scenario& scenario() const;
  MechanicalSystem& system();
  /// The mechanism with its constraints; null: nothing binds its joints to each other.
  ConstrainedSystem* closed();
  /// The start of the scenario, with loops closed.
  State start() const;
  /// Which coordinates rigid stops and friction hold at a state from now on: entries of v, whose accelerations are zero.
  /// Velocities of the state are those after impacts.
  std::vector<int> hold(State& state);
  /// Names of forces that are sampled: between samples they do not depend on the state.
  std::vector<std::string> sampled() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The controllers of a scenario that are sampled, in the order of its forces.
/// @throws Error naming a sampled force that is not a Controller, or whose controller acts in maximal coordinates
std::vector<Controller> sampled_controllers(const Scenario& scenario);
/// The same scenario with controllers that act all the time. Its equilibria are those of the sampled loop.
Scenario with_continuous_control(Scenario scenario);
/// The same scenario between two samples: instead of the sampled controllers, the efforts that they give at a state, for
/// good. With `control_tangent` of each, its linear system makes that of the loop:
///
///     ScenarioSystem run(with_held_efforts(scenario, at));
///     LinearSystem plant = linearize(run.system(), at.t, at.q, at.v, {.held = run.hold(at)});
///     for (const Controller& c : sampled_controllers(scenario)) {
///       ControlTangent law = control_tangent(c, at.t, at.q, at.v, plant.C);
///       loops.push_back({law.entries, law.gain, c.delay});
///     }
///     SampledSystem loop = sample(plant, period, loops);
Scenario with_held_efforts(Scenario scenario, const State& at);

}  // namespace CHASLES_API
