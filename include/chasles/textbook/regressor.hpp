/// Regressors for identification: forces and energies are linear in the inertial parameters of the bodies.
///
///     pi = (pi_1; pi_2; ...),   pi_b = (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)     (1)
///
/// ten numbers per body of Model::bodies(), in the frame of the body, I about its origin, ordered as in
/// `lie::parameters`. Columns of bodies fixed to ground are zero.
///
///     Q = Y(q, v, vd) pi + I_a vd,   T = y_T(q, v)^T pi + I_a . v^2 / 2,   U = y_U(q)^T pi   (2)
///
/// Armatures I_a are not among the parameters; they are zero unless the description has them.
/// Column j of body b: Y_bj = J_b^T W(e_j) with the Newton-Euler wrench W, body-fixed 000 (41), of a body with the
/// parameters e_j and the motion of b.
///
///     Matrix Y = textbook::torque_regressor(model, kin);
///     Vector tau = Y * inertial_parameters(model);
///
/// These functions allocate.
#pragma once

#include <cstdint>

#include "chasles/dynamics/regressor.hpp"
#include "chasles/export.hpp"
#include "chasles/kinematics/jacobian.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// (1): 10 x bodies.
using chasles::inertial_parameters;

/// Y of (2): nv x 10 bodies, with gravity.
/// @param kin  up to date at (q, v, vd)
Matrix torque_regressor(const Model& model, const AccelerationKinematics& kin);
/// y_T of (2): 10 bodies.
Vector kinetic_energy_regressor(const Model& model, const VelocityKinematics& kin);
/// y_U of (2).
Vector potential_energy_regressor(const Model& model, const PositionKinematics& kin);

/// Base parameters, the identifiable combinations of inertial parameters: the columns `independent` are a basis of the
/// columns of Y, and the others are their combinations, Y_dependent = Y_independent K. So
///
///     Q = Y pi = Y_independent pi_base,     pi_base = pi_independent + K pi_dependent       (3)
///
/// Parameters without effect on torques are dependent, with a column of zeros in K.
struct BaseParameters {
  std::vector<int> independent;  // columns of Y, ascending
  std::vector<int> dependent;    // the others, ascending
  Matrix K;                      // independent x dependent

  /// pi_base of (3).
  /// @throws SizeError
  Vector values(ConstVectorRef pi) const;
  /// Y_independent.
  Matrix columns(const Matrix& Y) const;
};

struct BaseParameterOptions {
  int states = 0;           // random states; 0: enough for ten times as many equations as unknowns
  double tolerance = 1e-9;  // threshold for zero, relative to the largest column
  std::uint64_t seed = 1;   // for reproducible results
};
/// (3) by rank analysis: QR with column pivoting of Y stacked over random states. The pivoting decides which columns
/// form the basis, without preference among those of a body.
BaseParameters base_parameters(const Model& model, const BaseParameterOptions& options = {});

}  // namespace textbook
}  // namespace CHASLES_API
