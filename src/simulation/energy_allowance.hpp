/// Bound on the energy drift of a conservative run, from step errors within the tolerance.
///
///     |e_x| <= tol s,    |e_v| <= tol (s / (1 s) + |v|)                    IntegratorOptions (1)
///     dE = (v + e_v / 2)^T M e_v + e_x^T dE/dq                                                  (1)
///        <= tol ((a + tol b / 2) b + (2 T + c) d),
///           a = sqrt(2 T),  b = sum_i m_i (s_i + |v_i|),  c = sum_i m_i |v'_i|,  d = sum_i m_i s_i  (2)
///
/// by the Cauchy-Schwarz inequality in the metric of M, with m_i = sqrt(M_ii); 2 T bounds the derivative of T by q.
/// Rounding adds errors relative to the energies, and to the potential energy of the weight at a height s: a mechanism
/// at rest in a plane perpendicular to gravity has zero energies and still falls by the last digit of its positions.
/// The sum of (2) over the steps is the drift that the tolerance explains. A drift of a thousand times that, or of
/// rounding, indicates an error: forces that are not the gradient of their potential, a step across a jump or through
/// a singular configuration.
#pragma once

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/simulation/invariants.hpp"
#include "chasles/simulation/scenario.hpp"

namespace chasles {

/// The scenario must outlive it. After construction no call allocates, except to report an error.
class EnergyAllowance {
 public:
  explicit EnergyAllowance(const Scenario& scenario);

  /// Whether the bound applies: the run is conservative, its method has a tolerance, and its constraints are not
  /// stabilized by Baumgarte's method.
  bool applies() const { return applies_; }
  void start() { explained_ = rounding_ = 0, steps_ = 0; }
  /// After a step. @throws Error
  void step(const Integrator& integrator, const Invariants& at, double drift);

 private:
  const Scenario& scenario_;
  bool applies_;
  double tolerance_of_step(const Integrator& integrator);
  double tolerance_;
  long implicit_steps_ = 0;  // count at the last step
  MassMatrix mass_;
  Vector scales_, m_;  // nv: s_i; largest sqrt(M_ii) so far
  double weight_;      // potential energy of the weight at a height of the largest s_i [J]
  double explained_ = 0, rounding_ = 0;
  long steps_ = 0;
};

}  // namespace chasles
