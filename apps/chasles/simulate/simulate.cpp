/// chasles simulate: runs a scenario, records it, and says what it conserved.
#include <fmt/format.h>

#include <algorithm>
#include <chasles/io/run_file.hpp>
#include <chasles/io/scenario_file.hpp>
#include <csignal>
#include <cstdio>

#include "commands.hpp"
#include "interrupted.hpp"
#include "progress.hpp"

namespace {

using namespace chasles;

volatile std::sig_atomic_t interrupted = 0;

/// While it lives, Ctrl-C sets a flag; a second Ctrl-C ends the program at once.
class CatchInterrupt {
 public:
  CatchInterrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~CatchInterrupt() { sigaction(SIGINT, &before_, nullptr); }
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

struct NoRecorder : Recorder {
  void sample(const Sample&) override {}
};

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

void print_summary(const Scenario& scenario, const Summary& s, const std::string& out) {
  const auto row = [](const char* name, double worst, double last, const std::string& said) {
    fmt::print("  {:<28} {:>9.2e}  {:>9.2e}  {}\n", name, worst, last, said);
  };
  fmt::print("{}: {} from t = {:g} to {:g} s in {:.3g} s\n", scenario.name, s.method,
             scenario.start.t, s.time, s.wall_seconds);
  fmt::print("  {} steps of {:.3g} to {:.3g} s, {} rejected, {} evaluations\n", s.statistics.steps,
             s.statistics.steps > 0 ? s.statistics.smallest : 0, s.statistics.largest,
             s.statistics.rejected, s.statistics.evaluations);
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
  print_violations(s.violations);
  if (!out.empty()) fmt::print("\n  {} samples in {}\n", s.samples, out);
}

/// The state as the `initial` of a scenario.
std::string initial_text(const Model& model, const State& state) {
  const auto by_joint = [&](const char* key, const Eigen::VectorXd& x, auto first, auto count) {
    std::string text = fmt::format("  {}: {{", key);
    for (const ModelJoint& joint : model.joints()) {
      std::string numbers;
      for (int k = 0; k < joint.*count; ++k)
        numbers += (k > 0 ? ", " : "") + to_text(x[joint.*first + k]);
      text += fmt::format("{}{}: [{}]", text.ends_with('{') ? "" : ", ", joint.name, numbers);
    }
    return text + "}\n";
  };
  return "initial:\n" + by_joint("q", state.q, &ModelJoint::q_index, &ModelJoint::nq) +
         by_joint("v", state.v, &ModelJoint::v_index, &ModelJoint::nv);
}

void simulate(const std::string& path, const std::string& out) {
  std::vector<std::string> warnings;
  const Scenario scenario = read_scenario(path, &warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  Simulation simulation(scenario);
  const std::unique_ptr<Recorder> recorder =
      out.empty() ? std::make_unique<NoRecorder>() : make_run_file(out);

  const CatchInterrupt guard;
  Progress progress(scenario.start.t, scenario.start.t + scenario.duration);
  try {
    simulation.run(*recorder, [&](double t) {
      progress.show(t);
      return interrupted == 0;
    });
  } catch (const RunError& error) {  // the input is good, the computation fails: exit 1
    progress.clear();
    const std::string saved =
        out.empty() ? "the last state is\n" + initial_text(scenario.model, simulation.state())
                    : "the last state is the last sample in " + out;
    throw std::runtime_error(fmt::format("{}: {}\n{}", path, error.what(), saved));
  }
  progress.clear();
  const Summary summary = simulation.summary();
  print_summary(simulation.scenario(), summary, out);
  if (summary.finished) return;
  fmt::print(
      stderr, "chasles: interrupted at t = {:g} s; {}\n", summary.time,
      out.empty() ? "nothing was recorded (-o RUN.csv does)" : "what was computed is in " + out);
  throw Interrupted();
}

}  // namespace

void add_simulate(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "simulate", "Run a scenario: integrate, record, and report what is conserved");
  struct Options {
    std::string scenario, out;
  };
  const auto options = std::make_shared<Options>();
  command->add_option("SCENARIO", options->scenario, "Scenario file, .yaml or .json")->required();
  command->add_option("-o,--output", options->out, "Record the run: RUN.csv or RUN.json");
  command->footer(
      "Wrenches on bodies are torque and force at the body, in world axes (hybrid), unless the\n"
      "scenario says another representation. Damping and friction of the model's joints act,\n"
      "unless it says joint_dynamics: false.\n"
      "Ctrl-C ends the run, keeps what was recorded, and exits with 130.");
  command->callback([=] { simulate(options->scenario, options->out); });
}
