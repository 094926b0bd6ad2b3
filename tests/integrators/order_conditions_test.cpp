/// Order conditions: Butcher's on rooted trees against known counts, sums and methods; those of products of
/// exponentials on ordered forests, by a series that is written here.
#include <gtest/gtest.h>

#include <map>

#include "chasles/integrators/runge_kutta.hpp"
#include "integrators/explicit/exponential_products.hpp"
#include "integrators/explicit/high_order_tableaux.hpp"
#include "integrators/explicit/tableaux.hpp"
#include "support/errors.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace {
namespace order_conditions_test {

RungeKuttaTableau given(const Tableau& t, const char* name = "tableau") {
  RungeKuttaTableau out{.name = name, .order = t.order, .a = {}, .b = {t.b.begin(), t.b.end()}};
  const double* a = t.a.data();
  for (int i = 0; i < t.stages; a += i, ++i) out.a.emplace_back(a, a + i);
  return out;
}
RungeKuttaTableau pair_54() {
  RungeKuttaTableau t = given(tableaux::dp54, "pair");
  for (int i = 0; i < 7; ++i)
    t.b_estimate.push_back((i < 6 ? t.b[static_cast<std::size_t>(i)] : 0) - tableaux::dp54_e[i]);
  t.estimate_order = 4;
  return t;
}

TEST(OrderConditions, are_one_for_each_rooted_tree) {
  const auto all = order_conditions(given(tableaux::classical), 10);
  std::map<int, int> count;
  std::map<std::string, double> required;
  for (const OrderCondition& c : all) ++count[c.order], required[c.tree] = c.required;
  EXPECT_EQ(required.size(), all.size());                      // no tree twice
  const int known[] = {1, 1, 2, 4, 9, 20, 48, 115, 286, 719};  // OEIS A000081
  for (int n = 1; n <= 10; ++n) EXPECT_EQ(count[n], known[n - 1]) << n;
  // b^T c^k = 1 / (k + 1), and b^T A^k 1 = 1 / (k + 1)!.
  EXPECT_EQ(required.at("[[][][]]"), 1 / 4.);
  EXPECT_EQ(required.at("[[[[]]]]"), 1 / 24.);
  EXPECT_EQ(required.at("[[[]][]]"), 1 / 8.);  // sum b_i c_i a_ij c_j
}

TEST(OrderConditions, hold_for_the_tableaux_of_the_library) {
  namespace t = tableaux;
  for (const Tableau* tableau :
       {&t::euler, &t::heun, &t::heun3, &t::classical, &t::bs32, &t::dp54, &t::herk3, &t::hem4,
        &t::butcher6, &t::butcher7, &t::dop853, &t::hairer10}) {
    const RungeKuttaTableau g = given(*tableau);
    EXPECT_NO_THROW(check_tableau(g)) << tableau->order;
    EXPECT_EQ(order_of(g), tableau->order);
    double most = 0;
    for (const OrderCondition& c : order_conditions(g, tableau->order))
      most = std::max(most, std::abs(c.residual()));
    EXPECT_LE(most, 4e-15) << tableau->order;
  }
}

TEST(OrderConditions, wrong_tableaux_are_refused_with_the_residual) {
  RungeKuttaTableau t = given(tableaux::classical, "mine");
  t.a[3][2] = 1 + 1e-9;  // a digit is wrong
  EXPECT_SAYS(check_tableau(t), "tableau 'mine': b is of order 1, not 4: sum b Phi([[]])",
              "must be 1/2", "residual 1.67e-10", "more conditions", "give all of their digits");
  t = given(tableaux::classical, "mine");
  t.order = 5;
  EXPECT_SAYS(check_tableau(t), "b is of order 4, not 5", "residual");
  // 001 Table I(b) as printed: rationals that are good to 1e-6. Its first row is 1458/1783.
  t = given(tableaux::classical);
  t.c = {0, 0.5, 0.5, 0.999};
  EXPECT_SAYS(check_tableau(t), "c[3] is 0.999, but row 3 of a adds up to 1");
  t.c.pop_back();
  EXPECT_SAYS(check_tableau(t), "c has 3 entries and b 4");
  t = given(tableaux::classical);
  t.a[1] = {0.25, 0.25};
  EXPECT_SAYS(check_tableau(t), "row 1 of a has 2 entries instead of 1", "only explicit", "gauss");
  t.a.pop_back();
  EXPECT_SAYS(check_tableau(t), "a has 3 rows and b 4 entries");
  t.b.clear();
  EXPECT_SAYS(check_tableau(t), "b is empty");
  t = given(tableaux::classical);
  t.b[2] = std::nan("");
  EXPECT_SAYS(check_tableau(t), "b[2] is nan");
  t = given(tableaux::classical);
  for (const int order : {0, 11}) {
    t.order = order;
    EXPECT_SAYS(check_tableau(t), "the order is", "from 1 to 10");
    EXPECT_SAYS(order_conditions(t, order), "orders 1 to 10");
  }
  t = pair_54();
  t.estimate_order = 5;
  EXPECT_SAYS(check_tableau(t), "b_estimate is of order 4, not 5");
  t.estimate_order = 0;
  EXPECT_SAYS(check_tableau(t), "estimate_order is 0");
  t.b_estimate.push_back(0);
  EXPECT_SAYS(check_tableau(t), "b_estimate has 8 entries; give 6");
  t.b_estimate = t.b, t.estimate_order = 4;
  EXPECT_SAYS(runge_kutta_method(t), "b_estimate equals b");
}

/// The steps of a given tableau are those of the method of the list with the same coefficients.
/// @paper 001 section V
/// @paper 001 (32)
TEST(GivenTableau, gives_the_method_with_these_coefficients) {
  const test::Motion m = test::heavy_top();
  ModelSystem system(m.model);
  const struct {
    RungeKuttaTableau tableau;
    IntegratorOptions options;
  } cases[] = {
      {given(tableaux::classical), {.method = "mk4", .step = 0.01}},
      {given(tableaux::classical), {.method = "mk4", .step = 0.01, .chart = Chart::cayley}},
      {given(tableaux::hairer10), {.method = "mk10", .step = 0.05}},
      {pair_54(), {.method = "dp54", .tolerance = 1e-8}}};
  for (const auto& [tableau, options] : cases) {
    const State want = test::run(*make_integrator(system, options), m.start, 1);
    IntegratorOptions own = options;
    own.own = runge_kutta_method(tableau);
    EXPECT_EQ(method_info(own).order, tableau.order);
    const auto integrator = make_integrator(system, own);
    own.own.reset();  // the integrator keeps the coefficients
    const State got = test::run(*integrator, m.start, 1);
    EXPECT_LE(test::distance(system, got, want), options.tolerance ? 1e-12 : 2e-15)
        << options.method;
  }
  IntegratorOptions wrong{.tolerance = 1e-8};
  wrong.own = runge_kutta_method(given(tableaux::heun, "fixed"));
  EXPECT_SAYS(make_integrator(system, wrong), "fixed does not use 'tolerance'");
}

/// Series of maps on a group over ordered forests (words of ordered trees, written as brackets) up to a degree: with
/// K = B_+(Y) the frozen vector field at Y, exp(h a K) is a power series in the concatenation algebra.
class ForestSeries {
 public:
  explicit ForestSeries(int degree) : degree_(degree) { coefficients_[""] = 1; }
  double operator[](const std::string& forest) const {
    const auto it = coefficients_.find(forest);
    return it == coefficients_.end() ? 0 : it->second;
  }
  const std::map<std::string, double>& all() const { return coefficients_; }
  /// sum_i a_i K_i of trees.
  void add(double a, const ForestSeries& K) {
    for (const auto& [forest, x] : K.coefficients_) coefficients_[forest] += a * x;
  }
  void clear() { coefficients_.clear(); }
  ForestSeries frozen() const {  // B_+
    ForestSeries out(degree_);
    out.clear();
    for (const auto& [forest, x] : coefficients_)
      if (forest.size() / 2 < static_cast<std::size_t>(degree_))
        out.coefficients_["(" + forest + ")"] = x;
    return out;
  }
  ForestSeries times(const ForestSeries& b) const {
    ForestSeries out(degree_);
    out.clear();
    for (const auto& [l, x] : coefficients_)
      for (const auto& [r, y] : b.coefficients_)
        if ((l.size() + r.size()) / 2 <= static_cast<std::size_t>(degree_))
          out.coefficients_[l + r] += x * y;
    return out;
  }
  ForestSeries times_exp(const ForestSeries& X) const {
    ForestSeries out = *this, term = *this;
    for (int k = 1; k <= degree_; ++k) {
      term = term.times(X);
      for (auto& [forest, x] : term.coefficients_) x /= k;
      out.add(1, term);
    }
    return out;
  }
  /// The flow of Y' = Y K(Y): n y_n = sum of degree n of Y B_+(Y).
  static ForestSeries flow(int degree) {
    ForestSeries y(degree);
    for (int k = 0; k < degree; ++k) {
      ForestSeries next = y.times(y.frozen());
      for (auto& [forest, x] : next.coefficients_) x /= static_cast<double>(forest.size()) / 2;
      next.coefficients_[""] = 1;
      y = next;
    }
    return y;
  }

 private:
  int degree_;
  std::map<std::string, double> coefficients_;
};

/// The largest violation of the conditions of one degree.
std::vector<double> violations(std::span<const ExponentialFactor> factors, int stages, int degree) {
  std::vector<ForestSeries> Y(static_cast<std::size_t>(stages) + 1, ForestSeries(degree)), K;
  K.push_back(Y[0].frozen());
  int stage = 1;
  for (const ExponentialFactor& f : factors) {
    if (f.stage != stage) {
      K.push_back(Y[static_cast<std::size_t>(stage)].frozen());
      stage = f.stage;
    }
    ForestSeries X(degree);
    X.clear();
    for (std::size_t j = 0; j < K.size(); ++j) X.add(f.a[j], K[j]);
    Y[static_cast<std::size_t>(f.stage)] = Y[static_cast<std::size_t>(f.from)].times_exp(X);
  }
  const ForestSeries exact = ForestSeries::flow(degree);
  std::vector<double> most(static_cast<std::size_t>(degree) + 1);
  for (const auto& [forest, x] : exact.all()) {
    double& m = most[forest.size() / 2];
    m = std::max(m, std::abs(Y.back()[forest] - x));
  }
  return most;
}

TEST(OrderConditions, of_products_of_exponentials_hold_on_ordered_forests) {
  const ForestSeries exact = ForestSeries::flow(5);
  EXPECT_EQ(exact.all().size(), 1U + 1 + 2 + 5 + 14 + 42);  // Catalan numbers
  const struct {
    std::span<const ExponentialFactor> factors;
    int stages, order;
  } list[] = {{factors::cg2, 2, 2}, {factors::cg3, 3, 3}, {factors::cg4, 5, 4},
              {factors::cg5, 9, 5}, {factors::cf2, 2, 2}, {factors::cf3, 3, 3},
              {factors::cf4, 4, 4}};
  for (const auto& [factors, stages, order] : list) {
    const std::vector<double> most = violations(factors, stages, std::min(order + 1, 5));
    for (int n = 1; n <= order; ++n)
      EXPECT_LE(most[static_cast<std::size_t>(n)], 2e-15) << stages << " stages, degree " << n;
    if (order < 5) {
      EXPECT_GE(most.back(), 1e-4) << stages;
    }
  }
}

}  // namespace order_conditions_test
}  // namespace
}  // namespace chasles
