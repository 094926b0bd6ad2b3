/// A Coriolis matrix as a sum over links, for `eval` and `record`. All body-fixed; Pi_i = M_i V_i is the momentum of
/// link i.
///
///     C = sum_i J_i^T (M_i Jd_i - Q_i J_i),              Q_i V = ad_V^T Pi_i    000 (84), corrected (1)
#pragma once

#include "chasles/kinematics/jacobian.hpp"

namespace chasles {

/// C of (1), with Md - 2 C skew-symmetric; not the matrix of Christoffel symbols (dynamics/coriolis.hpp).
/// O(n depth^2). After construction no call allocates.
class SkewCoriolis {
 public:
  explicit SkewCoriolis(const Model& model) : J_(6, model.nv()), J_rate_(6, model.nv()) {}
  void compute(const Model& model, const VelocityKinematics& kin, Eigen::Ref<Eigen::MatrixXd> out);

 private:
  Matrix6X J_, J_rate_;
};

}  // namespace chasles
