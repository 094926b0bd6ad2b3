/// Rigid stops and impacts against closed forms: bounces, rests, and who feels an impulse.
#include <gtest/gtest.h>

#include <random>

#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/mechanism/builder.hpp"
#include "simulation/run.hpp"

namespace chasles {
namespace {

using test::End, test::g, test::run, test::small_tensor;

Model hanging_weight() {
  return compile(MechanismBuilder("slide")
                     .gravity({0, 0, -g})
                     .body("weight", ground, joints::prismatic({0, 0, 1}))
                     .limits(-0.5, 1)
                     .inertia(2, {}, small_tensor)
                     .build());
}
Scenario between_stops(const Model& model, Vector q, Vector v, double duration) {
  Scenario s{.model = model, .start = {0, std::move(q), std::move(v)}};
  s.duration = duration;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  s.limits = LimitMode::rigid;
  return s;
}

/// Bounces of a weight are a geometric series; after its last one it lies still for good.
TEST(RigidStops, bounce_in_a_geometric_series_and_rest) {
  const double e = 0.6, first = std::sqrt(2 * 0.5 / g), v = g * first;
  const IntegratorOptions methods[] = {{.method = "dop853", .tolerance = 1e-12},
                                       {.method = "mk4", .step = 0.05},
                                       {.method = "abm", .step = 0.01},
                                       {.method = "gauss2", .step = 0.05}};
  for (const IntegratorOptions& options : methods) {
    Scenario s = between_stops(hanging_weight(), Vector{0.0}, Vector{0.0}, 10);
    s.integrator = options;
    s.rigid.restitution = e;
    const End end = run(s);
    double t = first, rebound = e * v;
    std::size_t count = 0;
    for (;; rebound *= e) {
      ASSERT_LT(count, end.summary.events.size()) << options.method;
      EXPECT_NEAR(end.summary.events[count].t, t, 1e-10) << options.method << count;
      EXPECT_EQ(end.summary.events[count].name, "joint 'weight' at its lower limit");
      ++count;
      if (rebound < s.rigid.rest_velocity) break;
      t += 2 * rebound / g;
    }
    EXPECT_EQ(end.summary.event_count, static_cast<long>(count));
    EXPECT_EQ(end.state.q[0], -0.5);
    EXPECT_EQ(end.state.v[0], 0);
    EXPECT_EQ(end.path[100].q[0], -0.5);  // at 5 s
    EXPECT_NEAR(end.summary.end.work, -2 * g * 0.5, 1e-9) << options.method;
    EXPECT_LT(end.summary.worst.energy, 1e-9) << options.method;
    EXPECT_TRUE(end.summary.violations.empty());
  }
}

TEST(RigidStops, let_go_when_they_are_pulled) {
  // A force that grows as 3 m g (t - 1): it leaves at t = 4/3.
  Scenario s = between_stops(hanging_weight(), Vector{-0.5}, Vector{0.0}, 2);
  s.quantities = {"tau", "a"};
  s.forces.add(joint_torque(s.model, "weight", {signals::table({0, 1, 3}, {0, 0, 12 * g})}));
  const End end = run(s);
  const double since = 2 - 4.0 / 3;
  EXPECT_NEAR(end.state.q[0], -0.5 + g / 2 * since * since * since, 1e-9);
  EXPECT_NEAR(end.state.v[0], 1.5 * g * since * since, 1e-9);
  EXPECT_EQ(end.path[100].q[0], -0.5);  // at 1 s
  // One that jumps.
  s = between_stops(hanging_weight(), Vector{-0.5}, Vector{0.0}, 1.5);
  s.forces.add(
      joint_torque(s.model, "weight", {signals::table({0, 1, 1, 3}, {0, 0, 4 * g, 4 * g})}));
  EXPECT_NEAR(run(s).state.q[0], -0.5 + g / 2 * 0.25, 1e-10);
}

TEST(RigidStops, push_while_they_hold) {
  Scenario s = between_stops(hanging_weight(), Vector{-0.5}, Vector{0.0}, 1);
  s.quantities = {"tau", "a", "reaction:weight:hybrid"};
  struct Tape : Recorder {
    void sample(const Sample& sample) override {
      EXPECT_NEAR(sample.values[0](0, 0), 2 * g, 1e-12);
      EXPECT_NEAR(sample.values[1](0, 0), 0, 1e-14);
    }
  } tape;
  Simulation(s).run(tape);
}

Model arm() {
  return compile(MechanismBuilder("arm")
                     .gravity({0, 0, -g})
                     .body("upper", ground, joints::revolute({0, 1, 0}))
                     .inertia(2, {0.3, 0, 0}, small_tensor)
                     .body("lower", "upper", joints::revolute({0, 1, 0}, {0.6, 0, 0}))
                     .limits(-3, 0.8)
                     .inertia(1, {0.8, 0, 0}, small_tensor)
                     .body("hand", "lower", joints::revolute({1, 0, 0}, {1, 0, 0}))
                     .inertia(0.5, {1.1, 0.1, 0}, small_tensor)
                     .build());
}

/// v+ = v - (1 + e) v_i M^-1 e_i / (M^-1)_ii, and what that costs.
TEST(RigidStops, impulse_goes_through_the_mass_matrix) {
  for (const double e : {0.0, 0.3, 1.0}) {
    Scenario s = between_stops(arm(), Vector{0.1, 0.2, 0.3}, Vector{0.4, 3, -2}, 5);
    s.rigid.restitution = e;
    s.events = {{{"met", [](const State& x) { return x.q[1] - 0.8; }, IntegratorEvent::rising}}};
    std::vector<State> before, after;
    struct Tape : Recorder {
      void sample(const Sample&) override {}
    } tape;
    // The state just before comes from the run without stops.
    Scenario open = s;
    open.limits = LimitMode::ignore;
    open.events[0].action = RunEvent::stop;
    const State hit = run(open).state;
    Simulation simulation(s);
    simulation.run(tape, [&](double t) { return t < hit.t - 1e-9; });
    const State& now = simulation.state();
    ASSERT_NEAR(now.t, hit.t, 1e-11);
    MassMatrixInverse inverse(s.model);
    mass_matrix_inverse(s.model, hit.q, inverse);
    const Eigen::VectorXd column = inverse.M_inv.col(1);
    const Eigen::VectorXd want = hit.v - (1 + e) * hit.v[1] / column[1] * column;
    EXPECT_LT((now.v - want).cwiseAbs().maxCoeff(), 1e-9) << e;
    VelocityKinematics kin(s.model);
    forward_kinematics(s.model, hit.q, hit.v, kin);
    const double T = kinetic_energy(s.model, kin);
    EXPECT_NEAR(simulation.summary().end.kinetic - T,
                -(1 - e * e) / 2 * hit.v[1] * hit.v[1] / column[1], 1e-9);
    EXPECT_NEAR(simulation.summary().end.work, -(1 - e * e) / 2 * hit.v[1] * hit.v[1] / column[1],
                1e-9);
  }
}

/// The same by an event, at a level of one's own.
TEST(RigidStops, are_made_by_events) {
  Scenario s = between_stops(hanging_weight(), Vector{0.0}, Vector{0.0}, 3);
  s.limits = LimitMode::ignore;
  s.events = {impact_event(s.model, "table", "weight", -0.2, IntegratorEvent::falling, 0.5)};
  const End end = run(s);
  const double first = std::sqrt(0.4 / g);
  ASSERT_GE(end.summary.events.size(), 3u);
  EXPECT_EQ(end.summary.events[0].name, "table");
  EXPECT_NEAR(end.summary.events[1].t - end.summary.events[0].t, first, 1e-10);
  EXPECT_NEAR(end.summary.events[2].t - end.summary.events[1].t, first / 2, 1e-10);
  EXPECT_EQ(end.state.q[0], -0.2);
  EXPECT_NE(std::ranges::find(end.summary.momentum_causes, "event 'table'"),
            end.summary.momentum_causes.end());
}

/// Two slides on one line that meet their stops at the same time: both bounce.
TEST(RigidStops, may_be_met_together) {
  const Model model = compile(MechanismBuilder("two")
                                  .gravity({})
                                  .body("one", ground, joints::prismatic({1, 0, 0}))
                                  .limits(-1, 1)
                                  .inertia(3, {}, small_tensor)
                                  .body("two", "one", joints::prismatic({1, 0, 0}))
                                  .limits(-1, 1)
                                  .inertia(6, {}, small_tensor)
                                  .build());
  Scenario s = between_stops(model, Vector{0.5, 0.0}, Vector{1.0, 2.0}, 0.75);
  s.rigid.restitution = 0.5;
  const End end = run(s);
  EXPECT_NEAR(end.state.v[0], -0.5, 1e-12);
  EXPECT_NEAR(end.state.v[1], -1, 1e-12);
  EXPECT_NEAR(end.state.q[0], 1 - 0.125, 1e-12);
  // Leaning on the one while the other is hit: it is held, or leaves, but does not go through.
  s = between_stops(model, Vector{1.0, 0.0}, Vector{0.0, -2.0}, 1);
  const End hit = run(s);  // the lower stop of the second: an impulse on "one" to the left
  EXPECT_LE(hit.state.q[0], 1);
  EXPECT_NEAR(hit.state.v[0], -2 * 6.0 / 9, 1e-12);  // all go on together
  s = between_stops(model, Vector{1.0, 0.0}, Vector{0.0, 2.0}, 1);
  const End held = run(s);  // the upper one: to the right, against the stop
  EXPECT_EQ(held.state.q[0], 1);
  EXPECT_EQ(held.state.v[0], 0);
  EXPECT_NEAR(held.state.q[1], 1, 1e-12);
}

/// A parallelogram that falls.
Model four_bar() {
  return compile(MechanismBuilder("bars")
                     .gravity({0, 0, -g})
                     .body("crank", ground, joints::revolute({0, 1, 0}))
                     .limits(-2, 0.5)
                     .inertia(1, {0.5, 0, 0}, small_tensor)
                     .body("coupler", "crank", joints::revolute({0, 1, 0}, {1, 0, 0}))
                     .inertia(2, {1, 0, 0.8}, small_tensor)
                     .body("rocker", ground, joints::revolute({0, 1, 0}, {0, 0, 1.5}))
                     .inertia(1, {0.6, 0, 1.5}, small_tensor)
                     .loop(Loop{"close",
                                {"coupler", "rocker"},
                                JointType::revolute,
                                joints::revolute({0, 1, 0}, {1, 0, 1.5}).geometry})
                     .build());
}
TEST(RigidStops, bind_closed_mechanisms) {
  Scenario s = between_stops(four_bar(), Vector(3), Vector(3), 2);
  s.rigid.restitution = 0.4;
  struct Tape : Recorder {
    void sample(const Sample&) override {}
  } tape;
  Scenario open = s;
  open.limits = LimitMode::ignore;
  open.events = {{{"met", [](const State& x) { return x.q[0] - 0.5; }, IntegratorEvent::rising},
                  RunEvent::stop}};
  const State hit = run(open).state;
  Simulation simulation(s);
  simulation.run(tape, [&](double t) { return t < hit.t - 1e-9; });
  ConstrainedSystem system(s.model, {}, hit.q);
  Vector push(3), x(3), none(system.constraint_count()), lambda(system.constraint_count());
  push[0] = 1;
  system.set(hit);
  system.solve(push, none, x, lambda);
  EXPECT_NEAR(simulation.state().v[0], -0.4 * hit.v[0], 1e-10);
  EXPECT_LT(system.velocity_violation(simulation.state().q, simulation.state().v), 1e-10);
  EXPECT_NEAR(simulation.summary().end.work, -(1 - 0.16) / 2 * hit.v[0] * hit.v[0] / x[0], 1e-9);
  const End end = run(s);  // and it comes to rest
  EXPECT_NEAR(end.state.q[0], 0.5, 1e-11);
  EXPECT_LT(end.state.v.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(end.summary.constraint_violation, 1e-10);
  EXPECT_LT(end.summary.worst.energy, 1e-8);
}

TEST(RunEvents, change_velocities_of_closed_mechanisms) {
  Scenario s = between_stops(four_bar(), Vector(3), Vector(3), 1);
  s.limits = LimitMode::ignore;
  s.events = {{{"kick", [](const State& x) { return x.q[0] - 0.3; }, IntegratorEvent::rising},
               RunEvent::set_velocity,
               {{0, -1.5}}}};
  struct Tape : Recorder {
    void sample(const Sample&) override {}
  } tape;
  Simulation simulation(s);
  simulation.run(tape, [&](double) { return simulation.state().v[0] >= 0; });
  EXPECT_NEAR(simulation.state().v[0], -1.5, 1e-14);
  EXPECT_NEAR(simulation.state().v[2], -1.5, 1e-12);  // of a parallelogram
  EXPECT_NEAR(simulation.state().v[1], 1.5, 1e-12);
  EXPECT_LT(simulation.summary().worst.energy, 1e-8);
  simulation.run(tape);
  EXPECT_LT(simulation.summary().velocity_violation, 1e-9);
  EXPECT_LT(simulation.summary().worst.energy, 1e-8);
}

TEST(RigidStops, that_make_no_sense_are_refused) {
  Scenario s = between_stops(hanging_weight(), Vector{0.0}, Vector{0.0}, 1);
  s.rigid.restitution = 1.5;
  EXPECT_SAYS(run(s), "restitution 1.5", "0 to 1");
  s.rigid = {.rest_velocity = 0};
  EXPECT_SAYS(run(s), "rest_velocity 0");
  s.rigid = {};
  s.start.q[0] = -0.6;
  EXPECT_SAYS(run(s), "'weight' starts at -0.6", "beyond its rigid stop at -0.5");
  s.start.q[0] = 0;
  for (const char* method : {"hedop5", "verlet", "rattle", "taylor"}) {
    s.integrator = {.method = method};
    if (!method_info(method).adaptive) s.integrator.step = 0.01;
    EXPECT_SAYS(run(s), method, "cannot hold joints", "dop853");
  }
  EXPECT_SAYS(impact_event(s.model, "hit", "weight", 0, IntegratorEvent::rising, -0.1),
              "event 'hit'", "impact -0.1");
  EXPECT_SAYS(impact_event(s.model, "hit", "weight", 0, IntegratorEvent::both, 0.1), "direction");
  EXPECT_SAYS(impact_event(s.model, "hit", "wight", 0, IntegratorEvent::rising, 0.1), "weight");
  EXPECT_SAYS(impact_event(s.model, "hit", "weight", 0, IntegratorEvent::rising, 0.1, 1),
              "coordinate 1");
}

}  // namespace
}  // namespace chasles
