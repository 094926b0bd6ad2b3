// Included by dynamics.inl. Contributions of applied wrenches to the derivatives of d_inverse_dynamics.inl,
// where the wrenches are not fixed in their links: E of 002, in blocks,
//
//   E = [ turn   spread~ ]     hybrid: couple~ + point~ force~, 0, force;   mixed: without the couple
//       [ force~    0    ]     spatial, wrench (t; f) about the reference point: t~, f, f;   body: zero
//
// summed over descendants; E X is subtracted in (4) and (E^T X_i).X_j in (6) there.
#pragma once

#include "kernels/applied.inl"
#include "kernels/matrices/composite.inl"

/// E of a link and its subtree.
template <class Sp>
struct AppliedPartial {
  typename Sp::Mat turn;
  typename Sp::Vec force, spread;
};

/// Subtracts applied wrenches from the forces of links, and computes their derivatives, for `d`, the
/// derivatives of inverse dynamics.
template <class D, class Trigonometry>
__attribute__((noinline)) void apply_wrenches(const D& d, const Trigonometry& trigonometry) {
  using Sp = typename D::Space;
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  for (int i = 0; i < d.count; ++i) d.partials[i] = {{zero, zero, zero}, zero, zero};
  for (int k = 0; k < d.pass.frame_count; ++k) {
    const auto& frame = d.pass.frames[k];
    if (frame.link < 0) continue;
    const Given<Sp> given = given_wrench<Sp>(d.pass, k);
    const CompositeLink<Sp>& on = d.stored[frame.link];
    int root = frame.link;
    while (d.links[root].parent >= 0) root = d.links[root].parent;
    typename Sp::Mat R;
    Vec origin;
    d.root_pose(trigonometry, root, R, origin);
    const Six<Sp> own = frame_part<Sp>(frame, given), world = world_part<Sp>(given);
    const Vec couple = Sp::back_times(R, world.w), dead = Sp::back_times(R, world.v),
              point = given.at_world_origin ? -Sp::back_times(R, origin)
                                            : on.p + Sp::times(on.R, frame.r);
    const Vec f = dead + on.R * own.v, t = (couple + on.R * own.w) + cross(point, f);
    d.at[frame.link].W.w -= t;
    d.at[frame.link].W.v -= f;
    AppliedPartial<Sp>& partial = d.partials[frame.link];
    partial.force += dead;
    if (given.at_world_origin) {
      partial.spread += dead;
      partial.turn = Sp::minus_hat(partial.turn, -t);
    } else {  // point~ dead~ = dead point^T - (point.dead) 1
      const S h = -dot(point, dead);
      partial.turn =
          Sp::minus_outer(Sp::minus_hat(partial.turn, -couple), -dead, point) +
          typename Sp::Mat{Sp::vec(h, S(0), S(0)), Sp::vec(S(0), h, S(0)), Sp::vec(S(0), S(0), h)};
    }
  }
  for (int i = d.count - 1; i >= 0; --i) {
    const int parent = d.links[i].parent;
    if (parent < 0) continue;
    d.partials[parent].turn = d.partials[parent].turn + d.partials[i].turn;
    d.partials[parent].force += d.partials[i].force;
    d.partials[parent].spread += d.partials[i].spread;
  }
}
/// Adds their contribution to the columns, before the entries are computed.
template <class D>
__attribute__((noinline)) void applied_columns(const D& d) {
  for (int e = 0; e < d.nv; ++e) {
    const auto& partial = d.partials[d.link_of[e]];
    const auto x = d.one(d.X, e);
    d.add(d.Tq, e,
          {-(partial.turn * x.w + cross(partial.spread, x.v)), -cross(partial.force, x.w)});
  }
}
/// Adds their contribution to the entries of ancestors.
template <class D>
__attribute__((noinline)) void applied_entries(const D& d, typename D::Out* out) {
  using Sp = typename D::Space;
  for (int i = 0; i < d.count; ++i) {
    const AppliedPartial<Sp>& partial = d.partials[i];
    for (int e = d.links[i].v; e < d.links[i].v + d.links[i].nv; ++e) {
      const Six<Sp> x = d.one(d.X, e);
      const Six<Sp> y{cross(partial.force, x.v) - Sp::back_times(partial.turn, x.w),
                      cross(partial.spread, x.w)};
      for (int j = i; j >= 0; j = d.links[j].parent)
        for (int l = d.links[j].v; l < d.links[j].v + d.links[j].nv; ++l) {
          const Six<Sp> z = d.one(d.X, l);
          auto& to = out[e * d.nv + l];
          to = to + Sp::dot(y.w, z.w, y.v, z.v);
        }
    }
  }
}
