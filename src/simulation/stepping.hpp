/// The steps of a run: they end at breaks of the forces, where sampled forces look at the state, and at events,
/// which may change velocities.
#pragma once

#include "chasles/integrators/events.hpp"
#include "simulation/run_system.hpp"

namespace chasles {

/// The scenario and the system outlive it.
class Stepping {
 public:
  Stepping(const Scenario& scenario, RunSystem& run);

  /// At the start of the run, or where a recorded one ended.
  void start();
  /// Forces are others from the last state on: a break.
  void forces_changed() { stop_ = std::min(stop_, last_.t); }
  /// One step, not beyond `end`, a break or the first event in it. state() is still that before
  /// it, until it is accepted.
  void step(double end);
  void accept() { last_ = integrator_->state(); }
  /// Whether the accepted step ended at a break of the forces, or at the end of the run.
  bool at_break() const { return last_.t >= stop_; }
  /// At a break: sampled forces look at the state, so that what is recorded there acts from there.
  void look_at_break();
  /// What the events at the end of the last step do.
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
  std::size_t touches_ = 0;       // events before this number are the scenario's and contacts
  bool touched_ = false;          // a contact began or ended there
  double soon_ = Signal::never;   // the next step ends there at the latest
  std::vector<EventRecord> log_;  // the first 1000
  long event_count_ = 0;
  bool stopped_ = false;
};

}  // namespace chasles
