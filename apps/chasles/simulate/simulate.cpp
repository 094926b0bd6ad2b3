/// chasles simulate: runs a scenario, records it, and reports conservation of energy and momentum.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chasles/io/report.hpp>
#include <chasles/io/run_file.hpp>
#include <chasles/io/scenario_file.hpp>
#include <chasles/io/summary_text.hpp>
#include <chasles/simulation/kinematic.hpp>
#include <chasles/simulation/simulation.hpp>
#include <cstdio>
#include <fstream>
#include <optional>
#include <regex>

#include "catch_interrupt.hpp"
#include "commands.hpp"
#include "error_report.hpp"
#include "interrupted.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "viewer_page.hpp"

namespace {

using namespace chasles;

struct NoRecorder : Recorder {
  void sample(const Sample&) override {}
};

/// Records in a file what was asked for, and in a report that and more.
class FileAndReport : public Recorder {
 public:
  /// @param count  of the quantities that are asked for: the first ones
  FileAndReport(Recorder& file, ReportRecorder& report, std::size_t count)
      : file_(file), report_(report), count_(count) {}
  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override {
    file_.begin(scenario, quantities.first(count_));
    report_.begin(scenario, quantities);
  }
  void sample(const Sample& sample) override {
    file_.sample({sample.state, sample.quantities.first(count_), sample.values.first(count_)});
    report_.sample(sample);
  }
  void end(const Summary& summary) override {
    report_.end(summary);
    file_.end(summary);
  }

 private:
  Recorder& file_;
  ReportRecorder& report_;
  std::size_t count_;
};

/// Records in two places.
class Both : public Recorder {
 public:
  Both(Recorder& one, Recorder& other) : one_(one), other_(other) {}
  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override {
    one_.begin(scenario, quantities), other_.begin(scenario, quantities);
  }
  void sample(const Sample& sample) override { one_.sample(sample), other_.sample(sample); }
  void end(const Summary& summary) override { one_.end(summary), other_.end(summary); }

 private:
  Recorder &one_, &other_;
};

/// Adds the quantities that a report plots. @return their number before, without q and v
std::size_t add_report_quantities(Scenario& scenario) {
  const auto counts = [](const std::string& name) { return !is_part_of_every_sample(name); };
  std::vector<std::string>& names = scenario.quantities;
  const auto count = static_cast<std::size_t>(std::ranges::count_if(names, counts));
  for (const std::string& name : report_quantities()) {
    if (const Model& m = scenario.model;
        name == "constraint_violation" &&
        !(scenario.loops && (!m.loops().empty() || !m.constraints().empty())))
      continue;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return count;
}

/// Errors found after reading, such as loops that cannot be closed, count as errors of the file.
std::unique_ptr<Simulation> make_simulation(const Scenario& scenario, const std::string& path) {
  try {
    return std::make_unique<Simulation>(scenario);
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
}

struct SimulateOptions {
  std::string scenario, out, report, duration, every;
  std::vector<std::string> changes;
  bool resume = false, kinematic = false, error = false;
};

/// The interrupted run to be resumed; the scenario then starts at its last sample.
std::optional<CutRun> resume(Scenario& scenario, const SimulateOptions& options) {
  if (!options.resume) return std::nullopt;
  if (options.out.empty())
    throw Error("simulate --resume: give the run that is to go on, -o RUN.csv");
  if (!options.report.empty())
    throw Error(
        "simulate --resume: a report needs the whole run; leave out --report, and make it "
        "afterwards: chasles "
        "report " +
        options.out);
  std::optional<CutRun> left = find_cut_run(options.out, scenario);
  if (left) go_on(scenario, *left);
  return left;
}

/// The recorder of the run. Reports are written at the end; until then the run is in a file, lest it be lost.
std::unique_ptr<Recorder> make_recorder(const SimulateOptions& options, OutputFile::Paths inputs,
                                        const CutRun* after) {
  if (!options.out.empty()) return make_run_file(options.out, RunFileOptions{inputs, after});
  if (options.report.empty() || is_stream(options.report)) return std::make_unique<NoRecorder>();
  return make_run_file(options.report + ".csv", RunFileOptions{inputs, nullptr, true});
}

/// Whether a file is a model, perhaps one with mistakes: XML, or YAML with bodies, which no scenario has.
bool is_model(const std::string& path) {
  if (is_stream(path)) return false;
  std::ifstream file(path);
  std::string text(1 << 16, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '<') return true;
  return std::regex_search(text, std::regex(R"((^|[\s{,"'])(bodies|m?dh)["']?:)"));
}

/// The scenario; of a file that is a model, one in which it moves freely.
Scenario read(const SimulateOptions& options, std::vector<std::string>& warnings,
              std::vector<std::filesystem::path>& inputs, std::span<const std::string> changes) {
  const std::string& path = options.scenario;
  try {
    return read_scenario(path, &warnings, &inputs, changes);
  } catch (const Error&) {
    if (!is_model(path)) throw;
  }
  inputs.clear(), warnings.clear();
  DefaultScenario made = default_scenario(path, &warnings, &inputs, changes);
  fmt::print(stderr,
             "{} is a model: it moves freely under gravity for {:g} s, from {}.\n"
             "For anything else, save this beside it as a scenario and add to it "
             "(docs/scenario-files.md), or change it by --set:\n{}\n",
             path, made.scenario.duration,
             made.keyframe.empty() ? "where its joints are zero"
                                   : "its keyframe '" + made.keyframe +
                                         "', as joints are beyond their limits where they are zero",
             made.text);
  return std::move(made.scenario);
}

/// The input is good: repetitions that fail are a failed computation, exit 1; interrupted, they are only left out.
void estimate(const Scenario& scenario, const RecordedSamples& samples, const Summary& summary,
              const std::string& path) {
  try {
    print_error_estimate(scenario, samples, summary, [](double) { return interrupted == 0; });
  } catch (const Error& error) {
    if (interrupted == 0) throw std::runtime_error(path + ": " + error.what());
  }
}

void simulate(const SimulateOptions& options, std::span<const std::string> changes) {
  const std::string &path = options.scenario, &out = options.out, &report = options.report;
  require_ending(report, {".html"}, "reports are written as .html");
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> inputs;
  Scenario scenario = read(options, warnings, inputs, changes);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (options.kinematic) scenario = kinematic(std::move(scenario));
  const std::optional<CutRun> left = resume(scenario, options);
  const std::size_t asked = report.empty() ? 0 : add_report_quantities(scenario);
  const std::unique_ptr<Simulation> simulation = make_simulation(scenario, path);
  const CatchInterrupt guard;
  const std::unique_ptr<Recorder> file = make_recorder(options, inputs, left ? &*left : nullptr);
  std::optional<OutputFile> page;  // opened before the run: reports early if it cannot be written
  if (!report.empty()) page.emplace(report, inputs);
  ReportRun shown;
  shown.warnings = std::move(warnings);
  ReportRecorder shown_recorder(shown);
  FileAndReport both(*file, shown_recorder, asked);
  Recorder& chosen = page ? both : static_cast<Recorder&>(*file);
  RecordedSamples samples;  // for --error
  Both with_samples(chosen, samples);
  Recorder& recorder = options.error ? static_cast<Recorder&>(with_samples) : chosen;
  const auto write_page = [&] {
    if (!page) return;
    page->write(write_report(viewer_page(), {&shown, 1}));
    page->commit();
    fmt::print("\n  report in {}\n", report);
  };
  if (!out.empty() && is_standard_output(out))
    dup2(STDERR_FILENO, STDOUT_FILENO);  // keeps the summary out of the recorded output
  Progress progress(scenario.start.t, scenario.start.t + scenario.duration);
  try {
    simulation->run(recorder, [&](double t) {
      progress.reached(t);
      if (page) shown_recorder.step(t);
      return interrupted == 0;
    });
  } catch (const RunError& error) {  // the input is good, the computation fails: exit 1
    progress.clear();
    shown.failure = error.what();
    write_page();
    const std::string saved =
        out.empty()
            ? "the last state is\n" + write_initial(simulation->scenario(), simulation->state())
            : "the last state is the last sample in " + out;
    throw std::runtime_error(fmt::format("{}: {}\n{}", path, error.what(), saved));
  }
  progress.clear();
  const Summary summary = simulation->summary();
  fmt::print("{}", summary_text(simulation->scenario(), summary));
  if (!out.empty()) fmt::print("\n  {} samples in {}\n", summary.samples, out);
  write_page();
  if (options.error && summary.finished) estimate(scenario, samples, summary, path);
  if (summary.finished && (interrupted == 0 || !options.error)) return;
  fmt::print(
      stderr, "chasles: interrupted at t = {:g} s; {}\n", summary.time,
      out.empty() ? "nothing was recorded (-o RUN.csv does)" : "what was computed is in " + out);
  throw Interrupted(interrupted);
}

}  // namespace

void add_simulate(Command program) {
  const Command command = program.add_command(
      "simulate", "Run a scenario: integrate, record, and report what is conserved");
  const auto options = std::make_shared<SimulateOptions>();
  command
      .add_option(
          "SCENARIO", options->scenario,
          "Scenario file, .yaml or .json; - for standard input. A model file moves freely for 5 s")
      .required();
  command.add_option("-o,--output", options->out,
                     "Record the run: RUN.csv, RUN.json, or - for standard output");
  command.add_option("--report", options->report,
                     "Show the run: RUN.html, one file for any browser that moves and plots");
  command
      .add_option(
          "--set", options->changes,
          "Change the scenario before it is read, PATH=VALUE: --set integrator.tolerance=1e-8, "
          "--set forces.0.stiffness=5; may be given again")
      .one_at_a_time();
  command.add_option("--duration", options->duration, "Instead of the scenario's [s]");
  command.add_option("--every", options->every, "Between samples, instead of the scenario's [s]");
  command.add_flag("--kinematic", options->kinematic,
                   "Kinematic analysis: all degrees of freedom are driven, positions follow from "
                   "the constraints, "
                   "and forces from inverse dynamics; bodies may have no mass");
  command.add_flag(
      "--error", options->error,
      "Estimate the error of each recorded quantity: the run is repeated with a tenth of "
      "its tolerance or step, and by a method of another family");
  command.add_flag(
      "--resume", options->resume,
      "Go on with the run in RUN.part.csv, which was cut off, or in RUN.csv, which was "
      "interrupted, to the end of the scenario");
  command.footer(
      "Wrenches on bodies are torque and force at the body, in world axes (hybrid), unless the\n"
      "scenario says another representation. Damping and friction of the model's joints act,\n"
      "unless it says joint_dynamics: false.\n"
      "Ctrl-C and SIGTERM end the run, keep what was recorded, and exit with 130 and 143.");
  command.callback([=] {
    std::vector<std::string> changes = options->changes;
    if (!options->duration.empty()) changes.push_back("duration=" + options->duration);
    if (!options->every.empty()) changes.push_back("record.every=" + options->every);
    simulate(*options, changes);
  });
}
