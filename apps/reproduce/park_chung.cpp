/// Paper 001: its tables and figures, and what a given accuracy costs.
#include <fmt/ostream.h>

#include <cstdio>
#include <optional>

#include "report.hpp"
#include "studies/park_chung/drift_tables.hpp"
#include "studies/park_chung/long_runs.hpp"
#include "studies/park_chung/operation_counts.hpp"

namespace {

using chasles::Drift;
using namespace chasles::studies;
using namespace chasles::studies::park_chung;

/// The entries of one table; `first` says whether a row begins.
template <class Each>
void for_table(const std::vector<Entry>& entries, const Table& table, const Each& each) {
  std::string row;
  for (const Entry& e : entries) {
    if (e.table != table.number) continue;
    each(e, e.row != row);
    row = e.row;
  }
}

void print_drifts(const std::vector<Entry>& entries) {
  for (const Table& table : drift_titles) {
    fmt::print("\nTable {}: drift of {} at t = 1; printed, computed\n  step", table.number,
               table.title);
    for (const char* column : {"1", "0.1", "0.01", "0.001"}) fmt::print("  {:<24}", column);
    for_table(entries, table, [](const Entry& e, bool first) {
      if (first) fmt::print("\n  {}", e.row);
      fmt::print("   {:.4e}  {:.4e}", e.printed, e.computed);
    });
    fmt::print("\n");
  }
}

void print_counts(const std::vector<Entry>& entries) {
  for (const Table& table : count_titles) {
    fmt::print("\nTable {}: {}; printed, computed where it differs", table.number, table.title);
    for_table(entries, table, [](const Entry& e, bool first) {
      if (first) fmt::print("\n  {:<10}", e.row);
      fmt::print(" {} {}{};", e.column, e.printed,
                 e.printed == e.computed ? "" : fmt::format(" ({})", e.computed));
    });
    fmt::print("\n");
  }
  fmt::print(
      "\n  CF4 is misprinted. MK differs in how dexp^-1 and the sums of its weights are arranged:\n"
      "  36 sums, 29 products and 4 quotients for dexp^-1 here, 33, 33 and 3 in the paper.\n");
}

void report_work_precision(const std::string& directory) {
  std::optional<ResultFile> file;
  if (!directory.empty()) {
    file.emplace(directory, "park-chung-work-precision.csv");
    file->stream()
        << "method,evaluations,energy,linear momentum,angular momentum,about com,error in q\n";
  }
  fmt::print("\nwork and precision over {:g} s, V(0) = (0.3, 0.3, 0.3; 0.1, 0.1, 0.1)\n", long_run);
  fmt::print("  {:<22} {:>11}  {:>9} {:>9} {:>9} {:>9} {:>9}\n", "method", "evaluations", "energy",
             "linear", "angular", "about com", "angles");
  work_precision([&](const WorkPrecision& r) {
    const Drift& d = r.drift;
    fmt::print("  {:<22} {:>11}  {:9.1e} {:9.1e} {:9.1e} {:9.1e} {:9.1e}\n", r.title, r.evaluations,
               d.energy, d.linear_momentum, d.angular_momentum, d.angular_momentum_com, r.error);
    if (file)
      fmt::print(file->stream(), "{},{},{},{},{},{},{}\n", r.title, r.evaluations, d.energy,
                 d.linear_momentum, d.angular_momentum, d.angular_momentum_com, r.error);
  });
  if (file) file->close();
}

/// Figures 7 and 8 as data: DIR/park-chung-order3.csv and -order4.csv.
void write_drift_over_time(const std::string& directory) {
  for (const int order : {3, 4}) {
    ResultFile file(directory, fmt::format("park-chung-order{}.csv", order));
    file.stream() << "t";
    for (const PaperMethod& method : methods_of_order(order))
      for (const char* what : {"energy", "linear", "angular"})
        file.stream() << ',' << method.title << ' ' << what;
    drift_over_time(order, [&](double t, std::span<const Drift> drifts) {
      fmt::print(file.stream(), "\n{}", t);
      for (const Drift& d : drifts)
        fmt::print(file.stream(), ",{},{},{}", d.energy, d.linear_momentum, d.angular_momentum);
    });
    file.stream() << '\n';
    file.close();
  }
}

}  // namespace

void report_park_chung(const std::string& directory) {
  fmt::print("park-chung: three spheres in a free chain, paper 001, section VI\n");
  std::vector<Entry> entries = drift_tables();
  print_drifts(entries);
  const std::vector<Entry> counts = operation_counts();
  print_counts(counts);
  entries.insert(entries.end(), counts.begin(), counts.end());
  write_entries("park-chung", entries, directory);
  report_work_precision(directory);
  if (!directory.empty()) write_drift_over_time(directory);
}
