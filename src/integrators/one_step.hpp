/// Base of all one-step methods: fixed or controlled step, the rates at both ends, and the interpolant
/// (interpolant.cpp).
///
///     q(s) = q exp(x(s)),   v(s),    s in [0, 1]:  tableau.hpp (3) in (x, v)                  (1)
///     err  = rms of (e_x / (tol scale), e_v / (tol (scale + |v|)))                            (2)
///     h   <- 0.9 h err^(-0.7/k) err_old^(0.4/k), within factors 0.2 ... 5                     (3)
///
/// (3) is proportional-integral control (Gustafsson); k is the order of the estimate plus one. The first step is
/// estimated as in Hairer, Norsett & Wanner II.4, with one evaluation. An attempt that fails (a force that is NaN, a
/// singular configuration) is repeated with a shorter step.
///
/// The step is limited by stability rather than accuracy if h |lambda| is at the end of the stability interval of the
/// method. The error of the step points along the eigenvector of such an eigenvalue, since it is amplified: with e the
/// error estimate, scaled to be small, and f the rates at the end of the step,
///
///     |lambda| ~ |f(y + e) - f(y)| / |e|          in the norm of (2)                          (4)
#pragma once

#include "chasles/integrators/integrator.hpp"
#include "integrators/explicit/tableau.hpp"

namespace chasles {

/// @throws Error if a number of the checkpoint is not finite
void require_finite(const std::string& method, const Checkpoint& from);

class OneStep : public Integrator {
 public:
  OneStep(DynamicalSystem& system, const IntegratorOptions& options);

  void reset(const State& start) override;
  void resume(const State& at, const Checkpoint& from) override;
  Checkpoint checkpoint() const override { return {origin_, h_next_, err_old_, memory()}; }
  void step(double until) override;
  void retry(double until) override;
  void replace(ConstVectorRef q, ConstVectorRef v) override;
  void interpolate(double t, State& out) const override;
  const Vector& multipliers() const override;
  MechanismState* mechanism_at_state() const override;

 protected:
  /// A step of length h from before_ to now_.t: sets x_ (the displacement in chart_), now_.q, now_.v; if the step is
  /// controlled also e_x_, e_v_. The rates at the start are in V_0_, a_0_. Returns the error norm (2), 0 if the step is
  /// fixed; above 1 the step is repeated.
  virtual double attempt(double h) = 0;
  /// Number of columns of F of tableau.hpp (3) beyond the third, for x and v. If the tableau has none, the cubic is
  /// raised to the order of the method by rates evaluated on the interpolant.
  virtual int dense_rows() const { return order_ > 4 ? raised_rows : 0; }
  virtual void dense(Matrix& F_x, Matrix& F_v) const { raise(F_x, F_v); }
  /// The longest step within the tolerance, if the method knows it in advance; 0: (3) chooses.
  virtual double known_step() { return 0; }
  /// Prepares the interpolant; and evaluates it at s in [0, 1].
  virtual void prepare_dense() const;
  virtual void point(double s, Vector& q, Vector& v) const;
  /// Projects a state on the interpolant, if steps are projected.
  void keep_on_constraints(State& state) const;
  /// Discards the history of multistep methods.
  virtual void restart() {}
  /// The history for a checkpoint, and its restoration; after `restart`, at now_.
  virtual std::vector<double> memory() const { return {}; }
  virtual void remember(std::span<const double>) {}
  /// Called after a hook has changed now_.
  virtual void moved() { group().minus(now_.q, before_.q, x_); }

  /// @throws StepError if the rates are not finite, or the motion has diverged
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef V, VectorRef a) const;
  /// The same at an iterate of an implicit method. Errors at a diverged iterate are not reported, since they say
  /// nothing about the motion.
  /// @returns false if the rates are not finite, or the iterate has diverged
  bool trial_rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef V, VectorRef a) const;
  /// Evaluates the rates at the end of the step once; the next step reuses them.
  void end_rates() const;
  /// The rates at the start of the step, for methods that need them only in their first step.
  void start_rates() const;
  /// The same with the multipliers there, in one evaluation: the multipliers stored in the system may belong to another
  /// state.
  void start_rates(Vector& lambda) const;
  /// Whether the constraint equations are nearly dependent at the last factorization.
  bool is_near_singularity() const;
  /// Whether an attempt over h that misses the tolerance leads away from a singular configuration all the same.
  bool leaves_singularity(double h) const;
  double error_norm(const Vector& e_x, const Vector& e_v) const;
  [[noreturn]] void fail(const std::string& why) const;  // StepError at the state before
  /// Reports a failed iteration of an implicit method: its first iterate has forces that are not finite, or it does not
  /// converge.
  [[noreturn]] void fail_iteration(const char* iteration, bool finite, double h) const;
  /// Text naming the coordinate that has diverged; empty: none.
  std::string runaway(ConstVectorRef q, ConstVectorRef v) const;

  const Group& group() const { return system_->group(); }
  DynamicalSystem* system_;
  IntegratorOptions options_;
  double fixed_step_;                         // [s]; 0: controlled
  double h_ = 0;                              // [s] of the last step
  double k_ = 0;                              // of (3); 0: fixed step
  double stability_ = 0;                      // interval of h lambda, as in tableau.hpp
  int order_ = 4;                             // of the method
  bool needs_start_rates_ = true;             // V_0_, a_0_ before an attempt
  Chart chart_ = Chart::exponential;          // of x_
  Vector x_;                                  // nv
  Vector e_x_, e_v_;                          // nv, of (2)
  mutable Vector V_0_, a_0_, V_1_, a_1_, w_;  // nv
  mutable Vector x_s_, v_s_;                  // nv: scratch of interpolants

 private:
  static constexpr int raised_rows = 2;
  static constexpr double err_at_start = 1e-4;

  void require_reset() const;
  void require_kept(double t) const;  // checks a state that a hook has changed
  void step_fixed(double until);
  void step_controlled(double until);
  void take(double h, double t_end);
  double attempt_to(double h, double t_end);
  void go_back();
  void done(double h);
  void uncount();
  double first_step();
  void watch_stability(double h);

  bool is_at_state() const;
  template <class Evaluation>
  void checked(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
               const Evaluation& evaluate) const;

  void slope(double s, Vector& x_dot, Vector& v_dot) const;
  void raise(Matrix& F_x, Matrix& F_v) const;

  double tolerance_, max_step_;
  double origin_ = 0;  // [s], of the grid of fixed steps
  double h_next_ = 0, err_old_ = 1e-4;
  int since_watched_ = 0;
  StepStatistics uncounted_;  // before the last step was counted
  std::string trouble_;       // reason of the last failed attempt
  mutable std::string why_;   // text of the last StepError
  mutable bool starts_known_ = false, ends_known_ = false, dense_ready_ = false;
  /// MechanicalSystem::serial of the mechanism when it was set to now_; -1: now_ has changed since.
  mutable long serial_at_now_ = -1;
  mutable Matrix F_x_, F_v_;    // nv x (3 + dense_rows)
  mutable Matrix residual_[2];  // nv x 2
  mutable Vector V_s_, a_s_;    // nv
  mutable Vector q_s_;          // nq
  mutable State projected_;
};

}  // namespace chasles
