/// Events of runs: what is watched within steps, and what is done then.
#include <algorithm>
#include <cmath>
#include <utility>

#include "chasles/dynamics/energy.hpp"
#include "simulation/switching.hpp"

namespace chasles {
namespace {

/// Where contacts begin and end, by the gap x of a plane, and between spheres by (d^2 - s^2) / (2 s) with
/// the distance d = s + x of their centres: it is smooth, also where they pass each other.
std::vector<Event> touch_events(const Model& model, const Forces& forces) {
  constexpr double rounding = 1e-13;  // [m]: nearer than this is touching, neither in nor out
  // All are asked at the same states, and each several times: they share their kinematics and know their gap.
  struct Known {
    VelocityKinematics kin;
    long states = 0;
  };
  struct KnownGap {
    Touch::Gap gap{};
    long state = -1;
  };
  const auto known = std::make_shared<Known>(Known{VelocityKinematics(model)});
  std::vector<Event> events;
  for (const Force& force : forces.list()) {
    if (!force.touch) continue;
    const double per_span = force.touch->span > 0 ? 1 / force.touch->span : 0;
    const auto at = [known, own = std::make_shared<KnownGap>(),
                     gap = force.touch->gap](const State& s) -> const Touch::Gap& {
      if (known->kin.q() != s.q || known->kin.v() != s.v) {
        velocities(known->kin.model(), s.q, s.v, known->kin);
        ++known->states;
      }
      if (own->state != known->states) *own = {gap(known->kin), known->states};
      return own->gap;
    };
    Event event{force.name, [=](const State& s) {
                  const double x = at(s).distance;
                  return std::abs(x) > rounding ? x * (1 + 0.5 * per_span * x) : 0.0;
                }};
    event.rate = [=](const State& s) {
      const Touch::Gap& x = at(s);
      return x.rate * (1 + per_span * x.distance);
    };
    event.fastest = [=](const State& s) {
      const Touch::Gap& x = at(s);
      return x.fastest * (1 + per_span * std::abs(x.distance));
    };
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace

/// Those of the scenario, then contacts, then stops and friction.
void Simulation::make_events() {
  std::vector<Event> events;
  for (const RunEvent& e : scenario_.events) events.push_back(e.event);
  for (Event& event : touch_events(scenario_.model, scenario_.forces))
    events.push_back(std::move(event));
  touches_ = events.size();
  if (switching_) switching_->add_events(events);
  if (!events.empty()) events_.emplace(std::move(events));
}

/// A step, or to the first event in it.
void Simulation::take_step() {
  if (!events_) return integrator_->step(stop_);
  double until = std::min(stop_, std::exchange(soon_, Signal::never));
  if (switching_ && switching_->soon() > last_.t) until = std::min(until, switching_->soon());
  happened_.clear();
  touched_ = false;
  events_->advance(*integrator_, until, [this](const Event& event, const State& state) {
    constexpr std::size_t most = 1000;
    const auto number = static_cast<std::size_t>(&event - events_->list().data());
    const bool met = switching_ && switching_->happened(number);
    const bool asked = number < scenario_.events.size();
    if (asked) happened_.push_back(&scenario_.events[number]);
    touched_ = touched_ || (!asked && number < touches_);
    if (!asked && !met) return;
    ++event_count_;
    if (log_.size() < most) log_.push_back({event.name, state.t});
  });
}

/// What follows is smooth again. Spheres that flew on as they do would leave each other after 2 s x' / v^2,
/// s the distance of their centres: the next step is a part of that, so that it does not lead beyond.
void Simulation::begin_contact() {
  integrator_->replace(last_.q, last_.v);
  velocities(scenario_.model, last_.q, last_.v, kin_);
  for (const Force& force : scenario_.forces.list()) {
    if (!force.touch || !(force.touch->span > 0)) continue;
    const Touch::Gap gap = force.touch->gap(kin_);
    if (!(std::abs(gap.distance) < 1e-6 * force.touch->span && gap.rate < 0)) continue;
    const double passing = 0.25 * force.touch->span * -gap.rate / (gap.speed * gap.speed);
    soon_ = std::min(soon_, last_.t + std::max(passing, 1e-12 * (1 + std::abs(last_.t))));
  }
}

/// What the events at the end of the last step do, after the step was recorded. What that does to the kinetic
/// energy is work.
void Simulation::act_on_event() {
  if (touched_) begin_contact();
  bool changed = switching_ && switching_->pending();
  for (const RunEvent* event : happened_) {
    stopped_ = stopped_ || event->action == RunEvent::stop;
    if (event->action != RunEvent::set_velocity) continue;
    std::vector<bool> kept(static_cast<std::size_t>(scenario_.model.nv()), false);
    for (const auto& [k, v] : event->velocity)
      last_.v[k] = v, kept[static_cast<std::size_t>(k)] = true;
    if (closed_ != nullptr)
      last_.v = consistent_velocity(closed_->constraints(), last_.q, last_.v, kept);
    changed = true;
  }
  if (!changed) return;
  if (switching_) switching_->resolve(last_);
  integrator_->replace(last_.q, last_.v);
  velocities(scenario_.model, last_.q, last_.v, kin_);
  const double before = end_.kinetic;
  work_ += kinetic_energy(scenario_.model, kin_) - before;
  end_ = invariants(scenario_.model, scenario_.forces, kin_, work_);
}

}  // namespace chasles
