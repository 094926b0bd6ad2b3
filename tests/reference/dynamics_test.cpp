/// The dynamics of the textbook against Pinocchio 3.7 at random states of robots, and against
/// published values of arms.
#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/textbook/hamiltonian.hpp"
#include "chasles/textbook/recursive.hpp"
#include "reference/robot.hpp"
#include "support/representations.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::all_representations;

class RobotDynamics : public test::Robot {};
INSTANTIATE_TEST_SUITE_P(Pinocchio, RobotDynamics, test::robots, test::robot_name);

TEST_P(RobotDynamics, recursions) {
  VelocityKinematics kin(model), still(model);
  RecursiveDynamics work(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv());
  double inverse = 0, forward = 0;
  for (const json& state : states) {
    const Eigen::VectorXd q = vector(state["q"]);
    forward_kinematics(model, q, vector(state["v"]), kin);
    forward_kinematics(model, q, zero, still);
    for (const Representation rep : all_representations) {
      const auto compare = [&](const VelocityKinematics& k, const Eigen::VectorXd& a,
                               const char* name) {
        inverse = std::max(
            inverse, deviation(inverse_dynamics(model, k, a, rep, work), vector(state[name])));
      };
      compare(kin, vector(state["a"]), "inverse_dynamics");
      compare(kin, zero, "bias");
      compare(still, zero, "gravity");
      forward =
          std::max(forward, deviation(forward_dynamics(model, kin, vector(state["tau"]), rep, work),
                                      vector(state["forward_dynamics"])));
    }
  }
  std::printf("  %s: inverse dynamics %.1e, forward dynamics %.1e\n", GetParam(), inverse, forward);
  EXPECT_LE(inverse, 2e-14);
  EXPECT_LE(forward, 1e-12);
}

TEST_P(RobotDynamics, matrices) {
  PositionKinematics kin(model);
  CompositeBodies composite(model);
  Factorization factorization(model);
  OperatorInverse operators(model);
  double M = 0, M_inv = 0;
  for (const json& state : states) {
    const Eigen::MatrixXd want = matrix(state["mass_matrix"]);
    forward_kinematics(model, vector(state["q"]), kin);
    M = std::max(M, deviation(mass_matrix(model, kin, composite), want));
    for (const Representation rep : all_representations)
      M = std::max(M, deviation(projected_mass_matrix(model, kin, rep), want));
    factorize(model, kin, factorization);
    M_inv = std::max(M_inv, deviation(mass_matrix_inverse(factorization, operators),
                                      matrix(state["mass_matrix_inverse"])));
  }
  std::printf("  %s: M %.1e, M^-1 %.1e\n", GetParam(), M, M_inv);
  EXPECT_LE(M, 2e-14);
  EXPECT_LE(M_inv, 1e-12);
}

TEST_P(RobotDynamics, energies_momenta_and_regressors) {
  AccelerationKinematics kin(model);
  CentroidalMomentumMatrix A_G(model);
  HamiltonianDynamics hamilton(model);
  const Eigen::VectorXd pi = inertial_parameters(model);
  double worst = 0, velocity = 0;
  for (const json& state : states) {
    const Eigen::VectorXd v = vector(state["v"]);
    forward_kinematics(model, vector(state["q"]), v, vector(state["a"]), kin);
    const double T = state["kinetic_energy"], U = state["potential_energy"];
    const Vector h = vector(state["centroidal_momentum"]);
    centroidal_momentum_matrix(model, kin, A_G);
    worst =
        std::max({worst, std::abs(kinetic_energy(model, kin) / T - 1),
                  std::abs(potential_energy(model, kin) / U - 1),
                  std::abs(kinetic_energy_regressor(model, kin).dot(pi) / T - 1),
                  std::abs(potential_energy_regressor(model, kin).dot(pi) / U - 1),
                  deviation(to_eigen(centroidal_momentum(model, kin)), h), deviation(A_G.A * v, h),
                  deviation(torque_regressor(model, kin) * pi, vector(state["inverse_dynamics"])),
                  deviation(bias(model, kin), vector(state["bias"]))});
    Eigen::VectorXd p(model.nv());
    generalized_momenta(model, kin, p, hamilton);
    worst = std::max(worst, deviation(p, matrix(state["mass_matrix"]) * v));
    hamiltonian_dynamics(model, kin, p, vector(state["tau"]), hamilton);
    velocity = std::max(velocity, deviation(hamilton.v, v));
  }
  std::printf("  %s: largest deviation %.1e; velocities from momenta %.1e\n", GetParam(), worst,
              velocity);
  EXPECT_LE(worst, 2e-14);
  EXPECT_LE(velocity, 1e-12);
}

/// The arm with three joints of K. Lynch, F. Park, "Modern Robotics", whose software library
/// documents these values with eight digits. Its first screw is (1, 0, 1; 0, 1, 0), which is not a
/// unit screw: here a turn about that axis at sqrt(2) times the rate.
class ModernRobotics3R : public ::testing::Test {
 protected:
  static Model make() {
    const SO3 R = SO3(Mat3::rows({0, 0, 1}, {0, 1, 0}, {-1, 0, 0}));
    const SE3 A1{{}, {0, 0, 0.089159}}, A2 = A1 * SE3{R, {0.28, 0.13585, 0}},
                                        A3 = A2 * SE3{{}, {0, -0.1197, 0.395}};
    return compile(MechanismBuilder("3R")
                       .gravity({0, 0, -9.8})
                       .body("link1", ground, joints::revolute({1, 0, 1}, {-0.5, 0, 0.5}))
                       .pose(A1)
                       .inertia(3.7, {}, Sym3::diagonal(0.010267, 0.010267, 0.00666))
                       .body("link2", "link1", joints::revolute({0, 1, 0}, {0, 0, 0.089}))
                       .pose(A2)
                       .inertia(8.393, {}, Sym3::diagonal(0.22689, 0.22689, 0.0151074))
                       .body("link3", "link2", joints::revolute({0, 1, 0}, {0.425, 0, 0.089}))
                       .pose(A3)
                       .inertia(2.275, {}, Sym3::diagonal(0.0494433, 0.0494433, 0.004095))
                       .frame("tip", "link3", {{}, {0, 0, 0.14225}})
                       .build());
  }
  const Model model = make();
  // q' = scale q, and so tau = scale tau', M = scale M' scale.
  const Eigen::Array3d scale{std::sqrt(2.0), 1, 1};
  const Eigen::VectorXd a = scale * Eigen::Array3d(2, 1.5, 1);
  // Published: what the tip exerts on the environment.
  const AppliedWrench tip{model.frame("tip"), {{-1, -1, -1}, {-1, -1, -1}}, Representation::body};
  VelocityKinematics kin{model};
  RecursiveDynamics work{model};

  void SetUp() override {
    forward_kinematics(model, scale * Eigen::Array3d(0.1, 0.1, 0.1),
                       scale * Eigen::Array3d(0.1, 0.2, 0.3), kin);
  }
};

TEST_F(ModernRobotics3R, torques) {
  for (const Representation rep : all_representations) {
    const Eigen::Array3d tau =
        scale * inverse_dynamics(model, kin, a, rep, work, {&tip, 1}).array();
    EXPECT_NEAR(tau[0], 74.69616155, 5e-9);
    EXPECT_NEAR(tau[1], -33.06766016, 5e-9);
    EXPECT_NEAR(tau[2], -3.23057314, 5e-9);
  }
}
TEST_F(ModernRobotics3R, velocity_terms) {
  const Eigen::Array3d c = scale * coriolis_forces(model, kin).array();
  EXPECT_NEAR(c[0], 0.26453118, 5e-9);
  EXPECT_NEAR(c[1], -0.05505157, 5e-9);
  EXPECT_NEAR(c[2], -0.00689132, 5e-9);
}
TEST_F(ModernRobotics3R, mass_matrix) {
  CompositeBodies composite(model);
  const Eigen::Matrix3d M = scale.matrix().asDiagonal() * mass_matrix(model, kin, composite) *
                            scale.matrix().asDiagonal();
  EXPECT_NEAR(M(0, 0), 22.5433380, 5e-8);
  EXPECT_NEAR(M(0, 1), -0.307146754, 5e-10);
  EXPECT_NEAR(M(0, 2), -7.18426391e-3, 5e-12);
  EXPECT_NEAR(M(1, 1), 1.96850717, 5e-9);
  EXPECT_NEAR(M(1, 2), 0.432157368, 5e-10);
  EXPECT_NEAR(M(2, 2), 0.191630858, 5e-10);
}
TEST_F(ModernRobotics3R, accelerations) {
  const Eigen::VectorXd tau = Eigen::Array3d(0.5, 0.6, 0.7) / scale;
  for (const Representation rep : all_representations) {
    const Eigen::Array3d qdd =
        forward_dynamics(model, kin, tau, rep, work, {&tip, 1}).array() / scale;
    EXPECT_NEAR(qdd[0], -0.97392907, 5e-9);
    EXPECT_NEAR(qdd[1], 25.58466784, 5e-9);
    EXPECT_NEAR(qdd[2], -32.91499212, 5e-9);
  }
}

/// PUMA 560 with the parameters of Corke and Armstrong (1994): gravity at q = (0, pi/4, pi, 0,
/// pi/4, 0), published with four decimals.
TEST(Puma560, gravity_torques) {
  const Model model = compile(read_mechanism("examples/puma560.yaml"));
  Eigen::VectorXd q(6), want(6);
  q << 0, M_PI / 4, M_PI, 0, M_PI / 4, 0;
  want << 0, 31.6399, 6.0351, 0, 0.0283, 0;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(6);
  VelocityKinematics kin(model);
  forward_kinematics(model, q, zero, kin);
  RecursiveDynamics work(model);
  for (const Representation rep : all_representations)
    EXPECT_LE((inverse_dynamics(model, kin, zero, rep, work) - want).cwiseAbs().maxCoeff(), 5.1e-5);
  EXPECT_LE((gravity_forces(model, kin) - want).cwiseAbs().maxCoeff(), 5.1e-5);
}

/// Khalil and others: 36 combinations of the 60 parameters of the PUMA 560 are felt by its joints.
TEST(Puma560, base_parameters) {
  const Model model = compile(read_mechanism("examples/puma560.yaml"));
  EXPECT_EQ(base_parameters(model).independent.size(), 36u);
}

}  // namespace
}  // namespace chasles
