// Included by dynamics.inl. Shared by algorithms with a single reference point: links in the axes of the root
// link, all about its origin, so that nothing is transformed between links. Per link, with the Binet tensor E
// about its center of mass g:
//
//   c' = m g,   E' = R E R^T + m g g^T,   screw (z; s): s = p x z if revolute                     (1)
//   momentum of the screw:   n = c' x s + (tr E' 1 - E') z,   f = m s - c' x z                    (2)
//
// and, in an inertial frame, with the twist V = (w; v) of the link:
//
//   c'dot = l = m v - c' x w,   E'dot = w~ E' + v c'^T + transpose,   k = momentum n of V         (3)
//   screw rate  Psi = (w x z; w x s + v x z) + Xdot in these axes                                 (4)
#pragma once

#include "kernels/group_screws.inl"
#include "kernels/vectors/columns.inl"

template <class Sp>
struct CompositeLink {
  typename Sp::Mat R;
  typename Sp::Vec p, c;
  typename Sp::Sym E;
  typename Sp::S m;
};
template <class Sp>
struct CompositeRate {
  Six<Sp> V;
  typename Sp::Vec k, l;
  typename Sp::Sym E;
};

/// R and p, in the frame of each root; or in world axes relative to the origin of the first root.
template <class Sp>
CHASLES_INLINE void composite_poses(const Pass<typename Sp::Real>& pass, const Angles<Sp>& angles,
                                    CompositeLink<Sp>* stored,
                                    typename Sp::Vec* reference_point = nullptr) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const auto* links = pass.tree->links.data();
  const int count = static_cast<int>(pass.tree->links.size());
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  typename Sp::Mat R = Sp::identity();
  Vec p = zero;
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    if (link.parent < 0) {
      R = Sp::identity();
      p = zero;
      if (reference_point) {
        R = constant_matrix<Sp>(link.C);
        p = Sp::constant(link.r);
        move<Sp>(pass, angles, link, link.motion, R, p);
        if (i == 0) *reference_point = p;
        p -= *reference_point;
      }
    } else {
      if (link.parent != i - 1) R = stored[link.parent].R, p = stored[link.parent].p;
      typename Sp::Mat T{Sp::times(R, link.C[0]), Sp::times(R, link.C[1]), Sp::times(R, link.C[2])};
      Vec d = Sp::times(R, link.r);
      move<Sp>(pass, angles, link, link.motion, T, d);
      R = T;
      p += d;
    }
    stored[i].R = R;
    stored[i].p = p;
  }
}
/// (1) for one link.
template <class Sp>
CHASLES_INLINE void composite_inertia(const BodyConstants<typename Sp::Real>& body,
                                      CompositeLink<Sp>& out) {
  out.m = typename Sp::S(body.com[3]);
  const typename Sp::Vec g = out.p + Sp::times(out.R, body.com);
  out.c = out.m * g;
  out.E = Sp::plus_square(Sp::rotated(out.R, body.E_diag, body.E_off), out.m, g);
}
/// (1) for all links.
template <class Sp>
CHASLES_INLINE void composite_inertias(const Tree<typename Sp::Real>& tree,
                                       CompositeLink<Sp>* stored) {
  for (const auto& body : tree.bodies)
    composite_inertia<Sp>(body, stored[&body - tree.bodies.data()]);
}
/// The screws of all entries of v.
template <class Sp>
CHASLES_INLINE void composite_screws(const Pass<typename Sp::Real>& pass,
                                     const CompositeLink<Sp>* stored, Six<Sp>* screws) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  const auto put = [&](int k, const Vec& w, const Vec& v) { screws[k].w = w, screws[k].v = v; };
  for (const auto& link : pass.tree->links) {
    const CompositeLink<Sp>& at = stored[&link - pass.tree->links.data()];
    const Vec axis = at.R.c2;
    if (link.motion == LinkMotion::revolute) {
      put(link.v, axis, cross(at.p, axis));
    } else if (link.motion == LinkMotion::prismatic) {
      put(link.v, zero, axis);
    } else if (link.motion == LinkMotion::helical) {
      put(link.v, axis, cross(at.p, axis) + S(link.pitch()) * axis);
    } else {
      const GroupScrews<Sp> own(pass, link);
      for (int k = 0; k < link.nv; ++k) {
        const Six<Sp> X = own[k];
        const Vec w = at.R * X.w;
        put(link.v + k, w, at.R * X.v + cross(at.p, w));
      }
    }
  }
}
/// (2), for a composite body with this trace of E.
template <class Sp>
CHASLES_INLINE Six<Sp> composite_momentum(const CompositeLink<Sp>& body,
                                          const typename Sp::S& trace, const Six<Sp>& X) {
  return {cross(body.c, X.v) + (trace * X.w - body.E * X.w), body.m * X.v - cross(body.c, X.w)};
}

/// w~ E + (w~ E)^T.
template <class S, class Real>
CHASLES_INLINE lie::Sym3<S> spin(Lanes<S, Real>, const lie::Vec3<S>& w, const lie::Sym3<S>& E) {
  const S x = w.x * E.yz, y = w.y * E.xz, z = w.z * E.xy, two(2);
  return {two * (y - z),
          w.y * E.yz - w.x * E.xz + w.z * (E.xx - E.yy),
          w.x * E.xy - w.z * E.yz + w.y * (E.zz - E.xx),
          two * (z - x),
          w.z * E.xz - w.y * E.xy + w.x * (E.yy - E.zz),
          two * (x - y)};
}
template <class Real>
CHASLES_INLINE typename Quad<Real>::Sym spin(Quad<Real>, typename Quad<Real>::Vec w,
                                             const typename Quad<Real>::Sym& E) {
  using Q = Quad<Real>;
  const auto yzx = Q::yzx(w.v), zxy = Q::zxy(w.v), o = Q::yzx(E.o.v), t = w.v * o;
  return {{2 * (Q::yzx(t) - Q::zxy(t))},
          {(yzx * o - w.v * Q::zxy(E.o.v)) + zxy * (E.d.v - Q::yzx(E.d.v))}};
}
/// (3) and (4). Call after composite_screws and before inertias are summed.
template <class Sp>
CHASLES_INLINE void composite_rates(const Pass<typename Sp::Real>& pass,
                                    const CompositeLink<Sp>* stored, const Six<Sp>* screws,
                                    CompositeRate<Sp>* rates, Six<Sp>* Psi) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const auto* links = pass.tree->links.data();
  const int count = static_cast<int>(pass.tree->links.size());
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  Six<Sp> V{zero, zero};
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    if (link.parent < 0)
      V.w = V.v = zero;
    else if (link.parent != i - 1)
      V.w = rates[link.parent].V.w, V.v = rates[link.parent].V.v;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const S v = Sp::load(pass.v, k);
      V.w += v * screws[k].w, V.v += v * screws[k].v;
    }
    rates[i].V.w = V.w, rates[i].V.v = V.v;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const Six<Sp> X = screws[k];
      Psi[k].w = cross(V.w, X.w);
      Psi[k].v = cross(V.w, X.v) + cross(V.v, X.w);
    }
    if (!screws_turn(link.motion)) continue;
    const GroupScrews<Sp> own(pass, link);
    for (int k = 0; k < link.nv; ++k) {
      const Six<Sp> rate = own.rate(k);
      const Vec w = stored[i].R * rate.w;
      Psi[link.v + k].w += w;
      Psi[link.v + k].v += stored[i].R * rate.v + cross(stored[i].p, w);
    }
  }
  for (int i = 0; i < count; ++i) {
    const CompositeLink<Sp>& body = stored[i];
    const Vec w = rates[i].V.w, v = rates[i].V.v;
    const Six<Sp> h = composite_momentum<Sp>(body, Sp::trace(body.E), {w, v});
    rates[i].k = h.w, rates[i].l = h.v;
    rates[i].E = Sp::plus_symmetric_outer(spin(Sp(), w, body.E), v, body.c);
  }
}
/// Sums over descendants.
template <class Sp>
CHASLES_INLINE void composite_sums(const Tree<typename Sp::Real>& tree, CompositeLink<Sp>* stored) {
  for (int i = static_cast<int>(tree.links.size()) - 1; i >= 0; --i) {
    const int parent = tree.links[static_cast<std::size_t>(i)].parent;
    if (parent < 0) continue;
    const CompositeLink<Sp>& in = stored[i];
    CompositeLink<Sp>& to = stored[parent];
    to.m = to.m + in.m;
    to.c += in.c;
    to.E = to.E + in.E;
  }
}
template <class Sp>
CHASLES_INLINE void composite_sums(const Tree<typename Sp::Real>& tree, CompositeRate<Sp>* rates) {
  for (int i = static_cast<int>(tree.links.size()) - 1; i >= 0; --i) {
    const int parent = tree.links[static_cast<std::size_t>(i)].parent;
    if (parent < 0) continue;
    rates[parent].k += rates[i].k;
    rates[parent].l += rates[i].l;
    rates[parent].E = rates[parent].E + rates[i].E;
  }
}
