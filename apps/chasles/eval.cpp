#include <fmt/format.h>

#include <chasles/io/states_file.hpp>
#include <chasles/simulation/evaluation.hpp>
#include <chasles/simulation/scenario_system.hpp>
#include <cmath>

#include "commands.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "numbers.hpp"
#include "output.hpp"

namespace {

using namespace chasles;

struct EvalOptions {
  std::string states, gravity, out, loops;
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

/// The system that `simulate` integrates: loops and couplings of the model are closed near one of the configurations.
ScenarioSystem system_of(const Model& model, std::span<const GivenState> states, bool closed) {
  const auto near = [&](const Vector& q) {
    return ScenarioSystem({.model = model,
                           .start = {0, q, Vector(model.nv())},
                           .duration = 1,
                           .joint_dynamics = false,
                           .loops = closed});
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

/// Results, and warnings about states, which are appended to `warnings` as well.
Json evaluate(const Model& model, const EvalOptions& options, std::vector<std::string>& warnings) {
  Evaluation evaluation(model, options.quantities, QuantitySource::state);
  const std::vector<GivenState> states = read_states(options.states, model);
  ScenarioSystem system = system_of(model, states, options.loops != "open");
  EvaluationState moment(model);
  moment.closed = system.closed();
  moment.actuators = motors_of(model, options.actuators);
  if (moment.closed == nullptr && !options.actuators.empty())
    throw Error(
        "--actuators: loops and couplings share forces among joints, and here are none; leave it "
        "out");
  Json results = Json::array();
  for (const GivenState& state : states) {
    state.write_to(moment);
    const std::string where =
        fmt::format("{}: states[{}]: ", options.states, &state - states.data());
    try {
      evaluation.at(moment);
      if (moment.closed != nullptr)
        for (const std::string& remark : remarks(*moment.closed, moment))
          warnings.push_back(where + remark);
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
  const Command eval =
      program.add_command("eval", "Evaluate quantities of a model at states from a file");
  const auto input = ModelInput::add_to(eval);
  const auto options = std::make_shared<EvalOptions>();
  eval.add_option(
          "--states", options->states,
          "JSON file, or - for standard input: {\"states\": [{\"q\", \"v\", \"a\", "
          "\"jerk\", \"snap\", \"tau\": [..], "
          "\"wrenches\": {BODY: {\"wrench\": [6], \"representation\": REP}}}]}; a wrench is "
          "torque and force at the body, in world axes (hybrid) unless REP says otherwise")
      .required();
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
  eval.footer(quantity_help());
  eval.callback([=] {
    std::optional<Vec3> gravity;
    if (!options->gravity.empty()) gravity = parse_gravity(options->gravity);
    require_ending(options->out, {".json"}, "results are written as .json");
    if (input->path == "-" && options->states == "-")
      throw Error("eval: MODEL and --states are both standard input; give one of them as a file");
    const std::filesystem::path inputs[] = {input->path, options->states};
    const Model model = input->read(gravity);
    std::vector<std::string> warnings;
    const Json document = evaluate(model, *options, warnings);
    for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
    write_output(document.dump(1) + "\n", options->out, inputs);
  });
}
