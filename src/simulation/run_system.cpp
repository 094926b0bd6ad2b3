#include "simulation/run_system.hpp"

#include <algorithm>

#include "simulation/closed_actuation.hpp"
#include "simulation/maximal_joints.hpp"

namespace chasles {
namespace {

/// Adds the forces that the model defines in its joints.
void add_own_forces(const Scenario& s, const Model& model, ConstVectorRef q, Forces& forces) {
  if (s.joint_dynamics)
    for (Force& force : joint_dynamics(model)) forces.add(std::move(force));
  if (s.limits == LimitMode::soft)
    for (Force& force : soft_stops(model, s.origin ? s.origin->q : Vector(q), s.stops))
      forces.add(std::move(force));
}

/// In maximal coordinates: converts forces in joints to functions of the floating bodies.
void see_joints(Scenario& s) {
  s.absolute = std::make_shared<MaximalJoints>(s.joints, s.model, s.joints_q);
  s.absolute->follow(s.start);
  s.joint_forces = s.joint_forces.fresh();
  add_own_forces(s, s.joints, s.joints_q, s.joint_forces);
  for (const Force& force : s.joint_forces.list())
    s.forces.add(in_maximal_coordinates(force, s.model, s.absolute));
  for (RunEvent& event : s.events)
    if (event.of_joints)
      event.event.g = [g = event.event.g, joints = s.absolute](const State& state) {
        return g(joints->at(state));
      };
}

}  // namespace

Scenario complete(Scenario s) {
  check(s);
  s.forces = s.forces.fresh();
  if (s.joints)
    see_joints(s);
  else
    add_own_forces(s, s.model, s.start.q, s.forces);
  s.joint_dynamics = false;
  return s;
}

/// Sets the forces before an integrator evaluates them.
RunSystem::RunSystem(const Scenario& scenario)
    : scenario_(scenario), smooth_from_(scenario.start.t), smooth_to_(scenario.start.t) {
  std::shared_ptr<MechanicalSystem> free;
  if (is_bound(scenario.model, scenario.loops, scenario.constraints)) {
    const auto closed = std::make_shared<ConstrainedSystem>(
        scenario.model, scenario.constraints,
        checked_configuration(scenario.model, scenario.start.q), scenario.kept_q);
    set_forces(*closed);
    // In maximal coordinates the joints of the tree are loops of the same names.
    if (scenario.joints)
      for (const ModelJoint& joint : scenario.joints.joints())
        closed->constraints().follow(joint.name,
                                     scenario.joints_q.segment(joint.q_index, joint.nq));
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
