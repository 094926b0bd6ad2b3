/// Nonlinear couplings: curves against closed forms, their equations against differences, and a cam whose follower is
/// eliminated by hand.

#include <gtest/gtest.h>

#include "chasles/math/curve.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace coupling_test {
namespace {

using Points = std::vector<Curve::Point>;

/// Derivatives of a curve against differences of its values.
void expect_derivatives(const Curve& curve, double x) {
  const double h = 1e-4;
  const CurveValue at = curve(x), plus = curve(x + h), minus = curve(x - h);
  EXPECT_NEAR(at.df, (plus.f - minus.f) / (2 * h), 1e-6 * (1 + std::abs(at.df)));
  EXPECT_NEAR(at.ddf, (plus.df - minus.df) / (2 * h), 1e-6 * (1 + std::abs(at.ddf)));
}

TEST(Curve, of_nothing_is_the_identity) {
  const CurveValue at = Curve()(3.5);
  EXPECT_EQ(at.f, 3.5);
  EXPECT_EQ(at.df, 1);
  EXPECT_EQ(at.ddf, 0);
}

TEST(Curve, polynomials_are_those_of_their_coefficients) {
  const Curve p = Curve::polynomial({1, -2, 0.5, 3});
  for (const double x : {-1.5, 0.0, 0.3, 2.0}) {
    const CurveValue at = p(x);
    EXPECT_NEAR(at.f, 1 - 2 * x + 0.5 * x * x + 3 * x * x * x, 1e-14);
    EXPECT_NEAR(at.df, -2 + x + 9 * x * x, 1e-14);
    EXPECT_NEAR(at.ddf, 1 + 18 * x, 1e-14);
  }
}

/// A cubic with f'' = 0 at one end and f' = 0 at both is its own spline; splines of other points keep f, f', f''
/// continuous.
TEST(Curve, splines_pass_their_points_smoothly) {
  const Points points{{-1, 0.3}, {0.2, -0.4}, {0.5, 1}, {2, 0.3}, {2.25, 0.3}};
  for (const auto ends : {Curve::Ends::natural, Curve::Ends::clamped, Curve::Ends::periodic}) {
    const Curve curve = Curve::spline(points, ends);
    for (const auto& [x, y] : points) {
      EXPECT_NEAR(curve(x).f, y, 1e-14);
      const double eps = 1e-9;
      const CurveValue before = curve(x - eps), after = curve(x + eps);
      EXPECT_NEAR(before.f, after.f, 1e-7);
      EXPECT_NEAR(before.df, after.df, 1e-6);
      if (ends == Curve::Ends::clamped) continue;
      EXPECT_NEAR(before.ddf, after.ddf, 1e-5);
    }
    for (const double x : {-3.1, -0.4, 0.3, 1.1, 2.1, 7.7}) expect_derivatives(curve, x);
  }
  const Curve natural = Curve::spline(points);
  EXPECT_NEAR(natural(5.25).f, 0.3 + 3 * natural(2.25).df, 1e-13);
  const Curve clamped = Curve::spline({{0, 0}, {1, 1}}, Curve::Ends::clamped);
  for (const double x : {0.1, 0.5, 0.9}) EXPECT_NEAR(clamped(x).f, x * x * (3 - 2 * x), 1e-15);
}

/// The spline of a sine converges to it with order four, value and curvature; it repeats exactly.
TEST(Curve, periodic_splines_converge_to_what_they_interpolate) {
  const auto error = [](int n) {
    Points points;
    for (int k = 0; k < n; ++k) points.push_back({2 * M_PI * k / n, std::sin(2 * M_PI * k / n)});
    points.push_back({2 * M_PI, 0});
    const Curve curve = Curve::spline(points, Curve::Ends::periodic);
    double largest = 0;
    for (double x = -7; x < 20; x += 0.0371)
      largest = std::max(largest, std::abs(curve(x).f - std::sin(x)));
    return largest;
  };
  EXPECT_LE(error(16), 1e-4);
  EXPECT_NEAR(error(16) / error(32), 16, 1);
  EXPECT_NEAR(error(64) / error(128), 16, 0.2);
}

TEST(Curve, refuses_points_without_a_function) {
  EXPECT_SAYS(Curve::polynomial({}), "no coefficients");
  EXPECT_SAYS(Curve::polynomial({1, NAN}), "finite");
  EXPECT_SAYS(Curve::spline({{0, 0}}), "1 points; give at least two");
  EXPECT_SAYS(Curve::spline({{0, 0}, {1, 1}, {1, 2}}), "1 after 1");
  EXPECT_SAYS(Curve::spline({{0, 0}, {1, INFINITY}}), "point 1 of a table is (1, inf)");
  EXPECT_SAYS(Curve::spline({{0, 0}, {1, 1}, {2, 0}}, Curve::Ends::periodic), "at least four");
  EXPECT_SAYS(Curve::spline({{0, 0}, {1, 1}, {2, 2}, {3, 1}}, Curve::Ends::periodic),
              "begins with the value 0 and ends with 1");
  EXPECT_SAYS(Curve::spline({{0, 1e308}, {1, -1e308}, {2, 1e308}}), "range of numbers");
  EXPECT_SAYS(make_curve({{1, 2}, {{0, 0}, {1, 1}}}), "both a polynomial and a table");
  EXPECT_TRUE(std::isnan(Curve::spline({{0, 0}, {1, 1}})(NAN).f));
}

/// A cam about z that lifts a mass along z by its angle, and a wheel that follows the lift by a polynomial.
Mechanism cam(const CurveData& lift) {
  return MechanismBuilder("cam")
      .body("cam", ground, joints::revolute({0, 0, 1}))
      .inertia(1, {0, 0, 0}, Sym3::diagonal(0.01, 0.01, 0.02))
      .body("follower", ground, joints::prismatic({0, 0, 1}))
      .inertia(0.5, {0, 0, 0}, Sym3::diagonal(1e-3, 1e-3, 1e-3))
      .body("wheel", ground, joints::revolute({1, 0, 0}))
      .inertia(0.2, {0, 0, 0}, Sym3::diagonal(2e-3, 1e-3, 1e-3))
      .coupling({"lift", {{"follower", 1}, {"cam", -1, 0, lift}}, 0.1})
      .coupling({"rack", {{"wheel", 2}, {"follower", 1, 0, {{0.3, 40, -5, 7}, {}}}}})
      .build();
}
CurveData lift() {
  return {{}, {{0, 0}, {1, 0.02}, {2, 0.05}, {4, 0.01}, {2 * M_PI, 0}}, Curve::Ends::periodic};
}

TEST(NonlinearCoupling, has_the_derivatives_of_its_equation) {
  const Model model = compile(cam(lift()));
  Constraints constraints(model);
  const Vector q{0.7, 0.3, -0.4}, v{1.3, 0.2, -0.9}, zero(3);
  AccelerationKinematics kin(model);
  const auto Phi_at = [&](double s) {
    const Vector there = q + s * v;
    forward_kinematics(model, there, zero, zero, kin);
    Vector Phi(2);
    constraints.constraint_error(kin, Phi);
    return Eigen::VectorXd(Phi);
  };
  const auto rate_at = [&](double s) {
    const Vector there = q + s * v;
    forward_kinematics(model, there, v, zero, kin);
    constraints.update(kin);
    Vector rate(2);
    constraints.rate(kin, rate);
    return Eigen::VectorXd(rate);
  };
  Vector bias(2), rate(2);
  forward_kinematics(model, q, v, zero, kin);
  constraints.update(kin);
  constraints.rate(kin, rate);
  constraints.bias(kin, bias);
  Matrix B, B_rate;
  constraints.matrix(kin, B);
  constraints.matrix_rate(kin, B_rate);
  EXPECT_LE((rate - test::slope(Phi_at, 1e-2)).norm(), 1e-9);
  EXPECT_LE((bias - test::slope(rate_at, 1e-2)).norm(), 1e-9);
  forward_kinematics(model, q, v, zero, kin);
  constraints.update(kin);
  EXPECT_LE((B * v - rate).norm(), 1e-13);
  EXPECT_LE((B_rate * v - bias).norm(), 1e-12);
  const Vector lambda{0.6, -1.1};
  Matrix S;
  ASSERT_TRUE(constraints.stiffness(kin, lambda, S));
  for (int k = 0; k < 3; ++k) {
    const auto force = [&](double s) {
      Vector there = q, out(3);
      there[k] += s;
      forward_kinematics(model, there, zero, zero, kin);
      constraints.update(kin);
      constraints.force(kin, lambda, out);
      return Eigen::VectorXd(out);
    };
    EXPECT_LE((S.col(k) - test::slope(force, 1e-2)).norm(), 1e-8);
  }
}

/// With z = f(theta) - offset, w = g(z): T = (I + m f'^2 + J (g' f')^2) theta_d^2 / 2 = I*(theta) theta_d^2 / 2, and
/// Lagrange's equation I* theta_dd + I*' theta_d^2 / 2 = tau - m g_0 f'.
TEST(NonlinearCoupling, moves_as_its_reduced_equation) {
  const Model model = compile(cam(lift()));
  ConstrainedSystem system(model, {}, Vector{0.7, 0, 0}, {true, false, false});
  EXPECT_EQ(system.mobility().mobility, 1);
  const Curve f = make_curve(lift()), g = Curve::polynomial({0.3, 40, -5, 7});
  for (const double theta : {0.7, 2.9, 5.5, -11.0}) {
    const double w = 1.7, tau = 0.4, m = 0.5, J = 2e-3, I = 0.02;
    const CurveValue z = f(theta), W = g(z.f + 0.1);
    const double wheel = -W.df / 2, wheel_d = -W.ddf / 2;  // slopes of the wheel by the lift
    State state{0, Vector{theta, z.f + 0.1, -W.f / 2}, Vector{w, z.df * w, wheel * z.df * w}};
    EXPECT_LE(system.violation(state.q), 1e-14);
    EXPECT_LE(system.velocity_violation(state.q, state.v), 1e-13);
    const double mass = I + (m + J * wheel * wheel) * z.df * z.df;
    const double half_slope =  // I*' / 2
        (m + J * wheel * wheel) * z.df * z.ddf + J * wheel * wheel_d * z.df * z.df * z.df;
    const double expected = (tau - m * 9.81 * z.df - half_slope * w * w) / mass;
    const Vector a = system.forward_dynamics(state.q, state.v, Vector{tau, 0, 0});
    EXPECT_NEAR(a[0], expected, 1e-10 * (1 + std::abs(expected)));
    EXPECT_NEAR(a[1], z.df * expected + z.ddf * w * w, 1e-10 * (1 + std::abs(a[1])));
  }
}

TEST(NonlinearCoupling, names_what_is_wrong_with_its_function) {
  const auto with = [](const CurveData& f) { return [f] { check(cam(f)); }; };
  EXPECT_SAYS(with({{1, 2}, {{0, 0}, {1, 1}}})(), "coupling 'lift': the function of 'cam': both");
  EXPECT_SAYS(with({{3, 0, 0}, {}})(), "the polynomial is the constant 3");
  EXPECT_SAYS(with({{}, {{0, 0}, {0, 1}}})(), "0 after 0; sort it");
  EXPECT_SAYS(to_maximal_coordinates(cam(lift()), BodyGroup::se3), "use minimal coordinates");
}

}  // namespace
}  // namespace coupling_test
}  // namespace chasles
