#include "simulation/stepping.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {

Stepping::Stepping(const Scenario& scenario, RunSystem& run)
    : scenario_(scenario),
      run_(run),
      integrator_(make_integrator(*run.system(), scenario.integrator)),
      last_(run.start()),
      kin_(scenario.model),
      stop_(scenario.start.t) {
  make_events();
}

void Stepping::start() {
  sample_forces(last_.t);
  if (Switching* switching = run_.switching()) switching->resolve(last_);
  if (scenario_.checkpoint)
    integrator_->resume(last_, *scenario_.checkpoint);
  else
    integrator_->reset(last_);
  if (events_) events_->start(*integrator_);
}

/// At a break of the forces: they are smooth up to the next break. At the end of a step forces have their left limits,
/// at the start of the next step their right limits. Breaks within rounding of each other count as one.
void Stepping::pass_breaks(double end) {
  if (last_.t < stop_) return;
  constexpr int most = 1000;
  const double near = 64 * std::numeric_limits<double>::epsilon() *
                      std::max(std::abs(scenario_.start.t), std::abs(end));
  double from = last_.t;
  run_.set_smooth(from, from);
  sample_forces(from);
  double next = run_.next_break(from);
  for (int i = 0; next <= last_.t + near; ++i) {
    if (i == most)
      throw Error("the forces have more than " + std::to_string(most) + " breaks within " +
                  to_short_text(near) + " s of t = " + to_text(last_.t) + " s");
    from = next;
    sample_forces(from);
    next = run_.next_break(next);
  }
  stop_ = next < end - near ? next : end;
  run_.set_smooth(from, std::max(from, std::nextafter(next, last_.t)));
  if (!(last_.t > scenario_.start.t)) return;
  run_.require_velocity(last_);
  if (Switching* switching = run_.switching()) switching->resolve(last_);
  integrator_->replace(last_.q, last_.v);
}

/// Sampled forces sample the last state.
void Stepping::sample_forces(double t) {
  if (!scenario_.forces.sampled()) return;
  forward_kinematics(scenario_.model, last_.q, last_.v, kin_);
  scenario_.forces.sample(t, kin_);
}
void Stepping::look_at_break() {
  if (at_break()) sample_forces(last_.t);
}

void Stepping::step(double end) {
  pass_breaks(end);
  if (!events_) return integrator_->step(std::min(stop_, end));
  double until = std::min({stop_, end, std::exchange(soon_, Signal::never)});
  if (const Switching* switching = run_.switching(); switching && switching->soon() > last_.t)
    until = std::min(until, switching->soon());
  happened_.clear();
  touched_ = false;
  events_->advance(*integrator_, until, [this](const IntegratorEvent& event, const State& state) {
    report(event, state);
  });
}

}  // namespace chasles
