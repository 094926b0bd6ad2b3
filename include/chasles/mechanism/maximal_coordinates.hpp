/// Maximal coordinates: the mechanism in which every body is connected to ground by a floating joint, and every joint
/// becomes a loop of the same name (004 section 2; docs/theory/maximal-coordinates.md).
///
///     Model absolute = compile(to_maximal_coordinates(mechanism, BodyGroup::automatic));
///
/// Bodies, their frames and inertias are unchanged, and so are their poses at q = 0, so that all loops are closed
/// there. Fixed joints are kept; floating joints impose no constraint and become no loop. Loops and frames of the
/// description are kept.
///
/// Anything expressed in joint coordinates is dropped or rejected:
///
///     couplings, mimic      Error: they constrain joint coordinates
///     damping, friction     Error: forces along joint coordinates; dropping them would change the motion
///     armature, rotors      Error: inertia along joint coordinates; likewise
///     limits                dropped: they do not affect the motion, but runs do not check them either
///
/// constraints/maximal_state.hpp converts states.
#pragma once

#include <map>

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

/// The Lie group of the bodies. `automatic` follows the proposal of 004: SE(3) for bodies that a joint or a loop
/// connects to ground (SE(3) steps preserve that joint), SO(3) x R^3 for all others; bodies beside one that hardly moves
/// are those of systems/body_groups.hpp.
/// @paper 004 Outlook
enum class BodyGroup : unsigned char { se3, so3xr3, automatic };

/// @param of_bodies  groups of individual bodies, by name, where they differ from `group`
/// @throws Error as `check`; or naming a coupling or joint without counterpart, a loop with the name of a joint, or a
///         body of `of_bodies` that is unknown or fixed to another
/// @paper 000 section 7
/// @paper 004 section 2
Mechanism to_maximal_coordinates(const Mechanism& mechanism, BodyGroup group,
                                 const std::map<std::string, BodyGroup>& of_bodies = {});

}  // namespace CHASLES_API
