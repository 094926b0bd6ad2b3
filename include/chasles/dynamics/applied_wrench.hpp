/// External wrenches on bodies: contact, wind, a tool.
///
///     AppliedWrench push{model.frame("hand"), {{}, {0, 0, -5}}};    // 5 N down, at the hand
///     inverse_dynamics(model, q, v, a, out, {&push, 1});
#pragma once

#include <span>

#include "chasles/export.hpp"
#include "chasles/kinematics/kinematics.hpp"

namespace chasles CHASLES_API {

/// A wrench ON a body: torque [N m] and force [N] at the frame origin (body, hybrid, mixed) or at the world origin
/// (spatial), in the axes of the representation. The default, here, in files and in the program, is hybrid: at the
/// frame origin, in world axes. A wrench on ground has no effect.
struct AppliedWrench {
  Frame frame;
  Wrench W;
  Representation representation = Representation::hybrid;
};
using AppliedWrenches = std::span<const AppliedWrench>;

/// Adds the wrenches to `W`, one per link, each body-fixed in the frame of its link.
/// @throws SizeError unless `W` has an entry for every link; ForeignError if a frame or `kin` is of another model
void add_link_wrenches(const Model& model, const PositionKinematics& kin, AppliedWrenches applied,
                       std::span<Wrench> W);

}  // namespace CHASLES_API
