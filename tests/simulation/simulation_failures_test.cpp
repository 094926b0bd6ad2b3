/// Runs that stop, break down or cannot begin: each says why.
#include <gtest/gtest.h>

#include <limits>

#include "support/errors.hpp"
#include "support/small_runs.hpp"

namespace chasles {
namespace {

using test::expect_parts;
using test::pendulum;
using test::slide;
using test::spring;
using test::swing;

TEST(Simulation, can_be_stopped) {
  Simulation simulation(spring());
  Trajectory path;
  simulation.run(path, [](double t) { return t < 1; });
  EXPECT_FALSE(simulation.summary().finished);
  EXPECT_GE(path.states.back().t, 1);
  EXPECT_LT(path.states.back().t, 3);
  EXPECT_EQ(path.states.back().t, simulation.summary().time);
}

TEST(Simulation, keeps_the_last_good_state_when_a_force_breaks_down) {
  Scenario s = spring();
  s.forces.add({"broken motor", s.model, [](double t, const VelocityKinematics&, JointForces& out) {
                  if (t > 1) out.tau[0] = std::numeric_limits<double>::quiet_NaN();
                }});
  Simulation simulation(s);
  Trajectory path;
  expect_parts(test::message([&] { simulation.run(path); }),
               {"t = ", "force 'broken motor'", "nan on joint 'mass'"});
  EXPECT_LE(path.states.back().t, 1);
  EXPECT_GT(path.states.back().t, 0.5);
  EXPECT_TRUE(path.states.back().q.allFinite());
  EXPECT_FALSE(simulation.summary().finished);
}

/// Whatever a force throws, the recorder is ended, and the last sample is the last good state.
TEST(Simulation, ends_the_recorder_whatever_is_thrown) {
  struct Ended : Trajectory {
    void end(const Summary& summary) override { ++ends, finished = summary.finished; }
    int ends = 0;
    bool finished = true;
  };
  Scenario s = spring();
  s.forces.add({"callback", s.model, [](double t, const VelocityKinematics&, JointForces&) {
                  if (t > 1) throw std::out_of_range("no more data");
                }});
  Simulation simulation(s);
  Ended path;
  EXPECT_THROW(simulation.run(path), std::out_of_range);
  EXPECT_EQ(path.ends, 1);
  EXPECT_FALSE(path.finished);
  EXPECT_EQ(path.states.back().t, simulation.state().t);
  EXPECT_EQ(path.states.back().q, simulation.state().q);
  EXPECT_GT(simulation.state().t, 0);
  EXPECT_LE(simulation.state().t, 1);
}

/// A recorder that cannot write is not asked to write the end over and over.
TEST(Simulation, lets_what_the_recorder_throws_through) {
  struct Full : Recorder {
    void sample(const Sample&) override {
      if (++samples > 20) throw std::runtime_error("the disk is full");
    }
    void end(const Summary&) override { throw std::runtime_error("still full"); }
    int samples = 0;
  } full;
  Simulation simulation(spring());
  try {
    simulation.run(full);
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "the disk is full");
  }
}

/// Stability holds the steps down, and the summary says so; the remedy works.
TEST(Simulation, of_a_stiff_mechanism_says_so) {
  Scenario s = spring();
  s.forces = {};
  s.forces.add(joint_friction(s.model, "mass", {.viscous = 4e4}));
  s.forces.add(joint_torque(s.model, "mass", {signals::sinusoid({.amplitude = 4e4})}));
  s.duration = 0.5;
  s.integrator = {.method = "dop853", .tolerance = 1e-6};
  Trajectory path;
  Simulation stiff(s);
  stiff.run(path);
  EXPECT_TRUE(stiff.summary().statistics.is_stiff());
  EXPECT_GT(stiff.summary().statistics.steps, 1000);
  for (const auto& [name, value] : stiff.summary().entries()) {
    if (name == "stiff_steps") {
      EXPECT_GT(value, 300);
    }
  }
  s.integrator = {.method = "gauss2", .step = 0.01};
  Simulation implicit(s);
  implicit.run(path);
  EXPECT_LT(implicit.summary().statistics.evaluations, 3000);
  EXPECT_NEAR(implicit.state().q[0], stiff.state().q[0], 1e-5);
}

TEST(Simulation, that_diverges_says_so) {
  Scenario s = spring();
  s.forces = {};
  s.duration = 1000;
  s.forces.add(joint_spring_damper(s.model, "mass", 1e6));
  s.integrator = {.method = "mk4", .step = 0.1};
  Trajectory path;
  Simulation simulation(s);
  const std::string text = test::message([&] { simulation.run(path); });
  expect_parts(text, {"diverged", "joint 'mass'", "t = ", "smaller step"});
  EXPECT_EQ(text.find("inertia"), text.npos) << text;
  EXPECT_EQ(text.find("look at the forces"), text.npos) << text;
}

/// Where nothing is kept, nothing is kept by force: with forces it is refused, not ignored.
TEST(Simulation, keeps_invariants_only_where_nothing_acts) {
  const Model model = compile(MechanismBuilder("free")
                                  .gravity({})
                                  .body("base", ground, joints::floating())
                                  .inertia(3, {0.1, 0, 0.05}, Sym3::diagonal(0.2, 0.3, 0.25))
                                  .body("arm", "base", joints::revolute({0, 1, 0}, {0.5, 0, 0}))
                                  .inertia(1, {0.7, 0, 0}, Sym3::diagonal(0.05, 0.06, 0.07))
                                  .build());
  Scenario s{.model = model, .start = {0, model.neutral(), Vector(model.nv())}};
  s.duration = 1;
  s.integrator = {.method = "mk8", .step = 0.05, .keep_invariants = true};
  EXPECT_NO_THROW(Simulation{s});
  s.forces.add(joint_torque(model, "arm", {signals::constant(1)}));
  EXPECT_SAYS(Simulation{s}, "keep_invariants", "forces act");
}

TEST(Simulation, names_time_and_joint_when_the_motion_runs_away) {
  // x'' = x^2 + x'^2 runs away in finite time.
  Scenario s = spring();
  s.forces = {};
  s.duration = 100;
  s.forces.add({"runaway", s.model, [](double, const VelocityKinematics& kin, JointForces& out) {
                  out.tau[0] = 2 * (kin.q()[0] * kin.q()[0] + kin.v()[0] * kin.v()[0]);
                }});
  Simulation simulation(s);
  Trajectory path;
  expect_parts(test::message([&] { simulation.run(path); }),
               {"t = ", "diverged", "v of joint 'mass' is "});
  EXPECT_GT(path.states.back().t, 0.5);
  EXPECT_LT(path.states.back().t, 5);
  EXPECT_TRUE(path.states.back().v.allFinite());
}

TEST(Simulation, of_fixed_steps_that_are_far_too_large_is_named) {
  Scenario s = spring();
  s.forces = {};
  s.forces.add(joint_spring_damper(s.model, "mass", 1e300));
  s.integrator = {.method = "mk4", .step = 0.1};
  Simulation simulation(s);
  Trajectory path;
  expect_parts(test::message([&] { simulation.run(path); }), {"joint 'mass'"});
  EXPECT_TRUE(path.states.back().q.allFinite());
}

TEST(Simulation, refuses_a_bad_scenario) {
  const auto refused = [](auto change, std::initializer_list<const char*> parts) {
    Scenario s = spring();
    change(s);
    expect_parts(test::message([&] { Simulation{s}; }), parts);
  };
  refused([](Scenario& s) { s.duration = 0; }, {"duration 0 is not positive"});
  refused([](Scenario& s) { s.duration = -1; }, {"duration -1"});
  refused([](Scenario& s) { s.duration = NAN; }, {"duration nan"});
  refused([](Scenario& s) { s.every = -1; }, {"every -1"});
  refused([](Scenario& s) { s.every = 1e-12; }, {"more than 1e9"});
  refused([](Scenario& s) { s.start.q.resize(2); }, {"q has 2 entries"});
  refused([](Scenario& s) { s.start.v.resize(0); }, {"v has 0 entries"});
  refused([](Scenario& s) { s.start.v[0] = NAN; }, {"not finite"});
  refused([](Scenario& s) { s.start.q[0] = NAN; }, {"mass"});
  refused([](Scenario& s) { s.quantities = {"enrgy"}; }, {"'enrgy'", "did you mean 'energy'"});
  refused([](Scenario& s) { s.quantities = {"pose"}; }, {"write pose:FRAME"});
  refused([](Scenario& s) { s.quantities = {"twist:mass:bdy"}; }, {"did you mean 'body'"});
  refused([](Scenario& s) { s.integrator.method = "dop85"; }, {"did you mean 'dop853'"});
  refused([](Scenario& s) { s.integrator = {.method = "mk4", .step = -1}; }, {"-1"});
  refused([](Scenario& s) { s.integrator.tolerance = 1e-16; }, {"1e-16"});
  refused([](Scenario& s) { s.integrator.step = 0.1; },
          {"dop853 does not use 'step'", "first_step"});
  refused([](Scenario& s) { s.start.t = 1e17; }, {"1e+17", "16 s apart", "start nearer"});
  refused([](Scenario& s) { s.start.t = -1e17; }, {"-1e+17"});
  refused([](Scenario& s) { s.start.t = 1e9, s.duration = 1, s.every = 1e-7; },
          {"1e+09", "samples"});
  refused([](Scenario& s) { s.work = NAN; }, {"work", "nan"});
}

TEST(Simulation, of_a_quaternion_off_the_sphere_is_refused) {
  Scenario s = swing({});
  s.start.q.head<4>() << 1, 1, 0, 0;
  expect_parts(test::message([&] { Simulation{s}; }), {"'ball'"});
}

}  // namespace
}  // namespace chasles
