#include "simulation/monitoring.hpp"

#include <algorithm>

#include "chasles/dynamics/energy.hpp"

namespace chasles {
namespace {

/// (1).
double most_violation(const IntegratorOptions& options) {
  const bool adaptive = method_info(options.method).adaptive && !options.step;
  return std::max(1e-6, adaptive ? 1000 * options.tolerance.value_or(1e-10) : 0);
}
bool keeps_positions(const IntegratorOptions& options) {
  return method_info(options.method).constrained ||
         options.stabilisation == Stabilisation::projection;
}

}  // namespace

ConstraintMonitor::ConstraintMonitor(const Scenario& scenario, ConstrainedSystem* closed)
    : closed_(closed),
      most_(most_violation(scenario.integrator)),
      strict_(keeps_positions(scenario.integrator)) {}

double ConstraintMonitor::look_at(const State& state) {
  const double violation = closed_->violation(state.q);
  violation_ = std::max(violation_, violation);
  velocity_violation_ =
      std::max(velocity_violation_, closed_->velocity_violation(state.q, state.v));
  return violation;
}
void ConstraintMonitor::step(const State& state) {
  if (closed_ == nullptr) return;
  last_violation_ = look_at(state);
  independence_ = std::min(independence_, closed_->independence());
  if (!strict_ || last_violation_ <= most_) return;
  throw Error("the constraints are off by " + to_short_text(last_violation_) +
              " [rad, m], beyond " + to_short_text(most_) +
              (independence_ < 1e-3 ? "; the run came to a singular configuration (independence " +
                                          to_short_text(independence_) + ")"
                                    : ""));
}
void ConstraintMonitor::sample(const State& state) {
  if (closed_ != nullptr) look_at(state);
}
void ConstraintMonitor::fill_in(Summary& s) const {
  s.closed = closed_ != nullptr;
  if (s.closed) s.mobility = closed_->mobility().mobility;
  s.constraint_violation = violation_, s.velocity_violation = velocity_violation_;
  s.last_violation = last_violation_, s.independence = independence_;
  s.allowed_violation = most_;
}

Monitoring::Monitoring(const Scenario& scenario, const RunSystem& run)
    : scenario_(scenario),
      kin_(scenario.model),
      bounds_(scenario.model, scenario.forces, scenario.limits != LimitMode::ignore),
      constraints_(scenario, run.closed()),
      energy_(scenario),
      watch_(scenario) {}

Invariants Monitoring::invariants_at(const State& state, double work) {
  velocities(scenario_.model, state.q, state.v, kin_);
  return invariants(scenario_.model, scenario_.forces, kin_, work);
}

void Monitoring::start(const State& state, double work) {
  invariants_.start(end_ = invariants_at(state, work));
  bounds_.start(state);
  energy_.start();
  watch_.start(state, end_);
  constraints_.step(state);
}

void Monitoring::take_invariants(const State& state, double work) {
  invariants_.watch(end_ = invariants_at(state, work));
}

void Monitoring::step(const Integrator& integrator, bool at_break) {
  bounds_.watch(integrator);
  constraints_.step(integrator.state());
  energy_.step(integrator, end_, invariants_.last().energy);
  watch_.step(integrator, end_, constraints_.independence());
  if (at_break) watch_.sampled(integrator.state(), end_, integrator.statistics());
}

void Monitoring::sample(const State& state) {
  bounds_.sample(state);
  constraints_.sample(state);
}

double Monitoring::impulse(const State& state) {
  const double before = end_.kinetic, work = end_.work;
  end_ = invariants_at(state, work);
  return end_.kinetic - before;
}

void Monitoring::fill_in(Summary& s) const {
  s.start = invariants_.first(), s.end = end_;
  s.worst = invariants_.worst(), s.last = invariants_.last();
  s.violations = bounds_.violations();
  constraints_.fill_in(s);
}

}  // namespace chasles
