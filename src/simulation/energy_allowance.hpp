/// How far the energy of a conservative run may drift: what errors of steps within their tolerance can do.
///
///     |e_x| <= tol s,    |e_v| <= tol (s / (1 s) + |v|)                    IntegratorOptions (1)
///     dE = (v + e_v / 2)^T M e_v + e_x^T dE/dq                                                  (1)
///        <= tol ((a + tol b / 2) b + (2 T + c) d),
///           a = sqrt(2 T),  b = sum_i m_i (s_i + |v_i|),  c = sum_i m_i |v'_i|,  d = sum_i m_i s_i  (2)
///
/// by the inequality of Cauchy and Schwarz in the metric of M, with m_i = sqrt(M_ii); 2 T stands for the derivative of
/// T by q. Rounding makes as much of the energies, and of the weight in a height of s: a mechanism at rest in a plane
/// across gravity has none of both, and still falls by the last digit of its positions. The sum of (2) over the steps is
/// what the tolerance explains; a thousand times that, or of rounding, is an error that no tolerance makes: forces that
/// are not the gradient of their potential, a step across a jump or a singular configuration.
#pragma once

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/simulation/invariants.hpp"
#include "chasles/simulation/scenario.hpp"

namespace chasles {

/// The scenario outlives it. After construction no call allocates, but when it ends the run.
class EnergyAllowance {
 public:
  explicit EnergyAllowance(const Scenario& scenario);

  /// Whether the run has something to be measured by: it is conservative, its method has a tolerance, and its
  /// constraints are kept, not drawn back to.
  bool applies() const { return applies_; }
  void start() { explained_ = rounding_ = 0, steps_ = 0; }
  /// After a step. @throws Error
  void step(const Integrator& integrator, const Invariants& at, double drift);

 private:
  const Scenario& scenario_;
  bool applies_;
  double tolerance_of_step(const Integrator& integrator);
  double tolerance_;
  long implicit_steps_ = 0;  // until the last step
  MassMatrix mass_;
  Vector scales_, m_;  // nv: s_i; sqrt(M_ii), the largest so far
  double weight_;      // in a height of the largest s_i [J]
  double explained_ = 0, rounding_ = 0;
  long steps_ = 0;
};

}  // namespace chasles
