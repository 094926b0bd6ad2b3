// Included by dynamics.inl. The interface of lanes.inl for one state.
#pragma once

#include "kernels/vectors/pack.inl"

/// One state: each vector (x, y, z, unused) in one register.
template <class Real_>
struct Quad {
  using Real = Real_;
  using S = Real;
  typedef Real V __attribute__((vector_size(4 * sizeof(Real))));
  typedef Real V2 __attribute__((vector_size(2 * sizeof(Real))));
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
  /// Symmetric matrix: the diagonal d, and o = (xy, yz, zx).
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
  /// Loads three numbers without reading a fourth.
  static CHASLES_INLINE Vec load_vec(const Real* p, int i) {
    // In two parts: GCC would otherwise go through memory.
    V2 xy;
    __builtin_memcpy(&xy, p + i, sizeof xy);
    return {__builtin_shufflevector(xy, V2{p[i + 2], 0}, 0, 1, 2, 3)};
  }
  static CHASLES_INLINE void store_vec(Real* p, int i, Vec a) {
    const V2 xy = __builtin_shufflevector(a.v, a.v, 0, 1);
    __builtin_memcpy(p + i, &xy, sizeof xy);
    p[i + 2] = a.v[2];
  }
  /// As `store`, but may overwrite a fourth number, which is stored next.
  static CHASLES_INLINE void store_wide(Real* p, int i, Vec a) {
    __builtin_memcpy(p + i, &a, sizeof a);
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
  /// M a for `a` in memory: its components are loaded by broadcast, without shuffles.
  static CHASLES_INLINE Vec times_stored(const Mat& M, const Vec& a) {
    return times(M, reinterpret_cast<const Real*>(&a));
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

  static CHASLES_INLINE Mat omega(Vec w, Vec al) { return omega_of(w.v * w.v, w.v * yzx(w.v), al); }
  /// Its derivative along changes of w and al.
  static CHASLES_INLINE Mat omega_partial(Vec w, Vec dw, Vec dal) {
    return omega_of(2 * (w.v * dw.v), w.v * yzx(dw.v) + dw.v * yzx(w.v), dal);
  }
  /// From sq = xx, yy, zz and p = xy, yz, zx.
  static CHASLES_INLINE Mat omega_of(V sq, V p, Vec al) {
    const V n = yzx(sq) + zxy(sq);        // yy + zz, xx + zz, xx + yy
    const V a = zxy(al.v);                // az, ax, ay
    const V plus = p + a, minus = p - a;  // xy + az, yz + ax, zx + ay; ...
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
  /// a x b + c x d, with one final shuffle for both.
  static CHASLES_INLINE Vec two_crosses(Vec a, Vec b, Vec c, Vec d) {
    return {yzx((a.v * yzx(b.v) - yzx(a.v) * b.v) + (c.v * yzx(d.v) - yzx(c.v) * d.v))};
  }
  using Turning = Sym;
  template <class Link>
  static CHASLES_INLINE Turning turning(const Link& link) {
    return sym(link.I_diag, link.I_off);
  }
  static CHASLES_INLINE Turning turning(const Sym& I, S) { return I; }
  static CHASLES_INLINE Vec moment(Vec c, Vec a, const Mat&, const Turning& I, Vec w, Vec al) {
    // Both cross products at once, with one final shuffle.
    const Vec h = I * w;
    const V k = c.v * yzx(a.v) - yzx(c.v) * a.v + w.v * yzx(h.v) - yzx(w.v) * h.v;
    return {yzx(k) + (I * al).v};
  }
  /// Its derivative along changes of a, w and al.
  static CHASLES_INLINE Vec moment_partial(Vec c, Vec da, const Mat&, const Turning& I, Vec w,
                                           Vec dw, Vec dal) {
    const Vec h = I * w, dh = I * dw;
    const V k = (c.v * yzx(da.v) - yzx(c.v) * da.v) + (dw.v * yzx(h.v) - yzx(dw.v) * h.v) +
                (w.v * yzx(dh.v) - yzx(w.v) * dh.v);
    return {yzx(k) + (I * dal).v};
  }

  static CHASLES_INLINE Sym sym(const Real* diag, const Real* off) {
    return {constant(diag), constant(off)};
  }
  static CHASLES_INLINE Sym rotated(const Mat& R, const Real* d, const Real* o) {
    Vec column;
    return rotated(R, d, o, column);
  }
  static CHASLES_INLINE Sym rotated(const Mat& R, const Real* d, const Real* o, Vec& column) {
    const V t0 = d[0] * R.c0.v + o[0] * R.c1.v + o[2] * R.c2.v,
            t1 = o[0] * R.c0.v + d[1] * R.c1.v + o[1] * R.c2.v,
            t2 = o[2] * R.c0.v + o[1] * R.c1.v + d[2] * R.c2.v;
    column.v = t2;
    return {{t0 * R.c0.v + t1 * R.c1.v + t2 * R.c2.v},
            {t0 * yzx(R.c0.v) + t1 * yzx(R.c1.v) + t2 * yzx(R.c2.v)}};
  }
  /// Symmetric blocks of articulated inertias as full matrices: fewer shuffles in the inward pass.
  using Block = Mat;
  static CHASLES_INLINE Block block(const Sym& a) { return columns(a); }
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
  static CHASLES_INLINE Sym plus_square(const Sym& a, S k, Vec d) {
    const V e = k * d.v;
    return {{a.d.v + e * d.v}, {a.o.v + e * yzx(d.v)}};
  }
  static CHASLES_INLINE Vec momentum(const Sym& E, Vec w) {
    return {(yzx(E.d.v) + zxy(E.d.v)) * w.v - E.o.v * yzx(w.v) - zxy(E.o.v) * zxy(w.v)};
  }
  static CHASLES_INLINE Mat columns(const Sym& a) {
    // o = xy, yz, zx: (xx, xy, zx), (xy, yy, yz), (zx, yz, zz).
    const V x = __builtin_shufflevector(a.d.v, a.o.v, 0, 4, 6, 3);
    const V y = __builtin_shufflevector(__builtin_shufflevector(a.o.v, a.d.v, 0, 5, 2, 3), a.o.v, 0,
                                        1, 5, 3);
    const V z = __builtin_shufflevector(__builtin_shufflevector(a.o.v, a.o.v, 2, 1, 2, 3), a.d.v, 0,
                                        1, 6, 3);
    return {{x}, {y}, {z}};
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
  /// w.n + v.f for four pairs (w; v), whose fourth components are zero.
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
