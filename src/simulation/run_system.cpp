#include "simulation/run_system.hpp"

#include <algorithm>

#include "chasles/simulation/driver.hpp"
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

/// Events do not change the velocity of a joint that a driver prescribes.
void require_undriven(const Scenario& scenario, const RunEvent& event) {
  const Model& model = scenario.joints ? scenario.joints : scenario.model;
  const auto require = [&](int v, const char* does) {
    const ModelJoint& joint = model.joint_of_v(v);
    for (const auto& constraint : scenario.constraints.more)
      if (const auto* driver = dynamic_cast<const Driver*>(constraint.get());
          driver != nullptr && joint.nv == 1 && driver->joint() == joint.name)
        throw Error("event '" + event.event.name + "' " + does + " joint '" + joint.name +
                    "', whose motion driver '" + driver->name() +
                    "' prescribes; leave one of them out");
  };
  if (event.action == RunEvent::impact) require(event.hit.v, "is an impact of");
  if (event.action == RunEvent::set_velocity)
    for (const auto& entry : event.velocity) require(entry.first, "sets the velocity of");
}

/// Drivers must not contradict or repeat each other or the other constraints.
void require_drivers(const Scenario& scenario, const ConstrainedSystem& closed) {
  for (const auto& constraint : scenario.constraints.more) {
    const auto* driver = dynamic_cast<const Driver*>(constraint.get());
    if (scenario.limits != LimitMode::rigid || driver == nullptr || driver->joint().empty())
      continue;
    const auto& joints = scenario.model.joints();
    const auto joint = std::ranges::find(joints, driver->joint(), &ModelJoint::name);
    if (joint != joints.end() && joint->limits)
      throw Error(
          "limits: rigid: joint '" + joint->name +
          "' has rigid stops and is driven, and a driver does not yield; take limits: warn");
  }
  for (const RunEvent& event : scenario.events) require_undriven(scenario, event);
  const auto& blocks = closed.constraints().blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].kind == "driver" && closed.mobility().blocks[b].redundant > 0)
      throw Error(
          blocks[b].text() +
          " is redundant at the start: other drivers or constraints determine its motion "
          "already, or the mechanism is at a dead center; leave it out, or start elsewhere");
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
    ConstraintOptions constraints = scenario.constraints;
    constraints.time = scenario.start.t;
    const auto closed = std::make_shared<ConstrainedSystem>(
        scenario.model, constraints, checked_configuration(scenario.model, scenario.start.q),
        scenario.kept_q);
    require_drivers(scenario, *closed);
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

void RunSystem::set_smooth(double from, double to) {
  smooth_from_ = from, smooth_to_ = to;
  if (closed_ != nullptr && closed_->constraints().depends_on_time())
    closed_->constraints().set_interval(from, to);
}
double RunSystem::next_break(double t) const {
  const double of_forces = scenario_.forces.next_break(t);
  return closed_ == nullptr ? of_forces : std::min(of_forces, closed_->constraints().next_break(t));
}

void RunSystem::require_velocity(const State& state) const {
  if (closed_ == nullptr || !closed_->constraints().depends_on_time()) return;
  constexpr double small = 1e-6;  // [rad/s, m/s], relative to the velocities
  Vector rate(closed_->constraint_count());
  closed_->set(state);
  closed_->constraint_rate(rate);
  Eigen::Index worst = 0;
  const double jump = rate.cwiseAbs().maxCoeff(&worst);
  if (jump <= small * (1 + state.v.lpNorm<Eigen::Infinity>())) return;
  throw Error("the velocity of " + closed_->constraints().block_of(static_cast<int>(worst)).text() +
              " jumps by " + to_short_text(jump) + " rad/s or m/s at t = " + to_text(state.t) +
              " s; give a motion with a continuous velocity");
}

State RunSystem::start() const {
  State start = scenario_.start;
  start.q = checked_configuration(scenario_.model, start.q);
  if (closed_ == nullptr || scenario_.checkpoint) return start;
  start.q = closed_->assembled();
  closed_->constraints().set_time(start.t);
  start.v = consistent_velocity(closed_->constraints(), start.q, start.v, scenario_.kept_v);
  return start;
}

}  // namespace chasles
