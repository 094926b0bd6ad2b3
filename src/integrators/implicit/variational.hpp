/// Variational integrators of mechanisms: they discretize the action, not the equations of motion, so momenta are
/// conserved to rounding and the energy error stays bounded. State (q, p), p = M v. With a discrete Lagrangian
/// L_d(q_0, q_1), and half of the generalized forces f (gravity and all others) at each end:
///
///     p_0 + (h/2) f_0 = -D_1 L_d,        p_1 = D_2 L_d + (h/2) f_1                            (1)
///
/// `Variational` (discrete recursive Newton-Euler; Lee, Liu, Park & Srinivasa 2016): every link
/// moves along a screw, h V_i = log(C_i^-1 C_i'), and L_d = (h/2) sum_i V_i^T M_i V_i, so
///
///     mu_i = Ad_{C_i}^-T dexp_{h V_i}^-T M_i V_i      momentum of link i, in the world        (2)
///     p_0 + (h/2) f_0 = J(q_0)^T mu + I_a x / h,     p_1 = J(q_1)^T mu + I_a x / h + (h/2) f_1    (3)
///
/// J^T mu is the inward pass of the momenta. mu is the same at both ends, so momentum is conserved exactly. The
/// rounding residual of (3) at q_0 is subtracted at q_1, and V_i is computed with floating bases moved to the origin,
/// so that momentum is also conserved far from the origin and over many steps.
///
/// `LieVerlet`: L_d = (h/2) (L(q_0, D) + L(q_1, D)), q_1 = q_0 exp(h D), hence
///
///     P = (M(q_0) + M(q_1)) D / 2,    g(q) = dL/dq at (q, D) = pd(q, D) - ad_D^T M(q) D       (4)
///     p_0 = dexp_{h D}^-T P - (h/2) g(q_0),    p_1 = dexp_{-h D}^-T P + (h/2) g(q_1)          (5)
///
/// Both are of order 2, symmetric, O(n), and solved for x = h D by the accelerated iteration x -= h M(q_0)^-1 r with
/// the factorization of M at q_0. Forces that depend on v are evaluated at the ends.
#pragma once

#include "chasles/dynamics/factorization.hpp"
#include "chasles/dynamics/momentum.hpp"
#include "chasles/systems/model_system.hpp"
#include "integrators/implicit/anderson.hpp"
#include "integrators/one_step.hpp"

namespace chasles {

/// Base of the two methods: (1), the solution for x, and the joint forces.
class DiscreteLagrangian : public OneStep {
 public:
  DiscreteLagrangian(ModelSystem& system, const IntegratorOptions& options);

 protected:
  double attempt(double h) override;
  void restart() override { continues_ = false; }
  void moved() override {
    OneStep::moved();
    restart();
  }

  virtual void begin() {}  // kin_0_ and M_0_ are up to date
  /// out = -D_1 L_d at x_, q_1_ (nv); and D_2 L_d there, with kin_1_ and M_1_ up to date. p_ is the
  /// left side of (1).
  virtual void departing(double h, Vector& out) = 0;
  virtual void arriving(double h, Vector& out) = 0;

  const Model& model() const { return mechanism_->model(); }
  /// Joint forces f at (t, q, v), and the factorization of M there.
  void node(double t, ConstVectorRef q, ConstVectorRef v, VelocityKinematics& kin,
            MassFactorization& M, Vector& f);

  /// Solves the first equation of (1) for x_; then the second for now_.v and p_1_.
  void depart(double h);
  void arrive(double h);
  /// Effect of rounding of momenta on velocities: |M^-1 dp| with |dp| a unit in the last place of p.
  double rounding(MassFactorization& M, const Vector& p);

  ModelSystem* mechanism_;
  VelocityKinematics kin_0_, kin_1_;
  MassFactorization M_0_, M_1_;
  MomentumDynamics momenta_;
  Vector q_1_;                                       // nq
  Vector p_, p_1_, f_0_, f_1_, r_, G_, v_1_, zero_;  // nv
  Vector dp_, dv_;                                   // nv

 private:
  bool continues_ = false;  // p_, f_1_, kin_1_ and M_1_ are those of now_
  Anderson anderson_;
};

class Variational : public DiscreteLagrangian {
 public:
  Variational(ModelSystem& system, const IntegratorOptions& options);

 protected:
  void begin() override;
  void departing(double h, Vector& out) override;
  void arriving(double h, Vector& out) override;

 private:
  std::vector<Wrench>
      mu_;  // links: momentum of each subtree, in world axes about the link origin at q_0
  PositionKinematics at_0_near_;  // with floating bases at the origin at the start of the step
  PositionKinematics at_1_near_;
  Vector q_0_near_, q_1_near_;  // nq
};

class LieVerlet : public DiscreteLagrangian {
 public:
  LieVerlet(ModelSystem& system, const IntegratorOptions& options);

 protected:
  void departing(double h, Vector& out) override;
  void arriving(double h, Vector& out) override;

 private:
  /// g of (4) at the configuration of `kin`, and M D.
  void pull(const VelocityKinematics& kin, Vector& MD, Vector& g);
  VelocityKinematics kin_;
  Vector D_, MD_0_, MD_1_, P_, g_, u_;  // nv
};

}  // namespace chasles
