/// Inverse dynamics of a mechanism with loops and couplings at a moment: what motors must give, and what the
/// constraints bear. With N of v = N u, S of the motors, and `needed` = M a + h - sum_k J_k^T W_k,
///
///     N^T S^T tau = N^T needed,        B^T lambda = S^T tau - needed                           (1)
///
/// Motors are Moment::actuators, or in the independent coordinates if none are named. Of more motors than degrees of
/// freedom, tau has the least sum of squares. Dense: not for hot loops.
#pragma once

#include "chasles/simulation/quantity.hpp"
#include "motion/free_motions.hpp"

namespace chasles {

class ClosedInverse {
 public:
  /// At (t, q, v) of the moment, whose `closed` is not null.
  /// @throws SingularError in singular configurations
  explicit ClosedInverse(const EvaluationState& moment);

  const FreeMotions& free() const { return free_; }
  /// S^T tau of (1), nv. @throws Error naming motors that cannot bring it about
  Vector efforts(ConstVectorRef needed) const;
  /// lambda of (1), all equations, for `rest` = S^T tau - needed; of redundant ones the least norm.
  Vector multipliers(ConstVectorRef rest) const;
  /// Accelerations that the constraints cause while those of the independent coordinates are zero, nv.
  Vector caused() const;
  /// d/dt S^T tau and, if `needed` has three columns, d2/dt2, where the columns of `needed` are its time derivatives.
  Matrix effort_rates(ConstMatrixRef needed) const;

 private:
  const EvaluationState& moment_;
  Eigen::MatrixXd B_, U_;
  FreeMotions free_;
};

/// What the constraints bear at a state from outside: `a`, if the state does not give it, the multipliers and their
/// forces; or Moment::undetermined says why there are none.
void bind(EvaluationState& moment);

}  // namespace chasles
