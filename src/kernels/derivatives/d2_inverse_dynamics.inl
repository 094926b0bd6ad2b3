// Included by dynamics.inl. The second derivatives of inverse dynamics at one state, for constant joint
// screws, in O(n depth^2): docs/theory/linearization.md, section 13. With the columns of
// d_inverse_dynamics.inl, X x* W = (z x n + s x f; z x f) the motion of a wrench, and for every column c the
// rates of its composite inertia I along X_c, and of N along X_c and I along Psi_c combined,
//
//   B (x; y) = (tr B' x - B' x + f x y; -f x x),   B' = z~ E + f g^T + transpose                   (1)
//   C (x; .) = (tr C' x - C' x - k' x x; -2 l' x x),   (k'; l') = X x* h + I Psi                   (2)
//   C' = z~ E_dot + s l^T + psi~ E + f_psi g^T + transpose
//
// every pair b, c of columns on one path, c beyond b or in the same link, has the covectors
//
//   P = X_b x* F_c                     Q = B X_b                          O = C^T X_b             (3)
//   S = Psi_b x* F_c - B Psi_b + X_b x* r_c     H = X_b x* G_c + Psi_b x* F_c + B Psi_b
//   E = B U_b + C X_b                  Y = X_b x* T_c + B Psid_b + C Psi_b
//
// and with a column a before b, all entries of the three joints are
//
//   tau_a,bc = X_a.Y    tau_b,ac = Psid_a.Q + Psi_a.O    tau_c,ab = Psid_a.P + Psi_a.S      by q, q   (4)
//   d/dq_c: tau_a,b = X_a.E, tau_b,a = U_a.Q + X_a.O     of d/dv                                   (5)
//   d/dq_b: tau_a,c = X_a.H, tau_c,a = U_a.P + X_a.S;    d/dq_a: tau_c,b = -tau_b,c = Psi_a.(P - Q)
//   d/dq_c M_ab = X_a.Q,    d/dq_b M_ac = X_a.P,    d/dq_a M_bc = 0                                (6)
//   tau_a,bc = X_a.(P + Q),    tau_c,ab = -tau_b,ac = X_a.(P - Q)                      by v, v     (7)
//
// M_ii of slender links needs a correction (mass_matrix.inl), its derivatives do not: f is computed from
// local distances, so errors are those of the other entries.
//
// A lane is a column b, then a column a, of the path to c.
#pragma once

#include "kernels/derivatives/d_inverse_dynamics.inl"

/// X x* W.
template <class L>
CHASLES_INLINE Six<L> moved(const Six<L>& X, const Six<L>& W) {
  return {L::two_crosses(X.w, W.w, X.v, W.v), cross(X.w, W.v)};
}
template <class L>
CHASLES_INLINE Six<L> operator-(const Six<L>& a, const Six<L>& b) {
  return {a.w - b.w, a.v - b.v};
}

template <class Sp>
struct SecondInverse : InverseDerivatives<Sp> {
  using Base = InverseDerivatives<Sp>;
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  using J = Joints<Sp>;
  using L = typename J::L;
  using T = typename J::T;
  using Vec = lie::Vec3<T>;
  using Sym = lie::Sym3<T>;
  using Base::at, Base::count, Base::link_of, Base::links, Base::nv, Base::pass, Base::stored,
      Base::stride, Base::tree;
  static constexpr int columns_count = 18, path_count = 24, pair_count = 45, value_count = 10;
  // Values of (4) to (7) for each a, for one pair.
  enum { XP, XQ, y, s, t, e, g, h, w, d };

  int deep;                   // padded length of a path
  S *B, *C, *moment, *force;  // per column: B', C', k', l'
  S *X, *Psi, *Psid, *U;      // along the path to the current column
  S *P, *Q, *D, *Z, *H, *E, *Y, *O,
      *values;  // for pairs (S is Z, P - Q is D), and for each a of one pair

  SecondInverse(const Pass<Real>& arguments, char* work)
      : Base(arguments, work), deep(padded_columns<Sp>(arguments.tree->deepest)) {
    B = reinterpret_cast<S*>(work + Base::bytes(tree));
    C = B + 6 * stride, moment = C + 6 * stride, force = moment + 3 * stride;
    X = force + 3 * stride, Psi = X + 6 * deep, Psid = Psi + 6 * deep, U = Psid + 6 * deep;
    P = U + 6 * deep, Q = P + 6 * deep, D = Q + 6 * deep, Z = D + 6 * deep, H = Z + 6 * deep,
    E = H + 6 * deep;
    Y = E + 6 * deep, O = Y + 6 * deep, values = O + 3 * deep;
  }
  static std::size_t bytes(const Tree<Real>& tree) {
    return Base::bytes(tree) +
           sizeof(S) * static_cast<std::size_t>(columns_count * padded_columns<Sp>(tree.nv) +
                                                (path_count + pair_count + value_count) *
                                                    padded_columns<Sp>(tree.deepest));
  }

  CHASLES_INLINE static void put(S* array, int stride, int k, const Sym& a) {
    Base::put(array, stride, k, Vec{a.xx, a.xy, a.xz});
    Base::put(array + 3 * stride, stride, k, Vec{a.yy, a.yz, a.zz});
  }
  /// (1) and (2).
  CHASLES_INLINE void inertia_rates() const {
    for (int k = 0; k < nv; k += J::width) {
      const auto link = [&](int x) { return link_of[k + x < nv ? k + x : nv - 1]; };
      const auto vec = [&](const auto& of) {
        return J::vec([&](int x) { return of(at[link(x)]); });
      };
      const Vec center = J::vec([&](int x) { return stored[link(x)].c; });
      const Sym tensor = J::sym([&](int x) { return stored[link(x)].E; }),
                rate = J::sym([&](int x) { return at[link(x)].E; });
      const T m = J::number([&](int x) { return links[link(x)].carried(); });
      const Six<L> screw = Base::get(Base::X, stride, k), psi = Base::get(Base::Psi, stride, k),
                   momentum{vec([](const auto&x) { return x.h.w; }),
                            vec([](const auto&x) { return x.h.v; })};
      const Vec f = Base::get(Base::F, stride, k).v, f_psi = m * (psi.v + cross(psi.w, center)),
                n_psi = L::plus_cross(L::momentum(tensor, psi.w), center, f_psi);
      put(B, stride, k, L::plus_symmetric_outer(spin(L(), screw.w, tensor), f, center));
      put(C, stride, k,
          L::plus_symmetric_outer(spin(L(), screw.w, rate), screw.v, momentum.v) +
              L::plus_symmetric_outer(spin(L(), psi.w, tensor), f_psi, center));
      const Six<L> turned = moved<L>(screw, momentum);
      Base::put(moment, stride, k, turned.w + n_psi);
      Base::put(force, stride, k, turned.v + f_psi);
    }
  }

  CHASLES_INLINE Vec three(const S* array, int k) const {
    return {T(array[k]), T(array[stride + k]), T(array[2 * stride + k])};
  }
  CHASLES_INLINE Six<L> six(const S* array, int k) const {
    return {three(array, k), three(array + 3 * stride, k)};
  }
  CHASLES_INLINE Sym symmetric(const S* array, int k) const {
    const Vec a = three(array, k), b = three(array + 3 * stride, k);
    return {a.x, a.y, a.z, b.x, b.y, b.z};
  }
  /// (3) for the columns b at indices 0 ... size - 1 of the path to c.
  CHASLES_INLINE void pairs(int c, int size) const {
    const Six<L> F_c = six(Base::F, c), G_c = six(Base::G, c), T_c = six(Base::Tq, c);
    const Vec r_c = three(Base::r, c), k = three(moment, c), l = three(force, c);
    const Sym B_c = symmetric(B, c), C_c = symmetric(C, c);
    const auto times_B = [&](const Six<L>& x) {
      return Six<L>{L::plus_cross(L::momentum(B_c, x.w), F_c.v, x.v), cross(x.w, F_c.v)};
    };
    for (int b = 0; b < size; b += J::width) {
      const Six<L> x = Base::get(X, deep, b), psi = Base::get(Psi, deep, b);
      const Six<L> left = moved<L>(x, F_c), right = times_B(x);
      Base::put(P, deep, b, left);
      Base::put(Q, deep, b, right);
      Base::put(D, deep, b, left - right);
      {
        const Vec spun = L::momentum(C_c, x.w), turn = cross(k, x.w), way = cross(l, x.v),
                  across = cross(x.w, l);
        Base::put(O, deep, b, (spun + turn) + (way + way));
        Base::put(E, deep, b,
                  times_B(Base::get(U, deep, b)) + Six<L>{spun - turn, across + across});
      }
      const Six<L> wrench = moved<L>(psi, F_c), rate = times_B(psi);
      Base::put(H, deep, b, moved<L>(x, G_c) + (wrench + rate));
      const Six<L> rest = wrench - rate;
      Base::put(Z, deep, b, Six<L>{L::plus_cross(rest.w, x.w, r_c), rest.v});
      const Vec across = cross(psi.w, l);
      Base::put(Y, deep, b,
                (moved<L>(x, T_c) + times_B(Base::get(Psid, deep, b))) +
                    Six<L>{L::plus_cross(L::momentum(C_c, psi.w), psi.w, k), across + across});
    }
  }

  /// The right-hand sides of (4) to (7), for b and N registers of columns from path index a on. The sums of
  /// one loop fit in registers.
  template <int N>
  CHASLES_INLINE void triples(int b, int a) const {
    const Take<T> take;
    const auto clear = [](auto& sums) {
      for (auto& sum : sums)
        for (T& x : sum) x = T(Real(0));
    };
    const auto add = [&](T(&sum)[N], const S& factor, const T(&x)[N]) {
      const T f(factor);
      for (int l = 0; l < N; ++l) sum[l] = sum[l] + f * x[l];
    };
    const auto get = [&](const S* array, int c, T(&x)[N]) {
      for (int l = 0; l < N; ++l) x[l] = take.get(array + c * deep + a + l * J::width);
    };
    const auto keep = [&](int which, const T(&x)[N]) {
      for (int l = 0; l < N; ++l) take.put(values + which * deep + a + l * J::width, x[l]);
    };
    T x[N];
    {
      T sums[5][N];
      clear(sums);
      for (int c = 0; c < 6; ++c) {
        const int k = c * deep + b;
        get(X, c, x);
        add(sums[0], P[k], x), add(sums[1], Q[k], x), add(sums[2], Y[k], x);
        add(sums[3], E[k], x), add(sums[4], H[k], x);
      }
      keep(XP, sums[0]), keep(XQ, sums[1]), keep(y, sums[2]), keep(e, sums[3]), keep(h, sums[4]);
    }
    {
      T sums[3][N];
      clear(sums);
      for (int c = 0; c < 6; ++c) {
        const int k = c * deep + b;
        get(Psid, c, x);
        add(sums[0], Q[k], x), add(sums[1], P[k], x);
        get(Psi, c, x);
        if (c < 3) add(sums[0], O[k], x);
        add(sums[1], Z[k], x), add(sums[2], D[k], x);
      }
      keep(s, sums[0]), keep(t, sums[1]), keep(d, sums[2]);
    }
    {
      T sums[2][N];
      clear(sums);
      for (int c = 0; c < 6; ++c) {
        const int k = c * deep + b;
        get(U, c, x);
        add(sums[0], Q[k], x), add(sums[1], P[k], x);
        get(X, c, x);
        if (c < 3) add(sums[0], O[k], x);
        add(sums[1], Z[k], x);
      }
      keep(g, sums[0]), keep(w, sums[1]);
    }
  }
  CHASLES_INLINE void all_triples(int b, int size) const {
    int a = 0;
    for (; a + J::width < size; a += 2 * J::width) triples<2>(b, a);
    if (a < size) triples<1>(b, a);
  }

  /// The four tensors: entry (k; i, j), d/dq_k or d/dv_k of row i, column j.
  struct Tensors {
    S *qq, *vq, *uq, *vv;
    std::ptrdiff_t n;
    CHASLES_INLINE std::ptrdiff_t at(int k, int i, int j) const { return (k * n + i) * n + j; }
    CHASLES_INLINE void both_qq(int k, int i, int j, const S& x) const {
      qq[at(k, i, j)] = qq[at(j, i, k)] = x;
    }
    CHASLES_INLINE void both_vv(int k, int i, int j, const S& x) const {
      vv[at(k, i, j)] = vv[at(j, i, k)] = x;
    }
    CHASLES_INLINE void both_uq(int k, int i, int j, const S& x) const {
      uq[at(k, i, j)] = uq[at(k, j, i)] = x;
    }
  };
  CHASLES_INLINE const S& value(int which, int a) const { return values[which * deep + a]; }
  /// a, b, c in three different links.
  CHASLES_INLINE void apart(const Tensors& to, const int* path, int size, int b, int c) const {
    for (int p = 0; p < size; ++p) {
      const int a = path[p];
      to.both_qq(b, a, c, value(y, p)), to.both_qq(a, b, c, value(s, p));
      to.both_qq(a, c, b, value(t, p));
      to.vq[to.at(c, a, b)] = value(e, p), to.vq[to.at(c, b, a)] = value(g, p);
      to.vq[to.at(b, a, c)] = value(h, p), to.vq[to.at(b, c, a)] = value(w, p);
      to.vq[to.at(a, c, b)] = value(d, p), to.vq[to.at(a, b, c)] = -value(d, p);
      const S p_part = value(XP, p), q_part = value(XQ, p), rest = p_part - q_part;
      to.both_uq(c, a, b, q_part), to.both_uq(b, a, c, p_part);
      to.both_vv(c, a, b, p_part + q_part), to.both_vv(c, b, a, -rest), to.both_vv(b, c, a, rest);
    }
  }
  /// b and c in one link, a before. Both orders of b and c occur; for (v, v) each adds one half.
  CHASLES_INLINE void before_link(const Tensors& to, const int* path, int size, int b,
                                  int c) const {
    for (int p = 0; p < size; ++p) {
      const int a = path[p];
      to.qq[to.at(b, a, c)] = value(y, p), to.both_qq(a, c, b, value(t, p));
      to.vq[to.at(b, a, c)] = value(h, p), to.vq[to.at(b, c, a)] = value(w, p);
      to.vq[to.at(a, c, b)] = value(d, p);
      const S p_part = value(XP, p);
      to.both_uq(b, a, c, p_part);
      to.both_vv(b, c, a, p_part - value(XQ, p));
      to.both_vv(b, a, c,
                 b == c  ? p_part + p_part
                 : b > c ? p_part
                         : to.vv[to.at(b, a, c)] + p_part);
    }
  }
  /// a and b in one link, c beyond.
  CHASLES_INLINE void beyond_link(const Tensors& to, int first, int a_first, int n, int b,
                                  int c) const {
    for (int k = 0; k < n; ++k) {
      const int a = a_first + k, p = first + k;
      to.both_qq(a, b, c, value(s, p)), to.qq[to.at(a, c, b)] = value(t, p);
      to.vq[to.at(c, a, b)] = value(e, p);
      to.vq[to.at(a, c, b)] = value(d, p), to.vq[to.at(a, b, c)] = -value(d, p);
      to.uq[to.at(c, a, b)] = value(XQ, p);
      to.both_vv(c, a, b, value(XP, p) + value(XQ, p));
      to.vv[to.at(a, c, b)] = -value(XQ, p);
    }
  }
  CHASLES_INLINE void within_link(const Tensors& to, int first, int a_first, int n, int b,
                                  int c) const {
    for (int k = 0; k < n; ++k) {
      const int a = a_first + k, p = first + k;
      to.qq[to.at(a, c, b)] = value(t, p), to.vq[to.at(a, c, b)] = value(d, p);
      to.vv[to.at(a, c, b)] = -value(XQ, p);
    }
  }
  /// All entries whose deepest column is c.
  CHASLES_INLINE void entries(const Tensors& to, int c, const int* path, int size) const {
    const int own = link_of[c];
    pairs(c, size);
    for (int b = 0; b < size;) {
      const int i = link_of[path[b]], n = links[i].nv, first = b;  // link of b
      for (; b < first + n; ++b) {
        all_triples(b, first + n);
        if (i == own) {
          before_link(to, path, first, path[b], c);
          within_link(to, first, links[i].v, n, path[b], c);
        } else {
          apart(to, path, first, path[b], c);
          beyond_link(to, first, links[i].v, n, path[b], c);
        }
      }
    }
  }
  /// Appends the columns of a link to the path of its parent.
  CHASLES_INLINE void append(int i, int first) const {
    for (int k = 0; k < links[i].nv; ++k)
      for (int c = 0; c < 6; ++c) {
        const int from = c * stride + links[i].v + k, to = c * deep + first + k;
        X[to] = Base::X[from], Psi[to] = Base::Psi[from];
        Psid[to] = Base::Psid[from], U[to] = Base::U[from];
      }
  }
  CHASLES_INLINE void run_second(S* out) const {
    const std::ptrdiff_t n = nv, all = n * n * n;
    const Tensors to{out, out + all, out + 2 * all, out + 3 * all, n};
    Base::prepare([] {});
    inertia_rates();
    for (int i = 0; i < count; ++i) {
      if (links[i].nv == 0) continue;
      const auto& last = tree.paths[static_cast<std::size_t>(links[i].v + links[i].nv - 1)];
      append(i, last.size - links[i].nv);
      for (int c = links[i].v; c < links[i].v + links[i].nv; ++c)
        entries(to, c, tree.ancestors.data() + last.begin, last.size);
    }
  }
};

/// The tensors by (q, q), (v, q), (a, q), (v, v), consecutively, at the accelerations pass.force; structural
/// zeros are not written.
template <class Sp>
CHASLES_FLATTEN int run_d2_inverse_dynamics(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  SecondInverse<Sp>(pass, reinterpret_cast<char*>(pass.work))
      .run_second(reinterpret_cast<typename Sp::S*>(pass.out));
  return -1;
}
