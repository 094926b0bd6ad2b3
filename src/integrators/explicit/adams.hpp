/// Adams methods in PECE mode, of any order k up to 12, with two evaluations per step. Coordinates x about a base point
/// q_b, q = q_b exp(x), in which the motion is an ordinary differential equation with the rates K = dexp_{-x}^-1 v:
///
///     predict   x* = x_n + h sum_{j<k} beta_j K_{n-j},       v* likewise with k_{n-j}         (1)
///     correct   x_{n+1} = x_n + h (beta*_0 K* + sum_{0<j<k} beta*_j K_{n+1-j}),  v likewise   (2)
///
/// When the rotation in x_n exceeds `turn`, the base point moves to q_n and past rates are transformed to it. beta and
/// beta* come from the generating functions: beta_j = (-1)^j sum_{m>=j} (m over j) gamma_m with
/// sum_{i<=m} gamma_{m-i} / (i + 1) = 1 (Adams-Bashforth) or 0 for m > 0 (Adams-Moulton). The interpolant is the
/// polynomial of the corrector.
///
/// The first k - 1 steps, and steps of a different length, are taken by mk8 in quarters, with the interpolant of mk8.
#pragma once

#include "integrators/explicit/munthe_kaas.hpp"

namespace chasles {

class Adams : public OneStep {
 public:
  /// options.order: 1 to 12
  /// @throws Error for other orders
  Adams(DynamicalSystem& system, const IntegratorOptions& options);
  void reset(const State& start) override;
  void interpolate(double t, State& out) const override;

 protected:
  double attempt(double h) override;
  void restart() override { known_ = 0, multistep_ = false; }
  void moved() override;

 private:
  void enter_history();  // stores the state before this step
  void move_base();
  void start(double h);
  Eigen::Index history_column(int j) const { return (newest_ - j + k_max_) % k_max_; }  // of n - j

  static constexpr double turn = 0.7;  // [rad]
  int k_max_, known_ = 0, newest_ = 0;
  bool multistep_ = false;   // the last step was a multistep one
  Vector beta_, beta_star_;  // order
  Matrix basis_;             // integrals of the Lagrange polynomials, by powers of s
  Vector q_base_, q_n_, x_n_, x_p_, v_p_, u_;
  mutable Vector K_p_, k_p_;          // at the end of the step
  Matrix q_past_, V_past_, K_, k_;    // columns as ring buffer
  std::vector<MuntheKaas> starters_;  // one per quarter
};

}  // namespace chasles
