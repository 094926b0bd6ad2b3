#pragma once

#include <string>

namespace chasles::studies {

/// A number printed in a paper, and our computed value.
struct Entry {
  std::string table, row, column;
  double printed, computed;
};

/// A table of a paper by its number, and what it is about.
struct Table {
  const char *number, *title;
};

}  // namespace chasles::studies
