// Products of square joint-by-joint matrices, in blocks of columns.
#pragma once

#include "kernels/vectors/columns.inl"
#include "kernels/vectors/joint_lanes.inl"

/// Calls body(N, take, j) for N registers starting at column j; remaining columns one at a time.
template <class Sp, int Most, class Body>
CHASLES_INLINE void for_blocks(int begin, int end, const Body& body) {
  constexpr int width = Joints<Sp>::width;
  const Take<typename Joints<Sp>::T> take;
  int j = begin;
  for (; j + Most * width <= end; j += Most * width)
    body(std::integral_constant<int, Most>(), take, j);
  for (; j + width <= end; j += width) body(std::integral_constant<int, 1>(), take, j);
  for (; j < end; ++j) body(std::integral_constant<int, 1>(), Take<typename Sp::S>(), j);
}

/// to = -A^T B, n x n, summed over `terms` rows: row(k) of A and row k of B.
template <class Sp, class Row>
CHASLES_INLINE void minus_product(const typename Sp::S* A, const typename Sp::S* B, int n,
                                  typename Sp::S* to, int terms, const Row& row) {
  constexpr int width = Joints<Sp>::width, most = width > 1 ? 4 : 2;
  const auto rows = [&](auto number, int i) {
    for_blocks<Sp, 2>(0, n, [&](auto blocks, auto take, int j) {
      constexpr int N = decltype(blocks)::value, R = decltype(number)::value;
      using T = decltype(take.get(B));
      T sum[R][N];
      for (auto& of_row : sum)
        for (T& x : of_row) x = T(typename Sp::Real(0));
      for (int k = 0; k < terms; ++k) {
        const auto *a = A + row(k) * n + i, *b = B + k * n + j;
        T from[N];
        for (int x = 0; x < N; ++x) from[x] = take.get(b + x * width);
        for (int r = 0; r < R; ++r)
          for (int x = 0; x < N; ++x) sum[r][x] = sum[r][x] - T(a[r]) * from[x];
      }
      for (int r = 0; r < R; ++r)
        for (int x = 0; x < N; ++x) take.put(to + (i + r) * n + j + x * width, sum[r][x]);
    });
  };
  int i = 0;
  for (; i + most <= n; i += most) rows(std::integral_constant<int, most>(), i);
  for (; i < n; ++i) rows(std::integral_constant<int, 1>(), i);
}
