/// The elimination along the tree, of every instruction set, against the whole matrix.
#include <gtest/gtest.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "constraints/kkt_factorization.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "studies/mechanisms/rods.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

/// Loops of 1 to 6 rows that share links, and couplings; `narrow`: of at most four.
class EveryKkt : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  const int seed = std::get<0>(GetParam());
  const bool narrow = std::get<1>(GetParam());
  std::mt19937_64 generator{static_cast<std::uint64_t>(100 + seed)};
  std::vector<test::JointKind> kinds() const {
    using enum JointType;
    std::vector<test::JointKind> kinds = {{spherical}, {universal}, {cylindrical}};
    if (narrow)
      kinds.push_back({planar});
    else
      kinds.insert(kinds.end(), {{revolute}, {fixed}});
    return kinds;
  }
  test::LoopedTree tree = test::looped_tree(generator, 20 + 4 * seed, kinds());
  Model model = compile(tree.mechanism);
  ConstrainedSystem system{model, {}, tree.q};
  const KktFactorization::Blocks& blocks = system.mobility().blocks;
  Vector q = system.assembled(),
         v = consistent_velocity(system.constraints(), q,
                                 test::random_vector(model.nv(), generator));
  AccelerationKinematics kin{model};

  void SetUp() override {
    forward_kinematics(model, q, v, Vector::Zero(model.nv()), kin);
    system.constraints().update(kin);
  }
  int m() { return system.constraints().constraint_count(); }
};
INSTANTIATE_TEST_SUITE_P(Constraints, EveryKkt,
                         ::testing::Combine(::testing::Range(0, 4), ::testing::Bool()));

TEST_P(EveryKkt, solves_the_saddle_point) {
  Matrix B;
  MassMatrix work(model);
  system.constraints().matrix(kin, B);
  const Eigen::MatrixXd M = mass_matrix(model, q, work);
  for (const kernels::InstructionSet& set : kernels::instruction_sets()) {
    if (!set.available) continue;
    auto first =
        std::make_unique<KktFactorization>(system.constraints(), blocks, false, *set.elimination);
    first->factorize(q, system.constraints());
    KktFactorization elimination = *first;  // a copy keeps the factors
    first.reset();
    const Vector b = test::random_vector(model.nv(), generator),
                 c = test::random_vector(m(), generator);
    Vector x(model.nv()), lambda(m());
    elimination.solve(b, c, x, lambda);
    const double size = 1 + x.norm() + lambda.norm();
    EXPECT_LE((M * x + B.transpose() * lambda - b).norm(), 1e-11 * M.norm() * size) << set.name;
    // B x = c by the combinations that are kept, with lambda a combination of them.
    int rank = 0;
    for (const KktFactorization::Combinations& block : elimination.combinations()) {
      const Eigen::MatrixXd U = block.U;
      const Eigen::VectorXd gap = (B * x - c).segment(block.first, block.rows),
                            y = lambda.segment(block.first, block.rows);
      EXPECT_LE((U.transpose() * U - Eigen::MatrixXd::Identity(U.cols(), U.cols())).norm(), 1e-13);
      EXPECT_LE((U.transpose() * gap).norm(), 1e-11 * B.norm() * size) << set.name;
      EXPECT_LE((y - U * (U.transpose() * y)).norm(), 1e-12 * (1 + y.norm())) << set.name;
      rank += block.rank;
    }
    EXPECT_EQ(rank, system.mobility().rank);
  }
}

/// Numbers that are none leave nothing behind.
TEST_P(EveryKkt, forgets_what_was_no_number) {
  const Vector b = test::random_vector(model.nv(), generator),
               c = test::random_vector(m(), generator);
  Vector x(model.nv()), lambda(m()), x_2 = x, lambda_2 = lambda;
  KktFactorization elimination(system.constraints(), blocks);
  elimination.factorize(q, system.constraints());
  elimination.solve(b, c, x, lambda);
  const double least = elimination.least_pivot();

  const Vector nowhere = Vector::Constant(model.nq(), std::nan(""));
  PositionKinematics lost(model);
  forward_kinematics(model, nowhere, lost);
  system.constraints().update(lost);
  try {
    elimination.factorize(nowhere, system.constraints());
  } catch (const SingularError&) {
  }
  system.constraints().update(kin);
  elimination.factorize(q, system.constraints());
  elimination.solve(b, c, x_2, lambda_2);
  EXPECT_EQ(x, x_2);
  EXPECT_EQ(lambda, lambda_2);
  EXPECT_EQ(elimination.least_pivot(), least);
}

TEST_P(EveryKkt, can_be_moved) {
  auto first = std::make_unique<KktFactorization>(system.constraints(), blocks);
  first->factorize(q, system.constraints());
  const double least = first->least_pivot();
  KktFactorization elimination = std::move(*first);
  first.reset();
  elimination.factorize(q, system.constraints());
  EXPECT_EQ(elimination.least_pivot(), least);
}

/// Against inverse dynamics and the bias of the rows.
TEST_P(EveryKkt, accelerates_in_one_pass_as_in_two) {
  const Vector tau = test::random_vector(model.nv(), generator);
  const AppliedWrench push{model.bodies()[5].frame, {{1, -2, 3}, {0.5, 4, -1}}};
  Matrix B;
  Vector bias(m());
  system.constraints().matrix(kin, B);
  system.constraints().bias(kin, bias);
  const Vector c = -bias;
  InverseDynamics work(model);
  for (const kernels::InstructionSet& set : kernels::instruction_sets()) {
    if (!set.available) continue;
    KktFactorization elimination(system.constraints(), blocks, false, *set.elimination);
    Vector x(model.nv()), lambda(m()), x_2 = x, lambda_2 = lambda;
    const PositionKinematics& poses = kin;
    KktFactorization::Moving here{q.data(), v.data(),   tau.data(), c.data(),
                                  &poses,   {&push, 1}, x.data(),   lambda.data()};
    elimination.accelerate(system.constraints(), here);
    elimination.factorize(q, system.constraints());
    elimination.solve(tau, c, x_2, lambda_2);
    here.x = x_2.data(), here.lambda = lambda_2.data();
    elimination.accelerate(here);  // the factors are still there
    EXPECT_EQ(x, x_2) << set.name;
    EXPECT_EQ(lambda, lambda_2) << set.name;
    const Vector needed = inverse_dynamics(model, q, v, x, work, {&push, 1});
    const double size = 1 + x.norm() + lambda.norm();
    EXPECT_LE((needed + B.transpose() * lambda - tau).norm(), 1e-11 * B.norm() * size) << set.name;
    EXPECT_LE((B * x - c).norm(), 1e-11 * B.norm() * size) << set.name;
  }
}

/// M x + B^T lambda = f, B x = c as one matrix, at the state of a system.
Eigen::VectorXd dense_acceleration(ConstrainedSystem& system) {
  const int n = system.nv();
  Matrix M, B, U;
  Vector f(n), bias(system.constraint_count());
  system.mass_matrix(M);
  system.constraint_matrix(B);
  system.independent_equations(U);
  system.force(f);
  system.constraint_bias(bias);
  const Eigen::MatrixXd A = U.transpose() * B;
  const Eigen::Index m = A.rows();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K << M, A.transpose(), A, Eigen::MatrixXd::Zero(m, m);
  Eigen::VectorXd right(n + m);
  right << f, U.transpose() * -bias;
  return K.fullPivLu().solve(right).head(n);
}

/// Loops of legs are eliminated before their ends meet.
TEST(EarlyKkt, is_that_of_legs_that_carry_no_other_loop) {
  const auto early = [](const Mechanism& mechanism) {
    const Model model = compile(mechanism);
    ConstrainedSystem system(model);
    return KktFactorization(system.constraints(), system.mobility().blocks, true).is_early();
  };
  EXPECT_TRUE(early(studies::stewart()));
  EXPECT_FALSE(early(studies::delta()));     // two rods share an arm
  EXPECT_FALSE(early(studies::four_bar()));  // one joint, two rows
}
TEST(EarlyKkt, solves_the_saddle_point) {
  const Model model = compile(studies::stewart());
  ConstrainedSystem system(model);
  std::mt19937_64 generator(7);
  const Vector q = system.assembled(), b = test::random_vector(model.nv(), generator),
               c = test::random_vector(system.constraint_count(), generator);
  for (const kernels::InstructionSet& set : kernels::instruction_sets()) {
    if (!set.available) continue;
    Vector x[2], lambda[2];
    for (const bool early : {false, true}) {
      KktFactorization elimination(system.constraints(), system.mobility().blocks, early,
                                   *set.elimination);
      x[early].setZero(model.nv()), lambda[early].setZero(system.constraint_count());
      elimination.factorize(q, system.constraints());
      elimination.solve(b, c, x[early], lambda[early]);
    }
    EXPECT_LE((x[0] - x[1]).norm(), 1e-12 * x[0].norm()) << set.name;
    EXPECT_LE((lambda[0] - lambda[1]).norm(), 1e-12 * lambda[0].norm()) << set.name;
  }
}
/// A leg of two bars that carries a plate, bent by an angle: stretched, it alone does not determine its force.
TEST(EarlyKkt, is_given_up_where_a_leg_is_stretched) {
  const Sym3 I = Sym3::diagonal(0.1, 0.1, 0.1);
  const Model model =
      compile(MechanismBuilder("leg")
                  .gravity({0, -9.81, 0})
                  .body("plate", ground, joints::of(JointType::planar, {0, 0, 1}))
                  .x_axis({1, 0, 0})
                  .inertia(1, {0.1, 0.2, 0}, I)
                  .body("thigh", ground, joints::revolute({0, 0, 1}))
                  .inertia(2, {0.5, 0, 0}, I)
                  .body("shank", "thigh", joints::revolute({0, 0, 1}, {1, 0, 0}))
                  .inertia(1, {1.5, 0, 0}, I)
                  .loop(studies::closure("ankle", "plate", "shank", JointType::revolute, {2, 0, 0}))
                  .build());
  ConstrainedSystem system(model);
  ASSERT_TRUE(KktFactorization(system.constraints(), system.mobility().blocks, true).is_early());
  Vector a(model.nv()), Phi(system.constraint_count());
  for (const double bend : {0.0, 1e-9, 1e-6, 1e-3, 0.03, 0.1, 0.3, 1.0, 2.0}) {
    State state{0, Vector{std::cos(bend) - 1, std::sin(bend), 0, 0, bend},
                Vector{0.1, 0.2, 0.3, 0.4, 0.5}};
    system.project(state);
    EXPECT_NEAR(state.q[4], bend, 1e-12);
    system.set(state);
    system.acceleration(a);
    const Eigen::VectorXd expected = dense_acceleration(system);
    EXPECT_LE((a - expected).norm(), 1e-12 * (1 + expected.norm())) << bend;
    EXPECT_GE(system.reciprocal_condition(), 0.02) << bend;
    // The same bits after anything else.
    Vector again(model.nv());
    system.set(0, system.assembled(), state.v);
    system.acceleration(again);
    system.set(state);
    system.constraint_error(Phi);
    system.acceleration(again);
    EXPECT_EQ(a, again) << bend;
  }
}

}  // namespace
}  // namespace chasles
