/// Rows of constraints against differences, and the elimination along the tree against one matrix.

#include <gtest/gtest.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "math/decompositions.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

using test::slope;

/// Each kind of joint as the joint of a loop, at a configuration where it is closed.
class EveryLoop : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 generator{static_cast<std::uint64_t>(GetParam())};
  test::JointKind kind = test::loop_kinds()[static_cast<std::size_t>(GetParam())];
  test::LoopedTree tree = test::looped_tree(generator, 8, {kind, kind});
  Model model = compile(tree.mechanism);
  Constraints constraints{model};
  Vector v = test::random_vector(model.nv(), generator);
  PositionKinematics kin{model};
  AccelerationKinematics moving{model};
  Vector zero = Vector::Zero(model.nv());

  Vector along(double s) const {
    Vector out(model.nq());
    plus(model, tree.q, Vector(s * v), out);
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Constraints, EveryLoop, ::testing::Range(0, 14));

TEST_P(EveryLoop, is_closed_where_its_frames_meet) {
  forward_kinematics(model, tree.q, kin);
  Vector Phi(constraints.constraint_count());
  constraints.constraint_error(kin, Phi);
  EXPECT_LE(Phi.norm(), 1e-13);
}

TEST_P(EveryLoop, has_rates_that_are_slopes_of_the_gap) {
  const auto Phi = [&](double s) {
    forward_kinematics(model, along(s), kin);
    Vector out(constraints.constraint_count());
    constraints.constraint_error(kin, out);
    return Eigen::VectorXd(out);
  };
  // At the ends W may have turned a little: what is compared is at s = 0, where it is the same.
  const Eigen::VectorXd expected = slope(Phi, 2e-3);
  forward_kinematics(model, tree.q, kin);
  forward_kinematics(model, tree.q, v, zero, moving);
  constraints.update(kin);
  Vector rate(constraints.constraint_count());
  constraints.rate(moving, rate);
  EXPECT_LE((rate - expected).norm(), 1e-9 * (1 + expected.norm()));
  Matrix B;
  constraints.matrix(kin, B);
  EXPECT_LE((B * v - rate).norm(), 1e-13 * (1 + rate.norm()));
  const Vector lambda = test::random_vector(constraints.constraint_count(), generator);
  Vector force(model.nv());
  constraints.force(kin, lambda, force);
  EXPECT_LE((B.transpose() * lambda - force).norm(), 1e-13 * (1 + force.norm()));
}

TEST_P(EveryLoop, has_a_bias_that_is_the_slope_of_the_rate) {
  const auto rate = [&](double s) {
    forward_kinematics(model, along(s), v, zero, moving);
    constraints.update(moving);
    Vector out(constraints.constraint_count());
    constraints.rate(moving, out);
    return Eigen::VectorXd(out);
  };
  const Eigen::VectorXd expected = slope(rate, 2e-3);
  forward_kinematics(model, tree.q, v, zero, moving);
  constraints.update(moving);
  Vector bias(constraints.constraint_count());
  constraints.bias(moving, bias);
  EXPECT_LE((bias - expected).norm(), 1e-8 * (1 + expected.norm()));
}

TEST_P(EveryLoop, has_a_matrix_whose_rate_is_its_slope) {
  const Eigen::Index m = constraints.constraint_count(), n = model.nv();
  const auto entries = [&](double s) {
    forward_kinematics(model, along(s), kin);
    constraints.update(kin);
    Matrix B;
    constraints.matrix(kin, B);
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(B.data(), m * n));
  };
  const Eigen::VectorXd expected = slope(entries, 2e-3);
  forward_kinematics(model, tree.q, v, zero, moving);
  constraints.update(moving);
  Matrix rate;
  constraints.matrix_rate(moving, rate);
  const Eigen::Map<const Eigen::VectorXd> got(rate.data(), m * n);
  EXPECT_LE((got - expected).norm(), 1e-8 * (1 + expected.norm()));
  Vector bias(m);
  constraints.bias(moving, bias);
  EXPECT_LE((rate * v - bias).norm(), 1e-12 * (1 + bias.norm()));
}

/// Against differences of order 8 of B^T lambda, at the same wrenches.
TEST_P(EveryLoop, has_forces_that_change_with_q) {
  using enum JointType;
  std::vector<test::JointKind> kinds = test::all_joint_kinds();
  std::erase_if(kinds, [](const test::JointKind& k) {
    return k.parameterization == Parameterization::sum || k.group == FloatingGroup::so3xr3;
  });
  std::mt19937_64 dice(77);
  const test::LoopedTree smooth = test::looped_tree(dice, 8, {kind, kind}, kinds);
  const Model of = compile(smooth.mechanism);
  Constraints bound(of);
  PositionKinematics at(of);
  const Vector lambda = test::random_vector(bound.constraint_count(), generator),
               way = test::random_vector(of.nv(), generator);
  Matrix S;
  forward_kinematics(of, smooth.q, at);
  bound.update(at);
  if (!bound.stiffness(at, lambda, S)) {
    EXPECT_TRUE(kind.type == universal || kind.type == custom);
    return;
  }
  const auto force = [&](double s) {
    Vector q(of.nq()), out(of.nv());
    plus(of, smooth.q, Vector(s * way), q);
    forward_kinematics(of, q, at);
    bound.update(at);
    bound.force(at, lambda, out);
    return Eigen::VectorXd(out);
  };
  const Eigen::VectorXd expected = slope(force, 2e-3);
  EXPECT_LE((S * way - expected).norm(), 1e-9 * (1 + expected.norm()));
}

/// Trees with several loops that share links, and couplings.
class Looped : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 generator{static_cast<std::uint64_t>(GetParam())};
  test::LoopedTree tree = test::looped_tree(generator, 12 + 3 * GetParam(),
                                            {{JointType::spherical},
                                             {JointType::planar},
                                             {JointType::universal},
                                             {JointType::cylindrical}});
};
INSTANTIATE_TEST_SUITE_P(Constraints, Looped, ::testing::Range(0, 12));

/// @paper 004 (2)
/// @paper 004 (1)
TEST_P(Looped, saddle_point_is_that_of_the_whole_matrix) {
  const Model model = compile(tree.mechanism);
  ConstrainedSystem system(model, {}, tree.q);
  const Vector& q = system.assembled();
  EXPECT_LE((q - tree.q).norm(), 1e-12);
  const int n = model.nv(), m = system.constraint_count();
  ASSERT_GT(m, 5);
  Matrix B;
  system.set(0, q, Vector(n));
  system.constraint_matrix(B);
  // Equations may depend on each other: c is what some x has.
  const Vector b = test::random_vector(n, generator), c = B * test::random_vector(n, generator);
  Vector x(n), lambda(m);
  system.solve(b, c, x, lambda);
  MassMatrix work(model);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = mass_matrix(model, q, work);
  A.topRightCorner(n, m) = B.transpose();
  A.bottomLeftCorner(m, n) = B;
  Eigen::VectorXd rhs(n + m);
  rhs << b, c;
  const FullyPivotedLu lu(A);
  const Eigen::VectorXd expected = lu.solve(rhs), force = B.transpose() * expected.tail(m);
  EXPECT_LE((x - expected.head(n)).norm(), 1e-9 * expected.norm());
  EXPECT_LE((B.transpose() * lambda - force).norm(), 1e-9 * (1 + force.norm()));
  if (system.mobility().rank == m) {
    EXPECT_LE((lambda - expected.tail(m)).norm(), 1e-9 * expected.norm());
  }
  EXPECT_LE((B * x - c).norm(), 1e-10 * (1 + x.norm()));
}

/// Against inverse dynamics: forces, wrenches and multipliers balance, and the loops stay closed.
TEST_P(Looped, forward_dynamics_takes_forces_and_wrenches) {
  const Model model = compile(tree.mechanism);
  ConstrainedSystem system(model, {}, tree.q);
  const Vector& q = system.assembled();
  const Vector v = consistent_velocity(system.constraints(), q,
                                       test::random_vector(model.nv(), generator)),
               tau = test::random_vector(model.nv(), generator);
  const AppliedWrench applied[] = {{model.bodies()[3].frame, {{1, -2, 3}, {0.5, 4, -1}}},
                                   {model.bodies()[8].frame, {{0.3, 2, -1}, {-2, 1, 5}}}};
  const Vector a = system.forward_dynamics(q, v, tau, applied), lambda = system.multipliers();
  InverseDynamics work(model);
  PositionKinematics kin(model);
  Matrix B;
  forward_kinematics(model, q, kin);
  system.constraints().update(kin);
  system.constraints().matrix(kin, B);
  const Vector needed = inverse_dynamics(model, q, v, a, work, applied),
               given = tau - B.transpose() * lambda;
  EXPECT_LE((needed - given).norm(), 1e-10 * (1 + given.norm() + lambda.norm()));
  Vector rate(system.constraint_count());
  system.constraint_bias(rate);
  system.constraint_matrix(B);
  rate += B * a;
  EXPECT_LE(rate.norm(), 1e-10 * (1 + a.norm()));
}

/// q_1 = ratio q_0, with a ratio that is set while it is used.
class Gear : public Constraint {
 public:
  mutable double ratio = 2;
  std::string name() const override { return "gear"; }
  int constraint_count() const override { return 1; }
  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    Phi[0] = ratio * kin.q()[0] - kin.q()[1];
  }
  void matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd> B) const override {
    B(0, 0) = ratio, B(0, 1) = -1;
  }
  void bias(const VelocityKinematics&, VectorRef out) const override { out.setZero(); }
};

/// `update` and `set` evaluate anew at a configuration of the same numbers: (1 + ratio^2) a_0 = tau_0 + ratio tau_1.
TEST(ConstraintUpdate, does_not_compare_configurations) {
  const Model model = compile(MechanismBuilder("wheels")
                                  .gravity({})
                                  .body("a", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .body("b", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  const auto gear = std::make_shared<Gear>();
  const ConstraintOptions options{.more = {gear}};
  Constraints constraints(model, options);
  ConstrainedSystem system(model, options);
  system.set_forces([](double, const VelocityKinematics&, JointForces& out) { out.tau[1] = 10; });
  PositionKinematics kin(model);
  const Vector q(2), v(2);
  Vector a(2);
  forward_kinematics(model, q, kin);
  Matrix B;
  for (const double ratio : {2.0, 3.0, 0.5}) {
    gear->ratio = ratio;
    constraints.update(kin);
    constraints.matrix(kin, B);
    EXPECT_EQ(B(0, 0), ratio);
    system.set(0, q, v);
    system.acceleration(a);
    EXPECT_NEAR(a[0], 10 * ratio / (1 + ratio * ratio), 1e-14);
    EXPECT_NEAR(a[1], ratio * a[0], 1e-14);
  }
}

/// Turns z, x, z with the second axis through (0, 1, 0): all theta = (c, 0, -c) are the same pose, each with another
/// screw X = (cos c, sin c, 0; 0, 0, -1) of the second. `follow` says which.
TEST(ConstraintUpdate, goes_to_the_branch_that_is_followed) {
  Loop loop{.name = "hook", .bodies = {std::string(ground), "body"}, .type = JointType::custom};
  loop.geometry = FramesGeometry{{}, {}};
  loop.screws = {{{0, 0, 1}, {}, 0}, {{1, 0, 0}, {0, 1, 0}, 0}, {{0, 0, 1}, {}, 0}};
  const Model model = compile(MechanismBuilder("hook")
                                  .body("body", ground, joints::floating())
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .loop(loop)
                                  .build());
  Constraints constraints(model);
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  Vector Phi(constraints.constraint_count());
  Matrix B;
  const auto allowed = [](double c) { return Vector{std::cos(c), std::sin(c), 0, 0, 0, -1}; };
  double before = 0;
  for (const double c : {0.4, 1.5, -2.0}) {
    constraints.follow("hook", Vector{c, 0, -c});
    EXPECT_SAYS(constraints.matrix(kin, B), "update");
    constraints.update(kin);
    constraints.matrix(kin, B);
    EXPECT_LE((B * allowed(c)).norm(), 1e-6) << c;
    EXPECT_GE((B * allowed(before)).norm(), 0.02) << c;
    constraints.constraint_error(kin, Phi);
    EXPECT_LE(Phi.norm(), 1e-14);
    before = c;
  }
  // Gaps elsewhere take the wrenches with them, so those of the last update are asked for again.
  VelocityKinematics elsewhere(model);
  Vector q = model.neutral();
  q[6] = 1e-3;
  forward_kinematics(model, q, Vector(6), elsewhere);
  constraints.constraint_error(elsewhere, Phi);
  EXPECT_SAYS(constraints.matrix(kin, B), "update");
  EXPECT_SAYS(constraints.rate(elsewhere, Phi), "update");
}

}  // namespace
}  // namespace chasles
