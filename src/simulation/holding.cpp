#include "simulation/holding.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

/// x with G x = b for the rows and columns `some`, the others being 0. What is added to the diagonal, for
/// rows that depend on each other, is taken back by corrections.
void solve_some(const Matrix& G, const std::vector<Eigen::Index>& some, const Vector& b,
                Vector& x) {
  x.setZero(b.size());
  if (some.empty()) return;
  const Eigen::MatrixXd S = G(some, some);
  Eigen::MatrixXd R = S;
  R.diagonal() *= 1 + 1e-12;
  const Eigen::LDLT<Eigen::MatrixXd> factors(R);
  const Eigen::VectorXd right = b(some);
  Eigen::VectorXd y = factors.solve(right);
  for (int k = 0; k < 3; ++k) y += factors.solve(right - S * y);
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
    // The first that does not fit changes its side.
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
      zero_(inner_->rows()),
      x_(inner_->nv()),
      mu_(inner_->rows()),
      there_(inner_->nq()) {
  lambda().setZero(rows());
}

void HeldSystem::hold(std::span<const std::pair<int, int>> coordinates, ConstVectorRef q) {
  held_.clear(), held_q_.clear();
  where_.setZero(static_cast<Eigen::Index>(coordinates.size()));
  for (const auto& [v, q_index] : coordinates) {
    where_[static_cast<Eigen::Index>(held_.size())] = q[q_index];
    held_.push_back(v), held_q_.push_back(q_index);
  }
  lambda_.setZero(where_.size());
}
bool HeldSystem::holds(int v) const { return std::ranges::find(held_, v) != held_.end(); }
double HeldSystem::force_of(int v) const {
  const auto found = std::ranges::find(held_, v);
  return found == held_.end() ? 0 : lambda_[found - held_.begin()];
}

void HeldSystem::respond(std::span<const int> coordinates, Matrix& X, Matrix& G) {
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  X.resize(nv(), n), G.resize(n, n), Mu_.resize(rows(), n);
  for (Eigen::Index k = 0; k < n; ++k) {
    unit_.setZero();
    unit_[coordinates[static_cast<std::size_t>(k)]] = 1;
    inner_->solve(unit_, zero_, x_, mu_);
    X.col(k) = x_, Mu_.col(k) = mu_;
  }
  for (Eigen::Index i = 0; i < n; ++i) G.row(i) = X.row(coordinates[static_cast<std::size_t>(i)]);
  G = (0.5 * (G + G.transpose())).eval();
}

/// lambda_ = -G^-1 a_H.
void HeldSystem::find_forces(ConstVectorRef a) {
  respond(held_, X_, G_);
  wanted_.resize(where_.size());
  std::vector<Eigen::Index> all(held_.size());
  for (std::size_t k = 0; k < held_.size(); ++k)
    wanted_[static_cast<Eigen::Index>(k)] = -a[held_[k]], all[k] = static_cast<Eigen::Index>(k);
  solve_some(G_, all, wanted_, lambda_);
}

void HeldSystem::acceleration(VectorRef v_dot) {
  if (inner_->baumgarte() != baumgarte()) inner_->set_baumgarte(baumgarte());
  inner_->acceleration(v_dot);
  lambda() = inner_->multipliers();
  if (held_.empty()) return;
  find_forces(v_dot);
  v_dot += X_ * lambda_;
  lambda() += Mu_ * lambda_;
  if (rows() == 0)
    for (const int k : held_) v_dot[k] = 0;  // without rounding
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
  if (held_.empty() || rows() == 0) return;
  std::vector<Eigen::Index> all(held_.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Eigen::Index>(k);
  for (int round = 0; round < 4; ++round) {
    wanted_.resize(where_.size());
    for (std::size_t k = 0; k < held_.size(); ++k)
      wanted_[all[k]] = where_[all[k]] - state.q[held_q_[k]];
    if (wanted_.lpNorm<Eigen::Infinity>() < 1e-14) break;
    respond(held_, X_, G_);
    solve_some(G_, all, wanted_, lambda_);
    x_ = X_ * lambda_;
    group().plus(state.q, x_, there_);
    state.q = there_;
    inner_->project(state);
    set(state);
  }
  respond(held_, X_, G_);
  for (std::size_t k = 0; k < held_.size(); ++k) wanted_[all[k]] = -state.v[held_[k]];
  solve_some(G_, all, wanted_, lambda_);
  state.v += X_ * lambda_;
  set(state);
}

}  // namespace chasles
