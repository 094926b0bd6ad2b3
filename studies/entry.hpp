#pragma once

#include <string>

namespace chasles::studies {

/// A number that a paper prints, and what we compute.
struct Entry {
  std::string table, row, column;
  double printed, computed;
};

/// A table of a paper by its number, and what it is about.
struct Table {
  const char *number, *title;
};

}  // namespace chasles::studies
