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

/// 000 (18), (19): the spatial and hybrid matrices are other factors of the same M, Md, C; their Jd are the rates that
/// jacobian_rate has.
TEST(SystemMatrices, are_the_same_equations_in_spatial_and_hybrid_form) {
  std::mt19937_64 generator(34);
  double jacobian = 0, equations = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const Sample s(generator, {.bodies = 10, .tree = trial % 2 == 1});
    const SystemMatrices body = system_matrices(s.model, s.kin);
    for (const Representation rep : {Representation::spatial, Representation::hybrid}) {
      const SystemMatrices m = system_matrices(s.model, s.kin, rep);
      const Eigen::MatrixXd J_rate = system_jacobian_rate(m);
      Matrix6X block(6, s.model.nv());
      for (std::size_t i = 0; i < m.kinematics.bodies.size(); ++i) {
        const auto b = static_cast<std::size_t>(m.kinematics.bodies[i]);
        jacobian_rate(s.model, s.kin, s.model.bodies()[b].frame, rep, block);
        const auto row = 6 * static_cast<Eigen::Index>(i);
        jacobian = std::max(jacobian, largest(J_rate.middleRows<6>(row) - block) / largest(J_rate));
      }
      const auto same = [&](const Matrix& one, const Matrix& other) {
        equations = std::max(equations, largest(one - other) / largest(other));
      };
      same(mass_matrix(m), mass_matrix(body));
      same(mass_matrix_rate(m), mass_matrix_rate(body));
      same(lagrange_matrix(m), lagrange_matrix(body));
      same(coriolis_matrix(m), coriolis_matrix(body));
      same(christoffel_matrix(m), christoffel_matrix(body));
    }
  }
  std::printf("  Jd %.1e, M Md C %.1e\n", jacobian, equations);
  EXPECT_LE(jacobian, 1e-13);
  EXPECT_LE(equations, 1e-13);
}

/// 000 (18) as printed, and (84) in spatial form, which makes Md - 2 C skew.
TEST(SystemMatrices, have_the_spatial_form_of_the_paper) {
  std::mt19937_64 generator(35);
  const Sample s(generator,
                 {.bodies = 8,
                  .tree = true,
                  .kinds = {{JointType::revolute}, {JointType::prismatic}, {JointType::helical}}});
  const SystemMatrices m = system_matrices(s.model, s.kin, Representation::spatial);
  const Eigen::MatrixXd L(m.F), b(m.b), S(m.S), J(m.kinematics.J), M(m.M);
  const Eigen::MatrixXd J_rate = system_jacobian_rate(m);
  EXPECT_LE(largest(L * S - J), 1e-14 * largest(J));
  EXPECT_LE(largest(L * b * S - J_rate), 1e-13 * largest(J_rate));
  const Eigen::MatrixXd C = J.transpose() * (M * J_rate - b.transpose() * M * J);
  const Eigen::VectorXd C_v = coriolis_forces(s.model, s.kin);
  EXPECT_LE(largest(C * s.v - C_v), 1e-11 * largest(C));
  const Eigen::MatrixXd N = mass_matrix_rate(m) - 2 * C;
  EXPECT_LE(largest(N + N.transpose()), 1e-11 * largest(N));
  EXPECT_THROW(system_matrices(s.model, s.kin, Representation::mixed), Error);
}

/// (12) - (13) are the inertial forces for every joint; where v = qd, (13) is the gradient of the kinetic energy, and
/// (12) the rate of M v along the motion.
TEST(KineticEnergyTerms, are_the_derivatives_of_kinetic_energy) {
  std::mt19937_64 generator(36);
  for (int trial = 0; trial < 6; ++trial) {
    const Sample s(generator, {.bodies = 8, .tree = trial % 2 == 1});
    const Eigen::VectorXd a = test::random_vector(s.model.nv(), generator);
    const Eigen::VectorXd C_v = coriolis_forces(s.model, s.kin);
    for (const Representation rep :
         {Representation::body, Representation::spatial, Representation::hybrid}) {
      const KineticEnergyTerms terms =
          kinetic_energy_terms(system_matrices(s.model, s.kin, rep), s.v, a);
      EXPECT_LE(largest(terms.p - s.M * s.v), 1e-11 * largest(s.M));
      EXPECT_LE(largest(terms.p_rate - terms.dT_dq - s.M * a - C_v), 1e-10 * largest(terms.p_rate));
    }
  }
  const Sample s(generator, {.bodies = 6,
                             .kinds = {{JointType::revolute},
                                       {JointType::planar},
                                       {JointType::universal},
                                       {JointType::helical}}});
  const KineticEnergyTerms terms = kinetic_energy_terms(system_matrices(s.model, s.kin), s.v,
                                                        Eigen::VectorXd::Zero(s.model.nv()));
  VelocityKinematics moved(s.model);
  for (int k = 0; k < s.model.nv(); ++k) {
    const Eigen::MatrixXd slope = test::derivative([&](double t) -> Eigen::MatrixXd {
      const Eigen::VectorXd step = 0.1 * t * Eigen::VectorXd::Unit(s.model.nv(), k);
      Vector q(s.model.nq());
      plus(s.model, s.kin.q(), step, q);
      forward_kinematics(s.model, q, s.v, moved);
      return Eigen::MatrixXd::Constant(1, 1, 10 * kinetic_energy(s.model, moved));
    });
    EXPECT_NEAR(slope(0, 0), terms.dT_dq[k], 1e-9 * largest(terms.dT_dq));
  }
  const Eigen::MatrixXd rate = test::derivative([&](double t) -> Eigen::MatrixXd {
    s.move(0.1 * t, moved);  // at the velocities v: a = 0
    return 10 * (mass_matrix(system_matrices(s.model, moved)) * s.v);
  });
  EXPECT_LE(largest(rate - terms.p_rate), 1e-9 * largest(terms.p_rate));
  EXPECT_THROW(kinetic_energy_terms(system_matrices(s.model, s.kin), s.v, Eigen::VectorXd(1)),
               SizeError);
}

}  // namespace
}  // namespace chasles
