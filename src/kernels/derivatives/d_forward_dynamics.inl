// Read by dynamics.inl. The derivatives of forward dynamics a(q, v, tau) from those of inverse dynamics
// at its result:
//
//   da/dq = -M^-1 dtau/dq,   da/dv = -M^-1 dtau/dv,   da/dtau = M^-1
//
// Of trees that are not deep by the factors M = L^T D L of factored_inverse.inl, whose rows are paths:
//
//   inward    y_i = b_i - sum over descendants k of L_ki y_k
//   outward   x_i = -y_i / D_i - sum over ancestors p of L_ip x_p
//
// of others by M^-1 from articulated inertias times the matrices.
#pragma once

#include "kernels/derivatives/d_inverse_dynamics.inl"
#include "kernels/matrices/factored_inverse.inl"
#include "kernels/matrices/mass_matrix_inverse.inl"
#include "kernels/vectors/dual.inl"

/// body(N, take, j): N things to take from column j on; at the end one number at a time.
template <class Sp, int Most, class Body>
CHASLES_INLINE void for_blocks(int begin, int end, const Body& body) {
  constexpr int width = Joints<Sp>::width;
  const Take<typename Joints<Sp>::T> take;
  int j = begin;
  for (; j + Most * width <= end; j += Most * width)
    body(std::integral_constant<int, Most>(), take, j);
  for (; j + width <= end; j += width) body(std::integral_constant<int, 1>(), take, j);
  for (; j < end; ++j) body(std::integral_constant<int, 1>(), Take<typename Sp::S>(), j);
}

/// row_i = scale row_i - sum over k of weight(k) row_entry(k) of a matrix with rows of n, columns begin ... end - 1.
template <class Sp, class Weight, class Entry>
CHASLES_INLINE void reduce_row(typename Sp::S* matrix, int n, int i, const typename Sp::S& scale,
                               int begin, int end, int terms, const Weight& weight,
                               const Entry& entry) {
  constexpr int width = Joints<Sp>::width;
  auto* row = matrix + i * n;
  for_blocks<Sp, 4>(begin, end, [&](auto blocks, auto take, int j) {
    constexpr int N = decltype(blocks)::value;
    using T = decltype(take.get(row));
    T sum[N];
    for (int b = 0; b < N; ++b) sum[b] = T(scale) * take.get(row + j + b * width);
    for (int k = 0; k < terms; ++k) {
      const T factor(weight(k));
      const auto* from = matrix + entry(k) * n + j;
      for (int b = 0; b < N; ++b) sum[b] = sum[b] - factor * take.get(from + b * width);
    }
    for (int b = 0; b < N; ++b) take.put(row + j + b * width, sum[b]);
  });
}
/// matrix = -M^-1 matrix.
template <class Sp>
CHASLES_INLINE void factored_solve(const FactoredInverse<Sp>& of, typename Sp::S* matrix) {
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

/// to = -A^T B, n x n, summed over `terms` rows: row(k) of A and k of B.
template <class Sp, class Row>
CHASLES_INLINE void minus_product(const typename Sp::S* A, const typename Sp::S* B, int n,
                                  typename Sp::S* to, int terms, const Row& row) {
  constexpr int width = Joints<Sp>::width, most = width > 1 ? 4 : 2;
  const auto rows = [&](auto number, int i) {
    for_blocks<Sp, 2>(0, n, [&](auto blocks, auto take, int j) {
      constexpr int N = decltype(blocks)::value, R = decltype(number)::value;
      using T = decltype(take.get(B));
      T sum[R][N];
      for (auto& of_row : sum)
        for (T& x : of_row) x = T(typename Sp::Real(0));
      for (int k = 0; k < terms; ++k) {
        const auto *a = A + row(k) * n + i, *b = B + k * n + j;
        T from[N];
        for (int x = 0; x < N; ++x) from[x] = take.get(b + x * width);
        for (int r = 0; r < R; ++r)
          for (int x = 0; x < N; ++x) sum[r][x] = sum[r][x] - T(a[r]) * from[x];
      }
      for (int r = 0; r < R; ++r)
        for (int x = 0; x < N; ++x) take.put(to + (i + r) * n + j + x * width, sum[r][x]);
    });
  };
  int i = 0;
  for (; i + most <= n; i += most) rows(std::integral_constant<int, most>(), i);
  for (; i < n; ++i) rows(std::integral_constant<int, 1>(), i);
}

template <class Sp>
CHASLES_FLATTEN int run_d_forward_dynamics(const Pass<typename Sp::Real>& arguments) {
  using S = typename Sp::S;
  const Pass<typename Sp::Real> pass = arguments;  // a copy that no store can change
  const auto& tree = *pass.tree;
  const int nv = tree.nv;
  char* rest = reinterpret_cast<char*>(pass.work) + InverseDerivatives<Sp>::bytes(tree);
  S *out = reinterpret_cast<S*>(pass.out), *M = out + 2 * nv * nv;
  InverseDerivatives<Sp>(pass, reinterpret_cast<char*>(pass.work)).run(out);
  if (factors<Sp>(tree)) {
    const FactoredInverse<Sp> inverse(tree, reinterpret_cast<S*>(rest), M);
    if (const int link = inverse.factor_M(); link >= 0) return link;
    factored_solve(inverse, out);
    factored_solve(inverse, out + nv * nv);
    inverse.complete();
    return -1;
  }
  S* copy = reinterpret_cast<S*>(rest + in_lines(mass_matrix_inverse_work<Sp>(tree)));
  __builtin_memcpy(copy, out, static_cast<std::size_t>(2 * nv * nv) * sizeof(S));
  auto for_inverse = pass;
  for_inverse.wrench = nullptr;
  for_inverse.out = reinterpret_cast<typename Sp::Real*>(M);
  for_inverse.work = reinterpret_cast<typename Sp::Real*>(rest);
  if (const int link = run_mass_matrix_inverse<Sp>(for_inverse); link >= 0) return link;
  const auto all = [](int k) { return k; };
  minus_product<Sp>(M, copy, nv, out, nv, all);
  minus_product<Sp>(M, copy + nv * nv, nv, out + nv * nv, nv, all);
  return -1;
}
template <class Sp>
std::size_t d_forward_dynamics_work(const Tree<typename Sp::Real>& tree) {
  using S = typename Sp::S;
  const auto n = static_cast<std::size_t>(tree.nv);
  return InverseDerivatives<Sp>::bytes(tree) +
         (factors<Sp>(tree) ? FactoredInverse<Sp>::memory(tree) * sizeof(S)
                            : in_lines(mass_matrix_inverse_work<Sp>(tree)) + 2 * n * n * sizeof(S));
}
