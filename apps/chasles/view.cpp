/// chasles view, chasles report: mechanisms and recorded runs as one HTML file.
#include <fmt/format.h>

#include <algorithm>
#include <chasles/constraints/analysis.hpp>
#include <chasles/io/report.hpp>
#include <chasles/io/scenario_file.hpp>

#include "commands.hpp"
#include "model_input.hpp"
#include "output.hpp"
#include "subject.hpp"
#include "viewer_page.hpp"

namespace {

using namespace chasles;

/// Closed, if the mechanism has loops and they can be.
Vector first_configuration(const Subject& subject, std::vector<std::string>& warnings) {
  const Scenario& s = subject.scenario;
  const Vector& start = s.joints ? s.joints_q : s.start.q;
  if (!has_constraints(subject) || !s.loops) return start;
  try {
    Constraints constraints(subject.model, constraints_of(subject));
    return assemble(constraints, start, s.joints ? std::vector<bool>{} : s.kept_q);
  } catch (const Error& error) {
    warnings.push_back(std::string("loops are shown open: ") + error.what());
    return start;
  }
}

void view(const ModelInput& input, const StateOptions& state, const std::string& out) {
  require_ending(out, {".html"}, "views are written as .html");
  const Subject subject = read_subject(input, state, {.appearance = true});
  const Appearance& appearance = subject.scenario.appearance;
  std::vector<std::string> warnings = appearance.notes;
  const Vector q = first_configuration(subject, warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  write_output(write_view(viewer_page(), subject.model, appearance, q, warnings), out,
               subject.inputs);
}

/// The model of a run and what it looks like: those of its scenario, or of the file that is given.
/// @param name  of the run in messages
void read_model(const std::string& name, const std::filesystem::path& source, ReportRun& run,
                std::vector<std::filesystem::path>& inputs) {
  const auto set = [&](const Model& model) {
    try {
      set_model(run, model);
    } catch (const Error& error) {
      throw Error(name + ": " + error.what());
    }
  };
  std::vector<std::string> warnings;
  auto file = read_scenario_or_mechanism(source, {false, &warnings, true}, &inputs);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (auto* scenario = std::get_if<Scenario>(&file)) {
    set(scenario->model);
    run.scenario = std::move(scenario->source);
    run.appearance = std::move(scenario->appearance);
  } else {
    Mechanism& mechanism = std::get<Mechanism>(file);
    set(compile(mechanism));
    run.appearance = std::move(mechanism.appearance);
  }
  run.warnings.insert(run.warnings.end(), warnings.begin(), warnings.end());
  const std::vector<std::string>& notes = run.appearance.notes;
  run.warnings.insert(run.warnings.end(), notes.begin(), notes.end());
}

/// A recorded run with its model. Without one it is plotted only.
ReportRun read_run(const std::filesystem::path& path, const std::string& given,
                   std::vector<std::filesystem::path>& inputs) {
  ReportRun run = read_report_run(path);
  const std::filesystem::path source = !given.empty() ? std::filesystem::path(given) : run.file;
  std::error_code error;
  if (!source.empty() && (!given.empty() || std::filesystem::exists(source, error))) {
    read_model(path.string(), source, run, inputs);
    return run;
  }
  run.warnings.push_back(path.string() + ": is only plotted: " +
                         (source.empty() ? std::string("it names no scenario")
                                         : "its scenario " + source.string() + " is not there") +
                         "; --model gives one");
  fmt::print(stderr, "warning: {}\n", run.warnings.back());
  return run;
}

void report(const std::vector<std::string>& paths, const std::string& model,
            const std::string& out) {
  require_ending(out, {".html"}, "reports are written as .html");
  std::vector<std::filesystem::path> inputs(paths.begin(), paths.end());
  std::vector<ReportRun> runs;
  for (const std::string& path : paths) {
    runs.push_back(read_run(path, model, inputs));
    const auto same = [&](const ReportRun& run) { return run.name == runs.back().name; };
    if (std::ranges::count_if(runs, same) > 1)
      runs.back().name += " (" + std::filesystem::path(path).stem().string() + ")";
  }
  write_output(write_report(viewer_page(), runs), out, inputs);
}

}  // namespace

void add_view(Command program) {
  const Command command = program.add_command(
      "view", "Show a mechanism: one HTML file with a slider for every coordinate");
  const auto input = ModelInput::add_to(command);
  const auto state = StateOptions::add_to(command, false);
  const auto out = std::make_shared<std::string>();
  command.add_option("-o,--output", *out, "MODEL.html, or - for standard output").required();
  command.callback([=] { view(*input, *state, *out); });
}

void add_report(Command program) {
  const Command command = program.add_command(
      "report", "Show recorded runs: one HTML file that moves, plots and compares them");
  struct Options {
    std::vector<std::string> runs;
    std::string model, out;
  };
  const auto options = std::make_shared<Options>();
  command.add_option("RUN", options->runs, "Recorded runs, .json or .csv").required();
  command.add_option("--model", options->model,
                     "Their scenario or model; default: the scenario that they name");
  command.add_option("-o,--output", options->out, "REPORT.html, or - for standard output")
      .required();
  command.callback([=] { report(options->runs, options->model, options->out); });
}
