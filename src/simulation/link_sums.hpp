/// Quantities that are sums over links, for `eval` and `record`: reactions of joints, and a Coriolis
/// matrix. All body-fixed; Pi_i = M_i V_i is the momentum of link i.
///
///     W_i = M_i A_i - ad_{V_i}^T Pi_i - W_app,i          A_i with the acceleration -g of ground   (1)
///     W   = sum over what the joint carries of Ad_{C_i}^{-T} W_i, about the world's origin        (2)
///     C   = sum_i J_i^T (M_i Jd_i - Q_i J_i),            Q_i V = ad_V^T Pi_i    000 (84), corrected (3)
#pragma once

#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/kinematics/jacobian.hpp"

namespace chasles {

/// The wrench (2) that a joint transmits to its child body. After construction no call allocates.
class JointReaction {
 public:
  explicit JointReaction(const Model& model) : applied_(model.links().size()) {}
  /// @param joint    in Model::joints()
  /// @param applied  wrenches on bodies, those of constraints among them, in two lists
  Wrench compute(const Model& model, const AccelerationKinematics& kin, AppliedWrenches applied,
                 AppliedWrenches binding, std::size_t joint, Representation representation);

 private:
  std::vector<Wrench> applied_;  // one per link
};

/// C of (3), with Md - 2 C skew; it is not that of the Christoffel symbols (dynamics/coriolis.hpp).
/// O(n depth^2). After construction no call allocates.
class SkewCoriolis {
 public:
  explicit SkewCoriolis(const Model& model) : J_(6, model.nv()), J_rate_(6, model.nv()) {}
  void compute(const Model& model, const VelocityKinematics& kin, Eigen::Ref<Eigen::MatrixXd> out);

 private:
  Matrix6X J_, J_rate_;
};

}  // namespace chasles
