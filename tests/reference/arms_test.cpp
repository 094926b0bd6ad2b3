/// Arms with published Denavit-Hartenberg parameters against the closed forms of their forward
/// kinematics, written out by hand.
#include <gtest/gtest.h>

#include <random>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

/// PUMA 560 (Corke & Armstrong 1994), standard parameters: position of the wrist center and of the
/// flange from the angles, with the elbow plane turned by q1.
TEST(Puma560, wrist_center_is_where_trigonometry_puts_it) {
  const Model model = compile(read_mechanism("examples/puma560.yaml"));
  ASSERT_EQ(model.nq(), 6);
  const double a2 = 0.4318, a3 = 0.0203, d1 = 0.672, d3 = 0.15005, d4 = 0.4318;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> angle(-3, 3);
  PositionKinematics kin(model);
  for (int i = 0; i < 50; ++i) {
    const Eigen::VectorXd q = Eigen::VectorXd::NullaryExpr(6, [&] { return angle(generator); });
    forward_kinematics(model, q, kin);
    const double q23 = q[1] + q[2];
    // In the vertical plane of the arm: out along the upper arm, the elbow offset and the forearm.
    const double out = a2 * std::cos(q[1]) + a3 * std::cos(q23) - d4 * std::sin(q23);
    const double up = d1 + a2 * std::sin(q[1]) + a3 * std::sin(q23) + d4 * std::cos(q23);
    const Vec3 wrist{out * std::cos(q[0]) + d3 * std::sin(q[0]),
                     out * std::sin(q[0]) - d3 * std::cos(q[0]), up};
    // d5 = d6 = 0: the last three frames share the wrist center.
    for (std::size_t b = 3; b < 6; ++b)
      EXPECT_CLOSE(pose(kin, model.bodies()[b].frame).r, wrist, 4e-15);
    // The attitude is the product of the six turns about the axes of the table.
    const auto x = [](double t) { return exp(Vec3{t, 0, 0}); };
    const auto z = [](double t) { return exp(Vec3{0, 0, t}); };
    const double h = M_PI / 2;
    const SO3 R =
        z(q[0]) * x(h) * z(q[1]) * z(q[2]) * x(-h) * z(q[3]) * x(h) * z(q[4]) * x(-h) * z(q[5]);
    EXPECT_CLOSE(pose(kin, model.bodies()[5].frame).R, R, 4e-15);
  }
}

/// UR5 by its standard table, against the well-known closed form of the position of frame 6.
TEST(Ur5, flange_is_where_trigonometry_puts_it) {
  const double d1 = 0.089159, a2 = -0.425, a3 = -0.39225, d4 = 0.10915, d5 = 0.09465, d6 = 0.0823;
  const Model model = compile(read_yaml(R"(
chasles: 1
dh:
  - {name: shoulder, alpha: pi/2, d: 0.089159}
  - {name: upper_arm, a: -0.425}
  - {name: forearm, a: -0.39225}
  - {name: wrist1, alpha: pi/2, d: 0.10915}
  - {name: wrist2, alpha: -pi/2, d: 0.09465}
  - {name: wrist3, d: 0.0823}
)",
                                        "ur5"));
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> angle(-3, 3);
  PositionKinematics kin(model);
  for (int i = 0; i < 50; ++i) {
    const Eigen::VectorXd q = Eigen::VectorXd::NullaryExpr(6, [&] { return angle(generator); });
    forward_kinematics(model, q, kin);
    const double c1 = std::cos(q[0]), s1 = std::sin(q[0]), q23 = q[1] + q[2], q234 = q23 + q[3];
    const double c5 = std::cos(q[4]), s5 = std::sin(q[4]);
    const double out =
        a2 * std::cos(q[1]) + a3 * std::cos(q23) + d5 * std::sin(q234) - d6 * s5 * std::cos(q234);
    const double side = d4 + d6 * c5;
    const Vec3 flange{c1 * out + s1 * side, s1 * out - c1 * side,
                      d1 + a2 * std::sin(q[1]) + a3 * std::sin(q23) - d5 * std::cos(q234) -
                          d6 * s5 * std::sin(q234)};
    EXPECT_CLOSE(pose(kin, model.frame("wrist3")).r, flange, 4e-15);
  }
}

}  // namespace
}  // namespace chasles
