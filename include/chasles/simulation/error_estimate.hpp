/// The error of a run, estimated by repeating it: with a tolerance (or step) of a tenth, and by a method of another
/// family where one supports the scenario. With x the recorded run and x_k its repetitions, the estimate is
///
///     e(t) = max_k |x(t) - x_k(t)|                                                              (1)
///
/// entry by entry; differences of configurations are those on the Lie group (`minus`). A tenth of the tolerance makes
/// the error of x_1 small compared with that of x; a method that shares neither tableau nor constraint treatment shows
/// errors that both runs of one method have in common.
///
/// Neighboring solutions of a chaotic motion separate as exp(t / T), T its Lyapunov time. A run is unpredictable from the
/// time on at which (1) reaches a tenth of the motion itself; then T is measured by a run from a start that differs
/// by 1e-7.
///
///     RecordedSamples samples;
///     Simulation simulation(scenario);
///     simulation.run(samples);
///     ErrorEstimate estimate = estimate_error(scenario, samples, simulation.summary());
///     for (const QuantityError& x : estimate.quantities) std::printf("%s %.1e\n", x.name.c_str(), x.end);
#pragma once

#include "chasles/export.hpp"
#include "chasles/simulation/simulation.hpp"

namespace chasles CHASLES_API {

/// A recorder that stores samples with the recorded quantities.
class RecordedSamples : public Recorder {
 public:
  struct Row {
    State state;
    std::vector<Matrix> values;  // one per quantity
  };
  void begin(const Scenario&, std::span<const Quantity> quantities) override;
  void sample(const Sample& sample) override;

  std::vector<std::string> names, units;  // of the quantities besides q and v
  std::vector<Row> rows;
};

/// The estimate (1) of one quantity: its largest entry.
struct QuantityError {
  std::string name, unit;        // q and v come first
  double end = 0;                // at the end of the run
  double worst = 0;              // at any sample
  double worst_time = 0;         // [s]
  double size = 0;               // largest entry of the quantity itself
  std::string joint{};           // q and v: the joint with the largest error
  std::vector<double> errors{};  // at each sample of the run; NaN where no repetition has it
};

/// A repetition of a run.
struct RepeatedRun {
  IntegratorOptions options;
  std::string text;     // "taylor, tolerance 1e-11"
  std::string failure;  // why it was not compared; empty: it was
};

struct ErrorEstimate {
  std::vector<QuantityError> quantities;
  std::vector<RepeatedRun> runs;
  /// Time from which the motion cannot be predicted by this run [s]; none: it can be until its end.
  std::optional<double> horizon{};
  /// Of chaotic motions: time in which errors grow by e [s]. Measured if there is a horizon.
  std::optional<double> lyapunov_time{};
};

/// @param run      samples of the run of `scenario`
/// @param summary  of that run: the repetition of a stiff run is by radau5
/// @param proceed  called after each step of the repetitions; false stops them
/// @throws Error if `run` has no samples, or if no repetition succeeds; the message has the reasons
ErrorEstimate estimate_error(const Scenario& scenario, const RecordedSamples& run,
                             const Summary& summary, const Simulation::Proceed& proceed = {});

/// Time in which neighboring solutions separate by a factor e [s], by least squares of the logarithm of the distance
/// between a run and one from a start that differs by 1e-7; none if that grows no faster than a power of t.
/// @param run  as above
/// @throws RunError if the second run fails
std::optional<double> lyapunov_time(const Scenario& scenario, const RecordedSamples& run,
                                    const Simulation::Proceed& proceed = {});

}  // namespace CHASLES_API
