/// The elimination along the tree, of every instruction set, against the whole matrix.
#include "constraints/elimination.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/motion/constrained_system.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

/// Loops of 1 to 6 rows that share links, and couplings; `narrow`: of at most four.
class EveryElimination : public ::testing::TestWithParam<std::tuple<int, bool>> {
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
  const Elimination::Blocks& blocks = system.mobility().blocks;
  Vector q = system.assembled(),
         v = consistent_velocity(system.constraints(), q,
                                 test::random_vector(model.nv(), generator));
  AccelerationKinematics kin{model};

  void SetUp() override {
    accelerations(model, q, v, Vector::Zero(model.nv()), kin);
    system.constraints().update(kin);
  }
  int m() { return system.constraints().rows(); }
};
INSTANTIATE_TEST_SUITE_P(Constraints, EveryElimination,
                         ::testing::Combine(::testing::Range(0, 4), ::testing::Bool()));

TEST_P(EveryElimination, solves_the_saddle_point) {
  Matrix B;
  MassMatrix work(model);
  system.constraints().matrix(kin, B);
  const Eigen::MatrixXd M = mass_matrix(model, q, work);
  for (const kernels::InstructionSet& set : kernels::instruction_sets()) {
    if (!set.available) continue;
    auto first = std::make_unique<Elimination>(system.constraints(), blocks, *set.elimination);
    first->factorize(q, system.constraints());
    Elimination elimination = *first;  // a copy keeps the factors
    first.reset();
    const Vector b = test::random_vector(model.nv(), generator),
                 c = test::random_vector(m(), generator);
    Vector x(model.nv()), lambda(m());
    elimination.solve(b, c, x, lambda);
    const double size = 1 + x.norm() + lambda.norm();
    EXPECT_LE((M * x + B.transpose() * lambda - b).norm(), 1e-11 * M.norm() * size) << set.name;
    // B x = c by the combinations that are kept, with lambda a combination of them.
    int rank = 0;
    for (const Elimination::Combinations& block : elimination.combinations()) {
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
TEST_P(EveryElimination, forgets_what_was_no_number) {
  const Vector b = test::random_vector(model.nv(), generator),
               c = test::random_vector(m(), generator);
  Vector x(model.nv()), lambda(m()), x_2 = x, lambda_2 = lambda;
  Elimination elimination(system.constraints(), blocks);
  elimination.factorize(q, system.constraints());
  elimination.solve(b, c, x, lambda);
  const double least = elimination.least_pivot();

  const Vector nowhere = Vector::Constant(model.nq(), std::nan(""));
  PositionKinematics lost(model);
  positions(model, nowhere, lost);
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

TEST_P(EveryElimination, can_be_moved) {
  auto first = std::make_unique<Elimination>(system.constraints(), blocks);
  first->factorize(q, system.constraints());
  const double least = first->least_pivot();
  Elimination elimination = std::move(*first);
  first.reset();
  elimination.factorize(q, system.constraints());
  EXPECT_EQ(elimination.least_pivot(), least);
}

/// Against inverse dynamics and the bias of the rows.
TEST_P(EveryElimination, accelerates_in_one_pass_as_in_two) {
  const Vector tau = test::random_vector(model.nv(), generator);
  const AppliedWrench push{model.bodies()[5].place, {{1, -2, 3}, {0.5, 4, -1}}};
  Matrix B;
  Vector bias(m());
  system.constraints().matrix(kin, B);
  system.constraints().bias(kin, bias);
  const Vector c = -bias;
  InverseDynamics work(model);
  for (const kernels::InstructionSet& set : kernels::instruction_sets()) {
    if (!set.available) continue;
    Elimination elimination(system.constraints(), blocks, *set.elimination);
    Vector x(model.nv()), lambda(m()), x_2 = x, lambda_2 = lambda;
    const PositionKinematics& poses = kin;
    const Elimination::Moving here{q, v, tau, c, &poses, {&push, 1}};
    elimination.accelerate(system.constraints(), here, x, lambda);
    elimination.factorize(q, system.constraints());
    elimination.solve(tau, c, x_2, lambda_2);
    elimination.accelerate(here, x_2, lambda_2);  // the factors are still there
    EXPECT_EQ(x, x_2) << set.name;
    EXPECT_EQ(lambda, lambda_2) << set.name;
    const Vector needed = inverse_dynamics(model, q, v, x, work, {&push, 1});
    const double size = 1 + x.norm() + lambda.norm();
    EXPECT_LE((needed + B.transpose() * lambda - tau).norm(), 1e-11 * B.norm() * size) << set.name;
    EXPECT_LE((B * x - c).norm(), 1e-11 * B.norm() * size) << set.name;
  }
}

}  // namespace
}  // namespace chasles
