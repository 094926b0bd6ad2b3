/// Inverse dynamics of a mechanism with loops and couplings: actuator efforts and constraint forces. With N of v = N u,
/// S the selection of the motors, and `needed` = M a + h - sum_k J_k^T W_k,
///
///     N^T S^T tau = N^T needed,        B^T lambda = S^T tau - needed                           (1)
///
/// Motors are EvaluationState::actuators, or the independent coordinates if none are named. With more motors than
/// degrees of freedom, tau has the least norm. Named motors take the place of drivers: N is that of the mechanism
/// without them. Dense matrices: not for hot loops.
#pragma once

#include "chasles/simulation/quantity.hpp"
#include "systems/free_motions.hpp"

namespace chasles {

class ClosedInverse {
 public:
  /// At (t, q, v) of `moment`, whose `closed` is not null.
  /// @throws SingularError in singular configurations
  explicit ClosedInverse(const EvaluationState& moment);

  const FreeMotions& free() const { return free_; }
  /// S^T tau of (1), nv. @throws Error naming the motors if they cannot produce the motion
  Vector efforts(ConstVectorRef needed) const;
  /// lambda of (1), all equations, for `rest` = S^T tau - needed; least norm if equations are redundant.
  Vector multipliers(ConstVectorRef rest) const;
  /// Accelerations due to the constraints if those of the independent coordinates are zero, nv.
  Vector caused() const;
  /// d/dt S^T tau and, if `needed` has three columns, d2/dt2, where the columns of `needed` are its time derivatives.
  Matrix effort_rates(ConstMatrixRef needed) const;

 private:
  const EvaluationState& moment_;
  Eigen::MatrixXd B_, U_;
  Eigen::MatrixXd U_free_;  // combinations of equations of which N is the null space
  FreeMotions free_;
};

/// Completes a state given from outside: `a` if it is not given, the multipliers and constraint forces; or
/// EvaluationState::undetermined with the reason why they do not exist.
void bind(EvaluationState& moment);

}  // namespace chasles
