/// A run of a scenario.
///
///     Scenario scenario = read_scenario("swing.yaml");           // io/scenario_file.hpp
///     Trajectory path;
///     Simulation simulation(scenario);
///     simulation.run(path);
///     double drift = simulation.summary().worst.energy;
///
/// Its parts are in src/simulation: stepping.hpp (breaks of forces, events), recording.hpp (samples),
/// work_account.hpp (work of the forces), monitoring.hpp (what is conserved, limits, runs that blow up),
/// switching.hpp (rigid stops, friction that sticks).
#pragma once

#include <functional>
#include <memory>

#include "chasles/simulation/recorder.hpp"

namespace chasles {

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
  const State& state() const;
  Summary summary() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace chasles
