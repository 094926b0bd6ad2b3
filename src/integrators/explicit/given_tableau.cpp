/// A user-given tableau as a method: runge_kutta.hpp.
#include <algorithm>
#include <cmath>

#include "chasles/integrators/runge_kutta.hpp"
#include "integrators/explicit/munthe_kaas.hpp"

namespace chasles {
namespace {

/// The coefficients in the layout of tableau.hpp, and the view of them that the method uses.
struct GivenTableau {
  std::string name;
  std::vector<double> a, b, c, e;
  Tableau view;
};

/// The end of the interval [-x, 0] in which the stability polynomial 1 + z sum_k (b^T A^k 1) z^k is at most 1.
double stability_interval(const RungeKuttaTableau& t) {
  std::vector<double> coefficients{1}, power(t.b.size(), 1);
  for (std::size_t k = 0; k < t.b.size(); ++k) {
    double sum = 0;
    std::vector<double> next(t.b.size());
    for (std::size_t i = 0; i < t.b.size(); ++i) {
      sum += t.b[i] * power[i];
      for (std::size_t j = 0; j < i; ++j) next[i] += t.a[i][j] * power[j];
    }
    coefficients.push_back(sum);
    power = std::move(next);
  }
  constexpr double grid = 0.01;
  double x = 0;
  for (; x < 100; x += grid) {
    double R = 0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) R = R * -(x + grid) + *c;
    if (!(std::abs(R) <= 1)) break;
  }
  return x;
}

}  // namespace

std::shared_ptr<const OwnMethod> runge_kutta_method(const RungeKuttaTableau& tableau) {
  check_tableau(tableau);
  auto given = std::make_shared<GivenTableau>();
  given->name = tableau.name;
  given->b = tableau.b;
  for (const std::vector<double>& row : tableau.a) {
    double sum = 0;
    for (const double x : row) given->a.push_back(x), sum += x;
    given->c.push_back(sum);
  }
  if (!tableau.b_estimate.empty()) {
    given->e = tableau.b_estimate;
    given->e.resize(tableau.b.size() + 1);
    for (std::size_t i = 0; i < given->e.size(); ++i)
      given->e[i] = (i < tableau.b.size() ? tableau.b[i] : 0) - given->e[i];
    if (std::ranges::all_of(given->e, [](double x) { return x == 0; }))
      throw Error("tableau '" + tableau.name +
                  "': b_estimate equals b, so that the estimate is zero; leave it out for fixed "
                  "steps");
  }
  given->view = {.order = tableau.order,
                 .stages = static_cast<int>(tableau.b.size()),
                 .a = given->a,
                 .b = given->b,
                 .c = given->c,
                 .e = given->e,
                 .e3 = {},
                 .d = {},
                 .stability = stability_interval(tableau)};
  const int k = given->e.empty() ? 0 : tableau.estimate_order + 1;
  MethodInfo info{.name = given->name,
                  .order = tableau.order,
                  .adaptive = k > 0,
                  .description = "Munthe-Kaas with a given tableau",
                  .takes_chart = true,
                  .dense_order = tableau.order > 6 ? 6 : 0};
  return std::make_shared<OwnMethod>(
      OwnMethod{info, [given, k](DynamicalSystem& system, const IntegratorOptions& options) {
                  return std::make_unique<MuntheKaas>(system, options, given->view, k);
                }});
}

}  // namespace chasles
