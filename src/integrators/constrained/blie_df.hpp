/// Two-step BLieDF (Wieloch & Arnold 2021): backward differentiation formula on the group, of second order and
/// L-stable. With D = x / h,
///
///     q_{n+1} = q_n exp(x_{n+1})                                                              (1)
///     v_{n+1} = (3 D_{n+1} - D_n) / 2                                                         (2)
///     vd_{n+1} = (3 v_{n+1} - 4 v_n + v_{n-1}) / (2 h)                                        (3)
///
/// (1) and (2) are the backward difference of q in terms of increments; the commutator term of the group is of third
/// order. Solved as in implicit_step.hpp, index 2, with gamma = 3 / (2h), beta = 9 / (4 h^2).
///
/// The first step, and steps of a different length, are taken by generalized alpha with spectral radius 0, which has
/// the same order and damping.
#pragma once

#include "integrators/constrained/alpha.hpp"

namespace chasles {

class BLieDF : public GeneralizedAlpha {
 public:
  BLieDF(MechanicalSystem& system, const IntegratorOptions& options);

 protected:
  double attempt(double h) override;
  void restart() override;
  void moved() override;
  std::vector<double> memory() const override;
  void remember(std::span<const double> memory) override;

 private:
  double t_past_, h_past_ = 0;  // [s]: x_past_ and v_past_ are of the step that ended at t_past_
  Vector x_past_, v_past_;      // nv: x of that step, v at its start
};

}  // namespace chasles
