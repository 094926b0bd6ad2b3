/// The innovations factorization, the inverse of M in operator form, and Hamilton's equations.
#include "chasles/textbook/factorization.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "chasles/dynamics/energy.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/textbook/hamiltonian.hpp"
#include "chasles/textbook/recursive.hpp"
#include "model/model_data.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::largest;
using test::Sample;
using Map = void (Factorization::*)(ConstVectorRef, VectorRef);

/// The matrix of a linear map, column by column.
Eigen::MatrixXd matrix(Factorization& f, Map map) {
  const int n = f.model().nv();
  Eigen::MatrixXd m(n, n);
  for (int k = 0; k < n; ++k) {
    Eigen::VectorXd y(n);
    (f.*map)(Eigen::VectorXd::Unit(n, k), y);
    m.col(k) = y;
  }
  return m;
}

TEST(Factorization, multiplies_solves_and_has_a_square_root) {
  std::mt19937_64 generator(31);
  double product = 0, solution = 0, root = 0, determinant = 0, energy = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s = test::regular_sample(generator, trial % 2 == 1);
    Factorization f(s.model);
    factorize(s.model, s.kin, f);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(s.model.nv(), s.model.nv());
    product = std::max(product, largest(matrix(f, &Factorization::multiply) - s.M) / largest(s.M));
    const Eigen::MatrixXd inverse = s.M.llt().solve(one);
    solution =
        std::max(solution, largest(matrix(f, &Factorization::solve) - inverse) / largest(inverse));
    const Eigen::MatrixXd S = matrix(f, &Factorization::sqrt_multiply),
                          S_t = matrix(f, &Factorization::sqrt_transpose_multiply),
                          S_inv = matrix(f, &Factorization::sqrt_solve),
                          S_inv_t = matrix(f, &Factorization::sqrt_transpose_solve);
    root = std::max({root, largest(S * S.transpose() - s.M) / largest(s.M),
                     largest(S - S_t.transpose()) / largest(S),
                     largest(S_inv - S_inv_t.transpose()) / largest(S_inv),
                     largest(S * S_inv - one) / (largest(S) * largest(S_inv))});
    const double log_det = 2 * Eigen::MatrixXd(s.M.llt().matrixL()).diagonal().array().log().sum();
    determinant = std::max(determinant, std::abs(f.log_determinant() - log_det));

    Eigen::VectorXd nu(s.model.nv());
    f.diagonal_velocities(s.v, nu);
    const double T = kinetic_energy(s.model, s.kin);
    energy = std::max(energy, std::abs(0.5 * nu.squaredNorm() - T) / T);
    Eigen::VectorXd in_place = s.v;
    f.diagonal_velocities(in_place, in_place);
    EXPECT_EQ(in_place, nu);
  }
  std::printf("  M x %.1e, M^-1 x %.1e, root %.1e, log det %.1e, energy %.1e\n", product, solution,
              root, determinant, energy);
  EXPECT_LE(product, 1e-12);
  EXPECT_LE(solution, 1e-10);
  EXPECT_LE(root, 1e-12);
  EXPECT_LE(determinant, 1e-9);
  EXPECT_LE(energy, 1e-12);
}

TEST(OperatorInverse, is_the_inverse_on_chains_and_trees) {
  std::mt19937_64 generator(32);
  double worst = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Sample s = test::regular_sample(generator, trial % 2 == 1, trial % 4 == 3 ? 30 : 12);
    Factorization f(s.model);
    factorize(s.model, s.kin, f);
    OperatorInverse work(s.model);
    const Eigen::MatrixXd& M_inv = mass_matrix_inverse(f, work);
    const Eigen::MatrixXd want =
        s.M.llt().solve(Eigen::MatrixXd::Identity(s.model.nv(), s.model.nv()));
    worst = std::max(worst, largest(M_inv - want) / largest(want));
    // Ups is the compliance of the links: J M^-1 J^T about the reference_point.
    Matrix6X J(6, s.model.nv());
    for (std::size_t i = 0; i < work.Ups.size(); ++i) {
      const SE3 at_pole{{}, inverse_times(s.kin.C()[i].R, f.reference_point() - s.kin.C()[i].r)};
      jacobian(s.model, s.kin, {static_cast<int>(i), at_pole, s.model.id()}, Representation::hybrid,
               J);
      const Eigen::MatrixXd Ups = J * want * J.transpose();
      EXPECT_LE(largest(work.Ups[i] - Ups), 1e-9 * largest(Ups));
    }
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-10);
}

TEST(Compliance, of_links_is_J_M_inverse_J) {
  std::mt19937_64 generator(48);
  double worst = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const Sample s = test::regular_sample(generator, trial % 3 > 0, 12);
    const auto n = static_cast<int>(tree_links(s.model).size());
    Factorization f(s.model);
    factorize(s.model, s.kin, f);
    std::vector<Matrix6> Ups(tree_links(s.model).size());
    inverse_operational_space_inertias(f, Ups);
    const Eigen::MatrixXd M_inv =
        s.M.llt().solve(Eigen::MatrixXd::Identity(s.model.nv(), s.model.nv()));
    const auto J = [&](int i) {
      const SE3& C = s.kin.C()[static_cast<std::size_t>(i)];
      Matrix6X out(6, s.model.nv());
      jacobian(s.model, s.kin,
               {i, {{}, inverse_times(C.R, f.reference_point() - C.r)}, s.model.id()},
               Representation::hybrid, out);
      return out;
    };
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const Eigen::MatrixXd want = J(k) * M_inv * J(j).transpose(),
                              at_k = J(k) * M_inv * J(k).transpose();
        worst = std::max(
            worst, largest(inverse_operational_space_inertia(f, Ups, k, j) - want) / largest(at_k));
      }
    EXPECT_SAYS(inverse_operational_space_inertia(f, Ups, 0, n), "no link " + std::to_string(n),
                "'random'");
    EXPECT_SAYS(inverse_operational_space_inertia(f, Ups, -1, 0), "no link -1");
    Ups.pop_back();
    EXPECT_THROW(inverse_operational_space_inertia(f, Ups, 0, 0), SizeError);
    EXPECT_THROW(inverse_operational_space_inertias(f, Ups), SizeError);
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-10);
}

TEST(Factorization, names_the_joint_that_moves_nothing) {
  std::mt19937_64 generator(33);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 3, .kinds = {{JointType::revolute}}, .massless = true}));
  const Model other = compile(test::random_mechanism(generator, {.bodies = 3}));
  PositionKinematics kin(model), other_kin(other);
  forward_kinematics(model, Eigen::VectorXd::Zero(model.nq()), kin);
  Factorization f(model);
  EXPECT_THROW(factorize(model, kin, f), SingularError);
  EXPECT_SAYS(factorize(model, kin, f), "joint 'joint2'", "'body2'");
  EXPECT_SAYS(factorize(other, other_kin, f), "factorization is of model", "compiled another time");
  Eigen::VectorXd x = Eigen::VectorXd::Zero(4), y = Eigen::VectorXd::Zero(3);
  EXPECT_THROW(f.multiply(x, y), SizeError);
  EXPECT_THROW(f.solve(y, x), SizeError);
}

TEST(Hamiltonian, momenta_are_M_v_and_their_rate_is_that_of_the_motion) {
  std::mt19937_64 generator(34);
  double momentum = 0, velocity = 0, rate = 0, exact = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s = test::regular_sample(generator, trial % 2 == 1);
    const auto applied = s.wrenches(generator);
    HamiltonianDynamics work(s.model), other(s.model);
    Eigen::VectorXd p(s.model.nv());
    generalized_momenta(s.model, s.kin, p, work);
    momentum = std::max(momentum, largest(p - s.M * s.v) / largest(p));
    hamiltonian_dynamics(s.model, s.kin, p, s.tau, work, applied);
    velocity = std::max(velocity, largest(work.v - s.v) / largest(s.v));
    EXPECT_NEAR(hamiltonian(s.model, s.kin, p, work),
                kinetic_energy(s.model, s.kin) + potential_energy(s.model, s.kin),
                1e-10 * (1 + kinetic_energy(s.model, s.kin)));

    // pd = M a + Md v with a of forward dynamics.
    RecursiveDynamics recursive(s.model);
    const Eigen::VectorXd a =
        forward_dynamics(s.model, s.kin, s.tau, Representation::body, recursive, applied);
    const Eigen::VectorXd want = s.M * a + mass_matrix_rate(s.model, s.kin) * s.v;
    const double scale = largest(s.M) * largest(a);
    exact = std::max(exact, largest(work.p_dot - want) / scale);

    // And by differences of p along the motion.
    VelocityKinematics moved(s.model);
    const Eigen::VectorXd difference = test::derivative([&](double t) -> Eigen::VectorXd {
      Eigen::VectorXd p_t(s.model.nv());
      s.move(1e-2 * t, s.v + 1e-2 * t * a, moved);
      generalized_momenta(s.model, moved, p_t, other);
      return p_t / 1e-2;
    });
    rate = std::max(rate, largest(work.p_dot - difference) / scale);
  }
  std::printf("  p %.1e, v %.1e, pd %.1e, by differences %.1e\n", momentum, velocity, exact, rate);
  EXPECT_LE(momentum, 1e-12);
  EXPECT_LE(velocity, 1e-10);
  EXPECT_LE(exact, 1e-10);
  EXPECT_LE(rate, 1e-8);
}

/// Where q is a vector: qd = dH/dp, pd = Q - dH/dq, by differences of H(q, p).
/// @paper 000 Outlook
TEST(Hamiltonian, is_hamilton_in_coordinates) {
  std::mt19937_64 generator(35);
  const Sample s(generator,
                 {.bodies = 6,
                  .kinds = {{JointType::revolute}, {JointType::cylindrical}, {JointType::planar}}});
  const int n = s.model.nv();
  const Eigen::VectorXd p = s.M * s.v;
  HamiltonianDynamics work(s.model), other(s.model);
  PositionKinematics kin(s.model);
  hamiltonian_dynamics(s.model, s.kin, p, s.tau, work);
  const auto H = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& momenta) {
    forward_kinematics(s.model, q, kin);
    hamiltonian_dynamics(s.model, kin, momenta, s.tau, other);
    return hamiltonian(s.model, kin, momenta, other);
  };
  for (int k = 0; k < n; ++k) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(n, k);
    EXPECT_NEAR(test::derivative([&](double t) { return H(s.q, p + t * e); }), work.v[k], 1e-9);
    const double dH = test::derivative([&](double t) { return H(s.q + 0.1 * t * e, p) / 0.1; });
    EXPECT_NEAR(s.tau[k] - dH, work.p_dot[k], 1e-8 * (1 + largest(work.p_dot)));
  }
  const Eigen::VectorXd longer = Eigen::VectorXd::Zero(n + 1);
  EXPECT_THROW(hamiltonian_dynamics(s.model, s.kin, longer, s.tau, work), SizeError);
  EXPECT_THROW(hamiltonian_dynamics(s.model, s.kin, p, longer, work), SizeError);
}

TEST(Factorization, of_nothing_is_nothing) {
  const Model model = compile(Mechanism{"nothing", {}, {}, {}, {}});
  PositionKinematics kin(model);
  HamiltonianDynamics work(model);
  OperatorInverse inverse(model);
  const Eigen::VectorXd none(0);
  hamiltonian_dynamics(model, kin, none, none, work);
  EXPECT_EQ(work.factorization.log_determinant(), 0);
  EXPECT_EQ(mass_matrix_inverse(work.factorization, inverse).size(), 0);
}

/// Four slides span three dimensions.
TEST(Factorization, sees_that_screws_depend) {
  std::mt19937_64 generator(36);
  std::vector<ScrewData> screws;
  for (const Vec3& axis : {Vec3{1, 0.1, 0}, Vec3{0, 1, 0.2}, Vec3{0.3, 0, 1}, Vec3{1, 2, 3}})
    screws.push_back({axis, {}, std::numeric_limits<double>::infinity()});
  for (const Parameterization kind : {Parameterization::sum, Parameterization::product}) {
    const Model model = compile(MechanismBuilder("four")
                                    .body("b", ground, joints::custom(screws, kind))
                                    .joint_name("many")
                                    .inertia(1, {0.1, 0.2, 0.3}, Sym3::diagonal(1, 1, 1))
                                    .build());
    PositionKinematics kin(model);
    forward_kinematics(model, test::random_vector(4, generator), kin);
    Factorization f(model);
    EXPECT_SAYS(factorize(model, kin, f), "joint 'many'");
  }
}

}  // namespace
}  // namespace chasles
