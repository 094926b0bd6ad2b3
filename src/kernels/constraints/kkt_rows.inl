// Included by isa/*_kkt.cpp. Factors of the constraint equations at the link where all ends of a constraint
// have met: (6) and (7) of constraints/kkt_factorization.hpp.
#pragma once

#include "kernels/constraints/kkt_rank.inl"

/// Pivots of L below this fraction of the original diagonal entry are rounding: linearly dependent equations.
inline constexpr double dependent = 1e-14;

/// L_ii = C C^T in place, with mu times the row sizes added to the diagonal, and the pivots. Dependent rows
/// get a small positive pivot. Row sizes are those at this configuration, with a fraction of the typical size
/// as lower bound: a row that vanishes here is as singular as a dependent one.
/// @param trace  of L_ii before (10)
template <int N, int W>
CHASLES_INLINE void factorize_rows(const KktPass& e, const ConstraintRows& block, double trace) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  const int n = N > 0 ? N : block.rows, width = lanes<W>(block.width);
  double *C = e.L + block.C, *inverse = e.inverse + block.lane, *sizes = e.alone + block.lane,
         *pivots = e.pivots + block.lane;
  const double *size = e.size + block.lane, *usual = e.usual + block.lane;
  if (block.Z >= 0) {  // one size for all combinations of rows
    double sum = 0;
    for (int j = 0; j < block.rows; ++j) sum += sizes[j];
    for (int j = 0; j < width; ++j) sizes[j] = sum;
  }
  for (int lane = 0; lane < width; lane += lanes_of_rows)
    put(sizes + lane, larger(get(sizes + lane), get(size + lane)));
  each<N>(n, [&](int j) {
    double pivot = 0;
    for (int lane = 0; lane < width; lane += Rows::lanes) {
      R sum = get<R>(C + j * width + lane);
      for (int k = 0; k < j; ++k) sum -= get<R>(C + k * width + lane) * R(C[k * width + j]);
      put(C + j * width + lane, sum);
      if constexpr (W == 4 && N > 0) pivot = sum.x[j];
    }
    if (!(W == 4 && N > 0)) pivot = C[j * width + j];
    pivot += e.mu * sizes[j];
    pivots[j] = pivot;
    if (!(pivot > dependent * sizes[j])) [[unlikely]]
      pivot = sizes[j] > 0 ? dependent * sizes[j] : 1;
    inverse[j] = 1 / __builtin_sqrt(pivot);
    for (int lane = 0; lane < width; lane += Rows::lanes)
      put(C + j * width + lane, get<R>(C + j * width + lane) * R(inverse[j]));
  });
  double least = *e.least;
  if (block.Z >= 0) {
    const int dropped = n - e.ranks[&block - e.blocks];
    if (dropped == n) return;
    pivots[0] = harmonic_pivot<N>(C, inverse, n, width, dropped / trace, e.scratch);
    const double rest = sizes[0] > 0 ? pivots[0] / sizes[0] * usual[0] : 0;
    if (rest < least) *e.least = rest;
    return;
  }
  for (int lane = 0; lane < width; lane += lanes_of_rows) {
    const Four zero(0.0), here = get(sizes + lane);
    const Four rest =
        Four::of(here.x > zero.x ? get(pivots + lane).x / here.x * get(usual + lane).x : zero.x);
    for (int k = 0; k < lanes_of_rows && lane + k < n; ++k)
      if (rest.x[k] < least) least = rest.x[k];
  }
  *e.least = least;
}
/// (6) and (7). P: of the link where the ends of the block have met; unused on ground.
template <class Sp, int N, int W>
__attribute__((noinline)) CHASLES_FLATTEN void eliminate_rows(const KktPass& e,
                                                              const KktWork<Sp>& work,
                                                              const ConstraintRows& block,
                                                              Articulated<Sp>* P) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  using S = typename Sp::S;
  double trace = 1;
  if (block.Z >= 0) trace = reduce_rows<N, W>(e, static_cast<int>(&block - e.blocks));
  factorize_rows<N, W>(e, block, trace);
  const int n = N > 0 ? N : block.rows, width = lanes<W>(block.width);
  const double *C = e.L + block.C, *inverse = e.inverse + block.lane;
  Six<Sp>* Y = work.Y + block.first;
  if (block.K >= 0) {
    const double* K = e.K + block.K;
    each<N>(n, [&](int r) {
      const auto entry = [&](int a) { return S(K[a * width + r]); };
      Six<Sp> y{Sp::vec(entry(0), entry(1), entry(2)), Sp::vec(entry(3), entry(4), entry(5))};
      for (int k = 0; k < r; ++k) {
        const S f(C[k * width + r]);
        y.w -= f * Y[k].w, y.v -= f * Y[k].v;
      }
      const S f(inverse[r]);
      Y[r] = {f * y.w, f * y.v};
      project<Sp>(P->A, P->G, P->C, Y[r], Six<Sp>{-Y[r].w, -Y[r].v});
    });
  }
  for (const CoupledRows* other = e.others + block.others; other != e.others + block.others_end;
       ++other) {
    const int wide = lanes<W>(e.blocks[other->block].width);
    for (int lane = 0; lane < wide; lane += Rows::lanes) {
      double* X = e.L + other->X + lane;
      each<N>(n, [&](int s) {
        R x = get<R>(X + s * wide);
        for (int k = 0; k < s; ++k) x -= get<R>(X + k * wide) * R(C[k * width + s]);
        put(X + s * wide, x * R(inverse[s]));
      });
      if (other->K < 0) continue;
      double* K = e.K + other->K + lane;
      each<N>(n, [&](int s) {
        const double* y = numbers(Y[s]);
        each<6>(6, [&](int a) {
          const R of(y[a < 3 ? a : second<Sp> + a - 3]);
          put(K + a * wide, get<R>(K + a * wide) - get<R>(X + s * wide) * of);
        });
      });
    }
  }
  const int* pair = e.coupled_pairs + block.pairs;
  for (int a = block.others; a < block.others_end; ++a) {
    const ConstraintRows& j = e.blocks[e.others[a].block];
    const double* X_j = e.L + e.others[a].X;
    const int width_j = lanes<W>(j.width);
    for (int b = a; b < block.others_end; ++b) {
      const int width_k = lanes<W>(e.blocks[e.others[b].block].width);
      double* L_kj = e.L + *pair++;
      const double* X_k = e.L + e.others[b].X;
      some_of<W>(j.rows, [&](int s) {
        for (int lane = 0; lane < width_k; lane += Rows::lanes) {
          double* to = L_kj + s * width_k + lane;
          R sum = get<R>(to);
          each<N>(
              n, [&](int c) { sum -= get<R>(X_k + c * width_k + lane) * R(X_j[c * width_j + s]); });
          put(to, sum);
        }
      });
    }
  }
}
template <class Sp, int W>
CHASLES_INLINE void eliminate_rows_at(const KktPass& e, const KktWork<Sp>& work, int link,
                                      Articulated<Sp>* P) {
  for (int b = e.at[link].blocks; b < e.at[link].blocks_end; ++b)
    with_constant<W>(e.blocks[b].rows, [&](auto n) {
      eliminate_rows<Sp, decltype(n)::value, W>(e, work, e.blocks[b], P);
    });
}
