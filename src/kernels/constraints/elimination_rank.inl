// Read by isa/*_elimination.cpp. Rank-deficient blocks of constraint equations: the r dominant combinations of
// the rows of a block, (9) to (12) of constraints/elimination.hpp. All of it is a function of L_ii alone.
#pragma once

#include "kernels/constraints/elimination.inl"

/// Below the first ratio of dropped to kept pivots the fixed-point iteration (10) converges at once; iterates
/// that change by less than the second are exact to rounding.
inline constexpr double clear_gap = 1e-4, settled = 1e-14;
/// Rank of L_ii with unit diagonal: pivots below this are rounding of what cancels in L.
inline constexpr double rank_threshold = 1e-12;

/// Scratch of one block with n rows; matrices are row after row.
struct RankScratch {
  double *A, *C, *X, *Y, *Z, *G;  // n x n each
  double* columns;                // n x (n + 4)
  int* order;                     // n
  RankScratch(const EliminationPass& e, int n)
      : A(e.scratch),
        C(A + n * n),
        X(C + n * n),
        Y(X + n * n),
        Z(Y + n * n),
        G(Z + n * n),
        columns(G + n * n),
        order(e.order) {}
};

/// A = L_ii; both halves of L hold the same numbers but for rounding.
CHASLES_INLINE void copy_symmetric(const double* L, int n, int width, double* A) {
  for (int s = 0; s < n; ++s)
    for (int t = s; t < n; ++t) A[s * n + t] = A[t * n + s] = L[s * width + t];
}
CHASLES_INLINE void exchange(double& a, double& b) {
  const double c = a;
  a = b, b = c;
}

/// r steps of the Cholesky factorization with the largest diagonal entry next: A <- Schur complement (permuted),
/// C its factor, with 1 / C_kk on the diagonal. Returns the number of steps with pivots above `least`.
__attribute__((noinline)) inline int pivoted_cholesky(const RankScratch& s, int n, int r,
                                                      double least) {
  double *A = s.A, *C = s.C;
  for (int j = 0; j < n; ++j) s.order[j] = j;
  for (int k = 0; k < r; ++k) {
    int p = k;
    for (int j = k + 1; j < n; ++j)
      if (A[j * n + j] > A[p * n + p]) p = j;
    if (!(A[p * n + p] > least)) return k;
    if (p != k) {
      for (int j = 0; j < n; ++j) exchange(A[k * n + j], A[p * n + j]);
      for (int j = 0; j < n; ++j) exchange(A[j * n + k], A[j * n + p]);
      for (int j = 0; j < k; ++j) exchange(C[k * n + j], C[p * n + j]);
      const int o = s.order[k];
      s.order[k] = s.order[p], s.order[p] = o;
    }
    const double inverse = 1 / __builtin_sqrt(A[k * n + k]);
    C[k * n + k] = inverse;
    for (int i = k + 1; i < n; ++i) C[i * n + k] = A[i * n + k] * inverse;
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j) A[i * n + j] -= C[i * n + k] * C[j * n + k];
  }
  return r;
}
/// x <- C_11^-1 x, and C_11^-T x, for the m columns of x, r x m.
CHASLES_INLINE void solve_lower(const double* C, int n, int r, int m, double* x) {
  for (int i = 0; i < r; ++i)
    for (int c = 0; c < m; ++c) {
      double sum = x[i * m + c];
      for (int k = 0; k < i; ++k) sum -= C[i * n + k] * x[k * m + c];
      x[i * m + c] = sum * C[i * n + i];
    }
}
CHASLES_INLINE void solve_upper(const double* C, int n, int r, int m, double* x) {
  for (int i = r - 1; i >= 0; --i)
    for (int c = 0; c < m; ++c) {
      double sum = x[i * m + c];
      for (int k = i + 1; k < r; ++k) sum -= C[k * n + i] * x[k * m + c];
      x[i * m + c] = sum * C[i * n + i];
    }
}

/// G, lower triangular with n columns in a row and 1 / G_kk on the diagonal: G G^T = 1 + X X^T.
CHASLES_INLINE void factor_of_graph(const double* X, int n, int r, double* G) {
  const int m = n - r;
  for (int i = 0; i < r; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = i == j ? 1 : 0;
      for (int c = 0; c < m; ++c) sum += X[i * m + c] * X[j * m + c];
      for (int k = 0; k < j; ++k) sum -= G[i * n + k] * G[j * n + k];
      G[i * n + j] = i == j ? 1 / __builtin_sqrt(sum) : sum * G[j * n + j];
    }
}
/// (9), (10): X, r x m, in the order of pivots. False if the gap is not clear.
__attribute__((noinline)) inline bool graph_of_kept(const RankScratch& s, int n, int r) {
  const int m = n - r;
  const double *A = s.A, *C = s.C;
  double rest = 0;
  for (int j = r; j < n; ++j) rest += __builtin_fabs(A[j * n + j]);
  const double last = 1 / C[(r - 1) * n + r - 1];
  if (!(rest < clear_gap * last * last)) return false;
  double *X = s.X, *Y = s.Y, *Z = s.Z, *product = s.columns;  // m x m: S - X_0^T Z
  for (int k = 0; k < r; ++k)
    for (int c = 0; c < m; ++c) X[k * m + c] = C[(r + c) * n + k];
  solve_upper(C, n, r, m, X);
  if (rest < settled * last * last) return true;
  factor_of_graph(X, n, r, s.G);
  for (int k = 0; k < r * m; ++k) Y[k] = Z[k] = 0;
  for (int iteration = 0; iteration < 8; ++iteration) {
    for (int a = 0; a < m; ++a)
      for (int c = 0; c < m; ++c) {
        double sum = A[(r + a) * n + r + c];
        for (int k = 0; k < r; ++k) sum -= X[k * m + a] * Z[k * m + c];
        product[a * m + c] = sum;
      }
    for (int k = 0; k < r; ++k)
      for (int c = 0; c < m; ++c) {
        double sum = 0;
        for (int a = 0; a < m; ++a)
          sum += X[k * m + a] * A[(r + a) * n + r + c] + Y[k * m + a] * product[a * m + c];
        Z[k * m + c] = sum;
      }
    solve_lower(s.G, n, r, m, Z);
    solve_upper(s.G, n, r, m, Z);
    double change = 0, *next = s.columns;
    for (int k = 0; k < r * m; ++k) next[k] = Z[k];
    solve_lower(C, n, r, m, next);
    solve_upper(C, n, r, m, next);
    for (int k = 0; k < r * m; ++k) {
      const double d = __builtin_fabs(next[k] - Y[k]);
      if (d > change) change = d;
      Y[k] = next[k];
    }
    if (!(change > settled)) break;
  }
  for (int k = 0; k < r * m; ++k) X[k] += Y[k];
  return true;
}
/// (11): U from X, each row in lanes.
CHASLES_INLINE void basis_of_graph(const RankScratch& s, int n, int r, int width, double* U) {
  const int m = n - r;
  factor_of_graph(s.X, n, r, s.G);
  double* T = s.A;  // columns of G^-1 [1, X]
  for (int j = 0; j < n; ++j) {
    double* row = U + s.order[j] * width;
    for (int k = 0; k < r; ++k) T[k] = j >= r ? s.X[k * m + (j - r)] : j == k ? 1 : 0;
    solve_lower(s.G, n, r, 1, T);
    for (int k = 0; k < width; ++k) row[k] = k < r ? T[k] : 0;
  }
}

/// Where there is no gap: eigenvectors of A by Jacobi's rotations, the r with the largest eigenvalues.
__attribute__((noinline)) inline void jacobi_basis(const RankScratch& s, int n, int r, int width,
                                                   double* U) {
  double *A = s.A, *V = s.C;
  for (int k = 0; k < n * n; ++k) V[k] = k % (n + 1) == 0 ? 1 : 0;
  for (int sweep = 0; sweep < 12; ++sweep) {
    double off = 0, all = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) (i == j ? all : off) += A[i * n + j] * A[i * n + j];
    if (!(off > 1e-32 * all)) break;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const double a = A[p * n + q];
        if (!(__builtin_fabs(a) > 0)) continue;
        const double tau = (A[q * n + q] - A[p * n + p]) / (2 * a);
        const double t = (tau < 0 ? -1 : 1) / (__builtin_fabs(tau) + __builtin_sqrt(1 + tau * tau));
        const double c = 1 / __builtin_sqrt(1 + t * t), d = t * c;
        for (int k = 0; k < n; ++k) {
          const double x = A[k * n + p], y = A[k * n + q];
          A[k * n + p] = c * x - d * y, A[k * n + q] = d * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = A[p * n + k], y = A[q * n + k];
          A[p * n + k] = c * x - d * y, A[q * n + k] = d * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = V[k * n + p], y = V[k * n + q];
          V[k * n + p] = c * x - d * y, V[k * n + q] = d * x + c * y;
        }
      }
  }
  for (int j = 0; j < n; ++j) s.order[j] = j;
  for (int k = 0; k < r; ++k) {
    int p = k;
    for (int j = k + 1; j < n; ++j)
      if (A[s.order[j] * n + s.order[j]] > A[s.order[p] * n + s.order[p]]) p = j;
    const int o = s.order[k];
    s.order[k] = s.order[p], s.order[p] = o;
    for (int j = 0; j < n; ++j) U[j * width + k] = V[j * n + s.order[k]];
  }
  for (int j = 0; j < n; ++j)
    for (int k = r; k < width; ++k) U[j * width + k] = 0;
}

/// The rank of L_ii with its rows scaled by their own sizes; the independent rows of the block are the first of
/// e.picked.
CHASLES_INLINE int find_rank(const EliminationPass& e, const ConstraintRows& block,
                             const RankScratch& s) {
  const int n = block.rows;
  const double* alone = e.alone + block.lane;
  copy_symmetric(e.L + block.C, n, block.width, s.A);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double size = __builtin_sqrt(alone[i]) * __builtin_sqrt(alone[j]);
      s.A[i * n + j] = size > e.vanishing ? s.A[i * n + j] / size : 0;
    }
  const int r = pivoted_cholesky(s, n, n, rank_threshold);
  for (int j = 0; j < n; ++j) e.picked[block.lane + j] = s.order[j];
  return r;
}

/// U^T x: n numbers to lanes.
CHASLES_INLINE void combine_rows(const double* U, int n, int width, const double* x, double* out) {
  for (int lane = 0; lane < width; lane += lanes_of_rows) {
    Four sum(0.0);
    for (int t = 0; t < n; ++t) sum += get(U + t * width + lane) * Four(x[t]);
    put(out + lane, sum);
  }
}

/// U of a block, and U^T L_ii U, U^T K_i, L_ji U in place.
__attribute__((noinline)) inline void reduce_rows(const EliminationPass& e, int b) {
  const ConstraintRows& block = e.blocks[b];
  const int n = block.rows, width = block.width;
  const RankScratch s(e, n);
  if (e.find_ranks) e.ranks[b] = find_rank(e, block, s);
  const int r = e.ranks[b];
  double *U = e.U + block.U, *L = e.L + block.C;
  copy_symmetric(L, n, width, s.A);
  if (r == n || r == 0) {
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < width; ++k) U[j * width + k] = j == k && k < r ? 1 : 0;
    return;
  }
  if (pivoted_cholesky(s, n, r, 0) == r && graph_of_kept(s, n, r)) {
    basis_of_graph(s, n, r, width, U);
  } else {
    copy_symmetric(L, n, width, s.A);
    jacobi_basis(s, n, r, width, U);
  }
  // Columns of L U, then of U^T L U.
  for (int lane = 0; lane < width; lane += lanes_of_rows)
    for (int k = 0; k < r; ++k) {
      Four sum(0.0);
      for (int t = 0; t < n; ++t) sum += get(L + t * width + lane) * Four(U[t * width + k]);
      put(s.columns + k * width + lane, sum);
    }
  for (int k = 0; k < r; ++k) combine_rows(U, n, width, s.columns + k * width, L + k * width);
  if (block.K >= 0)
    for (int a = 0; a < 6; ++a) {
      double* K = e.K + block.K + a * width;
      for (int t = 0; t < n; ++t) s.columns[t] = K[t];
      combine_rows(U, n, width, s.columns, K);
    }
  for (const CoupledRows* other = e.others + block.others; other != e.others + block.others_end;
       ++other) {
    const int wide = e.blocks[other->block].width;
    for (int lane = 0; lane < wide; lane += lanes_of_rows) {
      double* X = e.L + other->X + lane;
      for (int t = 0; t < n; ++t) put(s.columns + 4 * t, get(X + t * wide));
      for (int k = 0; k < r; ++k) {
        Four sum(0.0);
        for (int t = 0; t < n; ++t) sum += get(s.columns + 4 * t) * Four(U[t * width + k]);
        put(X + k * wide, sum);
      }
    }
  }
}

/// 1 / |C^-1|^2 of a factor C of r columns: between the least eigenvalue of C C^T and a part 1 / r of it, the same
/// for every basis of the combinations.
CHASLES_INLINE double harmonic_pivot(const double* C, int width, int r, double* column) {
  double sum = 0;
  for (int k = 0; k < r; ++k)
    for (int i = k; i < r; ++i) {
      double x = i == k ? 1 : 0;
      for (int l = k; l < i; ++l) x -= C[l * width + i] * column[l];
      column[i] = x / C[i * width + i];
      sum += column[i] * column[i];
    }
  return 1 / sum;
}
