/// What a compiled mechanism is made of: links, each moved by one elementary motion along the z axis
/// of its own frame. model/model.hpp says how they hang together; the kernels see nothing else.
#pragma once

#include "chasles/export.hpp"
#include "chasles/screws/inertia.hpp"

namespace chasles CHASLES_API {

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

/// Along one screw that is constant in the link: one entry of q and one of v.
[[gnu::always_inline]] constexpr bool one_screw(LinkMotion motion) {
  return motion <= LinkMotion::helical;
}
/// One entry of q, and that is an angle: its sine and cosine give the pose.
[[gnu::always_inline]] constexpr bool one_angle(LinkMotion motion) {
  return motion == LinkMotion::revolute || motion == LinkMotion::helical;
}
/// The screws depend on q in the frame of the link.
[[gnu::always_inline]] constexpr bool screws_turn(LinkMotion motion) {
  return motion >= LinkMotion::floating_so3xr3;
}
/// Kernels do not know the motion: its pose, screws and their rates are given to them as data.
[[gnu::always_inline]] constexpr bool given_as_data(LinkMotion motion) {
  return motion == LinkMotion::custom;
}

struct Link {
  int parent;  // -1: ground
  int end;     // its descendants are the links up to here: this < i < end
  int q_index, v_index, nq, nv;
  int screws;  // custom: where its screws begin in Model::screws
  LinkMotion motion;
  double pitch;  // helical [m/rad]
  SE3 P;         // the joint frame in the frame of the parent link, at q = 0
  Inertia inertia;
  Sym3 I_com;  // its rotational inertia about its center of mass: in `inertia` it may have drowned
  SO3 Q{};  // floating_so3xr3: the axes of its position, those of the parent body, in the joint frame
};

}  // namespace CHASLES_API
