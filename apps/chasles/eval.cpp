#include <fmt/format.h>

#include <algorithm>
#include <chasles/constraints/analysis.hpp>
#include <chasles/io/states_file.hpp>
#include <chasles/simulation/evaluation.hpp>
#include <chasles/simulation/scenario_system.hpp>
#include <cmath>

#include "commands.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "reactions.hpp"
#include "subject.hpp"

namespace {

using namespace chasles;

struct EvalOptions {
  std::string states, a, tau, gravity, out, loops;
  std::vector<std::string> quantities, actuators;
};

Vec3 parse_gravity(const std::string& text) {
  const auto g = parse_numbers("--gravity", text, 3, "three numbers such as 0,0,-9.81");
  return {g[0], g[1], g[2]};
}

Json to_json_value(const Quantity& quantity, const Matrix& x) {
  using enum Quantity::Shape;
  if (quantity.shape == number) return x(0, 0);
  if (quantity.shape == list) return std::vector<double>(x.data(), x.data() + x.size());
  if (quantity.shape == matrix) return to_json::matrix(x);
  Json parts = Json::object();
  for (std::size_t k = 0; k < quantity.parts.size(); ++k)
    parts[std::string(quantity.parts[k])] =
        to_json::matrix(Quantity::part(x, quantity.parts.size(), k));
  return parts;
}

/// The system that `simulate` integrates, without its forces: loops and couplings of the model are closed near one of
/// the configurations.
ScenarioSystem system_of(const Scenario& scenario, std::span<const GivenState> states,
                         bool closed) {
  const Model& model = scenario.model;
  const auto near = [&](const Vector& q) {
    return ScenarioSystem({.model = model,
                           .start = {scenario.start.t, q, Vector(model.nv())},
                           .duration = 1,
                           .joint_dynamics = false,
                           .loops = closed,
                           .constraints = scenario.constraints});
  };
  if (states.empty()) return near(model.neutral());
  try {
    return near(states[0].q);
  } catch (const Error&) {  // a state need not satisfy the constraints
    return near(model.neutral());
  }
}

/// Indices into v of joints with motors.
std::vector<int> motors_of(const Model& model, const std::vector<std::string>& joints) {
  std::vector<int> entries;
  for (const std::string& name : joints) {
    const ModelJoint& joint = model.joint(name);
    for (int k = 0; k < joint.nv; ++k) entries.push_back(joint.v_index + k);
  }
  return entries;
}

/// Warnings about a state of a closed mechanism.
std::vector<std::string> remarks(ConstrainedSystem& closed, const EvaluationState& m) {
  std::vector<std::string> list;
  Vector rows(closed.constraint_count());
  const auto note = [&](const char* what, const char* unit) {
    Eigen::Index worst = 0;
    const double off = rows.size() > 0 ? rows.cwiseAbs().maxCoeff(&worst) : 0;
    if (off > 1e-6)
      list.push_back(fmt::format(
          "{} does not satisfy {}: it is off by {:.3g} {}; values are those "
          "of the equations there",
          what, closed.constraints().block_of(static_cast<int>(worst)).text(), off, unit));
  };
  closed.set(m.t, m.q, m.v);
  closed.constraint_error(rows);
  note("q", "[rad, m]");
  closed.constraint_rate(rows);
  note("v", "[rad/s, m/s]");
  try {
    Matrix U;
    closed.independent_equations(U);  // factors the equations
  } catch (const SingularError&) {    // bodies without mass: quantities that need it say so
    return list;
  }
  if (closed.reciprocal_condition() < 1e-6)
    list.push_back(
        fmt::format("q is within {:.2g} of a singular position: the constraint equations depend on "
                    "each other there, and several motions may go on from it",
                    std::sqrt(closed.reciprocal_condition())));
  return list;
}

/// The states of the file or, without one, the state of the options or of the start of a scenario.
std::vector<GivenState> states_of(const Subject& subject, const EvalOptions& options) {
  const Model& model = subject.model;
  if (!options.states.empty()) {
    if (subject.given || !options.a.empty() || !options.tau.empty())
      throw Error("--states has the states; leave out --q, --v, --a, --tau, --near and --set");
    return read_states(options.states, model);
  }
  GivenState state = subject.given ? *subject.given : state_by_joint(model);
  if (subject.is_scenario && !subject.given) {
    const Scenario& s = subject.scenario;
    state.q = s.start.q, state.v = s.start.v;
    if (!s.kept_q.empty()) state.kept_q = s.kept_q;
    if (!s.kept_v.empty()) state.kept_v = s.kept_v;
  }
  set_option(state, model, "a", options.a);
  set_option(state, model, "tau", options.tau);
  return {state};
}

/// Warnings about reactions that the motion does not determine, from the first state: the others are alike.
void warn_of_reactions(const Evaluation& evaluation, EvaluationState& m,
                       std::vector<std::string>& warnings) {
  const auto is_reaction = [](const Quantity& q) { return q.name.starts_with("reaction:"); };
  if (std::ranges::none_of(evaluation.quantities(), is_reaction)) return;
  if (m.closed->constraint_count() > most_equations) return;
  const auto determined = determined_reactions(m.closed->constraints(), m.q);
  const auto& joints = m.model.joints();
  const auto& loops = m.model.loops();
  for (std::size_t k = 0; k < determined.size(); ++k) {
    const std::string& name = k < joints.size() ? joints[k].name : loops[k - joints.size()].name;
    const auto of_it = [&](const Quantity& q) {
      const std::string rest = q.name.substr(q.name.find(':') + 1);
      return is_reaction(q) && (rest == name || rest.starts_with(name + ":"));
    };
    const std::string list = undetermined_components(determined[k]);
    if (!list.empty() && std::ranges::any_of(evaluation.quantities(), of_it))
      warnings.push_back(fmt::format(
          "reaction:{}: its {} in the frame of the joint {} statically undetermined: the loops "
          "are overconstrained; shown are values of least norm",
          name, list, list.find(',') == list.npos ? "is" : "are"));
  }
}

/// Forces of a scenario at a state, on top of those that the state gives. Sampled controllers take a sample there.
void add_forces(const Forces& forces, EvaluationState& m) {
  if (forces.empty()) return;
  update(m, QuantityStage::velocity);
  forces.sample(m.t, m.kin);
  m.forces = m.acting.wrenches.empty() && m.acting.tau.cwiseAbs().sum() == 0 ? &forces : nullptr;
  forces.apply(m.t, m.kin, m.acting);
}

/// Warns that efforts were asked for without a motion: in a closed mechanism it then follows from the forces.
void warn_of_free_motion(const Subject& subject, const Evaluation& evaluation,
                         const GivenState& state, std::vector<std::string>& warnings) {
  const auto is_effort = [](const Quantity& q) { return q.base == "inverse_dynamics"; };
  if (state.gives_a || state.gives_tau || subject.is_scenario) return;
  if (std::ranges::any_of(evaluation.quantities(), is_effort))
    warnings.emplace_back(
        "inverse_dynamics: without a, the mechanism moves as tau = 0 lets it, and needs no "
        "efforts; "
        "give a (--a JOINT=0, say), or compute gravity, the efforts that hold it at rest");
}

/// Results, and warnings about states, which are appended to `warnings` as well.
Json evaluate(const Subject& subject, const EvalOptions& options,
              std::vector<std::string>& warnings) {
  const Model& model = subject.model;
  Evaluation evaluation(model, options.quantities, QuantitySource::state);
  std::vector<GivenState> states = states_of(subject, options);
  const bool closes = options.loops.empty() ? subject.scenario.loops : options.loops == "closed";
  ScenarioSystem system = system_of(subject.scenario, states, closes);
  std::optional<ScenarioSystem> run;
  if (subject.is_scenario) run.emplace(subject.scenario);
  EvaluationState moment(model);
  moment.t = subject.scenario.start.t;
  moment.closed = system.closed();
  if (moment.closed != nullptr)
    moment.actuators = motors_of(
        model, options.actuators.empty() ? subject.scenario.actuators : options.actuators);
  else if (!options.actuators.empty())
    throw Error(
        "--actuators: loops and couplings share forces among joints, and here are none; leave it "
        "out");
  Json results = Json::array();
  for (GivenState& state : states) {
    const std::string where =
        options.states.empty()
            ? std::string()
            : fmt::format("{}: states[{}]: ", options.states, &state - states.data());
    const Forces forces = run ? run->scenario().forces.fresh() : Forces();
    try {
      if (moment.closed != nullptr) complete(state, *moment.closed);
      state.write_to(moment);
      add_forces(forces, moment);
      evaluation.at(moment);
      if (moment.closed != nullptr) {
        for (const std::string& remark : remarks(*moment.closed, moment))
          warnings.push_back(where + remark);
        if (&state == states.data()) {
          warn_of_reactions(evaluation, moment, warnings);
          warn_of_free_motion(subject, evaluation, state, warnings);
        }
      }
    } catch (const SingularError& e) {  // the input is good, the computation fails: exit 1
      throw std::runtime_error(where + e.what());
    } catch (const Error& e) {
      throw Error(where + e.what());
    }
    Json result = Json::object();
    for (std::size_t i = 0; i < evaluation.values().size(); ++i) {
      const Quantity& quantity = evaluation.quantities()[i];
      result[quantity.name] = to_json_value(quantity, evaluation.values()[i]);
    }
    results.push_back(std::move(result));
  }
  Json document{{"results", results}};
  if (!warnings.empty()) document["warnings"] = warnings;
  return document;
}

}  // namespace

void add_eval(Command program) {
  const Command eval = program.add_command(
      "eval", "Evaluate quantities of a model at a state, or at states from a file");
  const auto input = ModelInput::add_to(eval);
  const auto state = StateOptions::add_to(eval);
  const auto options = std::make_shared<EvalOptions>();
  eval.add_option(
      "--states", options->states,
      "JSON file, or - for standard input: {\"states\": [{\"q\", \"v\", \"a\", "
      "\"jerk\", \"snap\", \"tau\": [..], "
      "\"wrenches\": {BODY: {\"wrench\": [6], \"representation\": REP}}}]}; a wrench is "
      "torque and force at the body, in world axes (hybrid) unless REP says otherwise; instead of "
      "a list, an object by joint. Without it: one state, of --q and the like");
  eval.add_option("--a", options->a, "Accelerations by joint: elbow=0.3; or all nv numbers");
  eval.add_option("--tau", options->tau, "Joint forces by joint: elbow=0.3; or all nv numbers");
  eval.add_option("--compute", options->quantities, "Quantities, separated by commas")
      .required()
      .by_commas();
  eval.add_option(
          "--actuators", options->actuators,
          "With loops or couplings: joints with motors, separated by commas, for "
          "inverse_dynamics, bias and gravity; default: independent ones, as few as degrees "
          "of freedom")
      .by_commas();
  add_loops_option(eval, options->loops);
  eval.add_option("--gravity", options->gravity, "x,y,z instead of the model's");
  eval.add_option("-o,--output", options->out, "JSON file, or - for standard output, the default");
  eval.footer(
      quantity_help() +
      "\nMODEL may be a scenario: then its forces act, and it is at its start.\n"
      "  chasles eval examples/four_bar.yaml --q crank=0.5 --compute gravity,position:rocker");
  eval.callback([=] {
    std::optional<Vec3> gravity;
    if (!options->gravity.empty()) gravity = parse_gravity(options->gravity);
    require_ending(options->out, {".json"}, "results are written as .json");
    if (input->path == "-" && options->states == "-")
      throw Error("eval: MODEL and --states are both standard input; give one of them as a file");
    Subject subject = read_subject(*input, *state, {.gravity = gravity});
    if (subject.scenario.joints)
      throw Error(input->path +
                  ": coordinates: maximal: eval computes in joints; --set coordinates=minimal");
    std::vector<std::filesystem::path> inputs = subject.inputs;
    if (!options->states.empty()) inputs.emplace_back(options->states);
    std::vector<std::string> warnings;
    const Json document = evaluate(subject, *options, warnings);
    for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
    write_output(document.dump(1) + "\n", options->out, inputs);
  });
}
