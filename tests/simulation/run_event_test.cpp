/// Events of runs, on a weight that falls: every time is known.
#include "chasles/simulation/run_event.hpp"

#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/control.hpp"
#include "simulation/run.hpp"

namespace chasles {
namespace {

using test::End, test::run;

constexpr double gravity = 9.81;

Scenario falling(double duration) {
  const Model model = compile(MechanismBuilder("weight")
                                  .gravity({0, 0, -gravity})
                                  .body("weight", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(2, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  Scenario s{.model = model, .start = {0, Vector(1), Vector(1)}};
  s.duration = duration;
  s.integrator.tolerance = 1e-12;
  return s;
}
IntegratorEvent below(double level, const char* name) {
  return {name, [level](const State& s) { return s.q[0] - level; }, IntegratorEvent::falling};
}

TEST(RunEvents, end_a_run) {
  Scenario s = falling(5);
  s.every = 0.1;
  s.events = {{below(-0.5, "half way")}, {below(-1, "floor"), RunEvent::stop}};
  const End end = run(s);
  EXPECT_NEAR(end.state.t, std::sqrt(2 / gravity), 1e-13);
  EXPECT_NEAR(end.state.q[0], -1, 1e-13);
  EXPECT_TRUE(end.summary.finished);
  EXPECT_EQ(end.path.back().t, end.state.t);
  EXPECT_EQ(end.path.size(), 6u);  // 0, 0.1, ..., 0.4, 0.4515
  ASSERT_EQ(end.summary.events.size(), 2u);
  EXPECT_EQ(end.summary.events[0].name, "half way");
  EXPECT_NEAR(end.summary.events[0].t, std::sqrt(1 / gravity), 1e-13);
  EXPECT_EQ(end.summary.events[1].name, "floor");
}

/// Thrown up with 3 m/s whenever it comes down to the floor.
TEST(RunEvents, change_velocities) {
  Scenario s = falling(4);
  s.quantities = {"work"};
  s.events = {{below(-1, "floor"), RunEvent::set_velocity, {{0, 3}}}};
  const End end = run(s);
  const double first = std::sqrt(2 / gravity), again = 2 * 3 / gravity;
  const auto last = static_cast<int>((4 - first) / again);
  for (int k = 0; k <= last; ++k)
    EXPECT_NEAR(end.summary.events.at(static_cast<std::size_t>(k)).t, first + k * again, 1e-11);
  EXPECT_EQ(end.summary.event_count, last + 1);
  const double since = 4 - (first + last * again);
  EXPECT_NEAR(end.state.q[0], -1 + since * (3 - gravity * since / 2), 1e-10);
  EXPECT_NEAR(end.state.v[0], 3 - gravity * since, 1e-10);
  // The first throw takes 2 (9 / 2 - gravity) J, the others nothing: they come as fast as they go.
  EXPECT_NEAR(end.summary.end.work, 9 - 2 * gravity, 1e-9);
  EXPECT_LT(end.summary.worst.energy, 1e-9);
  EXPECT_NE(std::ranges::find(end.summary.momentum_causes, "event 'floor'"),
            end.summary.momentum_causes.end());
}

/// Events between the samples of a controller; steps that end at events do not shift the samples.
TEST(RunEvents, go_with_sampled_control) {
  Scenario s = falling(2);
  Controller c{"hold", s.model, [](double t, const VelocityKinematics& kin, VectorRef tau) {
                 tau[0] = 2 * gravity - 5 * (kin.q()[0] - 0.1 * t) - 3 * kin.v()[0];
               }};
  c.period = 0.05;
  s.forces.add(control(c));
  const End without = run(s);
  s.events = {
      {{"up", [](const State& state) { return state.q[0] - 0.03; }, IntegratorEvent::rising}}};
  const End with = run(s);
  EXPECT_EQ(with.summary.event_count, 1);
  EXPECT_NEAR(with.state.q[0], without.state.q[0], 1e-13);
}

/// More than are kept are counted.
TEST(RunEvents, may_be_many) {
  Scenario s = falling(5);
  s.events = {{{"tick", [](const State& state) { return std::sin(1000 * state.t); }}}};
  s.integrator.max_step = 1e-3;
  const End end = run(s);
  EXPECT_EQ(end.summary.event_count, static_cast<long>(5000 / M_PI));
  EXPECT_EQ(end.summary.events.size(), 1000u);
}

TEST(RunEvents, without_function_are_refused) {
  Scenario s = falling(1);
  s.events = {{IntegratorEvent{"nothing", {}}}};
  EXPECT_SAYS(run(s), "nothing");
}

}  // namespace
}  // namespace chasles
