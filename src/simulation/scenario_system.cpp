#include "chasles/simulation/scenario_system.hpp"

#include "simulation/run_system.hpp"
#include "simulation/tangent_parts.hpp"

namespace chasles {
namespace {

bool is_sampled(const Force& force) { return force.memory && force.memory->sample; }

/// The forces, with each sampled controller replaced.
template <class Replace>
Forces replaced(const Forces& forces, const Replace& replace) {
  Forces out;
  for (const Force& force : forces.list())
    out.add(is_sampled(force) && force.controller ? replace(*force.controller) : force);
  return out;
}

}  // namespace

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
    if (is_sampled(force)) names.push_back(force.name);
  return names;
}

std::vector<Controller> sampled_controllers(const Scenario& scenario) {
  for (const Force& force : scenario.joint_forces.list())
    if (is_sampled(force))
      throw Error(force.name +
                  " is sampled, and the scenario is in maximal coordinates; take relative "
                  "coordinates for the linear system of the loop");
  std::vector<Controller> list;
  for (const Force& force : scenario.forces.list()) {
    if (!is_sampled(force)) continue;
    if (!force.controller)
      throw Error(force.name +
                  " is sampled, but not a Controller: its period and delay are not known");
    list.push_back(*force.controller);
  }
  return list;
}

Scenario with_continuous_control(Scenario scenario) {
  scenario.forces = replaced(scenario.forces, [](Controller c) {
    c.period = c.delay = 0;
    c.sensors.reset();
    return control(c);
  });
  return scenario;
}

Scenario with_held_efforts(Scenario scenario, const State& at) {
  scenario.forces = replaced(scenario.forces, [&](const Controller& c) {
    const ControlTangent law = control_tangent(c, at.t, at.q, at.v, Matrix(2 * c.model.nv(), 0));
    Vector tau(c.model.nv());
    for (std::size_t i = 0; i < law.entries.size(); ++i)
      tau[law.entries[i]] = law.effort[static_cast<Eigen::Index>(i)];
    Force held{c.name, c.model,
               [tau](double, const VelocityKinematics&, JointForces& out) { out.tau += tau; }};
    held.law.tangent = forces::no_derivatives;
    return held;
  });
  return scenario;
}

}  // namespace chasles
