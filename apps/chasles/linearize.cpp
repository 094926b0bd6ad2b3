/// chasles linearize: a mechanism near a state as a linear system, and its modes.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chasles/io/states_file.hpp>
#include <chasles/linearization/equilibrium.hpp>
#include <chasles/linearization/linear_system.hpp>
#include <chasles/simulation/scenario_system.hpp>
#include <cmath>
#include <new>
#include <optional>

#include "commands.hpp"
#include "estimator.hpp"
#include "json.hpp"
#include "mode_report.hpp"
#include "model_input.hpp"
#include "output.hpp"
#include "regulator.hpp"
#include "sampled_linearization.hpp"
#include "settle.hpp"
#include "subject.hpp"

namespace {

using namespace chasles;

struct LinearizeOptions {
  std::string states, out, loops, modes_report;
  std::vector<std::string> independent;
  std::optional<double> discretize;
  bool equilibrium = false;
  RegulatorOptions lqr;
  EstimatorOptions kalman;
};

/// The state of a file.
void take_state_of(const std::string& path, Subject& subject) {
  if (subject.given) throw Error("--states has the state; leave out --q, --v, --near and --set");
  const std::vector<GivenState> states = read_states(path, subject.scenario.model);
  if (states.size() != 1)
    throw Error(fmt::format("{}: has {} states; linearize takes one", path, states.size()));
  take_state(states[0], subject);
  subject.inputs.emplace_back(path);
}
/// Forces that a state gives act on top of others.
void add_forces_of_state(Subject& subject) {
  if (!subject.given) return;
  const GivenState& state = *subject.given;
  if (state.tau.cwiseAbs().sum() == 0 && state.wrenches.empty()) return;
  subject.scenario.forces.add({"forces of the state", subject.scenario.model,
                               [state](double, const VelocityKinematics&, JointForces& out) {
                                 out.tau += state.tau;
                                 out.wrenches.insert(out.wrenches.end(), state.wrenches.begin(),
                                                     state.wrenches.end());
                               }});
}

Json joint_names(const Model& model, const std::vector<int>& entries) {
  Json names = Json::array();
  for (const int k : entries) names.push_back(joint_name(model, k));
  return names;
}

/// The entry of v that x is largest at, for people.
std::string largest(const Model& model, ConstVectorRef x) {
  Eigen::Index most = 0;
  const double size = x.cwiseAbs().maxCoeff(&most);
  return fmt::format("joint {} by {:.4g}", joint_name(model, most), size);
}

/// Indices into v of the named joints.
std::vector<int> entries_of(const Model& model, const std::vector<std::string>& joints) {
  std::vector<int> entries;
  for (const std::string& name : joints) {
    const ModelJoint& joint = model.joint(name);
    for (int k = 0; k < joint.nv; ++k) entries.push_back(joint.v_index + k);
  }
  return entries;
}

/// The modes at a state, or why there are none.
struct Found {
  std::vector<VibrationMode> modes{};
  std::string why_none{};
};
Found find_modes(MechanicalSystem& system, const Model& model, const State& at, const Vector& a,
                 const CoordinateChoice& choice, std::size_t degrees, bool driven) {
  if (a.size() == 0 || degrees == 0)
    return {.why_none = driven ? "drivers prescribe all of its motion" : "nothing moves"};
  if (at.v.cwiseAbs().maxCoeff() > 0)
    return {.why_none = "it moves: modes are those of a state at rest"};
  try {
    return {.modes = modes(system, at.t, at.q, choice)};
  } catch (const Error&) {  // it was linearized there: it can only be out of equilibrium
    return {.why_none = "no equilibrium: it accelerates, most of all " + largest(model, a) +
                        "; --equilibrium looks for one nearby"};
  }
}

Json to_json_mode(const VibrationMode& mode) {
  Json shape = Json::array();
  for (const auto& s : mode.shape) shape.push_back({s.real(), s.imag()});
  return {{"frequency", mode.frequency},
          {"damping", mode.damping},
          {"lambda", {mode.lambda.real(), mode.lambda.imag()}},
          {"shape", shape}};
}

void print_modes(const Model& model, const std::vector<VibrationMode>& all) {
  fmt::print("\n  {:>14} {:>14} {:>10}  {:>26}  {}\n", "frequency [Hz]", "omega [rad/s]", "damping",
             "lambda [1/s]", "moves most");
  for (const VibrationMode& mode : all) {
    Eigen::Index most = 0;
    for (std::size_t k = 0; k < mode.shape.size(); ++k)
      if (std::abs(mode.shape[k]) > std::abs(mode.shape[static_cast<std::size_t>(most)]))
        most = static_cast<Eigen::Index>(k);
    fmt::print("  {:>14.6g} {:>14.6g} {:>10.4g}  {:>26}  {}\n", mode.frequency / (2 * M_PI),
               mode.frequency, mode.damping,
               fmt::format("{:.6g}{:+.6g}i", mode.lambda.real(), mode.lambda.imag()),
               joint_name(model, most));
  }
  // Derivatives of forces are differences, so what is not damped may seem to grow by 1e-8 or so.
  const bool grows =
      std::ranges::any_of(all, [](const VibrationMode& m) { return m.damping < -1e-7; });
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

/// All that is written.
struct Result {
  State at;
  Vector a;
  std::vector<int> held;
  LinearSystem linear;
  std::optional<ReducedDynamics> reduced;
  Eigenvalues eigenvalues;
  Found found;
  std::vector<std::string> warnings;
  std::optional<SampledLinearization> loop;  // of sampled controllers
  std::optional<RegulatorDesign> lqr;
  std::optional<EstimatorDesign> kalman;
};

Json describe(const Model& model, const Result& r) {
  Json numbers = Json::array(), list = Json::array();
  std::vector<int> all(static_cast<std::size_t>(model.nv()));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  for (const auto& x : r.eigenvalues) numbers.push_back({x.real(), x.imag()});
  for (const VibrationMode& mode : r.found.modes) list.push_back(to_json_mode(mode));
  Json document{{"model", model.name()},
                {"state", to_json_state(r.at, r.a)},
                {"joints", joint_names(model, all)},
                {"coordinates", joint_names(model, r.linear.positions)},
                {"rates", joint_names(model, r.linear.velocities)},
                {"held", joint_names(model, r.held)},
                {"A", to_json::matrix(r.linear.A)},
                {"B", to_json::matrix(r.linear.B)},
                {"C", to_json::matrix(r.linear.C)},
                {"eigenvalues", numbers},
                {"equilibrium", r.found.why_none.empty()},
                {"modes", list}};
  if (r.reduced)
    for (const auto& [name, matrix] : {std::pair{"M", &r.reduced->M},
                                       {"D", &r.reduced->D},
                                       {"K", &r.reduced->K},
                                       {"N", &r.reduced->N}})
      document[name] = to_json::matrix(*matrix);
  for (const std::string& warning : r.warnings) document["warnings"].push_back(warning);
  if (r.loop) document["sampled"] = describe(model, *r.loop);
  if (r.lqr) document["lqr"] = describe(*r.lqr);
  if (r.kalman) document["kalman"] = describe(*r.kalman);
  return document;
}

/// Dense matrices of nv x nv and 2 nv x 2 nv, their eigenvalues, and the text of the result.
void require_memory(const Model& model) {
  constexpr double matrices = 95;  // of nv x nv, measured with -o
  const double n = model.nv(), needed = matrices * n * n * sizeof(double);
  double most =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (rlimit limit{}; getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    most = std::min(most, static_cast<double>(limit.rlim_cur));
  if (needed <= most) return;
  throw std::runtime_error(fmt::format(
      "linearize works with dense matrices: for the {} coordinates of '{}' these need about {:.3g} "
      "GB, "
      "and there are {:.3g} GB; linearize a part of the mechanism, with the other joints fixed",
      model.nv(), model.name(), needed / 1e9, most / 1e9));
}

/// Warnings about the linearized system.
void warn_about_state(const Subject& subject, ScenarioSystem& run, Result& r) {
  const Model& model = subject.scenario.model;
  const auto warn = [&](std::string text) { r.warnings.push_back(std::move(text)); };
  if (subject.given && subject.given->kept_q.empty() && run.closed() != nullptr) {
    const State& given = subject.scenario.start;
    Vector moved(model.nv());
    run.system().group().minus(r.at.q, checked_configuration(model, given.q), moved);
    if (moved.size() > 0 && moved.cwiseAbs().maxCoeff() > 1e-9)
      warn("q was moved to where the constraints hold, most of all " + largest(model, moved));
    moved = r.at.v - given.v;
    if (moved.size() > 0 && moved.cwiseAbs().maxCoeff() > 1e-9)
      warn("v was changed so that the constraints hold, most of all " + largest(model, moved));
  }
}
void warn_about_held(const Model& model, Result& r) {
  std::string names;
  for (const int k : r.held) names += (names.empty() ? "" : ", ") + joint_name(model, k);
  if (!names.empty())
    r.warnings.push_back("held by stops or friction, and taken as fixed: " + names);
}

Result compute(const Subject& subject, const LinearizeOptions& options) {
  const Model& model = subject.scenario.model;
  require_memory(model);
  const std::vector<Controller> sampled = sampled_controllers(subject.scenario);
  ScenarioSystem run(with_continuous_control(subject.scenario));
  Result r;
  r.at = run.start();
  warn_about_state(subject, run, r);
  r.held = run.hold(r.at);
  if (options.equilibrium) settle(run, r.at, r.held);
  if (!sampled.empty()) {  // between samples the efforts do not depend on the state
    run = ScenarioSystem(with_held_efforts(subject.scenario, r.at));
    r.held = run.hold(r.at);
  }
  warn_about_held(model, r);
  const CoordinateChoice choice{entries_of(model, options.independent), r.held};
  MechanicalSystem& system = run.system();
  const State& at = r.at;
  r.linear = chasles::linearize(system, at.t, at.q, at.v, choice);
  if (system.position_constraint_count() == system.constraint_count())
    r.reduced = reduced_dynamics(system, at.t, at.q, at.v, choice);
  Vector velocity(model.nv());
  r.a = velocity;
  system.rates(at.t, at.q, at.v, velocity, r.a);
  r.eigenvalues = eigenvalues(r.linear);
  r.found = find_modes(system, model, at, r.a, choice, r.linear.velocities.size(),
                       is_driven(subject.scenario));
  if (!options.modes_report.empty()) {
    if (r.found.modes.empty())
      throw std::runtime_error("--modes-report: there are no modes to show: " + r.found.why_none);
    write_mode_report(run.scenario(), system, at, r.found.modes, options.modes_report,
                      subject.inputs);
  }
  if (!sampled.empty()) r.loop = sampled_linearization(sampled, r.at, r.linear);
  if (!r.found.why_none.empty()) r.warnings.push_back(r.found.why_none);
  if (options.lqr.wanted) r.lqr = design_regulator(model, r.linear, r.at.q, r.a, options.lqr);
  if (options.kalman.wanted) {
    r.kalman = design_estimator(model, r.linear, options.kalman, options.lqr.period,
                                r.lqr ? &*r.lqr : nullptr);
    if (r.lqr) r.lqr->scenario_entry += r.kalman->scenario_lines;
  }
  return r;
}

void linearize(const ModelInput& input, const StateOptions& state,
               const LinearizeOptions& options) {
  Subject subject = read_subject(input, state,
                                 {.appearance = !options.modes_report.empty(),
                                  .accelerates = true,
                                  .open = options.loops == "open"});
  const Model& model = subject.scenario.model;
  if (!options.states.empty()) take_state_of(options.states, subject);
  add_forces_of_state(subject);
  if (!options.loops.empty()) subject.scenario.loops = options.loops == "closed";
  const Result r = [&] {
    try {
      return compute(subject, options);
    } catch (const std::bad_alloc&) {
      throw std::runtime_error(
          fmt::format("there is not enough memory for the dense matrices of {} coordinates; "
                      "linearize a part of the "
                      "mechanism, with the other joints fixed",
                      model.nv()));
    }
  }();
  for (const std::string& warning : r.warnings)
    if (warning != r.found.why_none) fmt::print(stderr, "warning: {}: {}\n", input.path, warning);
  if (!options.out.empty()) {
    Json document = describe(model, r);
    if (options.discretize) {
      const LinearSystem step = discretize(r.linear, *options.discretize);
      document["discrete"] = {{"time", *options.discretize},
                              {"A", to_json::matrix(step.A)},
                              {"B", to_json::matrix(step.B)}};
    }
    write_output(document.dump(1) + "\n", options.out, subject.inputs);
    if (is_standard_output(options.out)) return;
  }
  if (r.loop)
    fmt::print("{}: x_k+1 = A x_k + B w_k every {:g} s at t = {:g} s; x has {} entries, w {}\n",
               subject.scenario.name, r.loop->system.period, r.at.t, r.loop->system.A.rows(),
               r.a.size());
  else
    fmt::print("{}: x' = A x + B u at t = {:g} s; x has {} entries, u {}\n", subject.scenario.name,
               r.at.t, r.linear.A.rows(), r.a.size());
  if (static_cast<int>(r.linear.positions.size()) < model.nv()) {
    std::string names;
    for (const int k : r.linear.positions)
      names += (names.empty() ? "" : ", ") + joint_name(model, k);
    fmt::print("  {} degree{} of freedom; independent coordinates: {}\n",
               r.linear.velocities.size(), r.linear.velocities.size() == 1 ? "" : "s",
               names.empty() ? "none" : names);
  }
  if (r.loop) {
    if (!r.found.why_none.empty()) fmt::print("  {}\n", r.found.why_none);
    return print(model, *r.loop);
  }
  if (r.found.why_none.empty()) {
    print_modes(model, r.found.modes);
  } else {
    fmt::print("  {}\n", r.found.why_none);
    print_eigenvalues(r.eigenvalues);
  }
  if (r.kalman) print(*r.kalman);
  if (r.lqr) print(*r.lqr);
}

/// Rejects contradictory options.
void check(const ModelInput& input, const LinearizeOptions& options) {
  require_ending(options.out, {".json"}, "results are written as .json");
  require_ending(options.modes_report, {".html"}, "reports are written as .html");
  if (input.path == "-" && options.states == "-")
    throw Error(
        "linearize: MODEL and --states are both standard input; give one of them as a file");
  options.lqr.check();
  options.kalman.check(options.lqr.wanted, options.lqr.period);
  if (!options.discretize) return;
  if (!(*options.discretize >= 0) || !std::isfinite(*options.discretize))
    throw Error(fmt::format("--discretize {}: give a time in seconds that is not negative",
                            *options.discretize));
  if (options.out.empty())
    throw Error("--discretize: its matrices are written with -o; give a file, or -o -");
}

}  // namespace

void add_linearize(Command program) {
  const Command command = program.add_command(
      "linearize", "A mechanism near a state as a linear system: A, B, modes, damping");
  const auto input = ModelInput::add_to(command);
  const auto state = StateOptions::add_to(command);
  const auto options = std::make_shared<LinearizeOptions>();
  command.add_option("--states", options->states,
                     "JSON file as for eval, with one state: where to linearize, instead of the "
                     "start of the scenario or of the neutral state; its tau and wrenches act");
  command.add_flag("--equilibrium", options->equilibrium,
                   "Look for an equilibrium from there, and linearize at it");
  command
      .add_option("--independent", options->independent,
                  "With loops or couplings: joints whose coordinates x has, separated by commas")
      .by_commas();
  add_loops_option(command, options->loops);
  command.add_option(
      "--discretize", options->discretize,
      "With -o: also the discrete system of this sample time [s], inputs by zero-order hold");
  command.add_option("--modes-report", options->modes_report,
                     "Show the modes: MODES.html, one run per mode, a few periods of each");
  options->lqr.add_to(command);
  options->kalman.add_to(command);
  command.add_option("-o,--output", options->out, "Write all matrices: JSON file, or -");
  command.footer(
      "MODEL may be a scenario: then its forces act, and it begins at its start.\n"
      "x = (dq; dv), dq a step of the joints, and u are joint forces on\n"
      "top of those that act. With loops, couplings and rotors x has the independent joints alone, "
      "and\n"
      "joints that are held by rigid stops or friction are fixed. With sampled controllers it is\n"
      "x_k+1 = A x_k + B w_k from sample to sample, with the efforts that are delayed in x:\n"
      "  chasles linearize examples/puma560.yaml --equilibrium --discretize 0.001 -o linear.json");
  command.callback([=] {
    check(*input, *options);
    try {
      linearize(*input, *state, *options);
    } catch (const SingularError& error) {  // the input is good, the computation fails: exit 1
      throw std::runtime_error(fmt::format("{}: {}", input->path, error.what()));
    }
  });
}
