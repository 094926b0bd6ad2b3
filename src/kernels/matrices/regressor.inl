// Included by dynamics.inl. The torque regressor: Q = Y pi with pi_i = (m, c, Ixx, Ixy, Ixz, Iyy, Iyz,
// Izz) of the links, in their frames about their origins. With the axes X_a of the link, its angular
// velocity w and acceleration al, and the acceleration a of its origin minus gravity, all in the axes
// of the root link, O = al~ + w~ w~, the wrenches of unit parameters about the origin of the link are
//
//   m:     f = a              n = 0
//   c_a:   f = O X_a          n = X_a x a
//   I_ab:  f = 0              n = P_ab + P_ba (a = b: once),  P_ab = (al.X_b) X_a + (w.X_b) w x X_a
//
// moved to the origin of the root: n += p x f. Y_k = z_k.n + s_k.f for the screws k that move the link. Row k
// of Y is ordered by links, so that its nonzeros are consecutive.
#pragma once

#include "kernels/inverse_dynamics.inl"
#include "kernels/vectors/columns.inl"

/// The wrenches of a link by components, each a row over the parameters (m, c) and I.
template <class Sp>
struct alignas(32) alignas(typename Sp::Vec) RegressorLink {
  typename Sp::S f[3][4], n[3][4], I[3][8];
};
template <class Sp>
struct RegressorMotion {
  typename Sp::Vec w, al, a;
};

/// Transposes four vectors into three rows.
template <class S, class Real>
CHASLES_INLINE void put_columns(Lanes<S, Real>, S* to, int row, const lie::Vec3<S>& a,
                                const lie::Vec3<S>& b, const lie::Vec3<S>& c,
                                const lie::Vec3<S>& d) {
  to[0] = a.x, to[1] = b.x, to[2] = c.x, to[3] = d.x;
  to += row;
  to[0] = a.y, to[1] = b.y, to[2] = c.y, to[3] = d.y;
  to += row;
  to[0] = a.z, to[1] = b.z, to[2] = c.z, to[3] = d.z;
}
template <class Real>
CHASLES_INLINE void put_columns(Quad<Real>, Real* to, int row, typename Quad<Real>::Vec a,
                                typename Quad<Real>::Vec b, typename Quad<Real>::Vec c,
                                typename Quad<Real>::Vec d) {
  using P = Pack<Real, 4>;
  const auto xz = __builtin_shufflevector(a.v, b.v, 0, 4, 2, 6),
             y = __builtin_shufflevector(a.v, b.v, 1, 5, 3, 7),
             xz2 = __builtin_shufflevector(c.v, d.v, 0, 4, 2, 6),
             y2 = __builtin_shufflevector(c.v, d.v, 1, 5, 3, 7);
  const Take<P> take;
  take.put(to, P::of(__builtin_shufflevector(xz, xz2, 0, 1, 4, 5)));
  take.put(to + row, P::of(__builtin_shufflevector(y, y2, 0, 1, 4, 5)));
  take.put(to + 2 * row, P::of(__builtin_shufflevector(xz, xz2, 2, 3, 6, 7)));
}

/// Motions of all links, by the recursion of inverse_dynamics.inl in root axes.
template <class Sp>
CHASLES_INLINE void regressor_motions(const Pass<typename Sp::Real>& pass, const Angles<Sp>& angles,
                                      const CompositeLink<Sp>* stored,
                                      RegressorMotion<Sp>* motions) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  for (const auto& link : pass.tree->links) {
    const auto i = &link - pass.tree->links.data();
    const typename Sp::Mat R = stored[i].R;
    Vec w = zero, al = zero, a = zero;
    if (link.parent < 0) {
      typename Sp::Mat T = constant_matrix<Sp>(link.C);
      Vec d = zero;
      move<Sp>(pass, angles, link, link.motion, T, d);
      a = -Sp::back_times(T, Sp::constant(pass.tree->gravity));
    } else {
      const RegressorMotion<Sp>& from = motions[link.parent];
      const Vec d = stored[i].p - stored[link.parent].p;
      w = from.w, al = from.al;
      a = from.a + (cross(al, d) + cross(w, cross(w, d)));
    }
    if (one_screw(link.motion)) {
      const S v = Sp::load(pass.v, link.v), vd = pass.force ? Sp::load(pass.force, link.v) : S(0);
      const Vec z = R.c2, u = v * z,
                ud = cross(w, u) + vd * z;  // ud: the axis is fixed in the parent
      if (link.motion != LinkMotion::revolute) {
        const S h = link.motion == LinkMotion::prismatic ? S(1) : S(link.pitch());
        a += h * (cross(w, u) + ud);
      }
      if (link.motion != LinkMotion::prismatic) al += ud, w += u;
    } else {
      const GroupScrews<Sp> X(pass, link);
      const Six<Sp> b = X.twist(pass.v);
      Six<Sp> bd = X.twist(pass.force);
      X.add_rate(bd);
      const Six<Sp> u{R * b.w, R * b.v};
      a += cross(w + w + u.w, u.v) + R * bd.v;
      al += cross(w, u.w) + R * bd.w;
      w += u.w;
    }
    motions[i].w = w, motions[i].al = al, motions[i].a = a;
  }
}
/// Wrenches of unit parameters of one link.
template <class Sp>
CHASLES_INLINE void regressor_wrenches(const CompositeLink<Sp>& at, const RegressorMotion<Sp>& in,
                                       RegressorLink<Sp>& out) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const Vec w = in.w, al = in.al, a = in.a, p = at.p, X = at.R.c0, Y = at.R.c1, Z = at.R.c2;
  const Vec w_X = cross(w, X), w_Y = cross(w, Y), w_Z = cross(w, Z);
  const auto f = [&](const Vec& axis, const Vec& spun) { return cross(al, axis) + cross(w, spun); };
  const Vec f_X = f(X, w_X), f_Y = f(Y, w_Y), f_Z = f(Z, w_Z);
  put_columns(Sp(), out.f[0], 4, a, f_X, f_Y, f_Z);
  put_columns(Sp(), out.n[0], 4, cross(p, a), cross(X, a) + cross(p, f_X),
              cross(Y, a) + cross(p, f_Y), cross(Z, a) + cross(p, f_Z));
  const Vec wl = Sp::back_times(at.R, w), all = Sp::back_times(at.R, al);
  const S wx = Sp::x(wl), wy = Sp::y(wl), wz = Sp::z(wl);
  const S ax = Sp::x(all), ay = Sp::y(all), az = Sp::z(all);
  put_columns(Sp(), out.I[0], 8, ax * X + wx * w_X, (ay * X + ax * Y) + (wy * w_X + wx * w_Y),
              (az * X + ax * Z) + (wz * w_X + wx * w_Z), ay * Y + wy * w_Y);
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  put_columns(Sp(), out.I[0] + 4, 8, (az * Y + ay * Z) + (wz * w_Y + wy * w_Z), az * Z + wz * w_Z,
              zero, zero);
}
/// The ten entries of a row of Y that belong to a link.
template <class Sp>
CHASLES_INLINE void regressor_entries(const RegressorLink<Sp>& link, const typename Sp::S* x,
                                      typename Sp::S* to) {
  using S = typename Sp::S;
  if constexpr (takes_four<Sp>) {
    using P = Pack<S, 4>;
    const Take<P> take;
    const auto get = [&](const S* p) { return take.get(p).x; };
    take.put(to, P::of((x[0] * get(link.n[0]) + x[1] * get(link.n[1]) + x[2] * get(link.n[2])) +
                       (x[3] * get(link.f[0]) + x[4] * get(link.f[1]) + x[5] * get(link.f[2]))));
    const auto four = [&](int c) {
      return x[0] * get(link.I[0] + c) + x[1] * get(link.I[1] + c) + x[2] * get(link.I[2] + c);
    };
    take.put(to + 4, P::of(four(0)));
    const auto last = four(4);
    __builtin_memcpy(to + 8, &last, 2 * sizeof(S));
  } else {
    for (int c = 0; c < 4; ++c)
      to[c] = (x[0] * link.n[0][c] + x[1] * link.n[1][c] + x[2] * link.n[2][c]) +
              (x[3] * link.f[0][c] + x[4] * link.f[1][c] + x[5] * link.f[2][c]);
    for (int c = 0; c < 6; ++c)
      to[4 + c] = x[0] * link.I[0][c] + x[1] * link.I[1][c] + x[2] * link.I[2][c];
  }
}

template <class Sp>
CHASLES_FLATTEN int run_regressor(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size()), nv = tree.nv;
  auto* stored = reinterpret_cast<CompositeLink<Sp>*>(pass.work);
  auto* wrenches = reinterpret_cast<RegressorLink<Sp>*>(stored + count);
  auto* motions = reinterpret_cast<RegressorMotion<Sp>*>(wrenches + count);
  auto* screws = reinterpret_cast<Six<Sp>*>(motions + count);
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(screws + nv));

  composite_poses<Sp>(pass, angles, stored);
  composite_screws<Sp>(pass, stored, screws);
  regressor_motions<Sp>(pass, angles, stored, motions);
  for (int i = 0; i < count; ++i) regressor_wrenches<Sp>(stored[i], motions[i], wrenches[i]);
  S* Y = reinterpret_cast<S*>(pass.out);
  for (int i = 0; i < count; ++i) {
    int end = i + 1;  // end of its descendants
    while (end < count && links[end].v < links[i].end_v) ++end;
    for (int k = links[i].v; k < links[i].v + links[i].nv; ++k, Y += 10 * count) {
      const auto& [w, v] = screws[k];
      const S x[6] = {Sp::x(w), Sp::y(w), Sp::z(w), Sp::x(v), Sp::y(v), Sp::z(v)};
      for (int j = i; j < end; ++j) regressor_entries<Sp>(wrenches[j], x, Y + 10 * j);
      if (pass.zeroed) continue;
      for (int j = 0; j < 10 * i; ++j) Y[j] = S(0);
      for (int j = 10 * end; j < 10 * count; ++j) Y[j] = S(0);
    }
  }
  return -1;
}
template <class Sp>
std::size_t regressor_work(std::size_t count, int nq, int nv) {
  return count *
             (sizeof(CompositeLink<Sp>) + sizeof(RegressorLink<Sp>) + sizeof(RegressorMotion<Sp>)) +
         static_cast<std::size_t>(nv) * sizeof(Six<Sp>) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
