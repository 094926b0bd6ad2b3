/// Rods, cables, points on planes and lines, rolling wheels: their equations against differences, their motions against
/// joints and closed forms.
#include "chasles/constraints/point_constraints.hpp"

#include <gtest/gtest.h>

#include "chasles/constraints/analysis.hpp"
#include "chasles/constraints/constraints.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace point_constraints_test {

using Eigen::MatrixXd, Eigen::VectorXd;

/// B v is the rate of Phi (or, without Phi, of nothing), and Bd v the rate of B v at constant v.
void expect_derivatives(const Model& model, const Constraint& c, std::mt19937_64& generator,
                        double tolerance = 1e-9) {
  const VectorXd q = test::random_configuration(model, generator, 0.5),
                 v = test::random_vector(model.nv(), generator);
  const int m = c.constraint_count();
  const auto along = [&](const auto& f) {
    return test::derivative(
        [&](double s) -> VectorXd {
          VectorXd moved(model.nq());
          plus(model, q, s * v, moved);
          VelocityKinematics kin(model);
          forward_kinematics(model, moved, v, kin);
          return f(kin);
        },
        2e-3);
  };
  const auto rate = [&](const VelocityKinematics& kin) -> VectorXd {
    MatrixXd B = MatrixXd::Zero(m, model.nv());
    c.matrix(kin, B);
    return B * v;
  };
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  VectorXd bias(m);
  c.bias(kin, bias);
  const double size = 1 + rate(kin).cwiseAbs().maxCoeff() + bias.cwiseAbs().maxCoeff();
  // Constant v along q exp(s v) is a motion with vd = 0 in all coordinates that are numbers.
  EXPECT_LT((along(rate) - bias).cwiseAbs().maxCoeff(), tolerance * size) << c.name();
  if (!c.binds_positions()) return;
  const VectorXd by_difference = along([&](const VelocityKinematics& k) -> VectorXd {
    VectorXd Phi(m);
    c.constraint_error(k, Phi);
    return Phi;
  });
  EXPECT_LT((by_difference - rate(kin)).cwiseAbs().maxCoeff(), tolerance * size) << c.name();
}

TEST(PointConstraints, have_exact_derivatives) {
  std::mt19937_64 generator(41);
  for (int n = 0; n < 12; ++n) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 8, .tree = n % 2 == 0}));
    const ConstraintPoint a{"body7", {0.3, -0.2, 0.5}}, b{"body3", {0.1, 0.7, -0.4}},
        fixed{"ground", {1, 2, 3}};
    if (model.frame("body7").link == model.frame("body3").link) continue;
    expect_derivatives(model, *distance_constraint(model, "rod", a, b, 1), generator);
    expect_derivatives(model, *distance_constraint(model, "rod", fixed, b, 1), generator);
    expect_derivatives(model, *cable_constraint(model, "cable", {fixed, a, b, fixed}, 1),
                       generator);
    expect_derivatives(model, *point_on_plane(model, "plane", a, b, {1, 2, -1}), generator);
    expect_derivatives(model, *point_on_plane(model, "plane", fixed, b, {1, 2, -1}), generator);
    expect_derivatives(model, *point_on_line(model, "line", a, b, {1, 2, -1}), generator);
    expect_derivatives(model, *point_on_line(model, "line", b, fixed, {0, 0, 1}), generator);
    const RollingWheel wheel{a, Vec3{0.3, 0.5, 1}, 0.4, {0, 0, 1}, {0.1, 0.2, 1}}, ball{b, {}, 0.3};
    for (const RollingWheel& w : {wheel, ball}) {
      expect_derivatives(model, *rolling_constraint(model, "rolling", w), generator, 1e-8);
      expect_derivatives(model, *wheel_on_plane(model, "contact", w), generator, 1e-8);
    }
  }
}

State run(const Model& model, std::vector<ConstraintPtr> more, const State& start, double end) {
  ConstrainedSystem system(model, {.more = {more.begin(), more.end()}}, start.q);
  auto integrator = make_integrator(system, {.method = "dop853", .tolerance = 1e-11});
  integrator->reset(start);
  while (integrator->state().t < end) integrator->step(end);
  return integrator->state();
}

/// A point mass on three slides that is tied to a point is a spherical pendulum.
TEST(PointConstraints, a_rod_is_a_pendulum) {
  const Model mass =
      compile(MechanismBuilder("mass")
                  .body("mass", ground, joints::of(JointType::translation3, {0, 0, 1}))
                  .x_axis({1, 0, 0})
                  .inertia(2, {}, Sym3::diagonal(1e-3, 1e-3, 1e-3))
                  .build());
  const Model pendulum = compile(MechanismBuilder("pendulum")
                                     .body("bar", ground, joints::revolute({0, 1, 0}))
                                     .inertia(2, {0, 0, -0.7}, {})
                                     .build());
  const double angle = 1.1, l = 0.7;
  const State end =
      run(mass, {distance_constraint(mass, "rod", {"ground"}, {"mass"}, l)},
          {0, VectorXd{{-l * std::sin(angle), 0, -l * std::cos(angle)}}, VectorXd::Zero(3)}, 2);
  const State swing = run(pendulum, {}, {0, VectorXd::Constant(1, angle), VectorXd::Zero(1)}, 2);
  EXPECT_NEAR(end.q[0], -l * std::sin(swing.q[0]), 1e-9);
  EXPECT_NEAR(end.q[2], -l * std::cos(swing.q[0]), 1e-9);
}

Model free_body() {
  return compile(MechanismBuilder("body")
                     .gravity({1, 0.5, -9.81})
                     .body("body", ground, joints::floating(FloatingGroup::so3xr3))
                     .inertia(2, {0.1, 0.2, 0.3}, Sym3::diagonal(0.1, 0.2, 0.25))
                     .build());
}
/// A body whose origin stays on the z axis: a prismatic joint and a spherical one in series.
TEST(PointConstraints, on_a_line_is_a_slide_with_a_ball_joint) {
  const Model body = free_body();
  const Model joints = compile(MechanismBuilder("joints")
                                   .gravity({1, 0.5, -9.81})
                                   .body("carrier", ground, joints::prismatic({0, 0, 1}))
                                   .body("body", "carrier", joints::spherical())
                                   .inertia(2, {0.1, 0.2, 0.3}, Sym3::diagonal(0.1, 0.2, 0.25))
                                   .build());
  const State a = run(body, {point_on_line(body, "line", {"body"}, {"ground"}, {0, 0, 2})},
                      {0, body.neutral(), VectorXd{{1, -2, 0.5, 0, 0, 0.4}}}, 1);
  const State b = run(joints, {}, {0, joints.neutral(), VectorXd{{0.4, 1, -2, 0.5}}}, 1);
  EXPECT_NEAR(a.q[6], b.q[0], 1e-8);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(a.q[k], b.q[1 + k], 1e-8);
  EXPECT_NEAR(std::hypot(a.q[4], a.q[5]), 0, 1e-12);
}
TEST(PointConstraints, on_a_plane_is_two_slides_with_a_ball_joint) {
  const Model body = free_body();
  const Model joints =
      compile(MechanismBuilder("joints")
                  .gravity({1, 0.5, -9.81})
                  .body("carrier", ground, joints::of(JointType::translation2, {0, 0, 1}))
                  .x_axis({1, 0, 0})
                  .body("body", "carrier", joints::spherical())
                  .inertia(2, {0.1, 0.2, 0.3}, Sym3::diagonal(0.1, 0.2, 0.25))
                  .build());
  const State a = run(body, {point_on_plane(body, "plane", {"body"}, {"ground"}, {0, 0, 2})},
                      {0, body.neutral(), VectorXd{{1, -2, 0.5, 0.4, -0.3, 0}}}, 1);
  const State b = run(joints, {}, {0, joints.neutral(), VectorXd{{0.4, -0.3, 1, -2, 0.5}}}, 1);
  EXPECT_NEAR(a.q[4], b.q[0], 1e-8);
  EXPECT_NEAR(a.q[5], b.q[1], 1e-8);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(a.q[k], b.q[2 + k], 1e-8);
}

/// Atwood's machine: masses on a cable over a fixed point, a = g (m1 - m2) / (m1 + m2).
TEST(PointConstraints, a_cable_is_atwoods_machine) {
  const Model model = compile(MechanismBuilder("atwood")
                                  .body("one", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(3, {}, {})
                                  .body("two", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(2, {}, {})
                                  .build());
  const auto cable = cable_constraint(model, "cable",
                                      {{"one", {}}, {"ground", {0, 0, 5}}, {"two", {0, 0, 0}}}, 10);
  const State end = run(model, {cable}, {0, VectorXd::Zero(2), VectorXd::Zero(2)}, 0.8);
  EXPECT_NEAR(end.q[0], -9.81 / 5 * 0.8 * 0.8 / 2, 1e-11);
  EXPECT_NEAR(end.q[1], -end.q[0], 1e-12);
}

/// A ball on an incline rolls with 5/7 g sin(slope).
TEST(Rolling, of_a_ball_down_an_incline) {
  const double r = 0.2, m = 3, slope = 0.3, g = 9.81;
  const Model model =
      compile(MechanismBuilder("ball")
                  .body("ball", ground, joints::floating())
                  .inertia(m, {}, Sym3::diagonal(0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r))
                  .build());
  const Vec3 n{std::sin(slope), 0, std::cos(slope)};
  const RollingWheel ball{{"ball"}, {}, r, {}, n};
  VectorXd q = model.neutral();
  q.tail(3) << r * n.x, 0, r * n.z;
  const State end = run(
      model, {rolling_constraint(model, "rolling", ball), wheel_on_plane(model, "contact", ball)},
      {0, q, VectorXd::Zero(6)}, 1);
  const double along = 5.0 / 14 * g * std::sin(slope);
  EXPECT_NEAR(end.q[4], q[4] + along * std::cos(slope), 1e-9);
  EXPECT_NEAR(end.q[6], q[6] - along * std::sin(slope), 1e-9);
}

/// A disk on an upright fork that rolls and turns at constant rates runs along a circle, as in examples/rolling_disk.cpp.
TEST(Rolling, of_a_disk_is_a_circle) {
  const double r = 0.3, m = 2, turn = 0.5, roll = 4;
  const Model model = compile(MechanismBuilder("disk")
                                  .gravity({0, 0, -9.81})
                                  .body("fork", ground, joints::of(JointType::planar, {0, 0, 1}))
                                  .x_axis({1, 0, 0})
                                  .body("disk", "fork", joints::revolute({0, 1, 0}, {0, 0, r}))
                                  .inertia(m, {0, 0, r}, Sym3::diagonal(0.045, 0.09, 0.045))
                                  .build());
  const RollingWheel wheel{{"disk", {0, 0, r}}, Vec3{0, 1, 0}, r};
  const double end_time = 3, radius = r * roll / turn;
  const State end = run(model, {rolling_constraint(model, "rolling", wheel)},
                        {0, model.neutral(), VectorXd{{r * roll, 0, turn, roll}}}, end_time);
  EXPECT_NEAR(end.q[0], radius * std::sin(turn * end_time), 1e-9);
  EXPECT_NEAR(end.q[1], radius * (1 - std::cos(turn * end_time)), 1e-9);
  EXPECT_NEAR(end.q[3], roll * end_time, 1e-9);
}

/// A free disk that leans and rolls: the constraint forces do no work, and its lowest point stays in the plane.
TEST(Rolling, keeps_energy_of_a_leaning_disk) {
  const double r = 0.3, m = 2;
  const Model model = compile(MechanismBuilder("disk")
                                  .body("disk", ground, joints::floating())
                                  .inertia(m, {}, Sym3::diagonal(0.045, 0.09, 0.045))
                                  .build());
  const RollingWheel wheel{{"disk"}, Vec3{0, 1, 0}, r};
  const double lean = 0.3;  // about x: the axis y rises
  VectorXd q(7), v(6);
  q << std::cos(lean / 2), std::sin(lean / 2), 0, 0, 0, 0, r * std::cos(lean);
  v << 0.2, 6, 0.5, 0, 0, 0;
  // Velocity of the center from the rolling condition, by the constraints.
  const std::vector<ConstraintPtr> more{rolling_constraint(model, "rolling", wheel),
                                        wheel_on_plane(model, "contact", wheel)};
  ConstrainedSystem system(model, {.more = {more.begin(), more.end()}}, q);
  const std::vector<bool> kept{true, true, true, false, false, false};
  const Vector start = consistent_velocity(system.constraints(), q, v, kept);
  const auto energy = [&](const State& s) {
    VelocityKinematics kin(model);
    forward_kinematics(model, s.q, s.v, kin);
    const Twist V = twist(kin, model.frame("disk"), Representation::body);
    return 0.5 * (0.045 * (V.w.x * V.w.x + V.w.z * V.w.z) + 0.09 * V.w.y * V.w.y +
                  m * dot(V.v, V.v)) +
           m * 9.81 * s.q[6];
  };
  auto integrator = make_integrator(system, {.method = "dop853", .tolerance = 1e-11});
  integrator->reset({0, q, start});
  const double before = energy(integrator->state());
  EXPECT_GT(std::abs(start[3]) + std::abs(start[5]), 1);
  while (integrator->state().t < 2) integrator->step(2);
  EXPECT_NEAR(energy(integrator->state()), before, 1e-8);
  VectorXd Phi(3);
  PositionKinematics kin(model);
  forward_kinematics(model, integrator->state().q, kin);
  system.constraints().constraint_error(kin, Phi);
  EXPECT_LT(Phi.cwiseAbs().maxCoeff(), 1e-12);
}

TEST(PointConstraints, are_checked) {
  const Model model = free_body();
  EXPECT_SAYS(distance_constraint(model, "rod", {"bdy"}, {"ground"}, 1), "constraint 'rod'",
              "did you mean 'body'?");
  EXPECT_SAYS(distance_constraint(model, "rod", {"body"}, {"ground"}, 0),
              "length 0 is not positive");
  EXPECT_SAYS(distance_constraint(model, "rod", {"body"}, {"ground"}, NAN), "length nan");
  EXPECT_SAYS(distance_constraint(model, "rod", {"body"}, {"body", {1, 0, 0}}, 1), "move together");
  EXPECT_SAYS(cable_constraint(model, "c", {{"body"}}, 1), "two points");
  EXPECT_SAYS(point_on_plane(model, "p", {"body"}, {"ground"}, {}),
              "normal (0, 0, 0) has no direction");
  EXPECT_SAYS(point_on_line(model, "p", {"body"}, {"ground"}, {}), "direction (0, 0, 0)");
  EXPECT_SAYS(rolling_constraint(model, "w", {{"body"}, {}, 0}), "radius 0 is not positive");
  EXPECT_SAYS(rolling_constraint(model, "w", {{"ground"}, {}, 1}), "does not move");
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  MatrixXd B = MatrixXd::Zero(1, 6);
  EXPECT_SAYS(distance_constraint(model, "rod", {"body"}, {"ground"}, 1)->matrix(kin, B),
              "coincide");
  EXPECT_SAYS(wheel_on_plane(model, "w", {{"body"}, Vec3{0, 0, 1}, 1})->matrix(kin, B),
              "lies flat");
}

}  // namespace point_constraints_test
}  // namespace chasles
