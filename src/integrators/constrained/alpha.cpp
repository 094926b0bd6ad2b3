#include "integrators/constrained/alpha.hpp"

#include <cmath>
#include <utility>

namespace chasles {

GeneralizedAlpha::GeneralizedAlpha(MechanicalSystem& system, const IntegratorOptions& options)
    : ImplicitStep(system, options, options.index.value_or(2) == 3) {
  const double r = options.rho.value_or(0.8);
  am_ = (2 * r - 1) / (r + 1);
  af_ = r / (r + 1);
  g_ = 0.5 + af_ - am_;
  b_ = (g_ + 0.5) * (g_ + 0.5) / 4;
  d_ = am_ - af_;
  k_ = options.step ? 0 : 3;
  for (Vector* x : {&at_0_.a, &at_0_.vd, &at_1_.a, &at_1_.vd, &vd_past_, &vd_t_, &a_})
    x->setZero(system.nv());
  lambda_0_.setZero(system.constraint_count());
}

void GeneralizedAlpha::restart() {
  ImplicitStep::restart();
  at_0_.t = at_1_.t = std::numeric_limits<double>::quiet_NaN();
  has_past_ = false;
  needs_start_rates_ = true;
}

std::vector<double> GeneralizedAlpha::memory() const {
  if (!(at_1_.t == now_.t)) return {};
  return pack(at_1_.h, {&at_1_.a, &at_1_.vd, &at_0_.vd, &lambda_});
}
void GeneralizedAlpha::remember(std::span<const double> memory) {
  at_1_.h = unpack(memory, {&at_1_.a, &at_1_.vd, &at_0_.vd, &lambda_});
  at_1_.t = now_.t;
  at_1_.rough = false;
  needs_start_rates_ = false;
}

bool GeneralizedAlpha::begins_roughly(double h) {
  const double t = before_.t + h;
  try {
    rates(t, before_.q, before_.v, w_, vd_t_);
    x_ = h * V_0_;
    group().plus(before_.q, x_, now_.q);
    rates(t, now_.q, before_.v, w_, a_1_);
    if (h * (a_1_ - vd_t_).norm() > before_.v.norm()) return true;
    x_ += (h * h / 2) * a_0_;
    group().plus(before_.q, x_, now_.q);
    now_.v = before_.v + h * a_0_;
    rates(t, now_.q, now_.v, w_, vd_t_);
  } catch (const StateError&) {  // the predicted state is out of range
    return true;
  }
  w_ = vd_t_ - a_0_;
  return (vd_t_ - a_1_).norm() > a_0_.norm();
}

void GeneralizedAlpha::begin(double h) {
  start_rates(lambda_0_);
  at_0_.t = before_.t;
  at_0_.h = h;
  at_0_.a = at_0_.vd = a_0_;
  has_past_ = false;
  at_0_.rough = begins_roughly(h);
  if (!at_0_.rough) at_0_.a += d_ * w_;  // (4)
}

double GeneralizedAlpha::attempt(double h) {
  if (at_1_.t == before_.t) {  // the step before this one was taken
    vd_past_ = at_0_.vd;
    has_past_ = true;
    std::swap(at_0_, at_1_);
    lambda_0_ = lambda_;
  } else if (!(at_0_.t == before_.t) || (!has_past_ && at_0_.h != h)) {
    begin(h);  // repeated if the first step was rejected: (4) depends on its length
  }
  at_1_.t = std::numeric_limits<double>::quiet_NaN();
  needs_start_rates_ = false;
  lambda_ = lambda_0_;
  at_0_.rough&& k_ == 0 ? backward_euler(h) : newmark(h);
  at_1_.vd = a_end_;
  at_1_.t = now_.t;
  at_1_.h = h;
  at_1_.rough = false;
  return k_ > 0 ? estimate(h) : 0;
}

void GeneralizedAlpha::newmark(double h) {
  const Vector &v = before_.v, &vd = at_0_.vd;
  a_ = vd + (h / at_0_.h) * (at_0_.a - vd);
  const double bh2 = b_ * h * h;
  at_1_.a = -(h * v + (0.5 - b_) * h * h * a_) / bh2;  // a_{n+1} without s: (2)
  v_star_ = v + h * ((1 - g_) * a_ + g_ * at_1_.a);
  a_star_ = ((1 - am_) * at_1_.a + am_ * a_ - af_ * vd) / (1 - af_);  // (1)
  x_ = h * v + (h * h / 2) * a_;
  solve((1 - am_) / ((1 - af_) * bh2), g_ * h / bh2);
  at_1_.a += s_ / bh2;
}

/// v_1 = x / h, a_1 = (v_1 - v_0) / h.
void GeneralizedAlpha::backward_euler(double h) {
  v_star_.setZero();
  a_star_ = before_.v / -h;
  x_ = h * before_.v;
  solve(1 / (h * h), 1 / h);
  at_1_.a = a_end_;
}

double GeneralizedAlpha::estimate(double h) {
  e_x_ = (h * h * (1. / 6 - b_ - d_ / 2)) * (at_1_.a - a_);  // (6)
  const double c = 1. / 6 - (1 - g_) * d_ * d_ / 2 - g_ * (1 + d_) * (1 + d_) / 2;
  if (has_past_) {
    const double h_past = at_0_.h;
    e_v_ = (c * h * h * 2 / (h + h_past)) *
           ((at_1_.vd - at_0_.vd) - (h / h_past) * (at_0_.vd - vd_past_));
  } else {
    e_v_ = (c * h) * (at_1_.vd - at_0_.vd);  // vddd is not available yet: an upper bound
  }
  // Where drivers determine the motion, nothing would be left of the error, and the interpolant would be of any error.
  const MechanismState* mechanism = system_->mechanism();
  const bool determined = mechanism != nullptr && mechanism->constraint_count() > 0 &&
                          mechanism->mobility().mobility == 0;
  if (!determined) filter(e_x_), filter(e_v_);
  return error_norm(e_x_, e_v_);
}

}  // namespace chasles
