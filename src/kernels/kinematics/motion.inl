// Included by dynamics.inl. Outward pass: poses, hybrid twists and hybrid accelerations of all links,
// kinematics.hpp (1) to (5). First the poses of links in their parents, which are independent of each other;
// then the recursion along the tree.
#pragma once

#include "kernels/group_screws.inl"

template <class Sp>
struct LinkPose {
  typename Sp::Mat R;
  typename Sp::Vec r;
};
/// Motion of a branching link, kept for its later children.
template <class Sp>
struct Moving {
  typename Sp::Mat R;
  typename Sp::Vec r, w, v, al, a;
};

/// The pose of a link in its parent.
template <class Sp>
CHASLES_INLINE void pose_in_parent(const Pass<typename Sp::Real>& pass, const Angles<Sp>& angles,
                                   const LinkConstants<typename Sp::Real>& link,
                                   LinkPose<Sp>& out) {
  typename Sp::Mat T;
  typename Sp::Vec d;
  move_in_parent<Sp>(pass, angles, link, T, d);
  out.R.c0 = T.c0, out.R.c1 = T.c1, out.R.c2 = T.c2, out.r = d;
}
/// Updates R to the rotation of the next link, `local` being its pose in this one; returns the offset of its
/// origin from this link's, in the old axes R.
template <class Sp>
CHASLES_INLINE typename Sp::Vec advance(typename Sp::Mat& R, const LinkPose<Sp>& local) {
  const auto x = Sp::times_stored(R, local.R.c0), y = Sp::times_stored(R, local.R.c1),
             z = Sp::times_stored(R, local.R.c2), d = Sp::times_stored(R, local.r);
  R.c0 = x, R.c1 = y, R.c2 = z;
  return d;
}

/// Level 0: poses; 1: poses and twists; 2: poses, twists and accelerations.
template <class Sp, int Level>
CHASLES_FLATTEN int run_motion(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size());
  auto* local = reinterpret_cast<LinkPose<Sp>*>(pass.work);
  auto* branching = reinterpret_cast<Moving<Sp>*>(local + count);
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(branching + count));
  for (int i = 0; i < count; ++i) pose_in_parent<Sp>(pass, angles, links[i], local[i]);

  const Vec zero = Sp::vec(S(0), S(0), S(0));
  typename Sp::Mat R = Sp::identity();
  Vec r = zero, w = zero, v = zero, al = zero, a = zero;
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    const LinkMotion motion = link.motion;
    Vec d, rd = zero, rdd = zero;  // floating_so3xr3: in parent axes, then in world axes
    if constexpr (Level >= 1)
      if (motion == LinkMotion::floating_so3xr3) {
        const FromPosition<Sp> from = position_axes<Sp>(pass, link);
        rd = from.in_parent(Sp::load_vec(pass.v, link.v + 3));
        if constexpr (Level >= 2) rdd = from.in_parent(Sp::load_vec(pass.force, link.v + 3));
      }
    if (link.parent < 0) {
      R.c0 = local[i].R.c0, R.c1 = local[i].R.c1, R.c2 = local[i].R.c2;
      r = d = local[i].r;
      if constexpr (Level >= 1) w = v = zero;
      if constexpr (Level >= 2) al = a = zero;
    } else {
      if (link.parent != i - 1) {
        const Moving<Sp>& p = branching[link.parent];
        R.c0 = p.R.c0, R.c1 = p.R.c1, R.c2 = p.R.c2, r = p.r;
        if constexpr (Level >= 1) w = p.w, v = p.v;
        if constexpr (Level >= 2) al = p.al, a = p.a;
      }
      if constexpr (Level >= 1)
        if (motion == LinkMotion::floating_so3xr3) rd = R * rd, rdd = R * rdd;
      d = advance<Sp>(R, local[i]);
      r += d;
    }
    Sp::store_wide(pass.pose, 12 * i, R.c0);
    Sp::store_wide(pass.pose, 12 * i + 3, R.c1);
    Sp::store_wide(pass.pose, 12 * i + 6, R.c2);
    Sp::store_vec(pass.pose, 12 * i + 9, r);

    if constexpr (Level >= 1) {
      const Vec wd = cross(w, d);
      if constexpr (Level >= 2) a = a + Sp::two_crosses(al, d, w, wd);
      v += wd;
      if (motion == LinkMotion::revolute) {
        const Vec u = Sp::load(pass.v, link.v) * R.c2;
        if constexpr (Level >= 2) al = (al + Sp::load(pass.force, link.v) * R.c2) + cross(w, u);
        w += u;
      } else if (one_screw(motion)) {
        const S h = motion == LinkMotion::prismatic ? S(1) : S(link.pitch());
        const Vec u = Sp::load(pass.v, link.v) * R.c2;
        if constexpr (Level >= 2) {
          const Vec ud = Sp::load(pass.force, link.v) * R.c2;
          // (w_p + w_i) x u_v = 2 w x u_v, as the joint changes w only along u.
          a += h * (ud + cross(w + w, u));
          if (motion == LinkMotion::helical) al += ud + cross(w, u);
        }
        v += h * u;
        if (motion == LinkMotion::helical) w += u;
      } else if (motion == LinkMotion::floating_so3xr3) {
        const Vec u = R * Sp::load_vec(pass.v, link.v);
        if constexpr (Level >= 2) {
          a += cross(w + w, rd) + rdd;
          al += cross(w, u) + R * Sp::load_vec(pass.force, link.v);
        }
        w += u;
        v += rd;
      } else {
        const GroupScrews<Sp> X(pass, link);
        const Six<Sp> b = X.twist(pass.v);
        const Six<Sp> u{R * b.w, R * b.v};
        if constexpr (Level >= 2) {
          Six<Sp> bd = X.twist(pass.force);
          X.add_rate(bd);
          a += cross(w + w + u.w, u.v) + R * bd.v;
          al += cross(w, u.w) + R * bd.w;
        }
        w += u.w;
        v += u.v;
      }
      Sp::store_wide(pass.twist, 6 * i, w);
      Sp::store_vec(pass.twist, 6 * i + 3, v);
      if constexpr (Level >= 2) {
        Sp::store_wide(pass.acceleration, 6 * i, al);
        Sp::store_vec(pass.acceleration, 6 * i + 3, a);
      }
    }
    if (link.branches) {
      Moving<Sp>& out = branching[i];
      out.R.c0 = R.c0, out.R.c1 = R.c1, out.R.c2 = R.c2, out.r = r;
      if constexpr (Level >= 1) out.w = w, out.v = v;
      if constexpr (Level >= 2) out.al = al, out.a = a;
    }
  }
  return -1;
}
template <class Sp>
std::size_t motion_work(std::size_t count, int nq) {
  return count * (sizeof(LinkPose<Sp>) + sizeof(Moving<Sp>)) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
