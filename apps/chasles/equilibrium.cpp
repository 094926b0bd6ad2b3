/// chasles equilibrium: positions in which a mechanism can rest, their stability and modes.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <chasles/constraints/analysis.hpp>
#include <chasles/dynamics/energy.hpp>
#include <chasles/simulation/driver.hpp>
#include <chasles/simulation/quantity.hpp>
#include <cmath>
#include <utility>

#include "commands.hpp"
#include "json.hpp"
#include "mode_report.hpp"
#include "output.hpp"
#include "sampled_linearization.hpp"
#include "settle.hpp"
#include "subject.hpp"

void settle(chasles::ScenarioSystem& run, chasles::State& at, std::vector<int>& held,
            int load_steps) {
  for (int round = 0; round < 5; ++round) {
    try {
      at.q = find_equilibrium(run.system(), at.t, at.q, {.held = held, .load_steps = load_steps});
    } catch (const chasles::Error& error) {  // the input is good, the computation fails: exit 1
      throw std::runtime_error(error.what());
    }
    at.v.setZero();
    const std::vector<int> before = std::exchange(held, run.hold(at));
    if (held == before) return;
  }
  throw std::runtime_error(
      "no equilibrium was found at which the same joints are held by stops and friction; start "
      "elsewhere");
}

namespace {

using namespace chasles;

struct EquilibriumArguments {
  std::string out, report, loops;
  int all = 0, load_steps = 0;
  std::uint64_t seed = 1;
};

/// The force with which a driver holds its joint or frame.
struct Holding {
  std::string driver;
  double force, speed;  // speed: prescribed there, which statics leave out
};

/// An equilibrium with its modes.
struct Rest {
  State at;
  std::vector<int> held;
  std::vector<Holding> drivers;
  std::vector<VibrationMode> modes;
  double energy = 0;  // potential [J], of gravity and of forces that have one

  /// "stable", "unstable", "neutral": no mode grows, one does, or one neither grows nor decays nor vibrates.
  std::string stability() const {
    double fastest = 0;
    for (const VibrationMode& mode : modes) fastest = std::max(fastest, mode.frequency);
    bool rests = true;
    for (const VibrationMode& mode : modes) {
      if (mode.lambda.real() > 1e-7 * std::max(fastest, mode.frequency)) return "unstable";
      if (mode.frequency <= 1e-7 * fastest || mode.frequency == 0) rests = false;
    }
    return rests ? "stable" : "neutral";
  }
};

double potential(const Scenario& scenario, const State& at) {
  EvaluationState m(scenario.model);
  m.t = at.t, m.q = at.q;
  update(m, QuantityStage::velocity);
  return potential_energy(scenario.model, m.kin) + scenario.forces.potential(m.kin);
}

/// f + B^T y + E z = 0 for the forces f at rest, with the entries E of v that stops and friction hold: y of a driver is
/// unique, since no other equation moves it.
std::vector<Holding> holding_forces(ScenarioSystem& run, const State& at,
                                    const std::vector<int>& held) {
  std::vector<Holding> list;
  if (run.closed() == nullptr || !is_driven(run.scenario())) return list;
  ConstrainedSystem& system = *run.closed();
  Matrix B;
  Vector f(system.nv());
  system.set(at);
  system.force(f);
  system.constraint_matrix(B);
  Eigen::MatrixXd A =
      Eigen::MatrixXd::Zero(f.size(), B.rows() + static_cast<Eigen::Index>(held.size()));
  A.leftCols(B.rows()) = B.transpose();
  for (std::size_t k = 0; k < held.size(); ++k)
    A(held[k], B.rows() + static_cast<Eigen::Index>(k)) = 1;
  const Eigen::VectorXd y = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(A).solve(-f);
  for (const auto& constraint : run.scenario().constraints.more)
    if (const auto* driver = dynamic_cast<const Driver*>(constraint.get()))
      for (const ConstraintBlock& block : system.constraints().blocks())
        if (block.kind == "driver" && block.name == driver->name())
          list.push_back({driver->name(), y[block.first], driver->motion()(at.t).v});
  return list;
}

Rest describe_rest(ScenarioSystem& run, const State& at, const std::vector<int>& held) {
  Rest rest{at, held, holding_forces(run, at, held), {}};
  rest.energy = potential(run.scenario(), at);
  try {
    rest.modes = modes(run.system(), at.t, at.q, {.held = held});
  } catch (const SingularError& error) {
    throw std::runtime_error(error.what());
  }
  return rest;
}

/// Equilibria from random starts, the lowest energy first.
std::vector<Rest> find_all(ScenarioSystem& run, const EquilibriumArguments& options) {
  const State start = run.start();
  std::vector<Vector> starts{start.q};
  const Scenario& scenario = run.scenario();
  Constraints none(scenario.model, {.closed = false});
  Constraints& constraints = run.closed() != nullptr ? run.closed()->constraints() : none;
  const AssemblyOptions random{.seed = options.seed};
  for (Vector& q : random_assemblies(constraints, start.q, options.all, random))
    starts.push_back(std::move(q));
  State first = start;
  const std::vector<int> held = run.hold(first);
  std::vector<Rest> list;
  for (const Vector& q : find_equilibria(run.system(), start.t, starts,
                                         {.held = held, .load_steps = options.load_steps}))
    list.push_back(describe_rest(run, {start.t, q, Vector(scenario.model.nv())}, held));
  std::ranges::stable_sort(list, {}, &Rest::energy);
  if (list.empty())
    throw std::runtime_error(fmt::format(
        "no equilibrium was found from {} starts; support what falls, or start elsewhere",
        starts.size()));
  return list;
}

std::vector<Rest> find(ScenarioSystem& run, const EquilibriumArguments& options) {
  if (options.all > 0) return find_all(run, options);
  State at = run.start();
  std::vector<int> held = run.hold(at);
  settle(run, at, held, options.load_steps);
  return {describe_rest(run, at, held)};
}

bool is_beyond_limits(const ModelJoint& joint, const Vector& q) {
  if (joint.nq != 1 || !joint.limits) return false;
  const double x = q[joint.q_index], margin = 1e-9 * (1 + std::abs(x));
  return x < joint.limits->lower.value_or(-HUGE_VAL) - margin ||
         x > joint.limits->upper.value_or(HUGE_VAL) + margin;
}

Json to_json_rest(const Model& model, const Rest& rest) {
  Json joints = Json::object(), values = Json::array(), held = Json::array(),
       beyond = Json::array();
  for (const ModelJoint& joint : model.joints()) {
    const double* q = rest.at.q.data() + joint.q_index;
    joints[joint.name] = joint.nq == 1 ? Json(*q) : Json(std::vector<double>(q, q + joint.nq));
    if (is_beyond_limits(joint, rest.at.q)) beyond.push_back(joint.name);
  }
  for (const VibrationMode& mode : rest.modes)
    values.push_back({{"frequency", mode.frequency},
                      {"damping", mode.damping},
                      {"lambda", Json::array({mode.lambda.real(), mode.lambda.imag()})}});
  for (const int k : rest.held) held.push_back(joint_name(model, k));
  Json drivers = Json::object();
  for (const Holding& one : rest.drivers) drivers[one.driver] = one.force;
  return {{"stability", rest.stability()},
          {"potential_energy", rest.energy},
          {"q", std::vector<double>(rest.at.q.begin(), rest.at.q.end())},
          {"joints", joints},
          {"held", held},
          {"driver_force", drivers},
          {"beyond_limits", beyond},
          {"modes", values}};
}

void print(const Scenario& scenario, const std::vector<Rest>& list,
           const EquilibriumArguments& options) {
  const Model& model = scenario.model;
  const std::string& name = scenario.name;
  if (options.all > 0)
    fmt::print("{}: {} {} from {} starts\n", name, list.size(),
               list.size() == 1 ? "equilibrium" : "equilibria", options.all + 1);
  else
    fmt::print("{}: equilibrium\n", name);
  std::size_t widest = 5;
  for (const ModelJoint& joint : model.joints()) widest = std::max(widest, joint.name.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Rest& rest = list[i];
    fmt::print("\n  {}{}, potential energy {:.6g} J\n",
               list.size() > 1 ? fmt::format("{}: ", i + 1) : "", rest.stability(), rest.energy);
    for (const ModelJoint& joint : model.joints()) {
      const double* q = rest.at.q.data() + joint.q_index;
      fmt::print("    {:<{}}  {:.9g}{}\n", joint.name, widest, fmt::join(q, q + joint.nq, ", "),
                 is_beyond_limits(joint, rest.at.q) ? "  beyond its limits" : "");
    }
    for (const VibrationMode& mode : rest.modes)
      fmt::print("    mode: {:.6g} Hz, damping {:.4g}, lambda {:.6g}{:+.6g}i 1/s\n",
                 mode.frequency / (2 * M_PI), mode.damping, mode.lambda.real(), mode.lambda.imag());
    if (rest.modes.empty())
      fmt::print("    {}\n",
                 is_driven(scenario) ? "drivers prescribe all of its motion" : "nothing moves");
    for (const int k : rest.held)
      fmt::print("    {} is held by a stop or friction\n", joint_name(model, k));
    for (const Holding& one : rest.drivers)
      fmt::print("    driver '{}' holds with {:.6g} N m or N\n", one.driver, one.force);
  }
  for (const Holding& one : list.front().drivers)
    if (one.speed != 0)
      fmt::print(
          "\n  driver '{}' moves with {:.6g} rad/s or m/s there: this is the mechanism at rest, "
          "without the forces of that motion; `simulate` with a damper finds a steady one\n",
          one.driver, one.speed);
}

void equilibrium(const ModelInput& input, const StateOptions& state,
                 const EquilibriumArguments& options) {
  Subject subject = read_subject(input, state,
                                 {.appearance = !options.report.empty(),
                                  .accelerates = true,
                                  .open = options.loops == "open"});
  if (!options.loops.empty()) subject.scenario.loops = options.loops == "closed";
  ScenarioSystem run(with_continuous_control(subject.scenario));
  const std::vector<Rest> list = find(run, options);
  const Model& model = run.scenario().model;
  if (!options.out.empty()) {
    Json document{{"model", model.name()}, {"equilibria", Json::array()}};
    for (const Rest& rest : list) document["equilibria"].push_back(to_json_rest(model, rest));
    write_output(document.dump(1) + "\n", options.out, subject.inputs);
  }
  if (options.out.empty() || !is_standard_output(options.out)) print(run.scenario(), list, options);
  if (options.report.empty()) return;
  if (list[0].modes.empty())
    throw Error("--report: nothing moves, so there are no modes to show; leave it out");
  write_mode_report(run.scenario(), run.system(), list[0].at, list[0].modes, options.report,
                    subject.inputs);
}

}  // namespace

void add_equilibrium(Command program) {
  const Command command = program.add_command(
      "equilibrium", "Statics: positions in which a mechanism rests, stability, modes");
  const auto input = ModelInput::add_to(command);
  const auto state = StateOptions::add_to(command, false);
  const auto options = std::make_shared<EquilibriumArguments>();
  command.add_option("--all", options->all,
                     "Look for all equilibria: from so many random starts besides the start");
  command.add_option("--seed", options->seed, "Of the random starts; default 1");
  command.add_option("--load-steps", options->load_steps,
                     "Release the forces that are out of balance at the start in so many steps: "
                     "for stiff springs and far starts");
  add_loops_option(command, options->loops);
  command.add_option("--report", options->report,
                     "Show the modes, of the first equilibrium: MODES.html, one run per mode");
  command.add_option("-o,--output", options->out, "Write JSON: a file, or -");
  command.footer(
      "MODEL may be a scenario: then its forces act, also controllers and contacts, and the "
      "search\n"
      "begins at its start. Joints follow from loops; those that stops or friction hold are "
      "fixed.\n"
      "  chasles equilibrium examples/four_bar.yaml --all 20");
  command.callback([=] {
    require_ending(options->out, {".json"}, "results are written as .json");
    require_ending(options->report, {".html"}, "reports are written as .html");
    for (const auto& [name, value] :
         {std::pair{"--all", options->all}, {"--load-steps", options->load_steps}})
      if (value < 0 || value > 100000)
        throw Error(fmt::format("{} {}: give a number from 0 to 100000", name, value));
    try {
      equilibrium(*input, *state, *options);
    } catch (const SingularError& error) {  // the input is good, the computation fails: exit 1
      throw std::runtime_error(fmt::format("{}: {}", input->path, error.what()));
    } catch (const Error&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}: {}", input->path, error.what()));
    }
  });
}
