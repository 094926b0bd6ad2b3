// Read by isa/*_elimination.cpp. Factors of a tree with constraints, in world axes, each link about its
// own origin: (3), (5), (6), (7) of constraints/elimination.hpp. What links are is held like one state in
// articulated.inl, rows of constraints four by four.
#pragma once

#include "kernels/articulated.inl"
#include "kernels/vectors/columns.inl"

using Four = Pack<double, 4>;
inline constexpr int lanes_of_rows = 4;

CHASLES_INLINE double number(double x) { return x; }
CHASLES_INLINE double number(const Pack<double, 1>& x) { return x.x; }
CHASLES_INLINE Four get(const double* p) { return Take<Four>().get(p); }
CHASLES_INLINE void put(double* p, const Four& x) { Take<Four>().put(p, x); }
/// n as a constant, of which loops are none; 0: any.
template <class F>
CHASLES_INLINE void with_constant(int n, const F& f) {
  switch (n) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 3:
      return f(std::integral_constant<int, 3>());
    case 5:
      return f(std::integral_constant<int, 5>());
    case 6:
      return f(std::integral_constant<int, 6>());
    default:
      return f(std::integral_constant<int, 0>());
  }
}

/// In world axes.
template <class Sp>
struct EliminatedLink {
  using Vec = typename Sp::Vec;
  using S = typename Sp::S;
  typename Sp::Sym I;
  Vec column, c, d, z;      // I z; first moment; origin from the parent's; axis
  typename Sp::Block A, C;  // articulated inertia; A without the link's own until its joint comes
  typename Sp::Mat G;
  Six<Sp> p, a;  // wrench and acceleration of the sweeps
  Vec moment;    // of all that it carries: first moment; J of articulated.inl
  S J;
  double way[4];  // d
};
/// Of an entry of v; numbers for rows, which take them one by one, have room for a seventh.
template <class Sp>
struct EliminatedScrew {
  Six<Sp> X, G;               // screw; column of U D^-1
  double x[8], U[8];          // screw; column of P H
  double factor[6], inverse;  // row of the factor of D; 1 / pivot
  double u;
};
template <class Sp>
struct EliminationWork {
  EliminatedLink<Sp>* links;
  EliminatedScrew<Sp>* screws;  // nv
  Six<Sp>* Y;                   // rows
  EliminationWork(char* work, const Tree<double>& tree)
      : links(reinterpret_cast<EliminatedLink<Sp>*>(work)),
        screws(reinterpret_cast<EliminatedScrew<Sp>*>(links + tree.links.size())),
        Y(reinterpret_cast<Six<Sp>*>(screws + tree.nv)) {}
  static std::size_t bytes(const Tree<double>& tree, int rows) {
    return tree.links.size() * sizeof(EliminatedLink<Sp>) +
           static_cast<std::size_t>(tree.nv) * sizeof(EliminatedScrew<Sp>) +
           static_cast<std::size_t>(rows) * sizeof(Six<Sp>);
  }
};

/// What the links are by themselves.
template <class Sp>
CHASLES_INLINE void take_links(const EliminationPass& e, const EliminationWork<Sp>& work) {
  using S = typename Sp::S;
  const auto& links = e.tree->links;
  const auto zero = Sp::vec(S(0), S(0), S(0));
  const int count = static_cast<int>(links.size());
  for (int i = 0; i < count; ++i) {
    const auto& link = links[static_cast<std::size_t>(i)];
    EliminatedLink<Sp>& to = work.links[i];
    const double* C = e.pose + 12 * i;
    const typename Sp::Mat R{Sp::load_vec(C, 0), Sp::load_vec(C, 3), Sp::load_vec(C, 6)};
    to.d = Sp::load_vec(C, 9);
    if (link.parent >= 0) to.d -= Sp::load_vec(e.pose, 12 * link.parent + 9);
    Sp::store_wide(to.way, 0, to.d);
    to.z = R.c2;
    to.I = Sp::rotated(R, link.I_diag, link.I_off, to.column);
    to.c = Sp::times(R, link.mc);
    to.A = Sp::scalar(S(0));
    to.G = Sp::minus_hat({zero, zero, zero}, to.c);
    to.C = Sp::scalar(S(link.mass()));
    to.moment = to.c, to.J = S(link.trace());
    if (one_screw(link.motion)) continue;
    for (int k = 0; k < link.nv; ++k) {
      EliminatedScrew<Sp>& s = work.screws[link.v + k];
      if (given_as_data(link.motion)) {
        const double* X = e.given + 6 * (link.v + k);
        s.X = {Sp::load_vec(X, 0), Sp::load_vec(X, 3)};
      } else {
        const auto axis = k % 3 == 0 ? R.c0 : k % 3 == 1 ? R.c1 : R.c2;
        s.X = {k < 3 ? axis : zero, k < 3 ? zero : axis};
      }
    }
  }
}
/// The wrenches of rows on their own links.
CHASLES_INLINE void take_ends(const EliminationPass& e) {
  for (const RowsOnLink* end = e.ends; end != e.ends + e.ends_count; ++end) {
    const double *C = end->pose, *here = e.pose + 12 * end->link + 9;
    const int width = e.blocks[end->block].width;
    const double R[9] = {end->sign * C[0], end->sign * C[1], end->sign * C[2],
                         end->sign * C[3], end->sign * C[4], end->sign * C[5],
                         end->sign * C[6], end->sign * C[7], end->sign * C[8]};
    const double d[3] = {C[9] - here[0], C[10] - here[1], C[11] - here[2]};
    for (int lane = 0; lane < width; lane += lanes_of_rows) {
      const double* W = end->W + lane;
      double* K = e.K + end->K + lane;
      Four t[3], f[3];
      for (int a = 0; a < 3; ++a) {
        const auto turned = [&](int first) {
          return Four(R[a]) * get(W + first * width) +
                 Four(R[3 + a]) * get(W + (first + 1) * width) +
                 Four(R[6 + a]) * get(W + (first + 2) * width);
        };
        t[a] = turned(0), f[a] = turned(3);
      }
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        put(K + a * width, get(K + a * width) + t[a] + (Four(d[b]) * f[c] - Four(d[c]) * f[b]));
        put(K + (3 + a) * width, get(K + (3 + a) * width) + f[a]);
      }
    }
  }
}

/// H^T M H of a twist H of link i and all that it carries.
template <class Sp>
__attribute__((noinline)) double diagonal_of_M(const EliminationPass& e,
                                               const EliminationWork<Sp>& work, int i, Six<Sp> H) {
  using S = typename Sp::S;
  const auto* links = e.tree->links.data();
  const int count = static_cast<int>(e.tree->links.size());
  S sum(0);
  for (int j = i; j < count && (j == i || links[j].parent >= i); ++j) {
    EliminatedLink<Sp>& at = work.links[j];
    at.a = H;
    if (j > i) at.a.v = work.links[links[j].parent].a.v + cross(H.w, at.d);
    const auto v = at.a.v;
    sum = sum +
          (dot(H.w, at.I * H.w) + S(links[j].mass()) * dot(v, v) + S(2) * dot(v, cross(H.w, at.c)));
  }
  return number(sum);
}
/// Whether the pivot D of a screw of link i is more than rounding: a bound of what it came from is
/// enough most of the time.
template <class Sp>
CHASLES_INLINE bool is_pivot(const EliminationPass& e, const EliminationWork<Sp>& work, int i,
                             const Six<Sp>& X, double D) {
  using S = typename Sp::S;
  const EliminatedLink<Sp>& at = work.links[i];
  const double m = e.tree->links[static_cast<std::size_t>(i)].carried();
  const double bound = 2 * number(at.J * S(dot(X.w, X.w))) + 2 * m * number(S(dot(X.v, X.v)));
  if (D > singular<double> * bound) [[likely]]
    return true;
  return D > singular<double> * diagonal_of_M<Sp>(e, work, i, X);
}

/// L_ji += k_j D^-1 k_i^T.
template <int N>
CHASLES_INLINE void couple(const EliminationPass& e, int i, int nv) {
  const int n = N > 0 ? N : nv;
  for (int m = e.at[i].pairs; m < e.at[i + 1].pairs; ++m) {
    const PassagePair& pair = e.pairs[m];
    const double* kD = e.kD + pair.kD_i;
    for (int lane = 0; lane < pair.width_j; lane += lanes_of_rows) {
      const double* k = e.k + pair.k_j + lane;
      double* L = e.L + pair.L + lane;
      for (int s = 0; s < pair.columns; ++s, L += pair.width_j) {
        Four sum = get(L);
        for (int c = 0; c < n; ++c)
          sum += get(k + c * pair.width_j) * Four(kD[c * pair.width_i + s]);
        put(L, sum);
      }
    }
  }
}
/// K and k of (3) and (5), for a joint whose screws and factors are known.
template <class Sp, int N>
CHASLES_INLINE void pass_rows(const EliminationPass& e, const EliminationWork<Sp>& work, int i) {
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = N > 0 ? N : link.nv;
  const EliminatedScrew<Sp>* screws = work.screws + link.v;
  const double* d = work.links[i].way;
  for (int p = e.at[i].passages; p < e.at[i + 1].passages; ++p) {
    const Passage& passage = e.passages[p];
    const ConstraintRows& rows = e.blocks[passage.block];
    const int width = rows.width;
    for (int lane = 0; lane < width; lane += lanes_of_rows) {
      const double* K = e.K + passage.K + lane;
      double *k = e.k + passage.k + lane, *kD = e.kD + passage.k + lane;
      Four F[6], y[6], alone = get(e.alone + rows.lane + lane);
      for (int a = 0; a < 6; ++a) F[a] = get(K + a * width);
      for (int c = 0; c < n; ++c) {
        const double* x = screws[c].x;
        y[c] = get(k + c * width) +
               ((F[0] * Four(x[0]) + F[1] * Four(x[1])) + (F[2] * Four(x[2]) + F[3] * Four(x[3])) +
                (F[4] * Four(x[4]) + F[5] * Four(x[5])));
        put(k + c * width, y[c]);
      }
      for (int c = 1; c < n; ++c)
        for (int l = 0; l < c; ++l) y[c] -= Four(screws[c].factor[l]) * y[l];
      for (int c = 0; c < n; ++c) y[c] = y[c] * Four(screws[c].inverse);
      for (int c = n - 2; c >= 0; --c)
        for (int l = c + 1; l < n; ++l) y[c] -= Four(screws[l].factor[c]) * y[l];
      for (int c = 0; c < n; ++c) {
        put(kD + c * width, y[c]);
        alone += get(k + c * width) * y[c];
      }
      put(e.alone + rows.lane + lane, alone);
      if (passage.onward < 0) continue;
      for (int c = 0; c < n; ++c)
        for (int a = 0; a < 6; ++a) F[a] -= y[c] * Four(screws[c].U[a]);
      double* to = e.K + passage.onward + lane;
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        put(to + a * width,
            get(to + a * width) + F[a] + (Four(d[b]) * F[3 + c] - Four(d[c]) * F[3 + b]));
        put(to + (3 + a) * width, get(to + (3 + a) * width) + F[3 + a]);
      }
    }
  }
  couple<N>(e, i, n);
}
template <class Sp>
CHASLES_INLINE void write_numbers(EliminatedScrew<Sp>& s, const Six<Sp>& U) {
  Sp::store_wide(s.x, 0, s.X.w), Sp::store_wide(s.x, 3, s.X.v);
  Sp::store_wide(s.U, 0, U.w), Sp::store_wide(s.U, 3, U.v);
}
/// What the link transmits, moved to its parent.
template <class Sp>
CHASLES_INLINE void hand_inward(const LinkConstants<double>& link, const EliminationWork<Sp>& work,
                                const EliminatedLink<Sp>& at, typename Sp::Block A,
                                typename Sp::Mat G, const typename Sp::Block& C) {
  using S = typename Sp::S;
  EliminatedLink<Sp>& to = work.links[link.parent];
  shift<Sp>(A, G, C, at.d);
  to.A = to.A + A, to.G = to.G + G, to.C = to.C + C;
  const S m(link.carried());
  to.J = to.J + (at.J + dot(at.d, at.moment + at.moment) + m * dot(at.d, at.d));
  to.moment += at.moment + m * at.d;
}

/// (3) and (5) of a joint with one screw. False if it is singular.
template <class Sp>
CHASLES_INLINE bool eliminate_screw(const EliminationPass& e, const EliminationWork<Sp>& work,
                                    int i) {
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  EliminatedLink<Sp>& at = work.links[i];
  EliminatedScrew<Sp>& s = work.screws[link.v];
  const auto z = at.z, zero = Sp::vec(S(0), S(0), S(0));
  const S h(link.pitch());
  Six<Sp> U;
  S D;
  if (link.motion == LinkMotion::slide) {
    s.X = {zero, z};
    U.w = Sp::back_times(at.G, z), U.v = at.C * z;
    D = dot(z, U.v);
  } else {
    // A is of what the link carries here: what it adds itself is known in its own axes.
    const auto Az = at.A * z;
    s.X = {z, zero};
    U.w = Az + at.column, U.v = at.G * z;
    D = dot(z, Az) + S(link.I_diag[2]);
    if (link.motion == LinkMotion::screw) {
      s.X.v = h * z;
      const auto Gz = h * Sp::back_times(at.G, z);
      U.w += Gz, U.v += h * (at.C * z);
      D = D + dot(z, Gz + h * U.v);
    }
  }
  if (!is_pivot<Sp>(e, work, i, s.X, number(D))) return false;
  const S inverse = S(1) / D;
  s.G = {inverse * U.w, inverse * U.v};
  s.inverse = number(inverse);
  write_numbers(s, U);
  pass_rows<Sp, 1>(e, work, i);
  if (link.parent < 0) return true;
  typename Sp::Block A = at.A + Sp::block(at.I), C = at.C;
  typename Sp::Mat G = at.G;
  project<Sp>(A, G, C, U, s.G);
  hand_inward<Sp>(link, work, at, A, G, C);
  return true;
}
/// The same of several; returns the first that is singular, or -1.
template <class Sp, int N>
__attribute__((noinline)) int eliminate_screws(const EliminationPass& e,
                                               const EliminationWork<Sp>& work, int i) {
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = N > 0 ? N : link.nv;
  EliminatedLink<Sp>& at = work.links[i];
  EliminatedScrew<Sp>* screws = work.screws + link.v;
  Articulated<Sp> P{at.A + Sp::block(at.I), at.G, at.C};
  Six<Sp> U[6];
  for (int k = 0; k < n; ++k) {
    U[k] = P * screws[k].X;
    write_numbers(screws[k], U[k]);
    for (int l = 0; l <= k; ++l)
      screws[k].factor[l] = number(Sp::dot(screws[l].X.w, U[k].w, screws[l].X.v, U[k].v));
  }
  for (int j = 0; j < n; ++j) {
    double scaled[6], pivot = screws[j].factor[j];
    for (int k = 0; k < j; ++k) {
      scaled[k] = screws[j].factor[k];  // L_jk D_k
      screws[j].factor[k] *= screws[k].inverse;
      pivot -= scaled[k] * screws[j].factor[k];
    }
    if (!is_pivot<Sp>(e, work, i, screws[j].X, pivot)) return link.v + j;
    screws[j].inverse = 1 / pivot;
    for (int l = j + 1; l < n; ++l)
      for (int k = 0; k < j; ++k) screws[l].factor[j] -= screws[l].factor[k] * screws[j].factor[k];
  }
  pass_rows<Sp, N>(e, work, i);
  if (link.parent < 0) return -1;
  // G = U D^-1, column by column of U^T.
  Six<Sp> G[6];
  for (int k = 0; k < n; ++k) {
    G[k] = U[k];
    for (int l = 0; l < k; ++l) {
      const S f(screws[k].factor[l]);
      G[k].w -= f * G[l].w, G[k].v -= f * G[l].v;
    }
  }
  for (int k = 0; k < n; ++k) {
    const S f(screws[k].inverse);
    G[k] = {f * G[k].w, f * G[k].v};
  }
  for (int k = n - 2; k >= 0; --k)
    for (int l = k + 1; l < n; ++l) {
      const S f(screws[l].factor[k]);
      G[k].w -= f * G[l].w, G[k].v -= f * G[l].v;
    }
  for (int k = 0; k < n; ++k) {
    screws[k].G = G[k];
    project<Sp>(P.A, P.G, P.C, U[k], G[k]);
  }
  hand_inward<Sp>(link, work, at, P.A, P.G, P.C);
  return -1;
}

/// Pivots of L below this part of what they came from are rounding: rows that depend on each other here.
inline constexpr double dependent = 1e-14, infinite = 1e200;

/// L_ii = C C^T in place, with mu times the sizes of rows on the diagonal. Rows that depend on others
/// keep a little, or are left out.
template <int N>
CHASLES_INLINE void factorize_rows(const EliminationPass& e, const ConstraintRows& block) {
  const int n = N > 0 ? N : block.rows, width = block.width;
  double* C = e.L + block.C;
  for (int j = 0; j < n; ++j) {
    const double alone = e.alone[block.lane + j];
    double &size = e.sizes[block.first + j], &best = e.best[block.first + j];
    if (!(size >= alone)) size = alone;
    for (int lane = 0; lane < width; lane += lanes_of_rows) {
      Four sum = get(C + j * width + lane);
      for (int k = 0; k < j; ++k) sum -= get(C + k * width + lane) * Four(C[k * width + j]);
      put(C + j * width + lane, sum);
    }
    double pivot = C[j * width + j] + e.mu * size;
    const double part = size > 0 ? pivot / size : 0;
    e.pivots[block.first + j] = part;
    if (!(part > dependent)) pivot = e.leave_out ? infinite : size > 0 ? dependent * size : 1;
    if (part > best) best = part;
    const double to_best = best > 0 ? part / best : 0;
    if (!(to_best >= *e.least)) *e.least = to_best;
    const double root = __builtin_sqrt(pivot), inverse = 1 / root;
    e.inverse[block.lane + j] = inverse;
    for (int lane = 0; lane < width; lane += lanes_of_rows)
      put(C + j * width + lane, get(C + j * width + lane) * Four(inverse));
    C[j * width + j] = root;
  }
}
/// (6) and (7).
template <class Sp, int N>
__attribute__((noinline)) void eliminate_rows(const EliminationPass& e,
                                              const EliminationWork<Sp>& work,
                                              const ConstraintRows& block, int link) {
  using S = typename Sp::S;
  factorize_rows<N>(e, block);
  const int n = N > 0 ? N : block.rows, width = block.width;
  const double *C = e.L + block.C, *inverse = e.inverse + block.lane;
  Six<Sp>* Y = work.Y + block.first;
  if (block.K >= 0) {
    EliminatedLink<Sp>& at = work.links[link];
    const double* K = e.K + block.K;
    for (int r = 0; r < n; ++r, ++K) {
      Six<Sp> y{Sp::vec(S(K[0]), S(K[width]), S(K[2 * width])),
                Sp::vec(S(K[3 * width]), S(K[4 * width]), S(K[5 * width]))};
      for (int k = 0; k < r; ++k) {
        const S f(C[k * width + r]);
        y.w -= f * Y[k].w, y.v -= f * Y[k].v;
      }
      const S f(inverse[r]);
      Y[r] = {f * y.w, f * y.v};
      project<Sp>(at.A, at.G, at.C, Y[r], Six<Sp>{-Y[r].w, -Y[r].v});
    }
  }
  for (const CoupledRows* other = e.others + block.others; other != e.others + block.others_end;
       ++other) {
    const int lanes = e.blocks[other->block].width;
    for (int lane = 0; lane < lanes; lane += lanes_of_rows) {
      double* X = e.L + other->X + lane;
      for (int s = 0; s < n; ++s) {
        Four x = get(X + s * lanes);
        for (int k = 0; k < s; ++k) x -= get(X + k * lanes) * Four(C[k * width + s]);
        put(X + s * lanes, x * Four(inverse[s]));
      }
      if (other->K < 0) continue;
      double* K = e.K + other->K + lane;
      for (int s = 0; s < n; ++s) {
        double y[8];
        Sp::store_wide(y, 0, Y[s].w), Sp::store_wide(y, 3, Y[s].v);
        for (int a = 0; a < 6; ++a)
          put(K + a * lanes, get(K + a * lanes) - get(X + s * lanes) * Four(y[a]));
      }
    }
  }
  for (const CoupledPair* pair = e.coupled_pairs + block.pairs;
       pair != e.coupled_pairs + block.pairs_end; ++pair) {
    const double* X_j = e.L + pair->X_j;
    for (int lane = 0; lane < pair->width_k; lane += lanes_of_rows) {
      const double* X_k = e.L + pair->X_k + lane;
      double* L = e.L + pair->L + lane;
      for (int s = 0; s < pair->columns; ++s, L += pair->width_k) {
        Four sum = get(L);
        for (int c = 0; c < n; ++c)
          sum -= get(X_k + c * pair->width_k) * Four(X_j[c * pair->width_j + s]);
        put(L, sum);
      }
    }
  }
}
template <class Sp>
CHASLES_INLINE void eliminate_rows_at(const EliminationPass& e, const EliminationWork<Sp>& work,
                                      int link) {
  for (int b = e.at[link].blocks; b < e.at[link].blocks_end; ++b)
    with_constant(e.blocks[b].rows, [&](auto n) {
      eliminate_rows<Sp, decltype(n)::value>(e, work, e.blocks[b], link);
    });
}

template <class Sp>
int run_elimination(const EliminationPass& e) {
  const EliminationWork<Sp> work(e.work, *e.tree);
  take_links<Sp>(e, work);
  take_ends(e);
  *e.least = 1;
  const int count = static_cast<int>(e.tree->links.size());
  for (int i = count - 1; i >= 0; --i) {
    const auto& link = e.tree->links[static_cast<std::size_t>(i)];
    eliminate_rows_at<Sp>(e, work, i);
    if (one_screw(link.motion)) {
      if (!eliminate_screw<Sp>(e, work, i)) return link.v;
    } else {
      const int failed = link.nv == 3   ? eliminate_screws<Sp, 3>(e, work, i)
                         : link.nv == 6 ? eliminate_screws<Sp, 6>(e, work, i)
                                        : eliminate_screws<Sp, 0>(e, work, i);
      if (failed >= 0) return failed;
    }
  }
  eliminate_rows_at<Sp>(e, work, count);
  return -1;
}
