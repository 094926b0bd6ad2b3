/// Actuator efforts in a mechanism with loops, couplings or gears. With X the accelerations caused by unit efforts
/// under the constraints, S the selection of actuated coordinates, G = S X and a_0 the accelerations without actuation,
///
///     a = a_0 + X tau,         S a = a_c   by   G tau = a_c - S a_0                            (1)
///
/// G is singular for redundant actuation: tau is then the least-squares solution of (1) with the least norm. An
/// eigenvalue of G with the unit eigenvector u is twice the kinetic energy of the velocities x = X u,
///
///     u^T G u = x^T M x,                                                                       (2)
///
/// and the rounding errors of efforts that move nothing, as those on a joint with a driver, violate (2). The
/// efforts that hold the mechanism still are (1) at rest with a_c = 0 and S extended by coordinates that the motors do
/// not move, such as those of a floating base, which are assumed to be held otherwise.
#pragma once

#include <Eigen/Core>

#include "chasles/simulation/control.hpp"
#include "chasles/systems/constrained_system.hpp"

namespace chasles {

class ClosedActuation {
 public:
  /// @param motors  indices into v
  /// @throws Error naming a loop that cannot be closed
  ClosedActuation(const Model& model, const Binding& binding, std::vector<int> motors);

  /// Efforts for the accelerations `a` (nv); only the entries of actuated coordinates are used.
  void accelerate(double t, const VelocityKinematics& kin, ConstVectorRef a, VectorRef tau);
  /// Efforts that hold the mechanism still, added to tau.
  void hold(double t, const VelocityKinematics& kin, VectorRef tau);

  /// Remarks for the user: efforts that the motion does not determine, and motions that the motors cannot produce.
  std::vector<std::string> remarks(bool holds) const;

 private:
  void solve(std::size_t count);

  ConstrainedSystem system_;
  std::vector<int> entries_;  // indices into v: motors, then coordinates held otherwise
  std::size_t motors_;
  int rank_ = 0;  // of G restricted to the motors
  Vector still_, none_, unit_, x_, mu_, a_;
  Eigen::MatrixXd X_, G_, V_;  // V: eigenvectors of G
  Eigen::VectorXd right_, tau_;
};

/// Whether the mechanism has constraints between its joints.
bool is_bound(const Model& model, bool loops, const ConstraintOptions& constraints);

}  // namespace chasles
