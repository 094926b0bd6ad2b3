// Included by dynamics.inl. Two layouts of the vectors of a kernel, with one interface, so that each kernel
// is written once:
//
//   Lanes<S, Real>   x, y, z are scalars S: a pack of one number per state, or a counting scalar
//   Quad<Real>       one state: (x, y, z, unused) is a SIMD register of four (quad.inl)
//
// Without registers of four numbers, one state is Lanes<Pack<Real, 1>, Real>: plain scalars.
#pragma once

#include "kernels/vectors/pack.inl"

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
  static CHASLES_INLINE void store_wide(Real* p, int i, const Vec& a) { store_vec(p, i, a); }

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
  static CHASLES_INLINE Vec times_stored(const Mat& M, const Vec& a) { return M * a; }
  /// Applies a rotation and its inverse.
  using Rotation = Mat;
  static CHASLES_INLINE Rotation rotation(const Mat& R) { return R; }
  static CHASLES_INLINE const Mat& matrix(const Rotation& R) { return R; }
  static CHASLES_INLINE Vec forward(const Rotation& R, const Vec& a) { return R * a; }
  static CHASLES_INLINE Vec back(const Rotation& R, const Vec& a) { return transpose_times(R, a); }

  // Sums are ordered so that every product but the first can be fused into an FMA.
  /// a + b x c.
  static CHASLES_INLINE Vec plus_cross(const Vec& a, const Vec& b, const Vec& c) {
    return a + cross(b, c);
  }
  /// a x b + c x d.
  static CHASLES_INLINE Vec two_crosses(const Vec& a, const Vec& b, const Vec& c, const Vec& d) {
    return cross(a, b) + cross(c, d);
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
  /// Its derivative along changes of w and al.
  static CHASLES_INLINE Mat omega_partial(const Vec& w, const Vec& dw, const Vec& dal) {
    const Vec e = w + w;
    const S xx = e.x * dw.x, yy = e.y * dw.y, zz = e.z * dw.z;
    const S xy = w.x * dw.y + w.y * dw.x, xz = w.x * dw.z + w.z * dw.x,
            yz = w.y * dw.z + w.z * dw.y;
    return {{-(yy + zz), xy + dal.z, xz - dal.y},
            {xy - dal.z, -(xx + zz), yz + dal.x},
            {xz + dal.y, yz - dal.x, -(xx + yy)}};
  }
  /// Rotational inertia of a link in the form `moment` needs, here E; in link axes, or from I in other axes
  /// with t = tr E.
  using Turning = Sym;
  template <class Link>
  static CHASLES_INLINE Turning turning(const Link& link) {
    return sym(link.E_diag, link.E_off);
  }
  static CHASLES_INLINE Turning turning(const Sym& I, const S& t) {
    return {t - I.xx, -I.xy, -I.xz, t - I.yy, -I.yz, t - I.zz};
  }
  /// c x a + I al + w x I w of a body: the rotational part is the skew part of Omega E.
  static CHASLES_INLINE Vec moment(const Vec& c, const Vec& a, const Mat& O, const Turning& E,
                                   const Vec&, const Vec&) {
    return {(c.y * a.z - c.z * a.y) + ((O.c0.z * E.xy + O.c1.z * E.yy + O.c2.z * E.yz) -
                                       (O.c0.y * E.xz + O.c1.y * E.yz + O.c2.y * E.zz)),
            (c.z * a.x - c.x * a.z) + ((O.c0.x * E.xz + O.c1.x * E.yz + O.c2.x * E.zz) -
                                       (O.c0.z * E.xx + O.c1.z * E.xy + O.c2.z * E.xz)),
            (c.x * a.y - c.y * a.x) + ((O.c0.y * E.xx + O.c1.y * E.xy + O.c2.y * E.xz) -
                                       (O.c0.x * E.xy + O.c1.x * E.yy + O.c2.x * E.yz))};
  }
  /// Its derivative along changes of a, and of w and al through O.
  static CHASLES_INLINE Vec moment_partial(const Vec& c, const Vec& da, const Mat& dO,
                                           const Turning& E, const Vec& w, const Vec& dw,
                                           const Vec&) {
    return moment(c, da, dO, E, w, dw);
  }

  static CHASLES_INLINE Sym sym(const Real* diag, const Real* off) {
    return {S(diag[0]), S(off[0]), S(off[2]), S(diag[1]), S(off[1]), S(diag[2])};
  }
  /// R a R^T with constant a; and R a z, which stays accurate where it is small compared to a.
  static CHASLES_INLINE Sym rotated(const Mat& R, const Real* diag, const Real* off) {
    return rotate(R, sym(diag, off));
  }
  static CHASLES_INLINE Sym rotated(const Mat& R, const Real* diag, const Real* off, Vec& column) {
    const Sym a = sym(diag, off);
    column = R * Vec{a.xz, a.yz, a.zz};
    const Vec x = R * Vec{a.xx, a.xy, a.xz}, y = R * Vec{a.xy, a.yy, a.yz};
    const auto entry = [&](S Vec::*i, S Vec::*j) {
      return x.*i * R.c0.*j + y.*i * R.c1.*j + column.*i * R.c2.*j;
    };
    return {entry(&Vec::x, &Vec::x), entry(&Vec::x, &Vec::y), entry(&Vec::x, &Vec::z),
            entry(&Vec::y, &Vec::y), entry(&Vec::y, &Vec::z), entry(&Vec::z, &Vec::z)};
  }
  static CHASLES_INLINE Sym block(const Sym& a) { return a; }
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
  /// a + k d d^T.
  static CHASLES_INLINE Sym plus_square(const Sym& a, const S& k, const Vec& d) {
    const Vec e = k * d;
    return {a.xx + e.x * d.x, a.xy + e.x * d.y, a.xz + e.x * d.z,
            a.yy + e.y * d.y, a.yz + e.y * d.z, a.zz + e.z * d.z};
  }
  /// (tr E 1 - E) w, without the cancellation of the trace.
  static CHASLES_INLINE Vec momentum(const Sym& E, const Vec& w) {
    return {(E.yy + E.zz) * w.x - E.xy * w.y - E.xz * w.z,
            (E.xx + E.zz) * w.y - E.xy * w.x - E.yz * w.z,
            (E.xx + E.yy) * w.z - E.xz * w.x - E.yz * w.y};
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
