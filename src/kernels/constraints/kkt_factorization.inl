// Included by isa/*_kkt.cpp. A tree with constraints, in world axes, each link about its own origin: the
// factors of joints, (3) and (5) of constraints/kkt_factorization.hpp. Links are stored as for one state in
// articulated.inl, constraint equations in lanes, four at a time.
#pragma once

#include "kernels/articulated.inl"
#include "kernels/vectors/columns.inl"

using Four = Pack<double, 4>;
inline constexpr int lanes_of_rows = 4;

CHASLES_INLINE double number(double x) { return x; }
CHASLES_INLINE double number(const Pack<double, 1>& x) { return x.x; }
/// Two registers: all equations of a constraint with 5 to 8, so that shared factors are loaded once.
struct Eight {
  Four a, b;
  CHASLES_INLINE Eight(double x) : a(x), b(a) {}
  CHASLES_INLINE Eight(const Four& x, const Four& y) : a(x), b(y) {}
  Eight() = default;
  friend CHASLES_INLINE Eight operator+(const Eight& x, const Eight& y) {
    return {x.a + y.a, x.b + y.b};
  }
  friend CHASLES_INLINE Eight operator-(const Eight& x, const Eight& y) {
    return {x.a - y.a, x.b - y.b};
  }
  friend CHASLES_INLINE Eight operator-(const Eight& x) { return {-x.a, -x.b}; }
  friend CHASLES_INLINE Eight operator*(const Eight& x, const Eight& y) {
    return {x.a * y.a, x.b * y.b};
  }
  CHASLES_INLINE Eight& operator+=(const Eight& y) { return a += y.a, b += y.b, *this; }
  CHASLES_INLINE Eight& operator-=(const Eight& y) { return a -= y.a, b -= y.b, *this; }
};
/// Equations in lanes, W for every constraint; W = 0: any multiple of four, four at a time.
template <int W>
struct RowsInLanes {
  using Type = Four;
  static constexpr int lanes = 4;
};
template <>
struct RowsInLanes<8> {
  using Type = Eight;
  static constexpr int lanes = 8;
};
/// A type based on double, not char: the compiler may then assume that stores do not change the layout
/// tables.
typedef double LooseFour __attribute__((vector_size(32), aligned(8)));
template <class R = Four>
CHASLES_INLINE R get(const double* p) {
  if constexpr (sizeof(R) == sizeof(Eight)) {
    return {get<Four>(p), get<Four>(p + 4)};
  } else {
    const Four::V x = *reinterpret_cast<const LooseFour*>(p);
    return Four::of(x);
  }
}
CHASLES_INLINE void put(double* p, const Four& x) { *reinterpret_cast<LooseFour*>(p) = x.x; }
CHASLES_INLINE void put(double* p, const Eight& x) { put(p, x.a), put(p + 4, x.b); }
CHASLES_INLINE double sum_of(const Four& x) { return (x.x[0] + x.x[1]) + (x.x[2] + x.x[3]); }
CHASLES_INLINE double sum_of(const Eight& x) { return sum_of(x.a + x.b); }
/// Passes n as a compile-time constant; 0: any. W as below.
template <int W, class F>
CHASLES_INLINE void with_constant(int n, const F& f) {
  if (n == 1) return f(std::integral_constant<int, 1>());
  if (n == 2) return f(std::integral_constant<int, 2>());
  if (n == 3) return f(std::integral_constant<int, 3>());
  if constexpr (W != 4)
    if (n == 5) return f(std::integral_constant<int, 5>());
  return f(std::integral_constant<int, 0>());
}
/// f(0) ... f(n - 1); unrolled if n is the constant N.
template <class F, int... I>
CHASLES_INLINE void each_of(const F& f, std::integer_sequence<int, I...>) {
  (f(I), ...);
}
template <int N, class F>
CHASLES_INLINE void each(int n, const F& f) {
  if constexpr (N > 0) return each_of(f, std::make_integer_sequence<int, N>());
  for (int i = 0; i < n; ++i) f(i);
}
/// The same for at most W, unrolled; W = 0: any.
template <int W, class F>
CHASLES_INLINE void some_of(int n, const F& f) {
  if constexpr (W == 0) return each<0>(n, f);
  each<W>(W, [&](int i) {
    if (i < n) f(i);
  });
}
/// The lane count as a constant where every constraint has W lanes; W = 0: any.
template <int W>
CHASLES_INLINE int lanes(int width) {
  return W > 0 ? W : width;
}

/// A link, in world axes.
template <class Sp>
struct EliminatedLink {
  using Vec = typename Sp::Vec;
  typename Sp::Mat R;  // pose
  Vec r;
  typename Sp::Sym I;
  Vec column, c, d;   // I z; first moment; origin from the parent's
  Six<Sp> p, a;       // wrench and acceleration of the solves
  Six<Sp> G;          // joint with one screw: U / D
  double inverse, u;  // 1 / D, and u of (3)
};
/// Motion of links, then of ground: velocity-dependent accelerations minus gravity.
template <class Sp>
struct EliminatedMotion {
  typename Sp::Vec w, v, al, a;
  typename Sp::Mat O;  // branching links: al~ + w~ w~
};
/// Access to the numbers of a vector; in a Six, also the offset of the second vector.
template <class T>
CHASLES_INLINE const double* numbers(const T& x) {
  return reinterpret_cast<const double*>(&x);
}
template <class Sp>
inline constexpr int second = sizeof(typename Sp::Vec) / sizeof(double);
/// One entry of v of a joint with several screws.
template <class Sp>
struct EliminatedScrew {
  Six<Sp> X, G;               // screw; column of U D^-1
  double factor[6], inverse;  // row of the factor of D; 1 / pivot
  double u;
};
template <class Sp>
struct KktWork {
  EliminatedLink<Sp>* links;      // and ground
  EliminatedMotion<Sp>* motions;  // and ground
  Articulated<Sp>* extra;         // contributions of children other than link i + 1
  EliminatedScrew<Sp>* screws;    // nv
  Six<Sp>* Y;                     // one per equation
  typename Sp::Vec* points;       // per loop: the origin of `to`
  double* angles;
  KktWork(const KktPass& e)
      : links(reinterpret_cast<EliminatedLink<Sp>*>(e.work)),
        motions(reinterpret_cast<EliminatedMotion<Sp>*>(links + e.tree->links.size() + 1)),
        extra(reinterpret_cast<Articulated<Sp>*>(motions + e.tree->links.size() + 1)),
        screws(reinterpret_cast<EliminatedScrew<Sp>*>(extra + e.tree->links.size())),
        Y(reinterpret_cast<Six<Sp>*>(screws + e.tree->nv)),
        points(reinterpret_cast<typename Sp::Vec*>(Y + e.rows)),
        angles(reinterpret_cast<double*>(points + e.loops_count)) {}
  static std::size_t bytes(const Tree<double>& tree, int rows, int loops) {
    return (tree.links.size() + 1) * (sizeof(EliminatedLink<Sp>) + sizeof(EliminatedMotion<Sp>)) +
           tree.links.size() * sizeof(Articulated<Sp>) +
           static_cast<std::size_t>(tree.nv) * sizeof(EliminatedScrew<Sp>) +
           static_cast<std::size_t>(rows) * sizeof(Six<Sp>) +
           static_cast<std::size_t>(loops) * sizeof(typename Sp::Vec) +
           static_cast<std::size_t>(Angles<Sp>::memory(tree.nq)) * sizeof(double);
  }
};

/// Poses and inertias of the links, from the ground outward.
template <class Sp>
__attribute__((noinline)) CHASLES_FLATTEN void take_frames(const KktPass& e,
                                                           const KktWork<Sp>& work) {
  using S = typename Sp::S;
  const Pass<double> pass = e;  // local copy: stores cannot alias it
  const auto* links = pass.tree->links.data();
  const int count = static_cast<int>(pass.tree->links.size());
  const Angles<Sp> angles(pass, work.angles);
  typename Sp::Mat R = Sp::identity();
  typename Sp::Vec r = Sp::vec(S(0), S(0), S(0));
  work.links[count].R = R, work.links[count].r = r;
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    EliminatedLink<Sp>& out = work.links[i];
    typename Sp::Mat T;
    typename Sp::Vec d;
    if (link.parent < 0) {
      T = constant_matrix<Sp>(link.C), d = Sp::constant(link.r);
    } else {
      if (link.parent != i - 1) R = work.links[link.parent].R, r = work.links[link.parent].r;
      T = {Sp::times(R, link.C[0]), Sp::times(R, link.C[1]), Sp::times(R, link.C[2])};
      d = Sp::times(R, link.r);
    }
    move<Sp>(pass, angles, link, link.motion, T, d);
    R = T;
    r = link.parent < 0 ? d : r + d;
    out.R = R, out.r = r, out.d = d;
    out.I = Sp::rotated(R, link.I_diag, link.I_off, out.column);
    out.c = Sp::times(R, link.mc);
  }
}
/// Screws of a joint with several.
template <class Sp>
CHASLES_INLINE void take_screws(const KktPass& e, const typename Sp::Mat& R,
                                const LinkConstants<double>& link, EliminatedScrew<Sp>* screws) {
  const GroupScrews<Sp> own(e, link);
  for (int k = 0; k < link.nv; ++k) {
    const Six<Sp> X = own[k];
    screws[k].X = {R * X.w, R * X.v};
  }
}
/// Adds x, or stores it if it is the first contribution.
template <class R>
CHASLES_INLINE void add_to(double* p, bool begins, const R& x) {
  put(p, begins ? x : get<R>(p) + x);
}
/// Constraint wrenches of loops: in world axes, and on the links of both ends.
template <class Sp, int W>
__attribute__((noinline)) CHASLES_FLATTEN void take_ends(const KktPass& e,
                                                         const KktWork<Sp>& work) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  constexpr int y = second<Sp>;
  for (int l = 0; l < e.loops_count; ++l) {
    const LoopRows& loop = e.loops[l];
    const EliminatedLink<Sp>& to = work.links[loop.links[0]];
    const auto reach = Sp::times(to.R, loop.r), p = to.r + reach;
    const typename Sp::Vec ways[2] = {reach, p - work.links[loop.links[1]].r};
    work.points[l] = p;
    const int width = lanes<W>(e.blocks[loop.block].width);
    const double* rotation = numbers(to.R);
    for (int lane = 0; lane < width; lane += Rows::lanes) {
      const double* wrench = e.W + loop.W + lane;
      double* world = e.turned + loop.W + lane;
      R t[3] = {R(0.0), R(0.0), R(0.0)}, f[3];
      each<3>(3, [&](int a) {
        const auto turned = [&](int first) {
          return R(rotation[a]) * get<R>(wrench + first * width) +
                 R(rotation[y + a]) * get<R>(wrench + (first + 1) * width) +
                 R(rotation[2 * y + a]) * get<R>(wrench + (first + 2) * width);
        };
        f[a] = turned(3);
        put(world + (3 + a) * width, f[a]);
        if (loop.forces) return;
        t[a] = turned(0);
        put(world + a * width, t[a]);
      });
      each<2>(2, [&](int end) {
        if (loop.K[end] < 0) return;
        const double* d = numbers(ways[end]);
        double* K = e.K + loop.K[end] + lane;
        each<3>(3, [&](int a) {
          const int b = (a + 1) % 3, c = (a + 2) % 3;
          R n = R(d[b]) * f[c] - R(d[c]) * f[b];
          if (!loop.forces) n = n + t[a];
          add_to(K + a * width, loop.begins[end], end == 0 ? n : -n);
          add_to(K + (3 + a) * width, loop.begins[end], end == 0 ? f[a] : -f[a]);
        });
      });
    }
  }
}

/// H^T M H for a twist H of link i and its whole subtree; without armature, which only makes pivots larger.
template <class Sp>
__attribute__((noinline)) double diagonal_of_M(const KktPass& e, const KktWork<Sp>& work, int i,
                                               Six<Sp> H) {
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
/// Whether the pivot D of a screw of link i exceeds rounding. The upper bound of M_ii of articulated.inl
/// usually decides; otherwise M_ii is computed.
template <class Sp>
CHASLES_INLINE bool is_pivot(const KktPass& e, const KktWork<Sp>& work, int i, double bound,
                             double D, const Six<Sp>& X) {
  if (D > singular<double> * bound) [[likely]]
    return true;
  return D > singular<double> * diagonal_of_M<Sp>(e, work, i, X);
}

/// L_ji += k_j D^-1 k_i^T.
template <int N, int W>
CHASLES_INLINE void couple(const double* k_j, const double* kD, int n, int columns, int width_i,
                           int width_j, bool begins, double* L) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  some_of<W>(columns, [&](int s) {
    for (int lane = 0; lane < width_j; lane += Rows::lanes) {
      const double* k = k_j + lane;
      double* to = L + s * width_j + lane;
      R sum = begins ? R(0.0) : get<R>(to);
      each<N>(n, [&](int c) { sum += get<R>(k + c * width_j) * R(kD[c * width_i + s]); });
      put(to, sum);
    }
  });
}
/// Structure of the columns of H, for the product K H.
enum class Screws { revolute, prismatic, helical, axes, any };
/// K, k and L_ii of (3) and (5), for a joint with known screws and factors.
template <class Sp, int N, int W, Screws Of>
CHASLES_INLINE void pass_rows(const KktPass& e, const KktWork<Sp>& work, int i) {
  using Rows = RowsInLanes<W>;
  using R = typename Rows::Type;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const EliminatedLink<Sp>& at = work.links[i];
  const int n = N > 0 ? N : link.nv;
  const EliminatedScrew<Sp>* screws = work.screws + link.v;
  const double *d = numbers(at.d), *z = numbers(at.R.c2);
  constexpr int v = second<Sp>;
  const Passage* end = e.passages + e.at[i + 1].passages;
  for (const Passage* passage = e.passages + e.at[i].passages; passage != end; ++passage) {
    const int width = lanes<W>(passage->width);
    for (int lane = 0; lane < width; lane += Rows::lanes) {
      const double* K = e.K + passage->K + lane;
      double *k = e.k + passage->k + lane, *kD = e.kD + passage->k + lane;
      double* size = e.alone + passage->lane + lane;
      R F[6], y[6], along[6], alone = passage->begins_L ? R(0.0) : get<R>(size);
      each<6>(6, [&](int a) { F[a] = get<R>(K + a * width); });
      const auto product = [&](const double* x, int first) {
        return F[first] * R(x[0]) + F[first + 1] * R(x[1]) + F[first + 2] * R(x[2]);
      };
      each<N>(n, [&](int c) {
        const double* x = numbers(screws[c].X);
        if constexpr (Of == Screws::revolute) y[c] = product(z, 0);
        if constexpr (Of == Screws::prismatic) y[c] = product(z, 3);
        if constexpr (Of == Screws::helical) y[c] = product(z, 0) + R(link.pitch()) * product(z, 3);
        if constexpr (Of == Screws::axes) y[c] = c < 3 ? product(x, 0) : product(x + v, 3);
        if constexpr (Of == Screws::any) y[c] = product(x, 0) + product(x + v, 3);
        if (passage->entries) y[c] = get<R>(k + c * width) + y[c];
        along[c] = y[c];
        put(k + c * width, y[c]);
      });
      if constexpr (N == 1) {
        y[0] = y[0] * R(at.inverse);
      } else {
        each<N>(n, [&](int c) {
          for (int l = 0; l < c; ++l) y[c] -= R(screws[c].factor[l]) * y[l];
        });
        each<N>(n, [&](int c) { y[c] = y[c] * R(screws[c].inverse); });
        each<N>(n, [&](int back) {
          const int c = n - 1 - back;
          for (int l = c + 1; l < n; ++l) y[c] -= R(screws[l].factor[c]) * y[l];
        });
      }
      each<N>(n, [&](int c) {
        put(kD + c * width, y[c]);
        alone += along[c] * y[c];
      });
      put(size, alone);
      if (passage->onward < 0) continue;
      each<N>(n, [&](int c) {
        const double* G = numbers(N == 1 ? at.G : screws[c].G);
        each<3>(3, [&](int a) {
          F[a] -= along[c] * R(G[a]);
          F[3 + a] -= along[c] * R(G[v + a]);
        });
      });
      double* to = e.K + passage->onward + lane;
      each<3>(3, [&](int a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        add_to(to + a * width, passage->begins, F[a] + (R(d[b]) * F[3 + c] - R(d[c]) * F[3 + b]));
        add_to(to + (3 + a) * width, passage->begins, F[3 + a]);
      });
    }
    couple<N, W>(e.k + passage->k, e.kD + passage->k, n, passage->rows, width, width,
                 passage->begins_L, e.L + passage->L);
  }
  const PassagePair* last = e.pairs + e.at[i + 1].pairs;
  for (const PassagePair* pair = e.pairs + e.at[i].pairs; pair != last; ++pair)
    couple<N, W>(e.k + pair->k_j, e.kD + pair->kD_i, n, pair->columns, lanes<W>(pair->width_i),
                 lanes<W>(pair->width_j), pair->begins, e.L + pair->L);
}

/// (3) and (5) for a joint with one screw. A excludes the link's own inertia. Returns false if the joint is
/// singular.
template <class Sp, int W>
CHASLES_INLINE bool eliminate_screw(const KktPass& e, const KktWork<Sp>& work, double far, int i,
                                    typename Sp::Block& A, typename Sp::Mat& G,
                                    typename Sp::Block& C) {
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  EliminatedLink<Sp>& at = work.links[i];
  const auto z = at.R.c2, zero = Sp::vec(S(0), S(0), S(0));
  const S h(link.pitch());
  Six<Sp> X{z, zero}, U;
  S D;
  double bound = link.reach() + link.carried() * far;
  if (link.motion == LinkMotion::prismatic) {
    X.w = zero, X.v = z;
    U.w = Sp::back_times(G, z), U.v = C * z;
    D = dot(z, U.v) + S(link.armature), bound = link.carried();
  } else {
    // A sums only the children: the link's own part is added from link axes, where it is exact.
    const auto Az = A * z;
    U.w = Az + at.column, U.v = G * z;
    D = dot(z, Az) + S(link.own_D);
    if (link.motion == LinkMotion::helical) {
      X.v = h * z;
      const auto Gz = h * Sp::back_times(G, z);
      U.w += Gz, U.v += h * (C * z);
      D = D + dot(z, Gz + h * U.v);
      bound = 2 * (bound + link.pitch() * link.pitch() * link.carried());
    }
  }
  if (!is_pivot<Sp>(e, work, i, bound, number(D), X)) return false;
  const S inverse = S(1) / D;
  const Six<Sp> u{inverse * U.w, inverse * U.v};
  at.G.w = u.w, at.G.v = u.v;
  at.inverse = number(inverse);
  if (e.at[i].passages < e.at[i + 1].passages) {
    if (link.motion == LinkMotion::revolute)
      pass_rows<Sp, 1, W, Screws::revolute>(e, work, i);
    else if (link.motion == LinkMotion::prismatic)
      pass_rows<Sp, 1, W, Screws::prismatic>(e, work, i);
    else
      pass_rows<Sp, 1, W, Screws::helical>(e, work, i);
  }
  if (link.parent < 0) return true;
  A = A + Sp::block(at.I);
  project<Sp>(A, G, C, U, u);
  return true;
}
/// The same for several screws; P includes the link's own inertia. Returns the first singular one, or -1.
template <class Sp, int N, int W>
__attribute__((noinline)) CHASLES_FLATTEN int eliminate_screws(const KktPass& e,
                                                               const KktWork<Sp>& work, double far,
                                                               int i, Articulated<Sp>& P) {
  using S = typename Sp::S;
  const auto& link = e.tree->links[static_cast<std::size_t>(i)];
  const int n = N > 0 ? N : link.nv;
  EliminatedScrew<Sp>* screws = work.screws + link.v;
  take_screws<Sp>(e, work.links[i].R, link, screws);
  Six<Sp> U[6];
  for (int k = 0; k < n; ++k) {
    U[k] = P * screws[k].X;
    for (int l = 0; l <= k; ++l)
      screws[k].factor[l] = number(Sp::dot(screws[l].X.w, U[k].w, screws[l].X.v, U[k].v));
    screws[k].factor[k] += link.armature;
  }
  const double m = link.carried(), most = link.reach() + m * far;
  for (int j = 0; j < n; ++j) {
    double scaled[6], pivot = screws[j].factor[j];
    for (int k = 0; k < j; ++k) {
      scaled[k] = screws[j].factor[k];  // L_jk D_k
      screws[j].factor[k] *= screws[k].inverse;
      pivot -= scaled[k] * screws[j].factor[k];
    }
    const Six<Sp> X = screws[j].X;
    const double bound = 2 * (number(S(dot(X.w, X.w))) * most + number(S(dot(X.v, X.v))) * m);
    if (!is_pivot<Sp>(e, work, i, bound, pivot, X)) return link.v + j;
    screws[j].inverse = 1 / pivot;
    for (int l = j + 1; l < n; ++l)
      for (int k = 0; k < j; ++k) screws[l].factor[j] -= screws[l].factor[k] * screws[j].factor[k];
  }
  if (link.parent >= 0) {
    // G = U D^-1, by columns of U^T.
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
    project_screws<Sp>(
        link, n, P, U, [&](int k) -> const Six<Sp>& { return G[k]; },
        [&](int k) -> const Six<Sp>& { return screws[k].X; });
  }
  if (e.at[i].passages == e.at[i + 1].passages) return -1;
  if (N > 0 && !screws_turn(link.motion))
    pass_rows<Sp, N, W, Screws::axes>(e, work, i);
  else
    pass_rows<Sp, N, W, Screws::any>(e, work, i);
  return -1;
}
