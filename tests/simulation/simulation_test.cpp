/// Runs: samples where they are asked for, balances that hold, runs that go on.
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/small_runs.hpp"

namespace chasles {
namespace {

using test::expect_parts;
using test::pendulum;
using test::slide;
using test::spring;
using test::swing;

TEST(Simulation, of_a_spring_is_the_cosine) {
  const Scenario s = spring();
  Trajectory path;
  Simulation simulation(s);
  simulation.run(path);
  for (const State& state : path.states) {
    EXPECT_NEAR(state.q[0], std::cos(2 * state.t), 1e-10) << state.t;
    EXPECT_NEAR(state.v[0], -2 * std::sin(2 * state.t), 1e-10) << state.t;
  }
  const Summary summary = simulation.summary();
  EXPECT_TRUE(summary.finished);
  EXPECT_EQ(summary.time, 3);
  EXPECT_NEAR(summary.start.potential, 4, 1e-15);
  EXPECT_LT(summary.worst.energy, 1e-10);
  EXPECT_EQ(summary.end.work, 0);
}

TEST(Simulation, of_a_damped_spring_balances_the_work) {
  Simulation simulation(spring(1));
  Trajectory path;
  simulation.run(path);
  const double w = std::sqrt(4 - 1.0 / 16);  // x'' + x'/2 + 4 x = 0
  const double x = std::exp(-0.75) * (std::cos(3 * w) + std::sin(3 * w) / (4 * w));
  EXPECT_NEAR(simulation.state().q[0], x, 1e-10);
  const Summary s = simulation.summary();
  EXPECT_LT(s.end.work, -1);
  EXPECT_NEAR(s.end.work, s.end.kinetic + s.end.potential - 4, 1e-9);
  EXPECT_LT(s.worst.energy, 1e-9);
}

TEST(Simulation, balances_the_work_of_every_kind_of_force) {
  Scenario s = swing({.method = "dop853", .tolerance = 1e-11});
  s.forces.add(joint_friction(s.model, "arm", {0.1, 0.2, 0.1}));
  s.forces.add(pd_hold(
      s.model, "ball", 3, 0.1,
      {signals::constant(1), signals::constant(0), signals::constant(0), signals::constant(0)}));
  s.forces.add(joint_torque(s.model, "arm", {signals::sinusoid({0.5, 1})}));
  s.forces.add(
      body_wrench(s.model, {"arm", {0, 0, -2}},
                  {signals::constant(0.1), signals::constant(0), signals::constant(0.1),
                   signals::sinusoid({1, 0.7}), signals::constant(0.5), signals::constant(0)}));
  s.forces.add(point_spring_damper(s.model, {"ground", {2, 0, 0}}, {"arm", {0, 0, -2}}, 2, 0.3, 1));
  s.forces.add(joint_spring_damper(s.model, "ball", 1, 0.05));
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  const Summary summary = simulation.summary();
  EXPECT_GT(std::abs(summary.end.work), 0.1);
  EXPECT_LT(summary.worst.energy, 1e-8);
  EXPECT_LT(summary.worst.orthogonality, 1e-15);
}

TEST(Simulation, samples_at_multiples_and_exactly_at_the_end) {
  for (const char* method : {"mk4", "dop853"}) {
    Scenario s = spring();
    s.integrator = {.method = method};
    if (method[0] == 'm') s.integrator.step = 0.03;
    s.start.t = 0.5;
    s.duration = 1;
    s.every = 0.3;
    Trajectory path;
    Simulation(s).run(path);
    ASSERT_EQ(path.states.size(), 5u) << method;
    const double times[] = {0.5, 0.8, 1.1, 1.4, 1.5};
    for (std::size_t i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(path.states[i].t, times[i]);
    EXPECT_EQ(path.states.back().t, 1.5);
    for (const State& state : path.states)
      EXPECT_NEAR(state.q[0], std::cos(2 * (state.t - 0.5)), 1e-6) << method << " " << state.t;
    s.every = 0.1;  // the end is a multiple: it comes once
    Trajectory fine;
    Simulation(s).run(fine);
    EXPECT_EQ(fine.states.size(), 11u);
    s.every = 7;  // longer than the run
    Trajectory two;
    Simulation(s).run(two);
    EXPECT_EQ(two.states.size(), 2u);
  }
}

TEST(Simulation, does_not_step_where_it_samples) {
  Scenario s = spring();
  s.every = 0.001;
  Trajectory path;
  Simulation simulation(s);
  simulation.run(path);
  EXPECT_EQ(path.states.size(), 3001u);
  EXPECT_LT(simulation.summary().statistics.steps, 300);
}

struct Quantities : Recorder {
  void sample(const Sample& sample) override {
    names.clear();
    last.assign(sample.values.begin(), sample.values.end());
    for (const Quantity& q : sample.quantities) names.push_back(q.name);
  }
  std::vector<std::string> names;
  std::vector<Eigen::MatrixXd> last;
};

TEST(Simulation, records_quantities) {
  Scenario s = spring(1);
  s.quantities = {"q",
                  "v",
                  "kinetic_energy",
                  "potential_energy",
                  "energy",
                  "work",
                  "com",
                  "momentum",
                  "centroidal_momentum",
                  "pose:mass",
                  "twist:mass:spatial"};
  Simulation simulation(s);
  Quantities recorder;
  simulation.run(recorder);
  const Summary summary = simulation.summary();
  const double x = simulation.state().q[0], v = simulation.state().v[0];
  ASSERT_EQ(recorder.names.size(), 9u);
  EXPECT_EQ(recorder.names[0], "kinetic_energy");
  EXPECT_DOUBLE_EQ(recorder.last[0](0, 0), v * v);
  EXPECT_DOUBLE_EQ(recorder.last[1](0, 0), 4 * x * x);
  EXPECT_DOUBLE_EQ(recorder.last[2](0, 0), v * v + 4 * x * x);
  EXPECT_DOUBLE_EQ(recorder.last[3](0, 0), summary.end.work);
  EXPECT_DOUBLE_EQ(recorder.last[4](0, 0), x);
  EXPECT_DOUBLE_EQ(recorder.last[5](3, 0), 2 * v);
  EXPECT_DOUBLE_EQ(recorder.last[6](3, 0), 2 * v);
  EXPECT_DOUBLE_EQ(recorder.last[7](0, 3), x);
  EXPECT_DOUBLE_EQ(recorder.last[8](3, 0), v);
}

/// Recorded samples against the solution, for every method: halving the step divides the error as the
/// order says, whatever lies between the samples and the steps. The work likewise.
TEST(Simulation, samples_and_work_are_as_accurate_as_the_method) {
  const double w = std::sqrt(4 - 1.0 / 16);  // x'' + x'/2 + 4 x = 0
  struct Error {
    double samples, work, balance, last;
  };
  for (const MethodInfo& info : methods()) {
    const auto run = [&](double h) {
      Scenario s = spring(1);
      s.every = 0.0137;
      s.duration = 2;
      s.quantities = {"energy", "work"};
      s.integrator = {.method = std::string(info.name)};
      if (info.adaptive && !info.fixed_or_adaptive)
        s.integrator.tolerance = 1e3, s.integrator.first_step = s.integrator.max_step = h;
      else
        s.integrator.step = h;
      const int order = info.takes_order && !info.symmetric ? 5 : info.order;
      if (info.takes_order && !info.symmetric) s.integrator.order = order;
      struct Errors : Recorder {
        double w, samples = 0, work = 0, balance = 0, last = 0;
        void sample(const Sample& sample) override {
          const double t = sample.state.t, c = std::cos(w * t), s = std::sin(w * t);
          const double x = std::exp(-t / 4) * (c + s / (4 * w)),
                       v = -std::exp(-t / 4) * s * (w + 1 / (16 * w));
          const double q_error = std::abs(sample.state.q[0] - x),
                       v_error = std::abs(sample.state.v[0] - v), E = v * v + 4 * x * x;
          samples = std::max({samples, q_error, v_error});
          last = std::abs(sample.values[1](0, 0) - (E - 4));
          work = std::max(work, last);
          balance =
              std::max(balance, std::abs(sample.values[0](0, 0) - sample.values[1](0, 0) - 4));
        }
      } errors;
      errors.w = w;
      Simulation(s).run(errors);
      return Error{errors.samples, errors.work, errors.balance, errors.last};
    };
    const int order = info.takes_order && !info.symmetric ? 5 : info.order;
    const double h = order >= 8 ? 0.4 : order >= 5 ? 0.1 : 0.05;
    const Error coarse = run(h), fine = run(h / 2);
    // Work within a step is the integral of power over samples there; at its end, where the last sample is, it has the
    // order of the method.
    const int work_order = info.dense_order > 0 ? std::min(order, info.dense_order + 1) : order;
    const double factor = std::exp2(0.5 - work_order),
                 within = std::exp2(0.5 - (info.dense_order > 0 ? info.dense_order : order));
    EXPECT_LE(fine.samples, within * coarse.samples + 1e-13) << info.name;
    EXPECT_LE(fine.work, factor * coarse.work + 1e-13) << info.name;
    EXPECT_LE(fine.last, std::exp2(0.5 - order) * coarse.last + 1e-13) << info.name;
    EXPECT_LE(fine.balance, within * coarse.balance + 1e-13) << info.name;
  }
}

/// Work by a method of order 12 needs a quadrature of that order.
TEST(Simulation, integrates_work_to_high_orders) {
  Scenario s = spring(1);
  s.integrator = {.method = "abm", .step = 0.02, .order = 12};
  s.duration = 10;
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  EXPECT_LT(simulation.summary().last.energy, 1e-11);
}

TEST(Simulation, goes_on_after_a_stop_as_if_there_was_none) {
  for (const MethodInfo& info : methods()) {
    Scenario s = swing({.method = std::string(info.name)});
    if (!info.adaptive) s.integrator.step = 0.01;
    const double coulomb = info.needs == Needs::expansion ? 0 : 0.2;
    s.forces.add(joint_friction(s.model, "arm", {0.1, coulomb, 0.1}));
    s.every = 0.03;
    Trajectory whole, first, second;
    Simulation one(s), two(s);
    one.run(whole);
    two.run(first, [](double t) { return t < 0.7; });
    EXPECT_FALSE(two.summary().finished);
    const double stopped = two.state().t;
    two.run(second);
    EXPECT_TRUE(two.summary().finished) << info.name;
    EXPECT_EQ(one.state().q, two.state().q) << info.name;
    EXPECT_EQ(one.state().v, two.state().v) << info.name;
    EXPECT_EQ(one.summary().end.work, two.summary().end.work) << info.name;
    EXPECT_EQ(one.summary().worst.energy, two.summary().worst.energy) << info.name;
    EXPECT_EQ(one.summary().statistics.steps, two.summary().statistics.steps) << info.name;
    // The same samples, and the state where it was stopped, at the end and at the beginning.
    EXPECT_EQ(first.states.back().t, stopped);
    EXPECT_EQ(second.states.front().t, stopped);
    std::vector<State> joined = first.states;
    joined.insert(joined.end(), second.states.begin() + 1, second.states.end());
    std::erase_if(joined, [&](const State& x) { return x.t == stopped; });
    std::erase_if(whole.states, [&](const State& x) { return x.t == stopped; });
    ASSERT_EQ(joined.size(), whole.states.size()) << info.name;
    for (std::size_t i = 0; i < joined.size(); ++i) {
      EXPECT_EQ(joined[i].t, whole.states[i].t) << info.name;
      EXPECT_EQ(joined[i].q, whole.states[i].q) << info.name;
    }
    EXPECT_SAYS(two.run(second), "come to its end", "t = 2");
  }
}

/// Another program goes on, from the last state, the checkpoint and the work of the summary.
TEST(Simulation, is_continued_by_another_bit_by_bit) {
  for (const char* method : {"dop853", "dp54", "cf43", "mk4", "mk8"}) {
    Scenario s = swing({.method = method});
    if (!method_info(method).adaptive) s.integrator.step = 0.03;
    s.forces.add(joint_friction(s.model, "arm", {0.1, 0.2, 0.1}));
    s.forces.add(joint_torque(s.model, "arm", {signals::sinusoid({0.5, 1})}));
    Trajectory path;
    Simulation whole(s), first(s);
    whole.run(path);
    first.run(path, [](double t) { return t < 1.1; });
    Scenario rest = s;
    rest.start = first.state();
    rest.duration = 2 - first.state().t;  // exact
    rest.checkpoint = first.summary().checkpoint;
    rest.work = first.summary().end.work;
    Simulation second(rest);
    second.run(path);
    EXPECT_EQ(second.state().t, 2) << method;
    EXPECT_EQ(second.state().q, whole.state().q) << method;
    EXPECT_EQ(second.state().v, whole.state().v) << method;
    EXPECT_EQ(second.summary().end.work, whole.summary().end.work) << method;
    EXPECT_LT(second.summary().worst.energy, 1e-4) << method;
  }
}

TEST(Simulation, conserves_energy_of_a_pendulum_with_every_adaptive_method) {
  for (const MethodInfo& info : methods()) {
    if (!info.adaptive) continue;
    Simulation simulation(swing({.method = std::string(info.name), .tolerance = 1e-9}));
    Trajectory path;
    simulation.run(path);
    EXPECT_LT(simulation.summary().worst.energy, 1e-5) << info.name;
    EXPECT_GT(simulation.summary().statistics.evaluations, 0) << info.name;
  }
}

}  // namespace
}  // namespace chasles
