/// Steps of implicit methods, by the implicit function theorem. With unknowns z (nv numbers for each stage) that determine
/// the stages (q_i, v_i, a_i) together with the start x_0, a step solves
///
///     R_i = M a_i - f(t_i, q_i, v_i) - u + B_i^T lambda_i = 0,     g_i = 0                    (1)
///
/// g is Phi, B v + Phi_t or B a + Bd v, as the method has it. Along a column,
///
///     [dR/dz  B^T] [dz     ]     [dR/dx_0 x_0 + dR/du du + dR/dp dp]
///     [dg/dz  0  ] [dlambda] = - [dg/dx_0 x_0                      ]                          (2)
///
/// with the matrices of step_map.hpp (4), at the solution. Newton's method for (1) has the same matrix, taken anew where
/// it does not contract fast. Redundant constraint equations are replaced by the independent combinations at the start
/// of the step.
#pragma once

#include "linearization/step_map.hpp"
#include "math/decompositions.hpp"

namespace chasles {

class ImplicitMap : public StepMap {
 protected:
  enum class Level : unsigned char { position, velocity, acceleration };  // of g in (1)

  ImplicitMap(MechanicalSystem& system, std::string method, Level level, int stages);

  /// The stages from z_ and the start of the step.
  virtual void set_stages(double h, const State& start) = 0;
  /// Their columns e, dv, da from those of the unknowns, dz, and of the start; null: a start that does not move.
  virtual void vary_stages(double h, const Eigen::MatrixXd& dz, const Columns* along) = 0;

  /// Solves (1) for z_ and the multipliers of the stages, which hold a first guess.
  /// @throws Error if Newton's method does not converge
  void solve(double h, ConstVectorRef u, const State& start);
  /// dz of (2).
  Eigen::MatrixXd differentiate(double h, const Columns& along);

  std::vector<Stage> stages_;
  Eigen::MatrixXd z_;  // nv x stages

 private:
  void residuals(ConstVectorRef u, Eigen::VectorXd& out);
  void factorize(double h);
  Eigen::MatrixXd rows(std::size_t i, const Columns* along);

  std::string method_;
  Level level_;
  Matrix U_, B_;  // independent equations; constraint matrix
  Eigen::Index kept_ = 0;
  double scale_ = 1;  // of the rows of R
  RowPivotedLu lu_;
};

}  // namespace chasles
