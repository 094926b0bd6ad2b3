/// The linear equations of Newton's method for an implicit step with S stages, factored. With
///
///     r_i = M a_i - f(t_i, q_i, v_i) + B^T lambda_i          dynamics residual of stage i     (1)
///     g_i = Phi(q_i)  or  B(q_i) v_i                         constraint error or rate         (2)
///
/// and stages that move with the unknowns d_j by stage_relations.hpp (1),
///
///     sum_j (K_i Q_ij + D_i V_ij + M_i A_ij) d_j + B_i^T dlambda_i = r_i                      (3)
///     sum_j (B_i Q_ij) d_j = g_i     or     sum_j (B_i V_ij + d(B v)_i/dq Q_ij) d_j = g_i     (4)
///
/// K = dr/dq, D = dr/dv. Implementations: dense_newton.hpp for any MechanicalSystem, tree_newton.hpp along
/// the tree of a mechanism, in O(n).
#pragma once

#include <span>

#include "systems/stage_relations.hpp"

namespace chasles {

/// Selects g_i of (2): index-3 formulations take positions, index-2 formulations velocities.
enum class ConstraintLevel : unsigned char { position, velocity };
/// Arguments of MechanicalSystem::newton. @throws Error
inline void require_newton(ConstraintLevel level, int stages) {
  require_known(level, ConstraintLevel::velocity, "level of constraint equations");
  if (stages < 1)
    throw Error("Newton's matrix of " + std::to_string(stages) + " stages: give 1 or more");
}

class NewtonMatrix {
 public:
  virtual ~NewtonMatrix() = default;

  /// Evaluates the derivatives of stage i at the state of the system, with these accelerations (nv) and multipliers
  /// (all constraint equations).
  virtual void linearize(int stage, ConstVectorRef a, ConstVectorRef lambda) = 0;
  /// Call before `linearize`: for overconstrained mechanisms, chooses the independent combinations of equations at the
  /// present state of the system.
  virtual void choose_equations() {}
  /// Fixes coordinates, given as indices into v, from the next `factorize` on: their rows of (3) become d = 0 in all
  /// stages. The forces that hold them appear in no residual.
  virtual void hold(std::span<const int> entries) = 0;
  /// Whether there are fewer independent combinations than equations.
  virtual bool is_overconstrained() const { return false; }
  /// Projects multipliers (all equations) on the independent combinations. Newton's iteration does not change their
  /// orthogonal component, so an error of the predictor there would persist and grow from step to step.
  virtual void project_multipliers(VectorRef) {}
  /// Factorizes (3), (4).
  /// @returns false if the matrix is singular
  virtual bool factorize(const StageRelations& relations) = 0;
  /// Solves (3), (4). r, d: nv x stages; g, dlambda: equations x stages.
  virtual void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) = 0;
};

}  // namespace chasles
