#include "simulation/monitoring.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chasles/dynamics/energy.hpp"

namespace chasles {
namespace {

/// (1).
double most_violation(const IntegratorOptions& options) {
  const bool adaptive = method_info(options).adaptive && !options.step;
  return std::max(1e-6, adaptive ? 1000 * options.tolerance.value_or(1e-10) : 0);
}
bool keeps_positions(const IntegratorOptions& options) {
  return method_info(options).constrained || options.stabilization == Stabilization::projection;
}

}  // namespace

ConstraintMonitor::ConstraintMonitor(const Scenario& scenario, ConstrainedSystem* closed)
    : closed_(closed),
      most_(most_violation(scenario.integrator)),
      strict_(keeps_positions(scenario.integrator)),
      may_be_singular_(closed &&
                       (!scenario.model.loops().empty() || !scenario.model.constraints().empty() ||
                        !scenario.constraints.more.empty())),
      rows_(closed ? closed->constraint_count() : 0),
      between_(scenario.start),
      still_(scenario.model.nv()),
      x_(scenario.model.nv()),
      no_rows_(rows_.size()),
      mu_(rows_.size()) {
  // Contradictory equations have about the same error at all configurations as at the start.
  if (closed != nullptr) most_ = std::max(most_, 10 * closed->constraints().accepted_gap());
}

void ConstraintMonitor::set(const State& state) {
  if (closed_ != nullptr) closed_->set(state);
  t_ = state.t;
}
/// Measures |Phi| and |B v| at the state of the mechanism.
void ConstraintMonitor::measure() {
  if (rows_.size() == 0) return;
  closed_->constraint_error(rows_);
  here_ = rows_.lpNorm<Eigen::Infinity>();
  closed_->constraint_rate(rows_);
  rate_here_ = rows_.lpNorm<Eigen::Infinity>();
}
void ConstraintMonitor::take() {
  violation_ = std::max(violation_, here_);
  velocity_violation_ = std::max(velocity_violation_, rate_here_);
}

void ConstraintMonitor::start(const State& state) {
  set(state);
  if (closed_ != nullptr)
    for (const SE3& C : closed_->position().C()) most_drift_ = std::max(most_drift_, max_abs(C.r));
  measure();
  if (closed_ == nullptr) return;
  take();
  take_independence(t_);
  before_ = closed_->reciprocal_condition();
  require_small();
}
void ConstraintMonitor::look_at(const Integrator& integrator) {
  if (closed_ == nullptr) return;
  t_ = integrator.state().t;
  if (integrator.mechanism_at_state() != closed_) set(integrator.state());
  measure();
}
void ConstraintMonitor::step(const Integrator& integrator) {
  if (closed_ == nullptr) return;
  take();
  take_independence(t_);
  search(integrator);
  require_small();
}
void ConstraintMonitor::require_small() const {
  require(last_violation_, strict_ ? most_ : most_drift_);
}
void ConstraintMonitor::require(double violation, double most, const char* where) const {
  if (violation <= most) return;
  throw Error(std::string(where) + "the constraints are off by " + to_short_text(violation) +
              " [rad, m], beyond " + to_short_text(most) +
              (reciprocal_condition_ < 1e-3
                   ? "; the run came to a singular configuration (independence " +
                         to_short_text(reciprocal_condition_) + ")"
                   : ""));
}
void ConstraintMonitor::take_independence(double t) {
  last_violation_ = here_;
  if (const double here = closed_->reciprocal_condition(); here < reciprocal_condition_)
    reciprocal_condition_ = here, singular_t_ = t;
}

double ConstraintMonitor::independence_at(const Integrator& integrator, double t) {
  integrator.interpolate(t, between_);
  closed_->set(t, between_.q, between_.v);
  try {
    closed_->solve(still_, no_rows_, x_, mu_);  // factorizes
  } catch (const SingularError&) {
    return 1;
  }
  return closed_->reciprocal_condition();
}

/// A step may pass a singular configuration of loops without ending near it: samples the step every 0.1 rad or m, at
/// most 8 times, and finds the nearest point by golden-section search.
void ConstraintMonitor::search(const Integrator& integrator) {
  constexpr double apart = 0.1, worth_refining = 0.03, golden = 0.6180339887498949;
  if (!may_be_singular_) return;
  const State &first = integrator.before(), &last = integrator.state();
  const double from = first.t, to = last.t;
  const double fastest =
      std::max(first.v.lpNorm<Eigen::Infinity>(), last.v.lpNorm<Eigen::Infinity>());
  const int parts =
      static_cast<int>(std::clamp(std::ceil(fastest * (to - from) / apart), 1.0, 8.0));
  const double end = closed_->reciprocal_condition(), begin = std::exchange(before_, end);
  if (parts == 1 && !(std::min(begin, end) < worth_refining)) return;
  const double part = (to - from) / parts;
  double least = end, at = to;
  for (int k = 1; k < parts; ++k)
    if (const double x = independence_at(integrator, from + k * part); x < least)
      least = x, at = from + k * part;
  if (std::min(begin, least) < worth_refining) {
    if (begin < least) at = from;
    double low = std::max(from, at - part), high = std::min(to, at + part);
    double t_1 = high - golden * (high - low), t_2 = low + golden * (high - low);
    double x_1 = independence_at(integrator, t_1), x_2 = independence_at(integrator, t_2);
    for (int k = 0; k < 40 && high - low > 1e-9 * (to - from); ++k) {
      if (x_1 < x_2) {
        high = t_2, t_2 = t_1, x_2 = x_1;
        t_1 = high - golden * (high - low);
        x_1 = independence_at(integrator, t_1);
      } else {
        low = t_1, t_1 = t_2, x_1 = x_2;
        t_2 = low + golden * (high - low);
        x_2 = independence_at(integrator, t_2);
      }
    }
    if (std::min(x_1, x_2) < least) least = std::min(x_1, x_2), at = x_1 < x_2 ? t_1 : t_2;
  }
  if (least < reciprocal_condition_) reciprocal_condition_ = least, singular_t_ = at;
  closed_->set(integrator.state());
}
void ConstraintMonitor::sample(const State& state) {
  if (closed_ == nullptr) return;
  set(state);
  measure();
  take();
  // Near singular configurations there is no projection: even with methods that satisfy the constraints, samples have
  // the error of the interpolant.
  constexpr double of_interpolants = 0.01;
  require(here_, strict_ ? std::max(most_, of_interpolants * most_drift_) : most_drift_,
          "between two steps ");
}
void ConstraintMonitor::fill_in(Summary& s) const {
  s.closed = closed_ != nullptr;
  if (s.closed) {
    s.mobility = closed_->mobility().mobility;
    s.driven = closed_->constraints().depends_on_time();
    s.contradiction = closed_->constraints().contradiction();
  }
  s.constraint_violation = violation_, s.velocity_violation = velocity_violation_;
  s.last_violation = last_violation_, s.reciprocal_condition = reciprocal_condition_;
  s.singular_time = singular_t_;
  s.allowed_violation = most_;
}

Monitoring::Monitoring(const Scenario& scenario, const RunSystem& run)
    : scenario_(scenario),
      kin_(scenario.model),
      bounds_(scenario.absolute ? scenario.joints : scenario.model,
              scenario.absolute ? scenario.joint_forces : scenario.forces,
              scenario.limits != LimitMode::ignore, scenario.absolute),
      constraints_(scenario, run.closed()),
      energy_(scenario),
      watch_(scenario) {}

Invariants Monitoring::invariants_at(const State& state, double work) {
  forward_kinematics(scenario_.model, state.q, state.v, kin_);
  return invariants(scenario_.model, scenario_.forces, kin_, work);
}

void Monitoring::start(const State& state, double work) {
  invariants_.start(end_ = invariants_at(state, work));
  bounds_.start(state);
  energy_.start();
  watch_.start(state, end_);
  constraints_.start(state);
}

void Monitoring::look_at(const Integrator& integrator) {
  MechanismState* mechanism = integrator.mechanism_at_state();
  reached_ = mechanism ? invariants(scenario_.model, scenario_.forces, mechanism->velocity(), 0)
                       : invariants_at(integrator.state(), 0);
  constraints_.look_at(integrator);
}
void Monitoring::take_invariants(double work) {
  end_ = reached_;
  end_.work = work;
  invariants_.watch(end_);
}

void Monitoring::step(const Integrator& integrator, bool at_break) {
  bounds_.watch(integrator);
  constraints_.step(integrator);
  watch_.require_finite(end_, integrator.state());
  energy_.step(integrator, end_, invariants_.last().energy);
  watch_.step(integrator, end_, constraints_.reciprocal_condition());
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
