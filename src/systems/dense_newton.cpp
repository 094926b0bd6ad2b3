#include "systems/dense_newton.hpp"

namespace chasles {

DenseNewton::DenseNewton(MechanicalSystem& system, ConstraintLevel level, int stages)
    : system_(&system),
      level_(level),
      n_(system.nv()),
      m_(system.constraint_count()),
      kept_(system.constraint_count()),
      stages_(static_cast<std::size_t>(stages)),
      S_(n_, n_),
      Q_(n_, n_),
      V_(n_, n_),
      A_(n_, n_),
      unit_(n_),
      there_(system.nq()),
      rate_(m_),
      rate_near_(m_) {
  U_.setZero(m_, m_);
  U_.setIdentity();
  all_.setZero(m_, n_);
  here_.q.setZero(system.nq()), here_.v.setZero(n_);
  for (Stage& stage : stages_) {
    system.prepare(stage.tangent);
    stage.B.setZero(m_, n_), stage.rate_dq.setZero(m_, n_);
  }
  const Eigen::Index size = static_cast<Eigen::Index>(stages) * (n_ + m_);
  newton_.setZero(size, size);
  right_.setZero(size), solution_.setZero(size);
  lu_.emplace(size);
}

void DenseNewton::choose_equations() {
  if (m_ == 0) return;
  system_->independent_equations(U_);
  kept_ = static_cast<int>(U_.cols());
}

void DenseNewton::project_multipliers(VectorRef lambda) {
  if (!is_overconstrained()) return;
  rate_.head(kept_).noalias() = U_.transpose() * lambda;
  lambda.noalias() = U_ * rate_.head(kept_);
}

/// By finite differences: the accuracy affects only the rate of convergence.
void DenseNewton::find_rate_derivative(Stage& at) {
  constexpr double step = 1e-7;
  here_ = system_->at();
  system_->constraint_rate(rate_);
  unit_.setZero();
  at.rate_dq.resize(kept_, n_);
  for (int k = 0; k < n_; ++k) {
    unit_[k] = step;
    system_->group().plus(here_.q, unit_, there_);
    unit_[k] = 0;
    system_->set(here_.t, there_, here_.v);
    system_->constraint_rate(rate_near_);
    rate_near_ = (rate_near_ - rate_) / step;
    at.rate_dq.col(k).noalias() = U_.transpose() * rate_near_;
  }
  system_->set(here_);
}

void DenseNewton::linearize(int stage, ConstVectorRef a, ConstVectorRef lambda) {
  Stage& at = stages_[static_cast<std::size_t>(stage)];
  system_->tangent(a, at.tangent);
  if (m_ == 0) return;
  system_->constraint_stiffness(lambda, S_);
  at.tangent.K += S_;
  system_->constraint_matrix(all_);
  at.B.resize(kept_, n_);
  at.B.noalias() = U_.transpose() * all_;
  if (level_ == ConstraintLevel::velocity) find_rate_derivative(at);
}

namespace {

/// The matrix Q_ij, V_ij or A_ij of one pair of stages.
void relation(const StageRelations& relations, const double* flat,
              const double* (StageRelations::*blocks)(std::size_t, int, int) const, int i, int j,
              Matrix& out) {
  out.setZero();
  out.diagonal().setConstant(flat[i * relations.stages() + j]);
  for (std::size_t f = 0; f < relations.factors().size(); ++f) {
    const auto [v, n] = relations.factors()[f];
    for (int k = 0; k < n * n; ++k) out(v + k / n, v + k % n) = (relations.*blocks)(f, i, j)[k];
  }
}

}  // namespace

bool DenseNewton::factorize(const StageRelations& relations) {
  const int S = relations.stages(), block = n_ + kept_;
  c_ = relations.flat_a()[0] != 0 ? 1 / std::abs(relations.flat_a()[0]) : 1;
  scale_ = level_ == ConstraintLevel::velocity && relations.flat_v()[0] != 0
               ? 1 / std::abs(relations.flat_v()[0])
               : 1;
  newton_.setZero(S * block, S * block);
  for (int i = 0; i < S; ++i) {
    const Stage& at = stages_[static_cast<std::size_t>(i)];
    for (int j = 0; j < S; ++j) {
      relation(relations, relations.flat_q(), &StageRelations::q, i, j, Q_);
      relation(relations, relations.flat_v(), &StageRelations::v, i, j, V_);
      relation(relations, relations.flat_a(), &StageRelations::a, i, j, A_);
      auto dynamics = newton_.block(i * block, j * block, n_, n_);
      dynamics.noalias() = at.tangent.M * A_;
      dynamics.noalias() += at.tangent.D * V_;
      dynamics.noalias() += at.tangent.K * Q_;
      dynamics *= c_;
      if (kept_ == 0) continue;
      auto rows = newton_.block(i * block + n_, j * block, kept_, n_);
      if (level_ == ConstraintLevel::position) {
        rows.noalias() = at.B * Q_;
      } else {
        rows.noalias() = at.B * V_;
        rows.noalias() += at.rate_dq * Q_;
        rows *= scale_;
      }
    }
    if (kept_ > 0) newton_.block(i * block, i * block + n_, n_, kept_) = at.B.transpose();
  }
  for (int i = 0; i < S; ++i)
    for (const int k : held_) {
      newton_.row(i * block + k).setZero();
      newton_(i * block + k, i * block + k) = 1;
    }
  if (!newton_.allFinite()) return false;
  if (!lu_ || solution_.size() != newton_.rows()) lu_.emplace(newton_.rows());
  lu_->compute(newton_);
  right_.resize(newton_.rows()), solution_.resize(newton_.rows());
  return true;
}

void DenseNewton::solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) {
  const int S = static_cast<int>(stages_.size()), block = n_ + kept_;
  for (int i = 0; i < S; ++i) {
    right_.segment(i * block, n_) = c_ * r.col(i);
    for (const int k : held_) right_[i * block + k] = 0;
    if (kept_ > 0)
      right_.segment(i * block + n_, kept_).noalias() = scale_ * (U_.transpose() * g.col(i));
  }
  lu_->solve(right_, solution_);
  for (int i = 0; i < S; ++i) {
    d.col(i) = solution_.segment(i * block, n_);
    if (kept_ > 0)
      dlambda.col(i).noalias() = (1 / c_) * (U_ * solution_.segment(i * block + n_, kept_));
  }
}

double DenseNewton::backward_error(const Matrix& r, const Matrix& g, const Matrix& d,
                                   const Matrix& dlambda) const {
  const int S = static_cast<int>(stages_.size()), block = n_ + kept_;
  Eigen::VectorXd b(newton_.rows()), x(newton_.rows());
  for (int i = 0; i < S; ++i) {
    b.segment(i * block, n_) = c_ * r.col(i);
    for (const int k : held_) b[i * block + k] = 0;
    x.segment(i * block, n_) = d.col(i);
    b.segment(i * block + n_, kept_) = scale_ * (U_.transpose() * g.col(i));
    x.segment(i * block + n_, kept_) = c_ * (U_.transpose() * dlambda.col(i));
  }
  return (newton_ * x - b).norm() / (newton_.norm() * x.norm() + b.norm());
}

}  // namespace chasles
