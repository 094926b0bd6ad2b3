#include "studies/park_chung/operation_counts.hpp"

#include <fmt/format.h>

#include "studies/park_chung/counted_step.hpp"
#include "studies/park_chung/methods.hpp"

namespace chasles::studies::park_chung {
namespace {

/// Table V: FDyn; add and mult for N = 2 and N = 20; div, sqrt, trig.
constexpr const char* columns_v[] = {"FDyn",      "add N=2", "add N=20", "mult N=2",
                                     "mult N=20", "div",     "sqrt",     "trig"};
constexpr double table_v[9][8] = {
    {2, 191, 299, 270, 378, 6, 3, 6},       {3, 381, 597, 540, 756, 12, 6, 12},
    {5, 950, 1490, 1350, 1890, 30, 15, 30}, {2, 191, 299, 270, 378, 6, 3, 6},
    {3, 208, 352, 286, 430, 6, 3, 6},       {4, 411, 771, 542, 902, 10, 5, 10},
    {2, 201, 309, 265, 373, 7, 2, 4},       {3, 334, 478, 430, 574, 12, 3, 6},
    {4, 493, 745, 633, 885, 17, 4, 8}};

constexpr const char* columns_x[] = {"FDyn",   "svmultadd(6)", "svmultadd(N)", "svmult(6)",  "exp",
                                     "hmmult", "add",          "dexpinv",      "mvmult(6x6)"};
constexpr double table_x[9][9] = {
    {2, 3, 6, 3, 3, 3, 2, 0, 0}, {3, 6, 12, 6, 6, 6, 3, 0, 0}, {5, 15, 30, 15, 15, 15, 5, 0, 0},
    {2, 3, 6, 3, 3, 3, 2, 0, 0}, {3, 5, 8, 3, 3, 3, 3, 0, 0},  {4, 17, 20, 5, 5, 5, 4, 0, 0},
    {2, 3, 6, 3, 2, 2, 2, 1, 1}, {3, 5, 8, 4, 3, 3, 3, 2, 2},  {4, 10, 14, 7, 4, 4, 4, 3, 3}};

/// Table IX: thousand steps of order 3, a hundred of order 4, N = 2.
constexpr const char* columns_ix[] = {"FDyn", "add", "mult", "div", "sqrt", "trig"};
struct RowIX {
  const char* method;
  double steps, printed[6];
};
constexpr RowIX table_ix[] = {{"CG3", 1000, {3000, 381000, 540000, 12000, 6000, 12000}},
                              {"CG4", 100, {500, 95000, 135000, 3000, 1500, 3000}},
                              {"CF3", 1000, {3000, 208000, 286000, 6000, 3000, 6000}},
                              {"CF4", 100, {400, 41100, 54200, 1000, 500, 1000}},
                              {"MK3", 1000, {3000, 334000, 430000, 12000, 3000, 6000}},
                              {"MK4", 100, {400, 49300, 63300, 1700, 400, 800}}};

double number(long n) { return static_cast<double>(n); }

}  // namespace

std::vector<Entry> operation_counts() {
  std::vector<Entry> entries;
  for (std::size_t m = 0; m < 9; ++m) {
    const Counts a = count_step(methods[m].title, 2), b = count_step(methods[m].title, 20);
    const long computed[] = {a.fdyn, a.add, b.add, a.mult, b.mult, a.div, a.sqrt, a.trig};
    for (std::size_t k = 0; k < 8; ++k)
      entries.push_back({"V", methods[m].title, columns_v[k], table_v[m][k], number(computed[k])});
  }
  for (const RowIX& row : table_ix) {
    const Counts c = count_step(row.method, 2);
    const long computed[] = {c.fdyn, c.add, c.mult, c.div, c.sqrt, c.trig};
    const std::string name = fmt::format("{} x {}", row.method, row.steps);
    for (std::size_t k = 0; k < 6; ++k)
      entries.push_back(
          {"IX", name, columns_ix[k], row.printed[k], row.steps * number(computed[k])});
  }
  for (std::size_t m = 0; m < 9; ++m) {
    const Counts c = count_step(methods[m].title, 2);
    const long computed[] = {c.fdyn,   c.svmultadd_6, c.svmultadd_N, c.svmult_6, c.exp,
                             c.hmmult, c.time,        c.dexpinv,     c.mvmult};
    for (std::size_t k = 0; k < 9; ++k)
      entries.push_back({"X", methods[m].title, columns_x[k], table_x[m][k], number(computed[k])});
  }
  return entries;
}

}  // namespace chasles::studies::park_chung
