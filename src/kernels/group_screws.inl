// Included by dynamics.inl. Joint screws of links that are not revolute, prismatic or helical, and their
// effect on motions and forces.
#pragma once

#include "kernels/joints.inl"

/// The screws X of a link that is not revolute, prismatic or helical, in its own frame. For floating_so3xr3,
/// whose position r is given in axes Q of the joint frame,
///
///   X = diag(1, B),   B = R^T Q,   X v = (w; B rd),   Xdot v = (0; B rd x w)
///
/// and for custom joints they are data, Pass::group.
template <class Sp>
class GroupScrews {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;

 public:
  CHASLES_INLINE GroupScrews(const Pass<Real>& p, const LinkConstants<Real>& l)
      : pass(p), link(l), zero(Sp::vec(S(0), S(0), S(0))), B{zero, zero, zero} {
    if (link.motion == LinkMotion::floating_so3xr3)
      take(Sp::rotation(rotation_of<Sp>(pass.q, link.q)),
           position_axes<Sp>(pass, link).axes.in_joint);
  }
  /// For callers that have its rotation in the parent link.
  CHASLES_INLINE GroupScrews(const Pass<Real>& p, const LinkConstants<Real>& l,
                             const typename Sp::Rotation& R)
      : pass(p), link(l), zero(Sp::vec(S(0), S(0), S(0))), B{zero, zero, zero} {
    if (link.motion == LinkMotion::floating_so3xr3)
      take(R, position_axes<Sp>(pass, link).axes.in_parent);
  }

  /// B.
  CHASLES_INLINE const typename Sp::Mat& position() const { return B; }
  /// Column k.
  CHASLES_INLINE Six<Sp> operator[](int k) const {
    if (given_as_data(link.motion)) return given(18 + 6 * k);
    if (k < 3) return {unit(k), zero};
    if (link.motion == LinkMotion::floating_so3xr3)
      return {zero, k == 3 ? B.c0 : k == 4 ? B.c1 : B.c2};
    return {zero, unit(k - 3)};
  }
  /// X x, x the entries of v or of an acceleration (null: zero).
  CHASLES_INLINE Six<Sp> twist(const Real* x) const {
    if (!x) return {zero, zero};
    if (link.motion == LinkMotion::spherical) return {Sp::load_vec(x, link.v), zero};
    if (!given_as_data(link.motion)) {
      const Vec v = Sp::load_vec(x, link.v + 3);
      return {Sp::load_vec(x, link.v), link.motion == LinkMotion::floating_so3xr3 ? B * v : v};
    }
    Six<Sp> u{zero, zero};
    for (int k = 0; k < link.nv; ++k) {
      const Six<Sp> X = (*this)[k];
      const S s = Sp::load(x, link.v + k);
      u.w += s * X.w;
      u.v += s * X.v;
    }
    return u;
  }
  /// Adds the velocity-dependent part of the acceleration: u += Xdot v.
  CHASLES_INLINE void add_rate(Six<Sp>& u) const {
    if (link.motion == LinkMotion::floating_so3xr3)
      u.v += cross(position_part(pass.v), Sp::load_vec(pass.v, link.v));
    if (!given_as_data(link.motion)) return;
    const Six<Sp> rate = given(12);
    u.w += rate.w, u.v += rate.v;
  }

  // For joints whose screws depend on q. d/dq_l: derivative along entry l of a step on the joint's Lie group.

  /// Column k of Xdot.
  CHASLES_INLINE Six<Sp> rate(int k) const {
    if (given_as_data(link.motion)) return given(18 + 6 * (link.nv + k));
    if (k < 3) return {zero, zero};
    return {zero, cross((*this)[k].v, Sp::load_vec(pass.v, link.v))};
  }
  /// dX_k/dq_l.
  CHASLES_INLINE Six<Sp> partial(int k, int l) const {
    if (given_as_data(link.motion)) return given(18 + 12 * link.nv + 6 * (k * link.nv + l));
    if (k < 3 || l >= 3) return {zero, zero};
    return {zero, cross((*this)[k].v, unit(l))};
  }
  /// d(X x)/dq_l.
  CHASLES_INLINE Six<Sp> twist_partial(const Real* x, int l) const {
    if (!given_as_data(link.motion)) return {zero, l < 3 ? cross(position_part(x), unit(l)) : zero};
    Six<Sp> sum{zero, zero};
    for (int k = 0; k < link.nv; ++k) {
      const S factor = Sp::load(x, link.v + k);
      const Six<Sp> part = partial(k, l);
      sum.w += factor * part.w, sum.v += factor * part.v;
    }
    return sum;
  }
  /// Sum over l of y_l d(X x)/dq_l.
  CHASLES_INLINE Six<Sp> twist_change(const Real* x, const Real* y) const {
    if (!given_as_data(link.motion))
      return {zero, cross(position_part(x), Sp::load_vec(y, link.v))};
    Six<Sp> sum{zero, zero};
    for (int l = 0; l < link.nv; ++l) {
      const S factor = Sp::load(y, link.v + l);
      const Six<Sp> part = twist_partial(x, l);
      sum.w += factor * part.w, sum.v += factor * part.v;
    }
    return sum;
  }
  /// d(X a + Xdot v)/dq_l.
  CHASLES_INLINE Six<Sp> acceleration_partial(int l) const {
    if (given_as_data(link.motion)) return given(18 + 12 * link.nv + 6 * (link.nv * link.nv + l));
    if (l >= 3) return {zero, zero};
    const Vec e = unit(l);
    Vec change = cross(cross(position_part(pass.v), e), Sp::load_vec(pass.v, link.v));
    if (pass.force) change += cross(position_part(pass.force), e);
    return {zero, change};
  }

 private:
  CHASLES_INLINE void take(const typename Sp::Rotation& R, const Real (*Q)[4]) {
    B.c0 = Sp::back(R, Sp::constant(Q[0]));
    B.c1 = Sp::back(R, Sp::constant(Q[1]));
    B.c2 = Sp::back(R, Sp::constant(Q[2]));
  }
  static CHASLES_INLINE Vec unit(int k) {
    const S o(0), e(1);
    return Sp::vec(k == 0 ? e : o, k == 1 ? e : o, k == 2 ? e : o);
  }
  CHASLES_INLINE Vec position_part(const Real* x) const { return B * Sp::load_vec(x, link.v + 3); }
  CHASLES_INLINE Six<Sp> given(int at) const {
    return {Sp::load_vec(pass.group, link.group + at),
            Sp::load_vec(pass.group, link.group + at + 3)};
  }
  const Pass<Real>& pass;
  const LinkConstants<Real>& link;
  Vec zero;
  typename Sp::Mat B;  // floating_so3xr3
};

/// x += I_a a, the forces that accelerate armatures; null a: zero.
template <class Sp>
CHASLES_INLINE void add_armature_forces(const Tree<typename Sp::Real>& tree,
                                        const typename Sp::Real* a, typename Sp::Real* x) {
  if (!a) return;
  for (const auto& at : tree.armatures)
    Sp::store(x, at.v, Sp::load(x, at.v) + typename Sp::S(at.inertia) * Sp::load(a, at.v));
}

/// Contribution of the position of a floating_so3xr3 link to the acceleration of its origin, in the axes of
/// the parent link, which rotates with w: 2 w x rd + rdd.
template <class Sp>
CHASLES_INLINE typename Sp::Vec position_acceleration(const Pass<typename Sp::Real>& pass,
                                                      const LinkConstants<typename Sp::Real>& link,
                                                      const typename Sp::Vec& w) {
  using S = typename Sp::S;
  const FromPosition<Sp> from = position_axes<Sp>(pass, link);
  auto a =
      pass.force ? from.in_parent(Sp::load_vec(pass.force, link.v + 3)) : Sp::vec(S(0), S(0), S(0));
  if (link.parent >= 0)
    a = Sp::plus_cross(a, w + w, from.in_parent(Sp::load_vec(pass.v, link.v + 3)));
  return a;
}
/// Updates the motion (w, al, a) of the parent, given in the axes and at the origin of the link, to that of
/// the link:
///
///   a += (2 w + u_w) x u_v + ud_v,    al += w x u_w + ud_w,    w += u_w
///
/// For floating_so3xr3, a already includes position_acceleration.
/// @param R  its rotation in the parent link
template <class Sp>
CHASLES_INLINE void group_motion(const Pass<typename Sp::Real>& pass,
                                 const LinkConstants<typename Sp::Real>& link,
                                 const typename Sp::Rotation& R, typename Sp::Vec& w,
                                 typename Sp::Vec& al, typename Sp::Vec& a) {
  if (link.motion == LinkMotion::floating_so3xr3) {
    const auto u = Sp::load_vec(pass.v, link.v);
    al += cross(w, u);
    if (pass.force) al += Sp::load_vec(pass.force, link.v);
    w += u;
    return;
  }
  const GroupScrews<Sp> X(pass, link, R);
  const Six<Sp> u = X.twist(pass.v);
  Six<Sp> ud = X.twist(pass.force);
  X.add_rate(ud);
  a += cross(w + w + u.w, u.v) + ud.v;
  al += cross(w, u.w) + ud.w;
  w += u.w;
}
/// X^T (n; f), to pass.out.
template <class Sp>
CHASLES_INLINE void group_forces(const Pass<typename Sp::Real>& pass,
                                 const LinkConstants<typename Sp::Real>& link,
                                 const typename Sp::Rotation& R, const typename Sp::Vec& n,
                                 const typename Sp::Vec& f) {
  if (given_as_data(link.motion)) {
    const GroupScrews<Sp> X(pass, link, R);
    for (int k = 0; k < link.nv; ++k)
      Sp::store(pass.out, link.v + k, dot(X[k].w, n) + dot(X[k].v, f));
    return;
  }
  Sp::store_vec(pass.out, link.v, n);
  if (link.motion == LinkMotion::floating_se3) Sp::store_vec(pass.out, link.v + 3, f);
  if (link.motion == LinkMotion::floating_so3xr3)
    Sp::store_vec(pass.out, link.v + 3, position_axes<Sp>(pass, link).back(Sp::forward(R, f)));
}
