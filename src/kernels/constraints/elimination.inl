// Read by isa/*_elimination.cpp. A tree with constraints, in world axes, each link about its own origin: the
// factors of joints, (3) and (5) of constraints/elimination.hpp. What links are is held like one state in
// articulated.inl, rows of constraints four by four.
#pragma once

#include "kernels/articulated.inl"
#include "kernels/vectors/columns.inl"

using Four = Pack<double, 4>;
inline constexpr int lanes_of_rows = 4;

CHASLES_INLINE double number(double x) { return x; }
CHASLES_INLINE double number(const Pack<double, 1>& x) { return x.x; }
/// As numbers, not as bytes: then the compiler knows that a plan is not written to.
typedef double LooseFour __attribute__((vector_size(32), aligned(8)));
CHASLES_INLINE Four get(const double* p) {
  const Four::V x = *reinterpret_cast<const LooseFour*>(p);
  return Four::of(x);
}
CHASLES_INLINE void put(double* p, const Four& x) { *reinterpret_cast<LooseFour*>(p) = x.x; }
/// n as a constant; 0: any. W as below.
template <int W, class F>
CHASLES_INLINE void with_constant(int n, const F& f) {
  if (n == 1) return f(std::integral_constant<int, 1>());
  if (n == 2) return f(std::integral_constant<int, 2>());
  if (n == 3) return f(std::integral_constant<int, 3>());
  if constexpr (W == 0)
    if (n == 5) return f(std::integral_constant<int, 5>());
  return f(std::integral_constant<int, 0>());
}
/// f(0) ... f(n - 1); without a loop if n is the constant N.
template <class F, int... I>
CHASLES_INLINE void each_of(const F& f, std::integer_sequence<int, I...>) {
  (f(I), ...);
}
template <int N, class F>
CHASLES_INLINE void each(int n, const F& f) {
  if constexpr (N > 0) return each_of(f, std::make_integer_sequence<int, N>());
  for (int i = 0; i < n; ++i) f(i);
}
/// What is a constant where every constraint has at most W rows; W = 0: any.
template <int W>
CHASLES_INLINE int lanes(int width) {
  return W > 0 ? W : width;
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
};
/// The numbers of a vector; in those of a Six, where the second vector begins.
template <class T>
CHASLES_INLINE const double* numbers(const T& x) {
  return reinterpret_cast<const double*>(&x);
}
template <class Sp>
inline constexpr int second = sizeof(typename Sp::Vec) / sizeof(double);
/// Of an entry of v.
template <class Sp>
struct EliminatedScrew {
  Six<Sp> X, U, G;            // screw; column of P H; of U D^-1
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
      if (screws_turn(link.motion)) {
        const double* X = e.given + 6 * (link.v + k);
        s.X = {Sp::load_vec(X, 0), Sp::load_vec(X, 3)};
      } else {
        const auto axis = k % 3 == 0 ? R.c0 : k % 3 == 1 ? R.c1 : R.c2;
        s.X = {k < 3 ? axis : zero, k < 3 ? zero : axis};
      }
    }
  }
}
/// x is added to what is there, or is the first there.
CHASLES_INLINE void add_to(double* p, bool begins, const Four& x) {
  put(p, begins ? x : get(p) + x);
}
/// The wrenches of rows on their own links.
template <int W>
CHASLES_INLINE void take_ends(const EliminationPass& e) {
  for (const RowsOnLink* end = e.ends; end != e.ends + e.ends_count; ++end) {
    const double *C = end->pose, *here = e.pose + 12 * end->link + 9;
    const int width = lanes<W>(e.blocks[end->block].width);
    const double R[9] = {end->sign * C[0], end->sign * C[1], end->sign * C[2],
                         end->sign * C[3], end->sign * C[4], end->sign * C[5],
                         end->sign * C[6], end->sign * C[7], end->sign * C[8]};
    const double d[3] = {C[9] - here[0], C[10] - here[1], C[11] - here[2]};
    for (int lane = 0; lane < width; lane += lanes_of_rows) {
      const double* wrench = end->W + lane;
      double* K = e.K + end->K + lane;
      Four t[3], f[3];
      for (int a = 0; a < 3; ++a) {
        const auto turned = [&](int first) {
          return Four(R[a]) * get(wrench + first * width) +
                 Four(R[3 + a]) * get(wrench + (first + 1) * width) +
                 Four(R[6 + a]) * get(wrench + (first + 2) * width);
        };
        t[a] = turned(0), f[a] = turned(3);
      }
      for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        add_to(K + a * width, end->begins, t[a] + (Four(d[b]) * f[c] - Four(d[c]) * f[b]));
        add_to(K + (3 + a) * width, end->begins, f[a]);
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
template <int N, int W>
CHASLES_INLINE void couple(const EliminationPass& e, int i, int n) {
  for (int m = e.at[i].pairs; m < e.at[i + 1].pairs; ++m) {
    const PassagePair& pair = e.pairs[m];
    const double* kD = e.kD + pair.kD_i;
    const int width_i = lanes<W>(pair.width_i), width_j = lanes<W>(pair.width_j);
    for (int lane = 0; lane < width_j; lane += lanes_of_rows) {
      const double* k = e.k + pair.k_j + lane;
      double* L = e.L + pair.L + lane;
      for (int s = 0; s < pair.columns; ++s, L += width_j) {
        Four sum = pair.begins ? Four(0.0) : get(L);
        each<N>(n, [&](int c) { sum += get(k + c * width_j) * Four(kD[c * width_i + s]); });
        put(L, sum);
      }
    }
  }
}
/// K and k of (3) and (5), for a joint whose screws and factors are known.
template <class Sp, int N, int W>
CHASLES_INLINE void pass_rows(const EliminationPass& e, const EliminationWork<Sp>& work, int i) {
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = link.nv;
  const EliminatedScrew<Sp>* screws = work.screws + link.v;
  const double* d = numbers(work.links[i].d);
  constexpr int v = second<Sp>;
  for (int p = e.at[i].passages; p < e.at[i + 1].passages; ++p) {
    const Passage& passage = e.passages[p];
    const ConstraintRows& rows = e.blocks[passage.block];
    const int width = lanes<W>(rows.width);
    for (int lane = 0; lane < width; lane += lanes_of_rows) {
      const double* K = e.K + passage.K + lane;
      double *k = e.k + passage.k + lane, *kD = e.kD + passage.k + lane;
      Four F[6], y[6], along[6], alone = get(e.alone + rows.lane + lane);
      each<6>(6, [&](int a) { F[a] = get(K + a * width); });
      each<N>(n, [&](int c) {
        const double* x = numbers(screws[c].X);
        y[c] = along[c] = (F[0] * Four(x[0]) + F[1] * Four(x[1])) +
                          (F[2] * Four(x[2]) + F[3] * Four(x[v])) +
                          (F[4] * Four(x[v + 1]) + F[5] * Four(x[v + 2]));
        if (passage.entries) y[c] = along[c] = get(k + c * width) + y[c];
        put(k + c * width, y[c]);
      });
      each<N>(n, [&](int c) {
        for (int l = 0; l < c; ++l) y[c] -= Four(screws[c].factor[l]) * y[l];
      });
      each<N>(n, [&](int c) { y[c] = y[c] * Four(screws[c].inverse); });
      each<N>(n, [&](int back) {
        const int c = n - 1 - back;
        for (int l = c + 1; l < n; ++l) y[c] -= Four(screws[l].factor[c]) * y[l];
      });
      each<N>(n, [&](int c) {
        put(kD + c * width, y[c]);
        alone += along[c] * y[c];
      });
      put(e.alone + rows.lane + lane, alone);
      if (passage.onward < 0) continue;
      each<N>(n, [&](int c) {
        const double* U = numbers(screws[c].U);
        each<3>(3, [&](int a) {
          F[a] -= y[c] * Four(U[a]);
          F[3 + a] -= y[c] * Four(U[v + a]);
        });
      });
      double* to = e.K + passage.onward + lane;
      each<3>(3, [&](int a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        add_to(to + a * width, passage.begins,
               F[a] + (Four(d[b]) * F[3 + c] - Four(d[c]) * F[3 + b]));
        add_to(to + (3 + a) * width, passage.begins, F[3 + a]);
      });
    }
  }
  couple<N, W>(e, i, n);
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
template <class Sp, int W>
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
  s.U = U;
  pass_rows<Sp, 1, W>(e, work, i);
  if (link.parent < 0) return true;
  typename Sp::Block A = at.A + Sp::block(at.I), C = at.C;
  typename Sp::Mat G = at.G;
  project<Sp>(A, G, C, U, s.G);
  hand_inward<Sp>(link, work, at, A, G, C);
  return true;
}
/// The same of several; returns the first that is singular, or -1.
template <class Sp, int N, int W>
__attribute__((noinline)) CHASLES_FLATTEN int eliminate_screws(const EliminationPass& e,
                                                               const EliminationWork<Sp>& work,
                                                               int i) {
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = N > 0 ? N : link.nv;
  EliminatedLink<Sp>& at = work.links[i];
  EliminatedScrew<Sp>* screws = work.screws + link.v;
  Articulated<Sp> P{at.A + Sp::block(at.I), at.G, at.C};
  Six<Sp> U[6];
  for (int k = 0; k < n; ++k) {
    U[k] = P * screws[k].X;
    screws[k].U = U[k];
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
  pass_rows<Sp, N, W>(e, work, i);
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
  for (int k = 0; k < n; ++k) screws[k].G = G[k];
  project_screws<Sp>(link.motion, n, P, U, [&](int k) -> const Six<Sp>& { return G[k]; });
  hand_inward<Sp>(link, work, at, P.A, P.G, P.C);
  return -1;
}

/// (3), (5) of a joint. Returns the entry of v whose pivot is no more than rounding, or -1.
template <class Sp, int W>
CHASLES_INLINE int eliminate_joint(const EliminationPass& e, const EliminationWork<Sp>& work,
                                   int i) {
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  if (one_screw(link.motion)) return eliminate_screw<Sp, W>(e, work, i) ? -1 : link.v;
  if (link.nv == 3) return eliminate_screws<Sp, 3, W>(e, work, i);
  if (link.nv == 6) return eliminate_screws<Sp, 6, W>(e, work, i);
  return eliminate_screws<Sp, 0, W>(e, work, i);
}
