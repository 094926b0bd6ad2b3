/// The groups of bodies in maximal coordinates beside those that hardly move (004, Outlook; docs/theory/maximal-coordinates.md,
/// section 6). `BodyGroup::automatic` knows the description alone, and takes SE(3) for bodies that a joint connects to
/// ground. A body that hardly moves, a heavy satellite under a light arm, is nearly ground, but only the state tells:
///
///     Model maximal = compile(to_maximal_coordinates(mechanism, BodyGroup::automatic));
///     maximal_state(kin, maximal, q_maximal, v_maximal);                      // constraints/maximal_state.hpp
///     auto groups = groups_beside_slow_bodies(maximal, {0, q_maximal, v_maximal});
///     maximal = compile(to_maximal_coordinates(mechanism, BodyGroup::automatic, groups));
///
/// With the second group q and v of those bodies have another meaning: they are to be computed again.
#pragma once

#include <map>
#include <string>

#include "chasles/export.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/systems/system.hpp"

namespace chasles CHASLES_API {

/// The bodies on SO(3) x R^3 that should be on SE(3). Let a joint with a subgroup of motions connect body b to a, and let
/// u and w be the velocity and the acceleration that the point at the origin of b has as a point of either:
///
///     |u_a| <= slow |u_b|,     |w_a| <= slow |w_b|,     slow = 1/10                          (1)
///
/// and not all of them zero. Accelerations are those under gravity, joints and loops, without other forces.
/// @param maximal  a model in maximal coordinates
/// @param start    a state of it; loops that are not closed are closed first
/// @returns SE(3) by name of the body; empty as well where the accelerations are not determined
/// @throws SizeError; Error if a joint is not a floating joint on ground
/// @paper 004 Outlook
std::map<std::string, BodyGroup> groups_beside_slow_bodies(const Model& maximal,
                                                           const State& start);

}  // namespace CHASLES_API
