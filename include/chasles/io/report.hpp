/// Reports: one HTML file that shows runs, or a mechanism, in 3-D and in plots.
///
///     ReportRun run;
///     ReportRecorder recorder(run);
///     simulation.run(recorder, [&](double t) { return recorder.step(t), true; });
///     file.write(write_report(page, {&run, 1}));
///
/// `page` is the page of viewer/ with its libraries, provided by the program. Poses are not stored: the page has the
/// joint screws Y_i and the coordinates q, and computes
///
///     C_i = exp(Y_1 q_1) ... exp(Y_i q_i) A_i                                               (1)
///
/// Numbers are stored as integer multiples of 2^-32 of the range of their column; in large reports of 2^-24 or
/// 2^-16.
#pragma once

#include <array>
#include <filesystem>

#include "chasles/export.hpp"
#include "chasles/simulation/recorder.hpp"

namespace chasles CHASLES_API {

/// The data of a run to be shown.
struct ReportRun {
  struct Column {
    std::string group;  // columns of a group share a plot: "q", "energy"
    std::string label;  // "q:elbow [rad]"
  };
  std::vector<std::string> warnings{};

  // Filled in by a recorder or from a file.
  std::string name{};
  std::filesystem::path file{};  // of its scenario; empty: unknown
  std::string scenario{};        // text of the scenario
  Appearance appearance{};
  Model model{};  // empty: only plots are shown
  std::vector<std::pair<std::string, std::string>> facts{};
  std::vector<std::string> headline{};  // what was kept, and how well: "energy kept to 2e-10 J"
  std::string failure{};                // why the run ended early; empty: it did not
  std::vector<EventRecord> events{};
  std::vector<Column> columns{};  // first q, then v, then quantities
  std::vector<double> t{};
  std::vector<double> table{};                 // one row of columns per time
  std::vector<std::array<double, 2>> steps{};  // end time and length of steps [s]
};

/// Quantities that a report plots in addition to the requested ones.
std::vector<std::string> report_quantities();

/// Fills in a run. Keeps all samples in memory.
class ReportRecorder : public Recorder {
 public:
  explicit ReportRecorder(ReportRun& run) : run_(run) {}
  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override;
  void sample(const Sample& sample) override;
  void end(const Summary& summary) override;
  /// Records the end of a step; of many steps only every second, fourth, ... is kept.
  void step(double t);

 private:
  ReportRun& run_;
  const Scenario* scenario_ = nullptr;  // of the run
  std::vector<bool> shown_;             // per quantity; some have too many entries to plot
  double last_step_ = 0;
  long stride_ = 1, count_ = 0;
};

/// A recorded run (run_file.hpp), without its model: only plots are shown.
/// @throws Error naming the file and the location in it
ReportRun read_report_run(const std::filesystem::path& path);
/// Sets the model of a run.
/// @throws Error if it does not match the run
void set_model(ReportRun& run, const Model& model);

/// The report of one run or several.
std::string write_report(std::string_view page, std::span<const ReportRun> runs);
/// The mechanism itself, with a slider for every coordinate.
/// @param q  initially displayed configuration, nq
std::string write_view(std::string_view page, const Model& model, const Appearance& appearance,
                       ConstVectorRef q, std::span<const std::string> warnings = {});

}  // namespace CHASLES_API
