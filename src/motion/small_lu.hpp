/// LU factors with row pivots of small dense matrices in plain arrays, stored by rows.
#pragma once

#include <cmath>
#include <utility>

namespace chasles {

/// A = P^-1 L U in place. Returns false if a pivot is zero or not finite.
inline bool lu_factorize(double* A, int n, int* pivot) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int r = k + 1; r < n; ++r)
      if (std::abs(A[r * n + k]) > std::abs(A[best * n + k])) best = r;
    pivot[k] = best;
    if (best != k)
      for (int c = 0; c < n; ++c) std::swap(A[k * n + c], A[best * n + c]);
    const double p = A[k * n + k];
    if (!(std::abs(p) > 0 && std::isfinite(p))) return false;
    const double inverse = 1 / p;
    for (int r = k + 1; r < n; ++r) {
      const double f = A[r * n + k] *= inverse;
      for (int c = k + 1; c < n; ++c) A[r * n + c] -= f * A[k * n + c];
    }
  }
  return true;
}
/// B <- A^-1 B, for B with n rows of k numbers each.
inline void lu_solve(const double* A, int n, const int* pivot, double* B, int k) {
  for (int r = 0; r < n; ++r)
    if (pivot[r] != r)
      for (int c = 0; c < k; ++c) std::swap(B[r * k + c], B[pivot[r] * k + c]);
  for (int r = 1; r < n; ++r)
    for (int j = 0; j < r; ++j) {
      const double f = A[r * n + j];
      for (int c = 0; c < k; ++c) B[r * k + c] -= f * B[j * k + c];
    }
  for (int r = n - 1; r >= 0; --r) {
    for (int j = r + 1; j < n; ++j) {
      const double f = A[r * n + j];
      for (int c = 0; c < k; ++c) B[r * k + c] -= f * B[j * k + c];
    }
    const double inverse = 1 / A[r * n + r];
    for (int c = 0; c < k; ++c) B[r * k + c] *= inverse;
  }
}

}  // namespace chasles
