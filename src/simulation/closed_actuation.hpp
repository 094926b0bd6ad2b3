/// What motors must give in a mechanism whose joints are bound to each other by loops, couplings or gears. With X the
/// accelerations that unit efforts cause under the constraints, G = S X and a_0 the accelerations without them,
///
///     a = a_0 + X tau,         S a = a_c   by   G tau = a_c - S a_0                            (1)
///
/// G is singular where motors work against each other: of all tau that leave the least of (1), the one with the
/// least sum of squares. What holds the mechanism still is (1) at rest with a_c = 0, S extended by coordinates
/// that the motors do not move, such as those of a floating base: something else holds these.
#pragma once

#include <Eigen/Core>

#include "chasles/motion/constrained_system.hpp"
#include "chasles/simulation/control.hpp"

namespace chasles {

class ClosedActuation {
 public:
  /// @param motors  entries of v
  /// @throws Error naming a loop that cannot be closed
  ClosedActuation(const Model& model, const Binding& binding, std::vector<int> motors);

  /// Efforts for accelerations `a` of the motors' coordinates (entries of v), of which others are not used.
  void accelerate(const VelocityKinematics& kin, ConstVectorRef a, VectorRef tau);
  /// Efforts that hold the mechanism still, added to tau.
  void hold(const VelocityKinematics& kin, VectorRef tau);

  /// What the motion does not determine, or the motors cannot do, in sentences.
  std::vector<std::string> remarks(bool holds) const;

 private:
  void solve(std::size_t count);

  ConstrainedSystem system_;
  std::vector<int> entries_;  // motors, then coordinates that something else holds
  std::size_t motors_;
  int rank_ = 0;  // of the motors
  Vector still_, none_, unit_, x_, mu_, a_;
  Eigen::MatrixXd X_, G_, V_;  // V: eigenvectors of G
  Eigen::VectorXd right_, tau_;
};

/// Whether anything binds the joints to each other.
bool is_bound(const Model& model, bool loops, const ConstraintOptions& constraints);

}  // namespace chasles
