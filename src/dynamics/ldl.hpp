/// LDL^T of the small symmetric joint-space matrices: D = L diag(d) L^T in place, any scalar.
#pragma once

#include <cstddef>

#include "chasles/math/scalar.hpp"

namespace chasles::dynamics {

/// n x n, row-major. On return d is on the diagonal and the unit lower triangular L below it.
/// @param least  pivots must be larger
/// @returns the index of the first pivot that is not larger; -1: none, D is positive definite
template <class S>
int ldl_factor(S* D, int n, const lie::Real<S>* least) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      D[j * n + j] = D[j * n + j] - D[j * n + k] * D[j * n + k] * D[k * n + k];
    if (!(lie::real_part(D[j * n + j]) > least[j])) return j;
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k)
        D[i * n + j] = D[i * n + j] - D[i * n + k] * D[j * n + k] * D[k * n + k];
      D[i * n + j] = D[i * n + j] / D[j * n + j];
    }
  }
  return -1;
}
/// x := L^-1 x, x := diag(d)^-1 x, x := L^-T x, for any X that can be scaled and added.
template <class S, class X>
void ldl_solve_lower(const S* D, int n, X* x) {
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < i; ++k) x[i] = x[i] - D[i * n + k] * x[k];
}
template <class S, class X>
void ldl_solve_diagonal(const S* D, int n, X* x) {
  for (int i = 0; i < n; ++i) x[i] = (S(1) / D[i * n + i]) * x[i];
}
template <class S, class X>
void ldl_solve_upper(const S* D, int n, X* x) {
  for (int i = n - 1; i >= 0; --i)
    for (int k = i + 1; k < n; ++k) x[i] = x[i] - D[k * n + i] * x[k];
}
/// x := D^-1 x.
template <class S, class X>
void ldl_solve(const S* D, int n, X* x) {
  ldl_solve_lower(D, n, x);
  ldl_solve_diagonal(D, n, x);
  ldl_solve_upper(D, n, x);
}

}  // namespace chasles::dynamics
