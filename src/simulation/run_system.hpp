/// The equations of motion of a run: the tree, or the mechanism with its loops closed, under the forces of the
/// scenario, with joints that may be held.
#pragma once

#include "chasles/simulation/scenario.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "simulation/switching.hpp"

namespace chasles {

/// The scenario with the forces that belong to its joints and soft stops added, and sampled forces without the memory
/// of another run. @throws Error as check
Scenario complete(Scenario scenario);

/// The system of a run and its start. The scenario must outlive it.
class RunSystem {
 public:
  /// @throws Error naming a loop that cannot be closed; as Switching
  explicit RunSystem(const Scenario& scenario);
  RunSystem(const RunSystem&) = delete;
  RunSystem& operator=(const RunSystem&) = delete;

  const std::shared_ptr<DynamicalSystem>& system() const { return system_; }
  ConstrainedSystem* closed() const { return closed_; }      // null: no constraints
  Switching* switching() const { return switching_.get(); }  // null: no joint is ever held
  /// The start of the scenario, with loops closed.
  State start() const;
  /// Forces and constraints are evaluated only at times in this interval, which contains no break.
  void set_smooth(double from, double to);
  /// The first break of forces or constraints after t.
  double next_break(double t) const;
  /// At a break: constraints with time must not jump in velocity, which would be an impact.
  /// @throws Error naming the constraint and the jump
  void require_velocity(const State& state) const;

 private:
  void set_forces(MechanismState& state);

  const Scenario& scenario_;
  double smooth_from_, smooth_to_;
  ConstrainedSystem* closed_ = nullptr;
  std::unique_ptr<Switching> switching_;
  std::shared_ptr<DynamicalSystem> system_;
};

}  // namespace chasles
