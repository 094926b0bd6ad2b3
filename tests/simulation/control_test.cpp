/// Controllers: against closed forms, against a loop written by hand, and every way to ask for
/// something that makes no sense.
#include "chasles/simulation/control.hpp"

#include <gtest/gtest.h>

#include <random>

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

constexpr double inertia = 0.8;

/// A wheel on ground; a limit of 2 N m.
Model wheel() {
  Mechanism m = MechanismBuilder("wheel")
                    .body("wheel", ground, joints::revolute({0, 0, 1}))
                    .inertia(1, {}, Sym3::diagonal(1, 1, inertia))
                    .build();
  m.bodies[0].joint.limits.emplace().effort = 2;
  return compile(m);
}
Scenario of(const Model& model, double duration) {
  Scenario s{.model = model, .start = {0, model.neutral(), Vector(model.nv())}};
  s.duration = duration;
  s.integrator = {.method = "dop853", .tolerance = 1e-13};
  return s;
}
/// Keeps states and values of the first quantities.
struct MotorTape : Recorder {
  void sample(const Sample& sample) override {
    states.push_back(sample.state);
    values.emplace_back(sample.values.begin(), sample.values.end());
  }
  std::vector<State> states;
  std::vector<std::vector<Matrix>> values;
};
struct Ran {
  State end;
  Summary summary;
  MotorTape tape;
};
Ran run_taped(const Scenario& s) {
  Simulation simulation(s);
  Ran out{{}, {}, {}};
  simulation.run(out.tape);
  out.end = simulation.state(), out.summary = simulation.summary();
  return out;
}

TEST(References, have_the_rates_they_say) {
  const std::vector<double> times{-1, 0.5, 1, 3}, values{0.2, -1, 2, 0.7};
  using references::Ends;
  const Reference all[] = {
      1.5,
      references::sinusoid({0.7, 1.3, 0.4, 0.1}),
      references::spline(times, values),
      references::spline(times, values, Ends::clamped),
      references::polynomial({0.3, -1, 0.5, 0.2, -0.4, 0.1}),
      references::harmonics({0.4, 0.2, {0.5, -0.1}, {0.3}}),
      references::smooth_step({.from = 1, .to = 2, .start = -1, .duration = 5}),
      references::speed(0.7, 0.1)};
  for (const Reference& reference : all)
    for (const double t : {-0.7, 0.1, 0.8, 1.9, 2.6}) {
      const auto at = [&](auto part) {
        return test::derivative([&](double s) -> Eigen::VectorXd {
          return Eigen::VectorXd::Constant(1, reference(t + s).*part);
        })[0];
      };
      EXPECT_NEAR(at(&Setpoint::q), reference(t).v, 1e-9);
      EXPECT_NEAR(at(&Setpoint::v), reference(t).a, 1e-9);
      const Setpoint here = reference(t);
      EXPECT_NEAR(at(&Setpoint::a), here.jerk, 1e-9 * (1 + std::abs(here.jerk)));
      EXPECT_NEAR(at(&Setpoint::jerk), here.snap, 1e-9 * (1 + std::abs(here.snap)));
    }
}

TEST(References, splines_pass_their_points_smoothly) {
  const std::vector<double> times{0, 0.5, 1, 3, 3.2}, values{0.2, -1, 2, 0.7, 0.9};
  using references::Ends;
  for (const Ends ends : {Ends::natural, Ends::clamped}) {
    const Reference spline = references::spline(times, values, ends);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double eps = 1e-12;
      EXPECT_NEAR(spline(times[i]).q, values[i], 1e-14);
      if (i == 0 || i + 1 == times.size()) continue;
      const Setpoint before = spline(times[i] - eps), after = spline(times[i]);
      EXPECT_NEAR(before.v, after.v, 1e-9);
      EXPECT_NEAR(before.a, after.a, 1e-8);
    }
    const Setpoint first = spline(0), last = spline(std::nextafter(3.2, 0));
    if (ends == Ends::natural) {
      EXPECT_EQ(first.a, 0);
      EXPECT_NEAR(last.a, 0, 1e-12);
      EXPECT_GT(std::abs(first.v), 0.1);
    } else {
      EXPECT_NEAR(first.v, 0, 1e-14);
      EXPECT_NEAR(last.v, 0, 1e-13);
      EXPECT_GT(std::abs(first.a), 0.1);
    }
    EXPECT_EQ(spline(-3).q, 0.2);
    EXPECT_EQ(spline(9).q, 0.9);
    EXPECT_EQ(spline(9).v, 0);
    EXPECT_EQ(spline.next_break(-1), 0);
    EXPECT_EQ(spline.next_break(1), 3);
    EXPECT_EQ(spline.next_break(3.2), Signal::never);
  }
  // A cubic at rest at both ends is its own spline.
  const Reference cubic = references::spline({0, 1}, {0, 1}, Ends::clamped);
  for (const double t : {0.2, 0.7}) EXPECT_NEAR(cubic(t).q, t * t * (3 - 2 * t), 1e-15);
  EXPECT_EQ(references::spline({1}, {4})(7).q, 4);
}

TEST(References, that_make_no_sense_are_refused) {
  EXPECT_SAYS(references::spline({}, {}), "0 times", "at least one");
  EXPECT_SAYS(references::spline({0, 1}, {0}), "2 times", "1 values");
  EXPECT_SAYS(references::spline({0, 1, 1}, {0, 1, 2}), "do not increase: 1 after 1");
  EXPECT_SAYS(references::spline({0, NAN}, {0, 1}), "entry 1", "finite");
  EXPECT_SAYS(references::sinusoid({.amplitude = NAN}), "amplitude");
  EXPECT_SAYS(Reference(Reference::Function()), "no function");
}

/// J q'' = -k (q - q_w) - d q': a damped oscillator.
TEST(Control, pd_is_a_damped_oscillator) {
  const double k = 20, d = 3, goal = 0.7, T = 2.3;
  Scenario s = of(wheel(), T);
  s.start.v[0] = 0.4;
  s.forces.add(control(pd_control(s.model, {"wheel"}, {goal}, {.stiffness = {k}, .damping = {d}})));
  s.quantities = {"motor_torque", "motor_power", "motor_energy"};
  const Ran r = run_taped(s);
  const double b = d / (2 * inertia), w = std::sqrt(k / inertia - b * b);
  const auto exact = [&](double t) {
    const double A = -goal, B = (0.4 + b * A) / w;
    const double e = std::exp(-b * t), c = std::cos(w * t), sn = std::sin(w * t);
    return std::pair{goal + e * (A * c + B * sn),
                     e * (-b * (A * c + B * sn) + w * (B * c - A * sn))};
  };
  EXPECT_NEAR(r.end.q[0], exact(T).first, 1e-12);
  EXPECT_NEAR(r.end.v[0], exact(T).second, 1e-11);
  EXPECT_LT(r.summary.worst.energy, 1e-11);
  for (std::size_t i = 0; i < r.tape.states.size(); ++i) {
    const auto [q, v] = exact(r.tape.states[i].t);
    const double tau = k * (goal - q) - d * v;
    EXPECT_NEAR(r.tape.values[i][0](0, 0), tau, 1e-10);
    EXPECT_NEAR(r.tape.values[i][1](0, 0), tau * v, 1e-10);
    // The motor alone acts: its energy is kinetic energy.
    EXPECT_NEAR(r.tape.values[i][2](0, 0), inertia * (v * v - 0.16) / 2, 1e-11);
  }
}

/// With the right inertia and friction fed forward the wheel is on the sine from the start.
TEST(Control, feed_forward_leaves_no_error) {
  Scenario s = of(wheel(), 3);
  const Reference wave = references::sinusoid({0.5, 0.8, 0.3, 0.2});
  s.start.q[0] = wave(0).q, s.start.v[0] = wave(0).v;
  s.forces.add(joint_friction(s.model, "wheel", {.viscous = 0.6}));
  s.forces.add(control(pd_control(
      s.model, {"wheel"}, {wave},
      {.stiffness = {5}, .damping = {1}, .velocity = {0.6}, .acceleration = {inertia}})));
  s.quantities = {"motor_torque"};
  const Ran r = run_taped(s);
  for (std::size_t i = 0; i < r.tape.states.size(); ++i) {
    const Setpoint wanted = wave(r.tape.states[i].t);
    EXPECT_NEAR(r.tape.states[i].q[0], wanted.q, 1e-12);
    // Friction is not a motor force.
    EXPECT_NEAR(r.tape.values[i][0](0, 0), inertia * wanted.a + 0.6 * wanted.v, 1e-10);
  }
}

/// A tree of every joint type in which all joints with vectors follow references, and spherical and
/// free ones are left to themselves.
TEST(Control, computed_torque_follows_on_a_tree) {
  std::mt19937_64 generator(7);
  for (const bool tree : {true, false}) {
    const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = tree}));
    const std::vector<std::string> joints = vector_joints(model);
    Scenario s = of(model, 0.5);
    s.integrator.tolerance = 1e-11;
    s.start.q = test::random_configuration(model, generator, 0.5);
    std::vector<Reference> references;
    std::vector<std::pair<int, int>> at;
    for (const std::string& name : joints) {
      const ModelJoint& joint = model.joint(name);
      for (int k = 0; k < joint.nv; ++k) {
        const double part = 0.1 * static_cast<double>(references.size());
        const Reference wave = references::sinusoid({0.2 + 0.01 * part, 0.5 + part / 8, part, 0.1});
        s.start.q[joint.q_index + k] = wave(0).q, s.start.v[joint.v_index + k] = wave(0).v;
        references.push_back(wave);
        at.emplace_back(joint.q_index + k, joint.v_index + k);
      }
    }
    ASSERT_LT(static_cast<int>(references.size()), model.nv());
    ASSERT_GT(references.size(), 15u);
    s.forces.add(control(computed_torque(model, joints, references, {6}, {0.7})));
    const auto error = [&](const Ran& r) {
      double worst = 0;
      for (const State& state : r.tape.states)
        for (std::size_t i = 0; i < at.size(); ++i)
          worst = std::max({worst, std::abs(state.q[at[i].first] - references[i](state.t).q),
                            std::abs(state.v[at[i].second] - references[i](state.t).v)});
      return worst;
    };
    const double follows = error(run_taped(s));
    EXPECT_LT(follows, 1e-8) << tree;
    // An error of the start goes as e'' + 2 z w e' + w^2 e = 0.
    const double e_0 = 1e-2, z = 0.7, w = 6, root = w * std::sqrt(1 - z * z);
    s.start.q[at[3].first] += e_0;
    for (const State& state : run_taped(s).tape.states) {
      const double t = state.t;
      const double e =
          e_0 * std::exp(-z * w * t) * (std::cos(root * t) + z * w / root * std::sin(root * t));
      EXPECT_NEAR(state.q[at[3].first] - references[3](t).q, e, 1e-8);
    }
  }
}

TEST(Control, gravity_compensation_keeps_a_mechanism_where_it_is) {
  std::mt19937_64 generator(3);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
  std::vector<std::string> all;
  for (const ModelJoint& joint : model.joints()) all.push_back(joint.name);
  Scenario s = of(model, 0.3);
  s.start.q = test::random_configuration(model, generator);
  s.forces.add(control(gravity_compensation(model, all)));
  const Ran r = run_taped(s);
  EXPECT_LT((r.end.q - s.start.q).norm(), 1e-11);
  // The same as a part of PD, for the joints that have one.
  Scenario held = s;
  held.forces = {};
  std::vector<Reference> here;
  for (const std::string& name : vector_joints(model))
    for (int k = 0; k < model.joint(name).nq; ++k)
      here.emplace_back(s.start.q[model.joint(name).q_index + k]);
  held.forces.add(control(pd_control(model, vector_joints(model), here,
                                     {.stiffness = {5}, .damping = {1}, .gravity = true})));
  std::vector<std::string> others;
  for (const ModelJoint& joint : model.joints())
    if (!joint.is_vector()) others.push_back(joint.name);
  ASSERT_FALSE(others.empty());
  held.forces.add(control(gravity_compensation(model, others)));
  EXPECT_LT((run_taped(held).end.q - s.start.q).norm(), 1e-11);
}

/// What a program on the robot does, on a wheel, whose motion under a constant torque is known: measure,
/// compute, hold.
struct Hand {
  double q = 0, v = 0;
  void hold(double tau, double h) {
    const double a = tau / inertia;
    q += h * (v + h * a / 2), v += h * a;
  }
};

TEST(Control, sampled_is_a_loop_by_hand) {
  const double k = 15, d = 2, T = 0.01;
  const Reference wave = references::sinusoid({0.6, 1});
  for (const std::string method : {"dop853", "mk4", "gauss2", "abm"}) {
    Scenario s = of(wheel(), 1);
    s.integrator = {.method = method};
    if (method != "dop853") s.integrator.step = 0.0073;  // not a part of the period
    s.every = 0.0173;
    Controller c = pd_control(s.model, {"wheel"}, {wave}, {.stiffness = {k}, .damping = {d}});
    c.period = T;
    s.forces.add(control(c));
    s.quantities = {"motor_torque"};
    const Ran r = run_taped(s);
    Hand hand;
    std::size_t sample = 0;
    for (int i = 0; i < 100; ++i) {
      const double t = i * T;
      const double tau = k * (wave(t).q - hand.q) + d * (wave(t).v - hand.v);
      for (; sample < r.tape.states.size() && r.tape.states[sample].t < (i + 1) * T - 1e-9;
           ++sample) {
        Hand there = hand;
        there.hold(tau, r.tape.states[sample].t - t);
        EXPECT_NEAR(r.tape.states[sample].q[0], there.q, 1e-12) << method;
        EXPECT_NEAR(r.tape.values[sample][0](0, 0), tau, 1e-11) << method;
      }
      hand.hold(tau, T);
    }
    EXPECT_NEAR(r.end.q[0], hand.q, 1e-12) << method;
    EXPECT_NEAR(r.end.v[0], hand.v, 1e-11) << method;
    EXPECT_LT(r.summary.worst.energy, 1e-11) << method;
    // Adaptive steps are not cut further than by the samples.
    if (method == "dop853") {
      EXPECT_LE(r.summary.statistics.steps, 110);
    }
  }
}

/// A delay of two periods and a half: what was measured at k T acts from (k + 2.5) T on; the run begins
/// between two samples.
TEST(Control, a_delay_is_a_queue) {
  const double k = 15, d = 2, T = 0.02, start = 0.013;
  Scenario s = of(wheel(), 1);
  s.start.t = start;
  s.start.q[0] = 0.3;
  Controller c = pd_control(s.model, {"wheel"}, {0.1}, {.stiffness = {k}, .damping = {d}});
  c.period = T, c.delay = 2.5 * T;
  s.forces.add(control(c));
  const Ran r = run_taped(s);
  Hand hand{0.3, 0};
  std::vector<std::pair<double, double>> queue;  // from when, what
  const auto look = [&](double t) {
    queue.emplace_back(t + 2.5 * T, k * (0.1 - hand.q) - d * hand.v);
  };
  std::vector<std::pair<double, bool>> stops{{start, true}};
  for (int i = 1; i * T < start + 1; ++i) stops.emplace_back(i * T, true);
  const std::size_t samples = stops.size();
  for (std::size_t i = 0; i < samples; ++i) stops.emplace_back(stops[i].first + 2.5 * T, false);
  stops.emplace_back(start + 1, false);
  std::sort(stops.begin(), stops.end());
  for (std::size_t i = 0; i + 1 < stops.size() && stops[i].first < start + 1; ++i) {
    const double t = stops[i].first, h = stops[i + 1].first - t;
    if (stops[i].second) look(t);
    double tau = 0;
    for (const auto& [from, what] : queue)
      if (from <= t + 1e-12) tau = what;
    hand.hold(tau, h);
  }
  EXPECT_NEAR(r.end.q[0], hand.q, 1e-12);
  EXPECT_NEAR(r.end.v[0], hand.v, 1e-11);
}

/// Every Simulation of a scenario begins with the law as it was given, also one that remembers.
TEST(Control, a_law_may_remember) {
  Scenario s = of(wheel(), 1);
  int calls = 0;
  Controller c{"integral", s.model,
               [sum = 0.0, &calls](double, const VelocityKinematics& kin, VectorRef tau) mutable {
                 ++calls;
                 sum += 1 - kin.q()[0];
                 tau[0] = 0.1 * sum;
               }};
  c.period = 0.125;
  s.forces.add(control(c));
  const Ran first = run_taped(s);
  EXPECT_EQ(calls, 9);  // at 0, at 1, and between
  EXPECT_EQ(run_taped(s).end.q[0], first.end.q[0]);
  Hand hand;
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += 1 - hand.q, hand.hold(0.1 * sum, 0.125);
  EXPECT_NEAR(first.end.q[0], hand.q, 1e-14);
}

/// 2 N m at most: full ahead to the middle, by the closed form.
TEST(Control, saturates) {
  const double T = 0.5, most = 2;
  Scenario s = of(wheel(), T);
  Controller c = pd_control(s.model, {"wheel"}, {10}, {.stiffness = {50}});
  c.max_effort = effort_limits(s.model, c.joints);
  s.forces.add(control(c));
  const Ran up = run_taped(s);
  EXPECT_NEAR(up.end.q[0], most / inertia * T * T / 2, 1e-13);
  EXPECT_TRUE(up.summary.violations.empty());
  // Sampled, and to the other side, by a number.
  s.forces = {};
  c = pd_control(s.model, {"wheel"}, {-10}, {.stiffness = {50}});
  c.max_effort = {0.7}, c.period = 0.1;
  s.forces.add(control(c));
  EXPECT_NEAR(run_taped(s).end.q[0], -0.7 / inertia * T * T / 2, 1e-13);
  // Without saturation the run says what was asked for.
  s.forces = {};
  s.forces.add(control(pd_control(s.model, {"wheel"}, {10}, {.stiffness = {50}})));
  const auto violations = run_taped(s).summary.violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_NEAR(violations[0].worst, 500, 1e-9);
}

TEST(Control, that_makes_no_sense_is_refused) {
  const Model model = wheel();
  const ControlLaw law = [](double, const VelocityKinematics&, VectorRef) {};
  const auto with = [&](auto change) {
    Controller c{"mine", model, law};
    change(c);
    return control(c);
  };
  EXPECT_SAYS(with([](Controller& c) { c.law = {}; }), "controller 'mine'", "no law");
  EXPECT_SAYS(with([](Controller& c) { c.model = {}; }), "controller 'mine'", "no model");
  EXPECT_SAYS(with([](Controller& c) { c.period = -1; }), "period -1");
  EXPECT_SAYS(with([](Controller& c) { c.period = 1, c.delay = NAN; }), "delay nan");
  EXPECT_SAYS(with([](Controller& c) { c.delay = 1; }), "a delay needs samples");
  EXPECT_SAYS(with([](Controller& c) { c.delay = 1, c.period = 1e-9; }), "1e5 periods");
  EXPECT_SAYS(with([](Controller& c) { c.joints = {"whel"}; }), "whel", "wheel");
  EXPECT_SAYS(with([](Controller& c) { c.joints = {"wheel", "wheel"}; }), "given twice");
  EXPECT_SAYS(with([](Controller& c) { c.max_effort = {1, 2}; }), "2 entries");
  EXPECT_SAYS(with([](Controller& c) { c.max_effort = {-1}; }), "max_effort -1");
  EXPECT_SAYS(pd_control(model, {}, {}, {}), "no joints");
  EXPECT_SAYS(pd_control(model, {"wheel"}, {}, {}), "0 entries", "1 coordinates");
  EXPECT_SAYS(pd_control(model, {"wheel"}, {0}, {.stiffness = {1, 2}}), "stiffness has 2");
  EXPECT_SAYS(pd_control(model, {"wheel"}, {0}, {.damping = {-2}}), "damping -2");
  EXPECT_SAYS(computed_torque(model, {"wheel"}, {0}, {-1}), "frequency -1");
  EXPECT_SAYS(computed_torque(model, {"wheel"}, {0}, {1}, {NAN}), "ratio nan");
  const Model ball = compile(MechanismBuilder("ball")
                                 .body("ball", ground, joints::spherical())
                                 .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                 .build());
  EXPECT_SAYS(pd_control(ball, {"ball"}, {0, 0, 0}, {}), "quaternions", "pd_hold");
  EXPECT_SAYS(effort_limits(ball, std::vector<std::string>{"ball"}), "'ball'", "effort");
  EXPECT_TRUE(vector_joints(ball).empty());
  // No sample was taken; a law that gives nonsense is named.
  Controller c{"mine", model, law};
  c.period = 1;
  VelocityKinematics kin(model);
  JointForces out{Vector(1), {}};
  EXPECT_SAYS(control(c).law.add(0, kin, out), "controller 'mine'", "no sample yet");
  Scenario s = of(model, 1);
  c.law = [](double t, const VelocityKinematics&, VectorRef tau) { tau[0] = t > 0.5 ? NAN : 0; };
  c.period = 0.25;
  s.forces.add(control(c));
  EXPECT_SAYS(run_taped(s), "mine", "nan", "wheel");
}

}  // namespace
}  // namespace chasles
