/// What is watched after every step of a run, and at its samples: what should be conserved, limits of joints,
/// constraints, and whether the run blows up.
#pragma once

#include "chasles/simulation/summary.hpp"
#include "simulation/energy_allowance.hpp"
#include "simulation/run_system.hpp"
#include "simulation/run_watch.hpp"

namespace chasles {

/// The largest |Phi| and |B v| of a run with loops or other constraints. With a method that keeps them
/// (projection, or constraints that are solved for), |Phi| after a step beyond
///
///     max(1e-6, 1000 tolerance)   [rad, m]                                                      (1)
///
/// is an error, and at a sample between two steps beyond a hundredth of the size of the mechanism at the start, and of
/// 1 rad or 1 m. Stabilization::none and baumgarte let it drift: the summary says how far. Beyond that size it is an error
/// of every method: loops are not loops any more.
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

  ConstrainedSystem* closed_;  // null: there are none
  double most_;                // (1)
  double most_drift_ = 1;      // the size of the mechanism
  bool strict_;                // beyond it is an error
  double violation_ = 0, velocity_violation_ = 0, last_violation_ = 0, reciprocal_condition_ = 1;
  bool may_be_singular_;             // not of couplings alone
  double here_ = 0, rate_here_ = 0;  // where it was measured last
  double t_ = 0, singular_t_ = 0;    // there; where independence_ was taken
  double before_ = 1;                // independence at the end of the step before
  Vector rows_;
  State between_;
  Vector still_, x_, no_rows_, mu_;
};

/// The scenario and the system outlive it.
class Monitoring {
 public:
  Monitoring(const Scenario& scenario, const RunSystem& run);

  void start(const State& state, double work);
  /// After a step, before it is accepted: what is conserved, and the constraints, all from one pass of
  /// kinematics, which the next step goes on with; then the work of the step.
  void look_at(const Integrator& integrator);
  void take_invariants(double work);
  /// After it was accepted. @throws Error that ends the run
  void step(const Integrator& integrator, bool at_break);
  /// At a sample that is recorded.
  void sample(const State& state);
  /// An impulse changed the velocities. @returns by how much the kinetic energy grew [J]
  double impulse(const State& state);
  /// The end of the run as it is accounted after the impulse.
  void after_impulse(double work) { end_.work = work; }
  void fill_in(Summary& summary) const;

 private:
  Invariants invariants_at(const State& state, double work);

  const Scenario& scenario_;
  VelocityKinematics kin_;
  InvariantMonitor invariants_;
  BoundsMonitor bounds_;
  ConstraintMonitor constraints_;
  EnergyAllowance energy_;
  RunWatch watch_;
  Invariants end_;
  Invariants reached_;  // by a step that is not accepted yet, without its work
};

/// What changes the momenta of the run from outside: of the forces, events, stops and constraints.
void fill_in_causes(const Scenario& scenario, Summary& summary);

}  // namespace chasles
