#include <fmt/format.h>

#include <chasles/io/states_file.hpp>
#include <chasles/simulation/evaluation.hpp>

#include "commands.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "numbers.hpp"
#include "output.hpp"

namespace {

using namespace chasles;
using to_json::Json;

struct EvalOptions {
  std::string states, gravity, out;
  std::vector<std::string> quantities;
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

Json evaluate(const Model& model, const EvalOptions& options) {
  Evaluation evaluation(model, options.quantities, Source::state);
  Moment moment(model);
  Json results = Json::array();
  for (const GivenState& state : read_states(options.states, model)) {
    state.write_to(moment);
    try {
      evaluation.at(moment);
    } catch (const SingularError& e) {  // the input is good, the computation fails: exit 1
      throw std::runtime_error(
          fmt::format("{}: states[{}]: {}", options.states, results.size(), e.what()));
    }
    Json result = Json::object();
    for (std::size_t i = 0; i < evaluation.values().size(); ++i) {
      const Quantity& quantity = evaluation.quantities()[i];
      result[quantity.name] = to_json_value(quantity, evaluation.values()[i]);
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

void add_eval(CLI::App& program) {
  CLI::App* eval =
      program.add_subcommand("eval", "Evaluate quantities of a model at states from a file");
  const auto input = ModelInput::add_to(*eval);
  const auto options = std::make_shared<EvalOptions>();
  eval->add_option(
          "--states", options->states,
          "JSON file, or - for standard input: {\"states\": [{\"q\", \"v\", \"a\", "
          "\"jerk\", \"snap\", \"tau\": [..], "
          "\"wrenches\": {BODY: {\"wrench\": [6], \"representation\": REP}}}]}; a wrench is "
          "torque and force at the body, in world axes (hybrid) unless REP says otherwise")
      ->required();
  eval->add_option("--compute", options->quantities, "Quantities, separated by commas")
      ->required()
      ->delimiter(',');
  eval->add_option("--gravity", options->gravity, "x,y,z instead of the model's");
  eval->add_option("-o,--output", options->out, "JSON file, or - for standard output, the default");
  eval->footer(quantity_help());
  eval->callback([=] {
    std::optional<Vec3> gravity;
    if (!options->gravity.empty()) gravity = parse_gravity(options->gravity);
    require_ending(options->out, {".json"}, "results are written as .json");
    if (input->path == "-" && options->states == "-")
      throw Error("eval: MODEL and --states are both standard input; give one of them as a file");
    const std::filesystem::path inputs[] = {input->path, options->states};
    const Model model = input->read(gravity);
    Json document{{"results", evaluate(model, *options)}};
    if (const std::string warning = open_loops(model); !warning.empty()) {
      fmt::print(stderr, "warning: {}: {}\n", input->path, warning);
      document["warnings"] = {warning};
    }
    write_output(document.dump(1) + "\n", options->out, inputs);
  });
}
