/// The Newton-Euler equations of all links, joint_reactions.hpp (1): in world axes, at the origins of the links.
#pragma once

#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles::dynamics {

[[gnu::always_inline]] inline Wrench link_wrench(const Inertia& M, const SE3& C, const Twist& V_h,
                                                 const Twist& A_h, const Vec3& g) {
  const Vec3 w = inverse_times(C.R, V_h.w), al = inverse_times(C.R, A_h.w),
             a = inverse_times(C.R, A_h.v - g);
  return {C.R * (M.I * al + cross(w, M.I * w) + cross(M.mc, a)),
          C.R * (M.m * a + cross(al, M.mc) + cross(w, cross(w, M.mc)))};
}

/// Subtracts wrenches on bodies from those on their links.
/// @throws ForeignError
inline void subtract_applied(const Model& model, const PositionKinematics& kin,
                             AppliedWrenches applied, Wrench* F) {
  for (const AppliedWrench& on : applied) {
    require_frame(on.frame, model);
    if (on.frame.link < 0) continue;
    const auto i = static_cast<std::size_t>(on.frame.link);
    const SE3 C = kin.C()[i] * on.frame.offset;
    const Wrench W = lie::convert(on.W, C, on.representation, Representation::hybrid);
    F[i] -= {W.t + cross(C.r - kin.C()[i].r, W.f), W.f};
  }
}

/// Adds the complete wrench of link i to that of its parent.
inline void add_to_parent(const Link& link, std::size_t i, const PositionKinematics& kin,
                          Wrench* F) {
  if (link.parent < 0) return;
  const Vec3 d = kin.C()[i].r - kin.C()[parent_of(link)].r;
  F[parent_of(link)] += {F[i].t + cross(d, F[i].f), F[i].f};
}

}  // namespace chasles::dynamics
