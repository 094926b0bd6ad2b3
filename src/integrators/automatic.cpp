#include "integrators/automatic.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/one_step.hpp"

namespace chasles {
namespace {

constexpr long look_every = 64;           // steps of DOP853 between checks
constexpr long look_every_implicit = 16;  // steps of Radau between checks
constexpr long most_patience = 1 << 14;
constexpr double stability = 6.1;  // interval of DOP853 on the negative real axis

IntegratorOptions with_method(IntegratorOptions options, const char* method,
                              double tolerance = 1e-10) {
  options.method = method;
  if (!options.tolerance) options.tolerance = tolerance;
  return options;
}

/// The sum of the statistics of two methods.
StepStatistics sum(const StepStatistics& a, const StepStatistics& b) {
  StepStatistics s = a;
  s.steps += b.steps, s.rejected += b.rejected, s.evaluations += b.evaluations;
  s.iterations += b.iterations, s.stiff += b.stiff;
  s.smallest = std::min(a.smallest, b.smallest), s.largest = std::max(a.largest, b.largest);
  return s;
}

}  // namespace

Automatic::Automatic(DynamicalSystem& system, const IntegratorOptions& options)
    : system_(&system), explicit_(make_integrator(system, with_method(options, "dop853"))) {
  MechanicalSystem* mechanical = system.mechanical();
  const bool projects = options.stabilization == Stabilization::projection;
  if (mechanical && mechanical->has_newton() && (mechanical->constraint_count() == 0 || projects) &&
      !options.keep_invariants && !options.momentum_form)
    implicit_ = make_integrator(system, with_method(options, "radau5", stiff_tolerance));
  for (Vector* x : {&x_, &V_, &a_, &V_1_, &a_1_, &d_x_, &d_v_}) x->setZero(system.nv());
  q_.setZero(system.nq());
}

/// Takes over the state and the statistics of the active method.
void Automatic::take_over() {
  now_ = active().state(), before_ = active().before();
  const long switches = statistics_.switches, implicit_steps = before_change_.implicit_steps;
  const double at = statistics_.first_switch;
  statistics_ = sum(before_change_, active().statistics());
  statistics_.switches = switches, statistics_.first_switch = at;
  statistics_.implicit_steps = implicit_steps + (stiff_ ? active().statistics().steps : 0);
}

void Automatic::reset(const State& start) {
  stiff_ = false;
  patience_ = 64;
  before_change_ = watched_ = statistics_ = {};
  explicit_->reset(start);
  take_over();
}

void Automatic::resume(const State& at, const Checkpoint& from) {
  require_finite("auto", from);
  reset(at);
  Checkpoint inner = from;
  if (from.memory.size() >= 2) {
    stiff_ = from.memory[0] != 0 && implicit_;
    patience_ = static_cast<long>(std::clamp(from.memory[1], static_cast<double>(look_every),
                                             static_cast<double>(most_patience)));
    inner.memory.erase(inner.memory.begin(), inner.memory.begin() + 2);
  }
  active().resume(at, inner);
  take_over();
}
Checkpoint Automatic::checkpoint() const {
  Checkpoint point = active().checkpoint();
  point.memory.insert(point.memory.begin(), {stiff_ ? 1.0 : 0.0, static_cast<double>(patience_)});
  return point;
}

/// Switches to the other method, from the state of the active one.
void Automatic::change() {
  const Checkpoint from = active().checkpoint();
  before_change_ = statistics_;
  before_change_.implicit_steps = statistics_.implicit_steps;
  if (stiff_) patience_ = std::min(2 * patience_, most_patience);
  const State here = active().state();
  stiff_ = !stiff_;
  active().resume(here, {from.origin, from.next_step, 0, {}});
  watched_ = active().statistics();
  if (++statistics_.switches == 1) statistics_.first_switch = here.t;
}

bool Automatic::is_held_down(double until) {
  const StepStatistics& now = explicit_->statistics();
  const long steps = now.steps - watched_.steps, held = now.stiff - watched_.stiff;
  if (steps < look_every) return false;
  watched_ = now;
  const double h = now_.t - before_.t;
  return 2 * held > steps && until - now_.t > 20 * h;
}

/// rho by a few power iterations y <- J y / |y|, J y by finite differences.
double Automatic::spectral_radius() {
  constexpr int iterations = 10;
  constexpr double small = 1e-7;
  const auto length = [&] { return std::sqrt(d_x_.squaredNorm() + d_v_.squaredNorm()); };
  system_->rates(now_.t, now_.q, now_.v, V_, a_);
  d_x_ = V_, d_v_ = a_;
  double rho = 0;
  for (int k = 0; k < iterations; ++k) {
    const double size = length();
    if (!(size > 0 && std::isfinite(size))) break;
    d_x_ *= small / size, d_v_ *= small / size;
    system_->group().plus(now_.q, d_x_, q_);
    d_v_ += now_.v;
    system_->rates(now_.t, q_, d_v_, V_1_, a_1_);
    d_x_ = V_1_ - V_, d_v_ = a_1_ - a_;
    rho = std::max(k < iterations / 2 ? 0.0 : rho, length() / small);
  }
  return rho;
}
bool Automatic::is_free_again() {
  const StepStatistics& now = implicit_->statistics();
  if (now.steps < patience_ || now.steps - watched_.steps < look_every_implicit) return false;
  watched_ = now;
  try {
    return (now_.t - before_.t) * spectral_radius() < 0.5 * stability;
  } catch (const StateError&) {
    return false;
  }
}

void Automatic::require_start() const {
  if (now_.q.size() != system_->nq())
    throw Error("auto: there is no state yet; call reset with the start first");
}

void Automatic::step(double until) {
  require_start();
  if (implicit_ && statistics_.steps > 0 && (stiff_ ? is_free_again() : is_held_down(until)))
    change();
  try {
    step_by_either(until);
  } catch (...) {
    take_over();
    throw;
  }
  take_over();
}
void Automatic::step_by_either(double until) {
  try {
    return active().step(until);
  } catch (const StepError&) {
    if (!implicit_ || stiff_) throw;
  }
  change();
  active().step(until);
}

void Automatic::retry(double until) {
  require_start();
  active().retry(until);
  take_over();
}
void Automatic::replace(ConstVectorRef q, ConstVectorRef v) {
  require_start();
  active().replace(q, v);
  take_over();
}
void Automatic::interpolate(double t, State& out) const {
  require_start();
  active().interpolate(t, out);
}
const Vector& Automatic::multipliers() const { return active().multipliers(); }

}  // namespace chasles
