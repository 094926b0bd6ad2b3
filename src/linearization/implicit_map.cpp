#include "linearization/implicit_map.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

constexpr int most_iterations = 40;
constexpr double slow = 0.05;  // contraction above which the matrix is taken anew

}  // namespace

ImplicitMap::ImplicitMap(MechanicalSystem& system, std::string method, Level level, int stages)
    : StepMap(system), method_(std::move(method)), level_(level) {
  for (int i = 0; i < stages; ++i) stages_.push_back(make_stage());
  z_.setZero(n(), stages);
}

/// (1), with the rows of R multiplied by scale_ ~ h^2.
void ImplicitMap::residuals(ConstVectorRef u, Eigen::VectorXd& out) {
  const Eigen::Index block = n() + kept_;
  out.resize(block * z_.cols());
  Vector r(n()), force(n()), g(m()), bias(m());
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& s = stages_[i];
    const auto at = static_cast<Eigen::Index>(i) * block;
    system_->set(s.t, s.q, s.v);
    system_->dynamics_residual(s.a, r);
    r -= u;
    if (m() > 0) {
      system_->constraint_force(s.lambda, force);
      r += force;
      if (level_ == Level::position) system_->constraint_error(g);
      if (level_ == Level::velocity) system_->constraint_rate(g);
      if (level_ == Level::acceleration) {
        system_->constraint_times(s.a, g);
        system_->constraint_bias(bias);
        g += bias;
      }
      out.segment(at + n(), kept_) = U_.transpose() * g;
    }
    out.segment(at, n()) = scale_ * r;
  }
}

/// dR_i and dg_i of the columns of stage i.
Eigen::MatrixXd ImplicitMap::rows(std::size_t i, const Columns* along) {
  const Stage& s = stages_[i];
  linearize(s);
  Eigen::MatrixXd out(n() + kept_, s.e.cols());
  out.topRows(n()) = scale_ * (residual_change(s, s.e, s.dv, along) + M_ * s.da);
  if (m() == 0) return out;
  system_->constraint_matrix(B_);
  Eigen::MatrixXd g;
  if (level_ == Level::position) {
    g = B_ * s.e;
  } else if (level_ == Level::velocity) {
    g = B_ * s.dv + velocity_rows(s) * s.e;
  } else {
    Eigen::MatrixXd s_q, s_v;
    acceleration_rows(s, s_q, s_v);
    g = B_ * s.da + s_q * s.e + s_v * s.dv;
  }
  out.bottomRows(kept_) = U_.transpose() * g;
  return out;
}

void ImplicitMap::factorize(double h) {
  const Eigen::Index block = n() + kept_, S = z_.cols(), size = n() * S;
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(size, size);
  vary_stages(h, unit, nullptr);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(block * S, block * S);
  for (Eigen::Index i = 0; i < S; ++i) {
    const Eigen::MatrixXd part = rows(static_cast<std::size_t>(i), nullptr);
    for (Eigen::Index j = 0; j < S; ++j)
      A.block(i * block, j * block, block, n()) = part.middleCols(j * n(), n());
    if (kept_ > 0)  // the unknown is scale_ dlambda
      A.block(i * block, i * block + n(), n(), kept_) = B_.transpose() * U_;
  }
  if (!A.allFinite())
    throw Error(method_ + ": derivatives of the forces in the step of " + to_short_text(h) +
                " s are not finite");
  lu_ = RowPivotedLu(A.rows());
  lu_.compute(A);
}

void ImplicitMap::solve(double h, ConstVectorRef u, const State& start) {
  if (h == 0) throw Error(method_ + ": a step of length zero; give h in seconds");
  scale_ = h * h;
  kept_ = m();
  if (m() > 0) {
    system_->set(start);
    system_->independent_equations(U_);
    kept_ = U_.cols();
    for (Stage& s : stages_) s.lambda = U_ * (U_.transpose() * s.lambda);
  }
  const Eigen::Index block = n() + kept_;
  Eigen::VectorXd r, dz;
  double last = 0;
  bool fresh = false, small = false;
  set_stages(h, start);
  for (int k = 0; k < most_iterations; ++k) {
    residuals(u, r);
    if (!r.allFinite()) break;
    if (!fresh) factorize(h);
    dz.resize(r.size());
    Vector right = r, solution(r.size());
    lu_.solve(right, solution);
    dz = solution;
    double size = 0, change = 0;
    for (Eigen::Index i = 0; i < z_.cols(); ++i) {
      z_.col(i) -= dz.segment(i * block, n());
      if (kept_ > 0)
        stages_[static_cast<std::size_t>(i)].lambda -=
            U_ * dz.segment(i * block + n(), kept_) / scale_;
      size = std::max(size, z_.col(i).cwiseAbs().maxCoeff());
      change = std::max(change, dz.segment(i * block, n()).cwiseAbs().maxCoeff());
    }
    set_stages(h, start);
    // At rounding the change does not fall further; one more iteration follows it.
    if (small && change >= 0.1 * last) return;
    if (change == 0) return;
    small = change <= 1e-10 * (size + h);
    fresh = k > 0 && change <= slow * last;
    last = change;
  }
  throw Error(method_ + ": Newton's iteration does not converge in the step of " +
              to_short_text(h) + " s; take a smaller one");
}

Eigen::MatrixXd ImplicitMap::differentiate(double h, const Columns& along) {
  factorize(h);
  const Eigen::Index block = n() + kept_, S = z_.cols(), C = along.count();
  vary_stages(h, Eigen::MatrixXd::Zero(n() * S, C), &along);
  Eigen::MatrixXd right(block * S, C);
  for (Eigen::Index i = 0; i < S; ++i)
    right.middleRows(i * block, block) = -rows(static_cast<std::size_t>(i), &along);
  const Eigen::MatrixXd all = lu_.solve_columns(right);
  Eigen::MatrixXd dz(n() * S, C);
  for (Eigen::Index i = 0; i < S; ++i) dz.middleRows(i * n(), n()) = all.middleRows(i * block, n());
  return dz;
}

}  // namespace chasles
