/// Tendons around spheres and cylinders, their friction, ranges and polynomials, against closed forms, other formulations
/// and differences.
#include "simulation/wrapping.hpp"

#include <gtest/gtest.h>

#include <random>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/element_forces.hpp"
#include "simulation/run.hpp"
#include "simulation/tendon_length.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace wrapping_test {

using forces::wrapped_path;
using Wrap = Tendon::Wrap;
constexpr double R = 0.3;

/// The length of a path over two points of the surface, with a geodesic between them.
double length_over(Wrap::Shape shape, const Vec3& a, const Vec3& p, const Vec3& q, const Vec3& b) {
  double on = R * std::atan2(norm(cross(p, q)), dot(p, q));
  if (shape == Wrap::cylinder) {
    const double turn = std::remainder(std::atan2(q.y, q.x) - std::atan2(p.y, p.x), 2 * M_PI);
    on = std::hypot(R * turn, q.z - p.z);
  }
  return norm(p - a) + on + norm(b - q);
}
/// A point of the surface at angles (or angle and height) near p.
Vec3 moved(Wrap::Shape shape, const Vec3& p, double u, double w) {
  if (shape == Wrap::cylinder) {
    const double angle = std::atan2(p.y, p.x) + u / R;
    return {R * std::cos(angle), R * std::sin(angle), p.z + w};
  }
  const Vec3 any = std::abs(p.x) < std::abs(p.y) ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 e = cross(p, any), f = cross(p, e);
  const Vec3 x = p + (u / norm(e)) * e + (w / norm(f)) * f;
  return (R / norm(x)) * x;
}

/// It touches the surface, is tangent to it, and shorter than all paths over neighboring points that stay outside.
TEST(Wrapping, paths_are_shortest) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  int wrapped = 0, compared = 0;
  for (int k = 0; k < 600; ++k) {
    const auto shape = k % 2 == 0 ? Wrap::sphere : Wrap::cylinder;
    const Vec3 a{number(random), number(random), number(random)},
        b{number(random), number(random), number(random)};
    const auto path = wrapped_path(shape, R, a, b, {});
    // Whether the segment meets the shape, by sampling.
    double nearest = 1e9;
    for (int i = 0; i <= 2000; ++i) {
      const Vec3 x = a + (i / 2000.0) * (b - a);
      nearest = std::min(nearest, shape == Wrap::sphere ? norm(x) : std::hypot(x.x, x.y));
    }
    const auto radius = [&](const Vec3& x) {
      return shape == Wrap::sphere ? norm(x) : std::hypot(x.x, x.y);
    };
    if (radius(a) <= R || radius(b) <= R || nearest > R + 1e-6) {
      EXPECT_FALSE(path) << k;
      continue;
    }
    if (nearest > R - 1e-6) continue;
    ASSERT_TRUE(path) << k;
    ++wrapped;
    const Vec3 &p = path->first, &q = path->second;
    EXPECT_NEAR(radius(p), R, 1e-15);
    EXPECT_NEAR(radius(q), R, 1e-15);
    const auto normal = [&](const Vec3& x) {
      return shape == Wrap::sphere ? x : Vec3{x.x, x.y, 0};
    };
    EXPECT_NEAR(dot(normal(p), p - a), 0, 1e-14);
    EXPECT_NEAR(dot(normal(q), b - q), 0, 1e-14);
    const double length = length_over(shape, a, p, q, b);
    EXPECT_NEAR(norm(p - a) + path->arc + norm(b - q), length, 1e-14);
    for (int i = 0; i < 16; ++i) {
      const double u = 0.02 * number(random), w = 0.02 * number(random);
      const Vec3 p_u = moved(shape, p, u, w), q_u = moved(shape, q, u, w);
      // Where the straight lines stay outside.
      if (dot(normal(p_u), a - p_u) >= 0) {
        EXPECT_GT(length_over(shape, a, p_u, q, b), length - 1e-14) << k;
        ++compared;
      }
      if (dot(normal(q_u), b - q_u) >= 0) {
        EXPECT_GT(length_over(shape, a, p, q_u, b), length - 1e-14) << k;
        ++compared;
      }
    }
  }
  EXPECT_GT(wrapped, 80);
  EXPECT_GT(compared, 1000);
}

/// Opposite points at the distance r: 2 sqrt(r^2 - R^2) + R (pi - 2 acos(R / r)); a side decides for the long way.
TEST(Wrapping, sides_decide) {
  const double r = 0.5, tangent = std::sqrt(r * r - R * R), turn = std::acos(R / r);
  for (const auto shape : {Wrap::sphere, Wrap::cylinder}) {
    for (const double side : {1.0, -1.0}) {
      const auto path = wrapped_path(shape, R, {-r, 0, 0}, {r, 0, 0}, Vec3{0, side, 0});
      ASSERT_TRUE(path);
      EXPECT_NEAR(path->arc, R * (M_PI - 2 * turn), 1e-15);
      EXPECT_GT(side * path->first.y, 0);
      EXPECT_NEAR(norm(path->first - Vec3{-r, 0, 0}), tangent, 1e-15);
    }
    // A line that passes without touching: on its side nothing, on the other side around the back.
    const Vec3 a{-r, 0.4, 0}, b{r, 0.4, 0};
    EXPECT_FALSE(wrapped_path(shape, R, a, b, {}));
    EXPECT_FALSE(wrapped_path(shape, R, a, b, Vec3{0, 1, 0}));
    const auto back = wrapped_path(shape, R, a, b, Vec3{0, -1, 0});
    ASSERT_TRUE(back);
    const double s = norm(a), Delta = 2 * M_PI - 2 * std::atan2(r, 0.4);
    EXPECT_NEAR(back->arc, R * (Delta - 2 * std::acos(R / s)), 1e-15);
    EXPECT_LT(back->first.y, 0);
  }
}

/// An arm with two joints and a tendon over a sphere and a cylinder on it.
Mechanism arm() {
  Mechanism m = MechanismBuilder("arm")
                    .body("upper", ground, joints::spherical())
                    .inertia(2, {0, 0, -0.3}, Sym3::diagonal(0.03, 0.03, 0.01))
                    .body("lower", "upper", joints::revolute({0, 1, 0}, {0, 0, -0.6}))
                    .inertia(1, {0, 0, -0.8}, Sym3::diagonal(0.02, 0.02, 0.005))
                    .frame("hook", std::string(ground), {{}, {0.2, 0.05, 0.4}})
                    .frame("ball", "upper", {{}, {0.05, 0, 0.05}})
                    .frame("knee", "upper", {{}, {0.15, 0, -0.4}})
                    .frame("pulley", "upper", {rotation_from_rpy(M_PI / 2, 0, 0), {0.02, 0, -0.6}})
                    .frame("side", "upper", {{}, {0.3, 0, -0.6}})
                    .frame("ankle", "lower", {{}, {0.1, 0.03, -0.9}})
                    .build();
  m.tendons = {{.name = "cable",
                .points = {{"hook", 1, Wrap{"ball", Wrap::sphere, 0.12, ""}},
                           {"knee", 0.5, Wrap{"pulley", Wrap::cylinder, 0.1, "side"}},
                           {"ankle"}},
                .stiffness = 40,
                .damping = 2,
                .rest = {0.7, 0.7},
                .stiffening = {30, 100},
                .drag = {1, 0.5},
                .friction = 0.3}};
  return m;
}

/// Rate and force of a wrapped tendon: l' against differences of l along a motion, Q v = f l' with f = dU/dl.
TEST(Wrapping, rates_and_forces_are_gradients) {
  const Model model = compile(arm());
  const Tendon& tendon = model.tendons()[0];
  Tendon straight = tendon;
  for (Tendon::Point& point : straight.points) point.wrap.reset();
  const forces::TendonLength length(model, tendon, "tendon"), shorter(model, straight, "tendon");
  InverseDynamics work(model);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-0.5, 0.5);
  VelocityKinematics kin(model);
  int touches = 0;
  for (int k = 0; k < 40; ++k) {
    Vector v(model.nv()), q(model.nq()), step(model.nv()), next(model.nq());
    for (int i = 0; i < model.nv(); ++i) step[i] = number(random), v[i] = 2 * number(random);
    plus(model, model.neutral(), step, q);
    const auto at = [&](double h) {
      step = h * v;
      plus(model, q, step, next);
      PositionKinematics there(model);
      forward_kinematics(model, next, there);
      return length.value(there);
    };
    const double h = 1e-3;  // differences of order 8
    const double rate =
        (4.0 / 5 * (at(h) - at(-h)) - 1.0 / 5 * (at(2 * h) - at(-2 * h)) +
         4.0 / 105 * (at(3 * h) - at(-3 * h)) - 1.0 / 280 * (at(4 * h) - at(-4 * h))) /
        h;
    forward_kinematics(model, q, v, kin);
    touches += length.value(kin) > shorter.value(kin) + 1e-6;
    EXPECT_NEAR(length.rate(kin), rate, 1e-10) << k;
    JointForces out{Vector(model.nv()), {}};
    out.tau.setZero();
    length.push(kin, 1, out);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.nv());
    const Eigen::VectorXd with = inverse_dynamics(model, q, v, none, work, out.wrenches),
                          without = inverse_dynamics(model, q, v, none, work);
    const double power = (out.tau - (with - without)).dot(v);
    EXPECT_NEAR(power, length.rate(kin), 1e-12) << k;
  }
  EXPECT_GT(touches, 10);
}

/// A load on a cable that runs over a drum, the longer way: l = const - z, whatever the radius, so that it swings like a spring.
TEST(Wrapping, a_load_over_a_drum_swings) {
  const double m = 3, k = 50, g = 9.81;
  Mechanism load = MechanismBuilder("load")
                       .body("load", ground, joints::prismatic({0, 0, 1}))
                       .inertia(m, {}, {})
                       .frame("drum", std::string(ground), {rotation_from_rpy(M_PI / 2, 0, 0), {}})
                       .frame("anchor", std::string(ground), {{}, {-1, 0, R}})
                       .frame("above", std::string(ground), {{}, {0.6, 0, 0.6}})
                       .frame("hang", "load", {{}, {R, 0, -0.5}})
                       .build();
  const double l_0 = 1 + R * M_PI / 2 + 0.5;
  load.tendons = {{.name = "cable",
                   .points = {{"anchor", 1, Wrap{"drum", Wrap::cylinder, R, "above"}}, {"hang"}},
                   .stiffness = k,
                   .rest = {l_0, l_0}}};
  Scenario s{.model = compile(load), .start = {0, Vector(1), Vector(1)}, .duration = 2};
  s.start.q.setZero(), s.start.v.setZero();
  s.every = 0.25;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  for (const auto& at : test::run(s).path)
    EXPECT_NEAR(at.q[0], m * g / k * (std::cos(std::sqrt(k / m) * at.t) - 1), 1e-10);
}

Mechanism slider(double mass) {
  return MechanismBuilder("slider")
      .gravity({})
      .body("slider", ground, joints::prismatic({1, 0, 0}))
      .inertia(mass, {}, {})
      .build();
}
State moving(double v) {
  State state{0, Vector(1), Vector(1)};
  state.q[0] = 0, state.v[0] = v;
  return state;
}

/// m v' = -d_2 v |v|: v = v_0 / (1 + d_2 v_0 t / m);  m v' = -d_3 v^3: v = v_0 / sqrt(1 + 2 d_3 v_0^2 t / m).
TEST(ProgressiveSprings, drag_slows_a_slider) {
  const double m = 2, d = 3, v_0 = -1.5;
  for (const bool tendon : {false, true})
    for (const std::size_t k : {0u, 1u}) {
      Mechanism with = slider(m);
      std::array<double, 2> drag{};
      drag[k] = d;
      if (tendon)
        with.tendons = {{.name = "t", .terms = {{"slider", 1}}, .drag = drag}};
      else
        with.bodies[0].joint.dynamics.drag = drag;
      for (const char* method : {"dop853", "radau5"}) {
        Scenario s{.model = compile(with), .start = moving(v_0), .duration = 2};
        s.integrator = {.method = method, .tolerance = 1e-11};
        const double t = 2, exact = k == 0 ? v_0 / (1 - d * v_0 * t / m)
                                           : v_0 / std::sqrt(1 + 2 * d * v_0 * v_0 * t / m);
        EXPECT_NEAR(test::run(s).path.back().v[0], exact, 1e-10) << tendon << k << method;
      }
    }
}

/// The turning point of m v'' = -(k x + k_2 x^2 + k_3 x^3) by its energy.
TEST(ProgressiveSprings, keep_energy) {
  const double m = 2, k = 5, k_2 = 4, k_3 = 20, v_0 = 1.2;
  for (const bool tendon : {false, true}) {
    Mechanism with = slider(m);
    if (tendon) {
      with.tendons = {
          {.name = "t", .terms = {{"slider", 1}}, .stiffness = k, .stiffening = {k_2, k_3}}};
    } else {
      with.bodies[0].joint.dynamics.stiffness = k;
      with.bodies[0].joint.dynamics.stiffening = {k_2, k_3};
    }
    Scenario s{.model = compile(with), .start = moving(v_0), .duration = 3};
    s.integrator = {.method = "dop853", .tolerance = 1e-12};
    s.every = 0.1;
    s.quantities = {"energy"};
    for (const auto& at : test::run(s).path) {
      const double x = at.q[0], U = x * x * (k / 2 + x * (k_2 / 3 + x * k_3 / 4));
      EXPECT_NEAR(m / 2 * at.v[0] * at.v[0] + U, m / 2 * v_0 * v_0, 1e-10);
    }
    const Forces own = [&] {
      Forces list;
      for (Force& force : joint_dynamics(s.model)) list.add(std::move(force));
      return list;
    }();
    EXPECT_TRUE(own.has_tangent());
  }
  Mechanism bad = slider(m);
  bad.bodies[0].joint.dynamics.drag = {-1, 0.1};
  EXPECT_SAYS(check(bad), "joint 'slider'", "damping [0, -1, 0.1] would drive it");
  bad.bodies[0].joint.dynamics.damping = 3;  // 3 - s + 0.1 s^2 > 0
  EXPECT_NO_THROW(check(bad));
  bad.bodies[0].joint.type = JointType::spherical;
  EXPECT_SAYS(check(bad), "for joints of one coordinate, which a spherical joint is not");
}

/// Friction brakes a slider evenly: v_0 - f t / m, and it stops after m v_0^2 / (2 f), to the width of the smooth sign.
TEST(TendonFriction, brakes_evenly) {
  Mechanism with = slider(2);
  with.tendons = {{.name = "t", .terms = {{"slider", -1}}, .friction = 3}};
  Scenario s{.model = compile(with), .start = moving(1), .duration = 0.5};
  s.integrator = {.method = "radau5", .tolerance = 1e-10};
  EXPECT_NEAR(test::run(s).path.back().v[0], 1 - 1.5 * 0.5, 1e-9);
  s.duration = 2;
  EXPECT_NEAR(test::run(s).path.back().q[0], 1.0 / 3, 2e-3);
}

/// A range: found when it is passed, and held by soft stops where the spring of the stop bears the load.
TEST(TendonRange, is_reported_or_enforced) {
  Mechanism with = slider(2);
  with.tendons = {{.name = "t", .terms = {{"slider", 2}}, .range = std::array{-1.0, 1.0}}};
  Scenario s{.model = compile(with), .start = moving(0.4), .duration = 3};
  s.integrator = {.method = "dop853", .tolerance = 1e-10};
  const auto summary = [&] { return test::run(s).summary; };
  const auto found = summary().violations;  // 2 * 0.4 t = 1
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Violation::length_range);
  EXPECT_NEAR(found[0].first, 1.25, 1e-8);
  EXPECT_NEAR(found[0].worst, 2.4, 1e-9);
  EXPECT_NE(found[0].text().find("tendon 't': length 2.4"), std::string::npos) << found[0].text();
  with.gravity = {9, 0, 0};
  s.model = compile(with);
  s.limits = LimitMode::soft;
  s.stops.stiffness = 1e4, s.stops.damping = 400;
  s.duration = 6;
  // 2 f = m g, f = stiffness (l - 1)
  EXPECT_NEAR(2 * test::run(s).path.back().q[0], 1 + 9.0 / 1e4, 1e-8);
  s.stops.stiffness.reset(), s.stops.damping.reset();
  // The inertia along the length: m / 4; stiffness = I / time^2.
  EXPECT_NEAR(2 * test::run(s).path.back().q[0], 1 + 9.0 / (0.5 / 1e-4), 1e-7);
  with.tendons[0].range = std::array{1.0, -1.0};
  EXPECT_SAYS(check(with), "tendon 't'", "range [1, -1] is not a range of lengths");
}

TEST(Wrapping, bad_wraps_are_refused) {
  const auto said = [](auto change) {
    Mechanism m = arm();
    change(m.tendons[0]);
    return test::message([&] { check(m); });
  };
  const auto expect = [&](auto change, std::initializer_list<const char*> parts) {
    test::expect_parts(said(change), parts);
  };
  expect([](Tendon& t) { t.points[0].wrap->frame = "bal"; },
         {"tendon 'cable'", "'bal'", "did you mean 'ball'?"});
  expect([](Tendon& t) { t.points[0].wrap->radius = 0; }, {"radius 0", "not positive"});
  expect([](Tendon& t) { t.points[1].wrap->side = "sid"; }, {"did you mean 'side'?"});
  expect([](Tendon& t) { t.points[2].wrap = t.points[1].wrap; },
         {"there is no segment after 'ankle'"});
  expect([](Tendon& t) { t.points[0].weight = 0; },
         {"the segment after 'hook' has the weight 0", "'ball' changes nothing"});
  expect([](Tendon& t) { t.friction = -1; }, {"friction -1 would drive"});
}

}  // namespace wrapping_test
}  // namespace chasles
