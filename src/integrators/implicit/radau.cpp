#include "integrators/implicit/radau.hpp"

#include <algorithm>
#include <cmath>

#include "math/decompositions.hpp"

namespace chasles {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int most_iterations = 10;
/// Lower bound on estimated convergence rates: the ratio of one pair of iterates may be small by chance.
constexpr double least_rate = 0.02;
/// Largest rotation in a step [rad]: exponential coordinates are singular at a full turn, and converge poorly well
/// before.
constexpr double longest_turn = 2;

double largest(const Eigen::Ref<const Eigen::MatrixXd>& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0;
}

/// Weights of y_i in the value at s of the polynomial through (0, 0) and (c_i, y_i).
void lagrange(const double* c, double s, double* weight) {
  for (int i = 0; i < 3; ++i) {
    weight[i] = s / c[i];
    for (int j = 0; j < 3; ++j)
      if (j != i) weight[i] *= (s - c[j]) / (c[i] - c[j]);
  }
}
/// The same for the polynomial through (c_i, y_i).
void lagrange_of_stages(const double* c, double s, double* weight) {
  for (int i = 0; i < 3; ++i) {
    weight[i] = 1;
    for (int j = 0; j < 3; ++j)
      if (j != i) weight[i] *= (s - c[j]) / (c[i] - c[j]);
  }
}

}  // namespace

Radau::Radau(MechanicalSystem& system, const IntegratorOptions& options)
    : OneStep(system, options),
      mechanical_(&system),
      n_(system.nv()),
      m_(system.constraint_count()),
      newton_(system.newton(ConstraintLevel::velocity, S)),
      filter_(system.newton(ConstraintLevel::velocity, 1)),
      relations_(system.group(), S),
      filter_relations_(system.group(), 1),
      carried_t_(nan) {
  order_ = 5;
  k_ = options.step ? 0 : 4;
  stability_ = std::numeric_limits<double>::infinity();
  const double s = std::sqrt(6.0);
  const double c[] = {(4 - s) / 10, (4 + s) / 10, 1};
  std::copy_n(c, S, c_);
  Eigen::Matrix3d A;
  A << (88 - 7 * s) / 360, (296 - 169 * s) / 1800, (-2 + 3 * s) / 225,  //
      (296 + 169 * s) / 1800, (88 + 7 * s) / 360, (-2 - 3 * s) / 225,   //
      (16 - s) / 36, (16 + s) / 36, 1.0 / 9;
  Om_ = Matrix(A.inverse());
  // The real root of det(Om - g) = g^3 - 9 g^2 + 36 g - 60.
  g_ = 3.6;
  for (int k = 0; k < 20; ++k) g_ -= (((g_ - 9) * g_ + 36) * g_ - 60) / ((3 * g_ - 18) * g_ + 36);
  const double e[] = {-13 - 7 * s, -13 + 7 * s, -1};
  for (int i = 0; i < S; ++i) e_[i] = e[i] / (3 * g_);
  W_ = Om_;
  for (Matrix* x : {&x_i_, &k_i_, &v_i_, &a_i_, &r_, &d_, &x_past_}) x->setZero(n_, S);
  for (Matrix* x : {&lambda_i_, &g_i_, &dlambda_, &lambda_past_}) x->setZero(m_, S);
  for (Matrix* x : {&r_1_, &d_1_}) x->setZero(n_, 1);
  for (Matrix* x : {&g_1_, &dlambda_1_}) x->setZero(m_, 1);
  for (Vector* x : {&u_, &r_0_, &zero_, &a_n_, &a_start_}) x->setZero(n_);
  lambda_n_.setZero(m_);
  for (Vector* x : {&q_i_, &q_past_}) x->setZero(system.nq());
}

void Radau::restart() {
  has_past_ = false;
  carried_t_ = nan;
  filter_ready_ = false;
  needs_start_rates_ = true;
}

std::vector<double> Radau::memory() const {
  if (!(carried_t_ == now_.t && has_past_)) return {};
  std::vector<double> list{h_past_};
  const auto add = [&](const auto& x) { list.insert(list.end(), x.data(), x.data() + x.size()); };
  add(a_n_), add(lambda_n_), add(q_past_), add(x_past_), add(lambda_past_);
  return list;
}
void Radau::remember(std::span<const double> memory) {
  const auto wanted = static_cast<std::size_t>(1 + a_n_.size() + lambda_n_.size() + q_past_.size() +
                                               x_past_.size() + lambda_past_.size());
  if (memory.size() != wanted || !(memory[0] > 0) ||
      !std::ranges::all_of(memory, [](double x) { return std::isfinite(x); }))
    throw Error(options_.method + ": a checkpoint with a memory of " +
                std::to_string(memory.size()) + " numbers; this system has " +
                std::to_string(wanted) + ", finite, the first of them a step");
  const double* from = memory.data() + 1;
  const auto take = [&](auto& x) {
    std::copy_n(from, x.size(), x.data());
    from += x.size();
  };
  h_past_ = memory[0];
  take(a_n_), take(lambda_n_), take(q_past_), take(x_past_), take(lambda_past_);
  has_past_ = true;
  carried_t_ = now_.t;
  needs_start_rates_ = false;
}

/// Accelerations and multipliers at the start of an integration.
void Radau::begin() {
  start_rates(lambda_n_);
  a_n_ = a_0_;
  carried_t_ = before_.t;
  has_past_ = false;
}

void Radau::extrapolate(double h) {
  for (int i = 0; i < S; ++i) {
    const double s = 1 + c_[i] * h / h_past_;
    double w[S];
    lagrange(c_, s, w);
    u_ = w[0] * x_past_.col(0) + w[1] * x_past_.col(1) + w[2] * x_past_.col(2);
    group().plus(q_past_, u_, q_i_);
    group().minus(q_i_, before_.q, u_);
    x_i_.col(i) = u_;
    lagrange_of_stages(c_, s, w);
    lambda_i_.col(i) =
        w[0] * lambda_past_.col(0) + w[1] * lambda_past_.col(1) + w[2] * lambda_past_.col(2);
  }
}
void Radau::constant_velocity(double h) {
  for (int i = 0; i < S; ++i) {
    x_i_.col(i) = (c_[i] * h) * before_.v;
    if (h * largest(a_n_) < size_) x_i_.col(i) += (0.5 * c_[i] * c_[i] * h * h) * a_n_;
    lambda_i_.col(i) = lambda_n_;
  }
}

bool Radau::evaluate(double h, bool linearize) {
  ++statistics_.iterations;
  k_i_.noalias() = x_i_ * W_.transpose();  // (1)
  for (int i = 0; i < S; ++i) group().dexp(x_i_.col(i), k_i_.col(i), v_i_.col(i));
  for (int i = 0; i < S; ++i) {
    a_i_.col(i).setZero();
    for (int j = 0; j < S; ++j) a_i_.col(i) += W_(i, j) * (v_i_.col(j) - before_.v);
  }
  if (!x_i_.allFinite() || !v_i_.allFinite()) return false;
  for (int i = 0; i < S; ++i) {
    ++statistics_.evaluations;
    group().plus(before_.q, x_i_.col(i), q_i_);
    mechanical_->set(before_.t + c_[i] * h, q_i_, v_i_.col(i));
    mechanical_->dynamics_residual(a_i_.col(i), r_.col(i));  // (3)
    if (m_ > 0) {
      mechanical_->constraint_force(lambda_i_.col(i), u_);
      r_.col(i) += u_;
      mechanical_->constraint_rate(g_i_.col(i));
    }
    if (!r_.col(i).allFinite() || !g_i_.col(i).allFinite()) return false;
    if (linearize) newton_->linearize(i, a_i_.col(i), lambda_i_.col(i));
  }
  return true;
}

Radau::Outcome Radau::iterate(double h) {
  const double mu = g_ / h, tolerance = options_.tolerance.value_or(1e-10);
  const double goal =
      k_ > 0 ? tolerance * std::max(10 * epsilon / tolerance, std::min(0.03, std::sqrt(tolerance)))
             : 1e-14;
  const double noise = std::max(1e-11, 256 * epsilon * mu * (1 + largest(before_.q)));
  double first = 0, last = 0, rate = 0, way = 0;
  int stalled = 0;
  bool fresh = true;
  for (int i = 0; i < S; ++i) newton_->project_multipliers(lambda_i_.col(i));
  for (int k = 1; k <= most_iterations; ++k) {
    if (!evaluate(h, fresh)) return k == 1 ? Outcome::not_finite : Outcome::refused;
    if (fresh) {
      relations_.collocation(x_i_, v_i_, W_);
      if (!newton_->factorize(relations_)) return Outcome::refused;
    }
    newton_->solve(r_, g_i_, d_, dlambda_);
    if (!d_.allFinite() || !dlambda_.allFinite()) return Outcome::refused;
    x_i_ -= d_;
    lambda_i_ -= dlambda_;
    const double delta = largest(d_) * mu / size_;
    const double of_lambda = largest(dlambda_) / (1 + largest(lambda_i_));
    rate = k == 1 ? 0 : k == 2 ? delta / last : std::sqrt(rate * delta / last);
    way += delta;
    if (k == 1) first = delta;
    const double believed = std::max(rate, least_rate);
    const bool small =
        k > 1 ? believed / (1 - std::min(believed, 0.99)) * delta <= goal : delta <= goal;
    if (small && (m_ == 0 || of_lambda * believed <= std::max(1e-9, goal))) {
      k_i_.noalias() = x_i_ * W_.transpose();
      return Outcome::converged;
    }
    stalled = k > 1 && delta > 0.5 * last ? stalled + 1 : 0;
    if (stalled > 0 && delta <= noise) return Outcome::converged;
    if (delta > noise && ((k > 1 && rate >= 0.99) || way > 4 * first)) return Outcome::refused;
    fresh = k > 1 && rate > 0.1 && delta > noise;
    last = delta;
  }
  return Outcome::refused;
}

double Radau::attempt(double h) {
  size_ = 1 + largest(before_.v);
  if (!(carried_t_ == before_.t)) begin();
  needs_start_rates_ = false;
  W_ = Om_ / h;
  if (m_ > 0) {
    mechanical_->set(before_);
    newton_->choose_equations();
  }
  Outcome outcome = Outcome::refused;
  if (has_past_) {
    extrapolate(h);
    outcome = iterate(h);
  }
  if (outcome != Outcome::converged) {
    constant_velocity(h);
    outcome = iterate(h);
  }
  if (outcome == Outcome::not_finite)
    fail("accelerations or forces are not finite in the step of " + to_short_text(h) +
         " s; look at the forces, or take a smaller step");
  if (outcome == Outcome::refused)
    fail("Newton's iteration does not converge in the step of " + to_short_text(h) +
         " s; take a smaller one");
  double turn = 0;
  for (int i = 0; i < S; ++i) turn = std::max(turn, group().rotation(x_i_.col(i)));
  if (turn > longest_turn) {
    if (k_ > 0) return 2 * std::pow(turn / longest_turn, k_);
    fail("a joint turns by " + to_short_text(turn) + " rad within the step of " + to_short_text(h) +
         " s, more than its coordinates can hold; take a step below " +
         to_short_text(h * longest_turn / turn) + " s");
  }
  double err = 0;
  if (k_ > 0) {
    now_.v = v_i_.col(S - 1);
    estimate(h);
    err = error_norm(e_x_, e_v_);
    if (!(err <= 1)) {
      x_ = x_i_.col(S - 1);
      return err;
    }
  }
  end(h);
  return err;
}

void Radau::end(double h) {
  for (int i = 0; i < S; ++i) group().dexp(x_i_.col(i), k_i_.col(i), v_i_.col(i));
  x_ = x_i_.col(S - 1);
  group().plus(before_.q, x_, now_.q);
  now_.v = v_i_.col(S - 1);
  a_start_ = a_n_;
  a_n_.setZero();
  for (int j = 0; j < S; ++j) a_n_ += W_(S - 1, j) * (v_i_.col(j) - before_.v);
  if (m_ > 0) {
    lambda_n_ = lambda_i_.col(S - 1);
    mechanical_->project(now_);
    group().minus(now_.q, before_.q, x_);
  }
  q_past_ = before_.q;
  x_past_ = x_i_, lambda_past_ = lambda_i_;
  h_past_ = h;
  has_past_ = true;
  carried_t_ = now_.t;
  filter_ready_ = false;
}

void Radau::estimate(double h) {
  const double mu = g_ / h;
  e_x_ = (1 / mu) * before_.v;  // (5)
  e_v_ = (1 / mu) * a_n_;
  for (int i = 0; i < S; ++i) {
    group().dexp(x_i_.col(i), k_i_.col(i), v_i_.col(i));
    e_x_ += e_[i] * x_i_.col(i);
    e_v_ += e_[i] * (v_i_.col(i) - before_.v);
  }
  mechanical_->set(before_);
  if (!filter_ready_) {
    if (m_ > 0) filter_->choose_equations();
    residual_at_start(r_0_);
    filter_->linearize(0, a_n_, lambda_n_);
    filter_ready_ = true;
  }
  filter_relations_.newmark(zero_, mu, mu * mu);
  if (!filter_->factorize(filter_relations_)) return;
  filter(mu);
  mechanical_->set(before_);
  filter(mu);
}

/// The residual at the state of the system, with the accelerations and multipliers at the start of the step.
void Radau::residual_at_start(VectorRef out) {
  mechanical_->dynamics_residual(a_n_, out);
  if (m_ == 0) return;
  mechanical_->constraint_force(lambda_n_, u_);
  out += u_;
}

/// (6) and (7), with the system at the start of the step. K e_x is a difference of residuals along e_x.
void Radau::filter(double mu) {
  mechanical_->mass_times(e_v_, u_);
  r_1_.col(0) = mu * u_;
  const double length = largest(e_x_);
  if (length > 0 && std::isfinite(length)) {
    const double small = 1e-7 / length;
    d_1_.col(0) = small * e_x_;
    group().plus(before_.q, d_1_.col(0), q_i_);
    mechanical_->set(before_.t, q_i_, before_.v);
    residual_at_start(d_1_.col(0));
    r_1_.col(0) -= (d_1_.col(0) - r_0_) / small;
  }
  g_1_.setZero();
  filter_->solve(r_1_, g_1_, d_1_, dlambda_1_);
  e_x_ += d_1_.col(0);
  e_v_ = mu * d_1_.col(0);
}

void Radau::point(double s, Vector& q, Vector& v) const {
  // Through the stages, and with the given derivative at the start: the cubic, plus s (s - c_1) (s - c_2) (s - 1) times
  // the error of its derivative there.
  double w[S];
  lagrange(c_, s, w);
  double bubble = s, at_0 = 1, slope[S];
  for (int i = 0; i < S; ++i) {
    bubble *= s - c_[i], at_0 *= -c_[i];
    slope[i] = 1 / c_[i];
    for (int j = 0; j < S; ++j)
      if (j != i) slope[i] *= -c_[j] / (c_[i] - c_[j]);
  }
  Vector &x = x_s_, &dv = v_s_;
  x = (bubble / at_0 * h_) * before_.v;
  dv = (bubble / at_0 * h_) * a_start_;
  for (int i = 0; i < S; ++i) {
    const double part = w[i] - bubble / at_0 * slope[i];
    if (i == S - 1) {  // the projected state
      x += part * x_;
      dv += part * (now_.v - before_.v);
    } else {
      x += part * x_past_.col(i);
      dv += part * (v_i_.col(i) - before_.v);
    }
  }
  group().plus(before_.q, x, q);
  v = before_.v + dv;
}

}  // namespace chasles
