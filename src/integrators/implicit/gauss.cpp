#include "integrators/implicit/gauss.hpp"

#include <cmath>

#include "integrators/implicit/gauss_nodes.hpp"

namespace chasles {
namespace {

/// Limits on fixed-point iterations: in general, and if Newton's method is available.
constexpr int fixed_point_limit = 100, fixed_point_patience = 12;

}  // namespace

Gauss::Gauss(DynamicalSystem& system, const IntegratorOptions& options, int stages)
    : OneStep(system, options), s_(stages), anderson_(Eigen::Index{2} * system.nv() * stages) {
  order_ = 2 * stages;
  b_.resize(s_), c_.resize(s_), a_.resize(s_, s_);
  const integrators::GaussNodes nodes = integrators::gauss_nodes(s_);
  for (int i = 0; i < s_; ++i) {
    const auto row = static_cast<std::size_t>(i);
    b_[i] = static_cast<double>(nodes.b[row]);
    c_[i] = static_cast<double>(nodes.c[row]);
    for (int j = 0; j < s_; ++j)
      a_(i, j) = static_cast<double>(nodes.a(row, static_cast<std::size_t>(j)));
  }
  // Lagrange polynomials on the stages of the last step and the start of this one, evaluated at the stages of this one.
  past_.resize(s_, s_ + 1);
  const auto node = [&](int j) { return j < s_ ? c_[j] - 1 : 0.0; };
  for (int i = 0; i < s_; ++i)
    for (int j = 0; j <= s_; ++j) {
      past_(i, j) = 1;
      for (int m = 0; m <= s_; ++m)
        if (m != j) past_(i, j) *= (c_[i] - node(m)) / (node(j) - node(m));
    }
  z_.setZero(Eigen::Index{2} * system.nv() * s_);
  G_ = z_kept_ = G_kept_ = z_;
  for (Vector* x : {&y_, &v_i_, &k_}) x->setZero(system.nv());
  q_m_.setZero(system.nq());
  q_i_ = q_m_;
  z_guess_ = z_;
  prepare_newton();
}

/// Predicts z_guess_ from the last step, or from the accelerations at the start.
void Gauss::guess(double h) {
  const Eigen::Index n = x_.size();
  for (int i = 0; i < s_; ++i) {  // k of the last step is in z_; that of this step is written to G_
    auto k = G_.segment((s_ + i) * n, n);
    if (extrapolate_ && h == h_past_) {
      k = (h * past_(i, s_)) * a_0_;
      for (int j = 0; j < s_; ++j) k += past_(i, j) * z_.segment((s_ + j) * n, n);
    } else {
      k = h * a_0_;
    }
  }
  z_guess_.tail(s_ * n) = G_.tail(s_ * n);
  for (int i = 0; i < s_; ++i) {
    auto K = z_guess_.segment(i * n, n);
    K = V_0_;
    for (int j = 0; j < s_; ++j) K += a_(i, j) * z_guess_.segment((s_ + j) * n, n);
  }
}

bool Gauss::evaluate(double h) {
  const Eigen::Index n = x_.size();
  x_.setZero();
  for (int j = 0; j < s_; ++j) x_ += (h * b_[j]) * z_.segment(j * n, n);  // (1)
  y_ = 0.5 * x_;
  group().plus(before_.q, y_, q_m_);
  for (int i = 0; i < s_; ++i) {
    y_.setZero();
    v_i_ = before_.v;
    for (int j = 0; j < s_; ++j) {
      y_ += (h * (a_(i, j) - 0.5 * b_[j])) * z_.segment(j * n, n);  // (2)
      v_i_ += a_(i, j) * z_.segment((s_ + j) * n, n);               // (3)
    }
    group().plus(q_m_, y_, q_i_);
    if (!trial_rates(before_.t + c_[i] * h, q_i_, v_i_, w_, k_)) return false;  // (4)
    group().dexp_inv(y_, w_, G_.segment(i * n, n));
    G_.segment((s_ + i) * n, n) = h * k_;
  }
  return true;
}

/// (1) to (3) from the solution of the step.
bool Gauss::stage(int i, double& weight, State& out) const {
  if (i < 0 || i >= s_ || h_ == 0 || !extrapolate_ || h_past_ != h_) return false;
  const Eigen::Index n = y_.size();
  weight = h_ * b_[i];
  y_.setZero(), k_.setZero();
  out.v = before_.v;
  for (int j = 0; j < s_; ++j) {
    const auto K = z_.segment(j * n, n);
    k_ += (0.5 * h_ * b_[j]) * K;
    y_ += (h_ * (a_(i, j) - 0.5 * b_[j])) * K;
    out.v += a_(i, j) * z_.segment((s_ + j) * n, n);
  }
  group().plus(before_.q, k_, q_m_);
  out.t = before_.t + c_[i] * h_;
  out.q.resize(before_.q.size());
  group().plus(q_m_, y_, out.q);
  return true;
}

double Gauss::distance(double h, const Vector& a, const Vector& b) {
  const Eigen::Index half = a.size() / 2;
  double most = 0;
  for (Eigen::Index i = 0; i < 2 * half; ++i)
    most = std::max(most, std::abs(b[i] - a[i]) * (i < half ? std::min(h, 1.0) : 1.0));
  return most;
}

double Gauss::answer(double h, double d) {
  const Eigen::Index half = z_.size() / 2;
  z_kept_ = z_, G_kept_ = G_;
  shake(z_.head(half), d / std::min(h, 1.0));
  shake(z_.tail(half), d);
  const double far = evaluate(h) ? distance(h, G_kept_, G_) : 0;
  z_ = z_kept_, G_ = G_kept_;
  return far;
}

Gauss::Outcome Gauss::by_fixed_point(double h, int most) {
  z_ = z_guess_;
  anderson_.restart();
  const double scale = 1 + (x_.size() > 0 ? before_.v.lpNorm<Eigen::Infinity>() : 0.0);
  Settling settled(2e-16 * scale);
  for (int iteration = 1; iteration <= most; ++iteration) {
    if (!evaluate(h)) return iteration == 1 ? Outcome::not_finite : Outcome::refused;
    ++statistics_.iterations;
    const double change = distance(h, z_, G_);
    if (!std::isfinite(change)) return Outcome::refused;
    if (settled(change, [&](double d) { return answer(h, d); })) {
      z_ = G_;
      return Outcome::converged;
    }
    anderson_.next(z_, G_);
  }
  return Outcome::refused;
}

bool Gauss::passes_singularity(double h) {
  if (!mechanical_ || mechanical_->constraint_count() == 0) return false;
  for (const double s : {0.0, 1.0}) {
    v_i_ = before_.v + (s * h) * a_0_;
    y_ = (s * h) * (before_.v + (0.5 * s * h) * a_0_);
    group().plus(before_.q, y_, q_i_);
    try {
      system_->rates(before_.t + s * h, q_i_, v_i_, w_, k_);
    } catch (const StateError&) {
      continue;
    }
    if (is_near_singularity()) return true;
  }
  return false;
}

Gauss::Outcome Gauss::solve(double h) {
  if (!newton_) return by_fixed_point(h, fixed_point_limit);
  Outcome outcome = Outcome::refused;
  if (passes_singularity(h)) {
    try {
      outcome = by_fixed_point(h, fixed_point_limit);
    } catch (const StateError&) {
    }
    return outcome == Outcome::converged ? outcome : by_newton(h);
  }
  if (prefers_newton_) {
    outcome = by_newton(h);
    return outcome == Outcome::converged ? outcome : by_fixed_point(h, fixed_point_limit);
  }
  try {
    outcome = by_fixed_point(h, fixed_point_patience);
  } catch (const StateError&) {  // an iterate left the domain of a force; Newton's method may not
  }
  if (outcome == Outcome::converged) return outcome;
  prefers_newton_ = true;
  return by_newton(h);
}

double Gauss::attempt(double h) {
  const Eigen::Index n = x_.size();
  guess(h);
  if (newton_ && !reserved_) reserve(h);
  const Outcome outcome = solve(h);
  if (outcome != Outcome::converged)
    fail_iteration(newton_ ? "Newton's iteration" : "the fixed-point iteration",
                   outcome == Outcome::refused, h);
  extrapolate_ = true;
  h_past_ = h;
  x_.setZero();
  now_.v = before_.v;
  for (int j = 0; j < s_; ++j) {
    x_ += (h * b_[j]) * z_.segment(j * n, n);  // (1)
    now_.v += b_[j] * z_.segment((s_ + j) * n, n);
  }
  group().plus(before_.q, x_, now_.q);
  return 0;
}

}  // namespace chasles
