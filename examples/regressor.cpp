/// Torques are linear in the inertial parameters of the bodies. The load in the gripper of this arm is
/// identified from the torques of a known motion, as far as it is identifiable; the result predicts the
/// torques of any other motion.
#include "chasles/textbook/regressor.hpp"

#include <Eigen/QR>
#include <cmath>
#include <cstdio>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/mechanism/builder.hpp"

using namespace chasles;

namespace {

/// An arm with three joints; the load is treated as unknown.
Model arm(double load) {
  return compile(MechanismBuilder("arm")
                     .body("column", ground, joints::revolute({0, 0, 1}))
                     .inertia(4.0, {0, 0, 0.2}, Sym3::diagonal(0.05, 0.05, 0.02))
                     .body("upper", "column", joints::revolute({0, 1, 0}, {0, 0, 0.4}))
                     .inertia(2.0, {0.2, 0, 0.4}, Sym3::diagonal(0.01, 0.04, 0.04))
                     .body("lower", "upper", joints::revolute({0, 1, 0}, {0.4, 0, 0.4}))
                     .inertia(1.0 + load, {0.6, 0, 0.4}, Sym3::diagonal(0.01, 0.02, 0.02))
                     .build());
}
/// Three joints that swing with different periods.
struct Swing {
  Eigen::Vector3d q, v, a;
  Swing(double t, const Eigen::Vector3d& w)
      : q((w * t).array().sin()),
        v(w.array() * (w * t).array().cos()),
        a(-w.array().square() * (w * t).array().sin()) {}
};

}  // namespace

int main() {
  const Model known = arm(0), real = arm(0.7);
  const textbook::BaseParameters base = textbook::base_parameters(known);
  std::printf("%zu of %zu inertial parameters, or combinations of them, act on the torques\n",
              base.independent.size(), 10 * known.bodies().size());

  // Measured: torques of the real arm at 40 moments of a motion.
  InverseDynamics measured(real);
  AccelerationKinematics kin(known);
  const auto unknowns = static_cast<Eigen::Index>(base.independent.size());
  Eigen::MatrixXd Y(3 * 40, unknowns);
  Eigen::VectorXd tau(3 * 40);
  for (int i = 0; i < 40; ++i) {
    const Swing m(0.1 * i, {1.1, 1.7, 2.3});
    forward_kinematics(known, m.q, m.v, m.a, kin);
    Y.middleRows<3>(3L * i) = base.columns(textbook::torque_regressor(known, kin));
    tau.segment<3>(3L * i) = inverse_dynamics(real, m.q, m.v, m.a, measured);
  }
  const Eigen::VectorXd pi = Y.colPivHouseholderQr().solve(tau);
  const Eigen::VectorXd was = base.values(textbook::inertial_parameters(known));
  std::printf("they differ from those of the empty arm by %.4f at most\n",
              (pi - was).cwiseAbs().maxCoeff());

  // Predicted: the torques of another motion.
  const Swing other(0.35, {2, -3, 1});
  forward_kinematics(known, other.q, other.v, other.a, kin);
  const Eigen::Vector3d predicted = base.columns(textbook::torque_regressor(known, kin)) * pi;
  const Eigen::Vector3d is = inverse_dynamics(real, other.q, other.v, other.a, measured);
  std::printf("predicted (%.4f, %.4f, %.4f) N m, and it takes (%.4f, %.4f, %.4f) N m\n",
              predicted[0], predicted[1], predicted[2], is[0], is[1], is[2]);
  return (predicted - is).norm() < 1e-9 ? 0 : 1;
}
