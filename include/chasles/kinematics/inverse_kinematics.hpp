/// Numerical inverse kinematics: the configuration in which a body or frame has a given pose.
///
/// The error of the pose C = (R, r) with respect to the target (R_t, r_t) is taken in SO(3) x R^3, so that it separates
/// into radians and meters, in which weights and tolerances are given; with the mixed Jacobian J^m, 003 (50),
///
///     e = (log(R^T R_t); r_t - r),        de = -diag(dexp_{e_w}^-1, I) J^m dv              (1)
///     minimize |e|_W^2 = rotation_weight |e_w|^2 + position_weight |e_v|^2 within the limits (2)
///
/// by the Levenberg-Marquardt method on the configuration manifold, q <- plus(q, dv):
///
///     (G^T W G + mu I) dv = -G^T W e,     G = de/dv                                        (3)
///
/// over the coordinates that are not at an active limit; a step that crosses a limit ends on it. mu is proportional to
/// |e|_W^2, so that convergence is quadratic. After a failed start the next one begins at a random configuration.
///
///     IkResult ik = inverse_kinematics(model, model.frame("hand"), target);
///     if (!ik.success) std::cerr << "no solution: " << ik.position_error << " m error\n";
#pragma once

#include <cstdint>

#include "chasles/export.hpp"
#include "chasles/kinematics/jacobian.hpp"

namespace chasles CHASLES_API {

struct IkOptions {
  Vector q0{};                       // nq: the first start; empty: the neutral configuration
  double position_weight = 1;        // [1/m^2]; 0: position is free
  double rotation_weight = 1;        // [1/rad^2]; 0: orientation is free
  double position_tolerance = 1e-9;  // [m]
  double rotation_tolerance = 1e-9;  // [rad]
  int starts = 20;                   // the first from q0, the others random within the limits
  int iterations = 100;              // maximum per start
  std::uint64_t seed = 1;            // of the random starts; results are reproducible
};

struct IkResult {
  bool success;  // both errors are within their tolerances (ignored if their weight is zero)
  Vector q;      // nq: the best configuration found, within the limits
  double position_error;           // |r_t - r| there [m]
  double rotation_error;           // the angle between R and R_t there [rad]
  int starts;                      // number of starts tried
  int iterations;                  // total over all starts
  std::vector<int> active_limits;  // joints at a limit, as indices in Model::joints()
};

/// Solves (1) to (3). Limits are those of one-dof joints (ModelJoint::limits); a start outside is moved to the nearest
/// limit. Mimic relations are not enforced. A failure does not prove that the target is out of reach: more starts may
/// find it.
/// @param frame   the body or frame to move
/// @param target  its desired pose in the world
/// @throws SizeError; Error naming the option or the joint: non-finite numbers, a target that is not a pose, negative
///         weights or tolerances, no start or iteration, contradictory limits
/// @paper 003 (50)
IkResult inverse_kinematics(const Model& model, const Frame& frame, const SE3& target,
                            const IkOptions& options = {});

}  // namespace CHASLES_API
