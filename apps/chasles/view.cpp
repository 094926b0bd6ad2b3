/// chasles view, chasles report: mechanisms and recorded runs as one HTML file.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "model_input.hpp"
#include "output.hpp"
#include "shown_run.hpp"
#include "viewer_page.hpp"

namespace {

using namespace chasles;

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

void report(const std::vector<std::string>& paths, const std::string& model,
            const std::string& out) {
  require_ending(out, {".html"}, "reports are written as .html");
  std::vector<std::filesystem::path> inputs(paths.begin(), paths.end());
  std::vector<ReportRun> runs;
  for (const std::string& path : paths) {
    runs.push_back(read_shown_run(path, model, inputs));
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
