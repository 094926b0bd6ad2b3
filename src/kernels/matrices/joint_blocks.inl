// Included by dynamics.inl. Composite bodies, mass_matrix.inl (1) and (2), of one state with one joint per
// lane, on the arrays of blocks.hpp. Within a block, lane l - 1 is the parent of lane l, so composites are
// joined from the end, and poses multiplied from the beginning, by recursive doubling:
//
//   x_l <- x_l joined with x_{l+N},   (R, p)_l <- (R, p)_{l-N} (R, p)_l       N = 1, 2, ... < W
//
// then child blocks are joined, and poses multiplied by the pose of the parent block. Used with eight lanes;
// with four, the recursion of composite.inl has the same depth and needs fewer products.
#pragma once

#include "kernels/joints.inl"
#include "kernels/vectors/columns.inl"

template <class Real, int W>
struct JointBlock {
  using P = Pack<Real, W>;
  P S[6], F[6];
  P R[9], p[3];  // columns of the rotation; translation
  P c[3], E[6];  // center of mass and Binet tensor about it, later of composites
};

/// Shifts lanes up by N: lane l gets lane l - N of a, or `fill`.
template <int N, class P, int... L>
CHASLES_INLINE P lanes_up(const P& a, const P& fill, std::integer_sequence<int, L...>) {
  constexpr int W = sizeof...(L);
  return P::of(__builtin_shufflevector(a.x, fill.x, (L >= N ? L - N : W + L)...));
}
/// Shifts lanes down by N: lane l gets lane l + N of a, or zero.
template <int N, class P, int... L>
CHASLES_INLINE P lanes_down(const P& a, std::integer_sequence<int, L...>) {
  constexpr int W = sizeof...(L);
  const typename P::V zero{};
  return P::of(__builtin_shufflevector(a.x, zero, (L + N < W ? L + N : W + L)...));
}

template <class Real, int W>
struct JointBlocks {
  using P = Pack<Real, W>;
  using V = typename P::V;
  using Index = std::make_integer_sequence<int, W>;
  using Int = typename SinCosConstants<Real>::Integer;
  typedef Int IV __attribute__((vector_size(W * sizeof(Real))));
  using Stored = JointBlock<Real, W>;

  /// Copies `count` <= N numbers by branches on fixed sizes, in registers.
  template <int N>
  static CHASLES_INLINE void copy_some(int count, const void* from, void* to) {
    if (N == 1 || count == N)
      __builtin_memcpy(to, from, N * sizeof(Real));
    else if constexpr (N > 1)
      copy_some<N - 1>(count, from, to);
  }
  static CHASLES_INLINE P get(const Real* x) { return Take<P>().get(x); }
  template <int... L>
  static CHASLES_INLINE IV count_up(std::integer_sequence<int, L...>) {
    return IV{L...};
  }
  /// Lanes 0 ... l of x, zero in the others.
  static CHASLES_INLINE P up_to(int l, const P& x) {
    return P::of(bits<V>(bits<IV>(x.x) & (count_up(Index()) <= Int(l))));
  }
  static CHASLES_INLINE P lane(const P& x, int l) {
    return P(reinterpret_cast<const Real*>(&x)[l]);
  }

  static CHASLES_INLINE void transpose(P* x) requires(W == 4) {
    const auto a = __builtin_shufflevector(x[0].x, x[1].x, 0, 4, 2, 6),
               b = __builtin_shufflevector(x[0].x, x[1].x, 1, 5, 3, 7),
               c = __builtin_shufflevector(x[2].x, x[3].x, 0, 4, 2, 6),
               d = __builtin_shufflevector(x[2].x, x[3].x, 1, 5, 3, 7);
    x[0].x = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1].x = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2].x = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3].x = __builtin_shufflevector(b, d, 2, 3, 6, 7);
  }

  /// T <- A T, for poses (rotation by columns, translation).
  static CHASLES_INLINE void compose(const P* A, const P* a, P* T, P* t) {
    for (int j = 0; j < 3; ++j) {
      const P x = T[3 * j], y = T[3 * j + 1], z = T[3 * j + 2];
      for (int i = 0; i < 3; ++i) T[3 * j + i] = A[i] * x + A[3 + i] * y + A[6 + i] * z;
    }
    const P x = t[0], y = t[1], z = t[2];
    for (int i = 0; i < 3; ++i) t[i] = a[i] + (A[i] * x + A[3 + i] * y + A[6 + i] * z);
  }
  template <int N>
  static CHASLES_INLINE void scan_poses(P* T, P* t) {
    P A[9], a[3];
    const P zero(0), one(1);
    for (int k = 0; k < 9; ++k) A[k] = lanes_up<N>(T[k], k % 4 == 0 ? one : zero, Index());
    for (int k = 0; k < 3; ++k) a[k] = lanes_up<N>(t[k], zero, Index());
    compose(A, a, T, t);
    if constexpr (2 * N < W) scan_poses<2 * N>(T, t);
  }
  /// Joins (c, E) with (b, B), whose center is at b - c from c. E already holds E + B.
  static CHASLES_INLINE void join(P* c, P* E, const P* b, const P& part, const P& mu) {
    P d[3], e[3];
    for (int i = 0; i < 3; ++i) d[i] = b[i] - c[i];
    for (int i = 0; i < 3; ++i) e[i] = mu * d[i];
    for (int i = 0; i < 3; ++i) {
      c[i] = c[i] + part * d[i];
      E[i] = E[i] + e[i] * d[i];
      E[3 + i] = E[3 + i] + e[i] * d[(i + 1) % 3];
    }
  }
  template <int N, int Number = 0>
  static CHASLES_INLINE void scan_join(const Block<Real, W>& block, P* c, P* E) {
    P b[3];
    for (int k = 0; k < 3; ++k) b[k] = lanes_down<N>(c[k], Index());
    for (int k = 0; k < 6; ++k) E[k] = E[k] + lanes_down<N>(E[k], Index());
    join(c, E, b, get(block.part[Number]), get(block.mu[Number]));
    if constexpr (2 * N < W) scan_join<2 * N, Number + 1>(block, c, E);
  }

  static CHASLES_INLINE void poses(const Block<Real, W>& block, const P& q, const Stored* all,
                                   Stored& to) {
    P s, c, T[9], t[3];
    sincos(get(block.angle) * q, s, c);
    for (int i = 0; i < 3; ++i) {
      const P x = get(block.C[0][i]), y = get(block.C[1][i]);
      T[i] = c * x + s * y;
      T[3 + i] = c * y - s * x;
      T[6 + i] = get(block.C[2][i]);
      t[i] = get(block.r[i]);
    }
    if (!block.turns) {
      const P d = get(block.slide) * q;
      for (int i = 0; i < 3; ++i) t[i] = t[i] + d * T[6 + i];
    }
    scan_poses<1>(T, t);
    if (block.parent >= 0) {
      const Stored& from = all[block.parent];
      P A[9], a[3];
      for (int k = 0; k < 9; ++k) A[k] = lane(from.R[k], block.lane);
      for (int k = 0; k < 3; ++k) a[k] = lane(from.p[k], block.lane);
      compose(A, a, T, t);
    }
    for (int k = 0; k < 9; ++k) to.R[k] = T[k];
    for (int k = 0; k < 3; ++k) to.p[k] = t[k];
  }
  /// The same, from poses of single links.
  static CHASLES_INLINE void gather(const Block<Real, W>& block,
                                    const CompositeLink<Quad<Real>>* links, P* R,
                                    P* p) requires(W == 4) {
    const CompositeLink<Quad<Real>>* at[W];
    for (int l = 0; l < W; ++l) at[l] = links + block.link + (l < block.count ? l : 0);
    const auto take = [&](auto member, P* to) {
      P x[4];
      for (int l = 0; l < 4; ++l) x[l].x = member(*at[l]).v;
      transpose(x);
      for (int k = 0; k < 3; ++k) to[k] = x[k];
    };
    take([](const auto& a) { return a.R.c0; }, R);
    take([](const auto& a) { return a.R.c1; }, R + 3);
    take([](const auto& a) { return a.R.c2; }, R + 6);
    take([](const auto& a) { return a.p; }, p);
  }
  /// Screws about the reference point, and bodies about their centers of mass, of links with these poses.
  static CHASLES_INLINE void bodies(const Block<Real, W>& block, const P* R, const P* p,
                                    Stored& to) {
    const P turn = get(block.turn);
    P z[3];
    for (int i = 0; i < 3; ++i) to.S[i] = z[i] = turn * R[6 + i];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      to.S[3 + i] = p[j] * z[k] - p[k] * z[j];
    }
    if (!block.turns) {
      const P pitch = get(block.pitch);
      for (int i = 0; i < 3; ++i) to.S[3 + i] = to.S[3 + i] + pitch * R[6 + i];
    }
    for (int i = 0; i < 3; ++i) {
      to.c[i] = p[i] + (R[i] * get(block.com[0]) + R[3 + i] * get(block.com[1]) +
                        R[6 + i] * get(block.com[2]));
      if constexpr (W == 4) to.p[i] = p[i];
    }
    P E[6];
    for (int l = 0; l < 3; ++l) {  // the columns of R E, one at a time
      const int next = (l + 1) % 3, last = (l + 2) % 3;
      P B[3];
      for (int i = 0; i < 3; ++i)
        B[i] = R[3 * l + i] * get(block.E[l]) + R[3 * next + i] * get(block.E[3 + l]) +
               R[3 * last + i] * get(block.E[3 + last]);
      for (int k = 0; k < 3; ++k) {
        const P own = B[k] * R[3 * l + k], beside = B[k] * R[3 * l + (k + 1) % 3];
        E[k] = l == 0 ? own : E[k] + own;
        E[3 + k] = l == 0 ? beside : E[3 + k] + beside;
      }
    }
    for (int k = 0; k < 6; ++k) to.E[k] = E[k];
  }
  /// Composites and the momenta of the screws.
  static CHASLES_INLINE void composites(const Block<Real, W>* blocks, int b, Stored* all) {
    Stored& at = all[b];
    P c[3], E[6];
    for (int k = 0; k < 3; ++k) c[k] = at.c[k];
    for (int k = 0; k < 6; ++k) E[k] = at.E[k];
    scan_join<1>(blocks[b], c, E);
    for (int child = blocks[b].first_child; child >= 0; child = blocks[child].next) {
      const Block<Real, W>& block = blocks[child];
      const Stored& from = all[child];
      P head[3];
      for (int k = 0; k < 3; ++k) head[k] = lane(from.c[k], 0);
      for (int k = 0; k < 6; ++k) E[k] = E[k] + up_to(block.lane, lane(from.E[k], 0));
      join(c, E, head, get(block.parent_part), get(block.parent_mu));
    }
    for (int k = 0; k < 3; ++k) at.c[k] = c[k];
    for (int k = 0; k < 6; ++k) at.E[k] = E[k];
    const P *z = at.S, m = get(blocks[b].composite);
    P way[3],
        f[3];  // lever arm: from the link origin if revolute, otherwise from the reference point
    for (int i = 0; i < 3; ++i) way[i] = blocks[b].turns ? c[i] - at.p[i] : c[i];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const P turned = z[j] * way[k] - z[k] * way[j];
      at.F[3 + i] = f[i] = m * (blocks[b].turns ? turned : turned + at.S[3 + i]);
    }
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;  // E[3 + i] is E_ij, E[3 + k] is E_ki
      at.F[i] =
          ((E[j] + E[k]) * z[i] - E[3 + i] * z[j] - E[3 + k] * z[k]) + (c[j] * f[k] - c[k] * f[j]);
    }
  }
};
