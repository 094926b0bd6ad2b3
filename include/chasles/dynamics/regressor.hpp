/// Joint torque regressor (optimized kernel): joint forces as a linear function of the inertial parameters.
///
///     Q = M a + h = Y(q, v, a) pi + I_a a                                                    (1)
///
/// with pi = (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) of all bodies in order, in the frame of the body, I
/// about its origin; the armatures I_a (Joint::armature) are not among them, and mostly zero. The kernel computes the
/// columns of *links*, which consist of one or more bodies; since inertias transform linearly, the columns of a body
/// on the link are
///
///     Y_b = Y_link T_b,      parameters(transform(offset_b, M)) = T_b parameters(M)          (2)
///
/// which is skipped if the offset is the identity.
///
///     TorqueRegressor work(model);
///     const RowMatrix& Y = torque_regressor(model, q, v, a, work);
///     Eigen::VectorXd tau = Y * inertial_parameters(model);
#pragma once

#include "chasles/dynamics/workspace.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// pi of (1): ten numbers per body of Model::bodies(), as `lie::parameters` orders them.
Vector inertial_parameters(const Model& model);

/// Workspace and result: one per thread; after construction no call allocates.
class TorqueRegressor {
 public:
  explicit TorqueRegressor(const Model& model);
  const RowMatrix& Y() const { return Y_; }  // nv x 10 bodies

 private:
  friend const RowMatrix& torque_regressor(const Model&, ConstVectorRef, ConstVectorRef,
                                           ConstVectorRef, TorqueRegressor&);
  Workspace work_;
  RowMatrix Y_;            // structural zeros are written once
  RowMatrix links_;        // nv x 10 links, likewise
  std::vector<double> T_;  // per body: T_b by rows
};
/// Y of (1), stored in `out`. q: nq; v, a: nv.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
const RowMatrix& torque_regressor(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                  ConstVectorRef a, TorqueRegressor& out);

}  // namespace CHASLES_API
