// Included by dynamics.inl. Transposes states between rows and blocks of lanes, in square tiles of registers.
#pragma once

#include "kernels/vectors/lanes.inl"

/// Exchanges, between two rows, the columns whose index has the bit `Bit` set with those where it is clear.
template <int Bit, class V, int... K>
CHASLES_INLINE void exchange(V& a, V& b, std::integer_sequence<int, K...>) {
  constexpr int n = sizeof...(K);
  const V low = __builtin_shufflevector(a, b, ((K & Bit) ? n + K - Bit : K)...);
  b = __builtin_shufflevector(a, b, ((K & Bit) ? n + K : K + Bit)...);
  a = low;
}
template <int Bit, class V, int N>
CHASLES_INLINE void exchange_all(V (&rows)[N]) {
  if constexpr (Bit > 0) {
    for (int i = 0; i < N; ++i)
      if (!(i & Bit)) exchange<Bit>(rows[i], rows[i + Bit], std::make_integer_sequence<int, N>());
    exchange_all<Bit / 2>(rows);
  }
}

/// Transposes N rows of N numbers.
template <class Real, int N>
CHASLES_INLINE void transpose(const Real* const (&from)[N], Real* const (&to)[N]) {
  using V = typename Pack<Real, N>::V;
  V rows[N];
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) __builtin_memcpy(&rows[i], from[i], sizeof(V));
  exchange_all<N / 2>(rows);
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) __builtin_memcpy(to[i], &rows[i], sizeof(V));
}

template <class Sp>
struct Transposition {
  using Real = typename Sp::Real;
  static constexpr int N = Sp::lanes;

  /// Applies `square` to tiles of N out of n entries; the last tile overlaps the one before.
  template <class Square>
  static CHASLES_INLINE void squares(int n, const Square& square) {
    for (int e = 0; e + N <= n; e += N) square(e);
    if (n % N != 0) square(n - N);
  }
  /// The first `used` of N rows of n numbers; the other lanes repeat the last.
  static CHASLES_FLATTEN void gather(const Real* rows, int n, int used, Real* block) {
    const auto row = [&](int l) {
      return rows + static_cast<std::ptrdiff_t>(l < used ? l : used - 1) * n;
    };
    if constexpr (N > 1)
      if (n >= N) {
        squares(n, [&](int e) {
          const Real* from[N];
          Real* to[N];
          for (int l = 0; l < N; ++l) from[l] = row(l) + e, to[l] = block + (e + l) * N;
          transpose<Real, N>(from, to);
        });
        return;
      }
    for (int l = 0; l < N; ++l)
      for (int e = 0; e < n; ++e) block[e * N + l] = row(l)[e];
  }
  static CHASLES_FLATTEN void scatter(const Real* block, int n, int used, Real* rows) {
    if constexpr (N > 1)
      if (n >= N && used == N) {
        squares(n, [&](int e) {
          const Real* from[N];
          Real* to[N];
          for (int l = 0; l < N; ++l)
            from[l] = block + (e + l) * N, to[l] = rows + static_cast<std::ptrdiff_t>(l) * n + e;
          transpose<Real, N>(from, to);
        });
        return;
      }
    for (int l = 0; l < used; ++l)
      for (int e = 0; e < n; ++e) rows[static_cast<std::ptrdiff_t>(l) * n + e] = block[e * N + l];
  }
};
