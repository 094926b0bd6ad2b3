/// The laws of a joint, run on every type in every description: the relative pose C of its body
/// moves as C^-1 Cdot = hat(X v), and the rate of X is the one the Jacobian rate says.
#include <gtest/gtest.h>

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "support/difference.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

using test::derivative;

class JointLaws : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(EveryType, JointLaws,
                         ::testing::Range(0, static_cast<int>(test::all_joint_kinds().size())));

TEST_P(JointLaws, twist_is_screws_times_velocity) {
  const test::JointKind kind = test::all_joint_kinds()[static_cast<std::size_t>(GetParam())];
  std::mt19937_64 generator(static_cast<std::uint64_t>(GetParam()));
  for (int sample = 0; sample < 8; ++sample) {
    const Model model = compile(test::random_mechanism(generator, {.bodies = 1, .kinds = {kind}}));
    const JointTypeInfo& row = joint_type_info(kind.type);
    ASSERT_EQ(model.joints().size(), kind.type == JointType::fixed ? 0u : 1u) << row.name;
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    const Eigen::VectorXd v = test::random_vector(model.nv(), generator);
    const Frame body = model.frame("body0");
    const auto moved = [&](double t) {
      Eigen::VectorXd out(model.nq());
      plus(model, q, t * v, out);
      return out;
    };
    VelocityKinematics kin(model);
    forward_kinematics(model, q, v, kin);
    Matrix6X X(6, model.nv()), X_rate(6, model.nv());
    jacobian(model, kin, body, Representation::body, X);
    jacobian_rate(model, kin, body, Representation::body, X_rate);

    const auto C_dot = derivative([&](double t) {
      PositionKinematics k(model);
      forward_kinematics(model, moved(t), k);
      return to_eigen(pose(k, body));
    });
    const Eigen::Matrix4d V = to_eigen(inverse(pose(kin, body))) * C_dot;
    const Twist expected = lie::vee(from_eigen<lie::Matrix<double, 4>>(V));
    EXPECT_CLOSE(from_eigen<Twist>(Eigen::Matrix<double, 6, 1>(X * v)), expected, 1e-11)
        << row.name;

    const Matrix6X rate = derivative([&](double t) {
      PositionKinematics k(model);
      forward_kinematics(model, moved(t), k);
      Matrix6X J(6, model.nv());
      jacobian(model, k, body, Representation::body, J);
      return J;
    });
    EXPECT_LE((X_rate - rate).norm(), 1e-10 * (1 + rate.norm())) << row.name;
  }
}

/// The screws that a model reports are those at q = 0.
TEST_P(JointLaws, reported_screws_are_the_jacobian_at_zero) {
  const test::JointKind kind = test::all_joint_kinds()[static_cast<std::size_t>(GetParam())];
  std::mt19937_64 generator(static_cast<std::uint64_t>(GetParam()) + 100);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 1, .kinds = {kind}}));
  PositionKinematics kin(model);
  const Vector zero = model.neutral();
  forward_kinematics(model, Eigen::Map<const Eigen::VectorXd>(zero.data(), model.nq()), kin);
  Matrix6X J(6, model.nv());
  for (const ModelJoint& joint : model.joints())
    for (int k = 0; k < joint.nv; ++k) {
      const auto i = static_cast<std::size_t>(k);
      jacobian(model, kin, model.frame("body0"), Representation::body, J);
      EXPECT_CLOSE(from_eigen<Twist>(J.col(k)), joint.X[i], 1e-14);
      jacobian(model, kin, model.frame("body0"), Representation::spatial, J);
      EXPECT_CLOSE(from_eigen<Twist>(J.col(k)), joint.Y[i], 1e-14);
    }
}

}  // namespace
}  // namespace chasles
