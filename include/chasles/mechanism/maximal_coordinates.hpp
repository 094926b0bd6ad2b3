/// Maximal coordinates, as another mechanism: every body hangs on ground by a floating joint, and every
/// joint has become a loop of the same name (004 section 2; docs/theory/absolute-coordinates.md).
///
///     Model absolute = compile(to_maximal_coordinates(mechanism, BodyGroup::automatic));
///
/// Bodies, their frames and inertias stay as they are, and at q = 0 each is where it was, so that all
/// loops are closed there. What is fixed to a body stays fixed to it, what is fixed to ground stays
/// there; floating joints bind nothing and leave no loop. Loops and frames of the description stay.
///
/// Minimal coordinates are no coordinates any more, so what speaks of them cannot stay:
///
///     couplings, mimic      Error: they bind coordinates that do not exist
///     damping, friction     Error: forces along such coordinates; without them it moves differently
///     limits                left out: no motion depends on them, but no run watches them either
///
/// constraints/maximal_state.hpp takes states over.
#pragma once

#include <map>

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

/// The group that bodies move on. `automatic`, the proposal that 004 ends with: SE(3) for what a joint
/// or a loop connects to ground, where it keeps that joint by itself, SO(3) x R^3 for all else.
enum class BodyGroup : unsigned char { se3, so3xr3, automatic };

/// @param of_bodies  the groups of some bodies, by name, where they differ from `group`
/// @throws Error as `check`; or naming the coupling or joint that has no counterpart, a loop that has
///         the name of a joint, or a body of `of_bodies` that is not there or fixed to another
Mechanism to_maximal_coordinates(const Mechanism& mechanism, BodyGroup group,
                                 const std::map<std::string, BodyGroup>& of_bodies = {});

}  // namespace CHASLES_API
