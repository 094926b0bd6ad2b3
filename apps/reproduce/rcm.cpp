#include "studies/rcm.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "report.hpp"

void report_rcm(const std::string& directory) {
  const std::vector<Entry> entries = chasles::studies::rcm_formulas();
  int misprints = 0;
  fmt::print("rcm: printed formula evaluated, beside the computed value\n");
  for (const Entry& e : entries) {
    const bool differs = std::abs(e.printed - e.computed) > 1e-12;
    misprints += differs;
    fmt::print("  {:<6} row {} column {}  {:12.6f}  {:12.6f}{}\n", e.table, e.row, e.column,
               e.printed, e.computed, differs ? "  misprinted" : "");
  }
  fmt::print("{} entries, {} misprinted in the paper\n", entries.size(), misprints);
  write_entries("rcm", entries, directory);
}
