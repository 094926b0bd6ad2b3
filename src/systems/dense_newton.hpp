/// Newton's matrix of any MechanicalSystem as one dense matrix, LU with partial pivoting: O((n + m)^3). For systems
/// without a tree and for forces without analytic derivatives; the reference in tests.
///
/// With c = 1 / a_00 of the relations (beta), the rows of the dynamics are multiplied by c, the unknown is c dlambda,
/// and the rows of velocity constraints are divided by v_00 (gamma): all entries then have the size of masses and
/// lengths for every step size; without this scaling the condition number grows as h^-4.
#pragma once

#include "chasles/systems/mechanical_system.hpp"
#include "math/decompositions.hpp"
#include "systems/newton_matrix.hpp"

namespace chasles {

class DenseNewton final : public NewtonMatrix {
 public:
  DenseNewton(MechanicalSystem& system, ConstraintLevel level, int stages);

  void choose_equations() override;
  void hold(std::span<const int> entries) override { held_.assign(entries.begin(), entries.end()); }
  bool is_overconstrained() const override { return kept_ < m_; }
  void project_multipliers(VectorRef lambda) override;
  void linearize(int stage, ConstVectorRef a, ConstVectorRef lambda) override;
  bool factorize(const StageRelations& relations) override;
  void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) override;

  /// |A x - b| / (|A| |x| + |b|) of a solution found elsewhere, in the scaled equations.
  double backward_error(const Matrix& r, const Matrix& g, const Matrix& d,
                        const Matrix& dlambda) const;

 private:
  struct Stage {
    MechanicalSystem::Tangent tangent;  // K with the stiffness of constraints
    Matrix B, rate_dq;                  // of the independent constraint equations; d(B v)/dq
  };
  void find_rate_derivative(Stage& at);

  MechanicalSystem* system_;
  ConstraintLevel level_;
  int n_, m_, kept_;
  std::vector<Stage> stages_;
  std::vector<int> held_;  // indices into v of coordinates that do not move
  Matrix U_, all_, S_, Q_, V_, A_;
  Vector unit_, there_, rate_, rate_near_;
  State here_;
  Eigen::MatrixXd newton_;
  Eigen::VectorXd right_, solution_;
  std::optional<RowPivotedLu> lu_;
  double c_ = 1, scale_ = 1;
};

}  // namespace chasles
