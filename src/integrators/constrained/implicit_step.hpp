/// What implicit methods for stiff and constrained systems share: a step in which position,
/// velocity and acceleration at the end hang on one unknown displacement, solved by Newton's
/// method.
///
///     q_1 = q_0 exp(x),    s = x + B_0^T w,    v_1 = v_* + gamma s,    a_1 = a_* + beta s     (1)
///     M(q_1) a_1 - f(t_1, q_1, v_1) + B_1^T lambda = 0                                        (2)
///     Phi(q_1) = 0                                                                            (3)
///     B(q_1) v_1 = 0                                                                          (4)
///
/// v_*, a_*, gamma ~ 1/h and beta ~ 1/h^2 are those of the method. (2) and (3) alone, without w,
/// are index 3: velocities leave B v = 0, and multipliers have a transient. With (4) and w (Gear,
/// Gupta & Leimkuhler 1985, on the group) both constraints are kept; w, one entry per row that
/// binds positions, is of the size of the error. Rows that bind velocities only stand in (4) alone.
///
/// Newton. With T = dexp_{-x}, dq_1 = T dx, tangents K, D, M of (2), S dq = d(B^T lambda), c = 1 /
/// beta:
///
///     [A + c (K + S) T      B_1^T  A B_0^T  ] [dx      ]      [c r]
///     [B_1 T                0      0        ] [c dlambda] = -  [Phi]                          (5)
///     [B_1 + d(B v)T/gamma  0      B_1 B_0^T] [dw      ]      [B v / gamma]
///
/// A = M + c gamma D. Scaled so, all entries are of the size of masses and lengths whatever the
/// step is: without c the condition grows as h^-4. d(B v)/dq is found by differences: it only has
/// to be good enough for convergence. The factors are kept as long as they converge well, and made
/// anew at the iterate when they do not.
#pragma once

#include "integrators/one_step.hpp"
#include "math/decompositions.hpp"

namespace chasles {

class ImplicitStep : public OneStep {
 public:
  const Vector& multipliers() const override;

 protected:
  /// @param index3  (2) and (3) alone
  /// @throws Error if index3 and there are rows that bind velocities only
  ImplicitStep(MechanicalSystem& system, const IntegratorOptions& options, bool index3);

  void restart() override { fresh_enough_ = false; }

  /// A step and vectors as one list, for checkpoints, and back; gives the step [s].
  /// @throws Error if the list is of another size, or not finite
  static std::vector<double> pack(double h, std::initializer_list<const Vector*> vectors);
  double unpack(std::span<const double> list, std::initializer_list<Vector*> vectors) const;

  /// (1) to (4), from the guess x_ and lambda_, into x_, lambda_, s_, a_end_, now_.q and now_.v.
  void solve(double beta, double gamma);
  /// What of e would be seen by (5): errors along constraints and of vibrations that are far too
  /// fast for the step are not. After `solve`.
  void filter(Vector& e);

  MechanicalSystem* mechanical_;
  Vector v_star_, a_star_;  // nv
  Vector s_, a_end_;        // nv
  Vector lambda_;           // rows

 private:
  void evaluate(double beta, double gamma);    // (1), and the right side of (5)
  void factorize(double beta, double gamma);   // (5)
  double advance(double beta, double gamma);   // returns the change of velocities, relative
  double rounding(double beta, double gamma);  // the same, of what rounding does to forces

  bool index3_;
  int n_, m_, m_q_, m_w_;  // nv, rows, those that bind positions, entries of w
  bool fresh_enough_ = false;
  double beta_made_ = 0, gamma_made_ = 0, rate_ = 0;
  MechanicalSystem::Tangent tangent_;
  Matrix S_, T_, B_0_, B_1_;   // nv x nv, rows x nv
  Matrix dBv_;                 // rows x nv
  Vector q_near_;              // nq
  Vector u_, ds_;              // nv
  Vector Phi_, Bv_, Bv_near_;  // rows
  Eigen::VectorXd w_pos_;      // w
  Eigen::MatrixXd newton_, KT_;
  Eigen::VectorXd r_, dy_;
  RowPivotedLu lu_;
};

}  // namespace chasles
