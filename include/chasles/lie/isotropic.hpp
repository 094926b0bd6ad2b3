/// Isotropic maps of so(3) and their derivatives: what dexp and dexp_inv have in common on every
/// group.
///
///     A(w) y         = f0 y + f1 w x y + f2 w (w.y) (1) DA(w)[v] y     = d/ds A(w + s v) y at s =
///     0                                               (2) D2A(w)[v, a] y = d/ds DA(w + s a)[v] y
///     at s = 0                                           (3)
///
/// f_i are functions of x = |w|^2; g_i = 2 f_i', h_i = 4 f_i'' (so that no factor 2 is left in the
/// formulas). A(w)^T is A with f1, g1, h1 negated, since w~ is skew.
#pragma once

#include "chasles/lie/coefficients.hpp"

namespace chasles::lie {

template <class S>
struct Isotropic {
  Vec3<S> w;
  S f0, f1, f2, g0, g1, g2, h0, h1, h2;

  constexpr Vec3<S> apply(const Vec3<S>& y) const {
    return f0 * y + f1 * cross(w, y) + (f2 * dot(w, y)) * w;
  }

  constexpr Vec3<S> derivative(const Vec3<S>& v, const Vec3<S>& y) const {
    const S wv = dot(w, v), wy = dot(w, y);
    return (g0 * wv) * y + cross(f1 * v + (g1 * wv) * w, y) + (f2 * wy) * v +
           (f2 * dot(v, y) + g2 * wv * wy) * w;
  }

  constexpr Vec3<S> second_derivative(const Vec3<S>& v, const Vec3<S>& a, const Vec3<S>& y) const {
    const S wv = dot(w, v), wa = dot(w, a), va = dot(v, a), wv_wa = wv * wa;
    const S wy = dot(w, y), vy = dot(v, y), ay = dot(a, y);
    return (h0 * wv_wa + g0 * va) * y +
           cross((g1 * wa) * v + (g1 * wv) * a + (h1 * wv_wa + g1 * va) * w, y) +
           (f2 * ay + g2 * wa * wy) * v + (f2 * vy + g2 * wv * wy) * a +
           (g2 * (wa * vy + wv * ay) + (h2 * wv_wa + g2 * va) * wy) * w;
  }

  constexpr Isotropic transposed() const { return {w, f0, -f1, f2, g0, -g1, g2, h0, -h1, h2}; }
};

/// dexp_w on so(3), 001 (18): f = (c1, c2, c3); g and h by the two forms of (4) in
/// coefficients.hpp.
/// @tparam Order  how often it will be differentiated: 0, 1 or 2. Coefficients beyond are left
/// zero.
template <int Order, class S>
Isotropic<S> dexp_isotropic(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation);
  const S o(0);
  if (real_part(x) < stumpff_switch) {
    const auto c = stumpff_near_zero<3 + 2 * Order>(x);
    Isotropic<S> A{w, c[1], c[2], c[3], o, o, o, o, o, o};
    if constexpr (Order >= 1)
      A.g0 = c[3] - c[2], A.g1 = S(2) * c[4] - c[3], A.g2 = S(3) * c[5] - c[4];
    if constexpr (Order >= 2) {
      A.h0 = S(3) * (c[5] - c[4]) + c[3];
      A.h1 = S(8) * c[6] - S(5) * c[5] + c[4];
      A.h2 = S(15) * c[7] - S(7) * c[6] + c[5];
    }
    return A;
  }
  const auto c = stumpff_by_angle(x, dx);
  Isotropic<S> A{w, c[1], c[2], c[3], o, o, o, o, o, o};
  const S inverse_x = S(1) / x;
  if constexpr (Order >= 1) {
    A.g0 = (c[0] - c[1]) * inverse_x;
    A.g1 = (c[1] - S(2) * c[2]) * inverse_x;
    A.g2 = (c[2] - S(3) * c[3]) * inverse_x;
  }
  if constexpr (Order >= 2) {
    A.h0 = (-c[1] - S(3) * A.g0) * inverse_x;
    A.h1 = (A.g0 - S(4) * A.g1) * inverse_x;
    A.h2 = (A.g1 - S(5) * A.g2) * inverse_x;
  }
  return A;
}

/// dexp_w^-1 on so(3), 001 (19): f = (1 - x e, -1/2, e). Singular at |w| = 2 k pi, k > 0, where it
/// grows without bound.
/// @tparam Order  how often it will be differentiated: 0, 1 or 2
template <int Order, class S>
Isotropic<S> dexp_inv_isotropic(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation, pi<S> * pi<S>);
  const auto e = inverse_coefficients<Order>(x);
  const S o(0);
  Isotropic<S> A{w, S(1) - x * e[0], S(-0.5), e[0], o, o, o, o, o, o};
  if constexpr (Order >= 1) A.g0 = S(-2) * (e[0] + x * e[1]), A.g2 = S(2) * e[1];
  if constexpr (Order >= 2) A.h0 = S(-4) * (S(2) * e[1] + x * e[2]), A.h2 = S(4) * e[2];
  return A;
}

}  // namespace chasles::lie
