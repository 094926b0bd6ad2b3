/// Isotropic maps of so(3) and their derivatives: the common form of dexp and dexp_inv on every group. With x = |w|^2,
///
///     A(w)         = f0 I + f1 w~ + f2 w~^2                                                (1)
///     DA(w)[v]     = d/ds A(w + s v) at s = 0                                              (2)
///                  = f1 v~ + f2 {v, w} + (w.v) (k1 w~ + k2 w~^2)
///     D2A(w)[v, a] = d/ds DA(w + s a)[v] at s = 0                                          (3)
///                  = g1 u~ + q2 {u, w} + f2 {v, a} + (v.a) (g1 w~ + g2 w~^2)
///                    + (w.v) (w.a) (s1 w~ + s2 w~^2),     u = (w.a) v + (w.v) a
///
/// where {v, a} = v~ a~ + a~ v~ and f0 = 1. The vectors v and a in (2) and (3) are used in one of two ways: complete;
/// or, away from x = 0, only their components perpendicular to w, with the parallel ones absorbed in k and s. The first
/// is smooth at x = 0, the second avoids cancellation at large angles. With g_i = 2 f_i', h_i = 4 f_i'' the
/// coefficients are
///
///     complete:       k_i = g_i,                                q2 = g2,         s_i = h_i
///     perpendicular:  k1 = g1 + f1/x,     k2 = g2 + 2 f2/x,     q2 = g2 + f2/x,
///                     s1 = h1 + 3 g1/x,   s2 = h2 + 5 g2/x + 2 f2/x^2
///
/// Derivation: docs/theory/lie-groups.md, section 4.
#pragma once

#include "chasles/export.hpp"
#include "chasles/lie/coefficients.hpp"

namespace chasles CHASLES_API {
namespace lie {

template <class S>
struct Isotropic {
  Vec3<S> w;
  S x;
  S f0, f1, f2;
  S rho{};  // 0: complete directions; 1/x: only their components perpendicular to w
  S k1{}, k2{};
  S g1{}, g2{}, q2{}, s1{}, s2{};

  constexpr Vec3<S> apply(const Vec3<S>& y) const {
    return f0 * y + cross(w, f1 * y + f2 * cross(w, y));
  }

  /// (2) applied to y, with w~^2 y = w (w.y) - x y and {v, w} y = v (w.y) + w (v.y) - 2 (v.w) y.
  constexpr Vec3<S> derivative(const Vec3<S>& direction, const Vec3<S>& y) const {
    const S wv = dot(w, direction), wy = dot(w, y);
    const Vec3<S> v = across(direction, wv);
    return -(wv * (x * k2 + doubled(f2))) * y + cross(f1 * v + (k1 * wv) * w, y) + (f2 * wy) * v +
           (f2 * dot(v, y) + k2 * wv * wy) * w;
  }

  /// (3) applied to y.
  constexpr Vec3<S> second_derivative(const Vec3<S>& first, const Vec3<S>& second,
                                      const Vec3<S>& y) const {
    const S wv = dot(w, first), wa = dot(w, second), wy = dot(w, y), wvwa = wv * wa;
    const Vec3<S> v = across(first, wv), a = across(second, wa), u = wa * v + wv * a;
    const S va = dot(v, a), vy = dot(v, y), ay = dot(a, y);
    const S c1 = g1 * va + s1 * wvwa, c2 = g2 * va + s2 * wvwa;
    return -(S(2) * f2 * va + S(2) * wvwa * doubled(q2) + x * c2) * y + cross(g1 * u + c1 * w, y) +
           (q2 * wy) * u + f2 * (ay * v + vy * a) + (q2 * dot(u, y) + c2 * wy) * w;
  }

  constexpr Isotropic transposed() const {
    Isotropic t = *this;
    t.f1 = -f1, t.k1 = -k1, t.g1 = -g1, t.s1 = -s1;
    return t;
  }

 private:
  constexpr Vec3<S> across(const Vec3<S>& v, const S& wv) const {
    return rho == S(0) ? v : v - (rho * wv) * w;
  }
  /// 2 f (v.w) / (w.v) for v returned by `across`: 2 f for the complete v, 0 for the perpendicular one.
  constexpr S doubled(const S& f) const { return rho == S(0) ? S(2) * f : S(0); }
};

/// dexp_w on so(3), 001 (18): f = (1, c2, c3); derivatives by the two forms of (4) in
/// coefficients.hpp.
/// @tparam Order  number of derivatives that will be taken: 0, 1 or 2. Higher coefficients stay zero.
template <int Order, class S>
Isotropic<S> dexp_isotropic(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation);
  if (real_part(x) < stumpff_switch) {
    const auto c = stumpff_near_zero<3 + 2 * Order>(x);
    Isotropic<S> A{w, x, S(1), c[2], c[3]};
    if constexpr (Order >= 1) {
      A.k1 = A.g1 = S(2) * c[4] - c[3];
      A.k2 = A.g2 = A.q2 = S(3) * c[5] - c[4];
    }
    if constexpr (Order >= 2) {
      A.s1 = S(8) * c[6] - S(5) * c[5] + c[4];
      A.s2 = S(15) * c[7] - S(7) * c[6] + c[5];
    }
    return A;
  }
  const auto c = stumpff_by_angle(x, dx);
  Isotropic<S> A{w, x, S(1), c[2], c[3]};
  const S r = S(1) / x;
  if constexpr (Order >= 1) {
    A.rho = r;
    A.k1 = (c[1] - c[2]) * r;
    A.k2 = (c[2] - c[3]) * r;
  }
  if constexpr (Order >= 2) {
    A.g1 = (c[1] - S(2) * c[2]) * r;
    A.g2 = (c[2] - S(3) * c[3]) * r;
    A.q2 = (c[2] - S(2) * c[3]) * r;
    A.s1 = (c[0] - S(2) * (c[1] - c[2])) * r * r;
    A.s2 = (c[1] - S(2) * (c[2] - c[3])) * r * r;
  }
  return A;
}

/// dexp_w^-1 on so(3), 001 (19): f = (1, -1/2, e). Singular at |w| = 2 k pi, k > 0, where it grows
/// without bound.
/// @tparam Order  number of derivatives that will be taken: 0, 1 or 2
template <int Order, class S>
Isotropic<S> dexp_inv_isotropic(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation, pi<S> * pi<S>);
  const auto e = inverse_coefficients<Order>(x);
  Isotropic<S> A{w, x, S(1), S(-0.5), e[0]};
  if constexpr (Order >= 1) A.k2 = A.g2 = A.q2 = S(2) * e[1];
  if constexpr (Order >= 2) A.s2 = S(4) * e[2];
  return A;
}

}  // namespace lie
}  // namespace CHASLES_API
