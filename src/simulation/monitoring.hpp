/// Checks after every step of a run and at its samples: conservation, joint limits, constraints, divergence.
#pragma once

#include "chasles/simulation/summary.hpp"
#include "simulation/energy_allowance.hpp"
#include "simulation/limit_monitor.hpp"
#include "simulation/run_system.hpp"
#include "simulation/run_watch.hpp"

namespace chasles {

/// The largest |Phi| and |B v| of a run with loops or other constraints. With a method that satisfies them (by
/// projection, or by solving the DAE), |Phi| after a step beyond
///
///     max(1e-6, 1000 tolerance)   [rad, m]                                                      (1)
///
/// is an error, and so is, at a sample between two steps, |Phi| beyond a hundredth of the size of the mechanism at the
/// start, or of 1 rad or 1 m. Stabilization::none and baumgarte let it drift, and the summary reports how far; beyond
/// the full size it is an error of every method, since the loops are open.
class ConstraintMonitor {
 public:
  ConstraintMonitor(const Scenario& scenario, ConstrainedSystem* closed);
  void start(const State& state);
  /// At the end of a step, before it is accepted.
  void look_at(const Integrator& integrator);
  /// After it was accepted. @throws Error beyond (1)
  void step(const Integrator& integrator);
  /// @throws Error beyond the size of the mechanism, or a hundredth of it
  void sample(const State& state);
  double reciprocal_condition() const { return reciprocal_condition_; }
  void fill_in(Summary& summary) const;

 private:
  void set(const State& state);
  void measure();
  void take();
  void take_independence(double t);
  double independence_at(const Integrator& integrator, double t);
  void search(const Integrator& integrator);
  void require_small() const;
  void require(double violation, double most, const char* where = "") const;

  ConstrainedSystem* closed_;  // null: no constraints
  double most_;                // (1)
  double most_drift_ = 1;      // the size of the mechanism
  bool strict_;                // beyond most_ is an error
  double violation_ = 0, velocity_violation_ = 0, last_violation_ = 0, reciprocal_condition_ = 1;
  bool may_be_singular_;             // false if all constraints are couplings
  double here_ = 0, rate_here_ = 0;  // |Phi| and |B v| at the last measurement
  double t_ = 0, singular_t_ = 0;    // times: last measurement, least condition
  double before_ = 1;                // reciprocal condition at the end of the previous step
  Vector rows_;
  State between_;
  Vector still_, x_, no_rows_, mu_;
};

/// The scenario and the system must outlive it.
class Monitoring {
 public:
  Monitoring(const Scenario& scenario, const RunSystem& run);

  void start(const State& state, double work);
  /// After a step, before it is accepted: evaluates invariants and constraints with one pass of kinematics, which the
  /// next step reuses; then the work of the step.
  void look_at(const Integrator& integrator);
  void take_invariants(double work);
  /// After it was accepted. @throws Error that ends the run
  void step(const Integrator& integrator, bool at_break);
  /// At a sample that is recorded.
  void sample(const State& state);
  /// Call after an impulse changed the velocities. @returns the increase of the kinetic energy [J]
  double impulse(const State& state);
  /// Sets the work in the end state, which includes the impulse.
  void after_impulse(double work) { end_.work = work; }
  void fill_in(Summary& summary) const;

 private:
  Invariants invariants_at(const State& state, double work);

  const Scenario& scenario_;
  VelocityKinematics kin_;
  InvariantMonitor invariants_;
  LimitMonitor bounds_;
  ConstraintMonitor constraints_;
  EnergyAllowance energy_;
  RunWatch watch_;
  Invariants end_;
  Invariants reached_;  // of a step that is not accepted yet, without its work
};

/// Lists in the summary the external causes of momentum changes: forces, events, stops and constraints.
void fill_in_causes(const Scenario& scenario, Summary& summary);

}  // namespace chasles
