// Included by isa/*_kkt.cpp. Rank-deficient blocks of constraint equations: the omitted combinations of the
// equations of a block, (9) to (11) of constraints/kkt_factorization.hpp. Everything here is a function of
// L_ii alone.
#pragma once

#include "kernels/constraints/kkt_factorization.inl"

/// The shift s of (9) as a fraction of the trace of L_ii: enough to keep pivots positive.
inline constexpr double rank_shift = 1e-13;
/// Inverse iteration has converged when the squared change is below this fraction of the previous one.
inline constexpr double settled = 1e-15;

/// Scratch for one block with n equations; matrices are stored by rows.
struct RankScratch {
  double *A, *C;  // n x n
  double* Y;      // n x n, with lanes; rows are written in groups of eight
  int* order;     // n
  RankScratch(const KktPass& e, int n) : A(e.scratch), C(A + n * n), Y(C + n * n), order(e.order) {}
};

/// A = L_ii; both halves of L are equal up to rounding.
CHASLES_INLINE void copy_symmetric(const double* L, int n, int width, double* A) {
  for (int s = 0; s < n; ++s)
    for (int t = s; t < n; ++t) A[s * n + t] = A[t * n + s] = L[s * width + t];
}
CHASLES_INLINE void exchange(double& a, double& b) {
  const double c = a;
  a = b, b = c;
}

/// r steps of the Cholesky factorization with diagonal pivoting: A <- Schur complement (permuted), C its
/// factor, with 1 / C_kk on the diagonal. Returns the number of steps with pivots above `least`.
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
/// Fallback without a spectral gap: eigenvectors of the m smallest eigenvalues of A, by Jacobi rotations.
__attribute__((noinline)) inline void jacobi_basis(const RankScratch& s, int n, int m, int width,
                                                   double* Z) {
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
  for (int k = 0; k < m; ++k) {
    int p = k;
    for (int j = k + 1; j < n; ++j)
      if (A[s.order[j] * n + s.order[j]] < A[s.order[p] * n + s.order[p]]) p = j;
    const int o = s.order[k];
    s.order[k] = s.order[p], s.order[p] = o;
    for (int j = 0; j < n; ++j) Z[k * width + j] = V[j * n + s.order[k]];
  }
}

/// The rank of L_ii with its rows scaled to unit size; the independent equations of the block are written to
/// e.picked first.
CHASLES_INLINE int find_rank(const KktPass& e, const ConstraintRows& block, const RankScratch& s) {
  const int n = block.rows;
  const double* alone = e.alone + block.lane;
  copy_symmetric(e.L + block.C, n, block.width, s.A);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double size = __builtin_sqrt(alone[i]) * __builtin_sqrt(alone[j]);
      s.A[i * n + j] = size > e.vanishing ? s.A[i * n + j] / size : 0;
    }
  const int r = pivoted_cholesky(s, n, n, e.dependent);
  for (int j = 0; j < n; ++j) e.picked[block.lane + j] = s.order[j];
  return r;
}

/// L + shift 1 = C C^T: columns with lanes, with 1 / C_jj in `inverse`.
template <int N, int W>
CHASLES_INLINE void shifted_factor(const double* L, int n, int width, double shift, double* C,
                                   double* inverse) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  each<N>(n, [&](int j) {
    for (int lane = 0; lane < width; lane += Rows::lanes) {
      R sum = get<R>(L + j * width + lane);
      for (int k = 0; k < j; ++k) sum -= get<R>(C + k * width + lane) * R(C[k * width + j]);
      put(C + j * width + lane, sum);
    }
    const double pivot = C[j * width + j] + shift;
    inverse[j] = 1 / __builtin_sqrt(pivot > 0.01 * shift ? pivot : shift);
    for (int lane = 0; lane < width; lane += Rows::lanes)
      put(C + j * width + lane, get<R>(C + j * width + lane) * R(inverse[j]));
  });
}
/// Orthonormalizes Z, m vectors of n numbers, each against those before it.
CHASLES_INLINE void orthonormalize(int n, int m, int width, double* Z) {
  for (int c = 0; c < m; ++c) {
    double* z = Z + c * width;
    for (int k = 0; k < 2 * c; ++k) {  // twice, to remove rounding errors
      const double* other = Z + k % c * width;
      double part = 0;
      for (int j = 0; j < n; ++j) part += other[j] * z[j];
      for (int j = 0; j < n; ++j) z[j] -= part * other[j];
    }
    double square = 0;
    for (int j = 0; j < n; ++j) square += z[j] * z[j];
    const double inverse = 1 / __builtin_sqrt(square);
    for (int j = 0; j < n; ++j) z[j] *= inverse;
  }
}
/// (9): Z, the m omitted combinations. Returns false if inverse iteration does not converge quickly.
template <int N, int W>
CHASLES_INLINE bool iterate_dropped(const double* L, int n, int m, int width, double trace,
                                    const RankScratch& s, double* Z) {
  double inverse[N > 0 ? N : 1], *reciprocal = N > 0 ? inverse : s.A;
  double* C = s.Y;
  shifted_factor<N, W>(L, n, width, rank_shift * trace, C, reciprocal);
  // Start vectors without symmetry.
  for (int c = 0; c < m; ++c)
    for (int j = 0; j < n; ++j) Z[c * width + j] = 1 + 0.37 * ((3 * j + 5 * c * j + c) % 7);
  orthonormalize(n, m, width, Z);
  double before = 1;
  for (int iteration = 0; iteration < 8; ++iteration) {
    double change = 0;
    for (int c = 0; c < m; ++c) {
      double* z = Z + c * width;
      double* y = s.C + c * n;  // L^-1 z
      each<N>(n, [&](int j) {
        double sum = z[j];
        for (int k = 0; k < j; ++k) sum -= C[k * width + j] * y[k];
        y[j] = sum * reciprocal[j];
      });
      each<N>(n, [&](int back) {
        const int j = n - 1 - back;
        double sum = y[j];
        for (int k = j + 1; k < n; ++k) sum -= C[j * width + k] * y[k];
        y[j] = sum * reciprocal[j];
      });
    }
    // Distance of the new vectors from the span of the old ones.
    for (int c = 0; c < m; ++c) {
      const double* y = s.C + c * n;
      double square = 0, within = 0;
      double off[N > 0 ? N : 1], *rest = N > 0 ? off : s.A + n;
      each<N>(n, [&](int j) { rest[j] = y[j], square += y[j] * y[j]; });
      for (int k = 0; k < m; ++k) {
        double part = 0;
        each<N>(n, [&](int j) { part += Z[k * width + j] * y[j]; });
        each<N>(n, [&](int j) { rest[j] -= part * Z[k * width + j]; });
      }
      each<N>(n, [&](int j) { within += rest[j] * rest[j]; });
      const double part = within / square;
      if (!(part <= change)) change = part;  // squares; the negation also catches NaN
    }
    for (int c = 0; c < m; ++c) each<N>(n, [&](int j) { Z[c * width + j] = s.C[c * n + j]; });
    orthonormalize(n, m, width, Z);
    if (change <= settled * before) return true;
    before = __builtin_sqrt(change);
  }
  return false;
}

/// x <- x - Z Z^T x.
template <int W>
CHASLES_INLINE void leave_out(const double* Z, int m, int width, double* x) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  for (int c = 0; c < m; ++c) {
    const double* z = Z + c * width;
    R sum(0.0);
    for (int lane = 0; lane < width; lane += Rows::lanes)
      sum += get<R>(z + lane) * get<R>(x + lane);
    const R part(sum_of(sum));
    for (int lane = 0; lane < width; lane += Rows::lanes)
      put(x + lane, get<R>(x + lane) - part * get<R>(z + lane));
  }
}

/// (9) and (10) for a block. Returns tr L_ii.
template <int N, int W>
__attribute__((noinline)) CHASLES_FLATTEN double reduce_rows(const KktPass& e, int b) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  const ConstraintRows& block = e.blocks[b];
  const int n = N > 0 ? N : block.rows, width = lanes<W>(block.width);
  const RankScratch s(e, n);
  if (e.find_ranks) e.ranks[b] = find_rank(e, block, s);
  const int m = n - e.ranks[b];
  double *Z = e.Z + block.Z, *L = e.L + block.C;
  double trace = 0;
  for (int j = 0; j < n; ++j) trace += L[j * width + j];
  if (!(trace > 0)) trace = 1;
  if (m == 0) return trace;
  if (m == n) {
    for (int c = 0; c < n; ++c)
      for (int j = 0; j < n; ++j) Z[c * width + j] = c == j ? 1 : 0;
  } else if (!iterate_dropped<N, W>(L, n, m, width, trace, s, Z)) {
    copy_symmetric(L, n, width, s.A);
    jacobi_basis(s, n, m, width, Z);
  }
  for (int c = 0; c < m; ++c) {
    const double* z = Z + c * width;
    double* y = s.Y;  // L z
    double size = trace;
    for (int lane = 0; lane < width; lane += Rows::lanes) {
      R sum(0.0);
      each<N>(n, [&](int t) { sum += get<R>(L + t * width + lane) * R(z[t]); });
      put(y + lane, sum);
    }
    for (int t = 0; t < n; ++t) size += y[t] * z[t];
    for (int lane = 0; lane < width; lane += Rows::lanes) {
      const R along = get<R>(z + lane), across = get<R>(y + lane);
      each<N>(n, [&](int t) {
        double* column = L + t * width + lane;
        put(column, (get<R>(column) - along * R(y[t] - size * z[t])) - across * R(z[t]));
      });
    }
  }
  if (block.K >= 0)
    for (int a = 0; a < 6; ++a) leave_out<W>(Z, m, width, e.K + block.K + a * width);
  for (const CoupledRows* other = e.others + block.others; other != e.others + block.others_end;
       ++other) {
    const int wide = lanes<W>(e.blocks[other->block].width);
    for (int lane = 0; lane < wide; lane += Rows::lanes)
      for (int c = 0; c < m; ++c) {
        double* X = e.L + other->X + lane;
        R sum(0.0);
        for (int t = 0; t < n; ++t) sum += get<R>(X + t * wide) * R(Z[c * width + t]);
        for (int t = 0; t < n; ++t)
          put(X + t * wide, get<R>(X + t * wide) - sum * R(Z[c * width + t]));
      }
  }
  return trace;
}

/// 1 / tr (U^T L_ii U)^-1 of the r retained combinations U, from a factor C of (10): between 1 / r of their
/// smallest eigenvalue and that eigenvalue.
template <int N>
CHASLES_INLINE double harmonic_pivot(const double* C, const double* inverse, int n, int width,
                                     double dropped, double* column) {
  double sum = -dropped;
  each<N>(n, [&](int k) {
    for (int i = k; i < n; ++i) {
      double x = i == k ? 1 : 0;
      for (int l = k; l < i; ++l) x -= C[l * width + i] * column[l];
      column[i] = x * inverse[i];
      sum += column[i] * column[i];
    }
  });
  return sum > 0 ? 1 / sum : 0;
}
