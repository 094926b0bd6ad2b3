/// Newton's matrix of a system with held joints: that of the free system, with d = 0 for held coordinates.
///
/// If a held coordinate k starts with v_k = a_k = 0, the stages of every implicit method keep x_k = v_k = a_k = 0, so
/// fixing its displacement suffices. The holding force is lambda of holding.hpp (1); its equation is left out.
#pragma once

#include "simulation/holding.hpp"
#include "systems/newton_matrix.hpp"

namespace chasles {

class HeldNewton final : public NewtonMatrix {
 public:
  HeldNewton(HeldSystem& system, std::unique_ptr<NewtonMatrix> inner)
      : system_(&system), inner_(std::move(inner)) {}

  /// The set of held joints may have changed since the last call.
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
