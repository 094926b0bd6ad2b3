/// Applied forces of a mechanism besides gravity, as functions of its state.
#pragma once

#include <functional>
#include <memory>
#include <vector>

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

class SeriesForce;

/// Forces with a Taylor expansion in time along a motion:
///
///     tau_i = constant_i - stiffness_i (q_i - rest_i) - damping_i v_i
///
/// wrenches that are constant in their representations, and forces of the library that follow from the motion order by
/// order (springs between points, tendons, drag, expressions ...). Stiffness requires v = dq/dt.
struct ForceExpansion {
  Vector constant, stiffness, rest, damping;               // nv
  std::vector<AppliedWrench> wrenches;                     // keeps its capacity
  std::vector<std::shared_ptr<const SeriesForce>> series;  // keeps its capacity
};
/// Adds to `out`.
/// @throws Error naming a force that cannot be expanded
using ExpandFunction = std::function<void(ForceExpansion& out)>;

}  // namespace CHASLES_API
