/// Inverse kinematics to many frames at once: the configuration, velocities and accelerations of a mechanism that fit
/// measured poses, twists and accelerations of its bodies best, with loops, couplings and joint limits. Motion capture
/// gives such poses of segments, with errors, of some of them only positions or only attitudes.
///
/// With the errors e of (1) of inverse_kinematics.hpp for every measurement m,
///
///     minimize  sum_m rotation_m |e_w|^2 + position_m |e_v|^2   subject to Phi(q) = 0 and the limits   (1)
///
/// by Gauss-Newton steps on the manifold Phi = 0: with G = de/dv and Z a basis of the kernel of B over the coordinates
/// that are not at an active limit,
///
///     dv = Z y,   (Z^T G^T W G Z + mu I) y = -Z^T G^T W e                                    (2)
///
/// followed by closing the loops. Velocities and accelerations are linear problems at this configuration:
///
///     minimize  sum_m |J_m v - V_m|_W^2            subject to B v = 0                        (3)
///     minimize  sum_m |J_m a + Jd_m v - A_m|_W^2   subject to B a + Bd v = 0                 (4)
///
/// Without constraints (3) is least_squares_velocities. 003, Remark 9, has the twists of all bodies of a chain.
///
///     MeasuredPose measured[] = {{hand, C_hand}, {elbow, C_elbow, 0, 1}};     // elbow: position only
///     PoseFit fit = fit_poses(constraints, measured);
///     VelocityFit v = fit_velocities(constraints, fit.q, twists, Representation::hybrid);
///     VelocityFit a = fit_accelerations(constraints, fit.q, v.v, accelerations, Representation::hybrid);
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "chasles/export.hpp"
#include "chasles/kinematics/system_jacobian.hpp"

namespace chasles CHASLES_API {

/// A measured pose of a body or frame; weight zero: not measured.
struct MeasuredPose {
  Frame frame;
  SE3 C{};
  double rotation = 1;  // [1/rad^2]
  double position = 1;  // [1/m^2]
};

struct PoseFitOptions {
  Vector q0{};              // nq: the first start; empty: the neutral configuration
  int starts = 1;           // further ones are random around it; the best result counts
  int iterations = 200;     // maximum per start
  double tolerance = 1e-9;  // enough starts are made once the residual is below it
  std::uint64_t seed = 1;
};

struct PoseFit {
  Vector q;                        // nq: within the limits, Phi = 0
  double residual = 0;             // the square root of (1)
  bool converged = false;          // no step reduces it
  Vector position_error;           // of each measurement [m], also where its weight is zero
  Vector rotation_error;           // [rad]
  std::vector<int> active_limits;  // joints at a limit, as indices in Model::joints()
  int starts = 0, iterations = 0;
};

/// (1) and (2). The result is a local minimum: for a sequence of measurements give the previous q as q0.
/// @throws SizeError, ForeignError; Error naming the measurement or option; Error if no start can be assembled
/// @paper 003 Remark 9
PoseFit fit_poses(Constraints& constraints, std::span<const MeasuredPose> measured,
                  const PoseFitOptions& options = {});

/// (3). VelocityFit as in system_jacobian.hpp; its rank counts velocities that B v = 0 permits.
/// @param q  nq, with Phi = 0
/// @throws as least_squares_velocities
/// @paper 003 Remark 9
VelocityFit fit_velocities(Constraints& constraints, ConstVectorRef q,
                           std::span<const MeasuredTwist> measured, Representation rep);
/// (4). MeasuredTwist::V are the time derivatives of the twists in `rep`.
/// @param v  nv, with B v = 0
/// @paper 003 Remark 9
VelocityFit fit_accelerations(Constraints& constraints, ConstVectorRef q, ConstVectorRef v,
                              std::span<const MeasuredTwist> measured, Representation rep);

}  // namespace CHASLES_API
