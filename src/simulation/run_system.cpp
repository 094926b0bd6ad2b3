#include "simulation/run_system.hpp"

#include <algorithm>

#include "simulation/closed_actuation.hpp"

namespace chasles {
Scenario complete(Scenario s) {
  check(s);
  s.forces = s.forces.fresh();
  if (s.joint_dynamics)
    for (Force& force : joint_dynamics(s.model)) s.forces.add(std::move(force));
  if (s.limits == LimitMode::soft)
    for (Force& force : soft_stops(s.model, s.start.q, s.stops)) s.forces.add(std::move(force));
  s.joint_dynamics = false;
  return s;
}

/// The system has its forces before an integrator asks for them.
RunSystem::RunSystem(const Scenario& scenario)
    : scenario_(scenario), smooth_from_(scenario.start.t), smooth_to_(scenario.start.t) {
  std::shared_ptr<MechanicalSystem> free;
  if (is_bound(scenario.model, scenario.loops, scenario.constraints)) {
    const auto closed = std::make_shared<ConstrainedSystem>(
        scenario.model, scenario.constraints,
        checked_configuration(scenario.model, scenario.start.q), scenario.kept_q);
    set_forces(*closed);
    closed_ = closed.get();
    free = closed;
  } else {
    const auto tree = std::make_shared<ModelSystem>(scenario.model);
    set_forces(*tree);
    free = tree;
  }
  if (Switching::needed(scenario)) {
    switching_ = std::make_unique<Switching>(scenario, std::move(free));
    system_ = switching_->system();
  } else {
    system_ = std::move(free);
  }
}

void RunSystem::set_forces(MechanismState& state) {
  const Forces& forces = scenario_.forces;
  if (forces.empty()) return;
  TangentFunction tangent;
  if (forces.has_tangent())
    tangent = [this](double t, const VelocityKinematics& kin, ForceTangent& out) {
      scenario_.forces.tangent(std::clamp(t, smooth_from_, smooth_to_), kin, out);
    };
  state.set_forces(
      [this](double t, const VelocityKinematics& kin, JointForces& out) {
        scenario_.forces.apply(std::clamp(t, smooth_from_, smooth_to_), kin, out);
      },
      forces.expansion(), std::move(tangent));
}

State RunSystem::start() const {
  State start = scenario_.start;
  start.q = checked_configuration(scenario_.model, start.q);
  if (closed_ == nullptr || scenario_.checkpoint) return start;
  start.q = closed_->assembled();
  start.v = consistent_velocity(closed_->constraints(), start.q, start.v, scenario_.kept_v);
  return start;
}

}  // namespace chasles
