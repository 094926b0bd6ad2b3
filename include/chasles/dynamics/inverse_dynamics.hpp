/// Inverse dynamics (RNEA): joint forces from joint accelerations, in O(n).
///
///     tau = M(q) a + h(q, v) - sum_k J_k^T W_k                                              (1)
///     h(q, v) = C(q, v) v + g(q)                                                            (2)
///
/// Joint forces are dual to v: torques [N m] about the axes of revolute joints, forces [N] along prismatic ones, the
/// body-fixed wrench (t; f) of floating joints.
///
///     InverseDynamics work(model);
///     const Vector& tau = inverse_dynamics(model, q, v, a, work);
///
/// The kernel fuses kinematics and dynamics and needs no linear velocities: docs/theory/performance.md. The reference
/// implementation that follows the papers, with joint reactions: textbook/recursive.hpp.
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

/// (1) into out.tau, which is returned. q: nq; v, a: nv; all finite, quaternions of any nonzero length.
/// @param applied  wrenches on bodies; empty means none
/// @throws SizeError naming the argument, its size and the required size
/// @paper 000 (1)
/// @paper 002 (1.1), (2.15)
const Vector& inverse_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                               ConstVectorRef a, InverseDynamics& out,
                               AppliedWrenches applied = {});

/// Bias force h of (2): Coriolis, centrifugal and gravity forces, inverse dynamics at a = 0.
const Vector& bias(const Model& model, ConstVectorRef q, ConstVectorRef v, InverseDynamics& out);
/// g of (2): the joint forces that hold the mechanism still, inverse dynamics at v = a = 0.
const Vector& gravity_forces(const Model& model, ConstVectorRef q, InverseDynamics& out);

}  // namespace CHASLES_API
