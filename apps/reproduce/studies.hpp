#pragma once

#include <string_view>

/// The studies that `chasles reproduce` knows.
struct Study {
  std::string_view name, description;
};
constexpr Study known_studies[] = {
    {"rcm", "paper 003, sections 2.5 and 3.6"},
    {"park-chung", "paper 001, section VI"},
    {"se3-vs-so3xr3", "paper 004, section 5"},
    {"linearized", "paper 002: operations of Algorithms 1 to 6, and their crossover"},
    {"costs", "paper 003, Remark 16; paper 000, (79): counted operations and times"},
};
