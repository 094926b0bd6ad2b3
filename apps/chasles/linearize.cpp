/// chasles linearize: a mechanism near a state as a linear system, and its modes.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <chasles/control/equilibrium.hpp>
#include <chasles/control/linear_system.hpp>
#include <chasles/io/scenario_file.hpp>
#include <chasles/io/states_file.hpp>
#include <cmath>

#include "commands.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "output.hpp"

namespace {

using namespace chasles;
using to_json::Json;

struct Options {
  std::string states, out;
  double hold = 0;
  bool equilibrium = false;
};

/// What is linearised: a model with its forces at a state.
struct Subject {
  std::string name;
  Model model;
  State at;
  ForceFunction forces{};
  std::vector<std::filesystem::path> inputs{};
};

Subject of_scenario(const std::string& path) {
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> inputs;
  Scenario scenario = read_scenario(path, &warnings, &inputs);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (scenario.joint_dynamics)
    for (Force& force : joint_dynamics(scenario.model)) scenario.forces.add(std::move(force));
  return {scenario.name, scenario.model, scenario.start,
          scenario.forces.empty() ? ForceFunction{} : scenario.forces.function(), inputs};
}
Subject of_model(const ModelInput& input) {
  const Model model = input.read();
  Forces forces;
  for (Force& force : joint_dynamics(model)) forces.add(std::move(force));
  return {model.name(),
          model,
          {0, model.neutral(), Vector(model.nv())},
          forces.empty() ? ForceFunction{} : forces.function(),
          {input.path}};
}
/// The first state of a file, with its forces on top.
void take_state(const std::string& path, Subject& subject) {
  const std::vector<GivenState> states = read_states(path, subject.model);
  if (states.size() != 1)
    throw Error(fmt::format("{}: has {} states; linearize takes one", path, states.size()));
  const GivenState& state = states[0];
  subject.at.q = state.q, subject.at.v = state.v;
  subject.inputs.emplace_back(path);
  if (state.tau.cwiseAbs().sum() == 0 && state.wrenches.empty()) return;
  subject.forces = [before = subject.forces, state](double t, const VelocityKinematics& kin,
                                                    JointForces& out) {
    if (before) before(t, kin, out);
    out.tau += state.tau;
    out.wrenches.insert(out.wrenches.end(), state.wrenches.begin(), state.wrenches.end());
  };
}

std::string joint_name(const Model& model, Eigen::Index k) {
  const ModelJoint& joint = model.joint_of_v(static_cast<int>(k));
  return joint.nv == 1 ? joint.name : fmt::format("{}[{}]", joint.name, k - joint.v_index);
}

/// Why there are no modes; empty: there are.
std::string why_no_modes(const Subject& subject, const Vector& a) {
  if (subject.at.v.cwiseAbs().sum() > 0) return "it moves: modes are those of a state at rest";
  return a.size() == 0 ? "nothing moves" : "";
}

Json to_json_mode(const Mode& mode) {
  Json shape = Json::array();
  for (const auto& s : mode.shape) shape.push_back({s.real(), s.imag()});
  return {{"frequency", mode.frequency},
          {"damping", mode.damping},
          {"lambda", {mode.lambda.real(), mode.lambda.imag()}},
          {"shape", shape}};
}

void print_modes(const Model& model, const std::vector<Mode>& all) {
  fmt::print("\n  {:>14} {:>14} {:>10}  {:>26}  {}\n", "frequency [Hz]", "omega [rad/s]", "damping",
             "lambda [1/s]", "moves most");
  for (const Mode& mode : all) {
    Eigen::Index most = 0;
    for (std::size_t k = 0; k < mode.shape.size(); ++k)
      if (std::abs(mode.shape[k]) > std::abs(mode.shape[static_cast<std::size_t>(most)]))
        most = static_cast<Eigen::Index>(k);
    fmt::print("  {:>14.6g} {:>14.6g} {:>10.4g}  {:>26}  {}\n", mode.frequency / (2 * M_PI),
               mode.frequency, mode.damping,
               fmt::format("{:.6g}{:+.6g}i", mode.lambda.real(), mode.lambda.imag()),
               joint_name(model, most));
  }
  const bool grows = std::ranges::any_of(all, [](const Mode& m) { return m.lambda.real() > 0; });
  fmt::print("\n  {}\n", grows ? "unstable: some modes grow" : "no mode grows");
}
void print_eigenvalues(const Eigen::VectorXcd& all) {
  fmt::print("\n  eigenvalues of A [1/s]\n");
  for (const auto& x : all) fmt::print("  {:>14.6g} {:+.6g}i\n", x.real(), x.imag());
}

void linearize(const ModelInput& input, const Options& options) {
  Subject subject = is_scenario(input.path) ? of_scenario(input.path) : of_model(input);
  if (!options.states.empty()) take_state(options.states, subject);
  if (const std::string warning = open_loops(subject.model); !warning.empty())
    fmt::print(stderr, "warning: {}: {}\n", input.path, warning);
  ModelSystem system(subject.model);
  if (subject.forces) system.set_forces(subject.forces);
  State& at = subject.at;
  if (options.equilibrium) {
    at.q = find_equilibrium(system, at.t, at.q);
    at.v.setZero();
  }
  const LinearSystem linear = chasles::linearize(system, at.t, at.q, at.v);
  Vector a(subject.model.nv()), velocity(subject.model.nv());
  system.rates(at.t, at.q, at.v, velocity, a);

  Json document{{"model", subject.model.name()},
                {"state",
                 {{"t", at.t},
                  {"q", std::vector<double>(at.q.begin(), at.q.end())},
                  {"v", std::vector<double>(at.v.begin(), at.v.end())},
                  {"a", std::vector<double>(a.begin(), a.end())}}}};
  for (Eigen::Index k = 0; k < a.size(); ++k)
    document["joints"].push_back(joint_name(subject.model, k));
  document["A"] = to_json::matrix(linear.A), document["B"] = to_json::matrix(linear.B);
  if (options.hold > 0) {
    const LinearSystem step = hold(linear, options.hold);
    document["hold"] = {
        {"time", options.hold}, {"A", to_json::matrix(step.A)}, {"B", to_json::matrix(step.B)}};
  }
  const Eigen::VectorXcd eigenvalues =
      linear.A.size() > 0 ? Eigen::VectorXcd(Eigen::MatrixXd(linear.A).eigenvalues())
                          : Eigen::VectorXcd();
  for (const auto& x : eigenvalues) document["eigenvalues"].push_back({x.real(), x.imag()});

  std::string why = why_no_modes(subject, a);
  std::vector<Mode> found;
  if (why.empty()) try {
      found = modes(system, at.t, at.q);
    } catch (const Error&) {
      Eigen::Index most = 0;
      const double size = a.cwiseAbs().maxCoeff(&most);
      why = fmt::format(
          "no equilibrium: joint {} accelerates by {:.4g}; --equilibrium looks for one "
          "nearby",
          joint_name(subject.model, most), size);
    }
  document["equilibrium"] = why.empty();
  if (why.empty())
    for (const Mode& mode : found) document["modes"].push_back(to_json_mode(mode));
  else
    document["warnings"] = {why};

  const bool to_stdout = !options.out.empty() && is_standard_output(options.out);
  if (!options.out.empty()) write_output(document.dump(1) + "\n", options.out, subject.inputs);
  if (to_stdout) return;
  fmt::print("{}: x' = A x + B u with {} coordinates and {} velocities, at t = {:g} s\n",
             subject.name, a.size(), a.size(), at.t);
  if (why.empty()) return print_modes(subject.model, found);
  fmt::print("  {}\n", why);
  print_eigenvalues(eigenvalues);
}

}  // namespace

void add_linearize(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "linearize", "A mechanism near a state as a linear system: A, B, modes, damping");
  const auto input = ModelInput::add_to(*command);
  const auto options = std::make_shared<Options>();
  command->add_option("--states", options->states,
                      "JSON file as for eval, with one state: where to linearise, instead of the "
                      "start of the scenario or of the neutral state; its tau and wrenches act");
  command->add_flag("--equilibrium", options->equilibrium,
                    "Look for an equilibrium from there, and linearise at it");
  command->add_option("--hold", options->hold,
                      "Also the exact step over so many seconds under a held force");
  command->add_option("-o,--output", options->out, "Write all matrices: JSON file, or -");
  command->footer(
      "MODEL may be a scenario: then its forces act, and it begins at its start. x = (dq; dv), dq "
      "a\n"
      "step of the joints, and u are joint forces on top of those that act:\n"
      "  chasles linearize examples/puma560.yaml --equilibrium --hold 0.001 -o linear.json");
  command->callback([=] {
    require_ending(options->out, {".json"}, "results are written as .json");
    if (options->hold < 0 || !std::isfinite(options->hold))
      throw Error(
          fmt::format("--hold {}: give a time in seconds that is not negative", options->hold));
    linearize(*input, *options);
  });
}
