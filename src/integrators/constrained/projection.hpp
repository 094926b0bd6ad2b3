/// Projection onto the constraints: every step is projected to Phi = 0 and B v = 0 (MechanicalSystem::project), so that
/// the drift of O(h^{p+1}) per step of a method of order p does not accumulate. The order is preserved: the nearest
/// state on the constraints is at most twice as far from the solution as the state before. A hook of the user is
/// called first, and its result is projected.
#pragma once

#include <utility>

#include "chasles/integrators/integrator.hpp"

namespace chasles {

class Projection : public StepHook {
 public:
  Projection(MechanicalSystem& system, std::shared_ptr<StepHook> first)
      : system_(&system),
        first_(std::move(first)),
        Phi_(system.constraint_count()),
        Bv_(system.constraint_count()) {}
  void start(const State& state) override {
    if (first_) first_->start(state);
  }
  void reached(State& state) override {
    if (first_) first_->reached(state);
    system_->set(state);
    system_->constraint_error(Phi_);
    system_->constraint_rate(Bv_);
    if (Phi_.lpNorm<Eigen::Infinity>() > rounding ||
        Bv_.lpNorm<Eigen::Infinity>() > rounding * (1 + state.v.lpNorm<Eigen::Infinity>()))
      system_->project(state);
  }

 private:
  static constexpr double rounding = 1e-15;
  MechanicalSystem* system_;
  std::shared_ptr<StepHook> first_;
  Vector Phi_, Bv_;  // constraint equations
};

}  // namespace chasles
