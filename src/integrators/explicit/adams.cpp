#include "integrators/explicit/adams.hpp"

#include <cmath>
#include <vector>

#include "integrators/explicit/tableaux.hpp"

namespace chasles {
namespace {

/// The weights beta (explicit) or beta* of order k.
Vector adams_weights(int k, bool is_explicit) {
  std::vector<long double> gamma;
  for (int m = 0; m < k; ++m) {
    long double g = is_explicit || m == 0 ? 1 : 0;
    for (int i = 1; i <= m; ++i) g -= gamma[static_cast<std::size_t>(m - i)] / (i + 1);
    gamma.push_back(g);
  }
  Vector beta(k);
  for (int j = 0; j < k; ++j) {
    long double sum = 0, binomial = 1;
    for (int m = j; m < k; ++m) {
      sum += binomial * gamma[static_cast<std::size_t>(m)];
      binomial = binomial * (m + 1) / (m + 1 - j);
    }
    beta[j] = static_cast<double>(j % 2 == 0 ? sum : -sum);
  }
  return beta;
}

/// Row j: the integral from 0 to s of the Lagrange polynomial that is 1 at s = 1 - j and 0 at the
/// other of the k nodes 1, 0, -1, ...: coefficients of s, s^2, ...
Matrix integrated_basis(int k) {
  Matrix basis(k, k);
  for (int j = 0; j < k; ++j) {
    std::vector<long double> p{1};
    for (int m = 0; m < k; ++m) {
      if (m == j) continue;
      std::vector<long double> next(p.size() + 1, 0);
      for (std::size_t i = 0; i < p.size(); ++i) {
        next[i + 1] += p[i] / (m - j);
        next[i] -= p[i] * (1 - m) / (m - j);
      }
      p = next;
    }
    for (int i = 0; i < k; ++i)
      basis(j, i) = static_cast<double>(p[static_cast<std::size_t>(i)] / (i + 1));
  }
  return basis;
}

constexpr int parts = 4;  // of a starting step: keeps the error of mk8 below that of order 12

IntegratorOptions starter_options(IntegratorOptions options) {
  options.method = "abm (start)";
  options.step = 2 * *options.step;  // steps of the starters are shortened
  options.hook = nullptr;
  return options;
}

}  // namespace

Adams::Adams(DynamicalSystem& system, const IntegratorOptions& options)
    : OneStep(system, options),
      starters_(parts, {system, starter_options(options), tableaux::dop853, 0}) {
  order_ = options.order.value_or(10);
  if (order_ < 1 || order_ > 12)
    throw Error("abm: the order is " + std::to_string(order_) + "; it must be from 1 to 12");
  k_max_ = order_;
  beta_ = adams_weights(order_, true);
  beta_star_ = adams_weights(order_, false);
  basis_ = integrated_basis(order_);
  const int nq = system.nq(), nv = system.nv();
  q_past_.setZero(nq, k_max_);
  V_past_.setZero(nv, k_max_);
  K_ = k_ = V_past_;
  q_base_.setZero(nq), q_n_.setZero(nq);
  for (Vector* x : {&x_n_, &x_p_, &v_p_, &u_, &K_p_, &k_p_}) x->setZero(nv);
}

void Adams::reset(const State& start) {
  OneStep::reset(start);
  for (MuntheKaas& starter : starters_) starter.reset(start);
}

void Adams::enter_history() {
  newest_ = (newest_ + 1) % k_max_;
  const Eigen::Index i = history_column(0);
  q_past_.col(i) = before_.q;
  V_past_.col(i) = V_0_;
  k_.col(i) = a_0_;
  known_ = std::min(known_ + 1, k_max_);
}

void Adams::move_base() {
  q_base_ = before_.q;
  for (int j = 0; j < known_; ++j) {
    const Eigen::Index i = history_column(j);
    q_n_ = q_past_.col(i);
    group().minus(q_n_, q_base_, x_n_);
    const double angle = group().rotation(x_n_);
    if (angle > 3)
      fail("the past " + std::to_string(known_) + " steps turn by more than " +
           to_short_text(angle) + " rad; take a smaller step, a lower order, or dop853");
    u_ = V_past_.col(i);
    group().dexp_inv(x_n_, u_, K_.col(i));
  }
  x_n_.setZero();
}

void Adams::start(double h) {
  const State* from = &before_;
  for (int i = 0; i < parts; ++i) {
    MuntheKaas& starter = starters_[static_cast<std::size_t>(i)];
    starter.reset(*from);
    starter.step(i + 1 < parts ? before_.t + h * (i + 1) / parts : now_.t);
    statistics_.evaluations += starter.statistics().evaluations;
    from = &starter.state();
  }
  now_.q = from->q;
  now_.v = from->v;
  group().minus(now_.q, before_.q, x_);
  multistep_ = false;
}

double Adams::attempt(double h) {
  const bool regular = std::abs(h - fixed_step_) <= 1e-9 * fixed_step_;
  if (!regular) known_ = 0;
  if (regular) enter_history();
  if (!regular || known_ < order_) {
    start(h);
    return 0;
  }
  if (multistep_) {
    x_n_ = x_p_;  // x at the corrected end of the last step
    group().dexp_inv(x_n_, V_0_, K_.col(history_column(0)));
  }
  if (!multistep_ || group().rotation(x_n_) > turn) move_base();

  x_p_ = x_n_, v_p_ = before_.v;  // (1)
  for (int j = 0; j < order_; ++j) {
    x_p_ += (h * beta_[j]) * K_.col(history_column(j));
    v_p_ += (h * beta_[j]) * k_.col(history_column(j));
  }
  group().plus(q_base_, x_p_, q_n_);
  rates(now_.t, q_n_, v_p_, u_, k_p_);
  group().dexp_inv(x_p_, u_, K_p_);

  x_p_ = x_n_ + (h * beta_star_[0]) * K_p_;  // (2)
  now_.v = before_.v + (h * beta_star_[0]) * k_p_;
  for (int j = 1; j < order_; ++j) {
    x_p_ += (h * beta_star_[j]) * K_.col(history_column(j - 1));
    now_.v += (h * beta_star_[j]) * k_.col(history_column(j - 1));
  }
  x_ = x_p_ - x_n_;
  group().plus(q_base_, x_p_, now_.q);
  multistep_ = true;
  return 0;
}

void Adams::moved() {
  OneStep::moved();
  if (multistep_) group().minus(now_.q, q_base_, x_p_);
}

void Adams::interpolate(double t, State& out) const {
  if (h_ == 0 || !(t > before_.t && t < now_.t)) return OneStep::interpolate(t, out);
  if (!multistep_) {
    std::size_t i = 0;
    while (t > starters_[i].state().t) ++i;
    return starters_[i].interpolate(t, out);
  }
  end_rates();
  group().dexp_inv(x_p_, V_1_, K_p_);
  const double s = (t - before_.t) / h_;
  out.t = t;
  out.q.resize(system_->nq());
  out.v = before_.v;
  w_ = x_n_;
  for (int j = 0; j < order_; ++j) {
    double integral = 0;
    for (int i = order_ - 1; i >= 0; --i) integral = (integral + basis_(j, i)) * s;
    if (j == 0) {
      w_ += (h_ * integral) * K_p_;
      out.v += (h_ * integral) * a_1_;
    } else {
      w_ += (h_ * integral) * K_.col(history_column(j - 1));
      out.v += (h_ * integral) * k_.col(history_column(j - 1));
    }
  }
  group().plus(q_base_, w_, out.q);
  keep_on_constraints(out);
}

}  // namespace chasles
