#include "integrators/one_step.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Relative tolerance: a remaining interval that differs from a step by less is taken as one step.
constexpr double slack = 1e-9;
/// Beyond any real motion [rad/s, m/s, rad, m]: a failure there is reported as divergence.
constexpr double beyond = 1e8;
/// A configuration whose constraints have a lower reciprocal condition is nearly singular; MechanismState::acceleration
/// evaluates on the constraint manifold below the same value.
constexpr double least_reciprocal_condition = 0.02;

}  // namespace

OneStep::OneStep(DynamicalSystem& system, const IntegratorOptions& options)
    : system_(&system),
      options_(options),
      fixed_step_(options.step.value_or(0)),
      tolerance_(options.tolerance.value_or(1e-10)),
      max_step_(options.max_step.value_or(std::numeric_limits<double>::infinity())) {
  const int nv = system.nv();
  for (Vector* x : {&x_, &V_0_, &a_0_, &V_1_, &a_1_, &w_, &x_s_, &v_s_, &V_s_, &a_s_, &e_x_, &e_v_})
    x->setZero(nv);
  q_s_.setZero(system.nq());
  for (Matrix& r : residual_) r.setZero(nv, 2);
}

void OneStep::reset(const State& start) {
  require_size("q", start.q, system_->nq());
  require_size("v", start.v, system_->nv());
  if (!std::isfinite(start.t))
    throw Error(options_.method + ": the start at t = " + to_text(start.t) + " s is not finite");
  now_ = before_ = projected_ = start;
  statistics_ = uncounted_ = {};
  F_x_.setZero(system_->nv(), 3 + dense_rows());
  F_v_ = F_x_;
  serial_at_now_ = -1;
  origin_ = start.t;
  h_ = 0, h_next_ = 0, err_old_ = err_at_start;
  since_watched_ = 0;
  ends_known_ = dense_ready_ = false;
  x_.setZero();
  if (options_.hook) options_.hook->start(start);
  restart();
}

void OneStep::resume(const State& at, const Checkpoint& from) {
  require_finite(options_.method, from);
  if (!(std::isfinite(from.origin) && from.next_step >= 0 && std::isfinite(from.next_step) &&
        from.last_error >= 0 && std::isfinite(from.last_error)))
    throw Error(options_.method + ": a checkpoint with origin " + to_text(from.origin) +
                " s, next_step " + to_text(from.next_step) + " s and last_error " +
                to_text(from.last_error) + "; they must be finite, the last two not negative");
  reset(at);
  origin_ = from.origin;
  h_next_ = from.next_step;
  if (from.last_error > 0) err_old_ = from.last_error;
  if (!from.memory.empty()) remember(from.memory);
}

void require_finite(const std::string& method, const Checkpoint& from) {
  for (std::size_t i = 0; i < from.memory.size(); ++i)
    if (!std::isfinite(from.memory[i]))
      throw Error(method + ": number " + std::to_string(i) + " of the memory of a checkpoint is " +
                  to_text(from.memory[i]) + "; all must be finite");
}

void OneStep::require_reset() const {
  if (now_.q.size() != system_->nq() || now_.v.size() != system_->nv())
    throw Error(options_.method + ": there is no state yet; call reset with the start first");
}

void OneStep::fail(const std::string& why) const {
  why_ = why;
  throw StepError(options_.method + " at t = " + to_short_text(before_.t) + " s: " + why);
}

void OneStep::fail_iteration(const char* iteration, bool finite, double h) const {
  const std::string step = " in the step of " + to_short_text(h) + " s; ";
  fail(finite ? iteration + (" does not converge" + step) + "take a smaller one"
              : "accelerations or forces are not finite" + step +
                    "look at the forces, or take a smaller step");
}

std::string OneStep::runaway(ConstVectorRef q, ConstVectorRef v) const {
  const auto far = [](ConstVectorRef x) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i])) return i;
    Eigen::Index i = 0;
    return x.size() > 0 && x.cwiseAbs().maxCoeff(&i) > beyond ? i : Eigen::Index{-1};
  };
  const MechanismState* mechanism = system_->mechanism();
  const auto said = [&](const char* letter, double value, Eigen::Index i, auto first, auto count) {
    std::string name = std::string(letter).append("[").append(std::to_string(i)).append("]");
    if (mechanism)
      for (const ModelJoint& joint : mechanism->model().joints())
        if (i >= joint.*first && i < joint.*first + joint.*count)
          name = std::string(letter).append(" of joint '").append(joint.name).append("'");
    return "the motion diverged: " + name + " is " + to_short_text(value) +
           (k_ > 0 ? "" : "; take a smaller step, or an adaptive method");
  };
  if (const auto i = far(v); i >= 0)
    return said("v", v[i], i, &ModelJoint::v_index, &ModelJoint::nv);
  if (const auto i = far(q); i >= 0)
    return said("q", q[i], i, &ModelJoint::q_index, &ModelJoint::nq);
  return {};
}

template <class Evaluation>
void OneStep::checked(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                      const Evaluation& evaluate) const {
  ++statistics_.evaluations;
  try {
    evaluate();
  } catch (const StateError&) {
    if (const std::string why = runaway(q, v); !why.empty()) fail(why);
    throw;
  }
  if (a.allFinite()) [[likely]]
    return;
  const std::string why = runaway(q, v);
  fail(why.empty() ? "the accelerations are not finite at t = " + to_short_text(t) +
                         " s; look at the forces"
                   : why);
}

void OneStep::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef V, VectorRef a) const {
  checked(t, q, v, a, [&] { system_->rates(t, q, v, V, a); });
}

bool OneStep::trial_rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef V,
                          VectorRef a) const {
  ++statistics_.evaluations;
  try {
    system_->rates(t, q, v, V, a);
  } catch (const StateError&) {
    if (runaway(q, v).empty()) throw;
    return false;
  }
  return a.allFinite();
}

void OneStep::end_rates() const {
  if (ends_known_) return;
  if (is_at_state()) {
    V_1_ = now_.v;
    checked(now_.t, now_.q, now_.v, a_1_, [&] { system_->mechanical()->acceleration(a_1_); });
  } else {
    rates(now_.t, now_.q, now_.v, V_1_, a_1_);
  }
  ends_known_ = true;
  if (const MechanismState* mechanism = system_->mechanism(); mechanism && system_->mechanical())
    serial_at_now_ = mechanism->serial();
}

bool OneStep::is_at_state() const {
  const MechanismState* mechanism = system_->mechanism();
  return mechanism && mechanism->serial() == serial_at_now_;
}
MechanismState* OneStep::mechanism_at_state() const {
  require_reset();
  MechanismState* mechanism = system_->mechanism();
  MechanicalSystem* mechanical = system_->mechanical();
  if (!mechanism || !mechanical) return nullptr;
  if (is_at_state()) return mechanism;
  mechanical->set(now_);
  serial_at_now_ = mechanism->serial();
  // The accelerations of a closed mechanism need this pass, which computes velocities as well.
  if (mechanism->constraint_count() > 0 && needs_start_rates_ && !ends_known_) mechanism->bias();
  return mechanism;
}

void OneStep::start_rates() const {
  if (starts_known_) return;
  rates(before_.t, before_.q, before_.v, V_0_, a_0_);
  starts_known_ = true;
}

void OneStep::start_rates(Vector& lambda) const {
  if (lambda.size() > 0) starts_known_ = false;
  start_rates();
  if (lambda.size() > 0) lambda = system_->mechanical()->multipliers();
}

const Vector& Integrator::multipliers() const {
  static const Vector none;
  return none;
}
const Vector& OneStep::multipliers() const {
  MechanicalSystem* mechanical = system_->mechanical();
  if (!mechanical || mechanical->constraint_count() == 0) return Integrator::multipliers();
  require_reset();
  rates(now_.t, now_.q, now_.v, V_s_, a_s_);
  return mechanical->multipliers();
}

bool OneStep::is_near_singularity() const {
  const MechanismState* mechanism = system_->mechanism();
  return mechanism && mechanism->reciprocal_condition() < least_reciprocal_condition;
}

/// At a singular configuration a mechanism that is nearly at rest may move along several branches, and accelerations are not
/// continuous there: no step, however short, has a small error. One that moves it by less than a millionth is taken, so that
/// it leaves the configuration along the branch that forces choose.
bool OneStep::leaves_singularity(double h) const {
  constexpr double singular = 1e-6, moved = 1e-6, slow = 1;
  const MechanismState* mechanism = system_->mechanism();
  if (mechanism == nullptr || !(mechanism->reciprocal_condition() < singular)) return false;
  const double fastest =
      std::max(before_.v.lpNorm<Eigen::Infinity>(), now_.v.lpNorm<Eigen::Infinity>());
  return fastest < slow && h * fastest < moved;
}

double OneStep::error_norm(const Vector& e_x, const Vector& e_v) const {
  if (e_x.size() == 0) return 0;
  const bool scaled = options_.scales.size() > 0;
  double sum = 0;
  for (Eigen::Index i = 0; i < e_x.size(); ++i) {
    const double v = std::max(std::abs(before_.v[i]), std::abs(now_.v[i]));
    const double scale = scaled ? options_.scales[i] : 1;
    const double a = e_x[i] / scale, b = e_v[i] / (scale + v);
    sum += a * a + b * b;
  }
  return std::sqrt(sum / static_cast<double>(2 * e_x.size())) / tolerance_;
}

void OneStep::step(double until) {
  require_reset();
  if (!(until > now_.t))
    throw Error(options_.method + ": the step must lead beyond t = " + to_text(now_.t) +
                " s; it is asked to end at " + to_text(until) + " s");
  try {
    if (needs_start_rates_) end_rates();
  } catch (...) {
    restart();  // discards the history of the failed step, keeps the state
    throw;
  }
  before_ = now_;
  uncounted_ = statistics_;
  starts_known_ = ends_known_;
  V_0_.swap(V_1_), a_0_.swap(a_1_);
  try {
    k_ > 0 ? step_controlled(until) : step_fixed(until);
  } catch (...) {
    uncount();
    go_back();
    throw;
  }
}

void OneStep::retry(double until) {
  require_reset();
  const double h = until - before_.t;
  if (h_ == 0)
    throw Error(options_.method + ": there is no step yet that could be repeated to " +
                to_text(until) + " s; call step first");
  if (!(h > 0 && std::isfinite(h)))
    throw Error(options_.method + ": a step from " + to_text(before_.t) +
                " s cannot be repeated to " + to_text(until) + " s");
  restart();
  uncount();
  now_ = before_;
  try {
    take(h, until);
  } catch (...) {
    go_back();
    throw;
  }
}

void OneStep::replace(ConstVectorRef q, ConstVectorRef v) {
  require_reset();
  require_size("q", q, system_->nq());
  require_size("v", v, system_->nv());
  now_.q = q, now_.v = v;
  before_ = now_;
  h_ = 0;
  serial_at_now_ = -1;
  ends_known_ = dense_ready_ = false;
  if (options_.hook) options_.hook->start(now_);
  restart();
}

/// Returns to the start of the step.
void OneStep::go_back() {
  now_ = before_;
  serial_at_now_ = -1;
  V_1_ = V_0_, a_1_ = a_0_;
  ends_known_ = starts_known_;
  h_ = 0;
  restart();
}

/// The error norm of an attempt; NaN: it failed, for the reason in trouble_.
double OneStep::attempt_to(double h, double t_end) {
  dense_ready_ = ends_known_ = false;
  serial_at_now_ = -1;
  now_.t = t_end;
  double err = 0;
  try {
    err = attempt(h);
  } catch (const StateError& error) {
    if (k_ > 0) {
      trouble_ = dynamic_cast<const StepError*>(&error) ? why_ : error.what();
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (const std::string why = runaway(before_.q, before_.v); !why.empty()) fail(why);
    throw;
  }
  if (std::isfinite(err) && x_.allFinite() && now_.v.allFinite()) return err;
  trouble_ = runaway(before_.q, before_.v);
  if (trouble_.empty()) trouble_ = runaway(now_.q, now_.v);
  if (trouble_.empty()) trouble_ = "steps lead to numbers that are not finite; look at the forces";
  return std::numeric_limits<double>::quiet_NaN();
}

void OneStep::done(double h) {
  h_ = h;
  if (options_.hook) {
    const double t = now_.t;
    options_.hook->reached(now_);
    require_kept(t);
    ends_known_ = false;
    serial_at_now_ = -1;
    moved();
  }
  ++statistics_.steps;
  statistics_.smallest = std::min(statistics_.smallest, h);
  statistics_.largest = std::max(statistics_.largest, h);
}
void OneStep::require_kept(double t) const {
  const auto refuse = [&](const std::string& what) {
    throw Error(options_.method + ": the hook after the step to t = " + to_text(t) + " s " + what +
                "; it may change numbers of q and v, by a little");
  };
  if (now_.t != t) refuse("sets the time to " + to_text(now_.t) + " s");
  if (now_.q.size() != system_->nq() || now_.v.size() != system_->nv())
    refuse("leaves " + std::to_string(now_.q.size()) + " numbers of q and " +
           std::to_string(now_.v.size()) + " of v, instead of " + std::to_string(system_->nq()) +
           " and " + std::to_string(system_->nv()));
  if (!now_.q.allFinite() || !now_.v.allFinite()) refuse("leaves numbers that are not finite");
}
void OneStep::uncount() {
  statistics_.steps = uncounted_.steps;
  statistics_.smallest = uncounted_.smallest;
  statistics_.largest = uncounted_.largest;
}

/// One attempt that must succeed.
void OneStep::take(double h, double t_end) {
  if (!std::isfinite(attempt_to(h, t_end))) fail(trouble_);
  done(h);
}

/// Steps end on the grid origin + k h, so that neither rounding nor shortened steps accumulate.
void OneStep::step_fixed(double until) {
  const double h = fixed_step_, t = before_.t;
  const double near = std::max(slack, 8 * epsilon * std::max(std::abs(t), std::abs(origin_)) / h);
  if (near > 1e-3)
    fail("doubles cannot tell the ends of steps of " + to_short_text(h) +
         " s apart at this time; start nearer to t = 0, or take longer steps");
  const double grid = origin_ + (std::floor((t - origin_) / h + near) + 1) * h;
  const double end = until <= grid + near * h ? until : grid, left = end - t;
  take(std::abs(left - h) <= near * h ? h : left, end);
}

}  // namespace chasles
