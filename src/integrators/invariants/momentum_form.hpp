/// Momentum form of a mechanism on one free base: the state is (q, u) with u = (h, v_J), the spatial
/// momentum of all about the world's origin and the rates of the joints behind the base. With
/// p = Ad_{C_0}^T h the momentum in the frame of the base, and M split into base and joints,
///
///     V_0 = M_00^-1 (p - M_0J v_J)                     the twist of the base                  (1)
///     h'  = (c x m g; m g) + sum W_k + Ad_{C_0}^-T Q_0                                        (2)
///           weight at the center of mass c, applied wrenches, and what drives the floating joint
///     v_J' = the joints' part of forward dynamics at (q, (V_0, v_J))                          (3)
///
/// Where nothing acts from outside (2) is zero, and any method keeps h to rounding, since it is a
/// component of its state. What acts between bodies does not enter it, but for the rounding of wrenches
/// that cancel.
///
/// By (1) errors of the pose of the base, which the velocity form does not notice, become errors of
/// the velocity, the more the farther the mechanism is from the origin. So the form is for methods
/// of high order (abm, mk8, dop853); with mk4 it loses more than it keeps.
///
/// IntegratorOptions::momentum_form puts this between a method and the user, who sees (q, v).
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

/// A method on the momentum form, with states (q, v) outside.
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
