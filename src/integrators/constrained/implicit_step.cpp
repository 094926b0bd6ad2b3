#include "integrators/constrained/implicit_step.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/implicit/anderson.hpp"

namespace chasles {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Factors that make the error smaller than this in an iteration are kept for the next step.
constexpr double good_rate = 0.02;
constexpr int most_iterations = 30;
/// So many iterations more are worth less than factors.
constexpr int patience = 3;

double largest(const Vector& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }

int unknowns(MechanicalSystem& system, bool index3) {
  return system.nv() + system.rows() + (index3 ? 0 : system.position_rows());
}

}  // namespace

ImplicitStep::ImplicitStep(MechanicalSystem& system, const IntegratorOptions& options, bool index3)
    : OneStep(system, options),
      mechanical_(&system),
      index3_(index3),
      n_(system.nv()),
      m_(system.rows()),
      m_q_(system.position_rows()),
      m_w_(index3 ? 0 : m_q_),
      lu_(unknowns(system, index3)) {
  if (index3 && m_q_ < m_)
    throw Error(options.method + ": " + std::to_string(m_ - m_q_) + " of " + std::to_string(m_) +
                " rows of constraints bind velocities only, which index 3 does not know; take "
                "index 2");
  order_ = 2;
  stability_ = std::numeric_limits<double>::infinity();
  for (Vector* x : {&v_star_, &a_star_, &s_, &a_end_, &u_, &ds_}) x->setZero(n_);
  for (Vector* x : {&lambda_, &Phi_, &Bv_, &Bv_near_}) x->setZero(m_);
  q_near_.setZero(system.nq());
  for (Matrix* x : {&S_, &T_}) x->setZero(n_, n_);
  for (Matrix* x : {&B_0_, &B_1_, &dBv_}) x->setZero(m_, n_);
  const int size = unknowns(system, index3);
  w_pos_.setZero(m_w_);
  newton_.setZero(size, size);
  KT_.setZero(n_, n_);
  r_.setZero(size);
  dy_ = r_;
  system.prepare(tangent_);
}

std::vector<double> ImplicitStep::pack(double h, std::initializer_list<const Vector*> vectors) {
  std::vector<double> list{h};
  for (const Vector* x : vectors) list.insert(list.end(), x->begin(), x->end());
  return list;
}
double ImplicitStep::unpack(std::span<const double> list,
                            std::initializer_list<Vector*> vectors) const {
  std::size_t wanted = 1, at = 1;
  for (const Vector* x : vectors) wanted += static_cast<std::size_t>(x->size());
  if (list.size() != wanted || !(list[0] > 0) ||
      !std::ranges::all_of(list, [](double x) { return std::isfinite(x); }))
    throw Error(options_.method + ": a checkpoint with a memory of " + std::to_string(list.size()) +
                " numbers; this system has " + std::to_string(wanted) +
                ", finite, the first of them a step");
  for (Vector* x : vectors)
    for (double& value : *x) value = list[at++];
  return list[0];
}

const Vector& ImplicitStep::multipliers() const {
  return h_ > 0 && m_ > 0 ? lambda_ : OneStep::multipliers();
}

void ImplicitStep::evaluate(double beta, double gamma) {
  ++statistics_.iterations, ++statistics_.evaluations;
  s_ = x_;
  if (m_w_ > 0) s_.noalias() += B_0_.topRows(m_w_).transpose() * w_pos_;
  now_.v = v_star_ + gamma * s_;  // (1)
  a_end_ = a_star_ + beta * s_;
  group().plus(before_.q, x_, now_.q);
  mechanical_->imbalance(now_.t, now_.q, now_.v, a_end_, u_);
  r_.head(n_) = u_ / beta;  // (2)
  if (m_ == 0) return;
  mechanical_->constraint_force(now_.q, lambda_, u_);
  r_.head(n_) += u_ / beta;
  mechanical_->residual(now_.q, Phi_);  // (3)
  r_.segment(n_, m_q_) = Phi_.head(m_q_);
  if (index3_) return;
  mechanical_->constraint_rate(now_.q, now_.v, Bv_);  // (4)
  r_.tail(m_) = Bv_ / gamma;
}

void ImplicitStep::factorize(double beta, double gamma) {
  mechanical_->tangent(now_.t, now_.q, now_.v, a_end_, tangent_);
  for (int k = 0; k < n_; ++k) {
    u_.setZero();
    u_[k] = 1;
    group().dexp(x_, u_, T_.col(k));
  }
  if (m_ > 0) {
    mechanical_->constraint_stiffness(now_.q, lambda_, S_);
    tangent_.K += S_;
    mechanical_->constraint_matrix(now_.q, B_1_);
  }
  tangent_.D = tangent_.M + (gamma / beta) * tangent_.D;  // A of (5)
  KT_.noalias() = tangent_.K * T_;
  newton_.setZero();
  newton_.topLeftCorner(n_, n_) = tangent_.D + KT_ / beta;
  if (m_ > 0) {
    newton_.block(0, n_, n_, m_) = B_1_.transpose();
    newton_.block(n_, 0, m_q_, n_).noalias() = B_1_.topRows(m_q_) * T_;
  }
  if (m_ > 0 && !index3_) {
    constexpr double step = 1e-7;
    mechanical_->constraint_rate(now_.q, now_.v, Bv_);
    for (int k = 0; k < n_; ++k) {
      u_.setZero();
      u_[k] = step;
      group().plus(now_.q, u_, q_near_);
      mechanical_->constraint_rate(q_near_, now_.v, Bv_near_);
      dBv_.col(k) = (Bv_near_ - Bv_) / (step * gamma);
    }
    auto lower = newton_.bottomLeftCorner(m_, n_);
    lower.noalias() = dBv_ * T_;
    lower += B_1_;
    const auto B_0 = B_0_.topRows(m_w_);
    newton_.topRightCorner(n_, m_w_).noalias() = tangent_.D * B_0.transpose();
    newton_.bottomRightCorner(m_, m_w_).noalias() = B_1_ * B_0.transpose();
  }
  lu_.compute(newton_);
  beta_made_ = beta, gamma_made_ = gamma;
}

double ImplicitStep::advance(double beta, double gamma) {
  lu_.solve(r_, dy_);
  if (!dy_.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  ds_ = dy_.head(n_);
  x_ -= ds_;
  double change = largest(ds_);
  if (m_ > 0) lambda_ -= beta * dy_.segment(n_, m_);
  if (m_w_ > 0) {
    w_pos_ -= dy_.tail(m_w_);
    ds_.noalias() += B_0_.topRows(m_w_).transpose() * dy_.tail(m_w_);
    change = std::max(change, largest(ds_));
  }
  return change * gamma / (1 + largest(now_.v));
}

double ImplicitStep::rounding(double beta, double gamma) {
  u_.noalias() = tangent_.M * a_end_;
  r_.setZero();
  shake(r_.head(n_), epsilon * largest(u_) / beta);
  lu_.solve(r_, dy_);
  ds_ = dy_.head(n_);
  return largest(ds_) * gamma / (1 + largest(now_.v));
}

void ImplicitStep::solve(double beta, double gamma) {
  // Constraints are kept to rounding whatever the tolerance is.
  const double goal = k_ > 0 && m_ == 0
                          ? std::clamp(1e-3 * options_.tolerance.value_or(1e-10), 1e-13, 1e-8)
                          : 1e-13;
  const double floor =
      std::max(1e3 * goal, 64 * epsilon * gamma * (1 + largest(before_.q)));  // of rounding
  if (m_w_ > 0) mechanical_->constraint_matrix(before_.q, B_0_);
  w_pos_.setZero();
  bool made = !(fresh_enough_ && beta_made_ == beta && gamma_made_ == gamma);
  fresh_enough_ = false;
  double last = 0, best = std::numeric_limits<double>::infinity();
  int stalled = 0;
  for (int iteration = 1;; ++iteration) {
    evaluate(beta, gamma);
    if (!r_.allFinite())
      fail("accelerations or forces are not finite in the step of " +
           to_short_text(now_.t - before_.t) + " s; look at the forces, or take a smaller step");
    const bool slow = iteration > 1 && std::pow(rate_, patience) * last > goal;
    if (iteration == 1 ? made : slow) {
      factorize(beta, gamma);
      made = true;
    } else {
      made = false;
    }
    const double change = advance(beta, gamma);
    if (!std::isfinite(change) || iteration > most_iterations || change > 1e6 * (1 + best))
      fail("the step of " + to_short_text(now_.t - before_.t) +
           " s does not converge; take a smaller one");
    rate_ = iteration > 1 ? change / last : made ? 0 : rate_;
    last = change;
    if (change <= goal || (rate_ < 0.5 && iteration > 1 && change * rate_ <= goal)) break;
    if (change < 0.5 * best)
      best = change, stalled = 0;
    else if (++stalled >= 2 && (best <= floor || best <= 16 * rounding(beta, gamma)))
      break;
  }
  fresh_enough_ = rate_ < good_rate;
  s_ = x_;
  if (m_w_ > 0) s_.noalias() += B_0_.topRows(m_w_).transpose() * w_pos_;
  now_.v = v_star_ + gamma * s_;
  a_end_ = a_star_ + beta * s_;
  group().plus(before_.q, x_, now_.q);
}

void ImplicitStep::filter(Vector& e) {
  r_.setZero();
  r_.head(n_).noalias() = tangent_.M * e;
  lu_.solve(r_, dy_);
  e = dy_.head(n_);
}

}  // namespace chasles
