/// Newton's method for the stages of Gauss: (5), (6).
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "integrators/implicit/gauss.hpp"

namespace chasles {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();
/// Goal of the iteration: relative change of velocities.
constexpr double stage_goal = 4e-16;
/// Convergence rate below which factors are kept for the next step.
constexpr double kept_rate = 0.02;
/// Lower bound on estimated convergence rates: the ratio of one pair of iterates may be small by chance.
constexpr double lucky_rate = 0.01;
constexpr int newton_limit = 30;
/// Number of further iterations that cost less than a new factorization.
constexpr int refactor_after = 3;
constexpr double lambda_goal = 1e-10;

double peak(const Eigen::Ref<const Eigen::MatrixXd>& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0;
}

/// User-defined groups need not provide the derivative of dexp_inv.
bool has_second_derivatives(const Group& group) {
  const Vector zero = Vector::Zero(group.nv());
  Vector out = zero;
  try {
    group.d_dexp_inv(zero, zero, zero, out);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

void Gauss::prepare_newton() {
  MechanicalSystem* mechanical = system_->mechanical();
  if (!mechanical || !mechanical->has_newton() || mechanical->nv() == 0) return;
  if (!has_second_derivatives(group())) return;
  mechanical_ = mechanical;
  newton_ = mechanical->newton(ConstraintLevel::velocity, s_);
  relations_ = std::make_unique<StageRelations>(group(), s_);
  Om_ = Matrix(Eigen::MatrixXd(a_).inverse());
  W_ = Om_;
  const int n = mechanical->nv(), m = mechanical->constraint_count();
  for (Matrix* x : {&K_, &K_kept_, &Y_, &V_, &hk_, &r_, &d_}) x->setZero(n, s_);
  for (Matrix* x : {&lambda_, &lambda_kept_, &lambda_guess_, &g_, &g_v_, &dlambda_})
    x->setZero(m, s_);
  u_.setZero(n), e_.setZero(m);
}

/// Allocates the matrix, whose size depends on the forces, at the first step: Newton's method may start at any later
/// one.
void Gauss::reserve(double h) {
  reserved_ = true;
  K_ = z_guess_.head(K_.size()).reshaped(K_.rows(), K_.cols());
  k_.setZero();
  try {
    guess_multipliers();
    choose_equations();
    set_stages(h);
    mechanical_->set(before_);
    for (int i = 0; i < s_; ++i) newton_->linearize(i, k_, lambda_guess_.col(i));
    if (factorize(h)) newton_->solve(r_, g_v_, d_, dlambda_);
  } catch (const StateError&) {  // the step will report it
  }
  has_factors_ = false;
}

void Gauss::set_stages(double h) {
  x_.setZero();
  for (int j = 0; j < s_; ++j) x_ += (h * b_[j]) * K_.col(j);  // (1)
  y_ = 0.5 * x_;
  group().plus(before_.q, y_, q_m_);
  for (int i = 0; i < s_; ++i) {
    Y_.col(i).setZero();
    for (int j = 0; j < s_; ++j) Y_.col(i) += (h * (a_(i, j) - 0.5 * b_[j])) * K_.col(j);  // (2)
    group().dexp(Y_.col(i), K_.col(i), V_.col(i));
  }
  for (int i = 0; i < s_; ++i) {  // (5)
    hk_.col(i).setZero();
    for (int j = 0; j < s_; ++j) hk_.col(i) += Om_(i, j) * (V_.col(j) - before_.v);
  }
}

void Gauss::stage_residual(double h, int i) {
  ++statistics_.evaluations;
  group().plus(q_m_, Y_.col(i), q_i_);
  mechanical_->set(before_.t + c_[i] * h, q_i_, V_.col(i));
  k_ = hk_.col(i) / h;
  mechanical_->dynamics_residual(k_, r_.col(i));  // (5)
  if (e_.size() == 0) return;
  mechanical_->constraint_force(lambda_.col(i), u_);
  r_.col(i) += u_;
  mechanical_->constraint_bias(g_.col(i));  // (6)
  mechanical_->constraint_times(k_, e_);
  g_.col(i) += e_;
  const MechanicalSystem::Baumgarte& drift = mechanical_->baumgarte();
  if (drift == MechanicalSystem::Baumgarte{}) return;
  mechanical_->constraint_rate(e_);
  g_.col(i) += 2 * drift.alpha * e_;
  mechanical_->constraint_error(e_);
  g_.col(i) += drift.beta * drift.beta * e_;
}

bool Gauss::residuals(double h, bool linearize) {
  ++statistics_.iterations;
  set_stages(h);
  if (!q_m_.allFinite() || !V_.allFinite()) return false;
  for (int i = 0; i < s_; ++i) {
    try {
      stage_residual(h, i);
    } catch (const StateError&) {
      if (runaway(q_i_, V_.col(i)).empty()) throw;
      return false;
    }
    if (!r_.col(i).allFinite() || !g_.col(i).allFinite()) return false;
    if (linearize) newton_->linearize(i, k_, lambda_.col(i));
  }
  for (int i = 0; i < s_; ++i) {
    g_v_.col(i).setZero();
    for (int j = 0; j < s_; ++j) g_v_.col(i) += (h * a_(i, j)) * g_.col(j);
  }
  return true;
}

bool Gauss::factorize(double h) {
  W_ = Om_ / h;
  relations_->centered_collocation(x_, Y_, V_, a_, b_, W_, h);
  h_made_ = h;
  return has_factors_ = newton_->factorize(*relations_);
}

double Gauss::advance(double h) {
  newton_->solve(r_, g_v_, d_, dlambda_);
  if (!d_.allFinite() || !dlambda_.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  K_ -= d_ / h;
  lambda_ -= dlambda_;
  lambda_change_ = peak(dlambda_) / (1 + peak(lambda_));
  return peak(d_) / (h * size_);
}

double Gauss::rounding(double h) {
  K_kept_ = K_, lambda_kept_ = lambda_;
  lambda_ = lambda_guess_;
  K_ = z_guess_.head(K_.size()).reshaped(K_.rows(), K_.cols());
  const bool finite = residuals(h, false);
  --statistics_.iterations;
  mechanical_->mass_times(k_, u_);
  K_ = K_kept_, lambda_ = lambda_kept_;
  if (!finite) return 0;
  r_.setZero(), g_v_.setZero();
  for (int i = 0; i < s_; ++i) shake(r_.col(i), unit_roundoff * peak(u_));
  newton_->solve(r_, g_v_, d_, dlambda_);
  return peak(d_) / (h * size_);
}

Gauss::Outcome Gauss::iterate(double h, Factors factors) {
  K_ = z_guess_.head(K_.size()).reshaped(K_.rows(), K_.cols());
  lambda_ = lambda_guess_;
  double noise = std::max(1e3 * stage_goal, 64 * unit_roundoff / h * (1 + peak(before_.q)) / size_);
  double first = 0, last = 0, way = 0, best = std::numeric_limits<double>::infinity();
  bool measured = false;
  int stalled = 0;
  for (int k = 1; k <= newton_limit; ++k) {
    const bool slow = k > 2 && last > noise && std::pow(rate_, refactor_after) * last > stage_goal;
    const bool fresh =
        factors == Factors::at_iterates || slow || (factors == Factors::at_predictor && k == 1);
    if (!residuals(h, fresh)) return k == 1 ? Outcome::not_finite : Outcome::refused;
    if (fresh && !factorize(h)) return Outcome::refused;
    const double delta = advance(h);
    if (!std::isfinite(delta)) return Outcome::refused;
    rate_ = k > 1 ? delta / last : factors == Factors::kept ? factors_rate_ : 0;
    way += delta;
    if (k == 1) first = delta;
    if (k == 2) factors_rate_ = delta > noise ? rate_ : 0;
    last = delta;
    const double believed = delta > noise ? std::max(rate_, lucky_rate) : rate_;
    const bool small =
        delta <= stage_goal || (k > 1 && rate_ < 0.5 && delta * believed <= stage_goal);
    if (small && lambda_change_ * believed <= lambda_goal) return Outcome::converged;
    if (delta < 0.5 * best)
      best = delta, stalled = 0;
    else if (++stalled >= 2) {
      if (!measured && best > noise) {
        noise = std::max(noise, 16 * rounding(h));
        measured = true;
      }
      if (best <= noise) return Outcome::converged;
    }
    if (delta > noise && ((k > 1 && rate_ > (k == 2 ? 1.0 : 0.9)) || way > 4 * first))
      return Outcome::refused;
  }
  return Outcome::refused;
}

/// Initial guess: the multipliers of the last step, or those at the start of this one.
void Gauss::guess_multipliers() {
  if (e_.size() == 0) return;
  if (!extrapolate_) {
    start_rates(e_);
    for (int i = 0; i < s_; ++i) lambda_.col(i) = e_;
  }
  lambda_guess_ = lambda_;
}

void Gauss::choose_equations() {
  if (e_.size() == 0) return;
  mechanical_->set(before_);
  newton_->choose_equations();
  for (int i = 0; i < s_; ++i) newton_->project_multipliers(lambda_guess_.col(i));
}

/// An iteration with alternatives left: exceptions count as refusal.
Gauss::Outcome Gauss::tried(double h, Factors factors) {
  if (factors != Factors::kept) choose_equations();
  try {
    return iterate(h, factors);
  } catch (const StateError&) {
    return Outcome::refused;
  }
}

Gauss::Outcome Gauss::by_newton(double h) {
  size_ = 1 + peak(before_.v);
  guess_multipliers();
  const auto constant_velocity = [&] {
    for (int i = 0; i < s_; ++i) z_guess_.segment(i * u_.size(), u_.size()) = before_.v;
  };
  // Accelerations of a stiff system do not predict the stages.
  if (peak(z_guess_.tail(K_.size())) > size_) constant_velocity();
  Outcome outcome = Outcome::refused;
  if (has_factors_ && factors_rate_ < kept_rate && h_made_ == h) outcome = tried(h, Factors::kept);
  if (outcome != Outcome::converged) outcome = tried(h, Factors::at_predictor);
  if (outcome != Outcome::converged) {
    constant_velocity();
    choose_equations();
    outcome = iterate(h, Factors::at_iterates);
  }
  if (outcome != Outcome::converged) {
    has_factors_ = false;
    return outcome;
  }
  set_stages(h);
  z_.head(K_.size()) = K_.reshaped();
  z_.tail(K_.size()) = hk_.reshaped();
  return outcome;
}

}  // namespace chasles
