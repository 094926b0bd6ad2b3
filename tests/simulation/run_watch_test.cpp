/// Runs that blow up end with a sentence, healthy ones are not stopped; constraints and energy that are off beyond
/// the tolerance are an error.
#include "simulation/run_watch.hpp"

#include <gtest/gtest.h>

#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/simulation/control.hpp"
#include "simulation/run.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/errors.hpp"
#include "support/small_runs.hpp"

namespace chasles {
namespace {

using test::expect_parts;
using test::spring;

/// A wheel of inertia I about z, with a sampled damper of gain d: v_{k+1} = (1 - d P / I) v_k.
Scenario damped_wheel(double eigenvalue) {
  const double I = 0.01, period = 0.001;
  Scenario s{.model = compile(MechanismBuilder("wheel")
                                  .body("wheel", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {}, Sym3::diagonal(I, I, I))
                                  .build()),
             .start = {0, Eigen::VectorXd{{0}}, Eigen::VectorXd{{0.1}}},
             .duration = 10};
  Controller c =
      pd_control(s.model, {"wheel"}, {Reference(0)}, {.damping = {(1 - eigenvalue) * I / period}});
  c.period = period;
  s.forces.add(control(c));
  return s;
}

TEST(RunWatch, ends_a_sampled_loop_that_is_unstable) {
  for (const double eigenvalue : {-50.0, -4.5, -1.5, -1.05}) {
    Simulation simulation(damped_wheel(eigenvalue));
    Trajectory path;
    expect_parts(test::message([&] { simulation.run(path); }),
                 {"t = 0.", "diverged", "joint 'wheel'", "the gains of controller", "PD control",
                  "unstable", "eigenvalue of magnitude"});
    EXPECT_LT(simulation.summary().statistics.steps, 10'000) << eigenvalue;
    EXPECT_FALSE(simulation.summary().finished);
    EXPECT_TRUE(path.states.back().v.allFinite());
  }
}

/// Each of the bounds on sampled loops, run_watch.hpp (3) and (4), by itself.
TEST(RunWatch, ends_sampled_loops_by_each_of_its_bounds) {
  const struct {
    double eigenvalue;
    bool gains;  // known
    const char* says;
  } cases[] = {{-30, true, "times in a row"},
               {-5, false, "5 times in a row"},
               {-1.5, true, "rad between two samples of a controller"},
               {-1.5, false, "rad between two samples of a controller"}};
  for (const auto& [eigenvalue, gains, says] : cases) {
    Scenario s = damped_wheel(eigenvalue);
    Controller c = *s.forces.list()[0].controller;
    if (!gains) c.gains.reset();
    s.forces = {};
    s.forces.add(control(c));
    Simulation simulation(s);
    Trajectory path;
    expect_parts(test::message([&] { simulation.run(path); }), {"diverged", says});
    EXPECT_FALSE(simulation.summary().finished);
  }
}

/// Gains so high that the arm spins at 1e5 rad/s before five samples are over: steps of that motion are short, and
/// there were 400,000 of them.
TEST(RunWatch, ends_a_very_unstable_loop_within_a_few_samples) {
  Scenario s{.model = compile(MechanismBuilder("arm")
                                  .body("upper", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {0.5, 0, 0}, Sym3::diagonal(0.02, 0.1, 0.1))
                                  .body("lower", "upper", joints::revolute({0, 1, 0}, {1, 0, 0}))
                                  .inertia(0.5, {1.4, 0, 0}, Sym3::diagonal(0.01, 0.04, 0.04))
                                  .build()),
             .start = {0, Vector{0.3, 0.2}, Vector{0, 0}},
             .duration = 10};
  for (const double damping : {400.0, 4e3, 4e4, 4e6}) {
    Scenario wild = s;
    Controller c = pd_control(s.model, {"upper", "lower"}, {Reference(0), Reference(0)},
                              {.stiffness = {10, 10}, .damping = {damping, damping}});
    c.period = 0.01;
    wild.forces.add(control(c));
    Simulation simulation(wild);
    Trajectory path;
    expect_parts(test::message([&] { simulation.run(path); }),
                 {"t = 0.", "diverged", "joint '", "the gains of controller", "eigenvalue"});
    RecordProperty("damping_" + std::to_string(damping),
                   std::to_string(simulation.summary().statistics.steps));
    EXPECT_LT(simulation.summary().statistics.steps, 20'000) << damping;
  }
}

TEST(RunWatch, lets_a_sampled_loop_that_is_stable_go_on) {
  for (const double eigenvalue : {-0.99, 0.0, 0.9}) {
    const test::End end = test::run(damped_wheel(eigenvalue));
    EXPECT_TRUE(end.summary.finished) << eigenvalue;
    EXPECT_LE(std::abs(end.state.v[0]), 0.1);
  }
}

/// From rest the kinetic energy grows many times from sample to sample; so does it where a reference begins
/// with t^5.
TEST(RunWatch, lets_motion_from_rest_go_on) {
  Scenario s = damped_wheel(0.5);
  s.start.v[0] = 0;
  s.duration = 1;
  s.forces = {};
  const auto joints = std::vector<std::string>{"wheel"};
  Controller c = computed_torque(
      s.model, joints, {Reference([](double t) {
        return Setpoint{1e3 * std::pow(t, 5), 5e3 * std::pow(t, 4), 2e4 * std::pow(t, 3)};
      })},
      {20});
  c.period = 0.001;
  s.forces.add(control(c));
  EXPECT_TRUE(test::run(s).summary.finished);
}

/// A motor may spin up what it likes.
TEST(RunWatch, lets_a_motor_do_work) {
  Scenario s = damped_wheel(0);
  s.start.v[0] = 0;
  s.forces = {};
  s.forces.add(joint_torque(s.model, "wheel", {signals::constant(100)}));
  const test::End end = test::run(s);
  EXPECT_NEAR(end.state.v[0], 1e5, 1e-4);  // rad/s
}

/// A stiff damper makes steps short for ever: a million of them, and the run is ended.
TEST(RunWatch, ends_a_run_that_does_not_get_on) {
  Scenario s = spring();
  s.forces = {};
  s.forces.add(joint_friction(s.model, "mass", {.viscous = 2e9}));
  s.forces.add(joint_torque(s.model, "mass", {signals::sinusoid({.amplitude = 2e9})}));
  s.duration = 1e6;
  s.integrator = {.method = "bs32", .tolerance = 1e-3};
  Simulation simulation(s);
  Trajectory path;
  expect_parts(test::message([&] { simulation.run(path); }),
               {"a million steps", "thousandth of the duration", "joint 'mass'", "stiff"});
  EXPECT_LT(simulation.summary().statistics.steps, 1'100'000);
}

/// A stiffness beyond all use makes every step as short as 1e-156 s: the run is ended at once, and the force is named.
/// So are fixed steps that are as short.
TEST(RunWatch, ends_a_run_whose_steps_lead_nowhere) {
  const struct {
    const char* method;
    double stiffness;
    std::optional<double> step;
  } cases[] = {{"dop853", 1e308, {}}, {"bs32", 1e308, {}}, {"auto", 1e308, {}}, {"mk4", 8, 1e-20}};
  for (const auto& [method, stiffness, step] : cases) {
    Scenario s = spring();
    s.forces = {};
    s.start = {0, Vector{0}, Vector{1e-3}};
    s.forces.add(joint_torque(s.model, "mass", {signals::constant(1e-3)}));
    s.forces.add(joint_spring_damper(s.model, "mass", stiffness));
    s.integrator = {.method = method, .step = step};
    Simulation simulation(s);
    Trajectory path;
    expect_parts(test::message([&] { simulation.run(path); }),
                 {"steps led over", " s of a run of ", "there is no end", "joint 'mass'",
                  "changes fastest is that of spring"});
    EXPECT_LT(simulation.summary().statistics.steps, 20'000) << method;
  }
}

/// A spring that pushes twice as hard as its potential says.
TEST(RunWatch, finds_energy_that_the_tolerance_does_not_explain) {
  Scenario s = spring();
  s.forces = {};
  Force wrong = joint_spring_damper(s.model, "mass", 8);
  wrong.law.potential = [](const PositionKinematics& kin) { return 2 * kin.q()[0] * kin.q()[0]; };
  s.forces.add(wrong);
  Simulation simulation(s);
  Trajectory path;
  expect_parts(test::message([&] { simulation.run(path); }),
               {"the energy drifted by ", "tolerance 1e-12", "not the gradient of its potential"});
  EXPECT_GT(path.states.size(), 0u);
  s.integrator = {.method = "mk4", .step = 0.01};  // which promises nothing
  EXPECT_TRUE(test::run(s).summary.finished);
}

/// A potential or a power that is not a number is named, and the drift of the summary is not a number either.
TEST(RunWatch, names_a_potential_or_power_that_is_not_a_number) {
  for (const bool power : {true, false})
    for (const IntegratorOptions& options :
         {IntegratorOptions{.method = "dop853"}, IntegratorOptions{.method = "mk4", .step = 0.01},
          IntegratorOptions{.method = "radau5", .step = 0.01}}) {
      Scenario s = spring();
      s.forces = {};
      s.integrator = options;
      Force odd = joint_spring_damper(s.model, "mass", 8);
      const auto nan_later = [](double x) { return std::abs(x) < 0.1 ? std::nan("") : 4 * x * x; };
      if (power)
        odd.law.power = [=](double, const VelocityKinematics& kin) {
          return nan_later(kin.q()[0]);
        };
      else
        odd.law.potential = [=](const PositionKinematics& kin) { return nan_later(kin.q()[0]); };
      s.start.q[0] = 0.05;
      s.start.v[0] = 0;
      s.forces.add(odd);
      Simulation simulation(s);
      Trajectory path;
      expect_parts(test::message([&] { simulation.run(path); }),
                   {"t = ", odd.name.c_str(), power ? "its power is nan" : "its potential is nan"});
      EXPECT_TRUE(std::isnan(simulation.summary().worst.energy)) << options.method;
    }
}

TEST(RunWatch, explains_the_drift_of_every_adaptive_method) {
  for (const MethodInfo& method : methods())
    for (const double tolerance : {1e-2, 1e-5, 1e-8}) {
      if (!method.adaptive || (method.order < 4 && tolerance < 1e-7)) continue;
      IntegratorOptions options;
      options.method = method.name, options.tolerance = tolerance;
      const test::End end = test::run(test::swing(options));
      EXPECT_TRUE(end.summary.finished) << method.name << " " << tolerance;
    }
}

/// Two links that turn about z, across gravity, at rest: no energy but what rounding of their heights makes.
TEST(RunWatch, explains_rounding_of_heights_at_rest) {
  const auto turn = [](double x, double y) { return joints::revolute({0, 0, 1}, {x, y, 0}); };
  const Mechanism links = MechanismBuilder("links")
                              .gravity({0, 0, -test::g})
                              .body("a", ground, turn(-0.49, -0.009))
                              .pose(SE3{SO3{}, {-0.101, 0.3032, 0}})
                              .inertia(0.463, {}, Sym3::diagonal(0.103, 0.184, 0.143))
                              .body("b", "a", turn(-0.467, 0.604))
                              .pose(SE3{SO3{}, {-0.7955, -0.3651, 0}})
                              .inertia(2.019, {}, Sym3::diagonal(0.101, 0.188, 0.169))
                              .body("c", ground, turn(0.055, 0.527))
                              .pose(SE3{SO3{}, {0.1057, -0.3086, 0}})
                              .inertia(2.331, {}, Sym3::diagonal(0.195, 0.193, 0.142))
                              .build();
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3})
    for (const MethodInfo& method : methods()) {
      if (!method.adaptive || method.name == "taylor") continue;
      const Model model = compile(to_maximal_coordinates(links, group));
      Scenario s{.model = model, .start = {0, model.neutral(), Vector(model.nv())}, .duration = 1};
      s.integrator.method = method.name, s.integrator.tolerance = 1e-8;
      EXPECT_TRUE(test::run(s).summary.finished) << method.name;
    }
}

/// q_0 = q_1, and a copy of that row whose Phi is off by a part of q_0: a redundant row that does not hold.
class Lying : public Constraint {
 public:
  explicit Lying(double off) : off_(off) {}
  std::string name() const override { return "lying"; }
  int constraint_count() const override { return 1; }
  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    Phi[0] = kin.q()[0] - kin.q()[1] + off_ * kin.q()[0];
  }
  void matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd> B) const override {
    B(0, 0) = 1, B(0, 1) = -1;
  }
  void bias(const VelocityKinematics&, VectorRef out) const override { out.setZero(); }

 private:
  double off_;
};
Scenario two_wheels(const IntegratorOptions& options) {
  const Sym3 I = Sym3::diagonal(1, 1, 1);
  Scenario s{.model = compile(MechanismBuilder("wheels")
                                  .body("a", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {}, I)
                                  .body("b", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {}, I)
                                  .build()),
             .start = {0, Eigen::VectorXd::Zero(2), Eigen::VectorXd::Ones(2)},
             .duration = 2};
  s.integrator = options;
  s.constraints.more = {std::make_shared<Lying>(0), std::make_shared<Lying>(1e-5)};
  return s;
}
TEST(RunWatch, finds_constraints_that_are_off) {
  for (const IntegratorOptions& options :
       {IntegratorOptions{}, IntegratorOptions{.method = "mk4", .step = 0.01},
        IntegratorOptions{.method = "rattle", .step = 0.01}}) {
    Simulation simulation(two_wheels(options));
    Trajectory path;
    expect_parts(test::message([&] { simulation.run(path); }),
                 {"t = 0.", "the constraints are off by 1.", "beyond 1e-06"});
    EXPECT_NEAR(path.states.back().t, 0.1, 0.6) << options.method;
    EXPECT_FALSE(simulation.summary().finished);
  }
  // Drift that was asked for is told, not refused.
  const test::End end =
      test::run(two_wheels({.method = "mk4", .step = 0.01, .stabilization = Stabilization::none}));
  EXPECT_NEAR(end.summary.constraint_violation, 2e-5, 1e-9);
  EXPECT_GT(end.summary.constraint_violation, end.summary.allowed_violation);
}

// Closed mechanisms that explode. A run that ends with "finished" has loops, velocities and an energy balance.

const std::vector<std::string> explicit_methods{"mk4", "rk4", "cf4"};
std::vector<IntegratorOptions> every_stabilization(double step) {
  std::vector<IntegratorOptions> list;
  for (const std::string& method : explicit_methods)
    for (const Stabilization how :
         {Stabilization::projection, Stabilization::none, Stabilization::baumgarte}) {
      list.push_back({.method = method, .step = step, .stabilization = how});
      if (how == Stabilization::baumgarte) list.back().baumgarte = {10, 10};
    }
  return list;
}

/// A spring that is far too stiff for the step: with projection the loop stays closed and the energy grows, without it
/// the loop comes apart.
TEST(RunWatch, ends_a_four_bar_that_explodes) {
  for (const IntegratorOptions& options : every_stabilization(0.02)) {
    const Model model = compile(studies::four_bar());
    Scenario s{.model = model, .start = {0, model.neutral(), Vector(model.nv())}, .duration = 10};
    s.start.v[0] = 1;
    s.kept_v = {true, false, false};
    s.forces.add(joint_spring_damper(model, "rocker", 1e6));
    s.integrator = options;
    Simulation simulation(s);
    Trajectory path;
    const std::string text = test::message([&] { simulation.run(path); });
    if (options.stabilization == Stabilization::projection)
      expect_parts(text, {"the motion diverged", "the balance of energy is off by ",
                          "the step is too long for", options.method.c_str()});
    else
      expect_parts(text, {"the constraints are off by 1.", "beyond 1"});
    EXPECT_FALSE(simulation.summary().finished);
  }
}

/// Crank, massless coupler and rocker of the same length on one line, a little off it.
Model folded(double angle, double coupler) {
  const Vec3 y{0, 1, 0}, A{std::cos(angle), 0, std::sin(angle)}, B{1 + A.x, 0, A.z};
  const auto rod = [](const Vec3& a, const Vec3& b) { return 0.5 * (a + b); };
  const Sym3 J = Sym3::diagonal(0.01, 0.01, 0.01);
  MechanismBuilder b("folded");
  b.body("crank", ground, joints::revolute(y)).inertia(1, rod({}, A), J);
  b.body("coupler", "crank", joints::revolute(y, A));
  if (coupler > 0) b.inertia(coupler, rod(A, B), coupler * J);
  b.body("rocker", ground, joints::revolute(y, {1, 0, 0})).inertia(1, rod({1, 0, 0}, B), J);
  b.loop({.name = "closure",
          .bodies = {"coupler", "rocker"},
          .type = JointType::revolute,
          .geometry = AxisGeometry{y, B}});
  return compile(b.build());
}

/// Massless and nearly massless couplers at and near the dead center, long steps: some runs stop there with a sentence,
/// some go on; none is wrong and finished.
TEST(RunWatch, finishes_no_run_of_a_massless_coupler_that_exploded) {
  int finished = 0, ended = 0;
  for (const double step : {0.5, 0.1, 0.02})
    for (const double angle : {0.0, 1e-8, 1e-3, 0.3})
      for (const double mass : {0.0, 1e-12, 1.0})
        for (const IntegratorOptions& options : every_stabilization(step)) {
          const Model model = folded(angle, mass);
          Scenario s{.model = model,
                     .start = {0, model.neutral(), Vector{5, -5, 5}},
                     .duration = 20 * step};
          s.integrator = options;
          Simulation simulation(s);
          Trajectory path;
          try {
            simulation.run(path);
          } catch (const RunError&) {
            EXPECT_FALSE(simulation.summary().finished);
            ++ended;
            continue;
          }
          ++finished;
          const Summary end = simulation.summary();
          const std::string name = options.method + " " + std::to_string(step) + " " +
                                   std::to_string(angle) + " " + std::to_string(mass);
          EXPECT_TRUE(end.finished) << name;
          // What the start has, and 1 rad/s; the size of the mechanism.
          EXPECT_LE(end.worst.energy, 1e3 * (12.5 * 2.1 + 9.81 * 2 + 3)) << name;
          EXPECT_LE(end.constraint_violation, 2.1) << name;
          if (options.stabilization == Stabilization::projection) {
            EXPECT_LE(end.last_violation, end.allowed_violation) << name;
            EXPECT_LE(end.constraint_violation, 0.01 * 2.1) << name;
          }
          for (const State& state : path.states)
            EXPECT_LE(state.v.lpNorm<Eigen::Infinity>(), 1e8) << name;
        }
  RecordProperty("finished", finished);
  RecordProperty("ended", ended);
  EXPECT_GT(finished, 50);
  EXPECT_GT(ended, 50);
}

/// One long step of a crank and rocker whose crank and coupler are in line: both ends of the step are on the constraints,
/// samples between are not, and no projection brings them there.
TEST(RunWatch, finds_samples_that_are_off_the_constraints) {
  const Vec3 y{0, 1, 0}, A{0.42380375016187205, 0, 0.2653118567812859}, B = 3.0 * A,
                                                                        G{1.1908720186703199, 0, 0};
  const Sym3 J = Sym3::diagonal(0.01, 0.01, 0.01);
  MechanismBuilder b("stretched");
  b.body("crank", ground, joints::revolute(y)).inertia(1, 0.5 * A, J);
  b.body("coupler", "crank", joints::revolute(y, A)).inertia(1, 2.0 * A, J);
  b.body("rocker", ground, joints::revolute(y, G)).inertia(1, 0.5 * (G + B), J);
  b.loop({.name = "closure",
          .bodies = {"coupler", "rocker"},
          .type = JointType::revolute,
          .geometry = AxisGeometry{y, B}});
  const Model model = compile(b.build());
  Scenario s{.model = model, .start = {0, model.neutral(), Vector{5, 0, 0}}, .duration = 0.3};
  s.kept_v = {true, false, false};
  s.integrator = {.method = "mk4", .step = 0.3};
  Simulation simulation(s);
  Trajectory path;
  expect_parts(test::message([&] { simulation.run(path); }),
               {"between two steps the constraints are off by ", "beyond 0.01"});
  EXPECT_FALSE(simulation.summary().finished);
}

}  // namespace
}  // namespace chasles
