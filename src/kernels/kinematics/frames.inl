// Included by dynamics.inl. Poses, twists and accelerations of frames in a representation (kinematics.hpp),
// from those of the links in Pass::pose, twist and acceleration. With d the frame origin relative to the link
// origin, p relative to the world origin, and R the rotation of the frame:
//
//   hybrid    w, v + w x d                   al, a + al x d + w x (w x d)           (1)
//   body      R^T of (1)                     R^T al, R^T (a - w x v)
//   mixed     R^T w, v                       R^T al, a
//   spatial   w, v + p x w                   al, a + v x w + p x al
#pragma once

#include "kernels/kinematics/motion.inl"

/// The pose of a frame, from that of its link.
template <class Sp>
CHASLES_INLINE LinkPose<Sp> pose_of(const Pass<typename Sp::Real>& pass,
                                    const FrameConstants<typename Sp::Real>& frame,
                                    typename Sp::Vec& d) {
  if (frame.link < 0) return {constant_matrix<Sp>(frame.C), d = Sp::constant(frame.r)};
  const int i = 12 * frame.link;
  const typename Sp::Mat R{Sp::load_vec(pass.pose, i), Sp::load_vec(pass.pose, i + 3),
                           Sp::load_vec(pass.pose, i + 6)};
  d = Sp::times(R, frame.r);
  return {{Sp::times(R, frame.C[0]), Sp::times(R, frame.C[1]), Sp::times(R, frame.C[2])},
          Sp::load_vec(pass.pose, i + 9) + d};
}

template <class Sp, int Level>
CHASLES_FLATTEN int run_frames(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  for (int k = 0; k < pass.frame_count; ++k) {
    const auto& frame = pass.frames[k];
    Vec d;
    const LinkPose<Sp> C = pose_of<Sp>(pass, frame, d);
    if constexpr (Level == 0) {
      Sp::store_vec(pass.out, 12 * k, C.R.c0);
      Sp::store_vec(pass.out, 12 * k + 3, C.R.c1);
      Sp::store_vec(pass.out, 12 * k + 6, C.R.c2);
      Sp::store_vec(pass.out, 12 * k + 9, C.r);
    } else {
      Vec w = zero, v = zero, al = zero, a = zero;
      if (frame.link >= 0) {
        const int i = 6 * frame.link;
        w = Sp::load_vec(pass.twist, i);
        const Vec wd = cross(w, d);
        v = Sp::load_vec(pass.twist, i + 3) + wd;
        if constexpr (Level == 2) {
          al = Sp::load_vec(pass.acceleration, i);
          a = Sp::load_vec(pass.acceleration, i + 3) + Sp::two_crosses(al, d, w, wd);
        }
      }
      Vec angular = w, linear = v;
      if constexpr (Level == 2) angular = al, linear = a;
      if (frame.representation == Representation::spatial) {
        linear += cross(C.r, angular);
        if constexpr (Level == 2) linear += cross(v, w);
      } else if (frame.representation == Representation::body) {
        if constexpr (Level == 2) linear -= cross(w, v);
        linear = Sp::back_times(C.R, linear);
      }
      if (frame.representation == Representation::body ||
          frame.representation == Representation::mixed)
        angular = Sp::back_times(C.R, angular);
      Sp::store_vec(pass.out, 6 * k, angular);
      Sp::store_vec(pass.out, 6 * k + 3, linear);
    }
  }
  return -1;
}
