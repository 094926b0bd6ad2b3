// Included by dynamics.inl. -M^-1 B for shallow trees, with the factors M = L^T D L of factored_inverse.inl,
// whose rows are stored along paths:
//
//   inward    y_i = b_i - sum over descendants k of L_ki y_k
//   outward   x_i = -y_i / D_i - sum over ancestors p of L_ip x_p
#pragma once

#include "kernels/matrices/factored_inverse.inl"

/// Up to this depth this is faster than articulated_columns.inl if a register does not hold four columns.
inline constexpr int deepest_factored_columns = 10;

template <class Sp>
CHASLES_INLINE bool factors_columns(const Tree<typename Sp::Real>& tree) {
  return !takes_four<Sp> && factors<Sp>(tree) && tree.deepest <= deepest_factored_columns;
}
/// row_i = scale row_i - sum over k of weight(k) row_entry(k), columns begin ... end - 1 of a matrix with rows of n.
template <class Sp, class Weight, class Entry>
CHASLES_INLINE void reduce_row(Result<Sp>* matrix, int n, int i, const typename Sp::S& scale,
                               int begin, int end, int terms, const Weight& weight,
                               const Entry& entry) {
  using S = typename Sp::S;
  const auto some = [&](auto number, int j) {
    constexpr int N = decltype(number)::value;
    Result<Sp>* row = matrix + i * n + j;
    S sum[N];
    for (int b = 0; b < N; ++b) sum[b] = scale * S(row[b]);
    for (int k = 0; k < terms; ++k) {
      const S factor = weight(k);
      const Result<Sp>* from = matrix + entry(k) * n + j;
      for (int b = 0; b < N; ++b) sum[b] = sum[b] - factor * S(from[b]);
    }
    for (int b = 0; b < N; ++b) row[b] = sum[b];
  };
  int j = begin;
  for (; j + 4 <= end; j += 4) some(std::integral_constant<int, 4>(), j);
  for (; j < end; ++j) some(std::integral_constant<int, 1>(), j);
}
/// matrix = -M^-1 matrix.
template <class Sp>
CHASLES_INLINE void factored_solve(const FactoredInverse<Sp>& of, Result<Sp>* matrix) {
  using S = typename Sp::S;
  for (int i = of.nv - 1; i >= 0; --i) {
    const int end = of.end(i);
    const S* L = of.L + (i + 1) * of.path_size + of.size(i) - 1;
    reduce_row<Sp>(
        matrix, of.nv, i, S(1), of.path(i)[0], end, end - i - 1,
        [&](int k) { return L[k * of.path_size]; }, [&](int k) { return i + 1 + k; });
  }
  for (int i = 0; i < of.nv; ++i) {
    const int* path = of.path(i);
    const S* L = of.L + i * of.path_size;
    reduce_row<Sp>(
        matrix, of.nv, i, -of.D_inv[i], path[0], of.end(path[0]), of.size(i) - 1,
        [&](int p) { return L[p]; }, [&](int p) { return path[p]; });
  }
}
