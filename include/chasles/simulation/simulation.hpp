/// A run of a scenario.
///
///     Scenario scenario = read_scenario("swing.yaml");           // io/scenario_file.hpp
///     Trajectory path;
///     Simulation simulation(scenario);
///     simulation.run(path);
///     double drift = simulation.summary().worst.energy;
///
/// Or step by step, for example in a control loop (docs/control-loop.md):
///
///     scenario.joint_inputs = true;
///     Simulation simulation(scenario);
///     for (int k = 1; k <= 5000; ++k) {
///       const State& x = simulation.state();
///       simulation.set_joint_forces(torques(x.q, x.v));          // held until they are set again
///       simulation.step(1e-3 * k);
///     }
///
/// Its parts are in src/simulation: stepping.hpp (breaks of forces, events), recording.hpp (samples),
/// work_account.hpp (work of the forces), monitoring.hpp (conserved quantities, limits, divergence),
/// switching.hpp (rigid stops, friction with sticking).
#pragma once

#include <functional>
#include <memory>

#include "chasles/export.hpp"
#include "chasles/simulation/recorder.hpp"

namespace chasles CHASLES_API {

/// A run that cannot continue; names the time, the joint and the reason. The simulation keeps the last valid state.
class RunError : public Error {
  using Error::Error;
};

class Simulation {
 public:
  /// Called after every step with the time reached; false stops the run.
  using Proceed = std::function<bool(double t)>;

  /// @throws Error for a start of wrong size, a nonpositive duration, an unknown quantity, ...
  explicit Simulation(const Scenario& scenario);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  /// The scenario of the run, including the forces of joint dynamics if enabled.
  const Scenario& scenario() const;

  /// Runs from the start to the end, or resumes where it was stopped as if uninterrupted; the recorder then begins with
  /// that state. No step contains a break of a force (Force::next_break): steps end there, even fixed steps, whose
  /// grid is not shifted; multistep methods restart. Samples are at multiples of `every` after the start and exactly
  /// at the end, from the interpolant of the method.
  /// @throws RunError, also if the run diverges or its constraint or energy error exceeds the tolerance
  ///         (docs/scenario-files.md, "When a run does not end well"); and any exception other than Error from a
  ///         force, a quantity or the recorder; in each case after the last valid state was recorded and the
  ///         recorder was ended
  /// @throws Error if the run is complete
  void run(Recorder& recorder, const Proceed& proceed = {});
  /// Steps the method exactly to t = `until`, or to an earlier event that ends the run. Sampled controllers, events,
  /// stops and monitoring act as in `run`; nothing is recorded, and `duration` is ignored. Inputs may jump between
  /// calls, so multistep methods restart. After the first call no call allocates, unless an event or violation is
  /// added to the summary.
  /// @param proceed  called after each step of the method; false: the call ends there
  /// @returns state()
  /// @throws Error unless `until` is after state().t, or if the run has ended
  /// @throws as run; state() is then the last valid state, from which the next call continues
  const State& step(double until, const Proceed& proceed = {});
  /// Joint forces that act from now on in addition to those of the scenario: nv of its model (in maximal coordinates,
  /// of `joints`), initially zero. Requires Scenario::joint_inputs.
  /// @throws SizeError; Error for numbers that are not finite, or without joint_inputs
  void set_joint_forces(ConstVectorRef tau);
  /// Restarts at the start of the scenario, or at another state; everything else is as after construction, inputs are
  /// zero. Costs as much as construction; invalidates references to `state`.
  /// @throws as the constructor, leaving the simulation unchanged
  void reset();
  void reset(const State& start);

  const State& state() const;
  Summary summary() const;

 private:
  struct Parts;
  std::unique_ptr<const Scenario> given_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace CHASLES_API
