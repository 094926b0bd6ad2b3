/// Constraints kept by projection: every step is brought back to Phi = 0 and B v = 0 as soon as it
/// has been taken (MechanicalSystem::project), so what a method of order p leaves, O(h^{p+1}) a
/// step, does not add up, and the order is kept: the nearest state on the constraints is no farther
/// from the solution than twice what the step was. A hook of the user's comes first: what it leaves
/// is projected.
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
  Vector Phi_, Bv_;  // rows
};

}  // namespace chasles
