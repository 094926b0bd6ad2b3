/// Gauss collocation in the Lie algebra, with coordinates centered at the geodesic midpoint of the step:
/// implicit, symmetric, order 2 s. One stage is the implicit Lie midpoint rule; coefficients: gauss_nodes.hpp.
///
///     x = h sum_j b_j K_j,          q_{n+1} = q_n exp(x),   q_m = q_n exp(x/2)                (1)
///     y_i = h sum_j (a_ij - b_j/2) K_j,                     q_i = q_m exp(y_i)                (2)
///     v_i = v_n + h sum_j a_ij k_j                                                            (3)
///     K_i = dexp_{-y_i}^-1 v_i,     k_i = f(t_n + c_i h, q_i, v_i)                            (4)
///
/// Exchanging the ends of the step only changes the sign of y, so the map is its own inverse with -h (coordinates
/// centered at q_n do not have this property). (4) is solved to rounding, in one of two ways:
///
/// - as a fixed point in (K, h k), with Anderson acceleration: for any DynamicalSystem that is not stiff;
/// - by Newton's method for h K_j: for a MechanicalSystem. With v_i = dexp_{-y_i} K_i and Om = a^-1,
///
///     h k_i = sum_j Om_ij (v_j - v_n),     M(q_i) k_i - f(t_i, q_i, v_i) + B_i^T lambda_i = 0 (5)
///     g_i = B_i k_i + Bd_i v_i = 0                                                            (6)
///
/// The matrix is that of systems/stage_relations.hpp (4), with equations B v in place of (6). A variation of the step is
/// zero at t_n, hence that of (B v)_i is h sum_j a_ij times that of g_j, up to the error of collocation: with this
/// right-hand side the matrix is nearly exact. Factors are kept from step to step as long as the iteration contracts
/// well; an iteration is accepted only if it contracts from its start, as in constrained/implicit_step.hpp (4).
#pragma once

#include "integrators/implicit/anderson.hpp"
#include "integrators/one_step.hpp"
#include "integrators/stage_quadrature.hpp"
#include "systems/newton_matrix.hpp"

namespace chasles {

class Gauss : public OneStep, public StageQuadrature {
 public:
  Gauss(DynamicalSystem& system, const IntegratorOptions& options, int stages);
  bool stage(int i, double& weight, State& out) const override;

 protected:
  double attempt(double h) override;
  void restart() override { extrapolate_ = has_factors_ = prefers_newton_ = false; }

 private:
  enum class Outcome : unsigned char { converged, refused, not_finite };
  enum class Factors : unsigned char { kept, at_predictor, at_iterates };

  void prepare_newton();
  void reserve(double h);
  void guess(double h);
  Outcome solve(double h);  // from z_guess_ into z_
  /// Whether the step comes near a singular configuration of the constraints, at its start or at its predicted end.
  /// There the accelerations at the stages, slightly off the constraints, grow without bound, and Newton's method
  /// fails; the fixed-point iteration uses `rates`, which evaluates them on the constraints.
  bool passes_singularity(double h);

  Outcome by_fixed_point(double h, int most);
  bool evaluate(double h);  // (2) to (4): from z_ into G_
  /// The distance of b from a, as changes of q and v; and the change of G_ if q and v change by d.
  static double distance(double h, const Vector& a, const Vector& b);
  double answer(double h, double d);

  Outcome by_newton(double h);
  void guess_multipliers();
  void choose_equations();
  Outcome iterate(double h, Factors factors);
  Outcome tried(double h, Factors factors);
  void set_stages(double h);                 // (1), (2), and v, k of (5): from K_
  bool residuals(double h, bool linearize);  // (5), (6)
  void stage_residual(double h, int i);
  bool factorize(double h);
  double advance(double h);   // returns the relative change of velocities
  double rounding(double h);  // the same, caused by rounding of forces

  int s_;
  Vector b_, c_;  // stages
  Matrix a_;      // stages x stages
  Matrix past_;   // stages x (stages + 1): extrapolation of k from the last step
  bool extrapolate_ = false;
  double h_past_ = 0;
  Vector z_, G_, z_guess_;  // (K, h k): 2 nv stages
  Vector z_kept_, G_kept_;
  mutable Vector y_, v_i_, k_;  // nv
  mutable Vector q_m_, q_i_;    // nq
  Anderson anderson_;

  // Newton's method: null if there is no Newton matrix.
  MechanicalSystem* mechanical_ = nullptr;
  std::unique_ptr<NewtonMatrix> newton_;
  std::unique_ptr<StageRelations> relations_;
  bool prefers_newton_ = false, has_factors_ = false, reserved_ = false;
  double h_made_ = 0, rate_ = 0, factors_rate_ = 0, lambda_change_ = 0, size_ = 1;
  Matrix Om_, W_;                                                   // stages x stages
  Matrix K_, K_kept_, Y_, V_, hk_, r_, d_;                          // nv x stages
  Matrix lambda_, lambda_kept_, lambda_guess_, g_, g_v_, dlambda_;  // equations x stages
  Vector u_;                                                        // nv
  Vector e_;                                                        // equations
};

}  // namespace chasles
