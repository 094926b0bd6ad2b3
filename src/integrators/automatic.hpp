/// The default method: DOP853 where accuracy limits the steps, Radau IIA where stability does.
///
/// DOP853 watches h |lambda| (one_step.hpp (4)). When stability limited more than half of the last 64 steps,
/// or a step failed, Radau takes over from the same state. Every 16 of its steps the spectral radius
/// rho of the first-order system is estimated by a power iteration; when DOP853, stable for h rho < 6.1, could take
/// steps twice as long as those of Radau, it takes over again. Each return doubles the number of steps before the next
/// one, so that a motion at the border does not alternate between the methods.
///
/// Systems that are not mechanical (DynamicalSystem::mechanical), or with held joints that Newton's method cannot
/// handle, stay with DOP853.
#pragma once

#include "chasles/integrators/integrator.hpp"

namespace chasles {

class Automatic : public Integrator {
 public:
  /// Default tolerance of Radau. 1e-10, the default of DOP853, would need hundreds of steps in every transition of dry
  /// friction or contact, whose regularization is already an error of 1e-3.
  static constexpr double stiff_tolerance = 1e-6;

  Automatic(DynamicalSystem& system, const IntegratorOptions& options);

  void reset(const State& start) override;
  void resume(const State& at, const Checkpoint& from) override;
  Checkpoint checkpoint() const override;
  void step(double until) override;
  void retry(double until) override;
  void replace(ConstVectorRef q, ConstVectorRef v) override;
  void interpolate(double t, State& out) const override;
  const Vector& multipliers() const override;
  MechanismState* mechanism_at_state() const override { return active().mechanism_at_state(); }

 private:
  Integrator& active() const { return stiff_ ? *implicit_ : *explicit_; }
  void require_start() const;
  void take_over();
  void change();
  void step_by_either(double until);
  bool is_held_down(double until);
  bool is_free_again();
  double spectral_radius();

  DynamicalSystem* system_;
  std::unique_ptr<Integrator> explicit_, implicit_;  // implicit_ may be null
  bool stiff_ = false;
  StepStatistics before_change_;  // of all previous methods
  StepStatistics watched_;        // of the active method at the last check
  long patience_ = 64;            // steps of Radau before DOP853 is tried again
  Vector x_, V_, a_, V_1_, a_1_;  // nv
  Vector d_x_, d_v_;              // nv: direction of the power iteration
  Vector q_;                      // nq
};

}  // namespace chasles
