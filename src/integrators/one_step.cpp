#include "integrators/one_step.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

/// What is left is this step if it differs by rounding only.
constexpr double slack = 1e-9;

/// A rate within a step that is not a number: a controlled step is repeated.
struct NotFinite : StepError {
  using StepError::StepError;
};

}  // namespace

OneStep::OneStep(System& system, const IntegratorOptions& options)
    : system_(&system), options_(options) {
  const int nv = system.nv();
  for (Vector* x : {&x_, &V_0_, &a_0_, &V_1_, &a_1_, &w_, &x_s_}) x->setZero(nv);
}

void OneStep::reset(const State& start) {
  require_size("q", start.q, system_->nq());
  require_size("v", start.v, system_->nv());
  now_ = before_ = start;
  statistics_ = {};
  F_x_.setZero(system_->nv(), 3 + dense_rows());
  F_v_ = F_x_;
  h_ = 0, h_next_ = 0, err_old_ = 1e-4;
  ends_known_ = dense_ready_ = false;
  x_.setZero();
  if (options_.hook) options_.hook->start(start);
  restart();
}

void OneStep::fail(const std::string& why) const {
  throw StepError(options_.method + ": " + why + " at t = " + to_short_text(before_.t) + " s");
}

void OneStep::not_finite(double t) const {
  throw NotFinite(options_.method + ": the accelerations are not finite at t = " +
                  to_short_text(t) + " s; look at the forces");
}

void OneStep::end_rates() const {
  if (ends_known_) return;
  rates(now_.t, now_.q, now_.v, V_1_, a_1_);
  ends_known_ = true;
}

double OneStep::error_norm(const Vector& e_x, const Vector& e_v) const {
  if (e_x.size() == 0) return 0;
  double sum = 0;
  for (Eigen::Index i = 0; i < e_x.size(); ++i) {
    const double v = std::max(std::abs(before_.v[i]), std::abs(now_.v[i]));
    const double a = e_x[i], b = e_v[i] / (1 + v);
    sum += a * a + b * b;
  }
  return std::sqrt(sum / static_cast<double>(2 * e_x.size())) / options_.tolerance;
}

void OneStep::step(double until) {
  const double left = until - now_.t;
  if (!(left > 0))
    throw Error(options_.method + ": the step must lead beyond t = " + to_text(now_.t) +
                " s; it is asked to end at " + to_text(until) + " s");
  if (needs_start_rates_) end_rates();
  before_ = now_;
  starts_known_ = ends_known_;
  V_0_.swap(V_1_), a_0_.swap(a_1_);
  if (k_ > 0) return step_controlled(until);
  const double h = options_.step;
  const bool lands = left <= h * (1 + slack);
  take(std::abs(left - h) <= h * slack ? h : std::min(h, left), lands ? until : now_.t + h);
}

void OneStep::retry(double until) {
  const double h = until - before_.t;
  if (!(h > 0))
    throw Error(options_.method + ": a step from " + to_text(before_.t) +
                " s cannot be repeated to " + to_text(until) + " s");
  restart();
  now_ = before_;
  take(h, until);
}

void OneStep::replace(ConstVectorRef q, ConstVectorRef v) {
  require_size("q", q, system_->nq());
  require_size("v", v, system_->nv());
  now_.q = q, now_.v = v;
  before_ = now_;
  h_ = 0;
  ends_known_ = dense_ready_ = false;
  if (options_.hook) options_.hook->start(now_);
  restart();
}

void OneStep::go_back() {
  now_ = before_;
  V_1_ = V_0_, a_1_ = a_0_;
  ends_known_ = starts_known_;
  h_ = 0;
  restart();
}

double OneStep::attempt_to(double h, double t_end) {
  dense_ready_ = ends_known_ = false;
  now_.t = t_end;
  try {
    return attempt(h);
  } catch (const NotFinite&) {
    if (k_ > 0) return std::numeric_limits<double>::quiet_NaN();
    go_back();
    throw;
  } catch (...) {
    go_back();
    throw;
  }
}

void OneStep::done(double h) {
  h_ = h;
  if (options_.hook) {
    options_.hook->reached(now_);
    ends_known_ = false;
    moved();
  }
  ++statistics_.steps;
  statistics_.smallest = std::min(statistics_.smallest, h);
  statistics_.largest = std::max(statistics_.largest, h);
}

/// One attempt that must succeed.
void OneStep::take(double h, double t_end) {
  const double err = attempt_to(h, t_end);
  if (!std::isfinite(err) || !x_.allFinite() || !now_.v.allFinite()) {
    go_back();
    fail("the state is no longer finite; take a smaller step, or look at the forces");
  }
  done(h);
}

void OneStep::step_controlled(double until) {
  const double left = until - before_.t;
  if (h_next_ == 0) h_next_ = options_.step > 0 ? options_.step : first_step();
  h_next_ = std::min(h_next_, options_.max_step);
  double h = h_next_;
  for (bool rejected = false, finite = true;;) {
    if (h * 1.01 >= left && left <= options_.max_step * (1 + slack)) h = left;
    if (!(h > 4 * std::numeric_limits<double>::epsilon() * std::abs(before_.t)) ||
        h < std::numeric_limits<double>::min()) {
      go_back();
      fail("the step collapsed to " + to_short_text(h) + " s: " +
           (finite ? "the motion is not smooth enough for the tolerance " +
                         to_short_text(options_.tolerance)
                   : "the accelerations are not finite") +
           ",");
    }
    const double err = attempt_to(h, h == left ? until : before_.t + h);
    finite = std::isfinite(err) && x_.allFinite() && now_.v.allFinite();
    if (finite && err <= 1) {
      const double factor =
          std::clamp(0.9 * std::pow(std::max(err, 1e-10), -0.7 / k_) * std::pow(err_old_, 0.4 / k_),
                     0.2, rejected ? 1.0 : 5.0);
      // A step cut short by `until` says little about the next.
      h_next_ = h < h_next_ && !rejected ? std::max(h_next_, h * factor) : h * factor;
      err_old_ = std::max(err, 1e-4);
      return done(h);
    }
    ++statistics_.rejected;
    rejected = true;
    now_.q = before_.q, now_.v = before_.v;
    h *= finite ? std::max(0.2, 0.9 * std::pow(err, -1 / k_)) : 0.2;
  }
}

/// Hairer, Norsett & Wanner I, II.4: by the sizes of the state (a radian or metre in x), of its rate
/// and of the rate of that.
double OneStep::first_step() {
  const double d0 = 1 / options_.tolerance, d1 = error_norm(V_0_, a_0_);
  if (!std::isfinite(d1)) fail("the accelerations are not finite");
  const double h0 = std::min(d1 > 1e-5 ? 0.01 * d0 / d1 : 1e-3, options_.max_step);
  x_ = h0 * V_0_;
  group().plus(before_.q, x_, now_.q);
  now_.v = before_.v + h0 * a_0_;
  rates(before_.t + h0, now_.q, now_.v, V_1_, a_1_);
  group().dexp_inv(x_, V_1_, w_);
  w_ -= V_0_;
  a_1_ -= a_0_;
  const double d2 = error_norm(w_, a_1_) / h0, most = std::max(d1, d2);
  now_.q = before_.q, now_.v = before_.v;
  const double h1 = std::isfinite(most) && most > 1e-15 ? std::pow(0.01 / most, 1 / k_) : h0 * 1e-3;
  return std::min(100 * h0, h1);
}

void OneStep::prepare_dense() const {
  if (dense_ready_) return;
  end_rates();
  if (!starts_known_) rates(before_.t, before_.q, before_.v, V_0_, a_0_);
  starts_known_ = true;
  group().chart_rate(chart_, x_, V_1_, w_);
  for (const bool of_v : {false, true}) {
    auto& F = of_v ? F_v_ : F_x_;
    auto D = F.col(0);
    if (of_v)
      D = now_.v - before_.v;
    else
      D = x_;
    const Vector &k_0 = of_v ? a_0_ : V_0_, &k_1 = of_v ? a_1_ : w_;
    F.col(1) = h_ * k_0 - D;
    F.col(2) = 2 * D - h_ * (k_0 + k_1);
  }
  if (dense_rows() > 0) dense(F_x_, F_v_);
  dense_ready_ = true;
}

void OneStep::interpolate(double t, State& out) const {
  if (h_ == 0) {
    out = now_;
    return;
  }
  if (!(t >= before_.t && t <= now_.t))
    throw Error(options_.method + ": t = " + to_text(t) + " s is not within the last step, " +
                to_text(before_.t) + " to " + to_text(now_.t) + " s");
  if (t == now_.t || t == before_.t) {
    out = t == now_.t ? now_ : before_;
    return;
  }
  prepare_dense();
  const double s = (t - before_.t) / h_;
  const auto nested = [s](const Matrix& F, Vector& y) {
    y.setZero();
    for (Eigen::Index j = F.cols() - 1; j >= 0; --j) y = (j % 2 == 0 ? s : 1 - s) * (y + F.col(j));
  };
  out.t = t;
  out.q.resize(system_->nq());
  nested(F_x_, x_s_);
  group().chart_plus(chart_, before_.q, x_s_, out.q);
  out.v.resize(system_->nv());
  nested(F_v_, out.v);
  out.v += before_.v;
}

}  // namespace chasles
