/// The three forms of time_derivatives.hpp: the motion of a link and its derivatives from those of its
/// parent, the Newton-Euler equations and their derivatives, and the wrench passed inward.
#pragma once

#include <array>
#include <span>

#include "chasles/screws/representation.hpp"
#include "dynamics/links.hpp"
#include "kinematics/link_series.hpp"

namespace chasles::textbook {

/// A quantity and its derivatives: 0 ... 3 of twists, 0 ... 2 of wrenches.
template <class X>
using Jet = std::array<X, 4>;

/// sum_c X_c v_c and its derivatives.
inline Jet<Twist> combined(std::span<const Jet<Twist>> X, const double* const (&v)[4],
                           std::size_t first) {
  Jet<Twist> u{};
  for (std::size_t k = 0; k < X.size(); ++k) {
    const std::size_t c = first + k;
    u[0] += v[0][c] * X[k][0];
    u[1] += v[1][c] * X[k][0] + v[0][c] * X[k][1];
    u[2] += v[2][c] * X[k][0] + 2 * v[1][c] * X[k][1] + v[0][c] * X[k][2];
    u[3] += v[3][c] * X[k][0] + 3 * v[2][c] * X[k][1] + 3 * v[1][c] * X[k][2] + v[0][c] * X[k][3];
  }
  return u;
}

/// J of (5): a screw in axes that move with the twist V, and its derivatives. e: X, Xd, Xdd, Xddd in
/// those axes.
///
///     J1 = ad_V J + e1,     J2 = ad_A J + ad_V J1 + ad_V e1 + e2
///     J3 = ad_B J + 2 ad_A J1 + ad_V J2 + ad_A e1 + ad_V (ad_V e1 + e2) + ad_V e2 + e3
///
/// J_k needs V up to the derivative k - 1 only, so that V^(k) may follow from J_k.
inline void carry_screw(const Jet<Twist>& V, const Jet<Twist>& e, std::size_t k, Jet<Twist>& J) {
  if (k == 0) J[0] = e[0];
  if (k == 1) J[1] = ad(V[0], J[0]) + e[1];
  if (k == 2) J[2] = ad(V[1], J[0]) + ad(V[0], J[1]) + ad(V[0], e[1]) + e[2];
  if (k == 3)
    J[3] = ad(V[2], J[0]) + 2.0 * ad(V[1], J[1]) + ad(V[0], J[2]) + ad(V[1], e[1]) +
           ad(V[0], ad(V[0], e[1]) + e[2]) + ad(V[0], e[2]) + e[3];
}

/// Poses used by a form: of the link in the world and in the parent, and of the parent.
struct RatesForm {
  const SE3& C;
  const SE3& C_rel;
  SE3 C_p;
};

struct BodyRates : RatesForm {
  /// (1) to (4). J: X itself.
  Jet<Twist> outward(const Jet<Twist>& V_p, std::span<const Jet<Twist>> X,
                     const double* const (&v)[4], std::size_t first,
                     std::span<Jet<Twist>> J) const {
    std::copy(X.begin(), X.end(), J.begin());
    const Jet<Twist> u = combined(X, v, first);
    Jet<Twist> U;
    for (std::size_t k = 0; k < 4; ++k) U[k] = Ad_inv(C_rel, V_p[k]);
    const Twist aU0 = ad(u[0], U[0]), aU1 = ad(u[0], U[1]), a1U0 = ad(u[1], U[0]);
    const Twist aaU0 = ad(u[0], aU0);
    return {U[0] + u[0], U[1] - aU0 + u[1], U[2] - 2.0 * aU1 - a1U0 + aaU0 + u[2],
            U[3] - 3.0 * ad(u[0], U[2]) - 3.0 * ad(u[1], U[1]) + 3.0 * ad(u[0], aU1) -
                ad(u[2], U[0]) + 2.0 * ad(u[1], aU0) + ad(u[0], a1U0) - ad(u[0], aaU0) + u[3]};
  }
  /// 000 (41): W = M A - ad_V^T M V.
  Jet<Wrench> newton_euler(const Inertia& M, const Jet<Twist>& V) const {
    const Wrench P = M * V[0], P1 = M * V[1], P2 = M * V[2];
    return {P1 - ad_dual(V[0], P), P2 - ad_dual(V[1], P) - ad_dual(V[0], P1),
            M * V[3] - ad_dual(V[2], P) - 2.0 * ad_dual(V[1], P1) - ad_dual(V[0], P2)};
  }
  const Jet<Wrench>& wrench(const Jet<Wrench>& W_b, const Jet<Twist>&) const { return W_b; }
  /// (9): S1 = -ad_u S.
  Jet<Wrench> inward(const Jet<Wrench>& W, const Jet<Twist>& u, const Jet<Twist>&,
                     const Jet<Twist>&) const {
    const Wrench aW = ad_dual(u[0], W[0]);
    return {Ad_inv_dual(C_rel, W[0]), Ad_inv_dual(C_rel, W[1] - aW),
            Ad_inv_dual(
                C_rel, W[2] - 2.0 * ad_dual(u[0], W[1]) - ad_dual(u[1], W[0]) + ad_dual(u[0], aW))};
  }
};

inline constexpr double choose[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};

/// Adds the joint's part of (6), (7) at order k to V[k], which holds the parent's part. axes: twist of the
/// axes of J, known up to order k - 1.
inline void add_joint(const Jet<Twist>& axes, std::span<const Jet<Twist>> e,
                      const double* const (&v)[4], std::size_t first, std::size_t k,
                      std::span<Jet<Twist>> J, Twist& V_k) {
  for (std::size_t c = 0; c < J.size(); ++c) {
    carry_screw(axes, e[c], k, J[c]);
    for (std::size_t j = 0; j <= k; ++j) V_k += choose[k][j] * v[k - j][first + c] * J[c][j];
  }
}

struct SpatialRates : RatesForm {
  Jet<Twist> outward(const Jet<Twist>& V_p, std::span<const Jet<Twist>> X,
                     const double* const (&v)[4], std::size_t first,
                     std::span<Jet<Twist>> J) const {
    Jet<Twist> e[6], V = V_p;
    for (std::size_t c = 0; c < X.size(); ++c)
      for (std::size_t k = 0; k < 4; ++k) e[c][k] = Ad(C, X[c][k]);
    for (std::size_t k = 0; k < 4; ++k) add_joint(V, {e, X.size()}, v, first, k, J, V[k]);
    return V;
  }
  /// 000 (38): W = Pd, P = M V, where Md = -ad_V^T M - M ad_V.
  Jet<Wrench> newton_euler(const Inertia& M_b, const Jet<Twist>& X) const {
    const Inertia M = transform(C, M_b);
    const auto& [V, A, B, D] = X;
    const Wrench P = M * V, Y = M * A, P1 = Y - ad_dual(V, P);
    const Twist b = B - ad(V, A);
    const Wrench Mb = M * b, Yd = Mb - ad_dual(V, Y);
    const Wrench P2 = Yd - ad_dual(A, P) - ad_dual(V, P1);
    const Wrench Ydd =
        M * (D - ad(V, B) - ad(V, b)) - ad_dual(V, Mb) - ad_dual(A, Y) - ad_dual(V, Yd);
    return {P1, P2, Ydd - ad_dual(B, P) - 2.0 * ad_dual(A, P1) - ad_dual(V, P2)};
  }
  /// Ad_C^-T and its derivatives, with the accelerations of the recursion: -g belongs to them.
  Jet<Wrench> wrench(const Jet<Wrench>& W_b, const Jet<Twist>& V) const {
    const Wrench W = Ad_inv_dual(C, W_b[0]), W1 = Ad_inv_dual(C, W_b[1]);
    const Wrench turned = ad_dual(V[0], W);
    return {W, W1 - turned,
            Ad_inv_dual(C, W_b[2]) - 2.0 * ad_dual(V[0], W1) - ad_dual(V[1], W) +
                ad_dual(V[0], turned)};
  }
  const Jet<Wrench>& inward(const Jet<Wrench>& W, const Jet<Twist>&, const Jet<Twist>&,
                            const Jet<Twist>&) const {
    return W;
  }
};

struct HybridRates : RatesForm {
  Vec3 from_parent() const { return C.r - C_p.r; }
  /// Ad_r of a twist: from the origin of the parent to that of the link.
  Twist moved(const Twist& V) const { return {V.w, V.v + cross(V.w, from_parent())}; }

  Jet<Twist> outward(const Jet<Twist>& V_p, std::span<const Jet<Twist>> X,
                     const double* const (&v)[4], std::size_t first,
                     std::span<Jet<Twist>> J) const {
    Jet<Twist> e[6], V;
    for (std::size_t c = 0; c < X.size(); ++c)
      for (std::size_t k = 0; k < 4; ++k) e[c][k] = {C.R * X[c][k].w, C.R * X[c][k].v};
    for (std::size_t k = 0; k < 4; ++k) V[k] = moved(V_p[k]);
    Jet<Twist> axes{};
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t m = 1; m <= k; ++m)  // r_m = V_p^(m-1) - V^(m-1)
        V[k].v += choose[k][m] * cross(V_p[m - 1].v - V[m - 1].v, V_p[k - m].w);
      add_joint(axes, {e, X.size()}, v, first, k, J, V[k]);
      axes[k].w = V[k].w;
    }
    return V;
  }
  /// 000 (55), differentiated: with s = m c and H = I w in world axes,
  ///     f = m rdd + sdd,     t = Hd + s x rdd.
  Jet<Wrench> newton_euler(const Inertia& M_b, const Jet<Twist>& V) const {
    const Vec3 &w = V[0].w, &w1 = V[1].w, &w2 = V[2].w, &w3 = V[3].w;
    const Vec3 &a = V[1].v, &b = V[2].v, &d = V[3].v;
    const Vec3 s = C.R * M_b.mc, s1 = cross(w, s), s2 = cross(w1, s) + cross(w, s1),
               s3 = cross(w2, s) + 2 * cross(w1, s1) + cross(w, s2),
               s4 = cross(w3, s) + 3 * cross(w2, s1) + 3 * cross(w1, s2) + cross(w, s3);
    const Sym3 I = rotate(C.R.matrix(), M_b.I);
    // (I x)' = I x' + w x I x - I (w x x)
    const auto rate = [&](const Vec3& x, const Vec3& x1) {
      return I * (x1 - cross(w, x)) + cross(w, I * x);
    };
    const Vec3 ww1 = cross(w, w1), H = I * w, K = I * w1, K1 = rate(w1, w2);
    const Vec3 H1 = K + cross(w, H), H2 = K1 + cross(w1, H) + cross(w, H1);
    // K1 = I (w2 - w x w1) + w x K
    const Vec3 K2 = rate(w2 - ww1, w3 - cross(w, w2)) + cross(w1, K) + cross(w, K1);
    const Vec3 H3 = K2 + cross(w2, H) + 2 * cross(w1, H1) + cross(w, H2);
    const double m = M_b.m;
    return {Wrench{H1 + cross(s, a), m * a + s2},
            Wrench{H2 + cross(s1, a) + cross(s, b), m * b + s3},
            Wrench{H3 + cross(s2, a) + 2 * cross(s1, b) + cross(s, d), m * d + s4}};
  }
  Jet<Wrench> wrench(const Jet<Wrench>& W_b, const Jet<Twist>& V) const {
    const auto turned = [](const Vec3& w, const Wrench& W) {
      return Wrench{cross(w, W.t), cross(w, W.f)};
    };
    Jet<Wrench> W{};
    for (std::size_t k = 0; k < 3; ++k) W[k] = {C.R * W_b[k].t, C.R * W_b[k].f};
    const Wrench first = turned(V[0].w, W[0]);
    return {W[0], W[1] + first,
            W[2] + 2.0 * turned(V[0].w, W[1]) + turned(V[1].w, W[0]) + turned(V[0].w, first)};
  }
  /// (9): torques about the origin of the parent.
  Jet<Wrench> inward(const Jet<Wrench>& W, const Jet<Twist>&, const Jet<Twist>& V_p,
                     const Jet<Twist>& V) const {
    const Vec3 r = from_parent(), r1 = V[0].v - V_p[0].v, r2 = V[1].v - V_p[1].v;
    return {Wrench{W[0].t + cross(r, W[0].f), W[0].f},
            Wrench{W[1].t + cross(r, W[1].f) + cross(r1, W[0].f), W[1].f},
            Wrench{W[2].t + cross(r, W[2].f) + 2 * cross(r1, W[1].f) + cross(r2, W[0].f), W[2].f}};
  }
};

}  // namespace chasles::textbook
