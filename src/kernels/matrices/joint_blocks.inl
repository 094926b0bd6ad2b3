// Read by dynamics.inl. Composite bodies, composite.inl (1) and (2), of one state with a joint in
// every lane: on the arrays of blocks.hpp. Within a block lane l hangs on lane l - 1, so composites are
// a suffix sum, and poses a prefix product, by doubling:
//
//   x_l <- x_l + x_{l+N},   (R, p)_l <- (R, p)_{l-N} (R, p)_l       N = 1, 2, ... < W
//
// then one sum per child block, one product with the pose of the parent block. Eight lanes do that;
// with four, the chain of composite.inl is as short and needs fewer products.
#pragma once

#include "kernels/joints.inl"
#include "kernels/vectors/columns.inl"

template <class Real, int W>
struct JointBlock {
  using P = Pack<Real, W>;
  P S[6], F[6];
  P R[9], p[3];  // columns
  P c[3], E[6];  // first moment and Binet tensor, then of composites
};

/// Lane l is lane l - N of a, and `fill` where there is none.
template <int N, class P, int... L>
CHASLES_INLINE P lanes_up(const P& a, const P& fill, std::integer_sequence<int, L...>) {
  constexpr int W = sizeof...(L);
  return P::of(__builtin_shufflevector(a.x, fill.x, (L >= N ? L - N : W + L)...));
}
/// Lane l is lane l + N of a, or zero.
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

  /// `count` numbers, at most N: known sizes are copied in registers.
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
  /// Lanes 0 ... l of x, zero beyond.
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

  /// T <- A T, of poses (rotation by columns, translation).
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
  template <int N>
  static CHASLES_INLINE P scan_sum(const P& x) {
    const P sum = x + lanes_down<N>(x, Index());
    if constexpr (2 * N < W)
      return scan_sum<2 * N>(sum);
    else
      return sum;
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
  /// The same from poses of single links.
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
  /// Inertias and screws about the pole, of links with these poses.
  static CHASLES_INLINE void bodies(const Block<Real, W>& block, const P* R, const P* p,
                                    Stored& to) {
    const P turn = get(block.turn), m = get(block.m);
    P z[3], h[3];
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
      const P c = R[i] * get(block.c[0]) + R[3 + i] * get(block.c[1]) + R[6 + i] * get(block.c[2]);
      to.c[i] = c + m * p[i];
      h[i] = c + (P(Real(0.5)) * m) * p[i];
    }
    P E[6];
    for (int k = 0; k < 3; ++k) {
      const int j = (k + 1) % 3;
      E[k] = P(2) * (p[k] * h[k]);
      E[3 + k] = p[k] * h[j] + p[j] * h[k];
    }
    for (int l = 0; l < 3; ++l) {  // the columns of R E, one by one
      const int next = (l + 1) % 3, last = (l + 2) % 3;
      P B[3];
      for (int i = 0; i < 3; ++i)
        B[i] = R[3 * l + i] * get(block.E[l]) + R[3 * next + i] * get(block.E[3 + l]) +
               R[3 * last + i] * get(block.E[3 + last]);
      for (int k = 0; k < 3; ++k) {
        E[k] = E[k] + B[k] * R[3 * l + k];
        E[3 + k] = E[3 + k] + B[k] * R[3 * l + (k + 1) % 3];
      }
    }
    for (int k = 0; k < 6; ++k) to.E[k] = E[k];
  }
  /// Composites, and the momenta of the screws.
  static CHASLES_INLINE void composites(const Block<Real, W>* blocks, int b, Stored* all) {
    Stored& at = all[b];
    P x[9];
    for (int k = 0; k < 9; ++k) x[k] = scan_sum<1>(k < 3 ? at.c[k] : at.E[k - 3]);
    for (int child = blocks[b].first_child; child >= 0; child = blocks[child].next) {
      const Stored& from = all[child];
      for (int k = 0; k < 9; ++k)
        x[k] = x[k] + up_to(blocks[child].lane, lane(k < 3 ? from.c[k] : from.E[k - 3], 0));
    }
    for (int k = 0; k < 3; ++k) at.c[k] = x[k];
    for (int k = 0; k < 6; ++k) at.E[k] = x[3 + k];
    const P *c = x, *E = x + 3, *z = at.S, *s = at.S + 3;
    const P m = get(blocks[b].composite), trace = E[0] + E[1] + E[2];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;  // E[3 + i] is that of i, j; E[3 + k] of k, i
      at.F[i] =
          (c[j] * s[k] - c[k] * s[j]) + ((trace - E[i]) * z[i] - E[3 + i] * z[j] - E[3 + k] * z[k]);
      at.F[3 + i] = m * s[i] - (c[j] * z[k] - c[k] * z[j]);
    }
  }
};
