/// Reports: one HTML file that shows runs, or a mechanism, in 3-D and in plots.
///
///     ReportRun run;
///     ReportRecorder recorder(run);
///     simulation.run(recorder, [&](double t) { return recorder.step(t), true; });
///     file.write(write_report(page, {&run, 1}));
///
/// The page is that of viewer/, with the libraries that it needs; the program brings it. Poses are not
/// stored: the page has the joint screws Y_i and the coordinates q, and computes
///
///     C_i = exp(Y_1 q_1) ... exp(Y_i q_i) A_i                                               (1)
///
/// by itself. Numbers are stored as whole multiples of 2^-32 of the range of their column, in large
/// reports of 2^-24 or 2^-16.
#pragma once

#include <array>
#include <filesystem>

#include "chasles/export.hpp"
#include "chasles/simulation/recorder.hpp"

namespace chasles CHASLES_API {

/// The data of a run that is shown.
struct ReportRun {
  struct Column {
    std::string group;  // what is plotted together: "q", "energy"
    std::string label;  // "q:elbow [rad]"
  };
  std::vector<std::string> warnings{};

  // What a recorder or a file fills in.
  std::string name{};
  std::filesystem::path file{};  // its scenario; empty: not known
  std::string scenario{};        // its text
  Appearance appearance{};
  Model model{};  // none: only plots are shown
  std::vector<std::pair<std::string, std::string>> facts{};
  std::vector<Column> columns{};  // first q, then v, then quantities
  std::vector<double> t{};
  std::vector<double> table{};                 // a row of columns for each time
  std::vector<std::array<double, 2>> steps{};  // when a step ended and how long it was [s]
};

/// Quantities that a report plots besides those that are asked for.
std::vector<std::string> report_quantities();

/// Fills in a run. It keeps all samples in memory.
class ReportRecorder : public Recorder {
 public:
  explicit ReportRecorder(ReportRun& run) : run_(run) {}
  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override;
  void sample(const Sample& sample) override;
  void end(const Summary& summary) override;
  /// A step has ended: of many, every second, fourth, ... is kept.
  void step(double t);

 private:
  ReportRun& run_;
  const Scenario* scenario_ = nullptr;  // that runs
  std::vector<bool> shown_;  // of the quantities; some have too many numbers to be plotted
  double last_step_ = 0;
  long stride_ = 1, count_ = 0;
};

/// A recorded run (run_file.hpp), without its model: only plots are shown.
/// @throws Error naming the file and the place
ReportRun read_report_run(const std::filesystem::path& path);
/// The model that a run was run with.
/// @throws Error if it cannot be that
void set_model(ReportRun& run, const Model& model);

/// The report of one run or several.
std::string write_report(std::string_view page, std::span<const ReportRun> runs);
/// The mechanism itself, with a slider for every coordinate.
/// @param q  where it is shown at first, nq
std::string write_view(std::string_view page, const Model& model, const Appearance& appearance,
                       ConstVectorRef q, std::span<const std::string> warnings = {});

}  // namespace CHASLES_API
