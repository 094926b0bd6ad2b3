/// Forward dynamics (ABA): joint accelerations from joint forces, in O(n).
///
///     a = M(q)^-1 (tau - h(q, v) + sum_k J_k^T W_k)                                         (1)
///
///     ForwardDynamics work(model);
///     const Vector& a = forward_dynamics(model, q, v, tau, work);
#pragma once

#include "chasles/dynamics/workspace.hpp"
#include "chasles/export.hpp"
#include "chasles/state_error.hpp"

namespace chasles CHASLES_API {

/// The mass matrix is singular: a joint has no inertia of its own about its axis.
class SingularError : public StateError {
  using StateError::StateError;
};

/// Workspace and result: one per thread; after construction no call allocates (the first applied
/// wrench does, once).
struct ForwardDynamics {
  Vector a;  // nv
  Workspace work;
  explicit ForwardDynamics(const Model& model);
};

/// (1) into out.a, which is returned. q: nq; v, tau: nv; all finite, quaternions of any nonzero length.
/// @param applied  wrenches on bodies; empty means none
/// @throws SizeError naming the argument and both sizes; SingularError naming the joint
/// @paper 002 (1.3), (4.1), (4.10)
const Vector& forward_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                               ConstVectorRef tau, ForwardDynamics& out,
                               AppliedWrenches applied = {});

}  // namespace CHASLES_API
