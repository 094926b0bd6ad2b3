// Included by dynamics.inl. Packs: numbers of several states in one register, with sine and cosine.
//
// Templates of other headers are instantiated only with types of this namespace: instances shared between
// units could be linked with the instructions of the wrong unit.
#pragma once

// Sanitizers instrument every operation: inlined kernels would take minutes to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(CHASLES_SMALL)
#define CHASLES_INLINE inline
#define CHASLES_FLATTEN
#else
#define CHASLES_INLINE inline __attribute__((always_inline))
#define CHASLES_FLATTEN __attribute__((flatten))
#endif

/// Compile-time flags. std::true_type is not used: its conversion to bool would be a symbol shared between
/// units.
struct Yes {
  static constexpr bool value = true;
  CHASLES_INLINE constexpr operator bool() const { return true; }
};
struct No {
  static constexpr bool value = false;
  CHASLES_INLINE constexpr operator bool() const { return false; }
};

/// N numbers, one per state.
template <class Real, int N>
struct Pack {
  typedef Real V __attribute__((vector_size(N * sizeof(Real))));
  V x;
  Pack() = default;
  CHASLES_INLINE Pack(Real a) : x(a - V{}) {}
  static CHASLES_INLINE Pack of(const V& a) {
    Pack p;
    p.x = a;
    return p;
  }
  friend CHASLES_INLINE Pack operator+(Pack a, Pack b) { return of(a.x + b.x); }
  friend CHASLES_INLINE Pack operator-(Pack a, Pack b) { return of(a.x - b.x); }
  friend CHASLES_INLINE Pack operator-(Pack a) { return of(-a.x); }
  friend CHASLES_INLINE Pack operator*(Pack a, Pack b) { return of(a.x * b.x); }
  friend CHASLES_INLINE Pack operator/(Pack a, Pack b) { return of(a.x / b.x); }
  CHASLES_INLINE Pack& operator+=(Pack b) { return *this = *this + b; }
  CHASLES_INLINE Pack& operator-=(Pack b) { return *this = *this - b; }
};

/// One number: for machines without wide registers, one state.
template <class Real>
struct Pack<Real, 1> {
  Real x;
  Pack() = default;
  CHASLES_INLINE Pack(Real a) : x(a) {}
  friend CHASLES_INLINE Pack operator+(Pack a, Pack b) { return a.x + b.x; }
  friend CHASLES_INLINE Pack operator-(Pack a, Pack b) { return a.x - b.x; }
  friend CHASLES_INLINE Pack operator-(Pack a) { return -a.x; }
  friend CHASLES_INLINE Pack operator*(Pack a, Pack b) { return a.x * b.x; }
  friend CHASLES_INLINE Pack operator/(Pack a, Pack b) { return a.x / b.x; }
  CHASLES_INLINE Pack& operator+=(Pack b) { return *this = *this + b; }
  CHASLES_INLINE Pack& operator-=(Pack b) { return *this = *this - b; }
};

template <class To, class From>
CHASLES_INLINE To bits(const From& from) {
  return __builtin_bit_cast(To, from);
}

/// Whether every lane exceeds the bound; false if any is NaN.
template <class Real, int N>
CHASLES_INLINE bool all_above(Pack<Real, N> a, Pack<Real, N> bound) {
#ifdef __AVX512F__
  constexpr int greater = 30, current_rounding = 4;
  if constexpr (sizeof(a) == 64 && N == 8)
    return static_cast<unsigned char>(
               __builtin_ia32_cmppd512_mask(a.x, bound.x, greater, 0xff, current_rounding)) == 0xff;
  if constexpr (sizeof(a) == 64 && N == 16)
    return static_cast<unsigned short>(__builtin_ia32_cmpps512_mask(a.x, bound.x, greater, 0xffff,
                                                                    current_rounding)) == 0xffff;
#endif
  const auto above = a.x > bound.x;
#ifdef __AVX2__
  using Bytes32 = char __attribute__((vector_size(32)));
  if constexpr (sizeof(above) == 32) return __builtin_ia32_pmovmskb256(bits<Bytes32>(above)) == -1;
#endif
#ifdef __SSE2__
  using Bytes16 = char __attribute__((vector_size(16)));
  if constexpr (sizeof(above) == 16)
    return __builtin_ia32_pmovmskb128(bits<Bytes16>(above)) == 0xffff;
#endif
  bool all = true;
  for (int i = 0; i < N; ++i) all &= above[i] != 0;
  return all;
}

template <class Real>
struct SinCosConstants;
/// Cody-Waite reduction in three parts, then the polynomials of fdlibm: 1 ulp.
template <>
struct SinCosConstants<double> {
  using Integer = long long;
  static constexpr double round = 6755399441055744.0, range = 1e5;
  static constexpr double part[3] = {1.57079632673412561417, 6.07710050630396597660e-11,
                                     2.02226624879595063154e-21};
  static constexpr double s[6] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                                  -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                  -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  static constexpr double c[6] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                  2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                  2.08757232129817482790e-09, -1.13596475577881948265e-11};
};
template <>
struct SinCosConstants<float> {
  using Integer = int;
  static constexpr float round = 12582912.0f, range = 1e3f;
  static constexpr float part[3] = {1.5703125f, 4.837512969970703125e-4f, 7.549789948768648e-8f};
  static constexpr float s[3] = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
  static constexpr float c[3] = {4.166664568298827e-2f, -1.388731625493765e-3f,
                                 2.443315711809948e-5f};
};

template <class Real, int N>
CHASLES_INLINE void sincos(Pack<Real, N> angle, Pack<Real, N>& sine, Pack<Real, N>& cosine) {
  using K = SinCosConstants<Real>;
  using V = typename Pack<Real, N>::V;
  typedef typename K::Integer I __attribute__((vector_size(N * sizeof(Real))));
  const V a = angle.x, shifted = a * Real(0.63661977236758134308) + K::round;
  const V k = shifted - K::round;
  const I quadrant = bits<I>(shifted);
  const V near = a - k * K::part[0], part = k * K::part[1];
  const V r = near - part, tail = ((near - r) - part) - k * K::part[2];
  const V z = r * r, y = z * z, half = Real(0.5) * z, rest = 1 - half;
  V s_poly, c_poly;
  if constexpr (sizeof(Real) == 8) {
    s_poly = (K::s[0] + z * K::s[1]) + y * ((K::s[2] + z * K::s[3]) + y * (K::s[4] + z * K::s[5]));
    c_poly = (K::c[0] + z * K::c[1]) + y * ((K::c[2] + z * K::c[3]) + y * (K::c[4] + z * K::c[5]));
  } else {
    s_poly = K::s[0] + z * (K::s[1] + z * K::s[2]);
    c_poly = K::c[0] + z * (K::c[1] + z * K::c[2]);
  }
  const V s = r + (tail + r * z * s_poly);
  const V c = rest + (((1 - rest) - half) + (y * c_poly - r * tail));
  constexpr int sign = 8 * sizeof(Real) - 2;
  const I s_bits = bits<I>(s), c_bits = bits<I>(c);
  const I swap = (s_bits ^ c_bits) & (0 - (quadrant & 1));
  sine.x = bits<V>((s_bits ^ swap) ^ ((quadrant & 2) << sign));
  cosine.x = bits<V>((c_bits ^ swap) ^ (((quadrant + 1) & 2) << sign));
  const V size = bits<V>(bits<I>(a) & ~(I{} + (typename K::Integer(2) << sign)));
  if (!all_above(Pack<Real, N>(K::range), Pack<Real, N>::of(size))) [[unlikely]]
    for (int i = 0; i < N; ++i) {
      sine.x[i] = Real(__builtin_sin(double(a[i])));
      cosine.x[i] = Real(__builtin_cos(double(a[i])));
    }
}

template <class Real>
CHASLES_INLINE bool all_above(Pack<Real, 1> a, Pack<Real, 1> bound) {
  return a.x > bound.x;
}
template <class Real>
CHASLES_INLINE bool all_above(Real a, Real bound) {
  return a > bound;
}
template <class Real, int N>
CHASLES_INLINE Pack<Real, N> larger(Pack<Real, N> a, Pack<Real, N> b) {
  return Pack<Real, N>::of(a.x > b.x ? a.x : b.x);
}
template <class Real>
CHASLES_INLINE Pack<Real, 1> larger(Pack<Real, 1> a, Pack<Real, 1> b) {
  return a.x > b.x ? a : b;
}
template <class Real>
CHASLES_INLINE Real larger(Real a, Real b) {
  return a > b ? a : b;
}
/// Relative thresholds for pivots in articulated.inl: treated as zero; accumulated rounding error (a few
/// dozen roundings).
template <class Real>
inline constexpr Real singular = Real(sizeof(Real) == 4 ? 1e-6 : 1e-13);
template <class Real>
inline constexpr Real rounding = Real(sizeof(Real) == 4 ? 4e-6 : 1e-14);
