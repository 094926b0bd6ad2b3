// Included by isa/*_kkt.cpp. Solves with the factors of kkt_factorization.inl and kkt_rows.inl: (4), (5),
// (7), (8) of constraints/kkt_factorization.hpp for right-hand sides.
#pragma once

#include "kernels/constraints/kkt_rows.inl"

/// Bias wrenches of the links: velocity terms and weight, minus applied wrenches.
template <class Sp>
__attribute__((noinline)) CHASLES_FLATTEN void take_motion(const KktPass& e,
                                                           const KktWork<Sp>& work) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const Pass<double> pass = e;  // local copy: stores cannot alias it
  const auto* links = pass.tree->links.data();
  const int count = static_cast<int>(pass.tree->links.size());
  const Vec zero = Sp::vec(S(0), S(0), S(0)), ground = -Sp::constant(pass.tree->gravity);
  Vec w = zero, v = zero, al = zero, a = ground;
  typename Sp::Mat O{zero, zero, zero};
  work.motions[count].w = work.motions[count].v = work.motions[count].al = zero;
  work.motions[count].a = ground;
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    EliminatedLink<Sp>& at = work.links[i];
    if (link.parent < 0) {
      w = v = al = zero, a = ground;
    } else {
      if (link.parent != i - 1) {
        const EliminatedMotion<Sp>& p = work.motions[link.parent];
        w = p.w, v = p.v, al = p.al, a = p.a, O = p.O;
      }
      a = Sp::plus_times(a, O, at.d);
      v = Sp::plus_cross(v, w, at.d);
    }
    if (one_screw(link.motion)) {
      const Vec u = Sp::load(pass.v, link.v) * at.R.c2, turn = cross(w, u);
      if (link.motion != LinkMotion::revolute) {
        const S h = link.motion == LinkMotion::prismatic ? S(1) : S(link.pitch());
        v += h * u, a += h * (turn + turn);
      }
      if (link.motion != LinkMotion::prismatic) w += u, al += turn;
    } else {
      const GroupScrews<Sp> X(pass, link);
      const Six<Sp> b = X.twist(pass.v);
      Six<Sp> bd{zero, zero};
      X.add_rate(bd);
      const Six<Sp> u{at.R * b.w, at.R * b.v};
      a += cross(w + w + u.w, u.v) + at.R * bd.v;
      al += cross(w, u.w) + at.R * bd.w;
      w += u.w;
      v += u.v;
    }
    O = Sp::omega(w, al);
    at.p.v = Sp::plus_times(S(link.mass()) * a, O, at.c);
    at.p.w = Sp::moment(at.c, a, O, Sp::turning(at.I, S(link.trace())), w, al);
    EliminatedMotion<Sp>& out = work.motions[i];
    out.w = w, out.v = v, out.al = al, out.a = a;
    if (link.branches) out.O = O;
  }
  for (const WrenchOnLink* on = e.applied; on != e.applied + e.applied_count; ++on) {
    Six<Sp>& p = work.links[on->link].p;
    p.w -= Sp::load_vec(on->W, 0), p.v -= Sp::load_vec(on->W, 3);
  }
}
/// The right-hand side -(dB/dt) v of loops whose wrenches are fixed in `to`, (4) of cut_joint.hpp. With V,
/// V_p and A, A_p the twists and accelerations of the links of `to` and `from` at the origin of `to`,
///
///     rate = (A.w - A_p.w - V.w x V_rel.w;  A.v - A_p.v - (V.w + V_p.w) x V_rel.v),    V_rel = V - V_p
template <class Sp, int W>
__attribute__((noinline)) CHASLES_FLATTEN void take_rates(const KktPass& e,
                                                          const KktWork<Sp>& work) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  for (int l = 0; l < e.loops_count; ++l) {
    const LoopRows& loop = e.loops[l];
    if (loop.given) continue;
    const EliminatedMotion<Sp>&to = work.motions[loop.links[0]],
          &from = work.motions[loop.links[1]];
    const auto p = work.points[l], d = p - work.links[loop.links[0]].r,
               d_p = p - work.links[loop.links[1]].r;
    const auto wd = cross(to.w, d), wd_p = cross(from.w, d_p);
    const auto V_rel = (to.v + wd) - (from.v + wd_p);
    const Six<Sp> rate{Sp::plus_cross(to.al - from.al, to.w, from.w),
                       ((to.a + Sp::two_crosses(to.al, d, to.w, wd)) -
                        (from.a + Sp::two_crosses(from.al, d_p, from.w, wd_p))) -
                           cross(to.w + from.w, V_rel)};
    const double* x = numbers(rate);
    const ConstraintRows& rows = e.blocks[loop.block];
    const int width = lanes<W>(rows.width);
    for (int lane = 0; lane < width; lane += Rows::lanes) {
      const double* world = e.turned + loop.W + lane;
      R sum(0.0);
      each<3>(3, [&](int a) {
        sum -= get<R>(world + (3 + a) * width) * R(x[second<Sp> + a]);
        if (!loop.forces) sum -= get<R>(world + a * width) * R(x[a]);
      });
      put(e.g + rows.lane + lane, sum);
    }
  }
}

/// The right-hand side of (7); y of (6) overwrites g.
template <class Sp, int N, int W>
CHASLES_INLINE void start_rows(const KktPass& e, const KktWork<Sp>& work,
                               const ConstraintRows& block, Six<Sp>& p) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  using S = typename Sp::S;
  const int n = N > 0 ? N : block.rows, width = lanes<W>(block.width);
  const double* C = e.L + block.C;
  double* y = e.g + block.lane;
  if (block.Z >= 0) leave_out<W>(e.Z + block.Z, n - e.ranks[&block - e.blocks], width, y);
  for (int r = 0; r < n; ++r) {
    for (int k = 0; k < r; ++k) y[r] -= C[k * width + r] * y[k];
    y[r] *= e.inverse[block.lane + r];
  }
  if (block.K >= 0) {
    for (int r = 0; r < n; ++r) {
      const Six<Sp>& Y = work.Y[block.first + r];
      p.w -= S(y[r]) * Y.w, p.v -= S(y[r]) * Y.v;
    }
  }
  for (const CoupledRows* other = e.others + block.others; other != e.others + block.others_end;
       ++other) {
    const ConstraintRows& rows = e.blocks[other->block];
    const int wide = lanes<W>(rows.width);
    for (int lane = 0; lane < wide; lane += Rows::lanes) {
      R g = get<R>(e.g + rows.lane + lane);
      each<N>(n, [&](int s) { g -= get<R>(e.L + other->X + s * wide + lane) * R(y[s]); });
      put(e.g + rows.lane + lane, g);
    }
  }
}
/// (8).
template <class Sp, int N, int W>
CHASLES_INLINE void end_rows(const KktPass& e, const KktWork<Sp>& work, const ConstraintRows& block,
                             int link) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  const int n = N > 0 ? N : block.rows, width = lanes<W>(block.width);
  const double *C = e.L + block.C, *inverse = e.inverse + block.lane;
  double* lambda = e.lambda + block.lane;
  for (int s = 0; s < n; ++s) lambda[s] = -e.g[block.lane + s];
  if (block.K >= 0)
    for (int s = 0; s < n; ++s) {
      const Six<Sp>&Y = work.Y[block.first + s], &a = work.links[link].a;
      lambda[s] += number(Sp::dot(Y.w, a.w, Y.v, a.v));
    }
  // Four equations at a time: their sums over the coupled blocks.
  for (int first = 0; first < n && block.others < block.others_end; first += lanes_of_rows) {
    const int count = n - first < lanes_of_rows ? n - first : lanes_of_rows;
    R sum[lanes_of_rows] = {R(0.0), R(0.0), R(0.0), R(0.0)};
    for (const CoupledRows* other = e.others + block.others; other != e.others + block.others_end;
         ++other) {
      const ConstraintRows& rows = e.blocks[other->block];
      const int wide = lanes<W>(rows.width);
      for (int lane = 0; lane < wide; lane += Rows::lanes) {
        const double* X = e.L + other->X + first * wide + lane;
        const R y = get<R>(e.lambda + rows.lane + lane);
        each<(N > 0 && N <= lanes_of_rows ? N : 0)>(
            count, [&](int s) { sum[s] += get<R>(X + s * wide) * y; });
      }
    }
    for (int s = 0; s < count; ++s) lambda[first + s] -= sum_of(sum[s]);
  }
  for (int s = n - 1; s >= 0; --s) {
    double x = lambda[s];
    for (int k = s + 1; k < n; ++k) x -= C[s * width + k] * lambda[k];
    lambda[s] = x * inverse[s];
  }
  for (int s = 0; s < n; ++s) e.multipliers[block.first + s] = lambda[s];
}
template <class Sp, int W>
CHASLES_INLINE void start_rows_at(const KktPass& e, const KktWork<Sp>& work, int link, Six<Sp>& p) {
  for (int b = e.at[link].blocks; b < e.at[link].blocks_end; ++b)
    with_constant<W>(e.blocks[b].rows, [&](auto n) {
      start_rows<Sp, decltype(n)::value, W>(e, work, e.blocks[b], p);
    });
}
template <class Sp, int W>
CHASLES_INLINE void end_rows_at(const KktPass& e, const KktWork<Sp>& work, int link) {
  for (int b = e.at[link].blocks_end; b-- > e.at[link].blocks;)
    with_constant<W>(e.blocks[b].rows, [&](auto n) {
      end_rows<Sp, decltype(n)::value, W>(e, work, e.blocks[b], link);
    });
}

/// For a joint with one screw: the component of a wrench along the screw; and adding x times the screw to a
/// twist.
template <class Sp>
CHASLES_INLINE double along(const LinkConstants<double>& link, const typename Sp::Vec& z,
                            const Six<Sp>& p) {
  if (link.motion == LinkMotion::revolute) return number(dot(z, p.w));
  if (link.motion == LinkMotion::prismatic) return number(dot(z, p.v));
  return number(dot(z, p.w + typename Sp::S(link.pitch()) * p.v));
}
template <class Sp>
CHASLES_INLINE void step(const LinkConstants<double>& link, const typename Sp::Vec& z, double x,
                         Six<Sp>& a) {
  const auto way = typename Sp::S(x) * z;
  if (link.motion != LinkMotion::prismatic) a.w += way;
  if (link.motion == LinkMotion::prismatic) a.v += way;
  if (link.motion == LinkMotion::helical) a.v += typename Sp::S(link.pitch()) * way;
}
/// u of (3) and its contributions to p and g.
template <class Sp, int N, int W>
CHASLES_INLINE void sweep_in(const KktPass& e, const KktWork<Sp>& work, int i, Six<Sp>& p) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = N > 0 ? N : link.nv;
  EliminatedLink<Sp>& at = work.links[i];
  EliminatedScrew<Sp>* screws = work.screws + link.v;
  double u[6];
  if constexpr (N == 1) {
    u[0] = at.u = e.force[link.v] - along<Sp>(link, at.R.c2, p);
  } else {
    for (int k = 0; k < n; ++k)
      u[k] = screws[k].u =
          e.force[link.v + k] - number(Sp::dot(p.w, screws[k].X.w, p.v, screws[k].X.v));
  }
  const Passage* end = e.passages + e.at[i + 1].passages;
  for (const Passage* passage = e.passages + e.at[i].passages; passage != end; ++passage) {
    const int width = lanes<W>(passage->width);
    for (int lane = 0; lane < width; lane += Rows::lanes) {
      const double* kD = e.kD + passage->k + lane;
      double* to = e.g + passage->lane + lane;
      R g = get<R>(to);
      each<N>(n, [&](int k) { g -= get<R>(kD + k * width) * R(u[k]); });
      put(to, g);
    }
  }
  if (link.parent < 0) return;
  for (int k = 0; k < n; ++k) {
    const Six<Sp>& G = N == 1 ? at.G : screws[k].G;
    p.w += S(u[k]) * G.w, p.v += S(u[k]) * G.v;
  }
  p.w = Sp::plus_cross(p.w, at.d, p.v);
}
/// (4): the acceleration of the link from the acceleration a of its parent.
template <class Sp, int N, int W>
CHASLES_INLINE void sweep_out(const KktPass& e, const KktWork<Sp>& work, int i, Six<Sp>& a) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = N > 0 ? N : link.nv;
  const EliminatedLink<Sp>& at = work.links[i];
  const EliminatedScrew<Sp>* screws = work.screws + link.v;
  double x[6];
  if constexpr (N == 1) {
    x[0] = at.u * at.inverse;
  } else {
    for (int k = 0; k < n; ++k) {
      x[k] = screws[k].u;
      for (int l = 0; l < k; ++l) x[k] -= screws[k].factor[l] * x[l];
    }
    for (int k = 0; k < n; ++k) x[k] *= screws[k].inverse;
    for (int k = n - 2; k >= 0; --k)
      for (int l = k + 1; l < n; ++l) x[k] -= screws[l].factor[k] * x[l];
  }
  if (link.parent >= 0) {
    a.v = Sp::plus_cross(a.v, a.w, at.d);
    for (int k = 0; k < n; ++k) {
      const Six<Sp>& G = N == 1 ? at.G : screws[k].G;
      x[k] -= number(Sp::dot(G.w, a.w, G.v, a.v));
    }
  }
  const Passage *begin = e.passages + e.at[i].passages, *end = e.passages + e.at[i + 1].passages;
  if (begin != end) {
    R sum[6];
    each<N>(n, [&](int k) { sum[k] = R(0.0); });
    for (const Passage* passage = begin; passage != end; ++passage) {
      const int width = lanes<W>(passage->width);
      for (int lane = 0; lane < width; lane += Rows::lanes) {
        const double* kD = e.kD + passage->k + lane;
        const R y = get<R>(e.lambda + passage->lane + lane);
        each<N>(n, [&](int k) { sum[k] += get<R>(kD + k * width) * y; });
      }
    }
    each<N>(n, [&](int k) { x[k] -= sum_of(sum[k]); });
  }
  for (int k = 0; k < n; ++k) {
    e.out[link.v + k] = x[k];
    if constexpr (N == 1)
      step<Sp>(link, at.R.c2, x[k], a);
    else
      a.w += S(x[k]) * screws[k].X.w, a.v += S(x[k]) * screws[k].X.v;
  }
}

// These passes are compiled once for all runs, so that results are bitwise equal for every caller.

/// Inward pass over the links: factors, or u of all joints for the current p, or both.
template <class Sp, int W>
__attribute__((noinline)) CHASLES_FLATTEN int all_in(const KktPass& e, const KktWork<Sp>& work,
                                                     bool factors, bool sides) {
  using S = typename Sp::S;
  const auto* links = e.tree->links.data();
  const int count = static_cast<int>(e.tree->links.size());
  const auto zero = Sp::vec(S(0), S(0), S(0));
  typename Sp::Block A = Sp::scalar(S(0)), C = A;
  typename Sp::Mat G{zero, zero, zero};
  Six<Sp> p{zero, zero};
  double far = 0;
  for (const int k : e.tree->displaced) far += number(dot(work.links[k].d, work.links[k].d));
  far *= 2 * static_cast<double>(e.tree->displaced.size());
  for (int i = count - 1; i >= 0; --i) {
    const auto& link = links[i];
    const EliminatedLink<Sp>& at = work.links[i];
    if (!(i + 1 < count && links[i + 1].parent == i)) {
      A = C = Sp::scalar(S(0));
      G.c0 = G.c1 = G.c2 = zero;
      p.w = p.v = zero;
    }
    const bool meet = e.at[i].blocks < e.at[i].blocks_end;
    if (factors) {
      G = Sp::minus_hat(G, at.c);
      C = Sp::plus_scalar(C, S(link.mass()));
      if (link.branches) {
        const Articulated<Sp>& extra = work.extra[i];
        A = A + extra.A, G = G + extra.G, C = C + extra.C;
      }
      if (meet) {
        Articulated<Sp> P{A, G, C};
        eliminate_rows_at<Sp, W>(e, work, i, &P);
        A = P.A, G = P.G, C = P.C;
      }
      if (one_screw(link.motion)) {
        if (!eliminate_screw<Sp, W>(e, work, far, i, A, G, C)) return link.v;
      } else {
        Articulated<Sp> P{A + Sp::block(at.I), G, C};
        const int failed = link.nv == 3   ? eliminate_screws<Sp, 3, W>(e, work, far, i, P)
                           : link.nv == 6 ? eliminate_screws<Sp, 6, W>(e, work, far, i, P)
                                          : eliminate_screws<Sp, 0, W>(e, work, far, i, P);
        if (failed >= 0) return failed;
        A = P.A, G = P.G, C = P.C;
      }
    }
    if (sides) {
      p.w += at.p.w, p.v += at.p.v;
      if (meet) start_rows_at<Sp, W>(e, work, i, p);
      if (one_screw(link.motion))
        sweep_in<Sp, 1, W>(e, work, i, p);
      else if (link.nv == 6)
        sweep_in<Sp, 6, W>(e, work, i, p);
      else
        sweep_in<Sp, 0, W>(e, work, i, p);
    }
    if (link.parent < 0) continue;
    if (factors) shift<Sp>(A, G, C, at.d);
    if (link.parent == i - 1) continue;
    if (sides) {
      Six<Sp>& to = work.links[link.parent].p;
      to.w += p.w, to.v += p.v;
    }
    if (!factors) continue;
    Articulated<Sp>& extra = work.extra[link.parent];
    if (link.last)
      extra.A = A, extra.G = G, extra.C = C;
    else
      extra.A = extra.A + A, extra.G = extra.G + G, extra.C = extra.C + C;
  }
  if (factors) eliminate_rows_at<Sp, W>(e, work, count, nullptr);  // ground is last
  if (sides) start_rows_at<Sp, W>(e, work, count, p);
  return -1;
}
template <class Sp, int W>
__attribute__((noinline)) CHASLES_FLATTEN void all_out(const KktPass& e, const KktWork<Sp>& work) {
  using S = typename Sp::S;
  const auto* links = e.tree->links.data();
  const int count = static_cast<int>(e.tree->links.size());
  const auto zero = Sp::vec(S(0), S(0), S(0));
  Six<Sp> a{zero, zero};
  end_rows_at<Sp, W>(e, work, count);
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    if (link.parent < 0)
      a.w = a.v = zero;
    else if (link.parent != i - 1)
      a.w = work.links[link.parent].a.w, a.v = work.links[link.parent].a.v;
    if (one_screw(link.motion))
      sweep_out<Sp, 1, W>(e, work, i, a);
    else if (link.nv == 6)
      sweep_out<Sp, 6, W>(e, work, i, a);
    else
      sweep_out<Sp, 0, W>(e, work, i, a);
    work.links[i].a.w = a.w, work.links[i].a.v = a.v;
    if (e.at[i].blocks < e.at[i].blocks_end) end_rows_at<Sp, W>(e, work, i);
  }
}

template <class Sp, int W>
int run_kkt(const KktPass& e, bool factors, bool sides, bool moving) {
  using S = typename Sp::S;
  const KktWork<Sp> work(e);
  if (factors) {
    take_frames<Sp>(e, work);
    take_ends<Sp, W>(e, work);
    *e.least = 1;
  }
  if (sides) {
    for (const ConstraintRows* rows = e.blocks; rows != e.blocks + e.blocks_count; ++rows)
      if (!moving || !rows->loop)
        for (int r = 0; r < rows->width; ++r)
          e.g[rows->lane + r] =
              r >= rows->rows || (moving && rows->still) ? 0 : e.c[rows->first + r];
    if (moving) {
      take_motion<Sp>(e, work);
      take_rates<Sp, W>(e, work);
    } else {
      const auto zero = Sp::vec(S(0), S(0), S(0));
      for (std::size_t i = 0; i < e.tree->links.size(); ++i) work.links[i].p = {zero, zero};
    }
  }
  if (const int failed = all_in<Sp, W>(e, work, factors, sides); failed >= 0) return failed;
  if (sides) all_out<Sp, W>(e, work);
  return -1;
}

template <class Sp>
constexpr KktKernels kkt_table{[](const Tree<double>& tree, int rows, int loops) {
                                 return KktWork<Sp>::bytes(tree, rows, loops);
                               },
                               run_kkt<Sp, 4>, run_kkt<Sp, 8>, run_kkt<Sp, 0>};
