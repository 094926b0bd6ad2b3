/// Equilibria of linkages, against published angles and, to more digits, against the lowest potential along the closed
/// form of their motion.
#include <gtest/gtest.h>

#include "chasles/linearization/equilibrium.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/simulation/scenario_system.hpp"

namespace chasles {
namespace statics_test {

/// Links A and B in series from the origin, C from `pivot`, all along x at q = 0; the ends of B and C are joined.
Model four_bar(const std::array<double, 3>& lengths, const std::array<double, 3>& masses,
               const Vec3& pivot, const Vec3& axis, const Vec3& gravity) {
  const auto [a, b, c] = lengths;
  const auto center = [](const Vec3& from, double length) { return from + Vec3{length / 2, 0, 0}; };
  MechanismBuilder builder("four_bar");
  builder.gravity(gravity)
      .body("A", ground, joints::revolute(axis))
      .inertia(masses[0], center({}, a), Sym3::diagonal(1, 1, 1))
      .body("B", "A", joints::revolute(axis, {a, 0, 0}))
      .inertia(masses[1], center({a, 0, 0}, b), Sym3::diagonal(1, 1, 1))
      .body("C", ground, joints::revolute(axis, pivot))
      .inertia(masses[2], center(pivot, c), Sym3::diagonal(1, 1, 1));
  const SO3 turned = axis.z != 0 ? SO3{} : exp(Vec3{-M_PI / 2, 0, 0});  // z to the axis
  builder.loop(
      {.name = "pin",
       .bodies = {"B", "C"},
       .type = JointType::revolute,
       .geometry = FramesGeometry{{turned, {a + b, 0, 0}}, {turned, pivot + Vec3{c, 0, 0}}}});
  return compile(builder.build());
}
/// Angles of A, B and C from their direction at q = 0.
std::array<double, 3> rest_of(const Scenario& scenario) {
  ScenarioSystem run(scenario);
  const Vector q = find_equilibrium(run.system(), 0, run.start().q);
  return {q[0], q[0] + q[1], q[2]};
}

/// P. Mitiguy, Advanced Dynamics and Motion Simulation (MotionGenesis), four-bar linkage with links of 1, 2 and 2 m and
/// 10, 20 and 20 kg that hang from pivots 1 m apart: a horizontal force of 200 N at the pin of B and C holds it at 20.0,
/// 71.7 and 38.3 degrees from the vertical.
TEST(Statics, four_bar_of_mitiguy) {
  const double g = 9.81, force = 200;
  Scenario s{.model = four_bar({1, 2, 2}, {10, 20, 20}, {0, 1, 0}, {0, 0, 1}, {g, 0, 0}),
             .start = {0, Vector{0.3, 0.9, 0.6}, Vector(3)},
             .duration = 1};
  s.forces.add(body_wrench(s.model, {"B", {3, 0, 0}},
                           {signals::constant(0), signals::constant(0), signals::constant(0),
                            signals::constant(0), signals::constant(force), signals::constant(0)}));
  const std::array<double, 3> angles = rest_of(s);
  const double degrees = 180 / M_PI;
  EXPECT_NEAR(angles[0] * degrees, 20.0, 0.05);
  EXPECT_NEAR(angles[1] * degrees, 71.7, 0.05);
  EXPECT_NEAR(angles[2] * degrees, 38.3, 0.05);
  // The pin from the triangle over the diagonal, and the slope of the potential there.
  const auto potential = [&](double a) {
    const double x = std::cos(a), y = std::sin(a), d = std::hypot(x, 1 - y);
    const double h = std::sqrt(4 - d * d / 4);
    const double pin_x = x / 2 + h * (1 - y) / d, pin_y = (1 + y) / 2 + h * x / d;
    return -g * (10 * x / 2 + 20 * (x + pin_x) / 2 + 20 * pin_x / 2) - force * pin_y;
  };
  const double step = 1e-3, a = angles[0];
  const double slope = (8 * (potential(a + step) - potential(a - step)) -
                        (potential(a + 2 * step) - potential(a - 2 * step))) /
                       (12 * step);
  EXPECT_NEAR(slope, 0, 1e-7);
}

/// The same author's linkage in the example four_bar of Drake: links of 4 m and 20 kg on pivots 2 m apart hang at
/// 75.52, 180 and 104.48 degrees, since cos = 1/4.
TEST(Statics, four_bar_of_drake) {
  const Scenario s{.model = four_bar({4, 4, 4}, {20, 20, 20}, {-2, 0, 0}, {0, 1, 0}, {0, 0, -9.8}),
                   .start = {0, Vector{1.1, 2.0, 1.6}, Vector(3)},
                   .duration = 1};
  const std::array<double, 3> angles = rest_of(s);
  EXPECT_NEAR(angles[0], std::acos(0.25), 1e-11);
  EXPECT_NEAR(angles[0] * 180 / M_PI, 75.52, 0.005);
  EXPECT_NEAR(angles[1], M_PI, 1e-11);  // B is level
  EXPECT_NEAR(angles[2], M_PI - std::acos(0.25), 1e-11);
}

}  // namespace statics_test
}  // namespace chasles
