/// Friction that sticks, against closed forms: it does not creep, and breaks away where it should.
#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "simulation/run.hpp"

namespace chasles {
namespace {

using test::End, test::g, test::run, test::small_tensor;

constexpr double sled_mass = 2, rubbing = 3;  // [kg, N]

Model sled() {
  return compile(MechanismBuilder("slide")
                     .gravity({})
                     .body("block", ground, joints::prismatic({1, 0, 0}))
                     .limits(-10, 100)
                     .inertia(sled_mass, {}, small_tensor)
                     .build());
}
Scenario sledding(double q, double v, double duration, std::optional<double> breakaway = {}) {
  Scenario s{.model = sled(), .start = {0, Vector{q}, Vector{v}}};
  s.duration = duration;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  s.forces.add(joint_friction(s.model, "block",
                              {.coulomb = rubbing, .stick = true, .breakaway = breakaway}));
  return s;
}

TEST(Stiction, does_not_creep) {
  for (const double load : {0.999999 * rubbing, -0.5 * rubbing}) {
    Scenario s = sledding(0.1, 0, 100);
    s.forces.add(joint_torque(s.model, "block", {signals::constant(load)}));
    s.quantities = {"tau", "a"};
    struct Tape : Recorder {
      void sample(const Sample& sample) override {
        EXPECT_EQ(sample.state.q[0], 0.1);
        EXPECT_EQ(sample.state.v[0], 0);
        EXPECT_NEAR(sample.values[0](0, 0), 0, 1e-15);  // all that acts
      }
    } tape;
    Simulation(s).run(tape);
  }
}

TEST(Stiction, breaks_away_at_the_load) {
  const double slope = 1.5;  // [N/s]
  for (const double most : {rubbing, 1.4 * rubbing}) {
    Scenario s = sledding(0, 0, 4, most);
    s.forces.add(joint_torque(s.model, "block", {signals::table({0, 10}, {0, 10 * slope})}));
    const End end = run(s);
    const double t = most / slope, T = 4 - t;
    // sled_mass a = most + slope (t - t_b) - rubbing
    EXPECT_NEAR(end.state.q[0], ((most - rubbing) * T * T / 2 + slope * T * T * T / 6) / sled_mass,
                1e-9);
    EXPECT_NEAR(end.state.v[0], ((most - rubbing) * T + slope * T * T / 2) / sled_mass, 1e-9);
    EXPECT_LT(end.summary.worst.energy, 1e-9);
  }
}

TEST(Stiction, takes_friction_times_distance) {
  const IntegratorOptions methods[] = {{.method = "dop853", .tolerance = 1e-12},
                                       {.method = "mk4", .step = 0.05},
                                       {.method = "abm", .step = 0.01}};
  for (const IntegratorOptions& options : methods) {
    const double v = 2, way = sled_mass * v * v / (2 * rubbing);
    Scenario s = sledding(0, -v, 5);
    s.integrator = options;
    const End end = run(s);
    EXPECT_NEAR(end.state.q[0], -way, 1e-11) << options.method;
    EXPECT_EQ(end.state.v[0], 0);
    EXPECT_NEAR(end.summary.end.work, -rubbing * way, 1e-11);
    EXPECT_EQ(end.path[100].q[0], end.path[200].q[0]);  // since 2.5 s
  }
}

/// On a spring: every half period takes 2 rubbing / k of the amplitude, until the spring does not pull enough.
TEST(Stiction, stops_an_oscillator_where_it_must) {
  const double k = 50, x = 1;
  Scenario s = sledding(x, 0, 20);
  s.forces.add(joint_spring_damper(s.model, "block", k));
  double amplitude = x, sign = 1, way = 0;
  for (; amplitude > rubbing / k; sign = -sign) {
    way += 2 * amplitude - 2 * rubbing / k;
    amplitude -= 2 * rubbing / k;
  }
  const End end = run(s);
  EXPECT_NEAR(end.state.q[0], sign * amplitude, 1e-9);
  EXPECT_EQ(end.state.v[0], 0);
  EXPECT_NEAR(end.summary.end.work, -rubbing * way, 1e-8);
  EXPECT_LT(end.summary.worst.energy, 1e-8);
}

/// At a rigid stop both hold: it leaves when the pull is more than friction, and pushes are borne.
TEST(Stiction, goes_with_rigid_stops) {
  Scenario s = sledding(-10, 0, 4);
  s.limits = LimitMode::rigid;
  s.forces.add(joint_torque(s.model, "block", {signals::table({0, 1, 11}, {-50, -50, 50})}));
  const End end = run(s);
  const double t = 1 + 53.0 / 10;  // it would leave then
  ASSERT_GT(t, 4);
  EXPECT_EQ(end.state.q[0], -10);
  s.duration = 8;
  const double T = 8 - t;
  EXPECT_NEAR(run(s).state.q[0], -10 + 10 * T * T * T / 6 / sled_mass, 1e-9);
}

/// An arm whose joints are held against gravity; one gives way to a push and stops again.
TEST(Stiction, holds_several_joints) {
  const Model model = compile(MechanismBuilder("arm")
                                  .gravity({0, 0, -g})
                                  .body("upper", ground, joints::revolute({0, 1, 0}))
                                  .inertia(2, {0.3, 0, 0}, small_tensor)
                                  .body("lower", "upper", joints::revolute({0, 1, 0}, {0.6, 0, 0}))
                                  .inertia(1, {0.8, 0, 0}, small_tensor)
                                  .build());
  Scenario s{.model = model, .start = {0, Vector{0.1, 0.2}, Vector(2)}};
  s.duration = 3;
  s.integrator.tolerance = 1e-11;
  s.quantities = {"a"};
  s.forces.add(joint_friction(model, "upper", {.coulomb = 30, .stick = true}));
  s.forces.add(joint_friction(model, "lower", {.viscous = 0.1, .coulomb = 4, .stick = true}));
  s.forces.add(
      joint_torque(model, "lower", {signals::table({0, 1, 1, 1.2, 1.2, 9}, {0, 0, -8, -8, 0, 0})}));
  const End end = run(s);
  EXPECT_EQ(end.path[60].q, s.start.q);  // at 0.9 s
  EXPECT_EQ(end.state.q[0], 0.1);        // 30 N m hold it against what moves beyond, too
  EXPECT_LT(end.state.q[1], 0.2 - 1e-2);
  EXPECT_EQ(end.state.v, Vector(2));
  EXPECT_LT(end.summary.worst.energy, 1e-8);
}

TEST(Stiction, is_smooth_where_nobody_decides) {
  const Model model = sled();
  const Force force =
      joint_friction(model, "block", {.coulomb = rubbing, .velocity = 0.1, .stick = true});
  VelocityKinematics kin(model);
  forward_kinematics(model, Vector{0.0}, Vector{0.05}, kin);
  JointForces out{Vector(1), {}};
  force.law.add(0, kin, out);
  EXPECT_DOUBLE_EQ(out.tau[0], -rubbing * std::tanh(0.5));
}

TEST(Stiction, that_makes_no_sense_is_refused) {
  const Model model = sled();
  EXPECT_SAYS(joint_friction(model, "block", {.coulomb = 3, .stick = true, .breakaway = 2}),
              "friction of joint 'block'", "breakaway 2 is less than coulomb, 3");
  EXPECT_SAYS(joint_friction(model, "block", {.coulomb = 3, .breakaway = 4}), "breakaway", "stick");
  EXPECT_SAYS(joint_friction(model, "block", {.coulomb = -3, .stick = true}), "coulomb -3");
  const Model ball = compile(MechanismBuilder("ball")
                                 .body("ball", ground, joints::spherical())
                                 .inertia(1, {}, small_tensor)
                                 .build());
  EXPECT_SAYS(joint_friction(ball, "ball", {.coulomb = 3, .stick = true}), "'ball'", "stick");
  Scenario s = sledding(0, 1, 1);
  s.integrator = {.method = "hedop5"};
  EXPECT_SAYS(run(s), "'hedop5'", "cannot hold joints");
}

}  // namespace
}  // namespace chasles
