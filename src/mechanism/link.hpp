/// Links, the elements of a compiled mechanism, each moved by one elementary motion along the z axis of its own frame.
/// chasles/model/model.hpp describes their tree; kernels see nothing else.
#pragma once

#include "chasles/screws/inertia.hpp"

namespace chasles {

/// The elementary motions of links, model.hpp (2). `custom` is exp(Z_1 q_1 + ... + Z_n q_n), the
/// canonical coordinates of the first kind of a custom joint.
enum class LinkMotion : unsigned char {
  revolute,
  prismatic,
  helical,
  spherical,
  floating_se3,
  floating_so3xr3,
  custom
};

/// One screw, constant in the link frame: one entry of q and one of v.
[[gnu::always_inline]] constexpr bool one_screw(LinkMotion motion) {
  return motion <= LinkMotion::helical;
}
/// One entry of q that is an angle: its sine and cosine give the pose.
[[gnu::always_inline]] constexpr bool one_angle(LinkMotion motion) {
  return motion == LinkMotion::revolute || motion == LinkMotion::helical;
}
/// The screws depend on q in the link frame.
[[gnu::always_inline]] constexpr bool screws_turn(LinkMotion motion) {
  return motion >= LinkMotion::floating_so3xr3;
}
/// Kernels have no code for the motion: pose, screws and their time derivatives are passed as data.
[[gnu::always_inline]] constexpr bool given_as_data(LinkMotion motion) {
  return motion == LinkMotion::custom;
}

struct Link {
  int parent;  // -1: ground
  int end;     // descendants of link k are the links i with k < i < end
  int q_index, v_index, nq, nv;
  int screws;  // custom: index of its first screw in custom_screws(model)
  LinkMotion motion;
  double pitch;     // helical [m/rad]
  double armature;  // added to the diagonal of M at its entries of v [kg m^2] or [kg]
  SE3 P;            // the joint frame in the frame of the parent link, at q = 0
  Inertia inertia;
  Sym3
      I_com;  // rotational inertia about the center of mass: `inertia` may have lost it to cancellation
  SO3 Q{};  // floating_so3xr3: axes of the position (those of the parent body) in the joint frame
};

}  // namespace chasles
