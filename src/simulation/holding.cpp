#include "simulation/holding.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/held_newton.hpp"

namespace chasles {

void SemidefiniteSolver::factorize(const Matrix& S) {
  S_ = S, L_ = S;
  const Eigen::Index n = S.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    double pivot = S(j, j) * (1 + 1e-12);
    for (Eigen::Index k = 0; k < j; ++k) pivot -= L_(j, k) * L_(j, k);
    // The pivot of a dependent row may vanish by rounding.
    L_(j, j) = std::sqrt(std::max(pivot, 1e-13 * S(j, j)));
    const double scale = L_(j, j) > 0 ? 1 / L_(j, j) : 0;
    for (Eigen::Index i = j + 1; i < n; ++i) {
      double sum = S(i, j);
      for (Eigen::Index k = 0; k < j; ++k) sum -= L_(i, k) * L_(j, k);
      L_(i, j) = scale * sum;
    }
  }
}
void SemidefiniteSolver::solve_once(const Vector& b, Vector& x) const {
  x = b;
  const Eigen::Index n = b.size();
  const auto divide = [&](Eigen::Index i) { x[i] = L_(i, i) > 0 ? x[i] / L_(i, i) : 0; };
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index k = 0; k < i; ++k) x[i] -= L_(i, k) * x[k];
    divide(i);
  }
  for (Eigen::Index i = n; i-- > 0;) {
    for (Eigen::Index k = i + 1; k < n; ++k) x[i] -= L_(k, i) * x[k];
    divide(i);
  }
}
void SemidefiniteSolver::solve(const Vector& b, Vector& x) {
  solve_once(b, x);
  for (int round = 0; round < 3; ++round) {
    rest_ = b;
    for (Eigen::Index j = 0; j < b.size(); ++j) rest_ -= x[j] * S_.col(j);
    solve_once(rest_, more_);
    x += more_;
  }
}

namespace {

/// Solves G x = b for the rows and columns `some`; the other entries of x are 0.
void solve_some(const Matrix& G, const std::vector<Eigen::Index>& some, const Vector& b,
                Vector& x) {
  x.setZero(b.size());
  if (some.empty()) return;
  SemidefiniteSolver solver;
  Vector y, right = b(some);
  solver.factorize(Matrix(G(some, some)));
  solver.solve(right, y);
  for (std::size_t k = 0; k < some.size(); ++k) x[some[k]] = y[static_cast<Eigen::Index>(k)];
}

}  // namespace

std::vector<int> solve_in_bounds(const Matrix& G, const Vector& a, const Vector& lower,
                                 const Vector& upper, Vector& lambda) {
  const Eigen::Index n = a.size();
  std::vector<int> at(static_cast<std::size_t>(n), 0);
  const auto state = [&](Eigen::Index i) -> int& { return at[static_cast<std::size_t>(i)]; };
  Vector fixed(n), free(n), w(n);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Eigen::Index> between;
    fixed.setZero();
    for (Eigen::Index i = 0; i < n; ++i)
      if (state(i) == 0)
        between.push_back(i);
      else
        fixed[i] = state(i) < 0 ? lower[i] : upper[i];
    w = -a - G * fixed;
    solve_some(G, between, w, free);
    lambda = fixed + free;
    w = G * lambda + a;
    // Least-index rule: the first entry that violates (2) changes its set.
    Eigen::Index wrong = n;
    for (Eigen::Index i = 0; i < n && wrong == n; ++i) {
      if (state(i) == 0 && (lambda[i] < lower[i] || lambda[i] > upper[i])) {
        state(i) = lambda[i] < lower[i] ? -1 : 1;
        wrong = i;
      } else if (state(i) * w[i] > 0) {
        state(i) = 0;
        wrong = i;
      }
    }
    if (wrong == n) return at;
  }
  throw Error("stops and friction: no forces were found that hold " + std::to_string(n) +
              " coordinates together");
}

HeldSystem::HeldSystem(std::shared_ptr<MechanicalSystem> inner)
    : inner_(std::move(inner)),
      unit_(inner_->nv()),
      zero_(inner_->constraint_count()),
      x_(inner_->nv()),
      mu_(inner_->constraint_count()),
      there_(inner_->nq()) {
  lambda().setZero(constraint_count());
}

void HeldSystem::hold(std::span<const std::pair<int, int>> coordinates, ConstVectorRef q) {
  held_.clear(), held_q_.clear();
  where_.setZero(static_cast<Eigen::Index>(coordinates.size()));
  for (const auto& [v, q_index] : coordinates) {
    where_[static_cast<Eigen::Index>(held_.size())] = q[q_index];
    held_.push_back(v), held_q_.push_back(q_index);
  }
  lambda_.setZero(where_.size());
  independent_known_ = false;
}
bool HeldSystem::holds(int v) const { return std::ranges::find(held_, v) != held_.end(); }
double HeldSystem::force_of(int v) const {
  const auto found = std::ranges::find(held_, v);
  return found == held_.end() ? 0 : lambda_[found - held_.begin()];
}

void HeldSystem::respond(std::span<const int> coordinates, Matrix& X, Matrix& G) {
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  X.resize(nv(), n), G.resize(n, n), Mu_.resize(constraint_count(), n);
  for (Eigen::Index k = 0; k < n; ++k) {
    unit_.setZero();
    unit_[coordinates[static_cast<std::size_t>(k)]] = 1;
    inner_->solve(unit_, zero_, x_, mu_);
    X.col(k) = x_, Mu_.col(k) = mu_;
  }
  for (Eigen::Index i = 0; i < n; ++i) G.row(i) = X.row(coordinates[static_cast<std::size_t>(i)]);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j) G(i, j) = G(j, i) = 0.5 * (G(i, j) + G(j, i));
}

void HeldSystem::solve_held() {
  solver_.factorize(G_);
  solver_.solve(wanted_, lambda_);
}

/// lambda_ = -G^-1 a_H.
void HeldSystem::find_forces(ConstVectorRef a) {
  respond(held_, X_, G_);
  wanted_.resize(where_.size());
  for (std::size_t k = 0; k < held_.size(); ++k)
    wanted_[static_cast<Eigen::Index>(k)] = -a[held_[k]];
  solve_held();
}

std::span<const int> HeldSystem::independent() {
  if (constraint_count() == 0) return held_;
  if (independent_known_) return independent_;
  respond(held_, X_, G_);
  solver_.factorize(G_);
  independent_.clear();
  for (std::size_t k = 0; k < held_.size(); ++k) {
    // Without constraints G_ii M_ii >= 1; for a joint fixed by constraints it is rounding.
    const auto i = static_cast<Eigen::Index>(k);
    unit_.setZero();
    unit_[held_[k]] = 1;
    inner_->mass_times(unit_, x_);
    const double M_ii = x_[held_[k]];
    if (!solver_.depends(i) && (M_ii > 0 ? G_(i, i) * M_ii > 1e-10 : G_(i, i) > 0))
      independent_.push_back(held_[k]);
  }
  independent_known_ = true;
  return independent_;
}

void HeldSystem::acceleration(VectorRef v_dot) {
  if (inner_->baumgarte() != baumgarte()) inner_->set_baumgarte(baumgarte());
  inner_->acceleration(v_dot);
  lambda() = inner_->multipliers();
  if (held_.empty()) return;
  find_forces(v_dot);
  v_dot.noalias() += X_ * lambda_;
  lambda().noalias() += Mu_ * lambda_;
  if (constraint_count() == 0)
    for (const int k : held_) v_dot[k] = 0;  // exactly zero
}

void HeldSystem::add_forces(ConstVectorRef a, Vector& tau) {
  if (held_.empty()) return;
  find_forces(a);
  for (std::size_t k = 0; k < held_.size(); ++k)
    tau[held_[k]] += lambda_[static_cast<Eigen::Index>(k)];
}

void HeldSystem::project(State& state) {
  inner_->project(state);
  set(state);
  if (held_.empty() || constraint_count() == 0) return;
  for (int round = 0; round < 4; ++round) {
    wanted_ = where_;
    for (std::size_t k = 0; k < held_.size(); ++k)
      wanted_[static_cast<Eigen::Index>(k)] -= state.q[held_q_[k]];
    if (wanted_.lpNorm<Eigen::Infinity>() < 1e-14) break;
    respond(held_, X_, G_);
    solve_held();
    x_.noalias() = X_ * lambda_;
    group().plus(state.q, x_, there_);
    state.q = there_;
    inner_->project(state);
    set(state);
  }
  respond(held_, X_, G_);
  for (std::size_t k = 0; k < held_.size(); ++k)
    wanted_[static_cast<Eigen::Index>(k)] = -state.v[held_[k]];
  solve_held();
  state.v.noalias() += X_ * lambda_;
  set(state);
}

std::unique_ptr<NewtonMatrix> HeldSystem::newton(ConstraintLevel level, int stages) {
  return std::make_unique<HeldNewton>(*this, inner_->newton(level, stages));
}

}  // namespace chasles
