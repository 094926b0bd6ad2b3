/// Runge-Kutta methods as data.
///
///     y_i = y + h sum_{j<i} a_ij k_j,  k_i = f(t + c_i h, y_i),  y_1 = y + h sum_i b_i k_i    (1)
///
/// The rate at the end of the step, k_{s+1} = f(t + h, y_1), is the first of the next step (FSAL), so the error
/// estimate and the interpolant may use it without extra cost. With D = y_1 - y,
///
///     err = h sum_{i<=s+1} e_i k_i                                                            (2)
///     y(s) = y + s (F_1 + (1-s)(F_2 + s (F_3 + (1-s)(F_4 + s (...)))))                        (3)
///     F_1 = D,  F_2 = h k_1 - D,  F_3 = 2 D - h (k_1 + k_{s+1}),  F_{4+m} = h sum_i d_mi k_i
///
/// Without d, (3) is the cubic Hermite interpolant, sufficient for methods up to order 4; one_step.hpp raises its order
/// for others.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace chasles {

struct Tableau {
  int order;
  int stages;
  std::span<const double> a;   // rows 1 ... stages - 1 below the diagonal, row by row
  std::span<const double> b;   // stages
  std::span<const double> c;   // stages, then those of the extra stages
  std::span<const double> e;   // stages + 1; empty: no estimate
  std::span<const double> e3;  // stages + 1: third-order estimate err3 of DOP853, whose error is
                               // err5^2 / sqrt(err5^2 + 0.01 err3^2)
  std::span<const double> d;   // interpolant: rows of stages + 1 + extra
  std::span<const double> a_extra = {};  // rows of the extra stages: stages + 1, stages + 2, ...
  int extra = 0;                         // stages that only the interpolant needs
  int rows = 0;                          // of d
  double stability = 0;                  // the method is stable for h lambda in [-stability, 0]
};

/// A method of methods.cpp, and its tableau.
struct NamedTableau {
  std::string_view name;
  const Tableau* tableau;
};
/// The Munthe-Kaas methods, which sensitivities differentiate.
std::vector<NamedTableau> munthe_kaas_tableaux();

}  // namespace chasles
