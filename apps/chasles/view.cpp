/// chasles view, chasles report: mechanisms and recorded runs as one HTML file.
#include <fmt/format.h>

#include <algorithm>
#include <chasles/constraints/analysis.hpp>
#include <chasles/io/report.hpp>
#include <chasles/io/scenario_file.hpp>

#include "commands.hpp"
#include "model_input.hpp"
#include "output.hpp"
#include "viewer_page.hpp"

namespace {

using namespace chasles;

/// Closed, if the mechanism has loops and they can be.
Vector first_configuration(const Model& model, std::vector<std::string>& warnings) {
  if (model.loops().empty() && model.couplings().empty()) return model.neutral();
  try {
    Constraints constraints(model);
    return assemble(constraints, model.neutral());
  } catch (const Error& error) {
    warnings.push_back(std::string("loops are shown open: ") + error.what());
    return model.neutral();
  }
}

void view(const ModelInput& input, const std::string& out) {
  require_ending(out, {".html"}, "views are written as .html");
  std::vector<std::string> warnings;
  const Model model = compile(input.read_mechanism());
  const Appearance appearance = read_appearance(input.path, &warnings);
  const Vector q = first_configuration(model, warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  const std::filesystem::path inputs[] = {input.path};
  write_output(write_view(viewer_page(), model, appearance, q, warnings), out, inputs);
}

/// A recorded run with the model that it is one of: that of its scenario, or of the file that is
/// given. Without one it is plotted only.
ReportRun read_run(const std::filesystem::path& path, const std::string& given,
                   std::vector<std::filesystem::path>& inputs) {
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> files;
  Model model;
  const std::optional<std::filesystem::path> named = recorded_scenario(path);
  const std::filesystem::path source =
      !given.empty() ? std::filesystem::path(given) : named.value_or(std::filesystem::path());
  std::error_code error;
  if (source.empty() || (given.empty() && !std::filesystem::exists(source, error))) {
    warnings.push_back(path.string() + ": is only plotted: " +
                       (source.empty() ? std::string("it names no scenario")
                                       : "its scenario " + source.string() + " is not there") +
                       "; --model gives one");
  } else if (is_scenario(source)) {
    model = read_scenario(source, &warnings, &files).model;
  } else {
    model = compile(read_mechanism(source, {false, &warnings}));
    files = {{}, source};
  }
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  ReportRun run = read_report_run(path, model);
  inputs.insert(inputs.end(), files.begin(), files.end());
  ReportRun notes = report_notes(files, std::move(warnings));
  run.scenario = std::move(notes.scenario);
  run.appearance = std::move(notes.appearance);
  run.warnings.insert(run.warnings.end(), notes.warnings.begin(), notes.warnings.end());
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
  std::erase(inputs, std::filesystem::path());
  write_output(write_report(viewer_page(), runs), out, inputs);
}

}  // namespace

void add_view(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "view", "Show a mechanism: one HTML file with a slider for every coordinate");
  const auto input = ModelInput::add_to(*command);
  const auto out = std::make_shared<std::string>();
  command->add_option("-o,--output", *out, "MODEL.html, or - for standard output")->required();
  command->callback([=] { view(*input, *out); });
}

void add_report(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "report", "Show recorded runs: one HTML file that moves, plots and compares them");
  struct Options {
    std::vector<std::string> runs;
    std::string model, out;
  };
  const auto options = std::make_shared<Options>();
  command->add_option("RUN", options->runs, "Runs that were recorded as .json")->required();
  command->add_option("--model", options->model,
                      "Their scenario or model; default: the scenario that they name");
  command->add_option("-o,--output", options->out, "REPORT.html, or - for standard output")
      ->required();
  command->callback([=] { report(options->runs, options->model, options->out); });
}
