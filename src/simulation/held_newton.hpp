/// Newton's matrix of a system with held joints: that of the system without them, with d = 0 of held coordinates.
///
/// A stage of an implicit method that begins with v_k = a_k = 0 has x_k = v_k = a_k = 0 of a held coordinate, whatever
/// its formulas, so a displacement that does not move is all that is asked for. What holds it is lambda of holding.hpp (1),
/// in a row that is left out.
#pragma once

#include "motion/newton_matrix.hpp"
#include "simulation/holding.hpp"

namespace chasles {

class HeldNewton final : public NewtonMatrix {
 public:
  HeldNewton(HeldSystem& system, std::unique_ptr<NewtonMatrix> inner)
      : system_(&system), inner_(std::move(inner)) {}

  /// Who is held may have changed since the last time.
  void linearize(int stage, ConstVectorRef a, ConstVectorRef lambda) override {
    inner_->hold(system_->independent());
    inner_->linearize(stage, a, lambda);
  }
  void choose_equations() override { inner_->choose_equations(); }
  void hold(std::span<const int> entries) override { inner_->hold(entries); }
  bool is_overconstrained() const override { return inner_->is_overconstrained(); }
  void project_multipliers(VectorRef lambda) override { inner_->project_multipliers(lambda); }
  bool factorize(const StageRelations& relations) override { return inner_->factorize(relations); }
  void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) override {
    inner_->solve(r, g, d, dlambda);
  }

 private:
  HeldSystem* system_;
  std::unique_ptr<NewtonMatrix> inner_;
};

}  // namespace chasles
