// Included by dynamics.inl. Two ways to hold the vectors of a kernel, with one vocabulary, so that a
// kernel is written once:
//
//   Lanes<S, Real>   x, y, z are scalars S: a pack of one number per state, or a counting scalar
//   Quad<Real>       one state: (x, y, z, unused) is a SIMD register
//
// Nothing here may leave the translation unit: a function shared by units would run with the
// instructions of either. So everything is in an unnamed namespace, and templates of lie/ are
// instantiated with types of this namespace only.

#define CHASLES_INLINE inline __attribute__((always_inline))

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

template <class To, class From>
CHASLES_INLINE To bits(const From& from) {
  return __builtin_bit_cast(To, from);
}

/// Every lane is above the bound; false where one is not a number.
template <class Real, int N>
CHASLES_INLINE bool all_above(Pack<Real, N> a, Pack<Real, N> bound) {
  const auto above = a.x > bound.x;
#ifdef __AVX2__
  using Bytes = char __attribute__((vector_size(32)));
  if constexpr (sizeof(above) == 32) return __builtin_ia32_pmovmskb256(bits<Bytes>(above)) == -1;
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

template <class S_, class Real_>
struct Lanes {
  using S = S_;
  using Real = Real_;
  using Vec = lie::Vec3<S>;
  using Mat = lie::Mat3<S>;
  using Sym = lie::Sym3<S>;
  using Block = Sym;  // symmetric blocks of articulated inertias
  static constexpr int lanes = sizeof(S) / sizeof(Real);

  static CHASLES_INLINE S load(const Real* p, int i) {
    S s;
    __builtin_memcpy(&s, p + i * lanes, sizeof(S));
    return s;
  }
  static CHASLES_INLINE void store(Real* p, int i, const S& s) {
    __builtin_memcpy(p + i * lanes, &s, sizeof(S));
  }
  static CHASLES_INLINE Vec load_vec(const Real* p, int i) {
    return {load(p, i), load(p, i + 1), load(p, i + 2)};
  }
  static CHASLES_INLINE void store_vec(Real* p, int i, const Vec& a) {
    store(p, i, a.x), store(p, i + 1, a.y), store(p, i + 2, a.z);
  }

  static CHASLES_INLINE Vec vec(const S& x, const S& y, const S& z) { return {x, y, z}; }
  static CHASLES_INLINE Vec constant(const Real* p) { return {S(p[0]), S(p[1]), S(p[2])}; }
  static CHASLES_INLINE S x(const Vec& a) { return a.x; }
  static CHASLES_INLINE S y(const Vec& a) { return a.y; }
  static CHASLES_INLINE S z(const Vec& a) { return a.z; }
  /// a + s e_z.
  static CHASLES_INLINE Vec add_z(const Vec& a, const S& s) { return {a.x, a.y, a.z + s}; }
  /// a x (s e_z).
  static CHASLES_INLINE Vec cross_z(const Vec& a, const S& s) {
    return {a.y * s, -(a.x * s), S(0)};
  }
  static CHASLES_INLINE Vec times(const Mat& M, const Real* p) { return M * constant(p); }
  /// Both ways through a rotation.
  using Rotation = Mat;
  static CHASLES_INLINE Rotation rotation(const Mat& R) { return R; }
  static CHASLES_INLINE const Mat& matrix(const Rotation& R) { return R; }
  static CHASLES_INLINE Vec forward(const Rotation& R, const Vec& a) { return R * a; }
  static CHASLES_INLINE Vec back(const Rotation& R, const Vec& a) { return transpose_times(R, a); }

  // Sums are written so that every product but the first is fused with an addition.
  /// a + b x c.
  static CHASLES_INLINE Vec plus_cross(const Vec& a, const Vec& b, const Vec& c) {
    return a + cross(b, c);
  }
  /// a + M b.
  static CHASLES_INLINE Vec plus_times(const Vec& a, const Mat& M, const Vec& b) {
    return a + M * b;
  }
  /// alpha~ + w~ w~.
  static CHASLES_INLINE Mat omega(const Vec& w, const Vec& al) {
    const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    const S xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return {{-(yy + zz), xy + al.z, xz - al.y},
            {xy - al.z, -(xx + zz), yz + al.x},
            {xz + al.y, yz - al.x, -(xx + yy)}};
  }
  /// c x a + I al + w x I w of a body: the rotational part is the skew part of Omega E, I = t 1 - E.
  static CHASLES_INLINE Vec moment(const Vec& c, const Vec& a, const Mat& O, const Sym& E, const S&,
                                   const Vec&, const Vec&) {
    return {(c.y * a.z - c.z * a.y) + ((O.c0.z * E.xy + O.c1.z * E.yy + O.c2.z * E.yz) -
                                       (O.c0.y * E.xz + O.c1.y * E.yz + O.c2.y * E.zz)),
            (c.z * a.x - c.x * a.z) + ((O.c0.x * E.xz + O.c1.x * E.yz + O.c2.x * E.zz) -
                                       (O.c0.z * E.xx + O.c1.z * E.xy + O.c2.z * E.xz)),
            (c.x * a.y - c.y * a.x) + ((O.c0.y * E.xx + O.c1.y * E.xy + O.c2.y * E.xz) -
                                       (O.c0.x * E.xy + O.c1.x * E.yy + O.c2.x * E.yz))};
  }

  static CHASLES_INLINE Sym sym(const Real* diag, const Real* off) {
    return {S(diag[0]), S(off[0]), S(off[2]), S(diag[1]), S(off[1]), S(diag[2])};
  }
  /// R a R^T with constant a.
  static CHASLES_INLINE Sym rotated(const Mat& R, const Real* diag, const Real* off) {
    return rotate(R, sym(diag, off));
  }
  /// t 1 - E.
  static CHASLES_INLINE Sym complement(const S& t, const Sym& E) {
    return {t - E.xx, -E.xy, -E.xz, t - E.yy, -E.yz, t - E.zz};
  }
  static CHASLES_INLINE Sym scalar(const S& m) { return Sym::diagonal(m, m, m); }
  static CHASLES_INLINE S trace(const Sym& a) { return a.xx + a.yy + a.zz; }
  /// a - u v^T, for u v^T symmetric.
  static CHASLES_INLINE Sym minus_outer(const Sym& a, const Vec& u, const Vec& v) {
    return {a.xx - u.x * v.x, a.xy - u.x * v.y, a.xz - u.x * v.z,
            a.yy - u.y * v.y, a.yz - u.y * v.z, a.zz - u.z * v.z};
  }
  /// a + p k^T + k p^T.
  static CHASLES_INLINE Sym plus_symmetric_outer(const Sym& a, const Vec& p, const Vec& k) {
    const Vec e = p + p;
    return {a.xx + e.x * k.x, a.xy + p.x * k.y + p.y * k.x, a.xz + p.x * k.z + p.z * k.x,
            a.yy + e.y * k.y, a.yz + p.y * k.z + p.z * k.y, a.zz + e.z * k.z};
  }
  /// G - C d~ / 2.
  static CHASLES_INLINE Mat minus_half_times_hat(const Mat& G, const Sym& C, const Vec& d) {
    const Vec h = S(0.5) * d;
    return {{G.c0.x - h.z * C.xy + h.y * C.xz, G.c0.y - h.z * C.yy + h.y * C.yz,
             G.c0.z - h.z * C.yz + h.y * C.zz},
            {G.c1.x - h.x * C.xz + h.z * C.xx, G.c1.y - h.x * C.yz + h.z * C.xy,
             G.c1.z - h.x * C.zz + h.z * C.xz},
            {G.c2.x - h.y * C.xx + h.x * C.xy, G.c2.y - h.y * C.xy + h.x * C.yy,
             G.c2.z - h.y * C.xz + h.x * C.yz}};
  }
  /// 2 H - G.
  static CHASLES_INLINE Mat twice_minus(const Mat& H, const Mat& G) {
    const S two(2);
    return {two * H.c0 - G.c0, two * H.c1 - G.c1, two * H.c2 - G.c2};
  }
  /// a + Y + Y^T, Y = d~ H.
  static CHASLES_INLINE Sym plus_twice_hat_times(const Sym& a, const Vec& d, const Mat& H) {
    const Vec e = d + d;
    return {a.xx + e.y * H.c0.z - e.z * H.c0.y,
            a.xy + d.z * H.c0.x - d.x * H.c0.z + d.y * H.c1.z - d.z * H.c1.y,
            a.xz + d.x * H.c0.y - d.y * H.c0.x + d.y * H.c2.z - d.z * H.c2.y,
            a.yy + e.z * H.c1.x - e.x * H.c1.z,
            a.yz + d.x * H.c1.y - d.y * H.c1.x + d.z * H.c2.x - d.x * H.c2.z,
            a.zz + e.x * H.c2.y - e.y * H.c2.x};
  }
  /// a.b + c.d.
  static CHASLES_INLINE S dot(const Vec& a, const Vec& b, const Vec& c, const Vec& d) {
    return (a.x * b.x + a.y * b.y + a.z * b.z) + (c.x * d.x + c.y * d.y + c.z * d.z);
  }
  static CHASLES_INLINE Mat identity() { return Mat::identity(); }
  static CHASLES_INLINE Vec back_times(const Mat& M, const Vec& a) { return transpose_times(M, a); }
  static CHASLES_INLINE Mat minus_outer(const Mat& M, const Vec& u, const Vec& v) {
    return {M.c0 - v.x * u, M.c1 - v.y * u, M.c2 - v.z * u};
  }
  /// M - a~.
  static CHASLES_INLINE Mat minus_hat(const Mat& M, const Vec& a) {
    return {{M.c0.x, M.c0.y - a.z, M.c0.z + a.y},
            {M.c1.x + a.z, M.c1.y, M.c1.z - a.x},
            {M.c2.x - a.y, M.c2.y + a.x, M.c2.z}};
  }
  /// C + m 1.
  static CHASLES_INLINE Sym plus_scalar(const Sym& C, const S& m) {
    return {C.xx + m, C.xy, C.xz, C.yy + m, C.yz, C.zz + m};
  }
};

/// One state: x, y, z of a vector in one register.
template <class Real_>
struct Quad {
  using Real = Real_;
  using S = Real;
  typedef Real V __attribute__((vector_size(4 * sizeof(Real))));
  static constexpr int lanes = 1;

  struct Vec {
    V v;
    friend CHASLES_INLINE Vec operator+(Vec a, Vec b) { return {a.v + b.v}; }
    friend CHASLES_INLINE Vec operator-(Vec a, Vec b) { return {a.v - b.v}; }
    friend CHASLES_INLINE Vec operator-(Vec a) { return {-a.v}; }
    friend CHASLES_INLINE Vec operator*(Real s, Vec a) { return {s * a.v}; }
    friend CHASLES_INLINE Vec operator*(Vec a, Real s) { return {s * a.v}; }
    CHASLES_INLINE Vec& operator+=(Vec b) { return v += b.v, *this; }
    CHASLES_INLINE Vec& operator-=(Vec b) { return v -= b.v, *this; }
  };
  static CHASLES_INLINE V yzx(V a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
  static CHASLES_INLINE V zxy(V a) { return __builtin_shufflevector(a, a, 2, 0, 1, 3); }
  template <int I>
  static CHASLES_INLINE V all(V a) {
    return __builtin_shufflevector(a, a, I, I, I, I);
  }
  friend CHASLES_INLINE Vec cross(Vec a, Vec b) {
    return {yzx(a.v) * zxy(b.v) - zxy(a.v) * yzx(b.v)};
  }
  friend CHASLES_INLINE Real dot(Vec a, Vec b) {
    const V t = a.v * b.v;
    return (t[0] + t[1]) + t[2];
  }
  struct Mat {
    Vec c0, c1, c2;
    friend CHASLES_INLINE Vec operator*(const Mat& M, Vec a) {
      return {M.c0.v * all<0>(a.v) + M.c1.v * all<1>(a.v) + M.c2.v * all<2>(a.v)};
    }
    friend CHASLES_INLINE Mat operator+(const Mat& a, const Mat& b) {
      return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
    }
    friend CHASLES_INLINE Mat operator-(const Mat& a, const Mat& b) {
      return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
    }
  };
  /// The diagonal, and (xy, yz, zx).
  struct Sym {
    Vec d, o;
    friend CHASLES_INLINE Sym operator+(const Sym& a, const Sym& b) {
      return {a.d + b.d, a.o + b.o};
    }
    friend CHASLES_INLINE Vec operator*(const Sym& a, Vec b) {
      return {a.d.v * b.v + a.o.v * yzx(b.v) + zxy(a.o.v) * zxy(b.v)};
    }
  };

  static CHASLES_INLINE S load(const Real* p, int i) { return p[i]; }
  static CHASLES_INLINE void store(Real* p, int i, S s) { p[i] = s; }
  /// Of three numbers; reads no fourth.
  static CHASLES_INLINE Vec load_vec(const Real* p, int i) {
    V a{};
    __builtin_memcpy(&a, p + i, 3 * sizeof(Real));
    return {a};
  }
  static CHASLES_INLINE void store_vec(Real* p, int i, Vec a) {
    __builtin_memcpy(p + i, &a, 3 * sizeof(Real));
  }

  static CHASLES_INLINE Vec vec(S x, S y, S z) { return {V{x, y, z, 0}}; }
  static CHASLES_INLINE Vec constant(const Real* p) {
    V a;
    __builtin_memcpy(&a, p, sizeof(V));
    return {a};
  }
  static CHASLES_INLINE S x(Vec a) { return a.v[0]; }
  static CHASLES_INLINE S y(Vec a) { return a.v[1]; }
  static CHASLES_INLINE S z(Vec a) { return a.v[2]; }
  static CHASLES_INLINE Vec add_z(Vec a, S s) { return {a.v + s * V{0, 0, 1, 0}}; }
  static CHASLES_INLINE Vec cross_z(Vec a, S s) {
    return {__builtin_shufflevector(a.v, a.v, 1, 0, 2, 3) * (s * V{1, -1, 0, 0})};
  }
  static CHASLES_INLINE Vec times(const Mat& M, const Real* p) {
    return {p[0] * M.c0.v + p[1] * M.c1.v + p[2] * M.c2.v};
  }
  struct Rotation {
    Mat R, T;
  };
  static CHASLES_INLINE Mat transposed(const Mat& R) {
    const V xy = __builtin_shufflevector(R.c0.v, R.c1.v, 0, 4, 2, 6),  // x0 x1 z0 z1
        yw = __builtin_shufflevector(R.c0.v, R.c1.v, 1, 5, 3, 7);      // y0 y1 . .
    return {{__builtin_shufflevector(xy, R.c2.v, 0, 1, 4, 7)},
            {__builtin_shufflevector(yw, R.c2.v, 0, 1, 5, 7)},
            {__builtin_shufflevector(xy, R.c2.v, 2, 3, 6, 7)}};
  }
  static CHASLES_INLINE Rotation rotation(const Mat& R) { return {R, transposed(R)}; }
  static CHASLES_INLINE const Mat& matrix(const Rotation& R) { return R.R; }
  static CHASLES_INLINE Vec forward(const Rotation& R, Vec a) { return R.R * a; }
  static CHASLES_INLINE Vec back(const Rotation& R, Vec a) { return R.T * a; }

  static CHASLES_INLINE Mat omega(Vec w, Vec al) {
    const V sq = w.v * w.v, n = yzx(sq) + zxy(sq);  // yy + zz, xx + zz, xx + yy
    const V p = w.v * yzx(w.v);                     // xy, yz, zx
    const V a = zxy(al.v);                          // az, ax, ay
    const V plus = p + a, minus = p - a;            // xy + az, yz + ax, zx + ay; ...
    const V nn = -n;
    // (-n.x, xy + az, zx - ay), (xy - az, -n.y, yz + ax), (zx + ay, yz - ax, -n.z)
    const V lo = __builtin_shufflevector(nn, plus, 0, 4, 2, 3);     // -n.x, xy + az
    const V hi = __builtin_shufflevector(minus, plus, 0, 1, 5, 6);  // xy - az, ., yz + ax
    return {{__builtin_shufflevector(lo, minus, 0, 1, 6, 7)},
            {__builtin_shufflevector(hi, nn, 0, 5, 2, 7)},
            {__builtin_shufflevector(__builtin_shufflevector(plus, minus, 2, 5, 2, 3), nn, 0, 1, 6,
                                     7)}};
  }
  static CHASLES_INLINE Vec plus_cross(Vec a, Vec b, Vec c) { return a + cross(b, c); }
  static CHASLES_INLINE Vec plus_times(Vec a, const Mat& M, Vec b) { return a + M * b; }
  static CHASLES_INLINE Vec moment(Vec c, Vec a, const Mat&, const Sym& E, S t, Vec w, Vec al) {
    // Both cross products at once, before their last shuffle.
    const Vec h = E * w;
    const V k = c.v * yzx(a.v) - yzx(c.v) * a.v - w.v * yzx(h.v) + yzx(w.v) * h.v;
    return {yzx(k) + (t * al.v - (E * al).v)};
  }

  static CHASLES_INLINE Sym sym(const Real* diag, const Real* off) {
    return {constant(diag), constant(off)};
  }
  static CHASLES_INLINE Sym rotated(const Mat& R, const Real* d, const Real* o) {
    const V t0 = d[0] * R.c0.v + o[0] * R.c1.v + o[2] * R.c2.v,
            t1 = o[0] * R.c0.v + d[1] * R.c1.v + o[1] * R.c2.v,
            t2 = o[2] * R.c0.v + o[1] * R.c1.v + d[2] * R.c2.v;
    return {{t0 * R.c0.v + t1 * R.c1.v + t2 * R.c2.v},
            {t0 * yzx(R.c0.v) + t1 * yzx(R.c1.v) + t2 * yzx(R.c2.v)}};
  }
  /// Symmetric blocks of articulated inertias as whole matrices: fewer shuffles on the way inward.
  using Block = Mat;
  static CHASLES_INLINE Block complement(S t, const Sym& E) {
    return plus_scalar({{V{}}, {V{}}, {V{}}}, t) - columns(E);
  }
  static CHASLES_INLINE Block scalar(S m) { return plus_scalar({{V{}}, {V{}}, {V{}}}, m); }
  static CHASLES_INLINE Block plus_scalar(const Block& C, S m) {
    return {
        {C.c0.v + m * V{1, 0, 0, 0}}, {C.c1.v + m * V{0, 1, 0, 0}}, {C.c2.v + m * V{0, 0, 1, 0}}};
  }
  static CHASLES_INLINE S trace(const Sym& a) { return (a.d.v[0] + a.d.v[1]) + a.d.v[2]; }
  static CHASLES_INLINE S trace(const Block& a) { return (a.c0.v[0] + a.c1.v[1]) + a.c2.v[2]; }
  static CHASLES_INLINE Sym plus_symmetric_outer(const Sym& a, Vec p, Vec k) {
    return {{a.d.v + 2 * (p.v * k.v)}, {a.o.v + (p.v * yzx(k.v) + yzx(p.v) * k.v)}};
  }
  static CHASLES_INLINE Mat columns(const Sym& a) {
    // o = xy, yz, zx: (xx, xy, zx), (xy, yy, yz), (zx, yz, zz).
    const V x_ = __builtin_shufflevector(a.d.v, a.o.v, 0, 4, 6, 3);
    const V y_ = __builtin_shufflevector(__builtin_shufflevector(a.o.v, a.d.v, 0, 5, 2, 3), a.o.v,
                                         0, 1, 5, 3);
    const V z_ = __builtin_shufflevector(__builtin_shufflevector(a.o.v, a.o.v, 2, 1, 2, 3), a.d.v,
                                         0, 1, 6, 3);
    return {{x_}, {y_}, {z_}};
  }
  static CHASLES_INLINE Mat minus_half_times_hat(const Mat& G, const Block& c, Vec d) {
    const V h = Real(0.5) * d.v, x = all<0>(h), y = all<1>(h), z = all<2>(h);
    return {{G.c0.v - (z * c.c1.v - y * c.c2.v)},
            {G.c1.v - (x * c.c2.v - z * c.c0.v)},
            {G.c2.v - (y * c.c0.v - x * c.c1.v)}};
  }
  static CHASLES_INLINE Mat twice_minus(const Mat& H, const Mat& G) {
    return {{2 * H.c0.v - G.c0.v}, {2 * H.c1.v - G.c1.v}, {2 * H.c2.v - G.c2.v}};
  }
  static CHASLES_INLINE Block plus_twice_hat_times(const Block& a, Vec d, const Mat& H) {
    const Mat Y{cross(d, H.c0), cross(d, H.c1), cross(d, H.c2)};
    return (a + Y) + transposed(Y);
  }
  static CHASLES_INLINE S dot(Vec a, Vec b, Vec c, Vec d) {
    const V t = a.v * b.v + c.v * d.v;
    return (t[0] + t[2]) + t[1];
  }
  static CHASLES_INLINE Mat identity() {
    return {{V{1, 0, 0, 0}}, {V{0, 1, 0, 0}}, {V{0, 0, 1, 0}}};
  }
  static CHASLES_INLINE Vec back_times(const Mat& M, Vec a) { return transposed(M) * a; }
  static CHASLES_INLINE Mat minus_outer(const Mat& M, Vec u, Vec v) {
    return {
        {M.c0.v - all<0>(v.v) * u.v}, {M.c1.v - all<1>(v.v) * u.v}, {M.c2.v - all<2>(v.v) * u.v}};
  }
  static CHASLES_INLINE Mat minus_hat(const Mat& M, Vec a) {
    // Columns of a~: (0, z, -y), (-z, 0, x), (y, -x, 0).
    const V m = -a.v, zero{};
    return {{M.c0.v + __builtin_shufflevector(__builtin_shufflevector(m, a.v, 2, 2, 5, 3), zero, 4,
                                              1, 2, 7)},
            {M.c1.v + __builtin_shufflevector(__builtin_shufflevector(a.v, m, 2, 2, 4, 3), zero, 0,
                                              5, 2, 7)},
            {M.c2.v + __builtin_shufflevector(__builtin_shufflevector(m, a.v, 1, 4, 2, 3), zero, 0,
                                              1, 6, 7)}};
  }
  static CHASLES_INLINE Sym plus_scalar(const Sym& C, S m) { return {{C.d.v + m}, C.o}; }
  /// w.n + v.f of four pairs (w; v); their fourth numbers are zero.
  template <class Pair>
  static CHASLES_INLINE Pack<Real, 4> four_products(const Pair* x, Vec n, Vec f) {
    const auto t = [&](int k) { return x[k].w.v * n.v + x[k].v.v * f.v; };
    const V a = t(0), b = t(1), c = t(2), d = t(3);
    const V ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) +
                 __builtin_shufflevector(a, b, 1, 5, 3, 7),
            cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) +
                 __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return Pack<Real, 4>::of(__builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
                             __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
  }
};
template <class Real>
CHASLES_INLINE bool all_above(Real a, Real bound) {
  return a > bound;
}
/// A joint whose inertia is smaller than this part of its body's moves nothing.
template <class Real>
inline constexpr Real singular = Real(sizeof(Real) == 4 ? 1e-6 : 1e-14);
