/// Radau IIA with three stages on the group, order 5, for stiff and for constrained systems (Hairer & Wanner
/// II, IV.8; in Munthe-Kaas form). With the unknowns x_i, c = ((4 -+ sqrt 6)/10, 1), Om = A^-1, W = Om / h:
///
///     k_i = sum_j W_ij x_j,     v_i = dexp_{-x_i} k_i,     a_i = sum_j W_ij (v_j - v_n)       (1)
///     q_i = q_n exp(x_i)                                                                      (2)
///     M(q_i) a_i - f(t_i, q_i, v_i) + B_i^T lambda_i = 0,     B_i v_i = 0                     (3)
///     q_{n+1} = q_n exp(x_3),     v_{n+1} = v_3,     projected to Phi = 0 and B v = 0         (4)
///
/// Order 5 in q and v, 3 in lambda_3; the multipliers at the end are those of the KKT system, of order 5. Newton's
/// equations couple the three stages (systems/stage_relations.hpp (3)); two iterations per step are typical. They start
/// from the extrapolated collocation polynomial of the last step. An iteration that does not contract from there is
/// tried once more from constant velocity, then refused (see constrained/implicit_step.hpp (4)).
///
/// Error. With the real eigenvalue g of Om, mu = g / h, e = (-13 - 7 sqrt 6, -13 + 7 sqrt 6, -1) / (3 g),
///
///     e_x = v_n / mu + sum_i e_i x_i,     e_v = a_n / mu + sum_i e_i (v_i - v_n)              (5)
///     (mu^2 M + mu D + K) w = mu M e_v - K e_x,     (mu B + d(B v)/dq) w = 0                  (6)
///     e_x <- e_x + w,     e_v <- mu w                                                         (7)
///
/// a_n is a_3 of the last step. (6), (7), applied twice, multiply by (1 - J / mu)^-1, J the Jacobian of the first-order
/// system, which filters out components much faster than the step.
///
/// Interpolant: P(s) in q = q_n exp(P(s)), and v, are polynomials of degree 4 through the stages, with the derivatives
/// h v_n, h a_n at the start; of order 4.
#pragma once

#include "integrators/one_step.hpp"
#include "systems/newton_matrix.hpp"

namespace chasles {

class Radau : public OneStep {
 public:
  /// Uses options.step or a tolerance.
  Radau(MechanicalSystem& system, const IntegratorOptions& options);

 protected:
  double attempt(double h) override;
  void restart() override;
  void prepare_dense() const override {}
  void point(double s, Vector& q, Vector& v) const override;
  /// h, a, lambda, then x and lambda of the stages and the q at their start.
  std::vector<double> memory() const override;
  void remember(std::span<const double> memory) override;

 private:
  static constexpr int S = 3;
  enum class Outcome : unsigned char { converged, refused, not_finite };

  void begin();
  void extrapolate(double h);
  void constant_velocity(double h);
  bool evaluate(double h, bool linearize);  // (1) to (3)
  Outcome iterate(double h);
  void end(double h);  // (4)
  void estimate(double h);
  void residual_at_start(VectorRef out);
  void filter(double mu);

  MechanicalSystem* mechanical_;
  int n_, m_;
  double c_[S], e_[S], g_ = 0;
  Matrix Om_, W_;  // stages x stages
  std::unique_ptr<NewtonMatrix> newton_, filter_;
  StageRelations relations_, filter_relations_;

  // Of the step: nv x stages, or equations x stages.
  Matrix x_i_, k_i_, v_i_, a_i_, lambda_i_, r_, g_i_, d_, dlambda_;
  Matrix r_1_, g_1_, d_1_, dlambda_1_;  // of the filter
  Vector q_i_, u_, r_0_, zero_;
  double size_ = 1;  // 1 + |v_n|

  // Accelerations and multipliers at the start of the step; and the last step, from which the next is extrapolated.
  Vector a_n_, lambda_n_;
  Vector a_start_;  // a_n_ of the last step, for its interpolant
  bool has_past_ = false;
  double h_past_ = 0;
  Vector q_past_;  // nq: its start
  Matrix x_past_, lambda_past_;
  double carried_t_;  // a_n_ and lambda_n_ are those at this time
  bool filter_ready_ = false;
};

}  // namespace chasles
