/// Springs of joints and tendons in descriptions, which act in every run, against closed forms.
#include <gtest/gtest.h>

#include "chasles/linearization/equilibrium.hpp"
#include "chasles/linearization/linear_system.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/simulation/actuator_force.hpp"
#include "chasles/simulation/element_forces.hpp"
#include "chasles/simulation/scenario_system.hpp"
#include "simulation/run.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace joint_springs_test {

constexpr double I = 0.5, k = 8, rest = 0.3;  // kg m^2, N m/rad, rad

/// A flywheel on a spring.
Mechanism flywheel() {
  return MechanismBuilder("flywheel")
      .gravity({})
      .body("wheel", ground, joints::revolute({0, 0, 1}))
      .inertia(1, {}, Sym3::diagonal(0.3, 0.3, I))
      .spring(k, {rest})
      .build();
}
/// q = rest + (q_0 - rest) cos(w t), w^2 = k / I.
double exact(double q_0, double t) { return rest + (q_0 - rest) * std::cos(std::sqrt(k / I) * t); }

TEST(JointSprings, a_flywheel_oscillates_as_a_cosine) {
  const Model model = compile(flywheel());
  for (const char* method : {"dop853", "radau5", "taylor", "auto"}) {
    Scenario s{.model = model, .start = {0, Eigen::VectorXd::Constant(1, 1.1), Vector(1)}};
    s.start.v.setZero();
    s.duration = 3, s.every = 0.5;
    s.integrator = {.method = method, .tolerance = 1e-11};
    const auto done = test::run(s);
    for (const auto& at : done.path) EXPECT_NEAR(at.q[0], exact(1.1, at.t), 2e-9) << method;
    s.joint_dynamics = false;
    EXPECT_NEAR(test::run(s).path.back().q[0], 1.1, 1e-14) << method;
  }
}

/// The same in maximal coordinates, where the spring is a wrench on the floating body.
TEST(JointSprings, act_in_maximal_coordinates) {
  const Mechanism m = flywheel();
  test::expect_parts(test::message([&] { to_maximal_coordinates(m, BodyGroup::se3); }),
                     {"joint 'wheel'", "stiffness 8", "leave them out"});
  Mechanism bare = m;
  bare.bodies[0].joint.dynamics = {};
  Scenario s{
      .model = compile(to_maximal_coordinates(bare, BodyGroup::se3)), .start = {}, .duration = 1};
  s.joints = compile(m);
  s.start = {0, s.model.neutral(), Vector(6)};
  s.start.v.setZero();
  s.joints_q = Eigen::VectorXd::Zero(1);
  s.integrator = {.method = "dop853", .tolerance = 1e-11};
  const auto done = test::run(s);
  const auto& q = done.path.back().q;
  EXPECT_NEAR(2 * std::atan2(q[3], q[0]), exact(0, 1), 1e-9);
}

/// k_total / I with the stiffness of gravity, -m g l cos q, at the equilibrium k (q - rest) = m g l sin q.
TEST(JointSprings, linearization_and_equilibrium_of_an_inverted_pendulum) {
  constexpr double m = 2, l = 0.4, g = 9.81, stiff = 30, at_rest = 0.2;
  const Model model = compile(MechanismBuilder("inverted")
                                  .body("rod", ground, joints::revolute({0, 1, 0}))
                                  .inertia(m, {0, 0, l}, Sym3::diagonal(0.1, 0.1, 0.01))
                                  .spring(stiff, {at_rest})
                                  .build());
  double q = at_rest;
  for (int i = 0; i < 60; ++i) q = at_rest + m * g * l * std::sin(q) / stiff;
  Scenario s{.model = model, .start = {0, Eigen::VectorXd::Constant(1, 0.1), Vector(1)}};
  s.start.v.setZero();
  s.duration = 1;
  ScenarioSystem run(s);
  const Vector found = find_equilibrium(run.system(), 0, s.start.q);
  EXPECT_NEAR(found[0], q, 1e-9);
  const LinearSystem linear = linearize(run.system(), 0, found, s.start.v);
  EXPECT_NEAR(linear.A(1, 0), -(stiff - m * g * l * std::cos(q)) / (0.1 + m * l * l), 1e-9);
  EXPECT_EQ(linear.A(1, 1), 0);
}

/// Energy of random trees in which every joint that can have a spring has one.
TEST(JointSprings, conserve_energy) {
  std::mt19937_64 generator(4);
  for (int n = 0; n < 5; ++n) {
    Mechanism m = test::random_mechanism(generator, {.bodies = 5, .tree = true});
    for (Body& body : m.bodies)
      if (body.joint.type != JointType::floating && body.joint.type != JointType::fixed)
        body.joint.dynamics = {0, 0, 20};
      else
        body.joint.dynamics = {};
    const Model model = compile(m);
    Scenario s{.model = model, .start = {0, test::random_configuration(model, generator, 0.3), {}}};
    s.start.v = test::random_vector(model.nv(), generator);
    s.duration = 0.5;
    s.integrator = {.method = "dop853", .tolerance = 1e-12};
    const auto done = test::run(s);
    EXPECT_LT(std::abs(done.summary.worst.energy),
              1e-9 * (1 + std::abs(done.summary.start.energy())));
  }
}

/// Two masses on slides, hung over a pulley by an elastic cable: they fall with (m_1 - m_2) g / (m_1 + m_2) as in
/// Atwood's machine, and the length oscillates with w^2 = k (1 / m_1 + 1 / m_2).
Mechanism atwood() {
  constexpr double m[] = {2, 3};
  MechanismBuilder b("atwood");
  b.frame("left_pulley", std::string(ground), {{}, {-0.2, 0, 1}});
  b.frame("right_pulley", std::string(ground), {{}, {0.2, 0, 1}});
  for (const int i : {0, 1})
    b.body(i == 0 ? "left" : "right", ground, joints::prismatic({0, 0, 1}))
        .pose({{}, {i == 0 ? -0.2 : 0.2, 0, 0}})
        .inertia(m[i], {}, Sym3::diagonal(0.1, 0.1, 0.1));
  Mechanism mechanism = b.build();
  mechanism.tendons = {{.name = "cable",
                        .points = {{"left"}, {"left_pulley"}, {"right_pulley"}, {"right"}},
                        .stiffness = 600,
                        .rest = {2.4, 2.4}}};
  return mechanism;
}
TEST(Tendons, of_four_points_is_atwoods_machine) {
  const Model model = compile(atwood());
  Scenario s{.model = model, .start = {0, model.neutral(), Vector(2)}, .duration = 0.4};
  s.start.v.setZero();
  s.integrator = {.method = "dop853", .tolerance = 1e-11};
  const double t = s.duration, g = 9.81, mass = 2 * 3 / 5.0, w = std::sqrt(600 / mass);
  const auto done = test::run(s);
  const auto& q = done.path.back().q;
  // The center of mass falls as the tension 2 T = ... leaves it; the stretch begins at 0 and relaxes to T / k.
  const double stretch = 2 * mass * g / 600 * (1 - std::cos(w * t));
  EXPECT_NEAR(-(q[0] + q[1]), stretch, 1e-9);
  // m_2 a_2 - m_1 a_1 = -(m_2 - m_1) g, without the tension.
  EXPECT_NEAR(3 * q[1] - 2 * q[0], -g * t * t / 2, 1e-9);
  // Implicit methods as well, though the force has no tangent of its own.
  s.integrator = {.method = "radau5", .tolerance = 1e-10};
  const auto implicit = test::run(s);
  EXPECT_LT((implicit.path.back().q - q).norm(), 1e-7);
}

/// A tendon over two flywheels: q_1 - q_2 oscillates with w^2 = k (1 / I_1 + 1 / I_2), slack between its two rests.
TEST(Tendons, of_joints_couple_them) {
  Mechanism m = flywheel();
  m.bodies[0].joint.dynamics = {};
  m.bodies.push_back(m.bodies[0]);
  m.bodies[1].name = "other";
  m.tendons = {{.name = "belt", .terms = {{"wheel", 1}, {"other", -1}}, .stiffness = 3}};
  Scenario s{
      .model = compile(m), .start = {0, Eigen::Vector2d(0.2, -0.1), Vector(2)}, .duration = 2};
  s.start.v.setZero();
  s.integrator = {.method = "dop853", .tolerance = 1e-11};
  const double w = std::sqrt(3 * 2 / I);
  auto q = test::run(s).path.back().q;
  EXPECT_NEAR(q[0] - q[1], 0.3 * std::cos(2 * w), 1e-9);
  EXPECT_NEAR(q[0] + q[1], 0.1, 1e-12);
  ScenarioSystem run(s);
  const LinearSystem linear = linearize(run.system(), 0, s.start.q, s.start.v);
  EXPECT_NEAR(linear.A(2, 0), -3 / I, 1e-12);
  EXPECT_NEAR(linear.A(2, 1), 3 / I, 1e-12);
  // Slack: uniform motion until the length is 0.5.
  m.tendons[0].rest = {-0.5, 0.5};
  s.model = compile(m);
  s.start.v = Eigen::Vector2d(1, 0);
  s.duration = 0.2;
  q = test::run(s).path.back().q;
  EXPECT_NEAR(q[0], 0.4, 1e-12);
  // Half a period later it swings back.
  s.duration = 0.2 + M_PI / w;
  const auto after = test::run(s).path.back();
  EXPECT_NEAR(after.q[0] - after.q[1], 0.5, 1e-6);
  EXPECT_NEAR(after.v[0] - after.v[1], -1, 1e-6);
}

TEST(Tendons, actuators_pull_at_them) {
  Mechanism m = atwood();
  m.actuators = {{.name = "winch",
                  .gain = {3, 0, 0},
                  .force_range = Actuator::Range{-4, 4},
                  .tendon = "cable"}};
  const Model model = compile(m);
  VelocityKinematics kin(model);
  Vector v(2);
  v.setZero();
  forward_kinematics(model, model.neutral(), v, kin);
  for (const auto& [u, f] : {std::pair{-1.0, -3.0}, {-2.0, -4.0}}) {
    JointForces out{Vector(2), {}};
    out.tau.setZero();
    actuator_force(model, m.actuators[0], u).law.add(0, kin, out);
    double lift = 0;
    for (const AppliedWrench& w : out.wrenches)
      if (w.frame.link == 0) lift += w.W.f.z;
    EXPECT_NEAR(lift, -f, 1e-14);  // the length grows as the mass falls
  }
}

TEST(Tendons, mistakes_are_named) {
  const auto refused = [](const auto& change, std::initializer_list<const char*> parts) {
    Mechanism m = atwood();
    change(m);
    test::expect_parts(test::message([&] { compile(m); }), parts);
  };
  refused([](Mechanism& m) { m.tendons[0].name = ""; }, {"has no name"});
  refused([](Mechanism& m) { m.tendons.push_back(m.tendons[0]); }, {"'cable'", "used twice"});
  refused([](Mechanism& m) { m.tendons[0].points.clear(); }, {"'cable'", "joints", "points"});
  refused([](Mechanism& m) { m.tendons[0].points.resize(1); }, {"one point, 'left'"});
  refused([](Mechanism& m) { m.tendons[0].points[0].frame = "lefd"; }, {"'lefd'"});
  refused([](Mechanism& m) { m.tendons[0].points[0].weight = -1; }, {"weight -1", "'left'"});
  refused([](Mechanism& m) { m.tendons[0].points.back().weight = 0.5; },
          {"'cable'", "no segment after 'right'", "weight 0.5", "the point before"});
  refused([](Mechanism& m) { m.tendons[0].stiffness = NAN; }, {"stiffness nan", "0 or more"});
  refused([](Mechanism& m) { m.tendons[0].damping = -2; }, {"damping -2"});
  refused([](Mechanism& m) { m.tendons[0].rest = {2, 1}; }, {"rest [2, 1]", "least length first"});
  refused([](Mechanism& m) { m.tendons[0].terms = {{"left"}}; }, {"joints", "or its points"});
  refused([](Mechanism& m) { m.bodies[0].joint.dynamics.stiffness = -1; }, {"stiffness -1"});
  refused(
      [](Mechanism& m) {
        m.bodies[0].joint.dynamics.rest = {1, 2};
      },
      {"'left'", "rest has 2 numbers", "1 entries"});
  refused([](Mechanism& m) { m.bodies[0].joint.dynamics.rest = {NAN}; }, {"rest", "finite"});
  refused(
      [](Mechanism& m) {
        m.bodies[0].joint = joints::spherical();
        m.bodies[0].joint.dynamics.rest = {1, 1, 0, 0};
      },
      {"(1, 1, 0, 0)", "unit quaternion"});
  refused([](Mechanism& m) { m.actuators = {{.name = "a", .tendon = "cabel"}}; },
          {"actuator 'a'", "no tendon 'cabel'", "cable"});
  const Model model = compile(atwood());
  test::expect_parts(test::message([&] {
                       tendon_force(model, {.name = "t", .points = {{"ground"}, {"left_pulley"}}});
                     }),
                     {"tendon 't'", "never changes"});
  test::expect_parts(test::message([&] {
                       tendon_force(model, {.name = "t", .terms = {{"left"}}, .rest = {1, 0}});
                     }),
                     {"tendon 't'", "rest [1, 0]"});
}

}  // namespace joint_springs_test
}  // namespace chasles
