/// Paper 004: which group keeps joints closed.
#include <fmt/ostream.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "report.hpp"
#include "studies/se3_vs_so3xr3/costs.hpp"

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

void print_attitude_errors(std::vector<Entry>& list) {
  fmt::print("\n5.1: attitude error against a reference trajectory [rad]\n");
  for (const AttitudeError& e : attitude_errors()) {
    fmt::print("  {:<12} worst {:>9}  after 10 s {:>9}\n", name_of(e.group), number(e.worst),
               number(e.last));
    list.push_back({"5.1 attitude", name_of(e.group), "worst", std::nan(""), e.worst});
  }
}

/// How many times more SO(3) x R^3 takes than SE(3): geometric means.
class Ratios {
 public:
  void add(const MethodCost& se3, const MethodCost& so3xr3) {
    if (std::isnan(se3.seconds) || std::isnan(so3xr3.seconds)) return;
    evaluations_ += std::log(so3xr3.evaluations / se3.evaluations);
    seconds_ += std::log(so3xr3.seconds / se3.seconds);
    ++count_;
  }
  void print() const {
    if (count_ == 0) return;
    fmt::print("    SO(3) x R^3 / SE(3): evaluations {:.2f}, time {:.2f}\n",
               std::exp(evaluations_ / count_), std::exp(seconds_ / count_));
  }

 private:
  double evaluations_ = 0, seconds_ = 0;
  int count_ = 0;
};

void print_costs(std::vector<Entry>& list) {
  fmt::print(
      "\nother integrators, 1 s: error of poses and gap [m] with 1 ms (dop853: tolerance 1e-8); "
      "evaluations\nand CPU time [ms] for an error of 1e-6 m\n");
  for (const std::size_t p : {0, 1, 2, 4}) {
    const Problem& problem = problems()[p];
    Ratios ratios;
    fmt::print("  {} {}\n    {:<8} {:<12} {:>9} {:>9} {:>12} {:>9}\n", problem.section,
               problem.title, "method", "group", "error", "gap", "evaluations", "time");
    for (const char* method : methods_compared()) {
      const std::vector<MethodCost> groups_of = method_costs(problem, method);
      for (const MethodCost& cost : groups_of) {
        fmt::print("    {:<8} {:<12} {:>9} {:>9} {:>12} {:>9}\n", method, name_of(cost.group),
                   number(cost.sample.error), number(cost.sample.gap),
                   std::isnan(cost.evaluations) ? "" : fmt::format("{:.0f}", cost.evaluations),
                   std::isnan(cost.seconds) ? "" : fmt::format("{:.2f}", 1e3 * cost.seconds));
        const std::string table = fmt::format("{} {}", problem.section, method);
        for (const auto& [name, value] : {std::pair{"error", cost.sample.error},
                                          {"gap", cost.sample.gap},
                                          {"evaluations", cost.evaluations}})
          if (!std::isnan(value))
            list.push_back({table, name_of(cost.group), name, std::nan(""), value});
      }
      ratios.add(groups_of[0], groups_of[1]);
    }
    ratios.print();
  }
}

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
  std::vector<Entry> list = entries(table);
  print_attitude_errors(list);
  print_costs(list);
  write_entries("se3-vs-so3xr3", list, directory);
  if (!directory.empty()) data.write(directory);
}
