/// What linearized dynamics refuses, and its empty case.
#include <gtest/gtest.h>

#include "chasles/textbook/linearized.hpp"
#include "support/errors.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::Sample;
using Applied = std::vector<AppliedWrench>;

TEST(Linearized, names_what_is_wrong) {
  std::mt19937_64 generator(49);
  const Sample s(generator, {.bodies = 5});
  const Sample other(generator, {.bodies = 5});
  const int n = s.model.nv();
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(n), longer = Eigen::VectorXd::Zero(n + 1);
  Eigen::VectorXd y(n), z(n), w(n), y_longer(n + 1);
  LinearizedInverseDynamics inverse(s.model);
  LinearizedForwardDynamics forward(s.model);
  ConventionalLinearization conventional(s.model);
  InverseDynamicsMatrices d(s.model), d_other(other.model);
  ForwardDynamicsMatrices e(s.model), e_other(other.model);

  EXPECT_SAYS(inverse.along(x, x, x, y), "nothing was linearized", "linearize");
  EXPECT_SAYS(inverse.transposed(x, y, z, w), "nothing was linearized");
  EXPECT_SAYS(inverse.matrices(d), "nothing was linearized");
  EXPECT_SAYS(forward.along(x, x, x, y), "nothing was linearized");
  EXPECT_SAYS(forward.transposed(x, y, z, w), "nothing was linearized");
  EXPECT_SAYS(forward.matrices(e), "nothing was linearized");
  EXPECT_SAYS(conventional.factorize(inverse), "nothing was linearized");
  EXPECT_SAYS(conventional.along(inverse, x, x, x, y), "not factorized");
  EXPECT_SAYS(conventional.matrices(e), "not factorized");

  linearize(s.model, s.kin, s.a, inverse);
  linearize(s.model, s.kin, s.tau, forward);
  const auto sizes = [&](auto& lin, const char* third, const char* fourth) {
    EXPECT_SAYS(lin.along(longer, x, x, y), "dq has");
    EXPECT_SAYS(lin.along(x, longer, x, y), "dv has");
    EXPECT_SAYS(lin.along(x, x, longer, y), third);
    EXPECT_SAYS(lin.along(x, x, x, y_longer), fourth);
    EXPECT_SAYS(lin.transposed(longer, y, z, w), "lambda has");
    EXPECT_SAYS(lin.transposed(x, y_longer, z, w), "on_q has");
    EXPECT_SAYS(lin.transposed(x, y, y_longer, w), "on_v has");
  };
  sizes(inverse, "da has", "dtau has");
  sizes(forward, "dtau has", "da has");
  EXPECT_SAYS(inverse.transposed(x, y, z, y_longer), "on_a has");
  EXPECT_SAYS(forward.transposed(x, y, z, y_longer), "on_tau has");
  EXPECT_SAYS(linearize(s.model, s.kin, longer, inverse), "a has");
  EXPECT_SAYS(linearize(s.model, s.kin, longer, forward), "tau has");

  EXPECT_THROW(linearize(other.model, other.kin, other.a, inverse), ForeignError);
  EXPECT_THROW(linearize(s.model, other.kin, s.a, inverse), ForeignError);
  EXPECT_THROW(linearize(other.model, other.kin, other.tau, forward), ForeignError);
  EXPECT_THROW(linearize(s.model, other.kin, s.tau, forward), ForeignError);
  const Applied foreign{{other.model.frame("body0"), {}}};
  EXPECT_THROW(linearize(s.model, s.kin, s.a, inverse, foreign), ForeignError);
  // What failed is not used.
  EXPECT_SAYS(inverse.along(x, x, x, y), "nothing was linearized");
  linearize(s.model, s.kin, s.a, inverse);
  EXPECT_THROW(inverse.matrices(d_other), ForeignError);
  linearize(s.model, s.kin, s.tau, forward);
  EXPECT_THROW(forward.matrices(e_other), ForeignError);
  EXPECT_THROW(ConventionalLinearization(other.model).factorize(inverse), ForeignError);

  LinearizedForwardDynamics moved = std::move(forward);
  moved.along(x, x, x, y);
  EXPECT_EQ(y, x);
  EXPECT_THROW(forward.along(x, x, x, y), Error);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(linearize(s.model, s.kin, s.tau, forward), ForeignError);
}

/// Inverse dynamics of a joint that moves nothing is linear all the same.
TEST(Linearized, names_the_joint_that_moves_nothing) {
  std::mt19937_64 generator(50);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 3, .kinds = {{JointType::revolute}}, .massless = true}));
  VelocityKinematics kin(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
  forward_kinematics(model, zero, zero, kin);
  LinearizedInverseDynamics inverse(model);
  LinearizedForwardDynamics forward(model);
  ConventionalLinearization conventional(model);
  linearize(model, kin, zero, inverse);
  EXPECT_THROW(linearize(model, kin, zero, forward), SingularError);
  EXPECT_SAYS(linearize(model, kin, zero, forward), "joint 'joint2'", "'body2'");
  EXPECT_SAYS(conventional.factorize(inverse), "joint 'joint2'", "'body2'");
  ForwardDynamicsMatrices d(model);
  EXPECT_SAYS(conventional.matrices(d), "not factorized");
}

TEST(Linearized, of_nothing_is_nothing) {
  const Model model = compile(Mechanism{"nothing", {}, {}, {}, {}});
  VelocityKinematics kin(model);
  LinearizedForwardDynamics lin(model);
  ForwardDynamicsMatrices d(model);
  InverseDynamicsMatrices e(model);
  Eigen::VectorXd none(0);
  linearize(model, kin, none, lin);
  lin.along(none, none, none, none);
  lin.transposed(none, none, none, none);
  EXPECT_EQ(lin.matrices(d).M_inv.size(), 0);
  EXPECT_EQ(lin.inverse().matrices(e).M.size(), 0);
}

}  // namespace
}  // namespace chasles
