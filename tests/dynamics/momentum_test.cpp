/// Momenta, their rate and the factors of the mass matrix: against the textbook, dense M, differences.
#include "chasles/dynamics/momentum.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "chasles/chasles.hpp"
#include "model/model_data.hpp"
#include "support/allocation.hpp"
#include "support/errors.hpp"
#include "textbook/sample.hpp"

namespace chasles {
namespace momentum_test {

using test::largest;

void expect_near(const Eigen::VectorXd& is, const Eigen::VectorXd& want, double tolerance) {
  ASSERT_EQ(is.size(), want.size());
  EXPECT_LE(largest(is - want), tolerance * (1 + largest(want)));
}

class Momentum : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 generator{static_cast<std::uint64_t>(300 + GetParam())};
  test::Sample s = test::regular_sample(generator, GetParam() % 2 == 1, 18);
  const int nv = s.model.nv();
  MomentumDynamics work{s.model};
  Vector out = Vector(nv), p = Vector(nv);
};
INSTANTIATE_TEST_SUITE_P(Fast, Momentum, ::testing::Range(0, 8));

TEST_P(Momentum, mass_times_is_the_product_with_dense_M) {
  mass_times(s.model, s.kin, s.a, out, work);
  expect_near(out, s.M * s.a, 1e-12);
  out = s.a;  // in place
  mass_times(s.model, s.kin, out, out, work);
  expect_near(out, s.M * s.a, 1e-12);
}

TEST_P(Momentum, rate_is_that_of_the_textbook) {
  const auto applied = s.wrenches(generator);
  textbook::HamiltonianDynamics hamilton(s.model);
  textbook::generalized_momenta(s.model, s.kin, p, hamilton);
  textbook::hamiltonian_dynamics(s.model, s.kin, p, s.tau, hamilton, applied);
  momentum_rate(s.model, s.kin, s.tau, out, work, applied);
  // That one solves for v first, so it has the error of M^-1.
  expect_near(out, hamilton.p_dot, 1e-12 + 1e-16 * test::condition(s.M));
}

TEST_P(Momentum, rate_is_M_a_plus_the_rate_of_M_times_v) {
  const auto applied = s.wrenches(generator);
  InverseDynamics inverse(s.model);
  const Eigen::VectorXd tau = inverse_dynamics(s.model, s.q, s.v, s.a, inverse, applied);
  const Eigen::VectorXd want = s.M * s.a + textbook::mass_matrix_rate(s.model, s.kin) * s.v;
  momentum_rate(s.model, s.kin, tau, out, work, applied);
  expect_near(out, want, 1e-12);
  out = tau;  // in place
  momentum_rate(s.model, s.kin, out, out, work, applied);
  expect_near(out, want, 1e-12);
}

TEST_P(Momentum, rate_is_the_derivative_of_the_momenta_along_the_motion) {
  InverseDynamics inverse(s.model);
  const Eigen::VectorXd tau = inverse_dynamics(s.model, s.q, s.v, s.a, inverse);
  momentum_rate(s.model, s.kin, tau, out, work);
  VelocityKinematics moved(s.model);
  const auto momenta = [&](double t) -> Eigen::VectorXd {
    // Along q exp(t v), where the velocity v + t a is exact to first order.
    s.move(t, moved);
    mass_times(s.model, moved, moved.v(), p, work);
    return p;
  };
  const double h = 1e-3;
  const Eigen::VectorXd slope =
      (8 * (momenta(h) - momenta(-h)) - (momenta(2 * h) - momenta(-2 * h))) / (12 * h);
  expect_near(out, slope, 1e-7);
}

TEST_P(Momentum, is_of_what_acts_and_of_what_does_not) {
  const auto applied = s.wrenches(generator);
  Vector force(nv), rate(nv);
  generalized_force(s.model, s.kin, s.tau, force, work, applied);
  InverseDynamics inverse(s.model);
  const Vector zero = Eigen::VectorXd::Zero(nv);
  expect_near(force, s.tau - inverse_dynamics(s.model, s.q, zero, zero, inverse, applied), 1e-12);

  free_momentum_rate(s.model, s.kin, s.v, p, rate, work);
  expect_near(p, s.M * s.v, 1e-12);
  momentum_rate(s.model, s.kin, s.tau, out, work, applied);
  expect_near(rate + force, out, 1e-12);
  // At another velocity than that of the kinematics.
  VelocityKinematics other(s.model);
  forward_kinematics(s.model, s.q, s.a, other);
  free_momentum_rate(s.model, s.kin, s.a, p, rate, work);
  momentum_rate(s.model, other, s.tau, out, work, applied);
  expect_near(rate + force, out, 1e-12);
}

TEST_P(Momentum, factorization_solves_and_multiplies) {
  MassFactorization M(s.model);
  M.factorize(s.model, s.kin);
  M.multiply(s.a, out);
  expect_near(out, s.M * s.a, 1e-12);
  M.solve(s.tau, p);
  expect_near(p, s.M.llt().solve(s.tau), 3e-15 * test::condition(s.M));
  textbook::Factorization papers(s.model);
  textbook::factorize(s.model, s.kin, papers);
  papers.solve(s.tau, out);
  expect_near(p, out, 3e-15 * test::condition(s.M));
  out = s.tau;  // in place
  M.solve(out, out);
  EXPECT_EQ(out, p);
  for (int k = 0; k < nv; ++k) {
    const auto i = static_cast<std::size_t>(link_of_v(s.model)[static_cast<std::size_t>(k)]);
    Matrix6X J(6, nv);
    jacobian(s.model, s.kin, {static_cast<int>(i), {}, s.model.id()}, Representation::hybrid, J);
    EXPECT_LE(largest(J.col(k) - to_eigen(M.H()[static_cast<std::size_t>(k)])), 1e-14);
  }
}

TEST(MomentumErrors, refuse_what_does_not_fit) {
  std::mt19937_64 generator(7);
  const test::Sample s = test::regular_sample(generator, true), other = s;
  const Model twin = compile(test::random_mechanism(generator, {.bodies = 4}));
  MomentumDynamics work(s.model), foreign(twin);
  MassFactorization M(s.model);
  Vector out(s.model.nv()), small(1);
  EXPECT_THROW(mass_times(s.model, s.kin, small, out, work), SizeError);
  EXPECT_THROW(mass_times(s.model, s.kin, s.v, small, work), SizeError);
  EXPECT_THROW(mass_times(s.model, s.kin, s.v, out, foreign), ForeignError);
  EXPECT_THROW(momentum_rate(s.model, s.kin, small, out, work), SizeError);
  EXPECT_THROW(generalized_force(s.model, s.kin, small, out, work), SizeError);
  EXPECT_THROW(free_momentum_rate(s.model, s.kin, s.v, small, out, work), SizeError);
  EXPECT_THROW(mass_times(s.model, PositionKinematics(twin), s.v, out, work), ForeignError);
  EXPECT_THROW(M.solve(s.v, out), Error);
  EXPECT_THROW(M.factorize(s.model, PositionKinematics(twin)), ForeignError);
  M.factorize(s.model, s.kin);
  EXPECT_THROW(M.solve(small, out), SizeError);
  EXPECT_THROW(M.multiply(s.v, small), SizeError);
}

TEST(MomentumErrors, a_joint_that_moves_nothing_is_named) {
  std::mt19937_64 generator(8);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 3, .massless = true}));
  MassFactorization M(model);
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  EXPECT_THROW(M.factorize(model, kin), SingularError);
  Vector x = Eigen::VectorXd::Zero(model.nv());
  EXPECT_THROW(M.solve(x, x), Error);  // what is left of it
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(MomentumAllocation, none_after_construction) {
  std::mt19937_64 generator(9);
  const test::Sample s = test::regular_sample(generator, true);
  const auto applied = s.wrenches(generator);
  MomentumDynamics work(s.model);
  MassFactorization M(s.model);
  Vector p(s.model.nv()), out(s.model.nv());
  const Vector v = s.v, tau = s.tau;
  const long before = test::allocations;
  mass_times(s.model, s.kin, v, p, work);
  generalized_force(s.model, s.kin, tau, out, work, applied);
  free_momentum_rate(s.model, s.kin, v, p, out, work);
  momentum_rate(s.model, s.kin, tau, out, work, applied);
  M.factorize(s.model, s.kin);
  M.solve(tau, out);
  M.multiply(tau, out);
  EXPECT_EQ(test::allocations - before, 0);
}
#endif

}  // namespace momentum_test
}  // namespace chasles
