/// Inverse dynamics (RNEA): the joint forces that produce an acceleration, in O(n).
///
///     tau = M(q) a + h(q, v) - sum_k J_k^T W_k                                              (1)
///     h(q, v) = C(q, v) v + g(q)                                                            (2)
///
/// Forces of joints are dual to v: torques [N m] about the axes of revolute joints, forces [N] along
/// prismatic ones, the body-fixed wrench (t; f) of floating joints.
///
///     InverseDynamics work(model);
///     const Vector& tau = inverse_dynamics(model, q, v, a, work);
///
/// The kernel fuses kinematics and dynamics and carries no linear velocities: docs/theory/
/// performance.md. The same in the words of the papers, with reactions: recursive.hpp.
#pragma once

#include "chasles/dynamics/workspace.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace and result: one per thread; after construction no call allocates (the first applied
/// wrench does, once).
struct InverseDynamics {
  Vector tau;  // nv
  Workspace work;
  explicit InverseDynamics(const Model& model);
};

/// (1) into out.tau, and returns it. q: nq; v, a: nv; all finite, quaternions of any nonzero length.
/// @param applied  wrenches on bodies; empty means none
/// @throws SizeError naming the argument, its size and the size that is needed
const Vector& inverse_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                               ConstVectorRef a, InverseDynamics& out,
                               AppliedWrenches applied = {});

/// h of (2): what v and gravity need, inverse dynamics at a = 0.
const Vector& bias(const Model& model, ConstVectorRef q, ConstVectorRef v, InverseDynamics& out);
/// g of (2): what holds the mechanism still, inverse dynamics at v = a = 0.
const Vector& gravity_forces(const Model& model, ConstVectorRef q, InverseDynamics& out);

}  // namespace CHASLES_API
