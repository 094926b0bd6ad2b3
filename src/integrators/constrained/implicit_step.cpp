#include "integrators/constrained/implicit_step.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/implicit/anderson.hpp"

namespace chasles {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Convergence rate below which factors are kept for the next step.
constexpr double good_rate = 0.02;
/// Lower bound on estimated convergence rates: the ratio of one pair of iterates may be small by chance.
constexpr double least_rate = 0.02;
constexpr int most_iterations = 30;
/// Number of further iterations that cost less than a new factorization.
constexpr int patience = 3;
constexpr double multiplier_goal = 1e-9;
/// Tolerance on the redundant equations that were left out [rad, m].
constexpr double branch_rounding = 1e-11;

double largest(const Eigen::Ref<const Eigen::VectorXd>& x) {
  return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0;
}

}  // namespace

ImplicitStep::ImplicitStep(MechanicalSystem& system, const IntegratorOptions& options, bool index3)
    : OneStep(system, options),
      mechanical_(&system),
      index3_(index3),
      newton_(system.newton(index3 ? ConstraintLevel::position : ConstraintLevel::velocity, 1)),
      on_positions_(index3),
      relations_(system.group(), 1) {
  const int n = system.nv(), m = system.constraint_count(),
            positions = system.position_constraint_count();
  if (index3 && positions < m)
    throw Error(options.method + ": " + std::to_string(m - positions) + " of " + std::to_string(m) +
                " rows of constraints bind velocities only, which index 3 does not know; take "
                "index 2");
  if (!index3 && m > 0 && positions == m) other_ = system.newton(ConstraintLevel::position, 1);
  order_ = 2;
  stability_ = std::numeric_limits<double>::infinity();
  for (Vector* x : {&v_star_, &a_star_, &a_end_, &s_, &u_, &x_guess_, &x_kept_}) x->setZero(n);
  for (Vector* x : {&lambda_, &lambda_guess_, &all_}) x->setZero(m);
  for (Matrix* x : {&r_, &d_}) x->setZero(n, 1);
  for (Matrix* x : {&g_, &dlambda_}) x->setZero(m, 1);
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
  // With redundant equations, multipliers have the least norm only at the state where the equations were chosen.
  const bool are_known = h_ > 0 && lambda_.size() > 0 && !newton_->is_overconstrained();
  return are_known ? lambda_ : OneStep::multipliers();
}

bool ImplicitStep::evaluate(double beta, double gamma) {
  ++statistics_.iterations, ++statistics_.evaluations;
  now_.v = v_star_ + gamma * x_;  // (1)
  a_end_ = a_star_ + beta * x_;
  group().plus(before_.q, x_, now_.q);
  if (!now_.q.allFinite() || !now_.v.allFinite()) return false;
  mechanical_->set(now_);
  mechanical_->dynamics_residual(a_end_, r_.col(0));  // (2)
  if (lambda_.size() == 0) return r_.allFinite();
  mechanical_->constraint_force(lambda_, u_);
  r_.col(0) += u_;
  if (on_positions_)
    mechanical_->constraint_error(g_.col(0));  // (3)
  else
    mechanical_->constraint_rate(g_.col(0));
  return r_.allFinite() && g_.allFinite();
}

bool ImplicitStep::factorize(double beta, double gamma) {
  newton_->linearize(0, a_end_, lambda_);
  relations_.newmark(x_, gamma, beta);
  beta_made_ = beta, gamma_made_ = gamma;
  return has_factors_ = newton_->factorize(relations_);
}

double ImplicitStep::advance(double gamma) {
  newton_->solve(r_, g_, d_, dlambda_);
  if (!d_.allFinite() || !dlambda_.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  x_ -= d_.col(0);
  if (lambda_.size() > 0) lambda_ -= dlambda_.col(0);
  lambda_change_ = largest(dlambda_.reshaped()) / (1 + largest(lambda_));
  return largest(d_.reshaped()) * gamma / (1 + largest(now_.v));
}

double ImplicitStep::rounding(double beta, double gamma) {
  x_kept_ = x_;
  x_ = x_guess_;
  const bool finite = evaluate(beta, gamma);
  --statistics_.iterations;
  mechanical_->mass_times(a_end_, u_);
  x_ = x_kept_;
  if (!finite) return 0;
  r_.setZero(), g_.setZero();
  shake(r_.col(0), epsilon * largest(u_));
  newton_->solve(r_, g_, d_, dlambda_);
  return largest(d_.reshaped()) * gamma / (1 + largest(now_.v));
}

/// The equations that were left out depend on the others and vanish with them, unless the iteration followed another
/// branch of solutions. Constraint rates have the error of positions, which the projection removes.
ImplicitStep::Outcome ImplicitStep::accepted() {
  if (!on_positions_ || !newton_->is_overconstrained()) return Outcome::converged;
  all_ = g_.col(0);
  newton_->project_multipliers(all_);
  const double kept = largest(all_);
  all_ -= g_.col(0);
  return largest(all_) <= branch_rounding + 100 * kept ? Outcome::converged : Outcome::refused;
}

ImplicitStep::Outcome ImplicitStep::iterate(Factors factors, double beta, double gamma) {
  x_ = x_guess_, lambda_ = lambda_guess_;
  double noise = std::max(1e3 * goal_, 64 * epsilon * gamma * (1 + largest(before_.q)));
  double first = 0, last = 0, way = 0, best = std::numeric_limits<double>::infinity();
  bool measured = false;
  int stalled = 0;
  for (int k = 1; k <= most_iterations; ++k) {
    if (!evaluate(beta, gamma)) return k == 1 ? Outcome::not_finite : Outcome::refused;
    const bool slow = k > 2 && std::pow(rate_, patience) * last > goal_;
    if (factors == Factors::at_iterates || slow || (factors == Factors::at_predictor && k == 1))
      if (!factorize(beta, gamma)) return Outcome::refused;
    const double delta = advance(gamma);
    if (!std::isfinite(delta)) return Outcome::refused;
    const double rate = k > 1 ? delta / last : factors == Factors::kept ? rate_ : 0;
    rate_ = rate;
    way += delta;
    if (k == 1) first = delta;
    last = delta;
    const double believed = delta > noise ? std::max(rate, least_rate) : rate;
    const bool small = delta <= goal_ || (k > 1 && rate < 0.5 && delta * believed <= goal_);
    if (small && lambda_change_ * believed <= multiplier_goal) return accepted();
    if (delta < 0.5 * best)
      best = delta, stalled = 0;
    else if (++stalled >= 2) {
      if (!measured && best > noise) {
        noise = std::max(noise, 16 * rounding(beta, gamma));
        measured = true;
      }
      if (best <= noise) return accepted();
    }
    if (delta > noise && ((k > 1 && rate > (k == 2 ? 1.0 : 0.9)) || way > 4 * first))
      return Outcome::refused;
  }
  return Outcome::refused;
}

void ImplicitStep::change_constraints() {
  std::swap(newton_, other_);
  on_positions_ = !on_positions_;
  has_factors_ = false;
}

/// Tries rounds with factors of this step, unless the last round succeeded. Near a singular configuration the equations
/// chosen at the start may not suffice at the end.
ImplicitStep::Outcome ImplicitStep::try_rounds(Outcome last, double beta, double gamma) {
  for (const bool at_end : {false, true})
    for (const Factors factors : {Factors::at_predictor, Factors::at_iterates}) {
      if (last != Outcome::refused || (at_end && !newton_->is_overconstrained())) return last;
      group().plus(before_.q, x_guess_, now_.q);
      if (at_end)
        mechanical_->set(now_.t, now_.q, before_.v);
      else
        mechanical_->set(before_);
      newton_->choose_equations();
      newton_->project_multipliers(lambda_guess_);
      last = iterate(factors, beta, gamma);
    }
  return last;
}

/// Near a singular configuration: (1) with a_1 the accelerations there, which are limits along the constraints, by the
/// fixed-point iteration x = (a_1 - a_*) / beta. It is accepted if it contracts well.
ImplicitStep::Outcome ImplicitStep::by_accelerations(double beta, double gamma) {
  constexpr int most = 12;
  constexpr double goal = 1e-10, worst_rate = 0.3;
  // The limits are accurate to about 1e-6 of the accelerations.
  const double noise = k_ > 0 ? 0.1 * options_.tolerance.value_or(1e-10) : 1e-7;
  x_ = x_guess_;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= most; ++k) {
    ++statistics_.iterations;
    now_.v = v_star_ + gamma * x_;
    group().plus(before_.q, x_, now_.q);
    if (!trial_rates(now_.t, now_.q, now_.v, u_, a_end_)) break;
    x_kept_ = x_;
    x_ = (a_end_ - a_star_) / beta;
    const double delta = largest(x_ - x_kept_) * gamma / (1 + largest(now_.v));
    if (k == 1 && !is_near_singularity()) break;
    if (delta <= goal || (!(delta <= worst_rate * last) && delta <= noise)) {
      lambda_ = mechanical_->multipliers();
      has_factors_ = false;
      return Outcome::converged;
    }
    if (!(delta <= worst_rate * last)) break;
    last = delta;
  }
  return Outcome::refused;
}

void ImplicitStep::solve(double beta, double gamma) {
  if (on_positions_ != index3_) change_constraints();
  goal_ = k_ > 0 ? std::clamp(1e-3 * options_.tolerance.value_or(1e-10), 1e-13, 1e-8) : 1e-13;
  x_guess_ = x_, lambda_guess_ = lambda_;
  const bool keep = has_factors_ && rate_ < good_rate && beta_made_ == beta && gamma_made_ == gamma;
  const bool constrained = lambda_.size() > 0;
  Outcome outcome = Outcome::refused;
  if (near_singularity_) outcome = by_accelerations(beta, gamma);
  if (outcome == Outcome::refused && keep) outcome = iterate(Factors::kept, beta, gamma);
  outcome = try_rounds(outcome, beta, gamma);
  if (outcome == Outcome::refused && other_) {
    change_constraints();
    outcome = try_rounds(outcome, beta, gamma);
  }
  projects_ = constrained && !index3_;
  if (outcome == Outcome::refused && constrained && !near_singularity_) {
    outcome = by_accelerations(beta, gamma);
    projects_ = true;
  }
  if (outcome != Outcome::converged) {
    const std::string step = "the step of " + to_short_text(now_.t - before_.t) + " s";
    has_factors_ = false;
    x_ = x_guess_, lambda_ = lambda_guess_;
    fail(outcome == Outcome::not_finite
             ? "accelerations or forces are not finite in " + step +
                   "; look at the forces, or take a smaller step"
             : "Newton's iteration does not converge in " + step + "; take a smaller one");
  }
  finish(beta, gamma);
}

/// Sets the state at the solution, projected on the constraints.
void ImplicitStep::finish(double beta, double gamma) {
  now_.v = v_star_ + gamma * x_;
  a_end_ = a_star_ + beta * x_;
  s_ = x_;
  group().plus(before_.q, x_, now_.q);
  if (!projects_) return;
  mechanical_->project(now_);
  near_singularity_ = !index3_ && is_near_singularity();
  group().minus(now_.q, before_.q, x_);
}

void ImplicitStep::filter(Vector& e) {
  mechanical_->set(now_);
  mechanical_->mass_times(e, u_);
  r_.col(0) = beta_made_ * u_;
  g_.setZero();
  newton_->solve(r_, g_, d_, dlambda_);
  e = d_.col(0);
}

}  // namespace chasles
