// Included by dynamics.inl. Loops over the columns of a matrix; transposition.
#pragma once

#include "kernels/vectors/lanes.inl"
#include "kernels/vectors/pack.inl"
#include "kernels/vectors/quad.inl"

/// A pack at an unaligned address.
template <class S, class Real>
struct Loose {
  Real numbers[sizeof(S) / sizeof(Real)];
  CHASLES_INLINE operator S() const {
    S s;
    __builtin_memcpy(&s, numbers, sizeof(S));
    return s;
  }
  CHASLES_INLINE Loose& operator=(const S& s) {
    __builtin_memcpy(numbers, &s, sizeof(S));
    return *this;
  }
};
/// An entry of a result array, which may be unaligned.
template <class S>
struct ResultOf {
  using Type = S;
};
template <class Real, int N>
struct ResultOf<Pack<Real, N>> {
  using Type = Loose<Pack<Real, N>, Real>;
};
template <class Real>
struct ResultOf<Pack<Real, 1>> {
  using Type = Pack<Real, 1>;
};
template <class Sp>
using Result = typename ResultOf<typename Sp::S>::Type;

/// Access to matrix columns in a loop: one by one, or four at a time.
template <class T>
struct Take {
  template <class S>
  CHASLES_INLINE T get(const S* p) const {
    T t;
    __builtin_memcpy(&t, p, sizeof(T));
    return t;
  }
  template <class S>
  CHASLES_INLINE void put(S* p, const T& t) const {
    __builtin_memcpy(p, &t, sizeof(T));
  }
};
/// Access to the first `count` of four columns; the others are written back unchanged.
template <class Real>
struct TakeSome {
  using T = Pack<Real, 4>;
  typename T::V mask;  // all bits set in the first `count`
  CHASLES_INLINE explicit TakeSome(int count) {
    using I = typename SinCosConstants<Real>::Integer;
    typedef I IV __attribute__((vector_size(4 * sizeof(Real))));
    const I n = count;
    mask = bits<typename T::V>(IV{0, 1, 2, 3} < (n - IV{}));
  }
  CHASLES_INLINE T get(const Real* p) const { return Take<T>().get(p); }
  CHASLES_INLINE void put(Real* p, const T& t) const {
    using I = typename SinCosConstants<Real>::Integer;
    typedef I IV __attribute__((vector_size(4 * sizeof(Real))));
    const IV m = bits<IV>(mask), old = bits<IV>(get(p).x);
    Take<T>().put(p, T::of(bits<typename T::V>((bits<IV>(t.x) & m) | (old & ~m))));
  }
};
template <class Sp>
inline constexpr bool takes_four = false;
template <class Real>
inline constexpr bool takes_four<Quad<Real>> = true;

/// Calls body(take, j) for columns begin ... end - 1. The storage has room for four numbers after the last
/// column, which may be overwritten.
template <class Sp, class Body>
CHASLES_INLINE void for_columns(int begin, int end, int n, const Body& body) {
  using Real = typename Sp::Real;
  int j = begin;
  if constexpr (takes_four<Sp>) {
    for (; j + 4 <= end; j += 4) body(Take<Pack<Real, 4>>(), j);
    if (j < end) {
      if (end == n)
        body(Take<Pack<Real, 4>>(), j);
      else
        body(TakeSome<Real>(end - j), j);
    }
  } else {
    for (; j < end; ++j) body(Take<typename Sp::S>(), j);
  }
}
/// Column storage for these loops.
template <class Sp>
constexpr int padded_columns(int n) {
  return takes_four<Sp> ? (n + 3) / 4 * 4 + 4 : n;
}

/// Transposes 4 x 4 numbers.
template <class Real>
CHASLES_INLINE void transpose_four(const Real* from, int from_row, Real* to, int to_row) {
  using P = Pack<Real, 4>;
  const Take<P> take;
  const auto a = take.get(from).x, b = take.get(from + from_row).x,
             c = take.get(from + 2 * from_row).x, d = take.get(from + 3 * from_row).x;
  const auto ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7),
             cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6),
             cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  take.put(to, P::of(__builtin_shufflevector(ab0, cd0, 0, 1, 4, 5)));
  take.put(to + to_row, P::of(__builtin_shufflevector(ab1, cd1, 0, 1, 4, 5)));
  take.put(to + 2 * to_row, P::of(__builtin_shufflevector(ab0, cd0, 2, 3, 6, 7)));
  take.put(to + 3 * to_row, P::of(__builtin_shufflevector(ab1, cd1, 2, 3, 6, 7)));
}
/// Completes a symmetric n x n matrix from one triangle.
template <class Sp, bool Lower, class Entry>
CHASLES_INLINE void mirror(Entry* M, int n) {
  // In strips of rows that fill cache lines; for one state in blocks of 4 x 4.
  constexpr int strip = takes_four<Sp> ? 4 : 8;
  const auto copy = [&](int i, int j) {  // i > j
    auto &lower = M[i * n + j], &upper = M[j * n + i];
    if constexpr (Lower)
      upper = lower;
    else
      lower = upper;
  };
  for (int k = 0; k < n; k += strip) {
    const int end = k + strip < n ? k + strip : n;
    int j = 0;
    if constexpr (takes_four<Sp>)
      if (end - k == strip)
        for (; j < k; j += strip) {
          auto *lower = M + k * n + j, *upper = M + j * n + k;
          transpose_four(Lower ? lower : upper, n, Lower ? upper : lower, n);
        }
    for (; j < k; ++j)
      for (int i = k; i < end; ++i) copy(i, j);
    for (int i = k; i < end; ++i)
      for (j = k; j < i; ++j) copy(i, j);
  }
}
/// The same, from rows with a stride of `row` numbers.
template <class Sp>
CHASLES_INLINE void write_symmetric(const typename Sp::S* upper, int row, int n,
                                    typename Sp::S* out) {
  if (upper != out)
    for (int i = 0; i < n; ++i) {
      int j = i;
      if constexpr (takes_four<Sp>)
        for (const Take<Pack<typename Sp::Real, 4>> take; j + 4 <= n; j += 4)
          take.put(out + i * n + j, take.get(upper + i * row + j));
      for (; j < n; ++j) out[i * n + j] = upper[i * row + j];
    }
  mirror<Sp, false>(out, n);
}
/// Storage in which for_columns computes a symmetric matrix: padded after the last column, or in place.
template <class Sp>
CHASLES_INLINE typename Sp::S* triangle(typename Sp::S* work, typename Sp::Real* out) {
  if constexpr (takes_four<Sp>)
    return work;
  else
    return reinterpret_cast<typename Sp::S*>(out);
}
