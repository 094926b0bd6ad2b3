/// Steps that are controlled by their error: one_step.hpp (2) to (4).
#include <algorithm>
#include <cmath>

#include "integrators/one_step.hpp"

namespace chasles {
namespace {

constexpr double time_rounding = 4 * std::numeric_limits<double>::epsilon();
/// Relative tolerance: a remaining interval that differs from a step by less is taken as one step.
constexpr double rounding_slack = 1e-9;
/// Steps between checks of stability, each with one evaluation.
constexpr int watched = 16;

}  // namespace

void OneStep::step_controlled(double until) {
  const double left = until - before_.t;
  if (h_next_ == 0 && options_.first_step)
    h_next_ = *options_.first_step;
  else if (const double known = known_step(); known > 0)
    h_next_ = known;
  else if (h_next_ == 0)
    h_next_ = first_step();
  h_next_ = std::min(h_next_, max_step_);
  double h = h_next_;
  for (bool rejected = false, finite = true;;) {
    if (h * 1.01 >= left && left <= max_step_ * (1 + rounding_slack)) h = left;
    if (!(h > time_rounding * std::abs(before_.t)) || h < std::numeric_limits<double>::min()) {
      const std::string why = runaway(before_.q, before_.v);
      fail("the step collapsed to " + to_short_text(h) + " s: " +
           (!why.empty() ? why
            : finite
                ? "the motion is not smooth enough for the tolerance " + to_short_text(tolerance_)
                : trouble_));
    }
    double err = attempt_to(h, h == left ? until : before_.t + h);
    finite = std::isfinite(err);
    if (finite && err > 1 && leaves_singularity(h)) err = 0.1;
    if (finite && err <= 1) {
      const double factor =
          std::clamp(0.9 * std::pow(std::max(err, 1e-10), -0.7 / k_) * std::pow(err_old_, 0.4 / k_),
                     0.2, rejected ? 1.0 : 5.0);
      done(h);
      // A step shortened by `until` says little about the next.
      h_next_ = h < h_next_ && !rejected ? std::max(h_next_, h * factor) : h * factor;
      err_old_ = std::max(err, err_at_start);
      if (++since_watched_ >= watched) watch_stability(h);
      return;
    }
    ++statistics_.rejected;
    rejected = true;
    now_.q = before_.q, now_.v = before_.v;
    h *= finite ? std::max(0.2, 0.9 * std::pow(err, -1 / k_)) : 0.2;
  }
}

/// Hairer, Norsett & Wanner I, II.4: from the norms of the state (its scale in x), its first and its second derivative.
double OneStep::first_step() {
  const double d0 = 1 / tolerance_, d1 = error_norm(V_0_, a_0_);
  if (!std::isfinite(d1)) fail("the accelerations are not finite");
  const double h0 = std::min(d1 > 1e-5 ? 0.01 * d0 / d1 : 1e-3, max_step_);
  x_ = h0 * V_0_;
  group().plus(before_.q, x_, now_.q);
  now_.v = before_.v + h0 * a_0_;
  double most = 0;
  try {
    rates(before_.t + h0, now_.q, now_.v, V_1_, a_1_);
    group().dexp_inv(x_, V_1_, w_);
    w_ -= V_0_;
    a_1_ -= a_0_;
    most = std::max(d1, error_norm(w_, a_1_) / h0);
  } catch (const StateError&) {  // h0 leads too far
  }
  now_.q = before_.q, now_.v = before_.v;
  const double h1 = std::isfinite(most) && most > 1e-15 ? std::pow(0.01 / most, 1 / k_) : h0 * 1e-3;
  return std::min(100 * h0, h1);
}

/// (4).
void OneStep::watch_stability(double h) {
  since_watched_ = 0;
  const double size = error_norm(e_x_, e_v_) * tolerance_;
  if (!(size > 0 && size < 1)) return;
  const double small = 1e-6 / size;
  x_s_ = small * e_x_;
  v_s_ = now_.v + small * e_v_;
  group().plus(now_.q, x_s_, q_s_);
  try {
    end_rates();
    rates(now_.t, q_s_, v_s_, V_s_, a_s_);
  } catch (const StateError&) {  // the next step will report it
    return;
  }
  V_s_ -= V_1_, a_s_ -= a_1_;
  const double lambda = error_norm(V_s_, a_s_) * tolerance_ / 1e-6;
  if (h * lambda > 0.7 * stability_) statistics_.stiff += watched;
}

}  // namespace chasles
