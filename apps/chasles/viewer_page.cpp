#include "viewer_page.hpp"

#include <fstream>
#include <sstream>

#include "viewer_page_text.hpp"

std::string_view viewer_page() { return {viewer_page_text, sizeof viewer_page_text - 1}; }

chasles::ReportRun report_notes(const std::vector<std::filesystem::path>& inputs,
                                std::vector<std::string> warnings) {
  chasles::ReportRun run{.warnings = std::move(warnings)};
  if (!inputs.empty() && inputs[0] != "-") {
    std::ostringstream text;
    text << std::ifstream(inputs[0]).rdbuf();
    run.scenario = text.str();
  }
  if (inputs.size() > 1) run.appearance = chasles::read_appearance(inputs[1], &run.warnings);
  return run;
}
