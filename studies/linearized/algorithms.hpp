/// Algorithms 1 to 6 of 002 as they are printed, corrected, for a serial chain of joints of one degree of freedom, over
/// any scalar: to count their operations, and to time them without what the library does besides (trees, joints of several
/// degrees of freedom, applied wrenches).
///
/// Spatial form about a fixed point; joints are numbered from the base here. With N = 2 Mhat and R, RN sums over the
/// outboard links:
///
///     H = (h; r x h),  Hd = ad_V H,  Hdd = ad_alpha H + ad_V Hd                  (2.13), (3.4)      (1)
///     N = 2 [U 0; -P~ 0],  U = -w~ (tr(J) / 2 1 - J) - m p~ u~,  P = m (u + w x p)     (2.8)        (2)
///     y = M xi + N th + S[H] f dtheta                                              (3.5)            (3)
///     M(j, k) = H_j R_k H_k,  A_D, B_D alike                                       (3.8)            (4)
///     z = YA dbeta + YB dtheta,  eps = dT - H z,  nu = eps / D - GN th - G lam     (4.17), (4.18)   (5)
///     M^-1, A_C, B_C row by row                                                    (4.26)           (6)
///
/// Given are, in world axes, points and axes of joints and inertias about these points, as in (2.2), (2.3).
#pragma once

#include <vector>

#include "chasles/screws/articulated_inertia.hpp"

namespace chasles::studies::linearized {

template <class S>
struct ChainJoint {
  lie::Vec3<S> h, r;  // axis, point
  lie::Inertia<S> M;  // of its link, about r
  S rate, acceleration;
};

/// [U 0; L 0] on twists.
template <class S>
struct LeftBlocks {
  lie::Mat3<S> U, L;
  lie::Wrench<S> operator*(const lie::Twist<S>& X) const { return {U * X.w, L * X.w}; }
  /// The angular part of the transposed product; the linear one is zero.
  lie::Vec3<S> transposed(const lie::Twist<S>& X) const {
    return transpose_times(U, X.w) + transpose_times(L, X.v);
  }
};
/// The same with L = -P~: (2).
template <class S>
struct MomentumBlocks {
  lie::Mat3<S> U;
  lie::Vec3<S> P;
  lie::Wrench<S> operator*(const lie::Twist<S>& X) const { return {U * X.w, -cross(P, X.w)}; }
  lie::Vec3<S> transposed(const lie::Twist<S>& X) const {
    return transpose_times(U, X.w) + cross(P, X.v);
  }
  void operator+=(const MomentumBlocks& b) { U = U + b.U, P = P + b.P; }
};

template <class S>
struct ChainLink {
  lie::Twist<S> H, Hd, Hdd, V, alpha;
  lie::Inertia<S> M;
  MomentumBlocks<S> N;
  lie::Wrench<S> f;
};

/// M about the fixed point: J' = J + (r.d) 1 - (r d^T + d r^T) / 2 with d = 2 m c + m r.
template <class S>
lie::Inertia<S> about_fixed_point(const lie::Inertia<S>& M, const lie::Vec3<S>& r) {
  const lie::Vec3<S> mc = M.mc + M.m * r, d = M.mc + mc;
  const S xx = r.x * d.x, yy = r.y * d.y, zz = r.z * d.z, half(0.5);
  const lie::Sym3<S> shift{
      yy + zz, -(half * (r.x * d.y + r.y * d.x)), -(half * (r.x * d.z + r.z * d.x)),
      xx + zz, -(half * (r.y * d.z + r.z * d.y)), xx + yy};
  return {M.m, mc, M.I + shift};
}

/// w~ E, E symmetric.
template <class S>
lie::Mat3<S> cross_columns(const lie::Vec3<S>& w, const lie::Sym3<S>& E) {
  return {cross(w, {E.xx, E.xy, E.xz}), cross(w, {E.xy, E.yy, E.yz}), cross(w, {E.xz, E.yz, E.zz})};
}

/// (1), (2) of all links.
template <class S>
std::vector<ChainLink<S>> sweep(const std::vector<ChainJoint<S>>& chain,
                                const lie::Vec3<S>& gravity) {
  std::vector<ChainLink<S>> links(chain.size());
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const ChainJoint<S>& joint = chain[k];
    ChainLink<S>& x = links[k];
    const lie::Twist<S> V = k > 0 ? links[k - 1].V : lie::Twist<S>{},
                        A = k > 0 ? links[k - 1].alpha : lie::Twist<S>{{}, -gravity};
    x.H = {joint.h, cross(joint.r, joint.h)};
    x.V = V + joint.rate * x.H;
    x.Hd = ad(x.V, x.H);
    x.alpha = A + joint.acceleration * x.H + joint.rate * x.Hd;
    x.Hdd = ad(x.alpha, x.H) + ad(x.V, x.Hd);
    x.M = about_fixed_point(joint.M, joint.r);
    const lie::Vec3<S>&w = x.V.w, &u = x.V.v, &c = x.M.mc;
    const lie::Sym3<S>& J = x.M.I;
    const S half = S(0.5) * (J.xx + J.yy + J.zz), cu = dot(c, u);
    const lie::Mat3<S> turned =
        cross_columns(-w, {half - J.xx, -J.xy, -J.xz, half - J.yy, -J.yz, half - J.zz});
    lie::Mat3<S> U = turned - outer(u, c);  // c~ u~ = u c^T - (c.u) 1
    for (int i = 0; i < 3; ++i) U(i, i) = U(i, i) + cu;
    x.N = {U, x.M.m * u + cross(w, c)};
    x.f = x.M * x.alpha + x.N * x.V;  // of this link alone: (2.9)
    x.N.U = S(2) * x.N.U, x.N.P = S(2) * x.N.P;
  }
  return links;
}

/// -ad_H^T f = S[H] f.
template <class S>
lie::Wrench<S> turned_force(const lie::Twist<S>& H, const lie::Wrench<S>& f) {
  return -ad_dual(H, f);
}
/// Adds f of the link beyond.
template <class S>
void add_outboard(std::vector<ChainLink<S>>& links, std::size_t k) {
  if (k + 1 < links.size()) links[k].f += links[k + 1].f;
}

template <class S>
using Numbers = std::vector<S>;
/// n x n, row by row.
template <class S>
struct Square {
  std::size_t n;
  std::vector<S> x;
  explicit Square(std::size_t size) : n(size), x(size * size) {}
  S& operator()(std::size_t i, std::size_t j) { return x[i * n + j]; }
  const S& operator()(std::size_t i, std::size_t j) const { return x[i * n + j]; }
};
template <class S>
struct Matrices {
  Square<S> M, A, B;  // M or M^-1; A_D, B_D or A_C, B_C
  explicit Matrices(std::size_t n) : M(n), A(n), B(n) {}
};

/// Algorithm 1: dT. @param da  null: zero, as in Algorithm 3
template <class S>
Numbers<S> algorithm_1(std::vector<ChainLink<S>> links, const Numbers<S>& dq, const Numbers<S>& dv,
                       const Numbers<S>* da) {
  const std::size_t n = links.size();
  std::vector<lie::Wrench<S>> y(n);
  lie::Twist<S> xi, th;
  for (std::size_t k = 0; k < n; ++k) {
    const ChainLink<S>& x = links[k];
    const lie::Twist<S> both = dv[k] * x.Hd;
    const lie::Twist<S> step = both + both + dq[k] * x.Hdd, turn = dv[k] * x.H + dq[k] * x.Hd;
    xi = k > 0 ? xi + step : step;
    if (da != nullptr) xi += (*da)[k] * x.H;
    th = k > 0 ? th + turn : turn;
    y[k] = x.M * xi + x.N * th;
  }
  Numbers<S> dT(n);
  for (std::size_t k = n; k-- > 0;) {
    add_outboard(links, k);
    if (k + 1 < n) y[k] += y[k + 1];
    y[k] += dq[k] * turned_force(links[k].H, links[k].f);  // (3)
    dT[k] = dot(y[k], links[k].H);
  }
  return dT;
}

/// Algorithm 2: M, A_D, B_D. @param matrix_only  M alone, as in Algorithm 3
template <class S>
Matrices<S> algorithm_2(std::vector<ChainLink<S>> links, bool matrix_only = false) {
  const std::size_t n = links.size();
  Matrices<S> out(n);
  std::vector<lie::Twist<S>> twice(n);
  for (std::size_t k = 0; k < n && !matrix_only; ++k) twice[k] = links[k].Hd + links[k].Hd;
  for (std::size_t k = n; k-- > 0;) {
    ChainLink<S>& x = links[k];
    if (k + 1 < n) x.M += links[k + 1].M;
    const lie::Wrench<S> X = x.M * x.H;
    if (matrix_only) {
      for (std::size_t j = 0; j <= k; ++j) out.M(j, k) = out.M(k, j) = dot(X, links[j].H);
      continue;
    }
    add_outboard(links, k);
    if (k + 1 < n) x.N += links[k + 1].N;
    const lie::Wrench<S> XA = x.M * twice[k] + x.N * x.H,
                         XB = x.M * x.Hdd + x.N * x.Hd + turned_force(x.H, x.f);
    const lie::Vec3<S> XN = x.N.transposed(x.H);
    for (std::size_t j = 0; j <= k; ++j) {
      const ChainLink<S>& b = links[j];
      out.M(j, k) = out.M(k, j) = dot(X, b.H);
      out.A(j, k) = dot(XA, b.H), out.B(j, k) = dot(XB, b.H);
      if (j == k) continue;
      out.A(k, j) = dot(X, twice[j]) + dot(XN, b.H.w);
      out.B(k, j) = dot(X, b.Hdd) + dot(XN, b.Hd.w);
    }
  }
  return out;
}

}  // namespace chasles::studies::linearized
