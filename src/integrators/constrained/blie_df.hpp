/// BLieDF of two steps (Wieloch & Arnold 2021): backward differences on the group, of second order,
/// and L-stable: of what is far too fast for the step nothing is left. With D = x / h,
///
///     q_{n+1} = q_n exp(x_{n+1})                                                              (1)
///     v_{n+1} = (3 D_{n+1} - D_n) / 2                                                         (2)
///     vd_{n+1} = (3 v_{n+1} - 4 v_n + v_{n-1}) / (2 h)                                        (3)
///
/// (1) and (2) are the backward difference of q, told by increments: a commutator, which the group
/// adds, is of third order. Solved as in implicit_step.hpp, index 2, with gamma = 3 / (2h),
/// beta = 9 / (4 h^2).
///
/// The first step, and those of another length, are of generalized alpha with the radius 0, which
/// has the same order and damping.
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
  double t_past_, h_past_ = 0;  // [s]: the past is that before t_past_
  Vector x_past_, v_past_;      // nv: x of the step that led there, v where it began
};

}  // namespace chasles
