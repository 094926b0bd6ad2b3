/// Half-explicit Munthe-Kaas methods (Brasey & Hairer 1993; Arnold 1998, on groups): explicit in positions and forces,
/// implicit in the multipliers, so that the velocities of stages and at the end of the step satisfy the constraints.
/// With a tableau whose last row is b,
///
///     x_i = h sum_{j<i} a_ij K_j,   v_i = v_n + h sum_{j<i} a_ij k_j,   q_i = q_n exp(x_i)    (1)
///     K_i = dexp_{-x_i}^-1 v_i                                                                (2)
///     [M(q_i)      B(q_i)^T] [k_i     ]   [f(t_i, q_i, v_i)]
///     [B(q_{i+1})  0       ] [lambda_i] = [-B(q_{i+1}) u_i ]            i > 1                 (3)
///
/// with u_i = (v_n + h sum_{j<i} a_{i+1,j} k_j) / (h a_{i+1,i}), equivalent to B(q_{i+1}) v_{i+1} = 0; constraints with
/// time subtract Phi_t(q_{i+1}, t_{i+1}) / (h a_{i+1,i}). (3) is linear:
/// positions q_{i+1} are known before k_i. Since its two B are taken at different configurations it is solved densely,
/// for small systems.
///
/// The first stage is explicit (Arnold 1998): k_1 is the acceleration of the KKT system at the start, which is also
/// that at the end of the last step. A half-explicit first stage would satisfy B v_2 = 0 by a multiplier with an error
/// O(h), which methods of few stages do not compensate: herk3 would be of order 2, hem4 and dp54 of order 3. With u_j
/// for 2 c_j in (3), sum_j a_ij u_j = c_i^2 holds for i > 2 in all three, and their order is that of the tableau, in
/// q, v and the multipliers at the end.
///
/// Near singular configurations, (3) would divide u_i, and with it the error of q_{i+1}, by the reciprocal condition of
/// the constraints. Steps that come near one use accelerations alone, as munthe_kaas.hpp with the same tableau, and are
/// projected like all others.
///
/// Phi drifts by O(h^{p+1}) per step; projection removes the drift (projection.hpp). Velocity constraints need no
/// projection. Without constraints this is munthe_kaas.hpp.
#pragma once

#include "integrators/one_step.hpp"
#include "math/decompositions.hpp"

namespace chasles {

class HalfExplicit : public OneStep {
 public:
  /// @param k  order of the error estimate plus one; 0: fixed step
  HalfExplicit(MechanicalSystem& system, const IntegratorOptions& options, const Tableau& tableau,
               int k);

 protected:
  double attempt(double h) override;
  /// The stages k_i are not rates at (q_i, v_i), so the interpolants of tableaux do not apply.
  int dense_rows() const override { return OneStep::dense_rows(); }

 private:
  /// Computes all stages, and the largest rotation of a joint [rad].
  /// @param by_rates  k_i are accelerations at (q_i, v_i), not (3)
  /// @returns false near a singular configuration, where (3) is not solved
  bool stages(double h, bool by_rates, double& turn);
  bool stage(int i, const double* row, double h, bool by_rates);  // (2), (3), then (1) of the next
  void solve(double t, VectorRef k);  // (3), with the lower part of its right-hand side in c_
  void independent_matrix(double t, Matrix& B);  // B at (t, q_next_)

  MechanicalSystem* mechanical_;
  const Tableau* tableau_;
  Matrix K_, a_;            // nv x (stages + 1): K and k
  Vector x_i_, v_i_, f_;    // nv
  Vector q_i_, q_next_;     // nq
  Vector c_, time_rate_;    // independent equations; all equations: Phi_t
  Matrix M_, B_, B_next_;   // nv x nv, independent equations x nv
  Matrix all_, U_;          // all equations x nv; their independent combinations
  Eigen::MatrixXd saddle_;  // (3)
  Eigen::VectorXd b_, solved_;
  RowPivotedLu lu_;
};

}  // namespace chasles
