/// Laws that know the model, on mechanisms whose joints are bound to each other.
#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/driver.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/allocation.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

/// A crank and rocker whose crank has a rotor.
Model geared_four_bar() {
  return compile(MechanismBuilder("four_bar")
                     .body("crank", ground, joints::revolute({0, 1, 0}))
                     .rotor({.inertia = 1e-3, .ratio = 12})
                     .inertia(0.5, {0, 0, 0.1}, Sym3::diagonal(0.002, 0.002, 1e-4))
                     .body("coupler", "crank", joints::revolute({0, 1, 0}, {0, 0, 0.2}))
                     .inertia(1, {0.25, 0, 0.3}, Sym3::diagonal(0.02, 0.02, 0.02))
                     .body("rocker", ground, joints::revolute({0, 1, 0}, {0.6, 0, 0}))
                     .inertia(0.8, {0.55, 0, 0.2}, Sym3::diagonal(0.01, 0.01, 1e-3))
                     .loop({.name = "closure",
                            .bodies = {"coupler", "rocker"},
                            .type = JointType::revolute,
                            .geometry = AxisGeometry{{0, 1, 0}, {0.5, 0, 0.4}}})
                     .build());
}
Scenario at_rest(const Model& model, double duration) {
  Scenario s{
      .model = model, .start = {0, model.neutral(), Vector(model.nv())}, .duration = duration};
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  return s;
}
struct StateTape : Recorder {
  void sample(const Sample& sample) override { states.push_back(sample.state); }
  std::vector<State> states;
};
StateTape states_of(const Scenario& s) {
  Simulation simulation(s);
  StateTape tape;
  simulation.run(tape);
  return tape;
}

TEST(ClosedControl, gravity_compensation_holds_a_crank_and_rocker) {
  const Model model = geared_four_bar();
  for (const std::vector<std::string>& motors :
       {std::vector<std::string>{"crank"}, {"rocker"}, {"crank", "coupler", "rocker"}}) {
    Scenario s = at_rest(model, 0.5);
    s.forces.add(control(gravity_compensation(model, motors)));
    for (const State& state : states_of(s).states) {
      EXPECT_LE((state.q - s.start.q).norm(), 1e-9) << motors[0];
      EXPECT_LE(state.v.norm(), 1e-9) << motors[0];
    }
  }
  // As a part of PD.
  Scenario s = at_rest(model, 0.5);
  s.forces.add(control(
      pd_control(model, {"crank"}, {0.0}, {.stiffness = {4}, .damping = {1}, .gravity = true})));
  EXPECT_LE(states_of(s).states.back().q.norm(), 1e-9);
}

TEST(ClosedControl, computed_torque_follows_with_loops_and_rotors) {
  const Model model = geared_four_bar();
  for (const std::string motor : {"crank", "rocker"}) {
    const Reference wave = references::sinusoid({motor == "crank" ? 0.3 : 0.05, 0.7, 0, 0});
    Scenario s = at_rest(model, 1);
    const ModelJoint& joint = model.joint(motor);
    s.start.v[joint.v_index] = wave(0).v;
    s.kept_v.assign(static_cast<std::size_t>(model.nv()), false);
    s.kept_v[static_cast<std::size_t>(joint.v_index)] = true;
    s.forces.add(control(computed_torque(model, {motor}, {wave}, {8})));
    for (const State& state : states_of(s).states)
      EXPECT_NEAR(state.q[joint.q_index], wave(state.t).q, 1e-8) << motor;
  }
  // An error obeys e'' + 2 z w e' + w^2 e = 0; both geared joints are told the same.
  Mechanism fingers = MechanismBuilder("fingers")
                          .body("left", ground, joints::prismatic({0, 1, 0}))
                          .inertia(0.05, {}, Sym3::diagonal(1, 1, 1))
                          .body("right", ground, joints::prismatic({0, 1, 0}))
                          .inertia(0.2, {}, Sym3::diagonal(1, 1, 1))
                          .build();
  fingers.couplings.push_back(
      {.name = "gear", .terms = {{.joint = "left"}, {.joint = "right", .coefficient = -1}}});
  const Model pair = compile(fingers);
  const Controller both = computed_torque(pair, {"left", "right"}, {0.5, 0.5}, {5}, {1});
  ASSERT_EQ(both.notes.size(), 1u);
  EXPECT_NE(both.notes[0].find("'left', 'right'"), std::string::npos) << both.notes[0];
  Scenario s = at_rest(pair, 1);
  s.forces.add(control(both));
  for (const State& state : states_of(s).states)
    EXPECT_NEAR(0.5 - state.q[1], 0.5 * std::exp(-5 * state.t) * (1 + 5 * state.t), 1e-9);
}

TEST(ClosedControl, what_other_coordinates_bear_is_not_the_motors) {
  // Two pendula that are geared, on a floating base: the motors bear the pendula as if the base were held.
  Mechanism m = MechanismBuilder("robot")
                    .body("base", ground, joints::floating())
                    .inertia(3, {}, Sym3::diagonal(0.1, 0.1, 0.1))
                    .body("one", "base", joints::revolute({0, 1, 0}))
                    .inertia(2, {0.5, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1))
                    .body("two", "base", joints::revolute({0, 1, 0}))
                    .inertia(1, {-0.3, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1))
                    .build();
  m.couplings.push_back(
      {.name = "gear", .terms = {{.joint = "one"}, {.joint = "two", .coefficient = 2}}});
  const Model model = compile(m);
  EXPECT_EQ(driven_joints(model), (std::vector<std::string>{"one", "two"}));
  Controller c = gravity_compensation(model, {"one"});
  EXPECT_TRUE(c.notes.empty());
  VelocityKinematics kin(model);
  const Vector none(model.nv());
  forward_kinematics(model, model.neutral(), none, kin);
  Vector tau(model.nv());
  c.law(0, kin, tau);
  // Along (1, -1/2): g of each by hand, about y: tau = -m g x.
  const double g_one = -2 * 9.81 * 0.5, g_two = 9.81 * 0.3;
  EXPECT_NEAR(tau[model.joint("one").v_index], g_one - 0.5 * g_two, 1e-10);
  EXPECT_EQ(tau.head(6).norm(), 0);
  // The tree's, where the gear is left out.
  Controller open = gravity_compensation(model, {"one"}, {.loops = false});
  tau.setZero();
  open.law(0, kin, tau);
  EXPECT_NEAR(tau[model.joint("one").v_index], g_one, 1e-13);
}

TEST(ClosedControl, says_what_motors_do_not_hold) {
  std::mt19937_64 generator(31);
  const test::LoopedTree looped = test::looped_tree(
      generator, 6, {{JointType::spherical}}, {{JointType::revolute}, {JointType::prismatic}});
  const Model model = compile(looped.mechanism);
  const Controller c = gravity_compensation(model, {model.joints()[0].name}, {.near = looped.q});
  ASSERT_FALSE(c.notes.empty());
  EXPECT_NE(c.notes.back().find("do not hold all"), std::string::npos) << c.notes.back();
}

/// A driver bears all of its motion: efforts of a motor beside it move nothing, and the least of them is 0. Rounding
/// errors of the constraint forces once made it 1e16.
TEST(ClosedControl, motors_of_driven_joints_are_idle) {
  const Model model = geared_four_bar();
  Scenario s = at_rest(model, 0.2);
  s.constraints.more.push_back(joint_driver(model, "crank", references::speed(2)));
  for (const std::vector<std::string>& motors :
       {std::vector<std::string>{"crank"}, {"rocker"}, {"crank", "coupler", "rocker"}}) {
    const Controller c =
        computed_torque(model, motors, std::vector<Reference>(motors.size(), Reference(0.3)), {20},
                        {1}, {.constraints = s.constraints});
    VelocityKinematics kin(model);
    forward_kinematics(model, model.neutral(), Vector(model.nv()), kin);
    Vector tau(model.nv());
    c.law(0, kin, tau);
    EXPECT_EQ(tau.norm(), 0) << motors[0];
  }
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(ClosedControl, does_not_allocate_in_runs) {
  const Model model = geared_four_bar();
  Forces forces;
  forces.add(control(computed_torque(model, {"crank"}, {0.3}, {3})));
  forces.add(control(gravity_compensation(model, {"crank", "rocker"})));
  VelocityKinematics kin(model);
  forward_kinematics(model, model.neutral(), Vector(model.nv()), kin);
  JointForces out{Vector(model.nv()), {}};
  forces.apply(0, kin, out);
  const long before = test::allocations;
  forces.apply(0.1, kin, out);
  EXPECT_EQ(test::allocations - before, 0);
}
#endif

TEST(SingularPositions, of_a_run_are_told_with_their_time) {
  // A parallelogram with constant velocity, which is flat at pi/2.
  const double l = 1;
  Mechanism mechanism = MechanismBuilder("parallelogram")
                            .body("left", ground, joints::revolute({0, 1, 0}))
                            .inertia(1, {0, 0, -l / 2}, Sym3::diagonal(0.1, 0.1, 0.1))
                            .body("bar", "left", joints::revolute({0, 1, 0}, {0, 0, -l}))
                            .inertia(1, {0.5, 0, -l}, Sym3::diagonal(0.1, 0.1, 0.1))
                            .body("right", ground, joints::revolute({0, 1, 0}, {1, 0, 0}))
                            .inertia(1, {1, 0, -l / 2}, Sym3::diagonal(0.1, 0.1, 0.1))
                            .loop({.name = "closure",
                                   .bodies = {"bar", "right"},
                                   .type = JointType::revolute,
                                   .geometry = AxisGeometry{{0, 1, 0}, {1, 0, -l}}})
                            .build();
  mechanism.gravity = {};
  Scenario s = at_rest(compile(mechanism), 1);
  s.integrator.tolerance = 1e-9;
  const double speed = 2;
  s.start.v = Vector{speed, -speed, speed};
  Simulation simulation(s);
  StateTape tape;
  simulation.run(tape);
  EXPECT_NEAR(simulation.state().q[0], speed, 1e-6);
  const Summary summary = simulation.summary();
  EXPECT_LT(summary.reciprocal_condition, 1e-9);
  EXPECT_NEAR(summary.singular_time, M_PI / 2 / speed, 1e-4);
  // One that stays away from it is not told.
  s.duration = 0.3;
  Simulation away(s);
  away.run(tape);
  EXPECT_GT(away.summary().reciprocal_condition, 0.05);
}

}  // namespace
}  // namespace chasles
