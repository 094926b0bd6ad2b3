#include "shown_run.hpp"

#include <fmt/format.h>

#include <chasles/constraints/analysis.hpp>
#include <chasles/io/scenario_file.hpp>

using namespace chasles;

namespace {

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

}  // namespace

ReportRun read_shown_run(const std::filesystem::path& path, const std::string& given,
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
