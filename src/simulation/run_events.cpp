/// Events of runs: the functions located within steps, and their actions.
#include <algorithm>
#include <cmath>

#include "chasles/constraints/maximal_state.hpp"
#include "simulation/maximal_joints.hpp"
#include "simulation/stepping.hpp"

namespace chasles {
namespace {

/// Begin and end of contacts: zeros of the gap x for a plane, and between spheres of (d^2 - s^2) / (2 s) with the
/// distance d = s + x of their centers, which is smooth also where they pass each other.
std::vector<IntegratorEvent> touch_events(const Model& model, const Forces& forces) {
  constexpr double rounding = 1e-13;  // [m]: gaps below this count as touching
  // Events are evaluated at the same states, each several times: they share kinematics, and cache their gap.
  struct Known {
    VelocityKinematics kin;
    long states = 0;
  };
  struct KnownGap {
    ContactQuery::Gap gap{};
    long state = -1;
  };
  const auto known = std::make_shared<Known>(Known{VelocityKinematics(model)});
  std::vector<IntegratorEvent> events;
  for (const Force& force : forces.list()) {
    if (!force.touch) continue;
    const double per_span = force.touch->span > 0 ? 1 / force.touch->span : 0;
    const auto at = [known, own = std::make_shared<KnownGap>(),
                     gap = force.touch->gap](const State& s) -> const ContactQuery::Gap& {
      if (known->kin.q() != s.q || known->kin.v() != s.v) {
        forward_kinematics(known->kin.model(), s.q, s.v, known->kin);
        ++known->states;
      }
      if (own->state != known->states) *own = {gap(known->kin), known->states};
      return own->gap;
    };
    IntegratorEvent event{force.name, [=](const State& s) {
                            const double x = at(s).distance;
                            return std::abs(x) > rounding ? x * (1 + 0.5 * per_span * x) : 0.0;
                          }};
    event.rate = [=](const State& s) {
      const ContactQuery::Gap& x = at(s);
      return x.rate * (1 + per_span * x.distance);
    };
    event.fastest = [=](const State& s) {
      const ContactQuery::Gap& x = at(s);
      return x.fastest * (1 + per_span * std::abs(x.distance));
    };
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace

/// Events of the scenario, then of contacts, then of stops and friction.
void Stepping::make_events() {
  std::vector<IntegratorEvent> events;
  for (const RunEvent& e : scenario_.events) events.push_back(e.event);
  for (IntegratorEvent& event : touch_events(scenario_.model, scenario_.forces))
    events.push_back(std::move(event));
  touches_ = events.size();
  if (Switching* switching = run_.switching()) switching->add_events(events);
  if (!events.empty()) events_.emplace(std::move(events));
}

void Stepping::report(const IntegratorEvent& event, const State& state) {
  constexpr std::size_t most = 1000;
  const auto number = static_cast<std::size_t>(&event - events_->list().data());
  Switching* switching = run_.switching();
  const bool met = switching && switching->happened(number);
  const bool asked = number < scenario_.events.size();
  if (asked) happened_.push_back(&scenario_.events[number]);
  touched_ = touched_ || (!asked && number < touches_);
  if (!asked && !met) return;
  ++event_count_;
  if (log_.size() < most) log_.push_back({event.name, state.t});
}

/// Restarts after the nonsmooth point. In free flight spheres would separate after 2 s x' / v^2, s the distance of
/// their centers: the next step is a fraction of that, so that it does not pass the end of the contact.
void Stepping::begin_contact() {
  integrator_->replace(last_.q, last_.v);
  forward_kinematics(scenario_.model, last_.q, last_.v, kin_);
  for (const Force& force : scenario_.forces.list()) {
    if (!force.touch || !(force.touch->span > 0)) continue;
    const ContactQuery::Gap gap = force.touch->gap(kin_);
    if (!(std::abs(gap.distance) < 1e-6 * force.touch->span && gap.rate < 0)) continue;
    const double passing = 0.25 * force.touch->span * -gap.rate / (gap.speed * gap.speed);
    soon_ = std::min(soon_, last_.t + std::max(passing, 1e-12 * (1 + std::abs(last_.t))));
  }
}

/// In maximal coordinates: sets the joint velocities of the tree, and the body velocities accordingly.
void Stepping::set_joint_velocities(const RunEvent& event) {
  State joints = scenario_.absolute->at(last_);
  const Model& tree = scenario_.joints;
  std::vector<bool> kept(static_cast<std::size_t>(tree.nv()), false);
  for (const auto& [k, v] : event.velocity)
    joints.v[k] = v, kept[static_cast<std::size_t>(k)] = true;
  ConstraintOptions options = scenario_.joint_constraints;
  options.time = last_.t;
  Constraints constraints(tree, options);
  if (constraints.constraint_count() > 0)
    joints.v = consistent_velocity(constraints, joints.q, joints.v, kept);
  VelocityKinematics kin(tree);
  forward_kinematics(tree, joints.q, joints.v, kin);
  Vector q = last_.q;  // unchanged: only velocities change
  maximal_state(kin, scenario_.model, q, last_.v);
}

void Stepping::set_velocities(const RunEvent& event) {
  if (scenario_.absolute) return set_joint_velocities(event);
  std::vector<bool> kept(static_cast<std::size_t>(scenario_.model.nv()), false);
  for (const auto& [k, v] : event.velocity)
    last_.v[k] = v, kept[static_cast<std::size_t>(k)] = true;
  if (ConstrainedSystem* closed = run_.closed()) {
    closed->constraints().set_time(last_.t);
    last_.v = consistent_velocity(closed->constraints(), last_.q, last_.v, kept);
  }
}

bool Stepping::act_on_events() {
  if (touched_) begin_contact();
  Switching* switching = run_.switching();
  bool changed = switching && switching->pending();
  for (const RunEvent* event : happened_) {
    stopped_ = stopped_ || event->action == RunEvent::stop;
    if (event->action != RunEvent::set_velocity) continue;
    try {
      set_velocities(*event);
    } catch (const Error& error) {
      throw Error("event '" + event->event.name + "', set_velocity: " + error.what());
    }
    changed = true;
  }
  if (!changed) return false;
  if (switching) switching->resolve(last_);
  integrator_->replace(last_.q, last_.v);
  return true;
}

}  // namespace chasles
