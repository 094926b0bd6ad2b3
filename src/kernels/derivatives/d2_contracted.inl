// Included by dynamics.inl. The second derivatives of lambda.tau at one state, for constant joint screws, in
// O(n depth), without the tensors: docs/theory/linearization.md, section 13. Let L be the twist of a link at
// the joint velocities lambda, and for every column c define sums over its subtree
//
//   (n; f) = sum I L,   l = sum N^T L,   B (x; y) = (tr B' x - B' x + f x y; -f x x) = rate of I along L   (1)
//
// With Psi^ = ad_{L_p} X, the analog of Psi for L, for every column
//
//   A = I Psi^ + X x* (n; f),   D = X x* (n; f) - B X                                              (2)
//   C = N^T Psi^ + Psi x* (n; f) + X x* (l; 0) - B Psi
//
// and for a before b, or in the same link,
//
//   by q_a of q_b    Psi^_a.T_b + Psid_a.A_b + Psi_a.C_b      by v_a of v_b    X_a.D_b              (3)
//   by q_a of v_b    Psi^_a.G_b + Psi_a.D_b                   of a_b           Psi^_a.F_b           (4)
//   by q_b of v_a    U_a.A_b + X_a.C_b                        of a_a           X_a.A_b              (5)
//
// Within a link (5) is absent, and D of (3) excludes X_a x* (n; f).
#pragma once

#include "kernels/derivatives/d2_inverse_dynamics.inl"

template <class Sp>
struct ContractedInverse : InverseDerivatives<Sp> {
  using Base = InverseDerivatives<Sp>;
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  using J = Joints<Sp>;
  using L = typename J::L;
  using T = typename J::T;
  using Base::at, Base::axes, Base::count, Base::link_of, Base::links, Base::nv, Base::pass,
      Base::stored, Base::stride, Base::tree;
  /// L of the parent and of the link, and (1).
  struct Weighted {
    Six<Sp> Lp, L, h;
    typename Sp::Vec l;
    typename Sp::Sym B;
  };
  Weighted* weighted;
  S *Hat, *A, *C, *D;  // per column: Psi^, and (2)

  ContractedInverse(const Pass<Real>& arguments, char* work) : Base(arguments, work) {
    weighted = reinterpret_cast<Weighted*>(work + Base::bytes(tree));
    Hat = reinterpret_cast<S*>(weighted + count);
    A = Hat + 6 * stride, C = A + 6 * stride, D = C + 6 * stride;
  }
  static std::size_t bytes(const Tree<Real>& tree) {
    return Base::bytes(tree) + tree.links.size() * sizeof(Weighted) +
           24 * static_cast<std::size_t>(padded_columns<Sp>(tree.nv)) * sizeof(S);
  }

  /// (1) for each body alone.
  CHASLES_INLINE void weigh() const {
    const typename Sp::Vec zero = Sp::vec(S(0), S(0), S(0));
    for (int i = 0; i < count; ++i) {
      const auto& link = links[i];
      Weighted& to = weighted[i];
      Six<Sp> x{zero, zero};
      if (link.parent >= 0) x = weighted[link.parent].L;
      to.Lp = x;
      for (int k = link.v; k < link.v + link.nv; ++k) {
        const S factor = Sp::load(pass.weights, k);
        const auto s = Sp::plus_cross(axes[k].v, stored[i].p, axes[k].w);
        x = {x.w + factor * axes[k].w, x.v + factor * s};
      }
      to.L = x;
      to.h = composite_momentum<Sp>(stored[i], Sp::trace(stored[i].E), x);
      const auto across = cross(at[i].h.v, x.v);
      to.l = (Sp::trace(at[i].E) * x.w - at[i].E * x.w) +
             Sp::plus_cross(across + across, at[i].h.w, x.w);
      to.B = Sp::plus_symmetric_outer(spin(Sp(), x.w, stored[i].E), x.v, stored[i].c);
    }
    for (int i = count - 1; i >= 0; --i) {
      if (links[i].parent < 0) continue;
      Weighted& to = weighted[links[i].parent];
      to.h = to.h + weighted[i].h;
      to.l = to.l + weighted[i].l;
      to.B = to.B + weighted[i].B;
    }
  }
  /// (2).
  CHASLES_INLINE void weighted_columns() const {
    for (int k = 0; k < nv; k += J::width) {
      const auto link = [&](int x) { return link_of[k + x < nv ? k + x : nv - 1]; };
      const auto vec = [&](const auto& of) { return J::vec([&](int x) { return of(link(x)); }); };
      const auto six = [&](const auto& of) {
        return Six<L>{vec([&](int i) { return of(i).w; }), vec([&](int i) { return of(i).v; })};
      };
      const Six<L> x = Base::get(Base::X, stride, k), psi = Base::get(Base::Psi, stride, k),
                   sum = six([&](int i) { return weighted[i].h; }),
                   hat = bracket<L>(six([&](int i) { return weighted[i].Lp; }), x);
      const auto center = vec([&](int i) { return stored[i].c; });
      const auto tensor = J::sym([&](int l) { return stored[link(l)].E; }),
                 rate = J::sym([&](int l) { return at[link(l)].E; }),
                 B = J::sym([&](int l) { return weighted[link(l)].B; });
      const T m = J::number([&](int l) { return links[link(l)].carried(); });
      const auto times_B = [&](const Six<L>& y) {
        return Six<L>{L::plus_cross(L::momentum(B, y.w), sum.v, y.v), cross(y.w, sum.v)};
      };
      const auto f = m * (hat.v + cross(hat.w, center));
      const Six<L> turned = moved<L>(x, sum),
                   push{L::plus_cross(L::momentum(tensor, hat.w), center, f), f};
      const Six<L> h = six([&](int i) { return at[i].h; });
      const auto across = cross(h.v, hat.v);
      const Six<L> rest = moved<L>(psi, sum) - times_B(psi);
      Base::put(Hat, stride, k, hat);
      Base::put(A, stride, k, push + turned);
      Base::put(C, stride, k,
                Six<L>{(rest.w +
                        (L::momentum(rate, hat.w) + L::plus_cross(across + across, h.w, hat.w))) +
                           cross(x.w, vec([&](int i) { return weighted[i].l; })),
                       rest.v});
      Base::put(D, stride, k, turned - times_B(x));
    }
  }

  /// Entry k of one array in all lanes, times the entries from j on of another.
  CHASLES_INLINE T product(const S* one, int k, const S* array, int j) const {
    const Take<T> take;
    T sum = T(one[k]) * take.get(array + j);
    for (int c = 1; c < 6; ++c)
      sum = sum + T(one[c * stride + k]) * take.get(array + c * stride + j);
    return sum;
  }
  CHASLES_INLINE static void put(S* to, int left, const T& x) {
    if (J::width == 1 || left >= J::width) {
      Take<T>().put(to, x);
    } else if constexpr (J::width > 1) {
      for (int l = 0; l < left; ++l) to[l] = x.x[l];
    }
  }
  /// Rows: first variable (q, v, a, v); columns: second variable (q, q, q, v).
  CHASLES_INLINE void entries(S* out) const {
    const std::ptrdiff_t size = std::ptrdiff_t(nv) * nv;
    for (int i = 0; i < count; ++i) {
      const auto& link = links[i];
      for (int e = link.v; e < link.v + link.nv; ++e) {
        S *qq = out + e * nv, *vq = qq + size, *uq = vq + size, *vv = uq + size;
        for (int chain = i; chain >= 0;) {
          const auto& first = links[links[chain].chain];
          const int end = links[chain].v + links[chain].nv;
          for (int k = first.v; k < end; k += J::width) {
            put(qq + k, end - k,
                product(Base::Tq, e, Hat, k) + product(A, e, Base::Psid, k) +
                    product(C, e, Base::Psi, k));
            put(vq + k, end - k, product(Base::G, e, Hat, k) + product(D, e, Base::Psi, k));
            put(uq + k, end - k, product(Base::F, e, Hat, k));
            put(vv + k, end - k, product(D, e, Base::X, k));
          }
          chain = first.parent;
        }
        const int end = link.end_v;
        for (int k = link.v + link.nv; k < end; k += J::width) {
          put(qq + k, end - k,
              product(Hat, e, Base::Tq, k) + product(Base::Psid, e, A, k) +
                  product(Base::Psi, e, C, k));
          put(vq + k, end - k, product(Base::U, e, A, k) + product(Base::X, e, C, k));
          put(uq + k, end - k, product(Base::X, e, A, k));
          put(vv + k, end - k, product(Base::X, e, D, k));
        }
      }
      if (link.nv > 1) within(i, out + 3 * size);
    }
  }
  __attribute__((noinline)) void within(int i, S* vv) const {
    for (int k = links[i].v; k < links[i].v + links[i].nv; ++k) {
      const Six<Sp> turned = moved<Sp>(Base::one(Base::X, k), weighted[i].h);
      for (int l = links[i].v; l < links[i].v + links[i].nv; ++l) {
        const Six<Sp> x = Base::one(Base::X, l);
        S& to = vv[k * nv + l];
        to = to - Sp::dot(x.w, turned.w, x.v, turned.v);
      }
    }
  }
  CHASLES_INLINE void run_contracted(S* out) const {
    Base::prepare([&] { weigh(); });
    weighted_columns();
    for (int matrix = 0; matrix < 4; ++matrix)
      clear_unrelated<Sp>(pass, out + matrix * (std::ptrdiff_t(nv) * nv));
    entries(out);
  }
};

/// Matrices by (q, q), (v, q), (a, q), (v, v), consecutively, at the accelerations pass.force and the weights
/// pass.weights.
template <class Sp>
CHASLES_FLATTEN int run_d2_contracted(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  ContractedInverse<Sp>(pass, reinterpret_cast<char*>(pass.work))
      .run_contracted(reinterpret_cast<typename Sp::S*>(pass.out));
  return -1;
}
