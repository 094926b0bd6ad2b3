/// What linearised dynamics refuses, and its empty case.
#include <gtest/gtest.h>

#include "chasles/textbook/linearised.hpp"
#include "support/errors.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::Sample;
using Applied = std::vector<AppliedWrench>;

TEST(Linearised, names_what_is_wrong) {
  std::mt19937_64 generator(49);
  const Sample s(generator, {.bodies = 5});
  const Sample other(generator, {.bodies = 5});
  const int n = s.model.nv();
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(n), longer = Eigen::VectorXd::Zero(n + 1);
  Eigen::VectorXd y(n), z(n), w(n), y_longer(n + 1);
  LinearisedInverseDynamics inverse(s.model);
  LinearisedForwardDynamics forward(s.model);
  ConventionalLinearisation conventional(s.model);
  InverseDynamicsMatrices d(s.model), d_other(other.model);
  ForwardDynamicsMatrices e(s.model), e_other(other.model);

  EXPECT_SAYS(inverse.along(x, x, x, y), "nothing was linearised", "linearise");
  EXPECT_SAYS(inverse.transposed(x, y, z, w), "nothing was linearised");
  EXPECT_SAYS(inverse.matrices(d), "nothing was linearised");
  EXPECT_SAYS(forward.along(x, x, x, y), "nothing was linearised");
  EXPECT_SAYS(forward.transposed(x, y, z, w), "nothing was linearised");
  EXPECT_SAYS(forward.matrices(e), "nothing was linearised");
  EXPECT_SAYS(conventional.factorize(inverse), "nothing was linearised");
  EXPECT_SAYS(conventional.along(inverse, x, x, x, y), "not factorised");
  EXPECT_SAYS(conventional.matrices(e), "not factorised");

  linearise(s.model, s.kin, s.a, inverse);
  linearise(s.model, s.kin, s.tau, forward);
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
  EXPECT_SAYS(linearise(s.model, s.kin, longer, inverse), "a has");
  EXPECT_SAYS(linearise(s.model, s.kin, longer, forward), "tau has");

  EXPECT_THROW(linearise(other.model, other.kin, other.a, inverse), ForeignError);
  EXPECT_THROW(linearise(s.model, other.kin, s.a, inverse), ForeignError);
  EXPECT_THROW(linearise(other.model, other.kin, other.tau, forward), ForeignError);
  EXPECT_THROW(linearise(s.model, other.kin, s.tau, forward), ForeignError);
  const Applied foreign{{other.model.place("body0"), {}}};
  EXPECT_THROW(linearise(s.model, s.kin, s.a, inverse, foreign), ForeignError);
  // What failed is not used.
  EXPECT_SAYS(inverse.along(x, x, x, y), "nothing was linearised");
  linearise(s.model, s.kin, s.a, inverse);
  EXPECT_THROW(inverse.matrices(d_other), ForeignError);
  linearise(s.model, s.kin, s.tau, forward);
  EXPECT_THROW(forward.matrices(e_other), ForeignError);
  EXPECT_THROW(ConventionalLinearisation(other.model).factorize(inverse), ForeignError);

  LinearisedForwardDynamics moved = std::move(forward);
  moved.along(x, x, x, y);
  EXPECT_EQ(y, x);
  EXPECT_THROW(forward.along(x, x, x, y), Error);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(linearise(s.model, s.kin, s.tau, forward), ForeignError);
}

/// Inverse dynamics of a joint that moves nothing is linear all the same.
TEST(Linearised, names_the_joint_that_moves_nothing) {
  std::mt19937_64 generator(50);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 3, .kinds = {{JointType::revolute}}, .massless = true}));
  VelocityKinematics kin(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
  velocities(model, zero, zero, kin);
  LinearisedInverseDynamics inverse(model);
  LinearisedForwardDynamics forward(model);
  ConventionalLinearisation conventional(model);
  linearise(model, kin, zero, inverse);
  EXPECT_THROW(linearise(model, kin, zero, forward), SingularError);
  EXPECT_SAYS(linearise(model, kin, zero, forward), "joint 'joint2'", "'body2'");
  EXPECT_SAYS(conventional.factorize(inverse), "joint 'joint2'", "'body2'");
  ForwardDynamicsMatrices d(model);
  EXPECT_SAYS(conventional.matrices(d), "not factorised");
}

TEST(Linearised, of_nothing_is_nothing) {
  const Model model = compile(Mechanism{"nothing", {}, {}, {}, {}});
  VelocityKinematics kin(model);
  LinearisedForwardDynamics lin(model);
  ForwardDynamicsMatrices d(model);
  InverseDynamicsMatrices e(model);
  Eigen::VectorXd none(0);
  linearise(model, kin, none, lin);
  lin.along(none, none, none, none);
  lin.transposed(none, none, none, none);
  EXPECT_EQ(lin.matrices(d).M_inv.size(), 0);
  EXPECT_EQ(lin.inverse().matrices(e).M.size(), 0);
}

}  // namespace
}  // namespace chasles
