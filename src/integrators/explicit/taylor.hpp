/// Taylor series method: the motion of a mechanism as a power series in time, restarted at every step:
///
///     v(t) = v[0] + v[1] t + ... + v[p] t^p,    (k+1) v[k+1] = a[k]  by tree_series.hpp      (1)
///     q(t): coordinates by integration of v; quaternions by q' = q (0, w) / 2, normalized;
///           positions of floating joints by r' = R v                                             (2)
///
/// All coefficients cost O(n p^2); the articulated inertias are factorized once per step. With n_k the norm of
/// coefficient k of the state (one_step.hpp (2) with tolerance 1), the series converges like a geometric one with
///
///     g = max n_k^{1/k}, k = p - 5 ... p,    truncation error about (g h)^{p+1}              (3)
///
/// which gives the step size before the step is taken. Fewer coefficients would not do: of symmetric motions some vanish,
/// of a pendulum that starts horizontally two in every four. The series is its own interpolant. Forces follow from the
/// motion order by order (systems/motion_series.hpp), so do the multipliers of loops and couplings
/// (systems/loop_series.hpp); the end of a step is projected onto these, which removes the truncation error.
#pragma once

#include "chasles/systems/model_system.hpp"
#include "integrators/one_step.hpp"
#include "systems/loop_series.hpp"
#include "systems/motion_series.hpp"

namespace chasles {

class Taylor : public OneStep {
 public:
  /// @throws Error naming the force or constraint that cannot be expanded; for an invalid order
  Taylor(ModelSystem& system, const IntegratorOptions& options);
  void reset(const State& start) override {
    known_ = false;  // forces may have changed
    OneStep::reset(start);
  }

 protected:
  double attempt(double h) override;
  double known_step() override;
  int dense_rows() const override { return 0; }
  void prepare_dense() const override { expand(); }
  void point(double s, Vector& q, Vector& v) const override;
  void moved() override;

 private:
  void expand() const;  // (1), (2) at before_, unless up to date
  void expand_forces(int k) const;
  void expand_quaternions() const;
  void evaluate(double h, Vector& q, Vector& v) const;
  double decay() const;  // g of (3)

  ModelSystem* mechanism_;
  int p_;
  mutable derivatives::TreeSeries series_;
  mutable ForceExpansion forces_;
  mutable State at_;  // expansion point of the series
  mutable bool known_ = false;
  mutable Matrix q_;  // nq x (p + 1): coefficients, for normalized quaternions
  mutable derivatives::MotionSeries motion_;
  mutable derivatives::LoopSeries loops_;
  mutable double g_ = 0;
  Vector q_end_, v_end_;  // end of the last step before a hook changed it
  Vector dx_, dv_;        // nv: change by the hook
  mutable Vector x_i_;    // nv
  mutable Vector q_i_;    // nq
};

}  // namespace chasles
