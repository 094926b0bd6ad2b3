#include "integrators/constrained/rattlie.hpp"

#include <cmath>

namespace chasles {

Rattlie::Rattlie(MechanicalSystem& system, const IntegratorOptions& options)
    : OneStep(system, options),
      mechanical_(&system),
      n_(system.nv()),
      m_(system.rows()),
      lu_(system.nv() + system.rows()),
      anderson_(system.nv() + system.rows(), 5) {
  if (system.position_rows() < m_)
    throw Error(options.method + ": " + std::to_string(m_ - system.position_rows()) + " of " +
                std::to_string(m_) +
                " rows of constraints bind velocities only, which no discrete action does; take "
                "generalized_alpha, or an explicit method");
  order_ = 2;
  needs_start_rates_ = false;
  M_.setZero(n_, n_);
  B_0_.setZero(m_, n_);
  B_1_ = B_0_;
  for (Vector* x : {&p_, &D_, &MD_0_, &MD_1_, &P_, &F_, &u_, &v_past_}) x->setZero(n_);
  for (Vector* x : {&lambda_0_, &mu_, &zero_, &Phi_}) x->setZero(m_);
  z_.setZero(n_ + m_);
  G_ = z_;
  saddle_.setZero(n_ + m_, n_ + m_);
  r_.setZero(n_ + m_);
  dz_ = r_;
  MechanicalSystem::Tangent not_used;
  system.prepare(not_used);
}

void Rattlie::factorize() {
  mechanical_->mass_matrix(before_.q, M_);
  saddle_.topLeftCorner(n_, n_) = M_;
  if (m_ > 0) {
    mechanical_->constraint_matrix(before_.q, B_0_);
    group().plus(before_.q, x_, now_.q);
    mechanical_->constraint_matrix(now_.q, B_1_);
    saddle_.topRightCorner(n_, m_) = B_0_.transpose();
    for (int k = 0; k < n_; ++k) {
      u_.setZero();
      u_[k] = 1;
      group().dexp(x_, u_, F_);
      saddle_.col(k).tail(m_).noalias() = B_1_ * F_;
    }
  }
  lu_.compute(saddle_);
}

void Rattlie::momentum_force(double t, const Vector& q, const Vector& MD, Vector& out) {
  mechanical_->momentum_rate(t, q, D_, out);
  group().ad_dual(D_, MD, u_);
  out -= u_;  // (1)
}

void Rattlie::depart(double h) {
  ++statistics_.iterations, ++statistics_.evaluations;
  x_ = z_.head(n_);
  D_ = x_ / h;
  group().plus(before_.q, x_, now_.q);
  mechanical_->mass_times(now_.q, D_, MD_1_);
  MD_0_.noalias() = M_ * D_;
  momentum_force(before_.t, before_.q, MD_0_, F_);
  P_ = 0.5 * (MD_0_ + MD_1_);
  u_ = -x_;
  group().dexp_inv_dual(u_, P_, G_.head(n_));  // (2)
  r_.head(n_) = h * (G_.head(n_) - (h / 2) * F_ - p_);
  if (m_ == 0) return;
  r_.head(n_).noalias() += B_0_.transpose() * z_.tail(m_);
  mechanical_->residual(now_.q, Phi_);
  r_.tail(m_) = Phi_;
}

void Rattlie::arrive(double h) {
  group().dexp_inv_dual(x_, P_, p_);
  momentum_force(now_.t, now_.q, MD_1_, F_);
  p_ += (h / 2) * F_;
  mechanical_->solve(now_.q, p_, zero_, now_.v, mu_);  // (3)
  lambda_0_ = z_.tail(m_) * (2 / (h * h));
}

double Rattlie::rounding(double h) {
  if (n_ == 0) return 0;
  r_.setZero();
  shake(r_.head(n_), 2e-16 * h * p_.lpNorm<Eigen::Infinity>());
  lu_.solve(r_, dz_);
  return dz_.head(n_).lpNorm<Eigen::Infinity>();
}

double Rattlie::attempt(double h) {
  x_ = h * before_.v;
  if (extrapolate_ && h == h_past_) x_ += (h / 2) * (before_.v - v_past_);
  factorize();
  p_.noalias() = M_ * before_.v;
  z_.head(n_) = x_;
  z_.tail(m_) = lambda_0_ * (extrapolate_ ? h * h / 2 : 0.0);
  anderson_.restart();
  const double size = 1 + (n_ > 0 ? x_.lpNorm<Eigen::Infinity>() : 0.0);
  Settling settled(4e-16 * size);
  for (int iteration = 1;; ++iteration) {
    depart(h);
    lu_.solve(r_, dz_);
    G_ = z_ - dz_;
    const double change = n_ > 0 ? dz_.head(n_).lpNorm<Eigen::Infinity>() : 0;
    if (!dz_.allFinite() || iteration > 100)
      fail("the step of " + to_short_text(h) + " s does not converge; take a smaller one");
    if (settled(change, [&](double) { return rounding(h); })) break;
    anderson_.next(z_, G_);
  }
  z_ = G_;
  depart(h);
  arrive(h);
  v_past_ = before_.v;
  h_past_ = h;
  extrapolate_ = true;
  return 0;
}

}  // namespace chasles
