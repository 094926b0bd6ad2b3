/// Isotropic maps of so(3) and their derivatives: what dexp and dexp_inv have in common on every group.
///
///     A(w) = I + f1 w~ + f2 w~^2 = f0 I + f1 w~ + f2 w w^T,   f0 = 1 - x f2,   x = |w|^2         (1)
///     DA(w)[v]     = d/ds A(w + s v) at s = 0
///                  = f1 v~ + g1 (w.v) w~ + f2 (v~ w~ + w~ v~) + g2 (w.v) w~^2                   (2)
///     D2A(w)[v, a] = d/ds DA(w + s a)[v] at s = 0                                               (3)
///
/// f_i are functions of x; g_i = 2 f_i', h_i = 4 f_i'' (so that no factor 2 is left in the formulas).
/// A(w)^T is A with f1, g1, h1 negated, since w~ is skew.
#pragma once

#include "chasles/lie/coefficients.hpp"

namespace chasles::lie {

template <class S>
struct Isotropic {
  Vec3<S> w;
  S f0, f1, f2, g1, g2, h1, h2;

  constexpr Vec3<S> apply(const Vec3<S>& y) const {
    return f0 * y + f1 * cross(w, y) + (f2 * dot(w, y)) * w;
  }

  /// (2) applied to y. Nested products, not dot products: along w they vanish exactly instead of cancelling.
  constexpr Vec3<S> derivative(const Vec3<S>& v, const Vec3<S>& y) const {
    const S wv = dot(w, v);
    const Vec3<S> wy = cross(w, y), vy = cross(v, y);
    return f1 * vy + (g1 * wv) * wy + cross(v, f2 * wy) + cross(w, f2 * vy + (g2 * wv) * wy);
  }

  /// (3) applied to y.
  constexpr Vec3<S> second_derivative(const Vec3<S>& v, const Vec3<S>& a, const Vec3<S>& y) const {
    const S wv = dot(w, v), wa = dot(w, a), va = dot(v, a);
    const Vec3<S> wy = cross(w, y), vy = cross(v, y), ay = cross(a, y), mixed = wa * vy + wv * ay;
    return g1 * mixed + (h1 * wv * wa + g1 * va) * wy + cross(v, f2 * ay + (g2 * wa) * wy) +
           cross(a, f2 * vy + (g2 * wv) * wy) + cross(w, g2 * mixed + (h2 * wv * wa + g2 * va) * wy);
  }

  constexpr Isotropic transposed() const { return {w, f0, -f1, f2, -g1, g2, -h1, h2}; }
};

/// dexp_w on so(3), 001 (18): f = (c1, c2, c3); g and h by the two forms of (4) in coefficients.hpp.
/// @tparam Order  how often it will be differentiated: 0, 1 or 2. Coefficients beyond are left zero.
template <int Order, class S>
Isotropic<S> dexp_isotropic(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation);
  const S o(0);
  if (real_part(x) < stumpff_switch) {
    const auto c = stumpff_near_zero<3 + 2 * Order>(x);
    Isotropic<S> A{w, c[1], c[2], c[3], o, o, o, o};
    if constexpr (Order >= 1) A.g1 = S(2) * c[4] - c[3], A.g2 = S(3) * c[5] - c[4];
    if constexpr (Order >= 2) {
      A.h1 = S(8) * c[6] - S(5) * c[5] + c[4];
      A.h2 = S(15) * c[7] - S(7) * c[6] + c[5];
    }
    return A;
  }
  const auto c = stumpff_by_angle(x, dx);
  Isotropic<S> A{w, c[1], c[2], c[3], o, o, o, o};
  const S inverse_x = S(1) / x;
  if constexpr (Order >= 1) {
    A.g1 = (c[1] - S(2) * c[2]) * inverse_x;
    A.g2 = (c[2] - S(3) * c[3]) * inverse_x;
  }
  if constexpr (Order >= 2) {
    A.h1 = ((c[0] - c[1]) * inverse_x - S(4) * A.g1) * inverse_x;
    A.h2 = (A.g1 - S(5) * A.g2) * inverse_x;
  }
  return A;
}

/// dexp_w^-1 on so(3), 001 (19): f = (1 - x e, -1/2, e). Singular at |w| = 2 k pi, k > 0, where it grows without bound.
template <class S>
Isotropic<S> dexp_inv_isotropic(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation);
  const auto [e, de, dde] = inverse_coefficients(x);
  return {w, S(1) - x * e, S(-0.5), e, S(0), S(2) * de, S(0), S(4) * dde};
}

}  // namespace chasles::lie
