/// The equations of motion of a scenario at a state: the system that a Simulation integrates, for evaluation,
/// equilibria and linearization. Loops, couplings, rotors, forces, stops and friction are those of the run.
///
///     ScenarioSystem run(scenario);
///     State at = run.start();                                    // loops are closed
///     std::vector<int> held = run.hold(at);
///     LinearSystem s = linearize(run.system(), at.t, at.q, at.v, {.held = held});
#pragma once

#include <memory>

#include "chasles/export.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/scenario.hpp"
#include "chasles/systems/constrained_system.hpp"

namespace chasles CHASLES_API {

class ScenarioSystem {
 public:
  /// @throws Error naming a loop that cannot be closed, or a mistake in the scenario (check)
  explicit ScenarioSystem(const Scenario& scenario);
  ScenarioSystem(ScenarioSystem&&) noexcept;
  ScenarioSystem& operator=(ScenarioSystem&&) noexcept;
  ~ScenarioSystem();

  /// The scenario, with the forces of joint dynamics and soft stops added.
  const Scenario& scenario() const;
  MechanicalSystem& system();
  /// The mechanism with its constraints; null: no constraints.
  ConstrainedSystem* closed();
  /// The start of the scenario, with loops closed.
  State start() const;
  /// The coordinates that rigid stops and friction hold from this state on, as entries of v; their accelerations are
  /// zero. Impacts are applied to the velocities of `state`.
  std::vector<int> hold(State& state);
  /// Names of the sampled forces: between samples they do not depend on the state.
  std::vector<std::string> sampled() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The sampled controllers of a scenario, in the order of its forces.
/// @throws Error naming a sampled force that is not a Controller, or whose controller acts in maximal coordinates
std::vector<Controller> sampled_controllers(const Scenario& scenario);
/// The same scenario with continuous controllers. Its equilibria are those of the sampled loop.
Scenario with_continuous_control(Scenario scenario);
/// The same scenario between two samples: sampled controllers are replaced by their constant efforts at a state. With
/// `control_tangent` of each, the linear system of this scenario gives that of the closed loop:
///
///     ScenarioSystem run(with_held_efforts(scenario, at));
///     LinearSystem plant = linearize(run.system(), at.t, at.q, at.v, {.held = run.hold(at)});
///     for (const Controller& c : sampled_controllers(scenario)) {
///       ControlTangent law = control_tangent(c, at.t, at.q, at.v, plant.C);
///       loops.push_back({law.entries, law.gain, c.loop_delay()});
///     }
///     SampledSystem loop = sample(plant, period, loops);
Scenario with_held_efforts(Scenario scenario, const State& at);

}  // namespace CHASLES_API
