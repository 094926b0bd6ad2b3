/// Brackets and ranks of systems that are known: the unicycle, the rolling disk, rigid bodies with two torques, a planar
/// vertical take-off aircraft, linear systems.
#include "chasles/linearization/accessibility.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <random>

#include "chasles/linearization/linear_quadratic.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace accessibility_test {

using P = TaylorPolynomial;
using X = std::span<const P>;
using Field = std::vector<P>;

VectorField constant(std::vector<double> values) {
  return [values](X) { return Field(values.begin(), values.end()); };
}

/// Derivatives up to the third of functions of two variables, in closed form.
TEST(TaylorPolynomials, have_the_derivatives_of_functions) {
  const double a = 0.7, b = -1.3;
  const auto x = P::variables(Vector{a, b}, 3);
  const auto d = [](P p, std::initializer_list<int> by) {
    for (const int k : by) p = p.derivative(k);
    return p.value();
  };
  const P s = sin(x[0] * x[1]);
  EXPECT_NEAR(s.value(), std::sin(a * b), 1e-15);
  EXPECT_NEAR(d(s, {0}), b * std::cos(a * b), 1e-15);
  EXPECT_NEAR(d(s, {0, 1}), std::cos(a * b) - a * b * std::sin(a * b), 1e-15);
  EXPECT_NEAR(d(s, {1, 1, 0}), -2 * a * std::sin(a * b) - a * a * b * std::cos(a * b), 1e-14);
  EXPECT_NEAR(d(cos(x[1]), {1, 1, 1}), std::sin(b), 1e-15);
  const P q = 1.0 / (2.0 + x[0]);
  EXPECT_NEAR(d(q, {0, 0, 0}), -6 / std::pow(2 + a, 4), 1e-15);
  const P r = sqrt(x[0]);
  EXPECT_NEAR(d(r, {0, 0, 0}), 3. / 8 * std::pow(a, -2.5), 1e-14);
  EXPECT_NEAR(d(r * r - x[0], {0, 0}), 0, 1e-15);
  EXPECT_EQ(d(x[0] - 2.0 * x[1] + 1.0, {1}), -2);
}

const VectorField unicycle_roll = [](X x) { return Field{cos(x[2]), sin(x[2]), 0.0}; };

TEST(Accessibility, unicycle) {
  const Vector at{0.3, -1, 0.4};
  const Accessibility a = accessibility({}, {unicycle_roll, constant({0, 0, 1})}, at, 2);
  EXPECT_EQ(a.rank, 3);
  EXPECT_EQ(a.strong_rank, 3);
  EXPECT_EQ(a.rank_at_depth, (std::vector<int>{2, 3}));
  ASSERT_EQ(a.basis.size(), 3U);
  EXPECT_EQ(a.basis[2], "[g1, g2]");
  // [roll, turn] = D(turn) roll - D(roll) turn = (sin, -cos, 0).
  EXPECT_NEAR(a.values(0, 2), std::sin(0.4), 1e-15);
  EXPECT_NEAR(a.values(1, 2), -std::cos(0.4), 1e-15);
  EXPECT_EQ(accessibility({}, {unicycle_roll}, at, 4).rank, 1);
}

/// (x, y, heading, roll angle): 2, 3, 4 with brackets of depth 1, 2, 3.
TEST(Accessibility, rolling_disk) {
  const VectorField roll = [](X x) { return Field{0.5 * cos(x[2]), 0.5 * sin(x[2]), 0.0, 1.0}; };
  const Accessibility a =
      accessibility({}, {roll, constant({0, 0, 1, 0})}, Vector{1, 2, 0.3, 0.7}, 3);
  EXPECT_EQ(a.rank_at_depth, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(a.strong_rank, 4);
}

/// Euler's equations with torques about two principal axes: accessible at rest unless the two moments are equal, and by
/// [g1, [f, g2]] = (I1 - I2) / I3 e3 / (I1 I2), up to its sign.
TEST(Accessibility, rigid_body_with_two_torques) {
  const auto euler = [](double I1, double I2, double I3) -> VectorField {
    return [=](X w) {
      return Field{(I2 - I3) / I1 * w[1] * w[2], (I3 - I1) / I2 * w[2] * w[0],
                   (I1 - I2) / I3 * w[0] * w[1]};
    };
  };
  const auto torques = [](double I1, double I2) {
    return std::vector<VectorField>{constant({1 / I1, 0, 0}), constant({0, 1 / I2, 0})};
  };
  const Accessibility a = accessibility(euler(1, 2, 3), torques(1, 2), Vector(3), 3);
  EXPECT_EQ(a.rank_at_depth, (std::vector<int>{2, 2, 3}));
  EXPECT_EQ(a.strong_rank, 3);
  EXPECT_NEAR(std::abs(a.values(2, 2)), 1. / 3 / 2, 1e-15);
  EXPECT_EQ(accessibility(euler(2, 2, 3), torques(2, 2), Vector(3), 6).rank, 2);
  // In motion along the third axis the drift is zero, and still the third rate is not affected.
  EXPECT_EQ(accessibility(euler(2, 2, 3), torques(2, 2), Vector{0, 0, 5}, 5).rank, 2);
}

/// With its attitude in roll, pitch and yaw: six states, accessible at rest.
TEST(Accessibility, attitude_with_two_torques) {
  const auto drift = [](double I1, double I2, double I3) -> VectorField {
    return [=](X x) {
      const P s = sin(x[0]), c = cos(x[0]), &w1 = x[3], &w2 = x[4], &w3 = x[5];
      const P yaw = (s * w2 + c * w3) / cos(x[1]);
      return Field{w1 + sin(x[1]) * yaw,     c * w2 - s * w3,          yaw,
                   (I2 - I3) / I1 * w2 * w3, (I3 - I1) / I2 * w3 * w1, (I1 - I2) / I3 * w1 * w2};
    };
  };
  const std::vector<VectorField> torques{constant({0, 0, 0, 1, 0, 0}),
                                         constant({0, 0, 0, 0, 1, 0})};
  const Vector at{0.2, 0.3, 0, 0, 0, 0};
  EXPECT_EQ(accessibility(drift(1, 2, 3), torques, at, 4).strong_rank, 6);
  // A symmetric body keeps w3 = 0; its two rates still turn it about all axes.
  EXPECT_EQ(accessibility(drift(2, 2, 3), torques, at, 4).strong_rank, 5);
}

/// x'' = -sin(theta) u1 + e cos(theta) u2, y'' = cos(theta) u1 + e sin(theta) u2 - g, theta'' = u2.
TEST(Accessibility, planar_vertical_take_off) {
  const VectorField drift = [](X x) { return Field{x[3], x[4], x[5], 0.0, -9.81, 0.0}; };
  const auto thrust = [](X x) { return Field{0.0, 0.0, 0.0, -sin(x[2]), cos(x[2]), 0.0}; };
  const auto roll = [](X x) { return Field{0.0, 0.0, 0.0, 0.1 * cos(x[2]), 0.1 * sin(x[2]), 1.0}; };
  const Vector at{0, 0, 0.2, 0, 0, 0};
  EXPECT_EQ(accessibility(drift, {thrust, roll}, at, 4).strong_rank, 6);
  // Thrust alone does not turn it.
  EXPECT_EQ(accessibility(drift, {thrust}, at, 5).strong_rank, 2);
}

/// Time that runs is accessible, but not strongly.
TEST(Accessibility, drift_alone_counts_for_accessibility_only) {
  const Accessibility a = accessibility(constant({1, 0}), {constant({0, 1})}, Vector(2), 4);
  EXPECT_EQ(a.rank, 2);
  EXPECT_EQ(a.strong_rank, 1);
}

TEST(Accessibility, linear_systems_agree_with_kalman) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int reached = 1; reached <= 4; ++reached) {
    // A block that the input does not reach, in random coordinates.
    Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(4, 4, [&] { return normal(random); });
    A.bottomLeftCorner(4 - reached, reached).setZero();
    Eigen::VectorXd b = Eigen::VectorXd::NullaryExpr(4, [&] { return normal(random); });
    b.tail(4 - reached).setZero();
    const Eigen::MatrixXd turned =
        Eigen::MatrixXd::NullaryExpr(4, 4, [&] { return normal(random); });
    const Eigen::MatrixXd Q = turned.householderQr().householderQ();
    const Eigen::MatrixXd A_q = Q * A * Q.transpose();
    const Eigen::VectorXd b_q = Q * b;
    const VectorField drift = [A_q](X x) {
      Field out(4);
      for (Eigen::Index i = 0; i < 4; ++i)
        for (Eigen::Index j = 0; j < 4; ++j)
          out[static_cast<std::size_t>(i)] =
              out[static_cast<std::size_t>(i)] + A_q(i, j) * x[static_cast<std::size_t>(j)];
      return out;
    };
    const Accessibility a =
        accessibility(drift, {constant(std::vector<double>(b_q.begin(), b_q.end()))}, Vector(4), 4);
    EXPECT_EQ(a.strong_rank, reached);
    EXPECT_EQ(controllability(A_q, b_q).rank, reached);
  }
}

TEST(Accessibility, mistakes_are_named) {
  const VectorField good = constant({1, 0});
  EXPECT_SAYS(accessibility({}, {good}, Vector(2), 0), "depth 0", "12");
  EXPECT_SAYS(accessibility({}, {good}, Vector(2), 13), "depth 13");
  EXPECT_SAYS(accessibility({}, {constant({1})}, Vector(2), 2), "g1", "1 components", "2");
  EXPECT_SAYS(accessibility({}, {VectorField{}}, Vector(2), 2), "g1", "no function");
  const auto pole = [](X x) { return Field{1.0 / x[0], 0.0}; };
  EXPECT_SAYS(accessibility(pole, {good}, Vector(2), 2), "f", "not finite");
  EXPECT_SAYS(accessibility({}, {good}, Vector(40), 6), "too large");
}

}  // namespace accessibility_test
}  // namespace chasles
