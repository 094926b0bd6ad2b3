/// A, X, a, b, M, Q of the whole mechanism against the sums of closed_form.hpp, differences, and what
/// the paper says of them. All kinds of joints, chains and trees.
#include "chasles/textbook/system_matrices.hpp"

#include <gtest/gtest.h>

#include "chasles/textbook/recursive.hpp"
#include "support/difference.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::largest;
using test::Sample;

TEST(SystemMatrices, give_the_matrices_of_the_closed_forms) {
  std::mt19937_64 generator(31);
  double jacobian = 0, mass = 0, rate = 0, coriolis = 0, christoffel = 0, forces = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const SystemMatrices m = system_matrices(s.model, s.kin);

    const Eigen::MatrixXd J_rate = system_jacobian_rate(m);
    Matrix6X block(6, s.model.nv());
    for (std::size_t i = 0; i < m.kinematics.bodies.size(); ++i) {
      const auto body = static_cast<std::size_t>(m.kinematics.bodies[i]);
      jacobian_rate(s.model, s.kin, s.model.bodies()[body].frame, Representation::body, block);
      jacobian = std::max(jacobian,
                          largest(J_rate.middleRows<6>(6 * static_cast<Eigen::Index>(i)) - block) /
                              largest(J_rate));
    }

    const Eigen::MatrixXd M_rate = mass_matrix_rate(s.model, s.kin),
                          C = coriolis_matrix(s.model, s.kin),
                          C_chr = christoffel_matrix(s.model, s.kin);
    mass = std::max(mass, largest(mass_matrix(m) - s.M) / largest(s.M));
    rate = std::max(rate, largest(mass_matrix_rate(m) - M_rate) / largest(M_rate));
    coriolis = std::max(coriolis, largest(coriolis_matrix(m) - C) / largest(C));
    christoffel = std::max(christoffel, largest(christoffel_matrix(m) - C_chr) / largest(C_chr));
    const Eigen::VectorXd C_v = coriolis_forces(s.model, s.kin);
    for (const Matrix& any : {lagrange_matrix(m), coriolis_matrix(m), christoffel_matrix(m)})
      forces = std::max(forces, largest(any * s.v - C_v) / largest(C));
  }
  std::printf("  Jd %.1e, M %.1e, Md %.1e, C %.1e, C_chr %.1e, C v %.1e\n", jacobian, mass, rate,
              coriolis, christoffel, forces);
  for (const double worst : {jacobian, mass, rate, coriolis, christoffel, forces})
    EXPECT_LE(worst, 1e-12);
}

/// For joints of one degree of freedom the forms of the paper: Jd = -A a J, and (84); which does not
/// make Md - 2 C skew, though the paper says so.
TEST(SystemMatrices, are_those_of_the_paper_for_simple_joints) {
  std::mt19937_64 generator(32);
  const Sample s(generator,
                 {.bodies = 8,
                  .kinds = {{JointType::revolute}, {JointType::prismatic}, {JointType::helical}}});
  const SystemMatrices m = system_matrices(s.model, s.kin);
  const Eigen::MatrixXd J(m.kinematics.J), A(m.kinematics.A), a(m.a), b(m.b), M(m.M);
  const Eigen::MatrixXd J_rate = system_jacobian_rate(m), C = lagrange_matrix(m);
  EXPECT_LE(largest(J_rate + A * a * J), 1e-13 * largest(J_rate));
  EXPECT_LE(largest(C + J.transpose() * (M * A * a + b.transpose() * M) * J), 1e-13 * largest(C));
  const Eigen::MatrixXd N = mass_matrix_rate(m) - 2 * C;
  EXPECT_GT(largest(N + N.transpose()), 1e-3 * largest(N));
}

/// With several degrees of freedom -A a J is not the rate of J.
TEST(SystemMatrices, need_the_correction_for_joints_of_several_degrees_of_freedom) {
  std::mt19937_64 generator(33);
  const Sample s(generator, {.bodies = 3, .kinds = {{JointType::spherical}}});
  const SystemMatrices m = system_matrices(s.model, s.kin);
  const Eigen::MatrixXd J(m.kinematics.J), A(m.kinematics.A), a(m.a);
  const Eigen::MatrixXd J_rate = system_jacobian_rate(m);
  VelocityKinematics moved(s.model);
  const Eigen::MatrixXd difference = test::derivative([&](double t) -> Eigen::MatrixXd {
    s.move(0.1 * t, moved);
    return 10 * Eigen::MatrixXd(system_kinematics(s.model, moved, Representation::body).J);
  });
  EXPECT_LE(largest(J_rate - difference), 1e-10 * largest(J_rate));
  EXPECT_GT(largest(J_rate + A * a * J), 1e-3 * largest(J_rate));
  EXPECT_LE(largest((J_rate + A * a * J) * s.v), 1e-13 * largest(J_rate));
}

}  // namespace
}  // namespace chasles
