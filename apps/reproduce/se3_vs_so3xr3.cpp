/// Paper 004: which group keeps joints closed.
#include <fmt/ostream.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "report.hpp"
#include "studies/se3_vs_so3xr3/violations.hpp"

namespace {

using chasles::BodyGroup;
using namespace chasles::studies::se3_vs_so3xr3;

std::string number(double x) { return std::isnan(x) ? "" : fmt::format("{:.1e}", x); }

void print_extremes(const char* title, const Extremes& e) {
  fmt::print("    {:<22}", title);
  for (const double gap : e.gaps) fmt::print(" {:>9}", number(gap));
  fmt::print(" {:>9}\n", number(e.energy));
}

bool any(const Extremes& e) {
  return !std::isnan(e.energy) || !std::isnan(e.gaps[0]) || !std::isnan(e.gaps[1]);
}

void print_rows(const std::vector<Row>& rows) {
  std::string last;
  for (const Row& row : rows) {
    const std::string heading = fmt::format("{} {}, step {:g} s, {:g} s", row.problem.section,
                                            row.problem.title, row.problem.step, row.until);
    if (heading != last)
      fmt::print("\n{}\n  {:<24} {:>9} {:>9} {:>9} {:>9}\n", heading, "", "joint 1", "joint 2",
                 "joint 3", "energy");
    last = heading;
    fmt::print("  {}\n", name_of(row.group));
    print_extremes("computed", row.computed);
    if (any(row.figure)) print_extremes("figure", row.figure);
    if (any(row.second)) print_extremes("second implementation", row.second);
  }
}

std::vector<Entry> entries(const std::vector<Row>& rows) {
  std::vector<Entry> list;
  for (const Row& row : rows) {
    const auto add = [&](const std::string& what, double figure, double computed) {
      if (!std::isnan(computed))
        list.push_back({fmt::format("{} step {:g} s, {:g} s", row.problem.section, row.problem.step,
                                    row.until),
                        name_of(row.group), what, figure, computed});
    };
    for (std::size_t k = 0; k < 3; ++k)
      add(fmt::format("joint {}", k + 1), row.figure.gaps[k], row.computed.gaps[k]);
    add("energy", row.figure.energy, row.computed.energy);
  }
  return list;
}

/// DIR/se3-vs-so3xr3-NAME.csv: gaps [m] and energy [J] over time, group after group, a hundred times a second.
class OverTime {
 public:
  void add(const Problem& problem, BodyGroup group, const GapSample& sample) {
    Table& table = tables_[problem.file];
    if (sample.t == 0) {
      table.line = 0;
      for (std::size_t k = 0; k < sample.gaps.size(); ++k)
        table.heading += fmt::format(",{} joint {} [m]", name_of(group), k + 1);
      table.heading += fmt::format(",{} energy [J]", name_of(group));
    }
    if (sample.t < 0.01 * static_cast<double>(table.line) - 1e-9) return;
    if (table.line == table.lines.size()) table.lines.push_back(fmt::format("{:g}", sample.t));
    std::string& line = table.lines[table.line++];
    for (const double gap : sample.gaps) line += fmt::format(",{}", gap);
    line += fmt::format(",{}", sample.energy);
  }
  void write(const std::string& directory) const {
    for (const auto& [name, table] : tables_) {
      ResultFile file(directory, fmt::format("se3-vs-so3xr3-{}.csv", name));
      file.stream() << table.heading << '\n';
      for (const std::string& line : table.lines) file.stream() << line << '\n';
      file.close();
    }
  }

 private:
  struct Table {
    std::string heading = "t";
    std::vector<std::string> lines;
    std::size_t line = 0;
  };
  std::map<std::string, Table> tables_;
};

}  // namespace

void report_se3_vs_so3xr3(const std::string& directory) {
  fmt::print(
      "se3-vs-so3xr3: joints in maximal coordinates, paper 004, section 5; mk4, no projection\n"
      "largest gaps of joints [m], largest deviation of energy [J]\n");
  OverTime data;
  const std::vector<Row> table =
      rows([&](const Problem& problem, BodyGroup group, const GapSample& sample) {
        if (!directory.empty()) data.add(problem, group, sample);
      });
  print_rows(table);
  std::array<std::vector<Extremes>, 3> pendulum;
  for (std::size_t g = 0; g < 3; ++g) pendulum[g] = pendulum_runs(groups[g]);
  fmt::print("\nclaims of the paper\n");
  for (const Claim& claim : claims(table, pendulum))
    fmt::print("  {}: {}\n      {}\n", claim.holds ? "holds" : "does not hold", claim.text,
               claim.evidence);
  write_entries("se3-vs-so3xr3", entries(table), directory);
  if (!directory.empty()) data.write(directory);
}
