/// Gauss collocation in the algebra, with coordinates centred at the geodesic midpoint of the step:
/// implicit, symmetric, order 2 s. One stage is the implicit Lie midpoint rule.
///
///     x = h sum_j b_j K_j,          q_{n+1} = q_n exp(x),   q_m = q_n exp(x/2)                (1)
///     y_i = h sum_j (a_ij - b_j/2) K_j,                     q_i = q_m exp(y_i)                (2)
///     v_i = v_n + h sum_j a_ij k_j                                                            (3)
///     K_i = dexp_{-y_i}^-1 v_i,     k_i = f(t_n + c_i h, q_i, v_i)                            (4)
///
/// Exchanging the ends of the step changes the sign of y and nothing else, so the map is its own
/// inverse with -h (coordinates centred at q_n have not this property). (4) is solved as a fixed
/// point in (K, h k), to rounding, with Anderson acceleration.
#pragma once

#include "integrators/implicit/anderson.hpp"
#include "integrators/one_step.hpp"

namespace chasles {

class Gauss : public OneStep {
 public:
  Gauss(System& system, const IntegratorOptions& options, int stages);

 protected:
  double attempt(double h) override;
  void restart() override { extrapolate_ = false; }

 private:
  void guess(double h);
  void evaluate(double h);  // (2) to (4): from z_ into G_
  /// How far b is from a, as changes of q and v; and how far G_ goes if q and v change by d.
  static double distance(double h, const Vector& a, const Vector& b);
  double answer(double h, double d);

  int s_;
  Vector b_, c_;  // stages
  Matrix a_;      // stages x stages
  Matrix past_;   // stages x (stages + 1): extrapolation of k from the last step
  bool extrapolate_ = false;
  double h_past_ = 0;
  Vector z_, G_;  // (K, h k): 2 nv stages
  Vector z_kept_, G_kept_;
  Vector y_, v_i_, k_;  // nv
  Vector q_m_, q_i_;    // nq
  Anderson anderson_;
};

}  // namespace chasles
