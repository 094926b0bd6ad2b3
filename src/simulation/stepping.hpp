/// The steps of a run: they end at breaks of the forces, where controllers sample the state, and at events, which may
/// change velocities.
#pragma once

#include "chasles/integrators/events.hpp"
#include "simulation/run_system.hpp"

namespace chasles {

/// The scenario and the system must outlive it.
class Stepping {
 public:
  Stepping(const Scenario& scenario, RunSystem& run);

  /// Starts at the start of the run, or at the end of a recorded one.
  void start();
  /// The forces changed at the last state, which makes it a break.
  void forces_changed() { stop_ = std::min(stop_, last_.t); }
  /// One step, not beyond `end`, a break or the first event in it. state() remains the state before the step until it
  /// is accepted.
  void step(double end);
  void accept() { last_ = integrator_->state(); }
  /// Whether the accepted step ended at a break of the forces, or at the end of the run.
  bool at_break() const { return last_.t >= stop_; }
  /// At a break: controllers sample the state, so that recorded efforts are those that act from there on.
  void look_at_break();
  /// Applies the actions of the events at the end of the last step.
  /// @returns whether velocities changed: an impulse acted
  bool act_on_events();

  const State& state() const { return last_; }
  const Integrator& integrator() const { return *integrator_; }
  bool stopped() const { return stopped_; }  // by an event
  const std::vector<EventRecord>& log() const { return log_; }
  long event_count() const { return event_count_; }

 private:
  void make_events();
  void pass_breaks(double end);
  void sample_forces(double t);
  void report(const IntegratorEvent& event, const State& state);
  void begin_contact();
  void set_velocities(const RunEvent& event);
  void set_joint_velocities(const RunEvent& event);

  const Scenario& scenario_;
  RunSystem& run_;
  std::unique_ptr<Integrator> integrator_;
  State last_;
  VelocityKinematics kin_;
  double stop_;  // the break that ends the interval without breaks, or the end of the run
  std::optional<Events> events_;
  std::vector<const RunEvent*> happened_;  // at the end of the last step
  std::size_t touches_ = 0;  // the number of events of the scenario and of contacts; others follow
  bool touched_ = false;     // a contact began or ended at the end of the last step
  double soon_ = Signal::never;   // latest end of the next step
  std::vector<EventRecord> log_;  // at most the first 1000
  long event_count_ = 0;
  bool stopped_ = false;
};

}  // namespace chasles
