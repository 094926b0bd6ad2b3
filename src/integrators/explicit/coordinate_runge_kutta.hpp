/// Runge-Kutta on the coordinates q as a plain vector, with quaternions normalized after the step. The common approach;
/// included for comparison.
///
///     q_i = q_n + h sum_j a_ij B(q_j) v_j,   q' = B(q) v                                      (1)
#pragma once

#include "integrators/one_step.hpp"

namespace chasles {

class CoordinateRungeKutta : public OneStep {
 public:
  CoordinateRungeKutta(DynamicalSystem& system, const IntegratorOptions& options,
                       const Tableau& tableau);

 protected:
  double attempt(double h) override;

 private:
  const Tableau* tableau_;
  Matrix Q_, a_;  // nq x stages: q'; nv x stages: v'
  Vector q_i_, v_i_, w_i_;
};

}  // namespace chasles
