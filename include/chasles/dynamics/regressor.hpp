/// Joint forces as a linear function of the inertial parameters, of the fast path.
///
///     Q = M a + h = Y(q, v, a) pi                                                            (1)
///
/// with pi = (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) of one body after the other,
/// in the frame of the body, I about its origin. The kernel gives the columns of *links*, which carry one
/// or more bodies; since inertias move linearly, those of a body on the link are
///
///     Y_b = Y_link T_b,      parameters(transform(offset_b, M)) = T_b parameters(M)          (2)
///
/// which is left out where the offset is the identity.
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
  RowMatrix Y_;            // zero off the paths, for ever
  RowMatrix links_;        // nv x 10 links, the same
  std::vector<double> T_;  // of bodies: T_b by rows
};
/// Y of (1), which is kept in `out`. q: nq; v, a: nv.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
const RowMatrix& torque_regressor(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                  ConstVectorRef a, TorqueRegressor& out);

}  // namespace CHASLES_API
