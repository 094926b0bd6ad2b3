/// The motion interface of a tree: what is said about masses, forces and tangents fits together.
#include <gtest/gtest.h>

#include "chasles/chasles.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

class Tree : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 generator{static_cast<std::uint64_t>(GetParam())};
  Model model =
      compile(test::random_mechanism(generator, {.bodies = 6, .tree = GetParam() % 2 == 1}));
  Vector q = test::random_configuration(model, generator),
         v = test::random_vector(model.nv(), generator);
  ModelSystem system{model};
  void SetUp() override {
    system.set_forces([](double t, const VelocityKinematics& kin, JointForces& out) {
      out.tau = -0.3 * kin.v();
      out.tau[0] += std::sin(t);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(MechanicalSystem, Tree, ::testing::Range(0, 8));

/// @paper 001 (35), (36), (43)-(45)
/// @paper 004 (34)
TEST_P(Tree, rates_solve_the_equations_of_motion) {
  const int n = model.nv();
  Vector velocity(n), a(n), Ma(n), f(n), none, x(n);
  system.rates(0.4, q, v, velocity, a);
  EXPECT_EQ(velocity, v);
  MechanicalSystem& masses = *static_cast<DynamicalSystem&>(system).mechanical();
  EXPECT_EQ(masses.constraint_count(), 0);
  masses.mass_times(a, Ma);
  masses.force(f);
  EXPECT_LE((Ma - f).norm(), 1e-10 * (1 + f.norm()));
  masses.solve(f, none, x, none);
  EXPECT_LE((x - a).norm(), 1e-9 * (1 + a.norm()));
  masses.MechanicalSystem::acceleration(x);  // by the saddle point
  EXPECT_LE((x - a).norm(), 1e-9 * (1 + a.norm()));
  MassMatrix M(model);
  masses.mass_times(v, Ma);
  EXPECT_LE((mass_matrix(model, q, M) * v - Ma).norm(), 1e-11 * Ma.norm());
  Vector c(1);
  EXPECT_SAYS(masses.solve(f, c, x, none), "c has 1");
}

/// Against the change of r = M a - f over a small step along the group.
TEST_P(Tree, tangent_is_how_the_residual_changes) {
  const int n = model.nv();
  const Vector a = test::random_vector(n, generator), dq = test::random_vector(n, generator),
               dv = test::random_vector(n, generator), da = test::random_vector(n, generator);
  MechanicalSystem::Tangent tangent;
  system.set(0.2, q, v);
  system.tangent(a, tangent);
  const auto residual = [&](double s) {
    Vector there(model.nq()), Ma(n), f(n);
    const Vector x = s * dq, a_s = a + s * da, v_s = v + s * dv;
    system.group().plus(q, x, there);
    system.set(0.2, there, v_s);
    system.mass_times(a_s, Ma);
    system.force(f);
    return Vector(Ma - f);
  };
  const double h = 1e-3;  // fourth order
  const Vector rate =
      (8 * (residual(h) - residual(-h)) - (residual(2 * h) - residual(-2 * h))) / (12 * h);
  const Vector expected = tangent.K * dq + tangent.D * dv + tangent.M * da;
  EXPECT_LE((rate - expected).norm(), 1e-6 * (1 + expected.norm()));
}

/// What a tree computes in its own way, against what every system has unless overridden.
TEST_P(Tree, shortcuts_agree_with_what_they_stand_for) {
  const int n = model.nv();
  const Vector a = test::random_vector(n, generator);
  MechanicalSystem::Tangent tangent;
  system.prepare(tangent);
  EXPECT_EQ(tangent.K.rows(), n);
  system.set(0.4, q, v);
  Matrix M, by_columns;
  system.mass_matrix(M);
  system.MechanicalSystem::mass_matrix(by_columns);
  EXPECT_LE((M - by_columns).norm(), 1e-13 * M.norm());
  Vector r(n), general(n);
  system.dynamics_residual(a, r);
  system.MechanicalSystem::dynamics_residual(a, general);
  EXPECT_LE((r - general).norm(), 1e-12 * (1 + r.norm()));
  system.momentum_rate(r);
  system.MechanicalSystem::momentum_rate(general);
  EXPECT_LE((r - general).norm(), 1e-11 * (1 + r.norm()));
}

/// f + Md v is the rate of M v along a motion: here by differences of fourth order, with a = v'.
TEST_P(Tree, momentum_changes_as_it_says) {
  const int n = model.nv();
  Vector velocity(n), a(n), rate(n);
  system.rates(0.4, q, v, velocity, a);
  system.momentum_rate(rate);
  const auto momentum = [&](double s) {
    Vector there(model.nq()), p(n);
    const Vector x = s * v, v_s = v + s * a;
    system.group().plus(q, x, there);
    system.set(0.4, there, v_s);
    system.mass_times(v_s, p);
    return p;
  };
  const double h = 1e-3;
  const Vector found =
      (8 * (momentum(h) - momentum(-h)) - (momentum(2 * h) - momentum(-2 * h))) / (12 * h);
  EXPECT_LE((found - rate).norm(), 1e-7 * (1 + rate.norm() + a.norm()));
}

TEST_P(Tree, projection_brings_quaternions_back) {
  State state{0, 1.0001 * q, v};
  system.project(state);
  EXPECT_NO_THROW(checked_configuration(model, state.q));
}

}  // namespace
}  // namespace chasles
