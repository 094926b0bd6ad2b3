/// RATTLie (Hante & Arnold 2021): variational integrator on the group with constraints. With the discrete Lagrangian
/// L_d = (h/2) (L(q_0, D) + L(q_1, D)), q_1 = q_0 exp(x), x = h D, and half of the forces at each end,
///
///     P = (M(q_0) + M(q_1)) D / 2,    F(t, q) = pd(t, q, D) - ad_D^T M(q) D                   (1)
///     p_0 + (h/2) (F(t_0, q_0) - B_0^T lambda_0) = dexp_{x}^-T P,      Phi(q_1) = 0           (2)
///     p_1 = dexp_{-x}^-T P + (h/2) (F(t_1, q_1) - B_1^T lambda_1),     B_1 v_1 = 0            (3)
///
/// pd is the rate of momentum (MechanicalSystem::momentum_rate); forces that depend on v are evaluated with D at both
/// ends, which keeps the method symmetric. Order 2; symplectic without such forces; Phi = 0 and B v = 0 hold to
/// rounding. lambda_0 and lambda_1 belong to half a step each and have an error O(h); the multipliers at the end are
/// those of the KKT system, of order 2. Without constraints it is Stoermer-Verlet on the group (variational.hpp).
///
/// (2) is solved for (x, (h^2/2) lambda_0) by an accelerated quasi-Newton iteration with the KKT matrix
///
///     [M(q_0)  B_0^T]
///     [B_0     0    ]                                                                         (4)
///
/// of forward dynamics at q_0, in O(n); (3) is a KKT system as well.
#pragma once

#include "integrators/implicit/anderson.hpp"
#include "integrators/one_step.hpp"

namespace chasles {

class Rattlie : public OneStep {
 public:
  /// @throws Error if there are velocity constraints
  Rattlie(MechanicalSystem& system, const IntegratorOptions& options);

 protected:
  double attempt(double h) override;
  void restart() override { extrapolate_ = false; }

 private:
  void correct();                                      // (4), of r_ and Phi_
  void depart(double h);                               // (2): its residual, into r_
  void arrive(double h);                               // (3)
  void momentum_force(const Vector& MD, Vector& out);  // F of (1)

  double rounding(double h);  // of x, due to rounding of momenta

  MechanicalSystem* mechanical_;
  int n_, m_;
  bool extrapolate_ = false;
  double h_past_ = 0;
  Vector p_, D_, MD_0_, MD_1_, P_, F_, u_, v_past_;  // nv
  Vector r_, dx_;                                    // nv
  Vector lambda_0_, mu_, dmu_, zero_, Phi_;          // equations
  Vector z_, G_;                                     // (x, (h^2/2) lambda_0)
  Anderson anderson_;
};

}  // namespace chasles
