/// Simulation::step: runs in loops of one's own.
#include <gtest/gtest.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/control.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/allocation.hpp"
#include "support/errors.hpp"
#include "support/small_runs.hpp"

namespace chasles {
namespace step_test {

constexpr double period = 1e-3;  // [s]

/// The closed form of a mass on a slide that is pushed by constant forces, one for each step.
TEST(SimulationStep, holds_inputs_between_steps) {
  Scenario s = test::spring();
  s.forces = {};
  s.joint_inputs = true;
  Simulation simulation(s);
  double x = 1, v = 0;
  for (int k = 1; k <= 500; ++k) {
    const double f = std::sin(0.01 * k) * 7 - 3;
    simulation.set_joint_forces(Vector{f});
    const State& state = simulation.step(period * k);
    const double a = f / 2;  // 2 kg
    x += v * period + a * period * period / 2, v += a * period;
    EXPECT_EQ(state.t, period * k);
    EXPECT_NEAR(state.q[0], x, 1e-13);
    EXPECT_NEAR(state.v[0], v, 1e-13);
  }
  EXPECT_NEAR(simulation.summary().worst.energy, 0, 1e-12);  // the work of the inputs counts
}

/// A law in the loop is a sampled controller of the scenario.
TEST(SimulationStep, is_a_sampled_controller) {
  for (const char* method : {"dop853", "rk4", "radau5", "auto"}) {
    Scenario s = test::swing({.method = method});
    if (!method_info(method).adaptive) s.integrator.step = 5e-4;
    s.duration = 0.2;
    const auto law = [](const Vector& v, VectorRef tau) { tau = -0.7 * v; };
    Scenario sampled = s, own = s;
    Controller c{"damper", s.model,
                 [&](double, const VelocityKinematics& kin, VectorRef tau) { law(kin.v(), tau); }};
    c.period = period;
    sampled.forces.add(control(c));
    own.joint_inputs = true;
    Simulation expected(sampled), simulation(own);
    Trajectory path;
    expected.run(path);
    Vector tau(s.model.nv());
    for (int k = 1; k <= 200; ++k) {
      law(simulation.state().v, tau);
      simulation.set_joint_forces(tau);
      simulation.step(period * k);
    }
    EXPECT_LT((simulation.state().q - expected.state().q).norm(), 1e-11) << method;
    EXPECT_LT((simulation.state().v - expected.state().v).norm(), 1e-10) << method;
  }
}

/// Steps and runs may alternate; samples of the run are where they would have been.
TEST(SimulationStep, and_run_alternate) {
  Scenario s = test::spring();
  s.every = 0.25;
  Simulation simulation(s);
  simulation.step(0.1);
  simulation.step(1.1);
  Trajectory path;
  simulation.run(path, [](double t) { return t < 2; });
  const double stopped = simulation.state().t;
  ASSERT_GE(path.states.size(), 2u);
  EXPECT_EQ(path.states[0].t, 1.1);
  EXPECT_EQ(path.states[1].t, 1.25);
  for (const State& x : path.states) EXPECT_NEAR(x.q[0], std::cos(2 * x.t), 1e-9);
  simulation.step(stopped + 1e-3);  // within the interval that the run had begun
  EXPECT_EQ(simulation.state().t, stopped + 1e-3);
  simulation.step(17);  // beyond the duration
  EXPECT_NEAR(simulation.state().q[0], std::cos(34.0), 1e-8);
}

/// A call that is ended stays where it is, and the next one goes on from there.
TEST(SimulationStep, is_ended_by_its_caller) {
  Scenario s = test::spring();
  Simulation simulation(s);
  std::vector<double> times;
  simulation.step(50, [&](double t) {
    times.push_back(t);
    return times.size() < 3;
  });
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(simulation.state().t, times.back());
  EXPECT_LT(times.back(), 50);
  const auto stop = [](double) -> bool { throw std::out_of_range("enough"); };
  EXPECT_THROW(simulation.step(50, stop), std::out_of_range);
  EXPECT_GT(simulation.state().t, times.back());
  simulation.step(20);
  EXPECT_NEAR(simulation.state().q[0], std::cos(40.0), 1e-8);
}

TEST(SimulationStep, resets_to_the_bits_of_a_new_simulation) {
  Scenario s = test::swing({.method = "auto"});
  s.joint_inputs = true;
  s.limits = LimitMode::soft;
  Vector tau(s.model.nv());
  const auto episode = [&](Simulation& simulation) {
    std::vector<double> all;
    for (int k = 1; k <= 50; ++k) {
      tau = -0.1 * k * simulation.state().v;
      simulation.set_joint_forces(tau);
      simulation.step(simulation.state().t + period);
      all.insert(all.end(), simulation.state().q.begin(), simulation.state().q.end());
    }
    all.push_back(simulation.summary().worst.energy);
    return all;
  };
  Simulation simulation(s);
  const std::vector<double> first = episode(simulation);
  simulation.reset();
  EXPECT_EQ(simulation.state().t, 0);
  EXPECT_EQ(episode(simulation), first);
  State other = s.start;
  other.t = 3, other.v[1] = -2;
  simulation.reset(other);
  s.start = other;
  Simulation fresh(s);
  EXPECT_EQ(episode(simulation), episode(fresh));
  simulation.reset();  // to the last start
  EXPECT_EQ(simulation.state().v, other.v);
  other.q.resize(2);
  const State before = simulation.state();
  EXPECT_THROW(simulation.reset(other), Error);
  EXPECT_EQ(simulation.state().q, before.q);
}

TEST(SimulationStep, ends_at_events_that_end_the_run) {
  Scenario s = test::spring();
  s.events.push_back({.event = {"through", [](const State& x) { return x.q[0]; }}});
  s.events.back().action = RunEvent::stop;
  Simulation simulation(s);
  EXPECT_EQ(simulation.step(0.5).t, 0.5);
  EXPECT_NEAR(simulation.step(1).t, M_PI / 4, 1e-9);
  EXPECT_TRUE(simulation.summary().finished);
  EXPECT_SAYS(simulation.step(1), "the run has come to its end");
}

TEST(SimulationStep, says_what_is_wrong) {
  Scenario s = test::spring();
  Simulation plain(s);
  EXPECT_SAYS(plain.set_joint_forces(Vector(1)), "the scenario has no inputs");
  EXPECT_SAYS(plain.step(0), "must lead beyond t = 0 s");
  EXPECT_SAYS(plain.step(-1), "asked to end at -1 s");
  EXPECT_SAYS(plain.step(std::nan("")), "asked to end at nan s");
  EXPECT_SAYS(plain.step(HUGE_VAL), "asked to end at inf s");
  s.joint_inputs = true;
  Simulation simulation(s);
  EXPECT_SAYS(simulation.set_joint_forces(Vector(2)), "tau has 2 entries", "needs 1");
  EXPECT_SAYS(simulation.set_joint_forces(Vector{HUGE_VAL}), "tau[0]", "joint 'mass'", "inf");
  bool broken = false;
  s.forces.add({"broken", s.model, [&](double, const VelocityKinematics&, JointForces& out) {
                  if (broken) out.tau[0] = std::nan("");
                }});
  Simulation failing(s);
  failing.step(0.1);
  broken = true;
  EXPECT_THROW(failing.step(0.2), RunError);
  EXPECT_EQ(failing.state().t, 0.1);  // the last good state
  broken = false;
  EXPECT_EQ(failing.step(0.2).t, 0.2);  // and from there
  EXPECT_NEAR(failing.state().q[0], std::cos(0.4), 1e-10);
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(SimulationStep, allocates_nothing) {
  for (const char* method : {"auto", "dop853", "rk4", "mk4", "radau5", "generalized_alpha"}) {
    Scenario tree = test::swing({.method = method}), loop = tree, touching = tree;
    loop.model = compile(studies::four_bar());
    loop.start = {0, loop.model.neutral(), Vector(loop.model.nv())};
    touching.model = test::slide();
    touching.start = {0, Vector{0.5}, Vector{-1.0}};
    touching.forces.add(joint_friction(touching.model, "mass", {.viscous = 0.1, .coulomb = 0.5}));
    for (Scenario* s : {&tree, &loop, &touching}) {
      s->joint_inputs = true;
      if (!method_info(method).adaptive) s->integrator.step = 5e-4;
      Simulation simulation(*s);
      Vector tau(s->model.nv());
      const auto loop_until = [&](int from, int to) {
        for (int k = from; k <= to; ++k) {
          tau = -0.1 * simulation.state().v;
          simulation.set_joint_forces(tau);
          simulation.step(period * k);
        }
      };
      loop_until(1, 20);
      const long before = test::allocations;
      loop_until(21, 100);
      EXPECT_EQ(test::allocations - before, 0) << method << " " << s->model.name();
    }
  }
}
#endif

}  // namespace step_test
}  // namespace chasles
