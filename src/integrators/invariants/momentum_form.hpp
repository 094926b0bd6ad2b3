/// Momentum form of a mechanism on one floating base: the state is (q, u) with u = (h, v_J), the total spatial momentum
/// about the world origin and the joint velocities behind the base. With p = Ad_{C_0}^T h the momentum in the frame of
/// the base, and M split into base and joints,
///
///     V_0 = M_00^-1 (p - M_0J v_J)                     the twist of the base                  (1)
///     h'  = (c x m g; m g) + sum W_k + Ad_{C_0}^-T Q_0                                        (2)
///           weight at the center of mass c, applied wrenches, and forces in the floating joint
///     v_J' = the joints' part of forward dynamics at (q, (V_0, v_J))                          (3)
///
/// Without external forces (2) is zero, and every method conserves h to rounding, since h is part of its state.
/// Internal forces do not enter (2), except for the rounding of wrenches that cancel.
///
/// By (1) errors of the base pose, which do not affect the velocity form, become errors of the velocity, growing with
/// the distance from the origin. So the form is for methods of high order (abm, mk8, dop853); with mk4 it loses more
/// than it gains.
///
/// IntegratorOptions::momentum_form wraps a method in this form; the interface remains (q, v).
#pragma once

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/integrators/integrator.hpp"
#include "integrators/invariants/free_base.hpp"

namespace chasles {

class MomentumForm : public DynamicalSystem {
 public:
  /// @throws Error naming the model, if it is not one tree on one floating joint
  explicit MomentumForm(ModelSystem& system);

  /// From (q, v) to u and back: nv.
  void momenta(ConstVectorRef q, ConstVectorRef v, VectorRef u);
  void velocities_of(ConstVectorRef q, ConstVectorRef u, VectorRef v);

  const Group& group() const override { return system_->group(); }
  void rates(double t, ConstVectorRef q, ConstVectorRef u, VectorRef velocity,
             VectorRef u_dot) override;

 private:
  Wrench from_outside(ConstVectorRef q);

  ModelSystem* system_;
  FreeBase base_;
  MassMatrix mass_;
  PositionKinematics kin_;
  Vector v_;  // nv
};

/// A method in momentum form with the interface (q, v).
class MomentumIntegrator : public Integrator {
 public:
  MomentumIntegrator(ModelSystem& system, const IntegratorOptions& options);
  void reset(const State& start) override;
  void resume(const State& at, const Checkpoint& from) override;
  Checkpoint checkpoint() const override { return inner_->checkpoint(); }
  void step(double until) override;
  void retry(double until) override;
  void replace(ConstVectorRef q, ConstVectorRef v) override;
  void interpolate(double t, State& out) const override;

 private:
  void begin(const State& start);
  void take_over();
  mutable MomentumForm form_;
  std::unique_ptr<Integrator> inner_;
  mutable State u_;
};

}  // namespace chasles
