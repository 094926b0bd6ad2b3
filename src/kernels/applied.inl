// Included by dynamics.inl. Applied wrenches (t; f): the representation (representation.hpp) defines their
// axes and point; here they are converted to wrenches on links.
#pragma once

#include "kernels/joints.inl"

/// An applied wrench at a frame, with flags for the parts given in world axes and for its reference point.
template <class Sp>
struct Given {
  Six<Sp> W;
  bool torque_in_world, force_in_world;
  bool at_world_origin;
};
template <class Sp>
CHASLES_INLINE Given<Sp> given_wrench(const Pass<typename Sp::Real>& pass, int k) {
  const bool spatial = pass.frames[k].representation == Representation::spatial;
  const bool hybrid = pass.frames[k].representation == Representation::hybrid;
  return {{Sp::load_vec(pass.wrench, 6 * k), Sp::load_vec(pass.wrench, 6 * k + 3)},
          spatial || hybrid,
          spatial || hybrid || pass.frames[k].representation == Representation::mixed,
          spatial};
}
/// The parts given in the axes of the frame, in link axes; parts given in world axes are zero.
template <class Sp>
CHASLES_INLINE Six<Sp> frame_part(const FrameConstants<typename Sp::Real>& frame,
                                  const Given<Sp>& given) {
  using S = typename Sp::S;
  const auto zero = Sp::vec(S(0), S(0), S(0));
  const typename Sp::Mat C = constant_matrix<Sp>(frame.C);
  return {given.torque_in_world ? zero : C * given.W.w,
          given.force_in_world ? zero : C * given.W.v};
}
/// The parts given in world axes.
template <class Sp>
CHASLES_INLINE Six<Sp> world_part(const Given<Sp>& given) {
  using S = typename Sp::S;
  const auto zero = Sp::vec(S(0), S(0), S(0));
  return {given.torque_in_world ? given.W.w : zero, given.force_in_world ? given.W.v : zero};
}
