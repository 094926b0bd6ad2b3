/// The summary of a run in words: what `chasles simulate` prints, and what reports show.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/simulation/scenario.hpp"
#include "chasles/simulation/summary.hpp"

namespace chasles CHASLES_API {

/// Name and value, a line each: the method, its steps, and drifts.
std::vector<std::pair<std::string, std::string>> summary_facts(const Scenario& scenario,
                                                               const Summary& summary);
/// What a reader should know of the run, a sentence each; empty if there is nothing: a run that was stiff, came
/// near a singular configuration, or ended early.
std::vector<std::string> summary_notes(const Summary& summary);
/// The whole of it, as a text of several lines: facts as a table, notes, limits of joints that were passed, events.
std::string summary_text(const Scenario& scenario, const Summary& summary);

}  // namespace CHASLES_API
