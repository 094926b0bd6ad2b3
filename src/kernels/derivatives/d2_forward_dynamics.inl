// Included by dynamics.inl. The second derivatives of forward dynamics a(q, v, tau) from those of inverse
// dynamics at the resulting acceleration. M a_x = -tau_x, differentiated again, with M_k = dM/dq_k:
//
//   d2a/dq_k dq_j = -M^-1 (tau_kj + M_k a_j + M_j a_k),   d2a/dq_k dv_j = -M^-1 (tau_kj + M_k a_j)    (1)
//   d2a/dv_k dv_j = -M^-1 tau_kj,                         dM^-1/dq_k = -M^-1 M_k M^-1                (2)
//
// Row i of M_k is nonzero only if i is on one path with k: rows i before k are full, the others have only the
// columns before k.
#pragma once

#include "kernels/derivatives/d2_contracted.inl"
#include "kernels/matrices/products.inl"

template <class Sp>
struct SecondForward {
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  const Tree<Real>& tree;
  int nv;
  const S *a_q, *a_v, *M_inv;
  S *kept, *product;  // n x n
  int* rows;  // indices on one path with k: the first `before` precede its link, then the others
  int before = 0, count = 0;

  SecondForward(const Pass<Real>& pass) : tree(*pass.tree), nv(tree.nv) {
    a_q = reinterpret_cast<const S*>(pass.first);
    a_v = a_q + nv * nv, M_inv = a_v + nv * nv;
    kept = reinterpret_cast<S*>(pass.work), product = kept + nv * nv;
    rows = reinterpret_cast<int*>(product + nv * nv);
  }
  static std::size_t bytes(const Tree<Real>& tree) {
    const auto n = static_cast<std::size_t>(tree.nv);
    return 2 * n * n * sizeof(S) + n * sizeof(int);
  }

  CHASLES_INLINE void list_rows(const LinkConstants<Real>& link) {
    const auto& path = tree.paths[static_cast<std::size_t>(link.v)];
    before = path.size - 1;
    for (count = 0; count < before; ++count)
      rows[count] = tree.ancestors[static_cast<std::size_t>(path.begin + count)];
    for (int j = link.v; j < link.end_v; ++j) rows[count++] = j;
  }

  /// to = M_k B, for row `row` of M_k.
  CHASLES_INLINE void row_times(const S* row, bool all, const S* B, S* to) const {
    constexpr int width = Joints<Sp>::width;
    for_blocks<Sp, 4>(0, nv, [&](auto blocks, auto take, int j) {
      constexpr int N = decltype(blocks)::value;
      using T = decltype(take.get(B));
      T sum[N];
      for (T& x : sum) x = T(Real(0));
      for (int r = 0; r < (all ? count : before); ++r) {
        const T factor(row[rows[r]]);
        const S* from = B + rows[r] * nv + j;
        for (int b = 0; b < N; ++b) sum[b] = sum[b] + factor * take.get(from + b * width);
      }
      for (int b = 0; b < N; ++b) take.put(to + j + b * width, sum[b]);
    });
  }
  /// M_k B, row by row.
  CHASLES_INLINE void slope_times(const S* M_k, const S* B, S* to) const {
    for (int r = 0; r < count; ++r) row_times(M_k + rows[r] * nv, r < before, B, to + r * nv);
  }
  /// to = -M^-1 B, using only the listed rows of B or `kept`.
  CHASLES_INLINE void solve(const S* B, S* to) const {
    minus_product<Sp>(M_inv, B, nv, to, count, [&](int r) { return rows[r]; });
  }
  CHASLES_INLINE void keep(const S* B) const {
    for (int r = 0; r < count; ++r)
      __builtin_memcpy(kept + r * nv, B + rows[r] * nv, static_cast<std::size_t>(nv) * sizeof(S));
  }
  /// Calls body(k) for all columns, with their rows listed.
  template <class Body>
  CHASLES_INLINE void for_all(const Body& body) {
    for (const auto& link : tree.links) {
      if (link.nv > 0) list_rows(link);
      for (int k = link.v; k < link.v + link.nv; ++k) body(k);
    }
  }
  CHASLES_INLINE void run(S* out) {
    const std::ptrdiff_t n = nv, nn = n * n, all = nn * n;
    for_all([&](int k) {
      const int by_one[] = {0, 3};
      for (const int tensor : by_one) {
        S* to = out + tensor * all + k * nn;
        keep(to);
        solve(kept, to);
      }
      S *vq = out + all + k * nn, *M_k = vq + all;
      slope_times(M_k, a_v, kept);
      for (int r = 0; r < count; ++r)
        for (int j = 0; j < nv; ++j) kept[r * nv + j] = kept[r * nv + j] + vq[rows[r] * nv + j];
      solve(kept, vq);
    });
    for_all([&](int k) {  // the remaining terms of (1), and (2)
      S *qq = out + k * nn, *M_k = qq + 2 * all;
      slope_times(M_k, a_q, kept);
      solve(kept, product);
      for (int i = 0; i < nv; ++i)
        for (int j = 0; j < nv; ++j) {
          const S x = product[i * nv + j];
          qq[i * n + j] = qq[i * n + j] + x;
          S& across = out[j * nn + i * n + k];
          across = across + x;
        }
      slope_times(M_k, M_inv, kept);
      solve(kept, M_k);
    });
  }
};

/// Overwrites the tensors of inverse dynamics in pass.out, using the first derivatives pass.first.
template <class Sp>
CHASLES_FLATTEN int run_d2_forward_dynamics(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  SecondForward<Sp>(pass).run(reinterpret_cast<typename Sp::S*>(pass.out));
  return -1;
}
/// The same for matrices contracted with M^-1 lambda, which become those of the accelerations contracted with
/// lambda.
template <class Sp>
CHASLES_FLATTEN int run_d2_forward_contracted(const Pass<typename Sp::Real>& arguments) {
  using S = typename Sp::S;
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  const int nv = pass.tree->nv;
  const std::ptrdiff_t nn = std::ptrdiff_t(nv) * nv;
  S *out = reinterpret_cast<S*>(pass.out), *product = reinterpret_cast<S*>(pass.work);
  S *vq = out + nn, *uq = vq + nn, *vv = uq + nn;
  const S* first = reinterpret_cast<const S*>(pass.first);
  const auto partials = [&](int matrix) {  // -U^T B
    minus_product<Sp>(uq, first + matrix * nn, nv, product, nv, [](int k) { return k; });
  };
  partials(0);
  for (int j = 0; j < nv; ++j)
    for (int k = 0; k < nv; ++k)
      out[j * nv + k] = (product[j * nv + k] + product[k * nv + j]) - out[j * nv + k];
  partials(1);
  for (int j = 0; j < nv; ++j)
    for (int k = 0; k < nv; ++k) vq[j * nv + k] = product[k * nv + j] - vq[j * nv + k];
  partials(2);
  for (int j = 0; j < nv; ++j)
    for (int k = 0; k < nv; ++k) uq[j * nv + k] = product[k * nv + j];
  for (std::ptrdiff_t k = 0; k < nn; ++k) vv[k] = -vv[k];
  return -1;
}
