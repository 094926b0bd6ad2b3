#include "integrators/constrained/rattlie.hpp"

#include <cmath>

namespace chasles {

Rattlie::Rattlie(MechanicalSystem& system, const IntegratorOptions& options)
    : OneStep(system, options),
      mechanical_(&system),
      n_(system.nv()),
      m_(system.constraint_count()),
      anderson_(system.nv() + system.constraint_count(), 5) {
  if (system.position_constraint_count() < m_)
    throw Error(options.method + ": " + std::to_string(m_ - system.position_constraint_count()) +
                " of " + std::to_string(m_) +
                " rows of constraints bind velocities only, which no discrete action does; take "
                "generalized_alpha, or an explicit method");
  order_ = 2;
  needs_start_rates_ = false;
  for (Vector* x : {&p_, &D_, &MD_0_, &MD_1_, &P_, &F_, &u_, &v_past_, &r_, &dx_}) x->setZero(n_);
  for (Vector* x : {&lambda_0_, &mu_, &dmu_, &zero_, &Phi_}) x->setZero(m_);
  z_.setZero(n_ + m_);
  G_ = z_;
  MechanicalSystem::Tangent not_used;
  system.prepare(not_used);
}

/// Precondition: the system is at (q, D).
void Rattlie::momentum_force(const Vector& MD, Vector& out) {
  mechanical_->momentum_rate(out);
  group().ad_dual(D_, MD, u_);
  out -= u_;  // (1)
}

void Rattlie::depart(double h) {
  ++statistics_.iterations, ++statistics_.evaluations;
  x_ = z_.head(n_);
  D_ = x_ / h;
  group().plus(before_.q, x_, now_.q);
  mechanical_->set(now_.t, now_.q, D_);
  mechanical_->mass_times(D_, MD_1_);
  if (m_ > 0) mechanical_->constraint_error(Phi_);
  mechanical_->set(before_.t, before_.q, D_);
  mechanical_->mass_times(D_, MD_0_);
  momentum_force(MD_0_, F_);
  P_ = 0.5 * (MD_0_ + MD_1_);
  u_ = -x_;
  group().dexp_inv_dual(u_, P_, r_);  // (2)
  r_ = h * (r_ - (h / 2) * F_ - p_);
  if (m_ == 0) return;
  mechanical_->constraint_force(z_.tail(m_), u_);
  r_ += u_;
}
/// Precondition: the system is at q_0, as after `depart`.
void Rattlie::correct() { mechanical_->solve(r_, Phi_, dx_, dmu_); }

void Rattlie::arrive(double h) {
  group().dexp_inv_dual(x_, P_, p_);
  mechanical_->set(now_.t, now_.q, D_);
  momentum_force(MD_1_, F_);
  p_ += (h / 2) * F_;
  mechanical_->constraint_time_rate(Phi_);
  Phi_ = -Phi_;
  mechanical_->solve(p_, Phi_, now_.v, mu_);  // (3)
  lambda_0_ = z_.tail(m_) * (2 / (h * h));
}

double Rattlie::rounding(double h) {
  if (n_ == 0) return 0;
  r_.setZero();
  shake(r_, 2e-16 * h * p_.lpNorm<Eigen::Infinity>());
  mechanical_->solve(r_, zero_, dx_, dmu_);
  return dx_.lpNorm<Eigen::Infinity>();
}

double Rattlie::attempt(double h) {
  x_ = h * before_.v;
  if (extrapolate_ && h == h_past_) x_ += (h / 2) * (before_.v - v_past_);
  mechanical_->set(before_);
  mechanical_->mass_times(before_.v, p_);
  z_.head(n_) = x_;
  z_.tail(m_) = lambda_0_ * (extrapolate_ ? h * h / 2 : 0.0);
  anderson_.restart();
  const double size = 1 + (n_ > 0 ? x_.lpNorm<Eigen::Infinity>() : 0.0);
  Settling settled(4e-16 * size);
  for (int iteration = 1;; ++iteration) {
    depart(h);
    correct();
    G_.head(n_) = z_.head(n_) - dx_;
    G_.tail(m_) = z_.tail(m_) - dmu_;
    const double change = n_ > 0 ? dx_.lpNorm<Eigen::Infinity>() : 0;
    if (!G_.allFinite() || iteration > 100) fail_iteration("the iteration", iteration > 1, h);
    if (settled(change, [&](double) { return rounding(h); })) break;
    anderson_.next(z_, G_);
  }
  z_ = G_;
  depart(h);
  arrive(h);
  if (!now_.v.allFinite()) fail_iteration("the iteration", false, h);
  v_past_ = before_.v;
  h_past_ = h;
  extrapolate_ = true;
  return 0;
}

}  // namespace chasles
