/// Half-explicit Munthe-Kaas methods (Brasey & Hairer 1993; Arnold 1998, on groups): explicit in
/// positions and forces, implicit in the multipliers, so that velocities at the ends of stages, and
/// of the step, are on the constraints. With a tableau whose last row is b,
///
///     x_i = h sum_{j<i} a_ij K_j,   v_i = v_n + h sum_{j<i} a_ij k_j,   q_i = q_n exp(x_i)    (1)
///     K_i = dexp_{-x_i}^-1 v_i                                                                (2)
///     [M(q_i)      B(q_i)^T] [k_i     ]   [f(t_i, q_i, v_i)]
///     [B(q_{i+1})  0       ] [lambda_i] = [-B(q_{i+1}) u_i ]            i > 1                 (3)
///
/// with u_i = (v_n + h sum_{j<i} a_{i+1,j} k_j) / (h a_{i+1,i}), which says B(q_{i+1}) v_{i+1} = 0.
/// (3) is linear: positions q_{i+1} are known before k_i is. Since its two B are not at the same
/// place it is solved densely, which serves small systems.
///
/// The first stage is explicit (Arnold 1998): k_1 is the acceleration of the saddle point at the
/// start, which is also that of the end of the last step. Half-explicit itself it would satisfy B
/// v_2 = 0 by a multiplier that is wrong by O(h), and no method of few stages undoes that: herk3
/// would be of order 2, hem4 and dp54 of order 3. What (3) takes for twice c_i, u = 2 c, solves
/// sum_j a_ij u_j = c_i^2 for i > 2 in all three, and their order is that of the tableau, in q, v
/// and the multipliers at the end.
///
/// Near configurations where the equations depend on each other, u_i would be divided by their independence,
/// and with it the error of q_{i+1}. Steps that come near one are made by accelerations alone, as those of
/// munthe_kaas.hpp with the same tableau, and projected like all others.
///
/// Phi is left by O(h^{p+1}) a step; projection brings it back (projection.hpp). Rows that bind
/// velocities only need nothing else. Without rows this is munthe_kaas.hpp.
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
  /// Stages are not rates, so the interpolants of tableaux, which take them for such, do not fit.
  int dense_rows() const override { return OneStep::dense_rows(); }

 private:
  /// All stages, and the largest rotation of a joint [rad].
  /// @param by_rates  k_i are accelerations at (q_i, v_i), not (3)
  /// @returns false near a singular configuration, where (3) is not solved
  bool stages(double h, bool by_rates, double& turn);
  bool stage(int i, const double* row, double h, bool by_rates);  // (2), (3), then (1) of the next
  void solve(double t, VectorRef k);                              // (3), its lower right side in c_
  void independent_matrix(Matrix& B);                             // B at q_next_

  MechanicalSystem* mechanical_;
  const Tableau* tableau_;
  Matrix K_, a_;            // nv x (stages + 1): K and k
  Vector x_i_, v_i_, f_;    // nv
  Vector q_i_, q_next_;     // nq
  Vector c_;                // independent equations
  Matrix M_, B_, B_next_;   // nv x nv, independent equations x nv
  Matrix all_, U_;          // all equations x nv; their independent combinations
  Eigen::MatrixXd saddle_;  // (3)
  Eigen::VectorXd b_, solved_;
  RowPivotedLu lu_;
};

}  // namespace chasles
