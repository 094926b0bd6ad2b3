/// A run of a scenario.
///
///     Scenario scenario = read_scenario("swing.yaml");           // io/scenario_file.hpp
///     Trajectory path;
///     Simulation simulation(scenario);
///     simulation.run(path);
///     double drift = simulation.summary().worst.energy;
///
/// Or in a loop of one's own, such as that of a controller (docs/control-loop.md):
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
/// work_account.hpp (work of the forces), monitoring.hpp (what is conserved, limits, runs that blow up),
/// switching.hpp (rigid stops, friction that sticks).
#pragma once

#include <functional>
#include <memory>

#include "chasles/export.hpp"
#include "chasles/simulation/recorder.hpp"

namespace chasles CHASLES_API {

/// A run that cannot go on; says when, which joint, and why. The simulation has the last good state.
class RunError : public Error {
  using Error::Error;
};

class Simulation {
 public:
  /// Asked after every step, with the time that is reached; false ends the run.
  using Proceed = std::function<bool(double t)>;

  /// @throws Error for a start of wrong size, a duration that is not positive, an unknown quantity, ...
  explicit Simulation(const Scenario& scenario);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  /// The scenario that runs: its forces have those of the joints, if they are wanted.
  const Scenario& scenario() const;

  /// From the start to the end, or from where it was stopped: it goes on as if it had not been, and the
  /// recorder begins with that state. No step contains a break of a force (Force::next_break): runs
  /// stop there, also those of fixed steps, whose grid stays where it is; multistep methods start
  /// again. Samples are at multiples of `every` after the start and exactly at the end; between steps
  /// the method's interpolant gives them.
  /// @throws RunError, also where the run blows up or its constraints or energy are off beyond the
  ///         tolerance (docs/scenario-files.md, "When a run does not end well"); and what a force, a quantity
  ///         or the recorder throws that is not an Error; after the last good state was recorded and the
  ///         recorder was ended
  /// @throws Error if the run has come to its end
  void run(Recorder& recorder, const Proceed& proceed = {});
  /// Steps of the method up to t = `until`, exactly; earlier if an event of the scenario ends the run. Sampled
  /// controllers, events and stops act as in `run`, and the same is watched; nothing is recorded, and `duration` is
  /// no limit. Inputs may jump here, so that multistep methods start again. After a first call none allocates, unless
  /// something happens that the summary lists.
  /// @returns state()
  /// @throws Error unless `until` is after state().t, or if the run has ended
  /// @throws as run; state() is then the last good one, and the next call tries from there
  const State& step(double until);
  /// Joint forces that act from now on besides those of the scenario: nv of its model (in maximal coordinates of
  /// `joints`), at first zero. Only with Scenario::joint_inputs.
  /// @throws SizeError; Error for numbers that are not finite, or without joint_inputs
  void set_joint_forces(ConstVectorRef tau);
  /// Begins again at the start of the scenario, or at another state: everything else is as after construction,
  /// inputs are zero. It costs as much as construction; references to `state` are invalid.
  /// @throws as the constructor; this is then as it was
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
