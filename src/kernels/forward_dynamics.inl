// Included by dynamics.inl. Articulated-body forward dynamics on increments: the outward pass computes
// velocities and accelerations at zero joint acceleration, with gravity; the increments are linear in the
// joint accelerations x,
//
//   x = D^-1 (tau - S.bias) - u.(parent's increment at the joint),   increment += S x
#pragma once

#include "kernels/applied.inl"
#include "kernels/articulated.inl"

/// Subtracts applied wrenches from the bias, in root axes, at the link origins.
template <class Sp>
__attribute__((noinline)) void subtract_applied(const Pass<typename Sp::Real>& pass,
                                                const ArticulatedWork<Sp>& work,
                                                const Angles<Sp>& angles) {
  using S = typename Sp::S;
  const auto* links = pass.tree->links.data();
  for (int k = 0; k < pass.frame_count; ++k) {
    const auto& frame = pass.frames[k];
    if (frame.link < 0) continue;
    const Given<Sp> given = given_wrench<Sp>(pass, k);
    const typename Sp::Mat R = work.R[frame.link];
    Six<Sp> W = world_part<Sp>(given);
    auto from_pole = -Sp::times(R, frame.r);  // from the reference point of the wrench to the link
    for (const CylindricalPair& g : pass.tree->cylindrical_pairs)
      if (g.link == frame.link) from_pole += work.links[frame.link].x * work.links[frame.link].z;
    if (given.force_in_world) {
      auto sum = Sp::vec(S(0), S(0), S(0));
      int root = frame.link;
      for (; links[root].parent >= 0; root = links[root].parent) sum += work.links[root].d;
      typename Sp::Mat T = constant_matrix<Sp>(links[root].C);
      auto d = Sp::constant(links[root].r);
      move<Sp>(pass, angles, links[root], links[root].motion, T, d);
      W.w = Sp::back_times(T, W.w), W.v = Sp::back_times(T, W.v);
      if (given.at_world_origin) from_pole = sum + Sp::back_times(T, d);
    }
    const Six<Sp> own = frame_part<Sp>(frame, given);
    W.w += R * own.w, W.v += R * own.v;
    W.w -= cross(from_pole, W.v);
    work.links[frame.link].bias.w -= W.w;
    work.links[frame.link].bias.v -= W.v;
  }
}

template <class Sp>
CHASLES_FLATTEN int run_forward_dynamics(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const int count = static_cast<int>(tree.links.size());
  const ArticulatedWork<Sp> work(pass.work, tree.links.size(), tree.nv);
  const Angles<Sp> angles(pass, work.angles);
  articulated_frames(pass, work, angles);
  articulated_bias(pass, work, angles);
  if (pass.wrench) [[unlikely]]
    subtract_applied<Sp>(arguments, work, angles);
  if (const int i = articulated_inward<Sp, true>(pass, arguments, work); i >= 0) return i;

  const auto zero = Sp::vec(S(0), S(0), S(0));
  Six<Sp> y{zero, zero};
  for (int i = 0; i < count; ++i) {
    const auto& link = tree.links[static_cast<std::size_t>(i)];
    const ArticulatedLink<Sp>& in = work.links[i];
    if (link.parent < 0)
      y = {zero, zero};
    else if (link.parent != i - 1)
      y = {work.motions[link.parent].w, work.motions[link.parent].al};
    y.v += cross(y.w, in.d);
    if (one_screw(link.motion)) {
      const S x = in.x - Sp::dot(in.u.w, y.w, in.u.v, y.v);
      Sp::store(pass.out, link.v, x);
      const auto step = x * in.z;
      if (link.motion != LinkMotion::prismatic) y.w += step;
      if (link.motion == LinkMotion::prismatic) y.v += step;
      if (link.motion == LinkMotion::helical) y.v += S(link.pitch()) * step;
    } else {
      const Six<Sp> p = y;
      for (int k = 0; k < link.nv; ++k) {
        const ArticulatedScrew<Sp>& screw = work.screws[link.v + k];
        const S x = screw.x - Sp::dot(screw.u.w, p.w, screw.u.v, p.v);
        Sp::store(pass.out, link.v + k, x);
        y.w += x * screw.X.w;
        y.v += x * screw.X.v;
      }
    }
    if (link.branches) work.motions[i].w = y.w, work.motions[i].al = y.v;
  }
  return -1;
}
