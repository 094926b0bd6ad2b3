// Read by isa/*_elimination.cpp. What is solved with the factors of elimination.inl and
// elimination_rows.inl: (4), (5), (7), (8) of constraints/elimination.hpp for right-hand sides.
#pragma once

#include "kernels/constraints/elimination_rows.inl"

CHASLES_INLINE double sum_of(const Four& x) { return (x.x[0] + x.x[1]) + (x.x[2] + x.x[3]); }

/// What links need for the accelerations that velocities give them, less their weight and what is applied.
template <class Sp>
__attribute__((noinline)) CHASLES_FLATTEN void take_bias(const EliminationPass& e,
                                                         const EliminationWork<Sp>& work) {
  using S = typename Sp::S;
  const auto gravity = Sp::constant(e.tree->gravity);
  const int count = static_cast<int>(e.tree->links.size());
  for (int i = 0; i < count; ++i) {
    const auto& link = e.tree->links[static_cast<std::size_t>(i)];
    EliminatedLink<Sp>& at = work.links[i];
    const auto w = Sp::load_vec(e.twist, 6 * i), al = Sp::load_vec(e.acceleration, 6 * i);
    const auto a = Sp::load_vec(e.acceleration, 6 * i + 3) - gravity;
    const typename Sp::Mat O = Sp::omega(w, al);
    at.p.v = Sp::plus_times(S(link.mass()) * a, O, at.c);
    at.p.w = Sp::moment(at.c, a, O, Sp::turning(at.I, S(link.trace())), w, al);
  }
  for (const WrenchOnLink* on = e.applied; on != e.applied + e.applied_count; ++on) {
    Six<Sp>& p = work.links[on->link].p;
    p.w -= Sp::load_vec(on->W, 0), p.v -= Sp::load_vec(on->W, 3);
  }
}

/// (12): x <- U^T x, n rows to r combinations, in lanes; Back: x <- U x.
template <bool Back>
CHASLES_INLINE void combine(const EliminationPass& e, const ConstraintRows& block, double* x) {
  const int n = block.rows, width = block.width;
  const double* U = e.U + block.U;
  for (int k = 0; k < width; ++k) e.scratch[k] = x[k];
  if constexpr (Back) {
    for (int t = 0; t < n; ++t) {
      Four sum(0.0);
      for (int lane = 0; lane < width; lane += lanes_of_rows)
        sum += get(U + t * width + lane) * get(e.scratch + lane);
      x[t] = sum_of(sum);
    }
  } else {
    combine_rows(U, n, width, e.scratch, x);
  }
}

/// The right-hand side of (7); y of (6) stands where g was.
template <class Sp, int N, int W>
CHASLES_INLINE void start_rows(const EliminationPass& e, const EliminationWork<Sp>& work,
                               const ConstraintRows& block, int link) {
  using S = typename Sp::S;
  const int n = N > 0 ? N : combinations(e, block), width = lanes<W>(block.width);
  const double* C = e.L + block.C;
  double* y = e.g + block.lane;
  if (N == 0 && block.U >= 0) combine<false>(e, block, y);
  for (int r = 0; r < n; ++r) {
    for (int k = 0; k < r; ++k) y[r] -= C[k * width + r] * y[k];
    y[r] *= e.inverse[block.lane + r];
  }
  if (block.K >= 0) {
    Six<Sp>& p = work.links[link].p;
    for (int r = 0; r < n; ++r) {
      const Six<Sp>& Y = work.Y[block.first + r];
      p.w -= S(y[r]) * Y.w, p.v -= S(y[r]) * Y.v;
    }
  }
  for (const CoupledRows* other = e.others + block.others; other != e.others + block.others_end;
       ++other) {
    const ConstraintRows& rows = e.blocks[other->block];
    const int wide = lanes<W>(rows.width);
    for (int lane = 0; lane < wide; lane += lanes_of_rows) {
      Four g = get(e.g + rows.lane + lane);
      each<N>(n, [&](int s) { g -= get(e.L + other->X + s * wide + lane) * Four(y[s]); });
      put(e.g + rows.lane + lane, g);
    }
  }
}
/// (8).
template <class Sp, int N, int W>
CHASLES_INLINE void end_rows(const EliminationPass& e, const EliminationWork<Sp>& work,
                             const ConstraintRows& block, int link) {
  const int n = N > 0 ? N : combinations(e, block), width = lanes<W>(block.width);
  const double* C = e.L + block.C;
  double* lambda = e.lambda + block.lane;
  for (int s = 0; s < n; ++s) {
    double x = -e.g[block.lane + s];
    if (block.K >= 0) {
      const Six<Sp>&Y = work.Y[block.first + s], &a = work.links[link].a;
      x += number(Sp::dot(Y.w, a.w, Y.v, a.v));
    }
    Four sum(0.0);
    for (const CoupledRows* other = e.others + block.others; other != e.others + block.others_end;
         ++other) {
      const ConstraintRows& rows = e.blocks[other->block];
      const int wide = lanes<W>(rows.width);
      for (int lane = 0; lane < wide; lane += lanes_of_rows)
        sum += get(e.L + other->X + s * wide + lane) * get(e.lambda + rows.lane + lane);
    }
    lambda[s] = block.others == block.others_end ? x : x - sum_of(sum);
  }
  for (int s = n - 1; s >= 0; --s) {
    for (int k = s + 1; k < n; ++k) lambda[s] -= C[s * width + k] * lambda[k];
    lambda[s] *= e.inverse[block.lane + s];
    if (N > 0 || block.U < 0) e.out[block.first + s] = lambda[s];
  }
  if (N > 0 || block.U < 0) return;
  for (int s = n; s < block.width; ++s) lambda[s] = 0;
  combine<true>(e, block, lambda);
  for (int s = 0; s < block.rows; ++s) e.out[block.first + s] = lambda[s];
}
template <class Sp, int W>
CHASLES_INLINE void start_rows_at(const EliminationPass& e, const EliminationWork<Sp>& work,
                                  int link) {
  for (int b = e.at[link].blocks; b < e.at[link].blocks_end; ++b)
    with_constant<W>(constant_rows(e.blocks[b]), [&](auto n) {
      start_rows<Sp, decltype(n)::value, W>(e, work, e.blocks[b], link);
    });
}
template <class Sp, int W>
CHASLES_INLINE void end_rows_at(const EliminationPass& e, const EliminationWork<Sp>& work,
                                int link) {
  for (int b = e.at[link].blocks_end; b-- > e.at[link].blocks;)
    with_constant<W>(constant_rows(e.blocks[b]), [&](auto n) {
      end_rows<Sp, decltype(n)::value, W>(e, work, e.blocks[b], link);
    });
}

/// u of (3) and what it does to p and g.
template <class Sp, int N, int W>
CHASLES_INLINE void sweep_in(const EliminationPass& e, const EliminationWork<Sp>& work, int i) {
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = N > 0 ? N : link.nv;
  EliminatedLink<Sp>& at = work.links[i];
  EliminatedScrew<Sp>* screws = work.screws + link.v;
  Six<Sp> p = at.p;
  double u[6];
  for (int k = 0; k < n; ++k)
    u[k] = screws[k].u = e.b[link.v + k] - number(Sp::dot(p.w, screws[k].X.w, p.v, screws[k].X.v));
  for (int j = e.at[i].passages; j < e.at[i + 1].passages; ++j) {
    const Passage& passage = e.passages[j];
    const ConstraintRows& rows = e.blocks[passage.block];
    for (int lane = 0; lane < rows.width; lane += lanes_of_rows) {
      Four g = get(e.g + rows.lane + lane);
      for (int k = 0; k < n; ++k) g -= get(e.kD + passage.k + k * rows.width + lane) * Four(u[k]);
      put(e.g + rows.lane + lane, g);
    }
  }
  if (link.parent < 0) return;
  for (int k = 0; k < n; ++k) p.w += S(u[k]) * screws[k].G.w, p.v += S(u[k]) * screws[k].G.v;
  Six<Sp>& to = work.links[link.parent].p;
  to.w += Sp::plus_cross(p.w, at.d, p.v), to.v += p.v;
}
/// (4).
template <class Sp, int N, int W>
CHASLES_INLINE void sweep_out(const EliminationPass& e, const EliminationWork<Sp>& work, int i) {
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = N > 0 ? N : link.nv;
  EliminatedLink<Sp>& at = work.links[i];
  EliminatedScrew<Sp>* screws = work.screws + link.v;
  const auto zero = Sp::vec(S(0), S(0), S(0));
  Six<Sp> a{zero, zero};
  double x[6];
  for (int k = 0; k < n; ++k) {
    x[k] = screws[k].u;
    for (int l = 0; l < k; ++l) x[k] -= screws[k].factor[l] * x[l];
  }
  for (int k = 0; k < n; ++k) x[k] *= screws[k].inverse;
  for (int k = n - 2; k >= 0; --k)
    for (int l = k + 1; l < n; ++l) x[k] -= screws[l].factor[k] * x[l];
  if (link.parent >= 0) {
    const Six<Sp>& a_p = work.links[link.parent].a;
    a.w = a_p.w, a.v = Sp::plus_cross(a_p.v, a_p.w, at.d);
    for (int k = 0; k < n; ++k) x[k] -= number(Sp::dot(screws[k].G.w, a.w, screws[k].G.v, a.v));
  }
  if (e.at[i].passages < e.at[i + 1].passages) {
    Four sum[6];
    each<N>(n, [&](int k) { sum[k] = Four(0.0); });
    for (int j = e.at[i].passages; j < e.at[i + 1].passages; ++j) {
      const Passage& passage = e.passages[j];
      const ConstraintRows& rows = e.blocks[passage.block];
      const int width = lanes<W>(rows.width);
      for (int lane = 0; lane < width; lane += lanes_of_rows) {
        const Four y = get(e.lambda + rows.lane + lane);
        each<N>(n, [&](int k) { sum[k] += get(e.kD + passage.k + k * width + lane) * y; });
      }
    }
    each<N>(n, [&](int k) { x[k] -= sum_of(sum[k]); });
  }
  for (int k = 0; k < n; ++k) {
    a.w += S(x[k]) * screws[k].X.w, a.v += S(x[k]) * screws[k].X.v;
    e.x[link.v + k] = x[k];
  }
  at.a = a;
}

// The steps of all runs are compiled once, so that factors have the same bits whoever asks for them.

/// Inward over the links: factors, or u of all joints with the p that is there, or both.
template <class Sp, int W>
__attribute__((noinline)) CHASLES_FLATTEN int all_in(const EliminationPass& e,
                                                     const EliminationWork<Sp>& work, bool factors,
                                                     bool sides) {
  if (sides)
    for (const ConstraintRows* rows = e.blocks; rows != e.blocks + e.blocks_count; ++rows)
      for (int r = 0; r < rows->rows; ++r) e.g[rows->lane + r] = e.c[rows->first + r];
  const int count = static_cast<int>(e.tree->links.size());
  for (int i = count; i >= 0; --i) {
    const int at = i == 0 ? count : i - 1;  // ground comes last
    if (factors) eliminate_rows_at<Sp, W>(e, work, at);
    if (sides) start_rows_at<Sp, W>(e, work, at);
    if (i == 0) break;
    if (factors)
      if (const int failed = eliminate_joint<Sp, W>(e, work, at); failed >= 0) return failed;
    if (!sides) continue;
    const int nv = e.tree->links[static_cast<std::size_t>(at)].nv;
    if (nv == 1)
      sweep_in<Sp, 1, W>(e, work, at);
    else if (nv == 6)
      sweep_in<Sp, 6, W>(e, work, at);
    else
      sweep_in<Sp, 0, W>(e, work, at);
  }
  return -1;
}
template <class Sp, int W>
__attribute__((noinline)) CHASLES_FLATTEN void all_out(const EliminationPass& e,
                                                       const EliminationWork<Sp>& work) {
  const int count = static_cast<int>(e.tree->links.size());
  end_rows_at<Sp, W>(e, work, count);
  for (int i = 0; i < count; ++i) {
    const int nv = e.tree->links[static_cast<std::size_t>(i)].nv;
    if (nv == 1)
      sweep_out<Sp, 1, W>(e, work, i);
    else if (nv == 6)
      sweep_out<Sp, 6, W>(e, work, i);
    else
      sweep_out<Sp, 0, W>(e, work, i);
    end_rows_at<Sp, W>(e, work, i);
  }
}

template <class Sp, int W>
__attribute__((noinline)) CHASLES_FLATTEN void take_all(const EliminationPass& e,
                                                        const EliminationWork<Sp>& work) {
  take_links<Sp>(e, work);
  take_ends<W>(e);
  *e.least = 1;
}

template <class Sp, int W>
int run_elimination(const EliminationPass& e) {
  const EliminationWork<Sp> work(e.work, *e.tree);
  take_all<Sp, W>(e, work);
  return all_in<Sp, W>(e, work, true, false);
}
template <class Sp, int W>
void run_solve(const EliminationPass& e) {
  using S = typename Sp::S;
  const EliminationWork<Sp> work(e.work, *e.tree);
  const auto zero = Sp::vec(S(0), S(0), S(0));
  for (std::size_t i = 0; i < e.tree->links.size(); ++i) work.links[i].p = {zero, zero};
  all_in<Sp, W>(e, work, false, true);
  all_out<Sp, W>(e, work);
}
template <class Sp, int W>
void run_accelerate(const EliminationPass& e) {
  const EliminationWork<Sp> work(e.work, *e.tree);
  take_bias<Sp>(e, work);
  all_in<Sp, W>(e, work, false, true);
  all_out<Sp, W>(e, work);
}
template <class Sp, int W>
int run_accelerate_anew(const EliminationPass& e) {
  const EliminationWork<Sp> work(e.work, *e.tree);
  take_all<Sp, W>(e, work);
  take_bias<Sp>(e, work);
  const int failed = all_in<Sp, W>(e, work, true, true);
  if (failed < 0) all_out<Sp, W>(e, work);
  return failed;
}

template <class Sp, int W>
constexpr EliminationKernels::Run elimination_run{
    run_elimination<Sp, W>, run_solve<Sp, W>, run_accelerate<Sp, W>, run_accelerate_anew<Sp, W>};
template <class Sp>
constexpr EliminationKernels elimination_table{
    [](const Tree<double>& tree, int rows) { return EliminationWork<Sp>::bytes(tree, rows); },
    elimination_run<Sp, 4>, elimination_run<Sp, 0>};
