/// The summary of a run as text, for `chasles simulate` and reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/simulation/scenario.hpp"
#include "chasles/simulation/summary.hpp"

namespace chasles CHASLES_API {

/// Names and values: the method, its steps, and drifts.
std::vector<std::pair<std::string, std::string>> summary_facts(const Scenario& scenario,
                                                               const Summary& summary);
/// Notes about the run, one sentence each: stiffness, near-singular configurations, early termination. Empty: none.
std::vector<std::string> summary_notes(const Summary& summary);
/// The complete text, in several lines: facts as a table, notes, joint limit violations, events.
std::string summary_text(const Scenario& scenario, const Summary& summary);

}  // namespace CHASLES_API
