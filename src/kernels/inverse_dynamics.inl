// Included by dynamics.inl. Recursive Newton-Euler in the frames of the links, without linear
// velocities. Per link: angular velocity w and acceleration al, acceleration a of the origin minus
// gravity, O = al~ + w~ w~ (docs/theory/performance.md):
//
//   w  = R^T w_p + u_w
//   al = R^T al_p + R^T w_p x u_w + ud_w
//   a  = R^T (a_p + O_p r) + (R^T w_p + w) x u_v + ud_v
//   f  = m a + O c,   n = c x a + (I al + w x I w)
//
// and inward  f_p += R f,  n_p += R n + r x R f. An armature adds I_a vd to the force of its joint.
#pragma once

#include "kernels/applied.inl"
#include "kernels/group_screws.inl"

template <class Sp>
struct InverseLink {
  typename Sp::Rotation R;
  typename Sp::Vec r, n, f;
};
template <class Sp>
struct InverseMotion {
  typename Sp::Vec w, al, a;
  typename Sp::Mat O;
};

/// Applied wrenches given in world axes are transformed along the path from ground to their link.
template <class Sp>
__attribute__((noinline)) void subtract_applied(const Pass<typename Sp::Real>& pass,
                                                InverseLink<Sp>* stored) {
  const auto* links = pass.tree->links.data();
  // The list of path links overwrites the sines and cosines, which are no longer needed.
  const int count = static_cast<int>(pass.tree->links.size());
  int* end =
      reinterpret_cast<int*>(reinterpret_cast<InverseMotion<Sp>*>(stored + count) + count) + count;
  for (int k = 0; k < pass.frame_count; ++k) {
    const auto& frame = pass.frames[k];
    if (frame.link < 0) continue;
    const Given<Sp> given = given_wrench<Sp>(pass, k);
    Six<Sp> W = world_part<Sp>(given);
    if (given.force_in_world) {
      int* path = end;
      for (int i = frame.link; i >= 0; i = links[i].parent) *--path = i;
      for (; path != end; ++path) {
        const InverseLink<Sp>& at = stored[*path];
        if (given.at_world_origin) W.w -= cross(at.r, W.v);
        W.w = Sp::back(at.R, W.w);
        W.v = Sp::back(at.R, W.v);
      }
    }
    const Six<Sp> own = frame_part<Sp>(frame, given);
    W.w += own.w, W.v += own.v;
    if (!given.at_world_origin) W.w += cross(Sp::constant(frame.r), W.v);
    stored[frame.link].n -= W.w;
    stored[frame.link].f -= W.v;
  }
}

template <class Sp>
CHASLES_FLATTEN int run_inverse_dynamics(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size());
  auto* stored = reinterpret_cast<InverseLink<Sp>*>(pass.work);
  auto* motions = reinterpret_cast<InverseMotion<Sp>*>(stored + count);  // of branching links
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(motions + count));

  const Vec zero = Sp::vec(S(0), S(0), S(0));
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    typename Sp::Mat R;
    Vec r;
    move_in_parent<Sp>(pass, angles, link, R, r);
    stored[i].R = Sp::rotation(R);
    stored[i].r = r;
  }

  Vec w = zero, al = zero, a = zero;
  typename Sp::Mat O{zero, zero, zero};
  // One link. Revolute joints, the most common, get their own instantiation, as do root links.
  const auto outward = [&](auto turn, auto root, int i) {
    const auto& link = links[i];
    const LinkMotion motion = turn ? LinkMotion::revolute : link.motion;
    InverseLink<Sp>& out = stored[i];
    if (root)
      w = al = zero, a = -Sp::constant(tree.gravity);
    else
      a = Sp::plus_times(a, O, out.r);
    if (motion == LinkMotion::floating_so3xr3) a += position_acceleration<Sp>(pass, link, w);
    if (!root) {
      w = Sp::back(out.R, w);
      al = Sp::back(out.R, al);
    }
    a = Sp::back(out.R, a);
    if (one_screw(motion)) {
      const S v = Sp::load(pass.v, link.v), vd = pass.force ? Sp::load(pass.force, link.v) : S(0);
      if (motion != LinkMotion::revolute) {
        const S h = motion == LinkMotion::prismatic ? S(1) : S(link.pitch());
        a = Sp::add_z(a + Sp::cross_z(w, S(2) * h * v), h * vd);
      }
      if (motion != LinkMotion::prismatic) {
        al = Sp::add_z(root ? al : al + Sp::cross_z(w, v), vd);
        w = Sp::add_z(w, v);
      }
    } else {
      group_motion<Sp>(pass, link, out.R, w, al, a);
    }
    O = Sp::omega(w, al);
    out.f = S(link.mass()) * a + Sp::times(O, link.mc);
    out.n = Sp::moment(Sp::constant(link.mc), a, O, Sp::turning(link), w, al);
  };
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    const Yes yes;
    const No no;
    if (link.parent >= 0 && link.parent != i - 1) {
      const InverseMotion<Sp>& p = motions[link.parent];
      w = p.w, al = p.al, a = p.a, O = p.O;
    }
    if (link.parent < 0)
      outward(no, yes, i);
    else if (link.motion == LinkMotion::revolute)
      outward(yes, no, i);
    else
      outward(no, no, i);
    if (link.branches) motions[i] = {w, al, a, O};
  }
  if (pass.wrench) [[unlikely]]
    subtract_applied<Sp>(arguments, stored);

  Vec n = zero, f = zero;
  for (int i = count - 1; i >= 0; --i) {
    const auto& link = links[i];
    const InverseLink<Sp>& in = stored[i];
    const bool carried = i + 1 < count && links[i + 1].parent == i;
    n = carried ? n + in.n : in.n;
    f = carried ? f + in.f : in.f;
    if (link.motion == LinkMotion::revolute) {
      Sp::store(pass.out, link.v, Sp::z(n));
    } else if (one_screw(link.motion)) {
      S tau = Sp::z(f);
      if (link.motion == LinkMotion::helical) tau = Sp::z(n) + S(link.pitch()) * tau;
      Sp::store(pass.out, link.v, tau);
    } else {
      group_forces<Sp>(pass, link, in.R, n, f);
    }
    if (link.parent < 0) continue;
    f = Sp::forward(in.R, f);
    n = Sp::plus_cross(Sp::forward(in.R, n), in.r, f);
    if (link.parent == i - 1) continue;
    stored[link.parent].n += n;
    stored[link.parent].f += f;
  }
  add_armature_forces<Sp>(tree, pass.force, pass.out);
  return -1;
}

template <class Sp>
std::size_t inverse_dynamics_work(std::size_t count, int nq) {
  return count * (sizeof(InverseLink<Sp>) + sizeof(InverseMotion<Sp>) + sizeof(int)) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
