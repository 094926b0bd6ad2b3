/// Robots against Pinocchio 3.7: poses, Jacobians and the fast path, one state and in batches.
#include <gtest/gtest.h>

#include "reference/robot.hpp"

namespace chasles {
namespace {

class FastRobot : public test::Robot {};
INSTANTIATE_TEST_SUITE_P(Pinocchio, FastRobot, test::robots, test::robot_name);

TEST_P(FastRobot, poses_and_jacobians) {
  PositionKinematics kin(model);
  Matrix6X J(6, model.nv());
  FrameJacobian frame(model);
  const Frame tool = model.frame("tool");
  double worst = 0;
  const auto compare = [&](const Eigen::MatrixXd& is, const json& want) {
    worst = std::max(worst, (is - matrix(want)).cwiseAbs().maxCoeff());
  };
  for (const json& state : states) {
    const Vector q = vector(state["q"]);
    forward_kinematics(model, q, kin);
    compare(to_eigen(pose(kin, tool)), state["pose"]);
    for (const auto& [name, representation] : {std::pair{"jacobian_body", Representation::body},
                                               {"jacobian_spatial", Representation::spatial},
                                               {"jacobian_hybrid", Representation::hybrid}}) {
      jacobian(model, kin, tool, representation, J);
      compare(J, state[name]);
      compare(jacobian(model, q, tool, representation, frame), state[name]);
    }
    const Vec3 com = center_of_mass(model, kin);
    for (int i = 0; i < 3; ++i)
      worst = std::max(
          worst,
          std::abs(com[i] - state["center_of_mass"][static_cast<std::size_t>(i)].get<double>()));
  }
  std::printf("  %s: largest deviation %.1e\n", GetParam(), worst);
  EXPECT_LE(worst, 2e-14);
}

TEST_P(FastRobot, dynamics) {
  InverseDynamics inverse(model);
  ForwardDynamics forward(model);
  double torques = 0, accelerations = 0;
  for (const json& state : states) {
    const Vector q = vector(state["q"]), v = vector(state["v"]);
    const auto compare = [&](const Vector& tau, const char* name) {
      torques = std::max(torques, deviation(tau, vector(state[name])));
    };
    compare(inverse_dynamics(model, q, v, vector(state["a"]), inverse), "inverse_dynamics");
    compare(bias(model, q, v, inverse), "bias");
    compare(gravity_forces(model, q, inverse), "gravity");
    accelerations = std::max(accelerations,
                             deviation(forward_dynamics(model, q, v, vector(state["tau"]), forward),
                                       vector(state["forward_dynamics"])));
  }
  std::printf("  %s: inverse dynamics %.1e, forward dynamics %.1e\n", GetParam(), torques,
              accelerations);
  EXPECT_LE(torques, 2e-14);
  EXPECT_LE(accelerations, 1e-12);
}

TEST_P(FastRobot, matrices) {
  MassMatrix mass(model);
  MassMatrixInverse inverse(model);
  CoriolisMatrix coriolis(model);
  InverseDynamics gravity(model);
  TorqueRegressor regressor(model);
  CentroidalMomentum centroidal(model);
  const Vector pi = textbook::inertial_parameters(model);
  double M = 0, M_inv = 0, others = 0;
  for (const json& state : states) {
    const Vector q = vector(state["q"]), v = vector(state["v"]);
    M = std::max(M, deviation(mass_matrix(model, q, mass), matrix(state["mass_matrix"])));
    M_inv = std::max(M_inv, deviation(mass_matrix_inverse(model, q, inverse),
                                      matrix(state["mass_matrix_inverse"])));
    centroidal_momentum_matrix(model, q, v, centroidal);
    const Vector h = coriolis_matrix(model, q, v, coriolis) * v + gravity_forces(model, q, gravity);
    others = std::max({others, deviation(h, vector(state["bias"])),
                       deviation(torque_regressor(model, q, v, vector(state["a"]), regressor) * pi,
                                 vector(state["inverse_dynamics"])),
                       deviation(to_eigen(centroidal.h), vector(state["centroidal_momentum"]))});
  }
  std::printf("  %s: M %.1e, M^-1 %.1e, others %.1e\n", GetParam(), M, M_inv, others);
  EXPECT_LE(M, 2e-14);
  EXPECT_LE(M_inv, 1e-12);
  EXPECT_LE(others, 2e-14);
}

TEST_P(FastRobot, batches) {
  std::vector<double> q, v, a, tau;
  Eigen::MatrixXd want_tau(model.nv(), states.size()),
      want_a = want_tau, want_M(model.nv() * model.nv(), states.size()), want_M_inv = want_M;
  for (std::size_t s = 0; s < states.size(); ++s) {
    const json& state = states[s];
    for (const auto& [name, to] : {std::pair{"q", &q}, {"v", &v}, {"a", &a}, {"tau", &tau}})
      to->insert(to->end(), state[name].begin(), state[name].end());
    const auto column = static_cast<Eigen::Index>(s);
    want_tau.col(column) = vector(state["inverse_dynamics"]);
    want_a.col(column) = vector(state["forward_dynamics"]);
    want_M.col(column) = matrix(state["mass_matrix"]).reshaped();
    want_M_inv.col(column) = matrix(state["mass_matrix_inverse"]).reshaped();
  }
  const auto numbers = [](Eigen::MatrixXd& m) {
    return std::span<double>(m.data(), static_cast<std::size_t>(m.size()));
  };
  Batch<double> batch(model);
  const auto n = static_cast<int>(states.size());
  Eigen::MatrixXd is_tau = want_tau, is_a = want_a, is_M = want_M, is_M_inv = want_M_inv;
  batch.inverse_dynamics(n, q, v, a, numbers(is_tau));
  batch.forward_dynamics(n, q, v, tau, numbers(is_a));
  batch.mass_matrix(n, q, numbers(is_M));
  batch.mass_matrix_inverse(n, q, numbers(is_M_inv));
  EXPECT_LE(deviation(is_tau, want_tau), 2e-14);
  EXPECT_LE(deviation(is_a, want_a), 1e-12);
  EXPECT_LE(deviation(is_M, want_M), 2e-14);
  EXPECT_LE(deviation(is_M_inv, want_M_inv), 1e-12);
}

}  // namespace
}  // namespace chasles
