/// chasles linearize: a mechanism near a state as a linear system, and its modes.
#include <fmt/format.h>

#include <algorithm>
#include <chasles/control/equilibrium.hpp>
#include <chasles/control/linear_system.hpp>
#include <chasles/io/scenario_file.hpp>
#include <chasles/io/states_file.hpp>
#include <cmath>
#include <optional>

#include "commands.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "output.hpp"

namespace {

using namespace chasles;
using to_json::Json;

struct LinearizeOptions {
  std::string states, out;
  std::optional<double> hold;
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

Subject read_subject(const ModelInput& input) {
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> inputs;
  auto file = read_scenario_or_mechanism(input.path, {input.floating_base, &warnings}, &inputs);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  const auto subject = [&](const std::string& name, const Model& model, const State& start,
                           Forces forces, bool dynamics) -> Subject {
    if (dynamics)
      for (Force& force : joint_dynamics(model)) forces.add(std::move(force));
    return {name, model, start, forces.empty() ? ForceFunction{} : forces.function(), inputs};
  };
  if (const auto* s = std::get_if<Scenario>(&file))
    return subject(s->name, s->model, s->start, s->forces, s->joint_dynamics);
  const Model model = compile(std::get<Mechanism>(file));
  return subject(model.name(), model, {0, model.neutral(), Vector(model.nv())}, {}, true);
}
/// The state of a file, with its forces on top.
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

/// The entry of v that x is largest at, for people.
std::string largest(const Model& model, ConstVectorRef x) {
  Eigen::Index most = 0;
  const double size = x.cwiseAbs().maxCoeff(&most);
  return fmt::format("joint {} by {:.4g}", joint_name(model, most), size);
}

/// The modes at a state, or why there are none.
struct Found {
  std::vector<Mode> modes{};
  std::string why_none{};
};
Found find_modes(ModelSystem& system, const State& at, const Vector& a) {
  if (a.size() == 0) return {.why_none = "nothing moves"};
  if (at.v.cwiseAbs().maxCoeff() > 0)
    return {.why_none = "it moves: modes are those of a state at rest"};
  try {
    return {.modes = modes(system, at.t, at.q)};
  } catch (const Error&) {  // it was linearised there: all that can be wrong is the balance
    return {.why_none = "no equilibrium: it accelerates, most of all " +
                        largest(system.model(), a) + "; --equilibrium looks for one nearby"};
  }
}

/// To an equilibrium nearby, for --equilibrium.
void settle(ModelSystem& system, State& at) {
  try {
    at.q = find_equilibrium(system, at.t, at.q);
  } catch (const Error& error) {  // the input is good, the computation fails: exit 1
    throw std::runtime_error(error.what());
  }
  at.v.setZero();
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
  // Slopes of forces are differences, so what is not damped may seem to grow by 1e-8 or so.
  const bool grows = std::ranges::any_of(all, [](const Mode& m) { return m.damping < -1e-7; });
  fmt::print("\n  {}\n", grows ? "unstable: some modes grow" : "no mode grows");
}
using Eigenvalues = std::vector<std::complex<double>>;
void print_eigenvalues(const Eigenvalues& all) {
  fmt::print("\n  eigenvalues of A [1/s]\n");
  for (const auto& x : all) fmt::print("  {:>14.6g} {:+.6g}i\n", x.real(), x.imag());
}

Json to_json_state(const State& at, const Vector& a) {
  const auto list = [](const Vector& x) { return std::vector<double>(x.begin(), x.end()); };
  return {{"t", at.t}, {"q", list(at.q)}, {"v", list(at.v)}, {"a", list(a)}};
}

Json describe(const Subject& subject, const Vector& a, const LinearSystem& linear,
              const Eigenvalues& all, const Found& found) {
  Json joints = Json::array(), numbers = Json::array(), list = Json::array();
  for (Eigen::Index k = 0; k < a.size(); ++k) joints.push_back(joint_name(subject.model, k));
  for (const auto& x : all) numbers.push_back({x.real(), x.imag()});
  for (const Mode& mode : found.modes) list.push_back(to_json_mode(mode));
  return {{"model", subject.model.name()},
          {"state", to_json_state(subject.at, a)},
          {"joints", joints},
          {"A", to_json::matrix(linear.A)},
          {"B", to_json::matrix(linear.B)},
          {"eigenvalues", numbers},
          {"equilibrium", found.why_none.empty()},
          {"modes", list}};
}

void linearize(const ModelInput& input, const LinearizeOptions& options) {
  Subject subject = read_subject(input);
  if (!options.states.empty()) take_state(options.states, subject);
  const std::string loops = open_loops(subject.model);
  if (!loops.empty()) fmt::print(stderr, "warning: {}: {}\n", input.path, loops);
  ModelSystem system(subject.model);
  if (subject.forces) system.set_forces(subject.forces);
  State& at = subject.at;
  if (options.equilibrium) settle(system, at);
  const LinearSystem linear = chasles::linearize(system, at.t, at.q, at.v);
  Vector a(subject.model.nv()), velocity(subject.model.nv());
  system.rates(at.t, at.q, at.v, velocity, a);
  const Eigenvalues all = eigenvalues(linear);
  const Found found = find_modes(system, at, a);

  Json document = describe(subject, a, linear, all, found);
  if (options.hold) {
    const LinearSystem step = hold(linear, *options.hold);
    document["hold"] = {
        {"time", *options.hold}, {"A", to_json::matrix(step.A)}, {"B", to_json::matrix(step.B)}};
  }
  if (!found.why_none.empty()) document["warnings"].push_back(found.why_none);
  if (!loops.empty()) document["warnings"].push_back(loops);
  if (!options.out.empty()) write_output(document.dump(1) + "\n", options.out, subject.inputs);
  if (!options.out.empty() && is_standard_output(options.out)) return;
  fmt::print("{}: x' = A x + B u at t = {:g} s; x has {} entries, u {}\n", subject.name, at.t,
             2 * a.size(), a.size());
  if (found.why_none.empty()) return print_modes(subject.model, found.modes);
  fmt::print("  {}\n", found.why_none);
  print_eigenvalues(all);
}

/// What cannot be meant.
void check(const ModelInput& input, const LinearizeOptions& options) {
  require_ending(options.out, {".json"}, "results are written as .json");
  if (input.path == "-" && options.states == "-")
    throw Error(
        "linearize: MODEL and --states are both standard input; give one of them as a file");
  if (!options.hold) return;
  if (!(*options.hold >= 0) || !std::isfinite(*options.hold))
    throw Error(
        fmt::format("--hold {}: give a time in seconds that is not negative", *options.hold));
  if (options.out.empty())
    throw Error("--hold: its matrices are written with -o; give a file, or -o -");
}

}  // namespace

void add_linearize(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "linearize", "A mechanism near a state as a linear system: A, B, modes, damping");
  const auto input = ModelInput::add_to(*command);
  const auto options = std::make_shared<LinearizeOptions>();
  command->add_option("--states", options->states,
                      "JSON file as for eval, with one state: where to linearise, instead of the "
                      "start of the scenario or of the neutral state; its tau and wrenches act");
  command->add_flag("--equilibrium", options->equilibrium,
                    "Look for an equilibrium from there, and linearise at it");
  command->add_option("--hold", options->hold,
                      "With -o: also the exact step over so many seconds under a held force");
  command->add_option("-o,--output", options->out, "Write all matrices: JSON file, or -");
  command->footer(
      "MODEL may be a scenario: then its forces act, and it begins at its start.\n"
      "x = (dq; dv), dq a step of the joints, and u are joint forces on\n"
      "top of those that act:\n"
      "  chasles linearize examples/puma560.yaml --equilibrium --hold 0.001 -o linear.json");
  command->callback([=] {
    check(*input, *options);
    try {
      linearize(*input, *options);
    } catch (const SingularError& error) {  // the input is good, the computation fails: exit 1
      throw std::runtime_error(fmt::format("{}: {}", input->path, error.what()));
    }
  });
}
