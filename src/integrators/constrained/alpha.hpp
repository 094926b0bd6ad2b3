/// Generalized alpha on the group (Chung & Hulbert 1993; Bruels, Cardona & Arnold 2012): second order, with spectral
/// radius r at infinite frequency (0: full numerical damping, 1: none). The state `a` is not the acceleration vd of the
/// equations of motion but a filtered one:
///
///     (1 - am) a_{n+1} + am a_n = (1 - af) vd_{n+1} + af vd_n                                 (1)
///     x = h v_n + h^2 ((1/2 - b) a_n + b a_{n+1}),
///     v_{n+1} = v_n + h ((1 - g) a_n + g a_{n+1})                                             (2)
///     am = (2r - 1) / (r + 1),  af = r / (r + 1),  g = 1/2 + af - am,  b = (g + 1/2)^2 / 4    (3)
///
/// so that a_n is the acceleration at t_n + d h, d = am - af, to second order. Its initial value is
///
///     a_0 = vd_0 + d h vdd_0,      h vdd_0 = vd_B - vd_0                                      (4)
///
/// with the acceleration vd_B one step ahead, at q_0 exp(h v_0 + h^2 vd_0 / 2), v_0 + h vd_0. This is inaccurate if the
/// motion starts faster than the step resolves (an excited vibration, a strong damper), which is detected by
///
///     |vd_B - vd_A| > |vd_0|     or     h |vd_A - vd_T| > |v_0|                                (5)
///
/// vd_A at q_0 exp(h v_0), v_0 and vd_T at q_0, v_0, all at t_0 + h: the change of acceleration by the displacement of
/// one step exceeds the acceleration that caused it. The first fixed step is then one of backward Euler, which damps
/// such motion; its single error of O(h^2) keeps second order. A controlled step becomes smaller.
///
/// When the step changes from h' to h, a_n - vd_n is scaled by h / h'; otherwise variable steps would be of first order
/// (Bruels & Arnold 2008). (1), (2) give v and vd in terms of x as implicit_step.hpp requires.
///
/// Local errors, with vdd from differences of a and vddd from differences of vd:
///
///     e_x = h^3 vdd (1/6 - b - d/2),     e_v = h^3 vddd (1/6 - (1 - g) d^2/2 - g (1 + d)^2/2) (6)
///
/// filtered by Newton's matrix (ImplicitStep::filter).
#pragma once

#include "integrators/constrained/implicit_step.hpp"

namespace chasles {

class GeneralizedAlpha : public ImplicitStep {
 public:
  /// Uses options.step or a tolerance, options.rho and options.index.
  GeneralizedAlpha(MechanicalSystem& system, const IntegratorOptions& options);

 protected:
  double attempt(double h) override;
  void restart() override;
  /// h, a and vd of at_1_, vd of at_0_, lambda.
  std::vector<double> memory() const override;
  void remember(std::span<const double> memory) override;

 private:
  /// State of the method besides q and v: accelerations, and the step that led there.
  struct Carried {
    double t = std::numeric_limits<double>::quiet_NaN(), h = 0;
    Vector a, vd;        // nv
    bool rough = false;  // too fast for (4)
  };
  void begin(double h);           // (4)
  bool begins_roughly(double h);  // (5); leaves h vdd_0 in w_
  void newmark(double h);         // (1) and (2)
  void backward_euler(double h);
  double estimate(double h);

  double am_, af_, g_, b_, d_;  // (3)
  Carried at_0_, at_1_;         // the start of the step, its end
  Vector vd_past_;              // nv: a step before the start
  bool has_past_ = false;
  Vector vd_t_;      // nv: of (5)
  Vector a_;         // nv: a_n, for a step of this length
  Vector lambda_0_;  // constraint equations: at the start of the step
};

}  // namespace chasles
