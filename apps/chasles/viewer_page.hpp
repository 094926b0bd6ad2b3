#pragma once

#include <chasles/io/report.hpp>
#include <string_view>

/// The page that reports are filled into: viewer/ with three.js and dygraphs.
std::string_view viewer_page();

/// The part of a report that is known before the run: the text of the scenario, what the bodies of
/// its model look like, and warnings.
/// @param inputs  the scenario and the model, as read_scenario gives them
chasles::ReportRun report_notes(const std::vector<std::filesystem::path>& inputs,
                                std::vector<std::string> warnings);
