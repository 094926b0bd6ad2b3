#include "systems/mechanism_newton.hpp"

#include "systems/mechanism_factors.hpp"

namespace chasles {

/// Chooses tree or dense by the forces at this time; makes it on first use.
void MechanismNewton::choose() {
  is_dense_ = !state_->has_force_tangent() || crosses_ || stages_ > TreeNewton::most_stages;
  if (is_dense_ && !dense_) {
    dense_ = std::make_unique<DenseNewton>(*state_, level_, stages_);
    dense_->hold(held_);
  }
  if (!is_dense_ && !tree_) {
    tree_ = make_tree_newton(state_->model(), state_->constraints(), level_, stages_,
                             state_->constraint_count() > 0 || state_->has_forces(),
                             GeometricStiffness::free);
    tree_->hold(held_);
  }
}

void MechanismNewton::hold(std::span<const int> entries) {
  held_.assign(entries.begin(), entries.end());
  if (tree_) tree_->hold(held_);
  if (dense_) dense_->hold(held_);
}

/// Without redundant equations all are kept.
void MechanismNewton::choose_equations() {
  crosses_ = state_->has_force_tangent() && !state_->force_tangent().crosses.empty();
  choose();
  if (is_dense_) return dense_->choose_equations();
  if (state_->mobility().rank == state_->constraint_count()) return;
  state_->factorize();
  const std::span<const KeptEquations> kept = state_->factors_->kept_equations();
  tree_->choose(kept);
  remember(kept);
}

/// Copies them: the combinations of the state change with the state.
void MechanismNewton::remember(std::span<const KeptEquations> kept) {
  reduced_.clear(), U_.clear();
  for (const KeptEquations& block : kept)
    if (block.rank < block.rows) {
      reduced_.push_back(block);
      U_.insert(U_.end(), block.U, block.U + block.rows * block.rank);
    }
  const double* U = U_.data();
  for (KeptEquations& block : reduced_) block.U = U, U += block.rows * block.rank;
}

bool MechanismNewton::is_overconstrained() const {
  return is_dense_ ? dense_->is_overconstrained() : !reduced_.empty();
}
/// U U^T lambda, constraint by constraint.
void MechanismNewton::project_multipliers(VectorRef lambda) {
  if (is_dense_) return dense_->project_multipliers(lambda);
  for (const KeptEquations& block : reduced_) {
    const Eigen::Map<const Eigen::MatrixXd> U(block.U, block.rows, block.rank);
    auto part = lambda.segment(block.first, block.rows);
    part_.head(block.rank).noalias() = U.transpose() * part;
    part.noalias() = U * part_.head(block.rank);
  }
}

void MechanismNewton::linearize(int stage, ConstVectorRef a, ConstVectorRef lambda) {
  crosses_ = state_->has_force_tangent() && !state_->force_tangent().crosses.empty();
  choose();
  if (is_dense_) return dense_->linearize(stage, a, lambda);
  state_->update_constraints();
  const AccelerationKinematics& kin = state_->kinematics(a);
  tree_->linearize(
      stage, {kin, a, state_->forces().wrenches, state_->force_tangent(), state_->constraints()},
      lambda);
}

bool MechanismNewton::factorize(const StageRelations& relations) {
  return is_dense_ ? dense_->factorize(relations) : tree_->factorize(relations);
}
void MechanismNewton::solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) {
  return is_dense_ ? dense_->solve(r, g, d, dlambda) : tree_->solve(r, g, d, dlambda);
}

}  // namespace chasles
