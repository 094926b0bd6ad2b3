/// Applied forces of a mechanism besides gravity, as functions of its state.
#pragma once

#include <functional>

#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/export.hpp"
#include "chasles/systems/force_tangent.hpp"

namespace chasles CHASLES_API {

/// Joint forces and wrenches at one state. Zero and empty before every call.
struct JointForces {
  Vector tau;                           // nv
  std::vector<AppliedWrench> wrenches;  // keeps its capacity
  /// tau . v + sum W_k . V_k [W].
  double power(const VelocityKinematics& kin) const;
};
using ForceFunction =
    std::function<void(double t, const VelocityKinematics& kin, JointForces& out)>;

/// Adds the partial derivatives of the same forces.
using TangentFunction =
    std::function<void(double t, const VelocityKinematics& kin, ForceTangent& out)>;

/// Forces with a Taylor expansion in time along a motion:
///
///     tau_i = constant_i - stiffness_i (q_i - rest_i) - damping_i v_i
///
/// and wrenches that are constant in their representations. Stiffness requires v = dq/dt.
struct ForceExpansion {
  Vector constant, stiffness, rest, damping;  // nv
  std::vector<AppliedWrench> wrenches;        // keeps its capacity
};
/// Adds to `out`.
/// @throws Error naming a force that cannot be expanded
using ExpandFunction = std::function<void(ForceExpansion& out)>;

}  // namespace CHASLES_API
