/// Weighted equations of measured twists, for least squares with and without constraints.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "chasles/kinematics/system_jacobian.hpp"
#include "chasles/screws/eigen.hpp"

namespace chasles {

/// The square roots of the weights of measurement m.
inline Eigen::Matrix<double, 6, 1> checked_weights(const MeasuredTwist& given, std::size_t m) {
  for (const double weight : {given.angular, given.linear})
    if (!(weight >= 0 && std::isfinite(weight)))
      throw Error("measurement " + std::to_string(m) + ": weight " + to_text(weight) +
                  "; give a finite weight that is not negative");
  if (!is_finite(given.V.w) || !is_finite(given.V.v))
    throw Error("measurement " + std::to_string(m) + ": the twist " +
                tuple_text(coordinates(given.V)) + " is not finite; leave it out");
  Eigen::Matrix<double, 6, 1> weights;
  weights << Eigen::Vector3d::Constant(std::sqrt(given.angular)),
      Eigen::Vector3d::Constant(std::sqrt(given.linear));
  return weights;
}

/// W J x = W V of (8) of system_jacobian.hpp.
struct MeasurementRows {
  Eigen::MatrixXd J;  // 6 per measurement x nv
  Eigen::VectorXd V;

  /// @param known(m)  subtracted from the measured twist m
  template <class Known>
  MeasurementRows(const Model& model, const PositionKinematics& kin,
                  std::span<const MeasuredTwist> measured, Representation rep, const Known& known)
      : J(6 * static_cast<Eigen::Index>(measured.size()), model.nv()), V(J.rows()) {
    Matrix6X J_m(6, model.nv());
    for (std::size_t m = 0; m < measured.size(); ++m) {
      const Eigen::Matrix<double, 6, 1> weights = checked_weights(measured[m], m);
      jacobian(model, kin, measured[m].frame, rep, J_m);
      const auto row = 6 * static_cast<Eigen::Index>(m);
      J.middleRows<6>(row) = weights.asDiagonal() * J_m;
      V.segment<6>(row) = weights.cwiseProduct(to_eigen(measured[m].V - known(m)));
    }
  }
  /// The result with its errors.
  VelocityFit fit(Eigen::VectorXd x, int rank) const {
    const Eigen::VectorXd error = J * x - V;
    VelocityFit out{std::move(x), rank, error.norm(), Vector(V.size() / 6)};
    for (Eigen::Index m = 0; m < out.gap.size(); ++m) out.gap[m] = error.segment<6>(6 * m).norm();
    return out;
  }
};

}  // namespace chasles
