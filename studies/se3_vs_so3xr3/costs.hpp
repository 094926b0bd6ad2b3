/// 004 section 5 continued: the attitude error of 5.1 against a reference trajectory, and the outlook of the paper, other
/// integrators: the four examples by method and group, and what each group needs for the same error.
///
/// References are trajectories in minimal coordinates, which have no drift, by dop853 with tolerance 1e-13; the paper
/// integrates Euler's equations in quaternions with tolerances of 1e-6 and 1e-9. The error of a pose is the largest
/// distance, over the bodies, between where the origin of the body and points at 0.1 m along its axes are and where they
/// should be.
///
///     for (const AttitudeError& e : attitude_errors()) ...
#pragma once

#include <span>
#include <string>
#include <vector>

#include "studies/se3_vs_so3xr3/violations.hpp"

namespace chasles::studies::se3_vs_so3xr3 {

/// Rotation angle of R_reference^T R in 5.1, 10 s with 1 ms.
struct AttitudeError {
  BodyGroup group;
  double worst, last;  // [rad]
};
std::vector<AttitudeError> attitude_errors();

struct MethodRun {
  double error = 0;      // of poses, at the end [m]
  double gap = 0;        // of joints, at the end [m]
  long evaluations = 0;  // of the index-1 system
  double seconds = 0;    // CPU time
};
/// One second of a problem. @param accuracy  the step [s], or the tolerance of adaptive methods
MethodRun run_method(const Problem& problem, BodyGroup group, const std::string& method,
                     double accuracy);

struct MethodCost {
  Problem problem;
  std::string method;
  BodyGroup group;
  MethodRun sample;  // at 1 ms, or tolerance 1e-8
  /// For an error of 1e-6 m: interpolated between runs; NaN: not reached.
  double evaluations, seconds;
};
/// Methods with fixed steps, and dop853.
std::span<const char* const> methods_compared();
/// SE(3) and SO(3) x R^3.
std::vector<MethodCost> method_costs(const Problem& problem, const std::string& method);

}  // namespace chasles::studies::se3_vs_so3xr3
