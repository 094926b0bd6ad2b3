/// Paper 001: its tables and figures, and what a given accuracy costs.
#include <fmt/ostream.h>

#include <cstdio>
#include <optional>

#include "chasles/io/plot.hpp"
#include "report.hpp"
#include "studies/park_chung/drift_tables.hpp"
#include "studies/park_chung/general_group.hpp"
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

void print_general_group(const std::vector<Entry>& entries) {
  fmt::print("\nTable {}: {}; printed, computed; order measured on SO(4)", general_title.number,
             general_title.title);
  for_table(entries, general_title, [](const Entry& e, bool first) {
    if (first) fmt::print("\n  {}  order {:.2f} ", e.row, general_group_order(e.row.c_str()));
    fmt::print("  {} {} {};", e.column, e.printed, e.computed);
  });
  fmt::print("\n\nsection III-A: |det Y - 1| and error on SL(3) after 1 s\n");
  for (const Determinant& d : determinants())
    fmt::print("  {}  step {:<9g} {:9.1e} {:9.1e}\n", d.method, d.step, d.det, d.error);
  fmt::print(
      "\nEuler angles: half a turn past pitch 90 degrees, steps of 0.01 s; errors of the attitude "
      "[rad]\n"
      "  {:>9} {:>14} {:>14} {:>22}\n",
      "miss", "Euler angles", "mk4", "largest rate [rad/s]");
  for (const EulerAngleRun& r : euler_angle_runs())
    fmt::print("  {:9.0e} {:14.1e} {:14.1e} {:22.1e}\n", r.miss, r.euler, r.munthe_kaas,
               r.largest_rate);
}

/// Figures 4, 5 and 6: drifts over the step for CG, CF and MK, as DIR/park-chung-figure4.csv and .svg, ...
void write_drift_figures(const std::vector<Entry>& entries, const std::string& directory) {
  const char* const families[] = {"CG", "CF", "MK"};
  for (int f = 0; f < 3; ++f) {
    chasles::RunColumns figure{{"log10 of the step", "s"}, {}};
    for (const double step : {0., -1., -2., -3.}) figure.time.values.push_back(step);
    for (const Table& table : drift_titles)
      for_table(entries, table, [&](const Entry& e, bool first) {
        if (e.row.substr(0, 2) != families[f]) return;
        const std::string unit = std::string(table.title).substr(0, 7) == "kinetic" ? "J"
                                 : table.number == std::string("VII")               ? "kg m/s"
                                                                                    : "kg m^2/s";
        if (first) figure.columns.push_back({e.row + " " + table.title, unit});
        figure.columns.back().values.push_back(e.computed);
      });
    ResultFile csv(directory, fmt::format("park-chung-figure{}.csv", 4 + f)),
        svg(directory, fmt::format("park-chung-figure{}.svg", 4 + f));
    csv.stream() << "log10 step";
    for (const auto& column : figure.columns) csv.stream() << ',' << column.name;
    for (std::size_t k = 0; k < figure.time.values.size(); ++k) {
      fmt::print(csv.stream(), "\n{}", figure.time.values[k]);
      for (const auto& column : figure.columns) fmt::print(csv.stream(), ",{}", column.values[k]);
    }
    csv.stream() << '\n';
    svg.stream() << chasles::plot_svg(
        figure, {.title = fmt::format("001 figure {}: drift at 1 s, {}", 4 + f, families[f]),
                 .logarithmic = true});
    csv.close(), svg.close();
  }
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

/// Figures 7 and 8: DIR/park-chung-order3.csv and -order4.csv, and park-chung-figure7.svg and -figure8.svg.
void write_drift_over_time(const std::string& directory) {
  for (const int order : {3, 4}) {
    ResultFile file(directory, fmt::format("park-chung-order{}.csv", order));
    chasles::RunColumns figure{{"t", "s"}, {}};
    const char* const units[] = {"J", "kg m/s", "kg m^2/s"};
    file.stream() << "t";
    for (const PaperMethod& method : methods_of_order(order))
      for (const int k : {0, 1, 2}) {
        const char* const what[] = {"energy", "linear", "angular"};
        file.stream() << ',' << method.title << ' ' << what[k];
        figure.columns.push_back({fmt::format("{} {}", method.title, what[k]), units[k]});
      }
    drift_over_time(order, [&](double t, std::span<const Drift> drifts) {
      fmt::print(file.stream(), "\n{}", t);
      figure.time.values.push_back(t);
      std::size_t column = 0;
      for (const Drift& d : drifts) {
        fmt::print(file.stream(), ",{},{},{}", d.energy, d.linear_momentum, d.angular_momentum);
        for (const double x : {d.energy, d.linear_momentum, d.angular_momentum})
          figure.columns[column++].values.push_back(x);
      }
    });
    file.stream() << '\n';
    file.close();
    ResultFile svg(directory, fmt::format("park-chung-figure{}.svg", order + 4));
    svg.stream() << chasles::plot_svg(
        figure, {.title = fmt::format("001 figure {}: drift, step 0.05 s", order + 4)});
    svg.close();
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
  const std::vector<Entry> general = general_group_counts();
  print_general_group(general);
  entries.insert(entries.end(), general.begin(), general.end());
  write_entries("park-chung", entries, directory);
  report_work_precision(directory);
  if (directory.empty()) return;
  write_drift_figures(entries, directory);
  write_drift_over_time(directory);
}
