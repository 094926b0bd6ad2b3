#include "motion/mechanism_newton.hpp"

#include "motion/mechanism_factors.hpp"

namespace chasles {

/// Which of the two, as the forces are now; the first time it is made.
void MechanismNewton::choose() {
  is_dense_ = !state_->has_force_tangent();
  if (is_dense_ && !dense_) dense_ = std::make_unique<DenseNewton>(*state_, level_, stages_);
  if (!is_dense_ && !tree_)
    tree_ = make_tree_newton(state_->model(), state_->constraints(), level_, stages_,
                             state_->rows() > 0 || state_->has_forces(), GeometricStiffness::free);
}

/// Where none is redundant, all are kept.
void MechanismNewton::choose_equations() {
  choose();
  if (is_dense_) return dense_->choose_equations();
  if (state_->mobility().rank == state_->rows()) return;
  state_->factorize();
  tree_->choose(state_->factors_->kept_equations());
}

void MechanismNewton::linearize(int stage, ConstVectorRef a, ConstVectorRef lambda) {
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
