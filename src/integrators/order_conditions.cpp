/// runge_kutta.hpp (2), (3) on all rooted trees up to an order.
#include <algorithm>
#include <cmath>

#include "chasles/integrators/runge_kutta.hpp"
#include "chasles/suggest.hpp"

namespace chasles {
namespace {

constexpr int most_nodes = 10;
/// Of the magnitude of the terms of a condition: coefficients are rounded, and so are their products.
constexpr double relative_rounding = 1e-13;
constexpr double largest_defect = 1e-6;  // of what a condition requires

/// A rooted tree: its subtrees at the root, as indices into the list of all trees, in descending order.
struct RootedTree {
  int nodes = 1;
  double gamma = 1;
  std::vector<std::size_t> subtrees{};
};

/// Appends all trees with the given subtrees so far, whose other subtrees have `left` nodes and indices up to `largest`.
void add_trees(std::vector<RootedTree>& all, const RootedTree& so_far, int left,
               std::size_t largest) {
  if (left == 0) {
    RootedTree tree = so_far;
    tree.gamma = tree.nodes;
    for (const std::size_t k : tree.subtrees) tree.gamma *= all[k].gamma;
    all.push_back(std::move(tree));
    return;
  }
  for (std::size_t k = 0; k < largest; ++k) {
    if (all[k].nodes > left) break;
    RootedTree next = so_far;
    next.subtrees.push_back(k);
    add_trees(all, next, left - all[k].nodes, k + 1);
  }
}

/// All trees with up to `order` nodes, ordered by their number.
std::vector<RootedTree> rooted_trees(int order) {
  std::vector<RootedTree> all{RootedTree{}};
  for (int nodes = 2; nodes <= order; ++nodes) {
    RootedTree root;
    root.nodes = nodes;
    add_trees(all, root, nodes - 1, all.size());
  }
  return all;
}

std::string brackets(const std::vector<RootedTree>& all, const RootedTree& tree) {
  std::string text = "[";
  for (const std::size_t k : tree.subtrees) text += brackets(all, all[k]);
  return text + "]";
}

[[noreturn]] void refuse(const RungeKuttaTableau& t, const std::string& why) {
  throw Error("tableau '" + t.name + "': " + why);
}

void require_finite(const RungeKuttaTableau& t, const char* name, const std::vector<double>& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!std::isfinite(list[i]))
      refuse(t, std::string(name) + "[" + std::to_string(i) + "] is " + to_text(list[i]) +
                    "; give a finite number");
}

void check_sizes(const RungeKuttaTableau& t) {
  const std::size_t s = t.b.size();
  const auto count = [](std::size_t n, const char* what) { return std::to_string(n) + what; };
  if (s == 0) refuse(t, "b is empty; give one weight for each stage");
  if (t.a.size() != s)
    refuse(t, "a has " + count(t.a.size(), " rows and b ") + count(s, " entries") +
                  "; give a row for each stage, the first one empty");
  for (std::size_t i = 0; i < s; ++i) {
    if (t.a[i].size() != i)
      refuse(t, "row " + count(i, " of a has ") + count(t.a[i].size(), " entries instead of ") +
                    std::to_string(i) +
                    "; only explicit tableaux are supported, whose row i has the i entries before "
                    "the diagonal; for implicit methods take gauss or radau5");
    require_finite(t, "a", t.a[i]);
  }
  if (!t.c.empty() && t.c.size() != s)
    refuse(t, "c has " + count(t.c.size(), " entries and b ") + std::to_string(s));
  if (!t.b_estimate.empty() && t.b_estimate.size() != s && t.b_estimate.size() != s + 1)
    refuse(t, "b_estimate has " + count(t.b_estimate.size(), " entries; give ") +
                  std::to_string(s) + ", or one more for the rate at the end of the step");
  require_finite(t, "b", t.b);
  require_finite(t, "c", t.c);
  require_finite(t, "b_estimate", t.b_estimate);
}

/// The tableau with the rate at the end of the step as another stage, and the weights of the estimate.
RungeKuttaTableau estimate_of(const RungeKuttaTableau& t) {
  RungeKuttaTableau e = t;
  e.c.clear();
  e.a.push_back(t.b);
  e.b = t.b_estimate;
  e.b_estimate.clear();
  e.b.resize(t.b.size() + 1);
  return e;
}

bool holds(const OrderCondition& c) {
  const double allowed = relative_rounding * (c.rounding / 1e-16 + std::abs(c.required));
  // Large terms of which nothing remains but rounding show nothing.
  return std::abs(c.residual()) <= std::min(allowed, largest_defect * std::abs(c.required));
}

void check_order(const RungeKuttaTableau& t, const RungeKuttaTableau& conditions_of, int order,
                 const char* weights) {
  std::string first;
  int violated = 0, has = order;
  for (const OrderCondition& c : order_conditions(conditions_of, order)) {
    if (holds(c)) continue;
    if (violated++ > 0) continue;
    has = c.order - 1;
    first = std::string("sum ") + weights + " Phi(" + c.tree + ") is " + to_text(c.value) +
            ", and must be 1/" + to_text(std::round(1 / c.required)) + ": residual " +
            to_short_text(c.residual());
  }
  if (violated == 0) return;
  refuse(t,
         std::string(weights) + " is of order " + std::to_string(has) + ", not " +
             std::to_string(order) + ": " + first +
             (violated > 1 ? " (and " + std::to_string(violated - 1) + " more conditions)" : "") +
             "; correct the coefficients, give all of their digits, or state the lower order");
}

}  // namespace

std::vector<OrderCondition> order_conditions(const RungeKuttaTableau& tableau, int order) {
  check_sizes(tableau);
  if (order < 1 || order > most_nodes)
    refuse(tableau, "order conditions are known for orders 1 to " + std::to_string(most_nodes) +
                        ", not " + std::to_string(order));
  const std::size_t s = tableau.b.size();
  const std::vector<RootedTree> trees = rooted_trees(order);
  // sum_j a_ij Phi_j(t) and the same of magnitudes, for each tree.
  std::vector<std::vector<double>> below, magnitudes;
  std::vector<OrderCondition> list;
  for (const RootedTree& tree : trees) {
    std::vector<double> Phi(s, 1), size(s, 1), sum(s), sum_of_sizes(s);
    for (const std::size_t k : tree.subtrees)
      for (std::size_t i = 0; i < s; ++i) Phi[i] *= below[k][i], size[i] *= magnitudes[k][i];
    OrderCondition condition{brackets(trees, tree), tree.nodes, 0, 1 / tree.gamma, 0};
    for (std::size_t i = 0; i < s; ++i) {
      condition.value += tableau.b[i] * Phi[i];
      condition.rounding += 1e-16 * std::abs(tableau.b[i]) * size[i];
      for (std::size_t j = 0; j < i; ++j) {
        sum[i] += tableau.a[i][j] * Phi[j];
        sum_of_sizes[i] += std::abs(tableau.a[i][j]) * size[j];
      }
    }
    below.push_back(std::move(sum)), magnitudes.push_back(std::move(sum_of_sizes));
    list.push_back(std::move(condition));
  }
  return list;
}

int order_of(const RungeKuttaTableau& tableau) {
  for (const OrderCondition& c : order_conditions(tableau, most_nodes))
    if (!holds(c)) return c.order - 1;
  return most_nodes;
}

void check_tableau(const RungeKuttaTableau& t) {
  check_sizes(t);
  if (t.order < 1 || t.order > most_nodes)
    refuse(t, "the order is " + std::to_string(t.order) + "; state one from 1 to " +
                  std::to_string(most_nodes));
  for (std::size_t i = 0; i < t.c.size(); ++i) {
    double sum = 0, size = 1;
    for (const double x : t.a[i]) sum += x, size += std::abs(x);
    if (std::abs(t.c[i] - sum) > relative_rounding * size)
      refuse(t, "c[" + std::to_string(i) + "] is " + to_text(t.c[i]) + ", but row " +
                    std::to_string(i) + " of a adds up to " + to_text(sum) + "; residual " +
                    to_short_text(t.c[i] - sum));
  }
  check_order(t, t, t.order, "b");
  if (t.b_estimate.empty()) return;
  if (t.estimate_order < 1 || t.estimate_order > t.order)
    refuse(t, "estimate_order is " + std::to_string(t.estimate_order) +
                  "; state that of b_estimate, from 1 to the order of b");
  check_order(t, estimate_of(t), t.estimate_order, "b_estimate");
}

}  // namespace chasles
