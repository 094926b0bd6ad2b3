/// chasles simulate: runs a scenario, records it, and says what it conserved.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chasles/io/report.hpp>
#include <chasles/io/run_file.hpp>
#include <chasles/io/scenario_file.hpp>
#include <csignal>
#include <cstdio>
#include <optional>

#include "commands.hpp"
#include "interrupted.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "viewer_page.hpp"

namespace {

using namespace chasles;

volatile std::sig_atomic_t interrupted = 0;  // by this signal; 0: by none

/// While it lives, Ctrl-C, SIGTERM and the end of the terminal set a flag; a second one ends the
/// program at once. What was ignored when the program was started (nohup, jobs of a script) stays so.
class CatchInterrupt {
 public:
  CatchInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int signal) { interrupted = signal; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < std::size(signals); ++i) {
      sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
    }
  }
  ~CatchInterrupt() {
    for (std::size_t i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &before_[i], nullptr);
  }
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(signals)]{};
};

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

/// Adds what a report plots. @return how many quantities there were; q and v are no such
std::size_t add_report_quantities(Scenario& scenario) {
  const auto counts = [](const std::string& name) { return name != "q" && name != "v"; };
  std::vector<std::string>& names = scenario.quantities;
  const auto count = static_cast<std::size_t>(std::ranges::count_if(names, counts));
  for (const std::string& name : report_quantities()) {
    if (name == "constraint_violation" && !(scenario.loops && scenario.model.loops().size() > 0))
      continue;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return count;
}

/// "changed by gravity, joints on ground, wrench on 'hand'"; names beyond the third are counted.
std::string note(const std::vector<std::string>& causes, double at_start) {
  if (causes.empty()) return fmt::format("at the start {:.6g}", at_start);
  constexpr std::size_t most = 3;
  std::string text = "changed by ";
  for (std::size_t i = 0; i < std::min(causes.size(), most); ++i)
    text += (i > 0 ? ", " : "") + causes[i];
  return text + (causes.size() > most ? fmt::format(" and {} more", causes.size() - most) : "");
}

void print_violations(const std::vector<Violation>& violations) {
  if (violations.empty()) return;
  constexpr std::size_t most = 20;
  fmt::print("\n  beyond the bounds of joints: {}\n", violations.size());
  for (std::size_t i = 0; i < std::min(violations.size(), most); ++i)
    fmt::print("  - {}\n", violations[i].text());
  if (violations.size() > most) fmt::print("  - and {} more\n", violations.size() - most);
}

template <class Row>
void print_constraints(const Summary& s, const Row& row) {
  row("constraints [rad, m]", s.constraint_violation, s.last_violation,
      fmt::format("velocities {:.2e}", s.velocity_violation));
  if (s.mobility == 0)
    fmt::print(
        "  the constraints leave no degree of freedom: nothing moves, what is recorded is "
        "static\n");
  else if (s.independence < 1e-3)
    fmt::print(
        "  passed near a singular configuration: constraints depended on each other but for "
        "{:.1e}; "
        "\n  whether the motion goes on there as it should is worth a look\n",
        s.independence);
}

void print_summary(const Scenario& scenario, const Summary& s, const std::string& out) {
  const auto row = [](const char* name, double worst, double last, const std::string& said) {
    fmt::print("  {:<28} {:>9.2e}  {:>9.2e}  {}\n", name, worst, last, said);
  };
  fmt::print("{}: {} from t = {:g} to {:g} s in {:.3g} s\n", scenario.name, s.method,
             scenario.start.t, s.time, s.wall_seconds);
  fmt::print("  {} steps of {:.3g} to {:.3g} s, {} rejected, {} evaluations\n", s.statistics.steps,
             s.statistics.steps > 0 ? s.statistics.smallest : 0, s.statistics.largest,
             s.statistics.rejected, s.statistics.evaluations);
  if (s.statistics.is_stiff())
    fmt::print(
        "  stiff: stability, not accuracy, held about {} of them down; an implicit method needs "
        "far "
        "fewer,\n  such as integrator: {{method: gauss2, step: {:.1g}}}\n",
        s.statistics.stiff, (s.time - scenario.start.t) / 1000);
  fmt::print("\n  {:<28} {:>9}  {:>9}\n", "drift", "largest", "at end");
  const double energy = s.start.kinetic + s.start.potential;
  row("energy [J]", s.worst.energy, s.last.energy,
      fmt::format(
          "at the start {:.6g}{}", energy,
          scenario.forces.works() ? fmt::format("; work of the forces {:.6g}", s.end.work) : ""));
  row("linear momentum [kg m/s]", s.worst.linear_momentum, s.last.linear_momentum,
      note(s.momentum_causes, norm(s.start.P)));
  row("angular momentum [kg m^2/s]", s.worst.angular_momentum, s.last.angular_momentum,
      note(s.momentum_causes, norm(s.start.L)));
  row("  about the centre of mass", s.worst.angular_momentum_com, s.last.angular_momentum_com,
      note(s.spin_causes, norm(s.start.L_com)));
  row("unit quaternions", s.worst.orthogonality, s.last.orthogonality, "");
  if (s.closed) print_constraints(s, row);
  print_violations(s.violations);
  if (!out.empty()) fmt::print("\n  {} samples in {}\n", s.samples, out);
}

void print_events(const Summary& s) {
  if (s.event_count == 0) return;
  constexpr std::size_t most = 20;
  fmt::print("\n  events: {}\n", s.event_count);
  for (std::size_t i = 0; i < std::min(s.events.size(), most); ++i)
    fmt::print("  - {} at t = {:.9g} s\n", s.events[i].name, s.events[i].t);
  if (s.event_count > static_cast<long>(most))
    fmt::print("  - and {} more\n", s.event_count - static_cast<long>(most));
}

void simulate(const std::string& path, const std::string& out, const std::string& report,
              std::span<const std::string> changes) {
  require_ending(report, {".html"}, "reports are written as .html");
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> inputs;
  Scenario scenario = read_scenario(path, &warnings, &inputs, changes);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  const CatchInterrupt guard;
  const std::unique_ptr<Recorder> file =
      out.empty() ? std::make_unique<NoRecorder>() : make_run_file(out, inputs);
  std::optional<OutputFile> page;  // opened before the run: what cannot be written is said at once
  if (!report.empty()) page.emplace(report, inputs);
  const std::size_t asked = report.empty() ? 0 : add_report_quantities(scenario);
  Simulation simulation(scenario);
  ReportRun shown;
  if (page) shown = report_notes(inputs, std::move(warnings));
  ReportRecorder shown_recorder(shown);
  FileAndReport both(*file, shown_recorder, asked);
  Recorder& recorder = page ? both : *file;
  const auto write_page = [&] {
    if (!page) return;
    page->write(write_report(viewer_page(), {&shown, 1}));
    page->commit();
    fmt::print("\n  report in {}\n", report);
  };
  if (!out.empty() && is_standard_output(out))
    dup2(STDERR_FILENO, STDOUT_FILENO);  // the summary is no part of the record
  Progress progress(scenario.start.t, scenario.start.t + scenario.duration);
  try {
    simulation.run(recorder, [&](double t) {
      progress.show(t);
      if (page) shown_recorder.step(t);
      return interrupted == 0;
    });
  } catch (const RunError& error) {  // the input is good, the computation fails: exit 1
    progress.clear();
    write_page();
    const std::string saved =
        out.empty() ? "the last state is\n" + write_initial(scenario.model, simulation.state())
                    : "the last state is the last sample in " + out;
    throw std::runtime_error(fmt::format("{}: {}\n{}", path, error.what(), saved));
  }
  progress.clear();
  const Summary summary = simulation.summary();
  print_summary(simulation.scenario(), summary, out);
  print_events(summary);
  write_page();
  if (summary.finished) return;
  fmt::print(
      stderr, "chasles: interrupted at t = {:g} s; {}\n", summary.time,
      out.empty() ? "nothing was recorded (-o RUN.csv does)" : "what was computed is in " + out);
  throw Interrupted(interrupted);
}

}  // namespace

void add_simulate(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "simulate", "Run a scenario: integrate, record, and report what is conserved");
  struct Options {
    std::string scenario, out, report, duration, every;
    std::vector<std::string> changes;
  };
  const auto options = std::make_shared<Options>();
  command
      ->add_option("SCENARIO", options->scenario,
                   "Scenario file, .yaml or .json; - for standard input")
      ->required();
  command->add_option("-o,--output", options->out,
                      "Record the run: RUN.csv, RUN.json, or - for standard output");
  command->add_option("--report", options->report,
                      "Show the run: RUN.html, one file for any browser that moves and plots");
  command
      ->add_option(
          "--set", options->changes,
          "Change the scenario before it is read, PATH=VALUE: --set integrator.tolerance=1e-8, "
          "--set forces.0.stiffness=5; may be given again")
      ->allow_extra_args(false);
  command->add_option("--duration", options->duration, "Instead of the scenario's [s]");
  command->add_option("--every", options->every, "Between samples, instead of the scenario's [s]");
  command->footer(
      "Wrenches on bodies are torque and force at the body, in world axes (hybrid), unless the\n"
      "scenario says another representation. Damping and friction of the model's joints act,\n"
      "unless it says joint_dynamics: false.\n"
      "Ctrl-C and SIGTERM end the run, keep what was recorded, and exit with 130 and 143.");
  command->callback([=] {
    std::vector<std::string> changes = options->changes;
    if (!options->duration.empty()) changes.push_back("duration=" + options->duration);
    if (!options->every.empty()) changes.push_back("record.every=" + options->every);
    simulate(options->scenario, options->out, options->report, changes);
  });
}
