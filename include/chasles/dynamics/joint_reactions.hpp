/// The wrenches transmitted by all joints, in O(n).
///
/// In world axes, at the origin r_i of each link; p is the parent of link i, d_i = r_i - r_p, g gravity, and M_i, c
/// are the mass properties of link i:
///
///     F_i  = (I_i wd + w x I_i w + m c x (rdd - g);  m (rdd - g) + wd x m c + w x (w x m c)) - W_app,i    (1)
///     F_p += (t_i + d_i x f_i; f_i)                                                                       (2)
///
/// Accumulated from the leaves to ground, F_i is the wrench that the joint of link i transmits from its parent to its
/// child. Its component along the joint screws is the joint force, without the part that accelerates armature and rotor;
/// the rest is the constraint wrench of the bearing.
///
///     forward_kinematics(model, q, v, v_dot, kin);
///     JointReactions reactions(model);
///     joint_reactions(model, kin, Representation::body, reactions, applied);
///     Wrench W = reactions.W[k];                               // of model.joints()[k]
///
/// At an evaluated state, and with closed loops: MechanismState. The textbook form is textbook/recursive.hpp.
#pragma once

#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace and result: one per thread; after construction no call allocates.
struct JointReactions {
  std::vector<Wrench> W;  // per joint of the model: on the child body [N m, N], at its frame
  explicit JointReactions(const Model& model);
  const Model& model() const { return model_; }

 private:
  friend const std::vector<Wrench>& joint_reactions(const Model&, const AccelerationKinematics&,
                                                    Representation, JointReactions&,
                                                    AppliedWrenches, AppliedWrenches);
  Model model_;
  std::vector<Wrench> F_;  // links, of (1), (2)
};

/// (1), (2) into out.W, which is returned, in the frames of the child bodies and the given representation.
/// @param kin      up to date at (q, v, v_dot)
/// @param applied  wrenches on bodies, in two lists, for example of forces and of constraints
/// @throws ForeignError naming both models
/// @paper 000 (77)
const std::vector<Wrench>& joint_reactions(const Model& model, const AccelerationKinematics& kin,
                                           Representation rep, JointReactions& out,
                                           AppliedWrenches applied = {},
                                           AppliedWrenches more_applied = {});

}  // namespace CHASLES_API
