/// Tables V, IX and X of 001: operations of one step beyond the dynamics, counted in steps that are
/// written out as the paper describes them (counted_step.hpp).
///
/// CF4 is misprinted. MK differs in how dexp^-1 and the sums of its weights are arranged: 36 sums, 29
/// products and 4 quotients for dexp^-1 here, 33, 33 and 3 in the paper.
#pragma once

#include <vector>

#include "studies/entry.hpp"

namespace chasles::studies::park_chung {

inline constexpr Table count_titles[] = {{"V", "operations of one step beyond the dynamics"},
                                         {"IX", "operations for like accuracy"},
                                         {"X", "the same in larger operations"}};
/// Rows: methods; columns: operations.
/// @paper 001 Table V, Table IX, Table X
std::vector<Entry> operation_counts();

}  // namespace chasles::studies::park_chung
