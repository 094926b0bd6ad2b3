/// Assembly from starts that Newton's method cannot leave, the choice of the assembly mode, limits, and the components of
/// reactions that motions determine: against closed forms of the four-bar linkage and of the slider-crank.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "chasles/constraints/analysis.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/closed_dynamics.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace assembly_test {

const Sym3 bar_inertia = Sym3::diagonal(1e-3, 1e-3, 1e-3);

/// Bars of 40, 120, 80 mm on a base of 100 mm, all in line along x at q = 0, so that the loop is open by
/// 40 + 120 - 80 - 100 = -20 mm. Angles about y are negative upward: each bar along (cos q, 0, -sin q).
struct FourBar {
  static constexpr double a = 0.04, b = 0.12, c = 0.08, d = 0.1;
  static Mechanism mechanism() {
    const auto at = [](double x) { return SE3{{}, {x, 0, 0}}; };
    MechanismBuilder m("in_line");
    m.body("crank", ground, joints::revolute({0, 1, 0})).inertia(0.1, {a / 2, 0, 0}, bar_inertia);
    m.body("coupler", "crank", joints::revolute({0, 1, 0}, {a, 0, 0}))
        .inertia(0.2, {a + b / 2, 0, 0}, bar_inertia);
    m.body("rocker", ground, joints::revolute({0, 1, 0}, {d, 0, 0}))
        .inertia(0.3, {d + c / 2, 0, 0}, bar_inertia);
    m.loop({.name = "closure",
            .bodies = {"coupler", "rocker"},
            .geometry = FramesGeometry{at(a + b), at(d + c), {0, 1, 0}}});
    return m.build();
  }
  /// Freudenstein's equation for the rocker at a given crank: A cos r + B sin r = C, two solutions; angles
  /// counterclockwise in the plane of x and z.
  static double rocker(double crank, double mode) {
    const double A = 2 * c * (d - a * std::cos(crank)), B = -2 * a * c * std::sin(crank);
    const double C = b * b - a * a - c * c - d * d + 2 * a * d * std::cos(crank);
    return std::atan2(B, A) + mode * std::acos(C / std::hypot(A, B));
  }
  /// Of the coupler with respect to the crank.
  static double coupler(double crank, double rocker) {
    return std::atan2(c * std::sin(rocker) - a * std::sin(crank),
                      d + c * std::cos(rocker) - a * std::cos(crank)) -
           crank;
  }
};
double turned(double angle) { return std::remainder(angle, 2 * M_PI); }

TEST(Assembly, of_bars_in_line) {
  const Model model = compile(FourBar::mechanism());
  Constraints constraints(model);
  const Vector q = assemble(constraints, model.neutral());
  const double crank = -q[0], rocker = -q[2];
  const double other = std::abs(turned(rocker - FourBar::rocker(crank, 1))) < 1e-9 ? 1 : -1;
  // Closed to 1e-13 m on bars of 0.04 m.
  EXPECT_NEAR(turned(rocker - FourBar::rocker(crank, other)), 0, 1e-11);
  EXPECT_NEAR(turned(-q[1] - FourBar::coupler(crank, rocker)), 0, 1e-11);
  for (const double angle : q) EXPECT_LE(std::abs(angle), M_PI + 1e-12);
  // Random, but always the same.
  Constraints again(model);
  EXPECT_EQ(assemble(again, model.neutral()), q);
  Constraints others(model);
  const Vector elsewhere = assemble(others, model.neutral(), AssemblyOptions{.seed = 3});
  EXPECT_NE(elsewhere, q);
}

TEST(Assembly, mode_is_chosen_by_nearness) {
  const Model model = compile(FourBar::mechanism());
  for (const double crank : {0.3, 1.2, -2.0, 3.0})
    for (const double mode : {1.0, -1.0}) {
      Constraints constraints(model);
      const double rocker = turned(FourBar::rocker(crank, mode));
      Vector start{-crank, 0, -(rocker + 0.2)};
      const Vector q = assemble(constraints, start,
                                {.kept = {true, false, false}, .near = {false, false, true}});
      EXPECT_EQ(q[0], -crank);
      EXPECT_NEAR(turned(-q[2] - rocker), 0, 1e-11) << crank << " " << mode;
      EXPECT_NEAR(turned(-q[1] - FourBar::coupler(crank, rocker)), 0, 1e-11);
    }
}

TEST(Assembly, prefers_joint_limits) {
  for (const double mode : {1.0, -1.0}) {
    Mechanism m = FourBar::mechanism();
    // q = -angle; the two modes are on different sides of the base.
    m.bodies[2].joint.limits =
        mode > 0 ? JointLimits{-M_PI, 0.0, {}, {}} : JointLimits{0.0, M_PI, {}, {}};
    const Model model = compile(m);
    Constraints constraints(model);
    const Vector q = assemble(constraints, Vector{-1.2, 0, 0}, {true, false, false});
    EXPECT_NEAR(turned(-q[2] - FourBar::rocker(1.2, mode)), 0, 1e-11) << mode;
    // A start that is closed already stays, beyond the limits too: it may be in the middle of a run.
    const double beyond = FourBar::rocker(1.2, -mode);
    const Vector closed{-1.2, -FourBar::coupler(1.2, beyond), -beyond};
    EXPECT_LE((assemble(constraints, closed, {true, false, false}) - closed).norm(), 1e-9);
  }
}

TEST(Assembly, that_is_impossible_says_the_best_gap) {
  Mechanism m = FourBar::mechanism();
  // The crank at its far side: |d + a - b - c| of what is missing if the coupler is 0.3 m long.
  auto& frames = std::get<FramesGeometry>(m.loops[0].geometry);
  frames.parent = SE3{{}, {FourBar::a + 0.3, 0, 0}};
  const Model model = compile(m);
  Constraints constraints(model);
  EXPECT_SAYS(assemble(constraints, model.neutral()), "loop 'closure' cannot be closed",
              "from 40 starts",
              "a gap of 0.08");  // 0.3 - 0.04 - 0.08 - 0.1
  EXPECT_SAYS(assemble(constraints, model.neutral(), AssemblyOptions{.starts = 0}), "starts is 0");
  EXPECT_SAYS(assemble(constraints, model.neutral(), AssemblyOptions{.near = {true}}), "near", "3");
  EXPECT_SAYS(assemble(constraints, Vector(2)), "start", "3");
}

TEST(Assembly, random_ones_are_closed) {
  const Model model = compile(FourBar::mechanism());
  Constraints constraints(model);
  const std::vector<Vector> list = random_assemblies(constraints, model.neutral(), 30);
  EXPECT_GE(list.size(), 25U);
  bool up = false, down = false;
  for (const Vector& q : list) {
    const double rocker = -q[2];
    const double plus = std::abs(turned(rocker - FourBar::rocker(-q[0], 1))),
                 minus = std::abs(turned(rocker - FourBar::rocker(-q[0], -1)));
    EXPECT_LE(std::min(plus, minus), 1e-8);
    (plus < minus ? up : down) = true;
  }
  EXPECT_TRUE(up && down);
}

/// Crank, rod and slider in the plane z = 0, closed by a hinge or by a ball.
Mechanism slider_crank(JointType closure) {
  MechanismBuilder m("slider_crank");
  m.gravity({});
  m.body("crank", ground, joints::revolute({0, 0, 1})).inertia(1, {0.1, 0, 0}, bar_inertia);
  m.body("rod", "crank", joints::revolute({0, 0, 1}, {0.2, 0, 0}))
      .inertia(1, {0.45, 0, 0}, bar_inertia);
  m.body("slider", ground, joints::prismatic({1, 0, 0})).inertia(1, {0.7, 0, 0}, bar_inertia);
  m.loop({.name = "wrist",
          .bodies = {"rod", "slider"},
          .type = closure,
          .geometry = AxisGeometry{{0, 0, 1}, {0.7, 0, 0}}});
  return m.build();
}

TEST(DeterminedReactions, of_a_planar_loop_are_those_in_its_plane) {
  const Model model = compile(slider_crank(JointType::revolute));
  Constraints constraints(model);
  const Vector q = assemble(constraints, Vector{0.7, -1, 0}, {true, false, false});
  const auto found = determined_reactions(constraints, q);
  ASSERT_EQ(found.size(), 4U);
  // z along the axis: the force along it and the moments across it are not determined.
  const DeterminedComponents hinge{false, false, true, true, true, false};
  EXPECT_EQ(found[0], hinge);
  EXPECT_EQ(found[1], hinge);
  EXPECT_EQ(found[3], hinge);
  // The guide, z along the world's x and x along its z: it also bears a moment about the normal of the plane, which
  // is determined: none.
  EXPECT_EQ(found[2], (DeterminedComponents{true, false, false, false, true, true}));
}

TEST(DeterminedReactions, of_a_loop_without_redundancy_are_all) {
  MechanismBuilder m("spatial");
  m.body("crank", ground, joints::revolute({0, 0, 1})).inertia(1, {0.1, 0, 0}, bar_inertia);
  m.body("rod", "crank", joints::of(JointType::spherical, {0, 0, 1}, {0.2, 0, 0}))
      .inertia(1, {0.45, 0, 0}, bar_inertia);
  m.body("slider", ground, joints::prismatic({1, 0, 0})).inertia(1, {0.7, 0, 0}, bar_inertia);
  m.loop({.name = "wrist",
          .bodies = {"rod", "slider"},
          .type = JointType::spherical,
          .geometry = AxisGeometry{{0, 0, 1}, {0.7, 0, 0.1}}});
  const Model model = compile(m.build());
  Constraints constraints(model);
  const Vector q =
      assemble(constraints, Vector{0.7, 1, 0, 0, 0, 0}, {true, false, false, false, false});
  DeterminedComponents all;
  all.fill(true);
  for (const DeterminedComponents& each : determined_reactions(constraints, q))
    EXPECT_EQ(each, all);
  EXPECT_SAYS(determined_reactions(constraints, Vector(2)), "q", "6");
}

TEST(DeterminedReactions, are_the_same_for_every_choice_of_multipliers) {
  // Independent of the null space: two solutions of B^T lambda = f differ in undetermined components only.
  const Model model = compile(slider_crank(JointType::revolute));
  ConstrainedSystem system(model, {}, Vector{0.7, -1, 0}, {true, false, false});
  const Vector q = system.assembled();
  const auto found = determined_reactions(system.constraints(), q);
  Matrix B;
  system.set(0, q, Vector(3));
  system.constraint_matrix(B);
  const Vector lambda = Eigen::VectorXd::LinSpaced(B.rows(), 1, 2);
  Vector force = B.transpose() * lambda;
  // The least-norm solution of the normal equations, by a dense pseudo-inverse of the two equations in the plane.
  const Eigen::MatrixXd G = B * B.transpose();
  const Eigen::VectorXd other =
      G.completeOrthogonalDecomposition().solve(Eigen::VectorXd(B * force));
  ASSERT_LE((B.transpose() * other - force).norm(), 1e-12);
  ASSERT_GT((other - lambda).norm(), 0.1);
  std::vector<AppliedWrench> one, two;
  Vector tau(3);
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  system.constraints().update(kin);
  system.constraints().forces(kin, lambda, one, tau);
  system.constraints().forces(kin, Vector(other), two, tau);
  const auto a = coordinates(one[0].W), b = coordinates(two[0].W);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_TRUE(!found[3][k] || std::abs(a[k] - b[k]) < 1e-12) << k;
}

}  // namespace assembly_test
}  // namespace chasles
