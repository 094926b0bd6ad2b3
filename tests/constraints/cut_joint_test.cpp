/// What a joint that closes a loop says about gaps that are not small.
#include "constraints/cut_joint.hpp"

#include <gtest/gtest.h>

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

/// x less what the columns of S, which need not be independent, can do of it.
Twist across_columns(const Matrix6X& S, const Twist& x) {
  Eigen::Matrix<double, 6, 1> rest = to_eigen(x);
  std::vector<Eigen::Matrix<double, 6, 1>> units;
  for (Eigen::Index k = 0; k < S.cols(); ++k) {
    Eigen::Matrix<double, 6, 1> unit = S.col(k);
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& u : units) unit -= u.dot(unit) * u;
    if (unit.norm() > 1e-9) units.push_back(unit.normalized());
  }
  for (int twice = 0; twice < 2; ++twice)
    for (const auto& u : units) rest -= u.dot(rest) * u;
  return from_eigen<Twist>(rest);
}

/// The joint stands anywhere and its end is displaced by a twist e across its screws: the gap is W^T e,
/// and as W is orthonormal, as large.
class EveryCutJoint : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Constraints, EveryCutJoint, ::testing::Range(0, 14));
TEST_P(EveryCutJoint, tells_the_twist_that_opened_it) {
  std::mt19937_64 generator(static_cast<std::uint64_t>(GetParam()));
  const test::JointKind kind = test::loop_kinds()[static_cast<std::size_t>(GetParam())];
  const Model model = compile(test::looped_tree(generator, 4, {kind}).mechanism);
  const ModelLoop& loop = model.loops()[0];
  PositionKinematics kin(loop.joint);
  const Frame body = loop.joint.frame("body");
  Matrix6X S(6, loop.joint.nv());
  for (int trial = 0; trial < 20; ++trial) {
    CutJoint joint(loop);
    forward_kinematics(loop.joint, test::random_configuration(loop.joint, generator), kin);
    jacobian(loop.joint, kin, body, Representation::body, S);
    const Vector x = test::random_vector(6, generator);
    const Twist e = across_columns(S, 0.2 * from_eigen<Twist>(x));
    double Phi[6];
    joint.constraint_error(pose(kin, body), Phi);
    for (int k = 0; k < joint.constraint_count(); ++k) EXPECT_LE(std::abs(Phi[k]), 1e-13);
    joint.constraint_error(pose(kin, body) * exp(e), Phi);
    double size = 0;
    for (int k = 0; k < joint.constraint_count(); ++k) {
      EXPECT_LE(std::abs(Phi[k] - dot(joint.W()[static_cast<std::size_t>(k)], e)), 1e-13);
      size += Phi[k] * Phi[k];
    }
    EXPECT_NEAR(size, to_eigen(e).squaredNorm(), 1e-13);
  }
}

}  // namespace
}  // namespace chasles
