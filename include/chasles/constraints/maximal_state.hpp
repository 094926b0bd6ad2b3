/// States of a tree in maximal coordinates, those of the model made by `to_maximal_coordinates`
/// (mechanism/maximal_coordinates.hpp). There each body has a floating joint to ground, at its pose at q = 0:
///
///     C = A exp(..) = A (R, r)        q = (R, r),    v = V_b                on SE(3)          (1)
///     C = (R_A R, r_A + r)            q = (R, r),    v = (w_b; rd)          on SO(3) x R^3    (2)
///
/// so that q and v follow from the pose and twist of the body, whatever its joint was.
///
///     Model tree = compile(mechanism), maximal = compile(to_maximal_coordinates(mechanism, BodyGroup::se3));
///     VelocityKinematics kin(tree);
///     forward_kinematics(tree, q, v, kin);
///     maximal_state(kin, maximal, q_maximal, v_maximal);
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/kinematics.hpp"

namespace chasles CHASLES_API {

/// The configuration of the maximal-coordinate model with all bodies at the poses of the tree.
/// @param maximal  the maximal-coordinate model: all joints floating, on ground; bodies as in the tree, by name
/// @throws SizeError; Error naming a joint or body that violates this
void maximal_configuration(const PositionKinematics& kin, const Model& maximal, VectorRef q);
/// The same, with the velocity.
void maximal_state(const VelocityKinematics& kin, const Model& maximal, VectorRef q, VectorRef v);

}  // namespace CHASLES_API
