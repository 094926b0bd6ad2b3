/// Newton's matrix of a mechanism: along the tree if all its forces have analytic derivatives and depend
/// on no other joint than the one they act on, else dense.
#pragma once

#include "chasles/systems/mechanism_state.hpp"
#include "systems/dense_newton.hpp"
#include "systems/tree_newton.hpp"

namespace chasles {

class MechanismNewton final : public NewtonMatrix {
 public:
  MechanismNewton(MechanismState& state, ConstraintLevel level, int stages)
      : state_(&state), level_(level), stages_(stages), part_(state.constraint_count()) {
    choose();
  }

  void choose_equations() override;
  void hold(std::span<const int> entries) override;
  bool is_overconstrained() const override;
  void project_multipliers(VectorRef lambda) override;
  void linearize(int stage, ConstVectorRef a, ConstVectorRef lambda) override;
  bool factorize(const StageRelations& relations) override;
  void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) override;

 private:
  void choose();
  void remember(std::span<const KeptEquations> kept);

  MechanismState* state_;
  ConstraintLevel level_;
  int stages_;
  bool is_dense_ = false;
  bool crosses_ = false;  // forces of joints depend on other joints: not along the tree
  std::unique_ptr<TreeNewton> tree_;
  std::unique_ptr<DenseNewton> dense_;
  // For the tree: constraints with fewer independent combinations than equations, and all their matrices U.
  std::vector<KeptEquations> reduced_;
  std::vector<double> U_;
  Vector part_;            // equations
  std::vector<int> held_;  // indices into v of coordinates that do not move
};

}  // namespace chasles
