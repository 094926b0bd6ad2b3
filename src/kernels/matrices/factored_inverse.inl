// Included by dynamics.inl. M^-1 from M, for shallow trees: M = L^T D L without fill-in, as the nonzeros of
// row k of M, L and W = L^-1 are at the ancestors of k. These form a path from the root, which begins with
// the path of each ancestor; so rows are stored along paths, without gaps, and updates of row k by the row of
// its ancestor number p affect only the first p numbers of both:
//
//   inward    D_k = H_kk,  L_kp = H_kp / D_k,   H_i -= L_kp H_k      i ancestor number p of k
//   outward   W_k = e_k - sum_p L_kp W_i
//
//   M^-1_ij = sum_a (W_ia / D_a) W_ja                                a common ancestor of i and j
//
// The last formula uses columns T_a = (W_ja), with j = a and its descendants, which are consecutive.
#pragma once

#include "kernels/matrices/mass_matrix.inl"

/// Up to this depth this is faster than the inverse from articulated inertias.
inline constexpr int deepest_factored = 16;

template <class Real>
struct UnitRow {
  Real x[2 * deepest_factored + 8];
  constexpr UnitRow() : x{} { x[deepest_factored] = 1; }
};
template <class Real>
inline constexpr UnitRow<Real> unit_row;

template <class Sp>
struct FactoredInverse {
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  static constexpr int width = takes_four<Sp> ? 4 : 1;  // numbers per register T
  static constexpr int group = takes_four<Sp> ? 2 : 4;  // registers per pass over the ancestors
  using T = std::conditional_t<takes_four<Sp>, Pack<Real, 4>, S>;
  static constexpr Real worth_a_look = Real(1e-6);
  const Tree<Real>& tree;
  int nv, path_size, row_size;
  S *D_inv, *H, *L, *W, *columns;
  Result<Sp>* out;

  FactoredInverse(const Tree<Real>& of, S* work, Result<Sp>* to)
      : tree(of), nv(of.nv), path_size(padded(of.deepest)), row_size(padded(of.nv)), out(to) {
    D_inv = work, H = D_inv + row_size;
    L = H + nv * path_size, W = L + nv * path_size, columns = W + nv * path_size;
  }
  /// Workspace size in numbers S.
  static std::size_t memory(const Tree<Real>& tree) {
    const int n = tree.nv;
    return static_cast<std::size_t>(padded(n) + 3 * n * padded(tree.deepest) + n * padded(n));
  }
  /// Row length including padding for whole registers.
  static int padded(int n) { return (n + width - 1) / width * width + 8; }

  static CHASLES_INLINE T get(const S* p) { return Take<T>().get(p); }
  static CHASLES_INLINE void put(S* p, const T& x) { Take<T>().put(p, x); }
  const int* path(int k) const { return tree.ancestors.data() + tree.paths[std::size_t(k)].begin; }
  int size(int k) const { return tree.paths[std::size_t(k)].size; }
  int end(int k) const { return tree.paths[std::size_t(k)].end; }

  /// Stores the rows of M along paths, in reverse order: the last rows are processed first.
  CHASLES_INLINE void gather() const {
    if constexpr (takes_four<Sp>)  // clears old contents: denormals are slow
      for (int x = 0; x < nv * path_size; x += 4) put(H + x, T(Real(0)));
    for (int k = nv - 1; k >= 0; --k) {
      const int *at = path(k), n = size(k);
      const Result<Sp>* row = out + k * nv;
      S* to = H + k * path_size;
      for (int p = 0; p < n; ++p) to[p] = row[at[p]];
    }
  }
  /// Calls body(N, c), N a compile-time number of registers starting at number c, to cover at least the first
  /// n numbers of a row.
  template <class Body>
  static CHASLES_INLINE void for_row(int n, const Body& body) {
    using std::integral_constant;
    if constexpr (takes_four<Sp>) {
      static_assert(deepest_factored <= 16);
      switch ((n + 3) / 4) {
        case 1:
          return body(integral_constant<int, 1>(), 0);
        case 2:
          return body(integral_constant<int, 2>(), 0);
        case 3:
          return body(integral_constant<int, 3>(), 0);
        default:
          return body(integral_constant<int, 4>(), 0);
      }
    } else {
      for (int c = 0; c < n; c += 4) body(integral_constant<int, 4>(), c);
    }
  }
  /// Returns the first entry of v, from the last, with a zero pivot, or -1.
  CHASLES_INLINE int factor() const {
    for (int i = nv - 1; i >= 0; --i) {
      const int n = size(i), last = end(i);
      S *row = H + i * path_size, *scaled = L + i * path_size;
      const S before = row[n - 1];
      for_row(n, [&](auto count, int c) {
        constexpr int N = decltype(count)::value;
        T sum[N];
        for (int x = 0; x < N; ++x) sum[x] = get(row + c + x * width);
        for (int k = last - 1; k > i; --k) {
          const T factor(H[k * path_size + n - 1]);
          const S* from = L + k * path_size + c;
          for (int x = 0; x < N; ++x) sum[x] = sum[x] - factor * get(from + x * width);
        }
        for (int x = 0; x < N; ++x) put(row + c + x * width, sum[x]);
      });
      if (!all_above(row[n - 1], S(worth_a_look) * before)) [[unlikely]]
        if (!stands_out(i, row[n - 1], before)) return i;
      D_inv[i] = S(1) / row[n - 1];
      const T inverse(D_inv[i]);
      for_row(n, [&](auto count, int c) {
        for (int x = 0; x < decltype(count)::value; ++x)
          put(scaled + c + x * width, get(row + c + x * width) * inverse);
      });
    }
    return -1;
  }
  /// Factors the M in `out`; returns the first link with a singular joint inertia, or -1.
  CHASLES_INLINE int factor_M() const {
    gather();
    const int k = factor();
    if (k < 0) return -1;
    int link = 0;
    while (tree.links[std::size_t(link)].v + tree.links[std::size_t(link)].nv <= k) ++link;
    return link;
  }
  /// Overwrites M by M^-1.
  CHASLES_INLINE void complete() const {
    invert();
    products();
    mirror<Sp, false>(out, nv);
  }
  /// Whether a pivot D, reduced from M_ii, exceeds the threshold for zero and the rounding errors in x.M x,
  /// where x_i = 1 and the joints beyond accelerate with x_k without force. See articulated.inl.
  __attribute__((noinline)) bool stands_out(int i, S D, S M_ii) const {
    S* x = columns;  // unused until now
    S sum = M_ii;
    x[i] = S(1);
    for (int k = i + 1; k < end(i); ++k) {
      const int* at = path(k);
      x[k] = S(0);
      for (int p = size(i) - 1; p < size(k) - 1; ++p) x[k] = x[k] - L[k * path_size + p] * x[at[p]];
      sum = sum + x[k] * x[k] * out[k * (nv + 1)];
    }
    return all_above(D, S(singular<Real>) * M_ii) && all_above(D, S(rounding<Real>) * sum);
  }
  /// W, and its columns padded with zeros.
  CHASLES_INLINE void invert() const {
    if constexpr (takes_four<Sp>)  // longer rows read beyond the end of a shorter row
      for (int x = 0; x < nv * path_size; x += 4) put(W + x, T(Real(0)));
    for (int k = 0; k < nv; ++k) {
      const int *at = path(k), n = size(k) - 1;
      const S* factors_k = L + k * path_size;
      S* row = W + k * path_size;
      for_row(n + 1, [&](auto count, int c) {
        constexpr int N = decltype(count)::value;
        T sum[N];
        for (int x = 0; x < N; ++x) sum[x] = unit(n - c - x * width);
        for (int p = c; p < n; ++p) {
          const T factor(factors_k[p]);
          const S* from = W + at[p] * path_size + c;
          for (int x = 0; x < N; ++x) sum[x] = sum[x] - factor * get(from + x * width);
        }
        for (int x = 0; x < N; ++x) put(row + c + x * width, sum[x]);
      });
      for (int p = 0; p <= n; ++p) columns[at[p] * row_size + k] = row[p];
      S* after = columns + k * row_size + end(k);
      for (int c = 0; c < group; ++c) put(after + c * width, T(Real(0)));
    }
  }
  /// Zeros except for a one at index k.
  static CHASLES_INLINE T unit(int k) {
    if constexpr (takes_four<Sp>) {
      return get(unit_row<Real>.x + deepest_factored - k);
    } else {
      return S(Real(k == 0 ? 1 : 0));
    }
  }
  /// The upper triangle. Writes beyond the end of a row fall below the diagonal.
  CHASLES_INLINE void products() const {
    for (int i = 0; i < nv; ++i) {
      const int* at = path(i);
      int n = size(i);
      S* g = W + i * path_size;  // no longer needed
      for (int p = 0; p < n; ++p) g[p] = g[p] * D_inv[at[p]];
      for (int j = i; j < nv; j += width * group) {
        while (n > 0 && end(at[n - 1]) <= j) --n;
        T sum[group];
        for (T& x : sum) x = T(Real(0));
        for (int p = 0; p < n; ++p) {
          const T factor(g[p]);
          const S* column = columns + at[p] * row_size + j;
          for (int c = 0; c < group; ++c) sum[c] = sum[c] + factor * get(column + c * width);
        }
        for (int c = 0; c < group; ++c) {
          const int to = j + c * width;
          if (to >= nv) break;
          if (i * nv + to + width <= nv * nv)
            Take<T>().put(out + i * nv + to, sum[c]);
          else
            __builtin_memcpy(out + i * nv + to, &sum[c],
                             sizeof(S) * static_cast<std::size_t>(nv - to));
        }
      }
    }
  }
};

/// Whether M^-1 of a tree, with its paths listed, is computed by this method. In float, cancellation in M is
/// too large.
template <class Sp>
CHASLES_INLINE bool factors(const Tree<typename Sp::Real>& tree) {
  return sizeof(typename Sp::Real) >= 8 && tree.deepest > 0 && tree.deepest <= deepest_factored;
}

template <class Sp>
CHASLES_FLATTEN int run_factored_inverse(const Pass<typename Sp::Real>& arguments) {
  using S = typename Sp::S;
  auto pass = arguments;
  pass.zeroed = pass.lower = true;  // only the lower triangle on paths is read
  const auto& tree = *pass.tree;
  S* work =
      reinterpret_cast<S*>(reinterpret_cast<char*>(pass.work) + mass_matrix_of_work<Sp>(tree));
  const FactoredInverse<Sp> inverse(tree, work, reinterpret_cast<Result<Sp>*>(pass.out));
  mass_matrix_of<Sp>(pass);
  if (const int link = inverse.factor_M(); link >= 0) return link;
  inverse.complete();
  return -1;
}
template <class Sp>
std::size_t factored_inverse_work(const Tree<typename Sp::Real>& tree) {
  return mass_matrix_of_work<Sp>(tree) + FactoredInverse<Sp>::memory(tree) * sizeof(typename Sp::S);
}
