/// Statics: equilibria of linkages with springs, load steps, all solutions and their stability, against closed forms
/// and against the minimum of the potential along the one degree of freedom.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chasles/constraints/analysis.hpp"
#include "chasles/linearization/equilibrium.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/simulation/scenario_system.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace equilibria_test {

constexpr double g = 9.81;

/// A parallelogram-like four-bar in the plane y = 0, whose spring runs along a diagonal.
struct DiagonalFourBar {
  static constexpr double a = 0.2, b = 0.5, c = 0.4, d = 0.6;  // crank, coupler, rocker, base [m]
  static constexpr double m_a = 1, m_b = 2, m_c = 1.5;         // [kg], at mid length
  static constexpr double stiffness = 400, rest = 0.3;  // from the crank pin to the rocker's pivot
  static Model model() {
    const Sym3 small = Sym3::diagonal(1e-3, 1e-3, 1e-3);
    MechanismBuilder m("diagonal");
    m.body("crank", ground, joints::revolute({0, -1, 0})).inertia(m_a, {a / 2, 0, 0}, small);
    m.body("coupler", "crank", joints::revolute({0, -1, 0}, {a, 0, 0}))
        .inertia(m_b, {a + b / 2, 0, 0}, small);
    m.body("rocker", ground, joints::revolute({0, -1, 0}, {d, 0, 0}))
        .inertia(m_c, {d + c / 2, 0, 0}, small);
    m.loop({.name = "closure",
            .bodies = {"coupler", "rocker"},
            .geometry = FramesGeometry{{{}, {a + b, 0, 0}}, {{}, {d + c, 0, 0}}, {0, -1, 0}}});
    return compile(m.build());
  }
  /// Angle of the rocker on the upper branch, from triangles: pin of the crank to the pivot of the rocker.
  static double rocker(double crank) {
    const double x = d - a * std::cos(crank), z = -a * std::sin(crank), e = std::hypot(x, z);
    return std::atan2(z, x) + M_PI - std::acos((c * c + e * e - b * b) / (2 * c * e));
  }
  static double potential(double crank) {
    const double r = rocker(crank);
    const double x = d - a * std::cos(crank), z = -a * std::sin(crank), s = std::hypot(x, z) - rest;
    const double pin_a = a * std::sin(crank), pin_c = c * std::sin(r);
    return g * (m_a * pin_a / 2 + m_b * (pin_a + pin_c) / 2 + m_c * pin_c / 2) +
           stiffness * s * s / 2;
  }
  /// The minimum nearest to a start, by golden section within [low, high].
  static double minimum(double low, double high) {
    const double golden = (std::sqrt(5.0) - 1) / 2;
    for (int k = 0; k < 80; ++k) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      (potential(left) < potential(right) ? high : low) =
          potential(left) < potential(right) ? right : left;
    }
    return (low + high) / 2;
  }
};

Scenario with_spring(const Model& model, Vector q) {
  using F = DiagonalFourBar;
  Scenario s{.model = model, .start = {0, std::move(q), Vector(model.nv())}, .duration = 1};
  s.forces.add(point_spring_damper(model, {"crank", {F::a, 0, 0}}, {"ground", {F::d, 0, 0}},
                                   F::stiffness, 0, F::rest));
  return s;
}

TEST(Equilibria, of_a_four_bar_with_a_diagonal_spring) {
  using F = DiagonalFourBar;
  const Model model = F::model();
  const double crank = 0.4, rocker = F::rocker(crank);
  const double coupler = std::atan2(F::c * std::sin(rocker) - F::a * std::sin(crank),
                                    F::d + F::c * std::cos(rocker) - F::a * std::cos(crank));
  ScenarioSystem run(with_spring(model, Vector{crank, coupler - crank, rocker}));
  const Vector q = find_equilibrium(run.system(), 0, run.start().q);
  const double best = F::minimum(q[0] - 0.5, q[0] + 0.5);
  // The minimum of a potential is known to the root of rounding; its slope there to more.
  EXPECT_NEAR(q[0], best, 1e-7);
  const double h = 1e-4;
  const double slope = (8 * (F::potential(q[0] + h) - F::potential(q[0] - h)) -
                        (F::potential(q[0] + 2 * h) - F::potential(q[0] - 2 * h))) /
                       (12 * h);
  EXPECT_NEAR(slope, 0, 1e-9);
  EXPECT_NEAR(std::remainder(q[2] - F::rocker(q[0]), 2 * M_PI), 0, 1e-10);
  const auto found = modes(run.system(), 0, q);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].damping, 0);
  EXPECT_GT(found[0].lambda.imag(), 0);
  // Load steps end there, too.
  const Vector slowly =
      find_equilibrium(run.system(), 0, run.start().q, EquilibriumOptions{.load_steps = 10});
  EXPECT_LE((slowly - q).norm(), 1e-9);
}

TEST(Equilibria, all_of_a_four_bar_are_the_stationary_points_of_its_potential) {
  using F = DiagonalFourBar;
  const Model model = F::model();
  ScenarioSystem run(with_spring(model, model.neutral()));
  Constraints& constraints = run.closed()->constraints();
  const std::vector<Vector> starts = random_assemblies(constraints, model.neutral(), 60);
  int on_branch = 0, expected = 0;
  for (const Vector& q : find_equilibria(run.system(), 0, starts)) {
    if (std::abs(std::remainder(q[2] - F::rocker(q[0]), 2 * M_PI)) > 1e-6) continue;
    ++on_branch;
    const double h = 1e-4, here = F::potential(q[0]);
    EXPECT_NEAR((F::potential(q[0] + h) - F::potential(q[0] - h)) / (2 * h), 0, 1e-5);
    const bool valley = F::potential(q[0] + h) + F::potential(q[0] - h) > 2 * here;
    EXPECT_EQ(modes(run.system(), 0, q)[0].lambda.imag() > 0, valley);
  }
  // Sign changes of the slope around the whole circle, on which the crank (the shortest bar) turns.
  const int count = 2000;
  const auto slope = [](int k) {
    const double x = 2 * M_PI * k / count, h = 1e-5;
    return F::potential(x + h) - F::potential(x - h);
  };
  for (int k = 0; k < count; ++k) expected += (slope(k) < 0) != (slope(k + 1) < 0);
  EXPECT_EQ(on_branch, expected);
  EXPECT_GE(expected, 2);
}

/// A mass on a vertical slide between two springs that are longer than the distance to their walls: a toggle. With the
/// force F up, 2 k x (1 - L / sqrt(h^2 + x^2)) = F.
Scenario toggle(double push) {
  const double h = 0.3, L = 0.5, k = 100;
  const Model model = compile(MechanismBuilder("toggle")
                                  .gravity({})
                                  .body("mass", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(2, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  Scenario s{.model = model, .start = {0, Vector(1), Vector(1)}, .duration = 1};
  for (const double side : {-h, h})
    s.forces.add(point_spring_damper(model, {"mass", {}}, {"ground", {side, 0, 0}}, k, 0, L));
  s.forces.add(joint_torque(model, "mass", {signals::constant(push)}));
  return s;
}

TEST(Equilibria, all_of_a_toggle) {
  ScenarioSystem run(toggle(0));
  std::vector<Vector> starts;
  for (int k = -10; k <= 10; ++k) starts.push_back(Vector{0.11 * k});
  std::vector<Vector> found = find_equilibria(run.system(), 0, starts);
  ASSERT_EQ(found.size(), 3U);
  std::ranges::sort(found, {}, [](const Vector& q) { return q[0]; });
  EXPECT_NEAR(found[0][0], -0.4, 1e-12);  // 3, 4, 5
  EXPECT_NEAR(found[1][0], 0, 1e-12);
  EXPECT_NEAR(found[2][0], 0.4, 1e-12);
  // K = 2 k (1 - L h^2 / (h^2 + x^2)^1.5), M = 2.
  const auto stiffness = [](double x) {
    return 200 * (1 - 0.5 * 0.09 / std::pow(0.09 + x * x, 1.5));
  };
  const auto stable = modes(run.system(), 0, found[2]);
  ASSERT_EQ(stable.size(), 1U);
  EXPECT_NEAR(stable[0].frequency, std::sqrt(stiffness(0.4) / 2), 1e-10);
  EXPECT_EQ(stable[0].damping, 0);
  const auto unstable = modes(run.system(), 0, found[1]);
  ASSERT_EQ(unstable.size(), 2U);  // -root, +root
  EXPECT_NEAR(std::max(unstable[0].lambda.real(), unstable[1].lambda.real()),
              std::sqrt(-stiffness(0) / 2), 1e-10);
  // Beyond the load of snap-through, F = 200 x (L / sqrt(h^2 + x^2) - 1) at its largest, one is left.
  double snap = 0;
  for (double x = 0; x < 0.4; x += 1e-4)
    snap = std::max(snap, 200 * x * (0.5 / std::hypot(0.3, x) - 1));
  ScenarioSystem pushed(toggle(1.01 * snap)), held(toggle(0.99 * snap));
  EXPECT_EQ(find_equilibria(pushed.system(), 0, starts).size(), 1U);
  EXPECT_EQ(find_equilibria(held.system(), 0, starts).size(), 3U);
}

TEST(Equilibria, load_steps_follow_the_branch_of_the_start) {
  double snap = 0;
  for (double x = 0; x < 0.4; x += 1e-4)
    snap = std::max(snap, 200 * x * (0.5 / std::hypot(0.3, x) - 1));
  // From the lower position at 0.9 of the load of snap-through the mass stays below.
  ScenarioSystem held(toggle(0.9 * snap));
  const double x =
      find_equilibrium(held.system(), 0, Vector{-0.4}, EquilibriumOptions{.load_steps = 20})[0];
  EXPECT_LT(x, -0.1);
  EXPECT_NEAR(200 * x * (1 - 0.5 / std::hypot(0.3, x)), 0.9 * snap, 1e-9);
  // Beyond it nothing follows.
  ScenarioSystem pushed(toggle(1.1 * snap));
  EXPECT_SAYS(
      find_equilibrium(pushed.system(), 0, Vector{-0.4}, EquilibriumOptions{.load_steps = 20}),
      "load steps end", "snap-through");
  EXPECT_SAYS(find_equilibrium(held.system(), 0, Vector{0}, EquilibriumOptions{.load_steps = -1}),
              "load_steps is -1");
  EXPECT_SAYS(find_equilibria(held.system(), 0, std::vector<Vector>{Vector(2)}), "start", "1");
}

TEST(Equilibria, angles_do_not_wind_up) {
  // Three equal rods one below the other: every angle to the vertical is 0 or pi.
  MechanismBuilder b("chain");
  const Sym3 small = Sym3::diagonal(1e-3, 1e-3, 1e-3);
  b.body("one", ground, joints::revolute({0, 1, 0})).inertia(1, {0, 0, -0.5}, small);
  b.body("two", "one", joints::revolute({0, 1, 0}, {0, 0, -1})).inertia(1, {0, 0, -1.5}, small);
  b.body("three", "two", joints::revolute({0, 1, 0}, {0, 0, -2})).inertia(1, {0, 0, -2.5}, small);
  const Model model = compile(b.build());
  for (int k = 0; k < 12; ++k) {
    const Vector start{0.55 * k, -1.3 + 0.4 * k, 1.5};
    ScenarioSystem run({.model = model, .start = {0, start, Vector(3)}, .duration = 1});
    const Vector q = find_equilibrium(run.system(), 0, start);
    EXPECT_LE((q - start).cwiseAbs().maxCoeff(), M_PI + 1e-8) << k;
    double angle = 0;
    for (const double x : q) EXPECT_NEAR(std::sin(angle += x), 0, 1e-9) << k;
  }
}

TEST(Equilibria, modes_of_coupled_masses) {
  // Three equal masses between four equal springs: omega_k = 2 sqrt(k / m) sin(k pi / 8).
  MechanismBuilder b("chain");
  b.gravity({});
  const char* names[] = {"one", "two", "three"};
  for (const char* name : names)
    b.body(name, ground, joints::prismatic({1, 0, 0})).inertia(2, {}, Sym3::diagonal(1, 1, 1));
  const Model model = compile(b.build());
  Scenario s{.model = model, .start = {0, Vector{0.1, 0.2, -0.1}, Vector(3)}, .duration = 1};
  const auto spring = [&](const BodyPoint& from, const BodyPoint& to) {
    s.forces.add(point_spring_damper(model, from, to, 50, 0, 1));
  };
  // Origins of the bodies coincide at q = 0: springs end 1 m apart, stretched by q_i+1 - q_i.
  spring({"ground", {-1, 0, 0}}, {"one", {}});
  spring({"one", {}}, {"two", {1, 0, 0}});
  spring({"two", {}}, {"three", {1, 0, 0}});
  spring({"three", {}}, {"ground", {1, 0, 0}});
  ScenarioSystem run(s);
  const Vector q = find_equilibrium(run.system(), 0, run.start().q);
  EXPECT_LE(q.norm(), 1e-12);
  const auto found = modes(run.system(), 0, q);
  ASSERT_EQ(found.size(), 3U);
  for (int k = 1; k <= 3; ++k)
    EXPECT_NEAR(found[static_cast<std::size_t>(k - 1)].frequency,
                2 * std::sqrt(50.0 / 2) * std::sin(k * M_PI / 8), 1e-10);
  EXPECT_NEAR(found[0].shape[0].real(), std::sqrt(0.5), 1e-10);
}

}  // namespace equilibria_test
}  // namespace chasles
