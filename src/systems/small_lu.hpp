/// LU with partial pivoting for small dense matrices in plain arrays, stored by rows. Inlined, so that sizes are
/// constants in the loops, and the loops use the instruction set of their caller.
#pragma once

#include <cmath>
#include <utility>

namespace chasles {

/// A = P^-1 L U in place; the diagonal of U is stored as reciprocals. Returns false if a pivot is zero or not finite.
[[gnu::always_inline]] inline bool lu_factorize(double* A, int n, int* pivot) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int r = k + 1; r < n; ++r)
      if (std::abs(A[r * n + k]) > std::abs(A[best * n + k])) best = r;
    pivot[k] = best;
    if (best != k)
      for (int c = 0; c < n; ++c) std::swap(A[k * n + c], A[best * n + c]);
    const double p = A[k * n + k];
    if (!(std::abs(p) > 0 && std::isfinite(p))) return false;
    const double inverse = A[k * n + k] = 1 / p;
    for (int r = k + 1; r < n; ++r) {
      const double f = A[r * n + k] *= inverse;
      for (int c = k + 1; c < n; ++c) A[r * n + c] -= f * A[k * n + c];
    }
  }
  return true;
}
/// B <- A^-1 B, for B with n rows of k numbers each.
[[gnu::always_inline]] inline void lu_solve(const double* A, int n, const int* pivot, double* B,
                                            int k) {
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
    const double inverse = A[r * n + r];
    for (int c = 0; c < k; ++c) B[r * k + c] *= inverse;
  }
}
/// b <- A^-1 b.
[[gnu::always_inline]] inline void lu_solve(const double* A, int n, const int* pivot, double* b) {
  for (int r = 0; r < n; ++r)
    if (pivot[r] != r) std::swap(b[r], b[pivot[r]]);
  for (int r = 1; r < n; ++r) {
    double sum = b[r];
    for (int j = 0; j < r; ++j) sum -= A[r * n + j] * b[j];
    b[r] = sum;
  }
  for (int r = n - 1; r >= 0; --r) {
    double sum = b[r];
    for (int j = r + 1; j < n; ++j) sum -= A[r * n + j] * b[j];
    b[r] = sum * A[r * n + r];
  }
}

}  // namespace chasles
