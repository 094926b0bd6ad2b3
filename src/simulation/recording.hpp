/// The samples of a run: at multiples of `every` after the start, on the interpolant of the step that contains them,
/// and at both ends of the run; with the requested quantities.
#pragma once

#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/recorder.hpp"
#include "simulation/run_system.hpp"
#include "simulation/work_account.hpp"

namespace chasles {

/// The scenario, the system and the account must outlive it.
class Recording {
 public:
  /// @throws Error naming an unknown quantity or contact
  Recording(const Scenario& scenario, const RunSystem& run, WorkAccount& account);

  /// Called with the state of every sample.
  std::function<void(const State&)> watch;

  /// Sends the samples to `recorder` from now on.
  void begin(Recorder& recorder);
  /// Records a sample at the end of the last step, unless it is recorded already.
  void state(const State& last);
  /// Records the samples of the last step, except the one at the end of the run, which `state` records.
  void step(const Integrator& integrator, double end);
  /// Steps up to this time are not recorded.
  void skip(double t);
  /// After a failure: the last good state is recorded, without its quantities if they cannot be computed.
  void last_good(const State& last);

  std::span<const Quantity> quantities() const { return quantities_; }
  long samples() const { return samples_; }

 private:
  void evaluate(const State& state, double work);
  void deliver(const State& state);
  double next_time() const;

  const Scenario& scenario_;
  WorkAccount& account_;
  Evaluation evaluation_;
  std::vector<Quantity> quantities_;  // with the units of drivers
  EvaluationState moment_;
  State between_;
  Recorder* recorder_ = nullptr;
  double every_, from_;                 // samples are at from + k every
  double recorded_;                     // the time of the last sample
  long samples_ = 0, next_sample_ = 1;  // samples delivered; k of the next sample
};

}  // namespace chasles
