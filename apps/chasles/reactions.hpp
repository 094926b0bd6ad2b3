#pragma once

#include <chasles/constraints/analysis.hpp>
#include <string>

/// With more constraint equations than this, components of reactions are not examined: dense matrices of so many rows.
constexpr int most_equations = 1000;

/// "moment x, moment y, force z": the components of a reaction that are not determined; empty: all are.
inline std::string undetermined_components(const chasles::DeterminedComponents& determined) {
  constexpr const char* names[] = {"moment x", "moment y", "moment z",
                                   "force x",  "force y",  "force z"};
  std::string text;
  for (std::size_t k = 0; k < determined.size(); ++k)
    if (!determined[k]) text += (text.empty() ? "" : ", ") + std::string(names[k]);
  return text;
}
