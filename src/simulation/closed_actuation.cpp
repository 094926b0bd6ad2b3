#include "simulation/closed_actuation.hpp"

#include <algorithm>
#include <cmath>

#include "systems/free_motions.hpp"

namespace chasles {
namespace {

/// Relative threshold on eigenvalues of G, which are accurate to 1e-15 of the largest: below it, actuation is
/// redundant.
constexpr double singular_actuation = 1e-12;

/// Jacobi eigenvalue algorithm: diagonalizes the leading n x n block of symmetric A, V^T A V. Does not allocate.
void diagonalize(Eigen::MatrixXd& A, Eigen::MatrixXd& V, Eigen::Index n) {
  V.setIdentity();
  for (int sweep = 0; sweep < 50; ++sweep) {
    double off = 0, diagonal = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      diagonal += A(i, i) * A(i, i);
      for (Eigen::Index j = 0; j < i; ++j) off += A(i, j) * A(i, j);
    }
    if (!(off > 1e-36 * diagonal)) return;
    for (Eigen::Index p = 0; p < n; ++p)
      for (Eigen::Index q = p + 1; q < n; ++q) {
        if (A(p, q) == 0) continue;
        const double theta = (A(q, q) - A(p, p)) / (2 * A(p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        const auto rotate = [&](double& x, double& y) {
          const double old = x;
          x = c * old - s * y, y = s * old + c * y;
        };
        for (Eigen::Index k = 0; k < n; ++k) rotate(A(k, p), A(k, q));
        for (Eigen::Index k = 0; k < n; ++k) rotate(A(p, k), A(q, k));
        for (Eigen::Index k = 0; k < n; ++k) rotate(V(k, p), V(k, q));
      }
  }
}

std::string list_of(const Model& model, std::span<const int> entries) {
  std::string text;
  for (const int k : entries) {
    const std::string name = "'" + model.joint_of_v(k).name + "'";
    if (text.find(name) == text.npos) text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

bool is_bound(const Model& model, bool loops, const ConstraintOptions& constraints) {
  if (!loops || !constraints.closed) return false;
  const auto binds = [&](const ModelCoupling& c) { return !c.mimic || constraints.mimic; };
  return !model.loops().empty() || !model.constraints().empty() || !constraints.more.empty() ||
         std::ranges::any_of(model.couplings(), binds);
}

ClosedActuation::ClosedActuation(const Model& model, const Binding& binding,
                                 std::vector<int> motors)
    : system_(
          model, binding.constraints,
          binding.near.size() > 0 ? checked_configuration(model, binding.near) : model.neutral()),
      entries_(std::move(motors)),
      motors_(entries_.size()),
      still_(model.nv()),
      none_(system_.constraint_count()),
      unit_(model.nv()),
      x_(model.nv()),
      mu_(system_.constraint_count()),
      a_(model.nv()) {
  // Coordinates that complete those of the motors, in the order of v.
  Matrix B, U;
  system_.set(binding.constraints.time, system_.assembled(), still_);
  system_.constraint_matrix(B);
  system_.independent_equations(U);
  Eigen::MatrixXd left = FreeMotions(U.transpose() * B, &model).basis();
  const auto most = left.cols();
  const auto take = [&](int k) {
    const Eigen::RowVectorXd row = left.row(k);
    if (!(row.norm() > 1e-6)) return false;
    left -= (left * row.transpose()) * row / row.squaredNorm();
    return true;
  };
  for (const int k : std::vector<int>(entries_)) rank_ += take(k);
  int found = rank_;
  for (int k = 0; k < model.nv() && found < most; ++k)
    if (take(k)) entries_.push_back(k), ++found;
  const auto n = static_cast<Eigen::Index>(entries_.size());
  X_.resize(model.nv(), n), G_.resize(n, n), right_.resize(n), tau_.resize(n);
  V_.resize(n, n);
}

/// Solves (1) at the state of the system for the first `count` entries; right_ is a_c.
void ClosedActuation::solve(std::size_t count) {
  const auto n = static_cast<Eigen::Index>(count);
  const auto entry = [&](Eigen::Index k) { return entries_[static_cast<std::size_t>(k)]; };
  a_ = system_.forward_dynamics(still_);
  for (Eigen::Index k = 0; k < n; ++k) {
    right_[k] -= a_[entry(k)];
    unit_[entry(k)] = 1;
    system_.solve(unit_, none_, x_, mu_);
    unit_[entry(k)] = 0;
    X_.col(k) = x_;
  }
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      G_(i, j) = G_(j, i) = (X_(entry(i), j) + X_(entry(j), i)) / 2;
  diagonalize(G_, V_, n);
  const auto value = [&](Eigen::Index k) { return G_(k, k); };
  double most = 0;
  for (Eigen::Index k = 0; k < n; ++k) most = std::max(most, value(k));
  for (Eigen::Index k = 0; k < n; ++k) {
    if (value(k) > singular_actuation * most) {
      x_.setZero();
      for (Eigen::Index j = 0; j < n; ++j) x_ += V_(j, k) * X_.col(j);
      system_.mass_times(x_, a_);
      if (x_.dot(a_) > value(k) / 2) continue;
    }
    G_(k, k) = 0;
  }
  tau_.setZero();
  for (int round = 0; round < 2; ++round)  // the second round is iterative refinement
    for (Eigen::Index k = 0; k < n; ++k) {
      if (value(k) == 0) continue;
      const double part = V_.col(k).head(n).dot(right_.head(n));
      tau_.head(n) += part / value(k) * V_.col(k).head(n);
      right_.head(n) -= part * V_.col(k).head(n);
    }
}

void ClosedActuation::accelerate(double t, const VelocityKinematics& kin, ConstVectorRef a,
                                 VectorRef tau) {
  system_.set(t, kin.q(), kin.v());
  for (std::size_t k = 0; k < motors_; ++k) right_[static_cast<Eigen::Index>(k)] = a[entries_[k]];
  solve(motors_);
  for (std::size_t k = 0; k < motors_; ++k) tau[entries_[k]] += tau_[static_cast<Eigen::Index>(k)];
}

void ClosedActuation::hold(double t, const VelocityKinematics& kin, VectorRef tau) {
  system_.set(t, kin.q(), still_);
  right_.setZero();
  solve(entries_.size());
  for (std::size_t k = 0; k < motors_; ++k) tau[entries_[k]] += tau_[static_cast<Eigen::Index>(k)];
}

std::vector<std::string> ClosedActuation::remarks(bool holds) const {
  const Model& model = system_.model();
  std::vector<std::string> out;
  const std::span<const int> all(entries_);
  if (static_cast<int>(motors_) > rank_)
    out.push_back(
        "the motors in " + list_of(model, all.first(motors_)) +
        " move joints that are bound to each other, " + std::to_string(motors_) + " of them " +
        std::to_string(rank_) +
        " degrees of freedom: the motion does not determine their efforts one by one, and "
        "those with the least sum of squares are taken; name as many joints as degrees "
        "of freedom");
  std::vector<int> falling;
  for (const int k : all.subspan(motors_))
    if (model.joint_of_v(k).type != JointType::floating) falling.push_back(k);
  if (holds && !falling.empty())
    out.push_back("the motors do not hold all of the mechanism: it can still move at joint " +
                  list_of(model, falling) + "; name more joints, or hold it there");
  return out;
}

}  // namespace chasles
