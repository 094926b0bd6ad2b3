/// Stops of joints, against the closed forms of a spring that is met.
#include "chasles/simulation/stops.hpp"

#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "simulation/run.hpp"

namespace chasles {
namespace {

using test::End, test::g, test::run;

constexpr double m = 2;

/// A weight that slides along the vertical, up to 1 m and down to -0.5 m.
Model vertical_slide(double pull) {
  return compile(MechanismBuilder("slide")
                     .gravity({0, 0, -pull})
                     .body("weight", ground, joints::prismatic({0, 0, 1}))
                     .limits(-0.5, 1)
                     .inertia(m, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}
Scenario moving(const Model& model, double v, double duration) {
  Scenario s{.model = model, .start = {0, Vector(1), Vector(1)}};
  s.start.v[0] = v;
  s.duration = duration;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  s.limits = LimitMode::soft;
  return s;
}

/// Without damping: half a period of the oscillator in each stop, then back as fast as before.
TEST(Stops, give_everything_back_without_damper) {
  const double v = 2, T = 0.01;
  for (const double sign : {1.0, -1.0}) {
    Scenario s = moving(vertical_slide(0), sign * v, 1);
    s.stops.ratio = 0;
    const End end = run(s);
    const double way = sign > 0 ? 1 : 0.5;
    const double after = 1 - way / v - M_PI * T;  // since it left the stop; k = m / T^2
    ASSERT_LT(v * after, 1.5);                    // it does not meet the other one
    EXPECT_NEAR(end.state.q[0], sign * (way - v * after), 1e-9);
    EXPECT_NEAR(end.state.v[0], -sign * v, 1e-9);
    ASSERT_EQ(end.summary.violations.size(), 1u);
    EXPECT_NEAR(std::abs(end.summary.violations[0].worst) - way, v * T, 0.05 * v * T);
    EXPECT_LT(end.summary.worst.energy, 1e-9);
  }
}

/// With a damper the bounce is that of (1), here by a million steps of the classical Runge-Kutta method.
TEST(Stops, bounce_less_with_a_damper) {
  const double v = 3, T = 0.02, z = 0.3, depth = 2e-3;
  Scenario s = moving(vertical_slide(0), v, 0.5);
  s.stops = {.time = T, .ratio = z, .depth = depth};
  const auto a = [&](double x, double x_dot) {  // -f / m
    if (x <= 0) return 0.0;
    const double u = x < depth ? x / depth : 1;
    const double e = x / (T * T), b = 2 * z / T * u * u * (3 - 2 * u) * x_dot;
    return b >= 0 ? -e - b : -e * e / (e - b);
  };
  double x = 0, x_dot = v;
  const double start = 1 / v, h = (0.5 - start) / 1e6;
  for (int i = 0; i < 1'000'000; ++i) {
    const double v1 = x_dot, a1 = a(x, v1), v2 = v1 + h / 2 * a1, a2 = a(x + h / 2 * v1, v2),
                 v3 = v1 + h / 2 * a2, a3 = a(x + h / 2 * v2, v3), v4 = v1 + h * a3,
                 a4 = a(x + h * v3, v4);
    x += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), x_dot += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  ASSERT_LT(x, 0);  // it has left the stop
  ASSERT_LT(x_dot, -0.1 * v);
  ASSERT_GT(x_dot, -0.7 * v);
  const End end = run(s);
  EXPECT_NEAR(end.state.v[0], x_dot, 1e-8);
  EXPECT_NEAR(end.state.q[0], 1 + x, 1e-8);
  EXPECT_LT(end.summary.worst.energy, 1e-7);
}

TEST(Stops, bear_a_weight) {
  Scenario s = moving(vertical_slide(g), 0, 3);
  s.stops.stiffness = 1e4;
  const End end = run(s);
  EXPECT_NEAR(end.state.q[0], -0.5 - m * g / 1e4, 1e-9);
  EXPECT_NEAR(end.state.v[0], 0, 1e-8);
  EXPECT_LT(end.summary.worst.energy, 1e-8);
  // What falls is stopped by gravity's work.
  EXPECT_NEAR(end.summary.end.work, m * g * (end.state.q[0]) + 1e4 * std::pow(m * g / 1e4, 2) / 2,
              1e-7);
}

/// The inertia that counts is the one the joint feels: of the second joint of a chain of two slides on
/// one line, the other mass being free, m1 m2 / (m1 + m2).
TEST(Stops, are_as_stiff_as_the_joint_is_heavy) {
  const Model model = compile(MechanismBuilder("two")
                                  .body("one", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(3, {}, Sym3::diagonal(1, 1, 1))
                                  .body("two", "one", joints::prismatic({1, 0, 0}))
                                  .limits(-1, 1)
                                  .inertia(6, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  const auto stops = soft_stops(model, Vector(2), {.time = 0.1, .ratio = 0});
  ASSERT_EQ(stops.size(), 1u);
  VelocityKinematics kin(model);
  forward_kinematics(model, Vector{0, 1.5}, Vector(2), kin);
  JointForces out{Vector(2), {}};
  stops[0].law.add(0, kin, out);
  EXPECT_EQ(out.tau[0], 0);
  EXPECT_NEAR(out.tau[1], -2 / (0.1 * 0.1) * 0.5, 1e-12);
  EXPECT_TRUE(stops[0].internal);
  EXPECT_FALSE(stops[0].actuator);
}

TEST(Stops, are_not_there_unless_they_are_wanted) {
  Scenario s = moving(vertical_slide(0), 2, 1);
  s.limits = LimitMode::warn;
  End end = run(s);
  EXPECT_NEAR(end.state.q[0], 2, 1e-12);
  EXPECT_EQ(end.summary.violations.size(), 1u);
  s.limits = LimitMode::ignore;
  end = run(s);
  EXPECT_NEAR(end.state.q[0], 2, 1e-12);
  EXPECT_TRUE(end.summary.violations.empty());
}

TEST(Stops, that_make_no_sense_are_refused) {
  const Model model = vertical_slide(g);
  EXPECT_SAYS(joint_stop(model, "weigt", {}), "weight");
  EXPECT_SAYS(joint_stop(model, "weight", {.stiffness = -1}), "stop of joint 'weight'",
              "stiffness -1");
  EXPECT_SAYS(joint_stop(model, "weight", {.depth = 0}), "depth 0");
  EXPECT_SAYS(soft_stops(model, Vector(1), {.time = 0}), "time 0");
  EXPECT_SAYS(soft_stops(model, Vector(1), {.ratio = -1}), "damping_ratio -1");
  const Model endless = compile(MechanismBuilder("wheel")
                                    .body("wheel", ground, joints::revolute({0, 0, 1}))
                                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                    .build());
  EXPECT_SAYS(joint_stop(endless, "wheel", {}), "'wheel'", "no limits of position");
  EXPECT_TRUE(soft_stops(endless, Vector(1)).empty());
}

}  // namespace
}  // namespace chasles
