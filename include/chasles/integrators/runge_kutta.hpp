/// Runge-Kutta methods given by their coefficients, for Lie groups and plain coordinates alike:
///
///     y_i = y + h sum_{j<i} a_ij k_j,  k_i = f(t + c_i h, y_i),  y_1 = y + h sum_i b_i k_i    (1)
///
/// in the coordinates of a step (Munthe-Kaas), where y = (x, v), q = q_n exp(x). With dexp^-1 in closed form the order
/// on the group is that of the tableau, so it is checked by the conditions of Butcher: for every rooted tree t
///
///     sum_i b_i Phi_i(t) = 1 / gamma(t),    Phi_i([t_1 ... t_m]) = prod_k sum_j a_ij Phi_j(t_k)   (2)
///     gamma([t_1 ... t_m]) = |t| prod_k gamma(t_k),    |t| the number of nodes                (3)
///
/// and c_i = sum_j a_ij. There are 1, 1, 2, 4, 9, 20, 48, 115, 286, 719 trees with 1 to 10 nodes. A tree is written by
/// brackets: "[]" is a single node, "[[][]]" one with two leaves. Derivation: docs/theory/order-conditions.md.
///
///     RungeKuttaTableau kutta{.name = "3/8", .order = 4, .b = {1 / 8., 3 / 8., 3 / 8., 1 / 8.}};
///     kutta.a = {{}, {1 / 3.}, {-1 / 3., 1}, {1, -1, 1}};
///     IntegratorOptions options{.step = 1e-2};
///     options.own = runge_kutta_method(kutta);
///     auto integrator = make_integrator(system, options);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/integrators/integrator.hpp"

namespace chasles CHASLES_API {

/// An explicit tableau with s stages.
/// @paper 001 (25)
struct RungeKuttaTableau {
  std::string name = "tableau";
  int order = 0;                         // 1 to 10, checked
  std::vector<std::vector<double>> a{};  // s rows; row i has i entries
  std::vector<double> b{};               // s
  std::vector<double> c{};               // s; empty: sums of the rows of a
  /// Weights of a second result of lower order, for adaptive steps; s, or s + 1 with that of the rate at the end of the
  /// step. Empty: fixed steps.
  std::vector<double> b_estimate{};
  int estimate_order = 0;  // of b_estimate, at least 1, checked
};

/// A condition (2): the tree, its number of nodes, and both sides.
struct OrderCondition {
  std::string tree;
  int order;
  double value, required;
  double rounding;  // of value: 1e-16 times the sum of the magnitudes of its terms
  double residual() const { return value - required; }
};
/// All conditions up to an order.
/// @param order  1 to 10
/// @throws Error for a tableau whose sizes do not fit, that is not explicit or not finite, or for another order
/// @paper 001 section III-A
std::vector<OrderCondition> order_conditions(const RungeKuttaTableau& tableau, int order);
/// The highest order, up to 10, whose conditions hold to rounding; 0: none.
int order_of(const RungeKuttaTableau& tableau);

/// Checks sizes, c, and that all conditions of the stated orders hold to rounding (1e-13 of the magnitude of their
/// terms: coefficients need all digits).
/// @throws Error naming the tableau, the violated condition and its residual, and the order that it has
void check_tableau(const RungeKuttaTableau& tableau);

/// A Munthe-Kaas method with the tableau, adaptive if it has weights of an estimate; it takes `chart`.
/// Samples within steps are of order 6 at most.
/// @throws Error of check_tableau
/// @paper 001 (32), section V
std::shared_ptr<const OwnMethod> runge_kutta_method(const RungeKuttaTableau& tableau);

}  // namespace CHASLES_API
