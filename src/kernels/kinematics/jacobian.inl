// Included by dynamics.inl. The Jacobian of a frame, from q; only poses on the path from its link to ground
// are computed. Columns (w; v), with p the frame origin, or the world origin in the spatial form:
//
//   z, z x (p - r)  revolute;   0, z  prismatic;   z, z x (p - r) + h z  helical;   zero off the path
//
// in world axes; body: R^T applied to both; mixed: to w only. R is the rotation of the frame.
#pragma once

#include "kernels/kinematics/motion.inl"

template <class Sp>
CHASLES_FLATTEN int run_jacobian(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  auto* poses = reinterpret_cast<LinkPose<Sp>*>(pass.work);
  Real* sines = reinterpret_cast<Real*>(poses + tree.links.size());
  int* path = reinterpret_cast<int*>(sines + Angles<Sp>::memory(tree.nq)) + tree.links.size();
  int length = 0;
  for (int i = pass.frames->link; i >= 0; i = links[i].parent) *--path = i, ++length;

  const Angles<Sp> angles(pass, sines, path, length);
  for (int k = 0; k < length; ++k) pose_in_parent<Sp>(pass, angles, links[path[k]], poses[k]);
  typename Sp::Mat R = Sp::identity();
  Vec r = zero;
  for (int k = 0; k < length; ++k) {
    LinkPose<Sp>& pose = poses[k];
    if (k == 0) {
      R.c0 = pose.R.c0, R.c1 = pose.R.c1, R.c2 = pose.R.c2, r = pose.r;
    } else {
      r += advance<Sp>(R, pose);
      pose.R.c0 = R.c0, pose.R.c1 = R.c1, pose.R.c2 = R.c2, pose.r = r;
    }
  }
  const auto& frame = *pass.frames;
  Vec p = r + Sp::times(R, frame.r);
  const typename Sp::Mat C{Sp::times(R, frame.C[0]), Sp::times(R, frame.C[1]),
                           Sp::times(R, frame.C[2])};
  if (pass.pose) {
    Sp::store_wide(pass.pose, 0, C.c0);
    Sp::store_wide(pass.pose, 3, C.c1);
    Sp::store_wide(pass.pose, 6, C.c2);
    Sp::store_vec(pass.pose, 9, p);
  }
  const bool turn_v = frame.representation == Representation::body;
  const bool turn_w = turn_v || frame.representation == Representation::mixed;
  if (frame.representation == Representation::spatial) p = zero;
  const auto back = Sp::rotation(C);

  const auto put = [&](int column, Vec w, Vec v) {
    if (turn_w) w = Sp::back(back, w);
    if (turn_v) v = Sp::back(back, v);
    Sp::store_wide(pass.out, 6 * column, w);
    Sp::store_vec(pass.out, 6 * column + 3, v);
  };
  const auto clear = [&](int from, int to) {
    for (int e = 6 * from; e < 6 * to; ++e) Sp::store(pass.out, e, S(0));
  };
  int done = 0;  // columns written
  for (int k = 0; k < length; ++k) {
    const auto& link = links[path[k]];
    const LinkPose<Sp>& pose = poses[k];
    clear(done, link.v);
    done = link.v + link.nv;
    const Vec z = pose.R.c2, d = p - pose.r;
    if (link.motion == LinkMotion::revolute) {
      put(link.v, z, cross(z, d));
    } else if (link.motion == LinkMotion::prismatic) {
      put(link.v, zero, z);
    } else if (link.motion == LinkMotion::helical) {
      put(link.v, z, Sp::plus_cross(S(link.pitch()) * z, z, d));
    } else {
      const GroupScrews<Sp> own(pass, link);
      for (int j = 0; j < link.nv; ++j) {
        const Six<Sp> X = own[j];
        const Vec w = pose.R * X.w;
        put(link.v + j, w, Sp::plus_cross(pose.R * X.v, w, d));
      }
    }
  }
  clear(done, tree.nv);
  return -1;
}
template <class Sp>
std::size_t jacobian_work(std::size_t count, int nq) {
  return count * (sizeof(LinkPose<Sp>) + sizeof(int)) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
