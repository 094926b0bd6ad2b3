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
                        double tolerance = 1e-9, double step = 2e-3) {
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
        step);
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
    const SpaceCurve ring =
        SpaceCurve::expressions("2*cos(s)", "3*sin(s)", "cos(2*s)/2", 0, 2 * M_PI, true);
    const SpaceCurve wire =
        SpaceCurve::through({{-2, 1, 0}, {0, 0.5, 0.4}, {1, -1, 0.3}, {2, 2, 1}});
    expect_derivatives(model, *point_on_profile(model, "ring", a, b, ring), generator, 1e-8);
    // Second derivatives of splines have kinks at their points: short steps.
    for (const SpaceCurve& curve : {ring, wire}) {
      expect_derivatives(model, *point_on_curve(model, "curve", a, b, curve), generator, 1e-6,
                         1e-5);
      expect_derivatives(model, *point_on_curve(model, "fixed", b, fixed, curve), generator, 1e-6,
                         1e-5);
      expect_derivatives(model, *point_on_profile(model, "profile", a, b, curve), generator, 1e-6,
                         1e-5);
    }
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

Model bead() {
  return compile(MechanismBuilder("bead")
                     .body("bead", ground, joints::of(JointType::translation3, {0, 0, 1}))
                     .x_axis({1, 0, 0})
                     .inertia(2, {}, Sym3::diagonal(1e-3, 1e-3, 1e-3))
                     .build());
}
/// A bead on a circular wire is a pendulum; through four points of a circle and more the spline is nearly one.
TEST(PointOnCurve, a_circle_is_a_pendulum) {
  const Model mass = bead();
  const Model pendulum = compile(MechanismBuilder("pendulum")
                                     .body("bar", ground, joints::revolute({0, 1, 0}))
                                     .inertia(2, {0, 0, -0.7}, {})
                                     .build());
  const double angle = 1.1, l = 0.7;
  const State swing = run(pendulum, {}, {0, VectorXd::Constant(1, angle), VectorXd::Zero(1)}, 2);
  const State start{0, VectorXd{{-l * std::sin(angle), 0, -l * std::cos(angle)}},
                    VectorXd::Zero(3)};
  std::vector<Vec3> points;
  for (int k = 0; k < 200; ++k)
    points.push_back({l * std::cos(M_PI * k / 100), 0, l * std::sin(M_PI * k / 100)});
  const SpaceCurve exact =
                       SpaceCurve::expressions("0.7*cos(s)", "0", "0.7*sin(s)", 0, 2 * M_PI, true),
                   table = SpaceCurve::through(points, true);
  const State on_exact =
      run(mass, {point_on_curve(mass, "wire", {"bead"}, {"ground"}, exact)}, start, 2);
  EXPECT_NEAR(on_exact.q[0], -l * std::sin(swing.q[0]), 1e-9);
  EXPECT_NEAR(on_exact.q[1], 0, 1e-13);
  EXPECT_NEAR(on_exact.q[2], -l * std::cos(swing.q[0]), 1e-9);
  // h^4 / 384 of the radius off, with 200 points h = 0.03 rad; the start is moved there.
  const State on_table =
      run(mass, {point_on_curve(mass, "wire", {"bead"}, {"ground"}, table)}, start, 2);
  EXPECT_NEAR(on_table.q[0], on_exact.q[0], 1e-7);
  EXPECT_NEAR(on_table.q[2], on_exact.q[2], 1e-7);
}

/// Huygens: on a cycloid of a circle with the radius a, with its cusps up, every swing takes 4 pi sqrt(a / g).
TEST(PointOnCurve, a_cycloid_is_isochronous) {
  const Model mass = bead();
  const SpaceCurve cycloid =
      SpaceCurve::expressions("0.3*(s + sin(s))", "0", "-0.3*cos(s)", -3, 3, false);
  const double period = 4 * M_PI * std::sqrt(0.3 / 9.81);
  for (const double s : {0.1, 1.0, 2.8}) {
    const SpaceCurveValue at = cycloid(s);
    const State start{0, VectorXd{{at.c.x, at.c.y, at.c.z}}, VectorXd::Zero(3)};
    const auto wire = point_on_curve(mass, "wire", {"bead"}, {"ground"}, cycloid);
    const State half = run(mass, {wire}, start, period / 2),
                whole = run(mass, {wire}, start, period);
    EXPECT_NEAR(half.q[0], -at.c.x, 1e-8) << s;
    EXPECT_NEAR(whole.q[0], at.c.x, 1e-8) << s;
    EXPECT_NEAR(whole.q[2], at.c.z, 1e-8) << s;
    EXPECT_NEAR(whole.v[0], 0, 1e-7) << s;
  }
}

/// A helix has one slope, and so has the straight line beyond its end: z = z_0 - g sin^2(slope) t^2 / 2 on both. There
/// other turns of the helix are nearer to the bead than its end.
TEST(PointOnCurve, beyond_its_ends_is_straight) {
  const Model mass = bead();
  const double r = 0.1, h = 0.02, end = -9, square = h * h / (r * r + h * h);
  const SpaceCurve helix =
      SpaceCurve::expressions("0.1*cos(s)", "0.1*sin(s)", "0.02*s", end, 3, false);
  const auto wire = point_on_curve(mass, "wire", {"bead"}, {"ground"}, helix);
  const State start{0, VectorXd{{r, 0, 0}}, VectorXd::Zero(3)};
  for (const double t : {0.5, 1.3, 2.0}) {
    const State at = run(mass, {wire}, start, t);
    const double z = -9.81 * square * t * t / 2, beyond = end - z / h;
    EXPECT_NEAR(at.q[2], z, 1e-8) << t;
    const double s = std::max(z / h, end);
    EXPECT_NEAR(at.q[0], r * std::cos(s) + std::max(beyond, 0.0) * r * std::sin(s), 1e-7) << t;
    EXPECT_NEAR(helix.nearest({at.q[0], at.q[1], at.q[2]}), z / h, 1e-6);
  }
  // The same of a spline, whose ends lie beside each other.
  const SpaceCurve hairpin =
      SpaceCurve::through({{0, 0, 0}, {1, 0, 0}, {1.2, 0.1, 0}, {1, 0.2, 0}, {0, 0.2, 0}});
  const SpaceCurveValue first = hairpin(0);
  EXPECT_NEAR(hairpin.nearest(first.c - 0.7 * first.d1), -0.7, 1e-12);
}

/// An eccentric disk as cam: a roller at the distance r from its center, which is e from its axis, has the lift of a
/// slider-crank, e cos(q) + sqrt(r^2 - e^2 sin(q)^2).
TEST(PointOnCurve, a_profile_is_a_cam) {
  const double e = 0.02, r = 0.06;
  const Model model = compile(MechanismBuilder("cam")
                                  .gravity({})
                                  .body("cam", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {e, 0, 0}, Sym3::diagonal(1e-3, 1e-3, 1e-3))
                                  .body("follower", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(0.4, {}, {})
                                  .build());
  const SpaceCurve profile =
      SpaceCurve::expressions("0.02 + 0.06*cos(s)", "0.06*sin(s)", "0", 0, 2 * M_PI, true);
  const auto roller =
      point_on_profile(model, "roller", {"follower", {0, 0, 0.5}}, {"cam"}, profile);
  const auto lift = [&](double q) {
    return e * std::cos(q) + std::sqrt(r * r - e * e * std::sin(q) * std::sin(q));
  };
  ConstrainedSystem system(model, {.more = {roller}}, VectorXd{{0, e + r}});
  const Vector v = consistent_velocity(system.constraints(), VectorXd{{0, e + r}}, VectorXd{{5, 0}},
                                       {true, false});
  const State end = run(model, {roller}, {0, VectorXd{{0, e + r}}, v}, 3);
  EXPECT_GT(std::abs(end.q[0]), 10);
  EXPECT_NEAR(end.q[1], lift(end.q[0]), 1e-12);
  // Energy: the constraint does no work.
  const double q = end.q[0],
               slope = -e * std::sin(q) - e * e * std::sin(q) * std::cos(q) /
                                              std::sqrt(r * r - e * e * std::sin(q) * std::sin(q));
  EXPECT_NEAR(end.v[1], slope * end.v[0], 1e-11);
  EXPECT_NEAR(1.4e-3 * end.v[0] * end.v[0] + 0.4 * end.v[1] * end.v[1], 1.4e-3 * 25, 1e-10);
}

/// On a wire in space that is not plane: energy, and the distance from the wire.
TEST(PointOnCurve, keeps_energy_on_a_knot) {
  const Model mass = bead();
  const SpaceCurve knot = SpaceCurve::expressions(
      "(2 + cos(3*s))*cos(2*s)", "(2 + cos(3*s))*sin(2*s)", "sin(3*s)", 0, 2 * M_PI, true);
  const SpaceCurveValue at = knot(0.4);
  const double speed = 7;
  const Vec3 v = (speed / norm(at.d1)) * at.d1;
  const State end = run(mass, {point_on_curve(mass, "knot", {"bead"}, {"ground"}, knot)},
                        {0, VectorXd{{at.c.x, at.c.y, at.c.z}}, VectorXd{{v.x, v.y, v.z}}}, 6);
  EXPECT_NEAR(end.v.squaredNorm() / 2 + 9.81 * end.q[2], speed * speed / 2 + 9.81 * at.c.z, 1e-7);
  const Vec3 y{end.q[0], end.q[1], end.q[2]};
  EXPECT_LT(norm(knot(knot.nearest(y)).c - y), 1e-12);
}

/// Unit vectors perpendicular to the tangent, whose derivatives are those of differences, and that return.
TEST(SpaceCurves, have_normals) {
  std::vector<Vec3> points;
  for (int k = 0; k < 9; ++k)
    points.push_back({std::cos(0.7 * k), std::sin(0.7 * k), 0.3 * std::sin(1.4 * k)});
  const SpaceCurve spiral =
                       SpaceCurve::expressions("cos(s)", "sin(s)", "s^2/10 + atan2(s, 2)", 0, 9),
                   open = SpaceCurve::through(points), shut = SpaceCurve::through(points, true);
  for (const SpaceCurve& curve : {spiral, open, shut}) {
    for (double s = curve.from() + 0.0123; s < curve.to(); s += 0.1) {
      const SpaceCurveValue e = curve.normal(s), c = curve(s);
      EXPECT_NEAR(norm(e.c), 1, 1e-14);
      EXPECT_NEAR(dot(e.c, c.d1), 0, 1e-14 * norm(c.d1));
      const auto difference = [&](const auto& f) {
        const VectorXd d = test::derivative(
            [&](double x) -> VectorXd {
              const Vec3 y = f(s + x);
              return VectorXd{{y.x, y.y, y.z}};
            },
            1e-5);  // across the kinks of splines
        return Vec3{d[0], d[1], d[2]};
      };
      EXPECT_LT(norm(difference([&](double x) { return curve(x).c; }) - c.d1), 1e-8);
      EXPECT_LT(norm(difference([&](double x) { return curve(x).d1; }) - c.d2), 1e-5);
      EXPECT_LT(norm(difference([&](double x) { return curve.normal(x).c; }) - e.d1), 1e-5);
    }
  }
  const Vec3 way = shut.normal(shut.from()).c - shut.normal(shut.to() - 1e-9).c;
  EXPECT_LT(norm(way), 1e-7);
  const SpaceCurveValue third = spiral(1.3);
  EXPECT_NEAR(third.d3.x, std::sin(1.3), 1e-14);
  EXPECT_NEAR(third.d3.z, 2 * 2 * (3 * 1.69 - 4) / std::pow(4 + 1.69, 3), 1e-14);  // atan(s / 2)
}

TEST(SpaceCurves, are_checked) {
  EXPECT_SAYS(SpaceCurve::through({{0, 0, 0}}), "1 points; give at least two");
  EXPECT_SAYS(SpaceCurve::through({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, true),
              "2 points; give at least three");
  EXPECT_SAYS(SpaceCurve::through({{0, 0, 0}, {1, NAN, 0}}), "point 1 of a curve");
  EXPECT_SAYS(SpaceCurve::through({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}), "points 1 and 2", "once");
  EXPECT_SAYS(SpaceCurve::expressions("s", "r", "0", 0, 1), "y of a curve, 'r'", "no variable 'r'");
  EXPECT_SAYS(SpaceCurve::expressions("s", "0", "2*(", 0, 1), "z of a curve", "column");
  EXPECT_SAYS(SpaceCurve::expressions("s", "0", "0", 1, 1), "interval that increases");
  EXPECT_SAYS(SpaceCurve::expressions("s", "0", "0", NAN, 1), "interval that increases");
  EXPECT_SAYS(SpaceCurve::expressions("s", "0", "0", 0, 1, true), "not closed");
  EXPECT_SAYS(SpaceCurve::expressions("s^2", "0", "s^3", -1, 1), "no tangent at s = 0");
  EXPECT_SAYS(SpaceCurve::expressions("log(s)", "0", "0", 0, 1), "not finite at s = 0");
  EXPECT_SAYS(SpaceCurve::of({}, 0, 1), "no function");
  const Model model = free_body();
  const SpaceCurve circle = SpaceCurve::expressions("cos(s)", "sin(s)", "0", 0, 2 * M_PI, true),
                   upright = SpaceCurve::expressions("0", "0", "s", 0, 1);
  EXPECT_SAYS(point_on_curve(model, "wire", {"bdy"}, {"ground"}, circle), "constraint 'wire'",
              "did you mean 'body'?");
  EXPECT_SAYS(point_on_curve(model, "wire", {"body"}, {"body", {1, 0, 0}}, circle),
              "move together");
  EXPECT_SAYS(point_on_profile(model, "slot", {"body"}, {"ground"}, upright), "constraint 'slot'",
              "no tangent");
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  VectorXd Phi(2);
  EXPECT_SAYS(
      point_on_curve(model, "wire", {"body"}, {"ground"}, circle)->constraint_error(kin, Phi),
      "center of curvature");
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
