/// Signals that are not smooth: runs stop where they break, so that no method steps over a pulse, and
/// each keeps its order. On a slide of 1 kg the truth is an integral of the signal.
#include <gtest/gtest.h>

#include <limits>

#include "chasles/mechanism/builder.hpp"
#include "simulation/run.hpp"

namespace chasles {
namespace {

using test::End, test::run;

Model slide_of_1_kg() {
  return compile(MechanismBuilder("slide")
                     .body("mass", ground, joints::prismatic({1, 0, 0}))
                     .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}
Scenario at_rest(const IntegratorOptions& options, double duration) {
  Scenario s{.model = slide_of_1_kg(), .start = {0, Vector(1), Vector(1)}};
  s.duration = duration;
  s.integrator = options;
  return s;
}
Scenario pushed(const IntegratorOptions& options, double duration, Signal push) {
  Scenario s = at_rest(options, duration);
  s.forces.add(joint_torque(s.model, "mass", {std::move(push)}));
  return s;
}
/// Every method that takes any force, with steps that do not meet the breaks below. Not cg5: a stage of it is evaluated
/// before the step, so that a force which is smooth within the step alone is not smooth for it (its law is below).
std::vector<IntegratorOptions> every_method() {
  std::vector<IntegratorOptions> list;
  for (const MethodInfo& info : methods())
    if (info.needs != Needs::expansion && info.name != "cg5")
      list.push_back({.method = std::string(info.name),
                      .step = info.adaptive ? std::nullopt : std::optional(0.37)});
  return list;
}

/// A triangle of 1 N s around 5.1 s: v = 1 and q = t - 5.1 after it.
TEST(Breaks, a_pulse_between_steps_is_not_stepped_over) {
  const Signal pulse = signals::table({5, 5.1, 5.2}, {0, 10, 0});
  for (const IntegratorOptions& options : every_method()) {
    const End end = run(pushed(options, 20, pulse));
    // The integral of a straight line is exact from order 2 on, its double integral from order 3.
    const int order = method_info(options.method).order;
    const double tolerance = order >= 3 ? 1e-12 : order == 2 ? 0.02 : 3;
    // Newton's method ends at a thousandth of the tolerance.
    const double exact = method_info(options.method).fixed_or_adaptive ? 1e-10 : 1e-13;
    EXPECT_NEAR(end.state.v[0], 1, order >= 2 ? exact : 1) << options.method;
    EXPECT_NEAR(end.state.q[0], 14.9, tolerance) << options.method;
    EXPECT_EQ(end.state.t, 20) << options.method;
    if (order >= 4) {
      EXPECT_LE(end.summary.worst.energy, 1e-12) << options.method;
    }
  }
}

/// 3 N from 1 s to 2.5 s, as jumps. At a break the end of a step sees what is before it, the start of
/// the next what is after: methods that evaluate at both ends are exact.
TEST(Breaks, jumps_are_met_from_both_sides) {
  const Signal step = signals::table({1, 1, 2.5, 2.5}, {0, 3, 3, 0});
  const Signal same = {[](double t) { return t >= 1 && t < 2.5 ? 3.0 : 0.0; },
                       [](double t) { return t < 1     ? 1
                                             : t < 2.5 ? 2.5
                                                       : Signal::never; }};
  for (const Signal& push : {step, same})
    for (const IntegratorOptions& options : every_method()) {
      if (method_info(options.method).order < 2) continue;
      const End end = run(pushed(options, 4, push));
      EXPECT_NEAR(end.state.v[0], 4.5, 1e-13) << options.method;
      EXPECT_NEAR(end.state.q[0], 4.5 * 4 - 3 * (2.5 * 2.5 - 1) / 2, 1e-12) << options.method;
    }
}

/// A stage of cg5 lies before its step. After a break, and at the start of a run, it takes the value that signals have
/// there. Jumps between constants are exact; a slope costs that step its order: the error is the slope times a part of h^2.
TEST(Breaks, cost_cg5_the_order_of_one_step) {
  const auto end = [&](double step, const Signal& push) {
    return run(pushed({.method = "cg5", .step = step}, 4, push)).state.v[0];
  };
  EXPECT_NEAR(end(0.25, signals::table({1, 1}, {0, 3})), 9, 1e-13);
  const auto part = [&](double step, double slope) {  // of a straight line with a break at 1 s
    const Signal line = signals::table({-1, 1, 9}, {-slope, slope, 9 * slope});
    return (end(step, line) / slope - 8) / (step * step);
  };
  EXPECT_GT(std::abs(part(0.25, 1)), 1e-4);
  for (const double step : {0.125, 0.0625})
    for (const double slope : {1.0, -5.0})
      EXPECT_NEAR(part(step, slope), part(0.25, 1), 1e-9) << step << " " << slope;
}

/// Targets and wrenches have signals as well.
TEST(Breaks, of_every_force_with_signals_are_known) {
  const Model model = slide_of_1_kg();
  const Signal kink = signals::table({1, 2}, {0, 1}), late = signals::table({3, 4}, {0, 1});
  const Force forces[] = {
      joint_torque(model, "mass", {late}), pd_hold(model, "mass", 1, 0, {late}),
      body_wrench(model, {"mass", {}}, {0, 0, late, kink, signals::sinusoid({}), 0})};
  EXPECT_EQ(forces[0].next_break(-5), 3);
  EXPECT_EQ(forces[0].next_break(3), 4);
  EXPECT_EQ(forces[0].next_break(4), Signal::never);
  EXPECT_EQ(forces[1].next_break(3.5), 4);
  EXPECT_EQ(forces[2].next_break(0), 1);
  EXPECT_EQ(forces[2].next_break(2), 3);
  Forces all;
  EXPECT_EQ(all.next_break(0), Signal::never);
  for (const Force& force : forces) all.add(force);
  all.add(joint_spring_damper(model, "mass", 1));
  EXPECT_EQ(all.next_break(1), 2);
  EXPECT_EQ(signals::constant(3).next_break(0), Signal::never);
}

/// The fixed grid stays where it is; the breaks come on top.
TEST(Breaks, do_not_shift_the_grid) {
  struct Times : StepHook {
    void reached(State& state) override { list.push_back(state.t); }
    std::vector<double> list;
  };
  const auto times = std::make_shared<Times>();
  Scenario s = pushed({.method = "mk4", .step = 0.25, .hook = times}, 2,
                      signals::table({0.3, 0.5, 0.6, 1.5}, {0, 1, 0, 2}));
  s.start.t = 0;
  run(s);
  EXPECT_EQ(times->list, (std::vector{0.25, 0.3, 0.5, 0.6, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0}));
  // A break just before a point of the grid, and a start far from zero.
  for (const double start : {0.0, 1e6}) {
    times->list.clear();
    s = pushed({.method = "mk4", .step = 0.25, .hook = times}, 1,
               signals::table({start + 0.4999999, start + 9}, {0, 1}));
    s.start.t = start;
    run(s);
    ASSERT_EQ(times->list.size(), 5u) << start;
    for (const auto& [i, t] :
         {std::pair{0u, 0.25}, {1u, 0.4999999}, {2u, 0.5}, {3u, 0.75}, {4u, 1.0}})
      EXPECT_EQ(times->list[i], start + t) << i;
  }
}

/// At the start, at the end, outside of the run, at samples, within rounding of each other and of the
/// grid (0.1 + 0.2 is not 0.3).
TEST(Breaks, may_be_anywhere) {
  const double three = 0.1 + 0.2;
  const Signal push =
      signals::table({-1, 0, 0, 0.3, three, 0.5, 1, 1, 7}, {5, 9, 2, 2, 4, 4, 1, 8, 0});
  for (const IntegratorOptions& options :
       {IntegratorOptions{.method = "dop853"}, IntegratorOptions{.method = "mk4", .step = 0.1},
        IntegratorOptions{.method = "abm", .step = 0.01},
        IntegratorOptions{.method = "gauss2", .step = 0.3}}) {
    Scenario s = pushed(options, 1, push);
    s.every = 0.1;
    s.quantities = {"tau"};
    const End end = run(s);
    EXPECT_NEAR(end.state.v[0], 2 * 0.3 + 4 * 0.2 + 2.5 * 0.5, 1e-13) << options.method;
    EXPECT_EQ(end.path.size(), 11u) << options.method;
    for (const State& sample : end.path) {
      const double t = sample.t;
      const double v = t <= 0.35   ? 2 * t
                       : t <= 0.55 ? 0.6 + 4 * (t - 0.3)
                                   : 1.4 + 4 * (t - 0.5) - 3 * (t - 0.5) * (t - 0.5);
      EXPECT_NEAR(sample.v[0], v, 1e-12) << options.method << " at " << t;
    }
  }
}

/// A square wave of 5000 jumps.
TEST(Breaks, may_be_thousands) {
  std::vector<double> times, values;
  for (int k = 0; k < 5000; ++k)
    for (const int side : {0, 1}) {
      times.push_back(0.001 * (k + 1));
      values.push_back((k + side) % 2 == 0 ? 1 : -1);
    }
  const Signal square = signals::table(times, values);
  const End end = run(pushed({.method = "dop853"}, 6, square));
  // 1 N, -1 N, ... for 1 ms each, which cancel; the last value, 1 N, stays for a second.
  EXPECT_NEAR(end.state.v[0], 1, 1e-12);
  EXPECT_GE(end.summary.statistics.steps, 5000);
  EXPECT_LE(end.summary.statistics.steps, 5100);
}

/// A method of order 10 keeps it: its history does not reach across a break.
TEST(Breaks, restart_methods_of_several_steps) {
  Scenario s = at_rest({.method = "abm", .step = 0.01}, 2);
  s.start.q[0] = 1;
  s.forces.add(joint_spring_damper(s.model, "mass", 4));
  // On the grid, so that no step is cut.
  s.forces.add(joint_torque(s.model, "mass", {signals::table({1, 1}, {0, 4})}));
  const End end = run(s);
  const double q = std::cos(2.0), v = -2 * std::sin(2.0);  // at 1 s; from there about q = 1
  EXPECT_NEAR(end.state.q[0], 1 + (q - 1) * std::cos(2.0) + v / 2 * std::sin(2.0), 1e-12);
}

TEST(Breaks, that_make_no_sense_are_refused) {
  const Scenario back = pushed({}, 1, {[](double) { return 1.0; }, [](double t) { return t - 1; }});
  EXPECT_SAYS(run(back), "torque of joint 'mass'", "next break", "not after");
  const Scenario dense =
      pushed({}, 1, {[](double) { return 1.0; }, [](double t) { return t + 1e-18; }});
  EXPECT_SAYS(run(dense), "breaks");
}

TEST(Signals, without_function_are_refused) {
  EXPECT_SAYS(Signal(Signal::Function()), "a signal has no function");
  EXPECT_EQ(Signal()(3), 0);
  EXPECT_EQ(Signal(2)(3), 2);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_SAYS(signals::sinusoid({.amplitude = NAN}), "amplitude", "nan");
  EXPECT_SAYS(signals::sinusoid({.frequency = inf}), "frequency", "inf");
}

TEST(Forces, without_function_or_model_are_refused) {
  Forces forces;
  EXPECT_SAYS(forces.add({"ghost", slide_of_1_kg(), {}}), "force 'ghost'", "no function");
  EXPECT_SAYS(forces.add({"lost", {}, [](double, const VelocityKinematics&, JointForces&) {}}),
              "force 'lost'", "no model");
  EXPECT_TRUE(forces.empty());
}

}  // namespace
}  // namespace chasles
