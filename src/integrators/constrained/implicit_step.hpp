/// Base of implicit methods for stiff and constrained systems: position, velocity and acceleration at the end of a step
/// depend on one unknown displacement x, solved by Newton's method.
///
///     q_1 = q_0 exp(x),     v_1 = v_* + gamma x,     a_1 = a_* + beta x                       (1)
///     M(q_1) a_1 - f(t_1, q_1, v_1) + B_1^T lambda = 0                                        (2)
///     Phi(q_1) = 0       (index 3)     or     B(q_1) v_1 = 0       (index 2)                  (3)
///
/// v_*, a_*, gamma ~ 1/h and beta ~ 1/h^2 are defined by the method. With index 3 velocities drift from B v = 0, and
/// multipliers have a transient. With index 2 the state is projected to Phi = 0 after the step, which moves it by the
/// error of the step; both constraints are then satisfied.
///
/// Newton's matrix is that of systems/newton_matrix.hpp with Q = dexp_{-x}, V = gamma, A = beta. Its factors are kept
/// from step to step as long as the iteration contracts well. An iteration is accepted only if it contracts from its
/// start: delta_k = |change of velocities|, relative, theta_k = delta_k / delta_{k-1},
///
///     done      if delta theta <= goal and |dlambda| theta <= 1e-9 (1 + |lambda|)
///     refused   if theta > 0.9 (the second iterate: 1), or sum delta_k > 4 delta_1            (4)
///
/// unless delta is rounding. The sum bounds the distance from the predictor, so that an iterate far away is not taken
/// for a solution. Rounds: with the factors of an earlier step; with factors at the predictor, renewed when
/// convergence is slow; with factors at every iterate. Each starts at the predictor. Near singular configurations B v
/// = 0 may have no solution near the predictor where Phi = 0 has one: an index-2 step that is refused is tried with
/// Phi = 0, and projected like others. Of redundant equations only independent combinations are solved, which near
/// singular configurations have solutions that violate the others: an iteration on Phi = 0 that does not satisfy all
/// equations is refused. Steps of index 2 that start near a singular configuration, and all others that are refused
/// there, use the accelerations of the KKT system in place of (2), (3).
#pragma once

#include "integrators/one_step.hpp"
#include "systems/newton_matrix.hpp"

namespace chasles {

class ImplicitStep : public OneStep {
 public:
  const Vector& multipliers() const override;

 protected:
  /// @throws Error if index3 and there are velocity constraints
  ImplicitStep(MechanicalSystem& system, const IntegratorOptions& options, bool index3);

  void restart() override { has_factors_ = near_singularity_ = false; }

  /// Packs a step size and vectors into one list, for checkpoints, and unpacks them; returns the step size [s].
  /// @throws Error if the list has the wrong size or is not finite
  static std::vector<double> pack(double h, std::initializer_list<const Vector*> vectors);
  double unpack(std::span<const double> list, std::initializer_list<Vector*> vectors) const;

  /// Solves (1) to (3) from the predictor x_ and lambda_ for x_, lambda_, a_end_, now_.q and now_.v.
  void solve(double beta, double gamma);
  /// Filters the error e by Newton's matrix: removes errors in constrained directions and of vibrations much faster
  /// than the step. Call after `solve`.
  void filter(Vector& e);

  MechanicalSystem* mechanical_;
  Vector v_star_, a_star_, a_end_;  // nv
  Vector s_;                        // nv: x of (1), before the projection
  Vector lambda_;                   // equations

 private:
  enum class Factors : unsigned char { kept, at_predictor, at_iterates };
  enum class Outcome : unsigned char { converged, refused, not_finite };
  Outcome iterate(Factors factors, double beta, double gamma);
  Outcome accepted();  // converged, if all equations of (3) hold
  Outcome try_rounds(Outcome last, double beta, double gamma);
  Outcome by_accelerations(double beta, double gamma);
  void change_constraints();                 // (3)
  bool evaluate(double beta, double gamma);  // (1), and the residuals of (2), (3)
  bool factorize(double beta, double gamma);
  double advance(double gamma);                // returns delta
  double rounding(double beta, double gamma);  // delta that rounding of forces causes
  void finish(double beta, double gamma);

  bool index3_;
  std::unique_ptr<NewtonMatrix> newton_, other_;  // for this step; for the other (3), or null
  bool on_positions_;                             // newton_ solves Phi = 0
  StageRelations relations_;
  bool has_factors_ = false;
  bool near_singularity_ = false;  // at the start of the step
  bool projects_ = false;          // at its end
  double beta_made_ = 0, gamma_made_ = 0, rate_ = 0, goal_ = 0, lambda_change_ = 0;
  Vector x_guess_, x_kept_, lambda_guess_;
  Matrix r_, g_, d_, dlambda_;  // nv, equations
  Vector u_;                    // nv
  Vector all_;                  // equations
};

}  // namespace chasles
