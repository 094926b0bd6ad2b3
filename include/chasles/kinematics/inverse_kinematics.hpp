/// Numerical inverse kinematics: the configuration in which a body or frame has a given pose.
///
/// The error of the pose C = (R, r) with the target (R_t, r_t) is taken in SO(3) x R^3, so that it
/// separates into radians and meters, and weights, tolerances and the distance to a target out of
/// reach mean what they say; with the mixed Jacobian J^m, 003 (50),
///
///     e = (log(R^T R_t); r_t - r),        de = -diag(dexp_{e_w}^-1, I) J^m dv              (1)
///     minimize |e|_W^2 = rotation_weight |e_w|^2 + position_weight |e_v|^2 within the limits (2)
///
/// by the method of Levenberg and Marquardt on the configuration space, q <- plus(q, dv):
///
///     (G^T W G + mu I) dv = -G^T W e,     G = de/dv                                        (3)
///
/// over the coordinates that are not held by a limit; a step that crosses a limit ends on it. mu is
/// proportional to |e|_W^2, so that convergence is quadratic. When a start ends without success,
/// the next one begins at a random configuration.
///
///     IkResult ik = inverse_kinematics(model, model.frame("hand"), target);
///     if (!ik.success) std::cerr << "no solution: " << ik.position_error << " m are missing\n";
#pragma once

#include <cstdint>

#include "chasles/export.hpp"
#include "chasles/kinematics/jacobian.hpp"

namespace chasles CHASLES_API {

struct IkOptions {
  Vector q0{};                       // nq: the first start; empty: every joint at zero
  double position_weight = 1;        // [1/m^2]; zero: any position will do
  double rotation_weight = 1;        // [1/rad^2]; zero: any attitude will do
  double position_tolerance = 1e-9;  // [m]
  double rotation_tolerance = 1e-9;  // [rad]
  int starts = 20;                   // the first from q0, the others random within the limits
  int iterations = 100;              // at most, per start
  std::uint64_t seed = 1;            // of the random starts: the same seed, the same result
};

struct IkResult {
  bool success;           // both errors are within their tolerances, if their weights are not zero
  Vector q;               // nq: the best configuration found, within the limits
  double position_error;  // |r_t - r| there [m]
  double rotation_error;  // the angle between R and R_t there [rad]
  int starts;             // how many were tried
  int iterations;         // in all of them
  std::vector<int> active_limits;  // joints that stand on a limit, as positions in Model::joints()
};

/// (1) to (3). Limits are those of joints with one coordinate (ModelJoint::limits); a start outside
/// is brought to the nearest limit. Mimic relations are not enforced. A failure is not a proof that
/// the target is out of reach: more starts may find it.
/// @param place   what is to be brought to the target
/// @param target  its wanted pose in the world
/// @throws SizeError; Error naming the option or the joint: numbers that are not finite, a target
///         that is no pose, negative weights or tolerances, no start or iteration, limits that
///         exclude each other
IkResult inverse_kinematics(const Model& model, const Frame& frame, const SE3& target,
                            const IkOptions& options = {});

}  // namespace CHASLES_API
