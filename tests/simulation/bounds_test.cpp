/// What the summary says about joints beyond their bounds, about damping and friction of the
/// description, and about what changes the momenta: against motions in closed form.
#include <gtest/gtest.h>

#include "chasles/lie/quaternion.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/violation.hpp"
#include "simulation/run.hpp"

namespace chasles {
namespace {

const Sym3 unit_tensor = Sym3::diagonal(1, 1, 1);

/// A mass of 1 kg on a spring of 4 N/m: q = cos(2 t).
Scenario oscillator(const std::function<void(MechanismBuilder&)>& change,
                    const IntegratorOptions& options = {}) {
  MechanismBuilder builder("oscillator");
  builder.gravity({})
      .body("mass", ground, joints::prismatic({1, 0, 0}))
      .inertia(1, {}, unit_tensor);
  change(builder);
  Scenario s{.model = compile(builder.build()), .start = {0, Vector(1), Vector(1)}};
  s.start.q[0] = 1;
  s.duration = 4;
  s.integrator = options;
  s.forces.add(joint_spring_damper(s.model, "mass", 4));
  return s;
}
Summary summary_of(const Scenario& scenario) { return test::run(scenario).summary; }
const IntegratorOptions methods_tried[] = {{.method = "dop853", .tolerance = 1e-12},
                                           {.method = "mk4", .step = 0.01},
                                           {.method = "mk8", .step = 0.4}};

TEST(Bounds, of_position_are_passed_when_and_as_far_as_they_are) {
  for (const IntegratorOptions& options : methods_tried) {
    const Summary s =
        summary_of(oscillator([](MechanismBuilder& b) { b.limits(-0.8, 2); }, options));
    ASSERT_EQ(s.violations.size(), 1u) << options.method;
    const Violation& v = s.violations[0];
    EXPECT_EQ(v.joint, "mass");
    EXPECT_EQ(v.kind, Violation::position);
    EXPECT_EQ(v.bound, -0.8);
    EXPECT_EQ(v.count, 1);  // cos(2 t) < -0.8 around pi/2; again around 3 pi/2, after 4 s
    EXPECT_NEAR(v.first, std::acos(-0.8) / 2, 1e-3) << options.method;
    EXPECT_LE(v.worst, -0.95) << options.method;  // a point near the turn at -1
    EXPECT_GE(v.worst, -1 - 1e-3) << options.method;
    EXPECT_NE(v.text().find("joint 'mass': position -"), std::string::npos) << v.text();
    EXPECT_NE(v.text().find("beyond -0.8 m; once, at t = 1.249"), std::string::npos) << v.text();
  }
}

/// Both ends of the step are within; the turn between them is not.
TEST(Bounds, are_seen_between_steps) {
  Scenario s =
      oscillator([](MechanismBuilder& b) { b.limits(-0.9, 2); }, {.method = "mk8", .step = 1});
  s.duration = 2;  // cos(2) = -0.42, cos(4) = -0.65
  const Summary summary = summary_of(s);
  ASSERT_EQ(summary.violations.size(), 1u);
  EXPECT_LE(summary.violations[0].worst, -0.95);
}

TEST(Bounds, that_hold_are_not_mentioned) {
  for (const IntegratorOptions& options : methods_tried)
    EXPECT_TRUE(summary_of(oscillator(
                               [](MechanismBuilder& b) {
                                 b.limits(-1.01, 1.01).velocity_effort_limits(2.02, 0);
                               },
                               options))
                    .violations.empty())
        << options.method;
}

TEST(Bounds, may_be_passed_at_the_start_and_often) {
  const Summary s = summary_of(oscillator([](MechanismBuilder& b) { b.limits(-5, 0.5); }));
  ASSERT_EQ(s.violations.size(), 1u);
  EXPECT_EQ(s.violations[0].first, 0);
  EXPECT_EQ(s.violations[0].worst, 1);
  EXPECT_EQ(s.violations[0].worst_time, 0);
  EXPECT_EQ(s.violations[0].count, 2);  // at the start and around t = pi
  EXPECT_NE(s.violations[0].text().find("2 times, first at t = 0 s"), std::string::npos);
}

TEST(Bounds, of_velocity) {
  for (const IntegratorOptions& options : methods_tried) {
    const Summary s = summary_of(
        oscillator([](MechanismBuilder& b) { b.velocity_effort_limits(1.5, 100); }, options));
    ASSERT_EQ(s.violations.size(), 1u) << options.method;
    const Violation& v = s.violations[0];
    EXPECT_EQ(v.kind, Violation::velocity);
    EXPECT_EQ(v.unit, "m/s");
    EXPECT_NEAR(v.first, std::asin(0.75) / 2, 2e-3) << options.method;
    EXPECT_GE(std::abs(v.worst), 1.95) << options.method;
    EXPECT_EQ(v.count, 3) << options.method;  // down, up, and down
  }
}

/// Only motors count: the spring pulls with 4 N. The torque has its peak where a run stops.
TEST(Bounds, of_effort) {
  Scenario s = oscillator([](MechanismBuilder& b) { b.velocity_effort_limits(100, 3); });
  EXPECT_TRUE(summary_of(s).violations.empty());
  s.forces.add(joint_torque(s.model, "mass", {signals::table({1, 1.1, 1.2}, {0, 5, 0})}));
  Summary summary = summary_of(s);
  ASSERT_EQ(summary.violations.size(), 1u);
  EXPECT_EQ(summary.violations[0].kind, Violation::effort);
  EXPECT_EQ(summary.violations[0].unit, "N");
  EXPECT_NEAR(summary.violations[0].worst, 5, 1e-12);
  EXPECT_NEAR(summary.violations[0].worst_time, 1.1, 1e-12);
  EXPECT_NEAR(summary.violations[0].first, 1.06, 1e-9);
  // A jump is seen from both of its sides.
  for (const auto& [before, after] : {std::pair{4.0, 0.0}, std::pair{0.0, -4.0}}) {
    Scenario jump = oscillator([](MechanismBuilder& b) { b.velocity_effort_limits(100, 3); });
    jump.duration = before == 0 ? 1 : 4;
    jump.forces.add(
        joint_torque(jump.model, "mass", {signals::table({0, 1, 1}, {0, before, after})}));
    if (before == 0) jump.duration = 1.5;
    summary = summary_of(jump);
    ASSERT_EQ(summary.violations.size(), 1u) << before;
    EXPECT_NEAR(summary.violations[0].worst, before != 0 ? 4 : -4, 1e-9);
  }
}

TEST(Bounds, of_mimic_relations) {
  MechanismBuilder builder("fingers");
  builder.gravity({});
  for (const char* name : {"left", "right"})
    builder.body(name, ground, joints::prismatic({1, 0, 0})).inertia(1, {}, unit_tensor);
  Mechanism m = builder.build();
  m.bodies[1].joint.mimic = Mimic{"left", -2, 0.5};
  Scenario s{.model = compile(m), .start = {0, Vector(2), Vector(2)}};
  s.duration = 2;
  s.start.q = Eigen::Vector2d(1, -1.5);
  s.start.v = Eigen::Vector2d(1, -2);
  EXPECT_TRUE(summary_of(s).violations.empty());  // it holds all the time
  s.start.v = Eigen::Vector2d(1, -1);
  EXPECT_TRUE(summary_of(s).violations.empty());  // it is made to hold
  s.constraints.mimic = false;
  const Summary broken = summary_of(s);
  ASSERT_EQ(broken.violations.size(), 1u);
  EXPECT_EQ(broken.violations[0].joint, "right");
  EXPECT_EQ(broken.violations[0].kind, Violation::mimic);
  EXPECT_NEAR(broken.violations[0].worst, 2, 1e-12);  // grows by 1 m/s
  EXPECT_EQ(broken.violations[0].worst_time, 2);
  EXPECT_NEAR(broken.violations[0].first, 0, 2e-6);
}

/// v' = -0.5 v; then dry friction of 2 N stops a mass of 1 kg that moves with 3 m/s after 1.5 s.
TEST(JointDynamics, damps_and_rubs_unless_it_is_turned_off) {
  const auto sliding = [](double damping, double friction, double v) {
    Scenario s = oscillator([&](MechanismBuilder& b) { b.dynamics(damping, friction); },
                            {.method = "dop853", .tolerance = 1e-12});
    s.forces = {};
    s.start.q[0] = 0, s.start.v[0] = v;
    s.duration = 1;
    return s;
  };
  Simulation damped(sliding(0.5, 0, 3));
  Trajectory path;
  damped.run(path);
  EXPECT_NEAR(damped.state().v[0], 3 * std::exp(-0.5), 1e-10);
  EXPECT_NEAR(damped.summary().end.work, (std::exp(-1.0) - 1) * 4.5, 1e-9);
  EXPECT_EQ(damped.scenario().forces.list().size(), 1u);

  Simulation rubbed(sliding(0, 2, 3));
  rubbed.run(path);
  EXPECT_NEAR(rubbed.state().v[0], 1, 1e-10);  // tanh(v / 1e-3) is 1 all the time

  Scenario off = sliding(0.5, 2, 3);
  off.joint_dynamics = false;
  Simulation free(off);
  free.run(path);
  EXPECT_EQ(free.state().v[0], 3);
  EXPECT_TRUE(free.scenario().forces.empty());
}

/// Kept invariants know the forces of the joints, too.
TEST(JointDynamics, is_a_force_to_kept_invariants) {
  const Model model = compile(MechanismBuilder("two")
                                  .gravity({})
                                  .body("root", ground, joints::floating())
                                  .inertia(1, {}, unit_tensor)
                                  .body("arm", "root", joints::revolute({0, 0, 1}))
                                  .inertia(1, {1, 0, 0}, unit_tensor)
                                  .dynamics(0.1, 0)
                                  .build());
  Scenario s{.model = model, .start = {0, model.neutral(), Vector(model.nv())}};
  s.duration = 1;
  s.integrator = {.method = "mk4", .step = 0.1, .keep_invariants = true};
  EXPECT_SAYS(Simulation(s), "keep_invariants", "forces act");
  s.joint_dynamics = false;
  EXPECT_NO_THROW(Simulation{s});
}

/// A tree that floats, or hangs on a body that is fixed to ground, as URDFs do.
Model robot(bool floating, const Vec3& gravity = {}) {
  return compile(MechanismBuilder("robot")
                     .gravity(gravity)
                     .body("root", ground, floating ? joints::floating() : joints::fixed())
                     .inertia(3, {}, unit_tensor)
                     .body("arm", "root", joints::revolute({0, 1, 0}, {0, 0, 1}))
                     .inertia(1, {0, 0, 1.5}, unit_tensor)
                     .body("hand", "arm", joints::revolute({0, 1, 0}, {0, 0, 2}))
                     .inertia(1, {0, 0, 2.5}, unit_tensor)
                     .build());
}
std::vector<std::string> causes(const Model& model, const std::vector<Force>& list,
                                bool about_com = false) {
  Forces forces;
  for (const Force& force : list) forces.add(force);
  return momentum_causes(model, forces, about_com);
}
using Names = std::vector<std::string>;

TEST(Momentum, is_changed_by_what_acts_from_outside_only) {
  const Model floats = robot(true), fixed = robot(false), falls = robot(true, {0, 0, -9.81});
  EXPECT_TRUE(floats.floats());
  EXPECT_FALSE(fixed.floats());
  EXPECT_EQ(causes(floats, {}), Names{});
  EXPECT_EQ(causes(fixed, {}), Names{"joints on ground"});
  EXPECT_EQ(causes(falls, {}), Names{"gravity"});
  EXPECT_EQ(causes(falls, {}, true), Names{});  // gravity does not turn what falls
  const BodyPoint root{"root", {}}, hand{"hand", {0, 0, 1}}, world{"ground", {}};
  EXPECT_EQ(
      causes(floats, {joint_torque(floats, "arm", {1}), joint_friction(floats, "hand", {1, 1}),
                      pd_hold(floats, "arm", 1, 1, {0}), joint_spring_damper(floats, "arm", 1),
                      point_spring_damper(floats, root, hand, 1, 1, 0)}),
      Names{});
  EXPECT_EQ(causes(floats, {point_spring_damper(floats, world, hand, 1, 1, 0)}),
            Names{"spring and damper between 'ground' and 'hand'"});
  EXPECT_EQ(causes(floats, {body_wrench(floats, hand, {})}), Names{"wrench on 'hand'"});
  EXPECT_EQ(causes(floats, {joint_torque(floats, "root", {1, 0, 0, 0, 0, 0})}),
            Names{"torque of joint 'root'"});
  // A spring to a body that does not move is one to ground.
  EXPECT_EQ(causes(fixed, {point_spring_damper(fixed, root, hand, 1, 1, 0)}),
            (Names{"joints on ground", "spring and damper between 'root' and 'hand'"}));
}

/// What the forces declare is true: with internal ones all momenta are constant in the run.
TEST(Momentum, is_kept_by_internal_forces) {
  for (const bool form : {false, true}) {
    const Model model = robot(true);
    Scenario s{.model = model, .start = {0, model.neutral(), Vector(model.nv())}};
    s.duration = 3;
    s.integrator = {.method = "mk8", .step = 0.01, .momentum_form = form};
    s.start.v << 0.1, 0.2, -0.1, 0.3, 0.1, 0, 0.5, -0.4;
    s.forces.add(joint_torque(model, "arm", {signals::sinusoid({2, 1})}));
    s.forces.add(joint_friction(model, "hand", {0.1, 0.1, 0.1}));
    s.forces.add(
        point_spring_damper(model, {"root", {0.3, 0, 0}}, {"hand", {0, 0.2, 3}}, 5, 0.3, 1));
    const Summary summary = summary_of(s);
    EXPECT_TRUE(summary.momentum_causes.empty());
    EXPECT_LE(summary.worst.linear_momentum, form ? 1e-13 : 1e-9);
    EXPECT_LE(summary.worst.angular_momentum, form ? 1e-12 : 1e-9);
    EXPECT_LE(summary.worst.angular_momentum_com, form ? 1e-12 : 1e-9);
    EXPECT_GT(std::abs(summary.end.work), 0.01);
  }
}

/// Momentum form takes what acts from outside into account, too: the same motion as without it.
TEST(Momentum, form_agrees_with_the_method_under_forces_from_outside) {
  for (const FloatingGroup group : {FloatingGroup::se3, FloatingGroup::so3xr3}) {
    const Model model = compile(MechanismBuilder("pushed")
                                    .body("root", ground, joints::floating(group))
                                    .pose({rotation_from_rpy(0.3, -0.2, 0.7), {0.1, 0.2, 0.3}})
                                    .inertia(3, {0.1, 0, 0}, unit_tensor)
                                    .body("arm", "root", joints::revolute({0, 1, 0}, {0, 0, 1}))
                                    .inertia(1, {0, 0, 1.5}, unit_tensor)
                                    .build());
    State ends[2];
    for (const bool form : {false, true}) {
      Scenario s{.model = model, .start = {0, model.neutral(), Vector(model.nv())}};
      s.duration = 1;
      s.integrator = {.method = "mk8", .step = 0.005, .momentum_form = form};
      s.start.v << 0.1, 0.2, -0.1, 0.3, 0.1, 0, 0.5;
      for (const Representation rep : {Representation::body, Representation::spatial,
                                       Representation::hybrid, Representation::mixed})
        s.forces.add(body_wrench(model, {"arm", {0.1, 0.2, 0.3}},
                                 {0.3, -0.2, 0.1, signals::sinusoid({1, 1}), 0.4, -0.5}, rep));
      s.forces.add(joint_torque(model, "root", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}));
      s.forces.add(point_spring_damper(model, {"ground", {}}, {"root", {1, 0, 0}}, 2, 0.1, 0));
      Simulation simulation(s);
      Trajectory path;
      simulation.run(path);
      ends[form] = simulation.state();
    }
    EXPECT_LE((ends[0].q - ends[1].q).norm(), 1e-11);
    EXPECT_LE((ends[0].v - ends[1].v).norm(), 1e-11);
  }
}

}  // namespace
}  // namespace chasles
