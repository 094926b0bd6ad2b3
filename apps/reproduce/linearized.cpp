/// Paper 002: operations of Algorithms 1 to 6, printed, counted and timed, and where 5 and 6 begin to pay.
#include <fmt/format.h>

#include <cmath>

#include "json.hpp"
#include "report.hpp"
#include "studies/linearized/costs.hpp"

namespace {

using namespace chasles::studies::linearized;

/// "36 n^2 + 781 n - 225"
std::string text(const CostLaw& law) {
  constexpr const char* powers[] = {"", " n", " n^2", " n^3"};
  std::string out;
  for (int k = 3; k >= 0; --k) {
    const double c = law.c[static_cast<std::size_t>(k)];
    if (std::abs(c) < 1e-9) continue;
    out += out.empty() ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ";
    out += fmt::format("{:.5g}{}", std::abs(c), powers[k]);
  }
  return out.empty() ? "0" : out;
}

void add(std::vector<Entry>& entries, const Cost& cost, const char* operations,
         const CostLaw& printed, const CostLaw& counted) {
  constexpr const char* powers[] = {"1", "n", "n^2", "n^3"};
  for (std::size_t k = 0; k < 4; ++k)
    entries.push_back({fmt::format("Algorithm {}", cost.algorithm), operations, powers[k],
                       printed.c[k], counted.c[k]});
}

std::string from(int n) { return n > 0 ? fmt::format("from n = {}", n) : "nowhere to n = 100"; }

void print_crossover(int a, int b, std::vector<Entry>& entries) {
  const int printed = crossover(a, b, CostSource::printed),
            counted = crossover(a, b, CostSource::counted);
  fmt::print("  Algorithm {} is cheaper than {}: printed {}, counted {}\n", a, b, from(printed),
             from(counted));
  entries.push_back({"crossover", fmt::format("Algorithm {}", a), fmt::format("Algorithm {}", b),
                     static_cast<double>(printed), static_cast<double>(counted)});
}

}  // namespace

void report_linearized(const std::string& directory) {
  fmt::print(
      "linearized: multiplications and additions of Algorithms 1 to 6, paper 002, in a chain of n "
      "revolute joints\n");
  const std::vector<Cost> all = costs();
  std::vector<Entry> entries;
  for (const Cost& cost : all) {
    fmt::print("  Algorithm {}\n", cost.algorithm);
    fmt::print("    {:<9} {:<42} {}\n", "printed", text(cost.printed_multiplications) + " mul",
               text(cost.printed_additions) + " add");
    fmt::print("    {:<9} {:<42} {}\n", "counted", text(cost.multiplications) + " mul",
               text(cost.additions) + " add");
    add(entries, cost, "multiplications", cost.printed_multiplications, cost.multiplications);
    add(entries, cost, "additions", cost.printed_additions, cost.additions);
  }
  fmt::print("  the base-to-tip sweep, which all of them begin with, counted: {} mul, {} add\n",
             text(all[0].sweep_multiplications), text(all[0].sweep_additions));
  fmt::print("\ncrossover\n");
  print_crossover(5, 3, entries);
  print_crossover(6, 4, entries);

  fmt::print("\nCPU time [us]\n  {:>5}", "n");
  for (int a = 1; a <= 6; ++a) fmt::print(" {:>9}", fmt::format("alg. {}", a));
  fmt::print("\n");
  Json times = Json::array();
  for (const int n : {2, 4, 6, 8, 12, 16, 24, 32, 48}) {
    fmt::print("  {:>5}", n);
    Json row{{"joints", n}, {"us", Json::array()}};
    for (int a = 1; a <= 6; ++a) {
      const double t = time_of(a, n);
      fmt::print(" {:>9.2f}", t);
      row["us"].push_back(t);
    }
    times.push_back(row);
    fmt::print("\n");
  }
  write_entries("linearized", entries, directory);
  if (directory.empty()) return;
  ResultFile file(directory, "linearized-times.json");
  file.stream() << Json{{"times", times}}.dump(1) << '\n';
  file.close();
}
