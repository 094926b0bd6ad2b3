#include "chasles/simulation/scenario_system.hpp"

#include "simulation/run_system.hpp"

namespace chasles {

struct ScenarioSystem::Parts {
  const Scenario scenario;
  RunSystem run;
  explicit Parts(const Scenario& given) : scenario(complete(given)), run(scenario) {}
};

ScenarioSystem::ScenarioSystem(const Scenario& scenario)
    : parts_(std::make_unique<Parts>(scenario)) {}
ScenarioSystem::ScenarioSystem(ScenarioSystem&&) noexcept = default;
ScenarioSystem& ScenarioSystem::operator=(ScenarioSystem&&) noexcept = default;
ScenarioSystem::~ScenarioSystem() = default;

const Scenario& ScenarioSystem::scenario() const { return parts_->scenario; }
MechanicalSystem& ScenarioSystem::system() { return *parts_->run.system()->mechanical(); }
ConstrainedSystem* ScenarioSystem::closed() { return parts_->run.closed(); }
State ScenarioSystem::start() const { return parts_->run.start(); }

std::vector<int> ScenarioSystem::hold(State& state) {
  std::vector<int> held;
  Switching* switching = parts_->run.switching();
  if (switching == nullptr) return held;
  switching->resolve(state);
  for (int k = 0; k < parts_->scenario.model.nv(); ++k)
    if (switching->system()->holds(k)) held.push_back(k);
  return held;
}

std::vector<std::string> ScenarioSystem::sampled() const {
  std::vector<std::string> names;
  for (const Force& force : parts_->scenario.forces.list())
    if (force.memory && force.memory->sample) names.push_back(force.name);
  return names;
}

}  // namespace chasles
