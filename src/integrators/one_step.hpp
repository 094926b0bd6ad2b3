/// What all methods share that lead from one state to the next: fixed or controlled step, the rates
/// at both ends, and the interpolant.
///
///     q(s) = q exp(x(s)),   v(s),    s in [0, 1]:  tableau.hpp (3) in (x, v)                  (1)
///     err  = rms of (e_x / tol, e_v / (tol (1 + |v|)))                                        (2)
///     h   <- 0.9 h err^(-0.7/k) err_old^(0.4/k), within factors 0.2 ... 5                     (3)
///
/// Control by (3) is proportional-integral (Gustafsson); k is the order of the estimate plus one.
/// The first step is estimated as by Hairer, Norsett & Wanner II.4, at one evaluation.
#pragma once

#include "chasles/integrators/integrator.hpp"
#include "integrators/explicit/tableau.hpp"

namespace chasles {

class OneStep : public Integrator {
 public:
  OneStep(System& system, const IntegratorOptions& options);

  void reset(const State& start) override;
  void step(double until) override;
  void retry(double until) override;
  void replace(ConstVectorRef q, ConstVectorRef v) override;
  void interpolate(double t, State& out) const override;

 protected:
  /// From before_ over h to now_.t: fills x_ (where the step leads, in chart_), now_.q, now_.v. The
  /// rates at the start are in V_0_, a_0_. Returns the error norm (2), 0 if the step is fixed; above 1 the step is repeated.
  virtual double attempt(double h) = 0;
  /// Columns of F of tableau.hpp (3) beyond the third, for x and v.
  virtual int dense_rows() const { return 0; }
  virtual void dense(Matrix& F_x, Matrix& F_v) const { (void)F_x, (void)F_v; }
  /// The history is no longer valid: multistep methods.
  virtual void restart() {}
  /// The hook has changed now_ a little.
  virtual void moved() { group().minus(now_.q, before_.q, x_); }

  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef V, VectorRef a) const {
    ++statistics_.evaluations;
    system_->rates(t, q, v, V, a);
    if (!a.allFinite()) [[unlikely]]
      not_finite(t);
  }
  /// Rates at the end of the step, once: they are those at the start of the next.
  void end_rates() const;
  double error_norm(const Vector& e_x, const Vector& e_v) const;
  [[noreturn]] void not_finite(double t) const;
  [[noreturn]] void fail(const std::string& why) const;  // StepError at the state before

  const Group& group() const { return system_->group(); }
  System* system_;
  IntegratorOptions options_;
  double h_ = 0;                                            // [s] of the last step
  double k_ = 0;                                            // of (3); 0: fixed step
  bool needs_start_rates_ = true;                           // V_0_, a_0_ before an attempt
  LocalCoordinates chart_ = LocalCoordinates::exponential;  // that x_ is in
  Vector x_;                                                // nv
  mutable Vector V_0_, a_0_, V_1_, a_1_, w_;                // nv

 private:
  void take(double h, double t_end);
  void step_controlled(double until);
  double attempt_to(double h, double t_end);
  void go_back();
  void done(double h);
  double first_step();
  void prepare_dense() const;

  double h_next_ = 0, err_old_ = 1e-4;
  mutable bool starts_known_ = false, ends_known_ = false, dense_ready_ = false;
  mutable Matrix F_x_, F_v_;  // nv x (3 + dense_rows)
  mutable Vector x_s_;        // nv
};

}  // namespace chasles
