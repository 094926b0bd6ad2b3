/// Algorithms 3 to 6 of 002; see algorithms.hpp.
#pragma once

#include "studies/linearized/algorithms.hpp"

namespace chasles::studies::linearized {

/// M = L D L^T in place, from the lower half, and its use; n^3 / 6 multiplications.
template <class S>
void factorize(Square<S>& M) {
  for (std::size_t k = 0; k < M.n; ++k)
    for (std::size_t i = k + 1; i < M.n; ++i) {
      const S l = M(i, k) / M(k, k);
      for (std::size_t j = k + 1; j <= i; ++j) M(i, j) = M(i, j) - l * M(j, k);
      M(k, i) = l;  // the upper half keeps L^T
    }
}
/// @param first  entries of x before it are zero
template <class S>
void solve(const Square<S>& M, Numbers<S>& x, std::size_t first = 0) {
  for (std::size_t k = first; k < M.n; ++k)
    for (std::size_t i = k + 1; i < M.n; ++i) x[i] = x[i] - M(k, i) * x[k];
  for (std::size_t k = M.n; k-- > 0;) {
    x[k] = x[k] / M(k, k);
    for (std::size_t i = k + 1; i < M.n; ++i) x[k] = x[k] - M(k, i) * x[i];
  }
}

/// Algorithm 3: da.
template <class S>
Numbers<S> algorithm_3(const std::vector<ChainLink<S>>& links, const Numbers<S>& dq,
                       const Numbers<S>& dv, const Numbers<S>& dT) {
  Numbers<S> x = algorithm_1<S>(links, dq, dv, nullptr);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = dT[k] - x[k];
  Square<S> M = algorithm_2(links, true).M;
  factorize(M);
  solve(M, x);
  return x;
}

/// Algorithm 4: M^-1, A_C, B_C.
template <class S>
Matrices<S> algorithm_4(const std::vector<ChainLink<S>>& links) {
  Matrices<S> out = algorithm_2(links);
  Square<S> M = out.M;
  const std::size_t n = M.n;
  factorize(M);
  Numbers<S> x(n);
  for (std::size_t k = n; k-- > 0;) {  // the lower half of a column; the upper one is known
    std::fill(x.begin(), x.end(), S(0));
    x[k] = S(1);
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) x[j] = x[j] - M(i, j) * x[i];
    for (std::size_t i = n; i-- > k;) {
      x[i] = x[i] / M(i, i);
      for (std::size_t j = i + 1; j < n; ++j) x[i] = x[i] - M(i, j) * x[j];
    }
    for (std::size_t i = k; i < n; ++i) out.M(i, k) = out.M(k, i) = x[i];
  }
  for (Square<S>* m : {&out.A, &out.B}) {  // M^-1 times the matrix, 2 n^3: n^3 each
    const Square<S> given = *m;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        S sum = out.M(i, 0) * given(0, j);
        for (std::size_t l = 1; l < n; ++l) sum = sum + out.M(i, l) * given(l, j);
        (*m)(i, j) = sum;
      }
  }
  return out;
}

/// (4.16): gains of the articulated-body recursion.
template <class S>
struct Articulated {
  std::vector<lie::Wrench<S>> G, YA, YB;
  std::vector<lie::Vec3<S>> GN;  // angular parts; the linear ones are zero
  Numbers<S> D_inverse;
};
template <class S>
Articulated<S> articulated(std::vector<ChainLink<S>> links) {
  const std::size_t n = links.size();
  Articulated<S> out{Numbers<lie::Wrench<S>>(n), Numbers<lie::Wrench<S>>(n),
                     Numbers<lie::Wrench<S>>(n), Numbers<lie::Vec3<S>>(n), Numbers<S>(n)};
  lie::ArticulatedInertia<S> P;  // of the link beyond, projected: taub P
  LeftBlocks<S> N;
  for (std::size_t k = n; k-- > 0;) {
    ChainLink<S>& x = links[k];
    add_outboard(links, k);
    const lie::ArticulatedInertia<S> own(x.M);
    LeftBlocks<S> blocks{x.N.U, hat(-x.N.P)};
    if (k + 1 < n) {  // a rigid inertia has ten numbers, the sum 21; N + own has 9 + 6
      P.A = P.A + own.A;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          if (i != j) P.B(i, j) = P.B(i, j) + own.B(i, j);
      P.C.xx = P.C.xx + x.M.m, P.C.yy = P.C.yy + x.M.m, P.C.zz = P.C.zz + x.M.m;
      blocks.U = N.U + blocks.U;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          blocks.L(i, j) = i == j ? N.L(i, j) : N.L(i, j) + blocks.L(i, j);
    } else {
      P = own;
    }
    const lie::Wrench<S> U = P * x.H;
    out.D_inverse[k] = S(1) / dot(U, x.H);
    out.G[k] = out.D_inverse[k] * U;
    const lie::Vec3<S> hN = blocks.transposed(x.H);
    out.GN[k] = out.D_inverse[k] * hN;
    out.YA[k] = blocks * x.H + P * (x.Hd + x.Hd);
    out.YB[k] = blocks * x.Hd + P * x.Hdd + turned_force(x.H, x.f);
    if (k == 0) break;
    P.subtract(U, out.G[k]);
    N = {blocks.U - outer(out.G[k].t, hN), blocks.L - outer(out.G[k].f, hN)};
  }
  return out;
}

/// Algorithm 5: da, (4.17), (4.18).
template <class S>
Numbers<S> algorithm_5(const std::vector<ChainLink<S>>& links, const Articulated<S>& g,
                       const Numbers<S>& dq, const Numbers<S>& dv, const Numbers<S>& dT) {
  const std::size_t n = links.size();
  Numbers<S> eps(n), da(n);
  lie::Wrench<S> z;
  for (std::size_t k = n; k-- > 0;) {
    const lie::Wrench<S> own = dv[k] * g.YA[k] + dq[k] * g.YB[k];
    z = k + 1 < n ? z + own : own;
    eps[k] = dT[k] - dot(z, links[k].H);
    if (k > 0) z += eps[k] * g.G[k];
  }
  lie::Twist<S> th, lam;
  for (std::size_t k = 0; k < n; ++k) {
    const ChainLink<S>& x = links[k];
    da[k] = g.D_inverse[k] * eps[k];
    if (k > 0) da[k] = da[k] - dot(g.GN[k], th.w) - dot(g.G[k], lam);
    if (k + 1 == n) break;
    const lie::Twist<S> twice = dv[k] * x.Hd;
    const lie::Twist<S> step = da[k] * x.H + (twice + twice) + dq[k] * x.Hdd,
                        turn = dv[k] * x.H + dq[k] * x.Hd;
    lam = k > 0 ? lam + step : step;
    th = k > 0 ? th + turn : turn;
  }
  return da;
}

/// Symmetric 6 x 6 on wrenches: Upsilon.
template <class S>
struct Compliance {
  lie::ArticulatedInertia<S> x;
  lie::Twist<S> operator*(const lie::Wrench<S>& W) const {
    const lie::Wrench<S> y = x * lie::Twist<S>{W.t, W.f};
    return {y.t, y.f};
  }
  /// Adds H U^T - Z H^T, which is symmetric.
  void add(const lie::Twist<S>& H, const lie::Twist<S>& U, const lie::Twist<S>& Z) {
    x.subtract({-H.w, -H.v}, {U.w, U.v});
    x.subtract({Z.w, Z.v}, {H.w, H.v});
  }
};

/// Algorithm 6: M^-1, A_C, B_C, (4.26).
template <class S>
Matrices<S> algorithm_6(const std::vector<ChainLink<S>>& links, const Articulated<S>& g) {
  const std::size_t n = links.size();
  Matrices<S> out(n);
  Compliance<S> Ups;
  lie::Mat3<S> Jw, Jv;  // J^: columns for angular parts; the other three are zero
  std::vector<lie::Twist<S>> EA(n), EB(n);
  for (std::size_t k = 0; k < n; ++k) {
    const ChainLink<S>& x = links[k];
    lie::Twist<S> Z, U;
    S L = g.D_inverse[k];
    lie::Vec3<S> Q = g.GN[k];
    if (k > 0) {
      Z = Ups * g.G[k];
      L = L + dot(g.G[k], Z);
      U = L * x.H - Z;
      Q = Q - (transpose_times(Jw, g.G[k].t) + transpose_times(Jv, g.G[k].f));
    } else {
      U = L * x.H;
    }
    lie::Twist<S> X = U;
    out.M(k, k) = L, out.A(k, k) = dot(g.YA[k], U), out.B(k, k) = dot(g.YB[k], U);
    for (std::size_t j = k + 1; j < n; ++j) {
      const S entry = -dot(g.G[j], X);
      out.M(k, j) = out.M(j, k) = entry;
      X += entry * links[j].H;
      out.A(k, j) = dot(g.YA[j], X), out.B(k, j) = dot(g.YB[j], X);
    }
    lie::Wrench<S> W = g.G[k];
    for (std::size_t j = k; j-- > 0;) {
      out.A(k, j) = dot(W, EA[j]) + dot(Q, links[j].H.w);
      out.B(k, j) = dot(W, EB[j]) + dot(Q, links[j].Hd.w);
      if (j > 0) W -= dot(W, links[j].H) * g.G[j];
    }
    if (k + 1 == n) break;  // what follows is of links beyond
    Ups.add(x.H, U, Z);
    Jw = Jw + outer(x.H.w, Q), Jv = Jv + outer(x.H.v, Q);
    const auto response = [&](const lie::Twist<S>& y) { return lie::Twist<S>{Jw * y.w, Jv * y.w}; };
    EA[k] = x.Hd + x.Hd - Ups * g.YA[k] + response(x.H);
    EB[k] = x.Hdd - Ups * g.YB[k] + response(x.Hd);
  }
  return out;
}

}  // namespace chasles::studies::linearized
