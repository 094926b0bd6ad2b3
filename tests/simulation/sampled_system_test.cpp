/// Linear systems of sampled loops against closed forms of a zero-order hold, and against runs over one period.
#include "chasles/linearization/sampled_system.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "chasles/linearization/equilibrium.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/sampled_loop.hpp"
#include "chasles/simulation/scenario_system.hpp"
#include "chasles/simulation/simulation.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace sampled_system_test {

constexpr double I = 0.4;  // [kg m^2]

Scenario wheel(double P, double D, double T, double delay = 0) {
  Scenario s{.model = compile(MechanismBuilder("wheel")
                                  .gravity({})
                                  .body("wheel", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, I))
                                  .build()),
             .start = {0, Vector{0.3}, Vector{0}},
             .duration = 1};
  Controller c =
      pd_control(s.model, {"wheel"}, {Reference(0.3)}, {.stiffness = {P}, .damping = {D}});
  c.period = T, c.delay = delay;
  s.forces.add(control(c));
  return s;
}

/// The composition that scenario_system.hpp shows.
struct Loop {
  State at;
  LinearSystem plant;
  SampledSystem sampled;
};
Loop loop_of(const Scenario& s, bool settle = false) {
  Loop out;
  const std::vector<Controller> controllers = sampled_controllers(s);
  ScenarioSystem all_the_time(with_continuous_control(s));
  out.at = all_the_time.start();
  if (settle) out.at.q = find_equilibrium(all_the_time.system(), out.at.t, out.at.q);
  ScenarioSystem run(with_held_efforts(s, out.at));
  const State& at = out.at;
  out.plant = linearize(run.system(), at.t, at.q, at.v, {.held = run.hold(out.at)});
  std::vector<SampledFeedback> feedback;
  for (const Controller& c : controllers) {
    const ControlTangent law = control_tangent(c, at.t, at.q, at.v, out.plant.C);
    feedback.push_back({law.entries, law.gain, c.delay});
  }
  out.sampled = sample(out.plant, controllers[0].period, feedback);
  return out;
}

/// Gamma(h) of a wheel: ((h^2 / 2), h) / I.
Eigen::Vector2d held(double h) { return {h * h / (2 * I), h / I}; }
Eigen::Matrix2d free_for(double h) { return Eigen::Matrix2d{{1, h}, {0, 1}}; }

TEST(SampledSystem, of_one_joint_is_a_zero_order_hold) {
  for (const double T : {0.001, 0.02, 0.3})
    for (const auto& [P, D] : {std::pair{20.0, 3.0}, {400.0, 0.5}}) {
      const Loop loop = loop_of(wheel(P, D, T));
      const Eigen::Matrix2d A = free_for(T) - held(T) * Eigen::RowVector2d(P, D);
      EXPECT_LE((loop.sampled.A - A).norm(), 1e-11 * (1 + A.norm())) << T;
      EXPECT_LE((loop.sampled.B - held(T)).norm(), 1e-14) << T;
      EXPECT_TRUE(loop.sampled.delayed.empty());
      const auto z = A.eigenvalues();
      EXPECT_NEAR(loop.sampled.spectral_radius(), z.cwiseAbs().maxCoeff(), 1e-9);
    }
}

/// d = m T + f: (x, u_{k-1}, ..., u_{k-m-1}).
TEST(SampledSystem, of_a_delayed_joint_has_the_efforts_under_way) {
  const double P = 20, D = 3, T = 0.02;
  const Eigen::RowVector2d F(-P, -D);
  for (const int m : {0, 1, 2})
    for (const double f : {0.0, 0.3 * T, 0.9 * T}) {
      const Loop loop = loop_of(wheel(P, D, T, m * T + f));
      const int past = m + (f > 0 ? 1 : 0);
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 + past, 2 + past);
      A.topLeftCorner(2, 2) = free_for(T);
      const auto column = [&](int i) { return A.col(1 + i).head(2); };
      if (m == 0)
        A.topLeftCorner(2, 2) += held(T - f) * F;
      else
        column(m) += held(T - f);
      if (f > 0) column(m + 1) += free_for(T - f) * held(f);
      if (past > 0) A.row(2).head(2) = F;
      for (int i = 3; i < 2 + past; ++i) A(i, i - 1) = 1;
      EXPECT_LE((loop.sampled.A - A).norm(), 1e-11 * (1 + A.norm())) << m << " " << f;
      ASSERT_EQ(loop.sampled.delayed.size(), static_cast<std::size_t>(past));
      for (int i = 0; i < past; ++i) {
        EXPECT_EQ(loop.sampled.delayed[static_cast<std::size_t>(i)].samples, i + 1);
        EXPECT_EQ(loop.sampled.delayed[static_cast<std::size_t>(i)].entry, 0);
      }
      const auto estimate =
          sampled_loop(sampled_controllers(wheel(P, D, T, m * T + f))[0], Vector{0.3});
      ASSERT_TRUE(estimate);
      EXPECT_NEAR(estimate->radius(), loop.sampled.spectral_radius(), 1e-9);
    }
}

/// The end of one period, begun at x in the coordinates of the plant, in the same coordinates; on the group.
Eigen::VectorXd after_a_period(Scenario s, const Loop& loop, const Eigen::VectorXd& x, double T) {
  const Model& model = s.model;
  const Eigen::Index n = model.nv();
  const Eigen::VectorXd moved = loop.plant.C * x;
  Vector q(model.nq());
  plus(model, loop.at.q, Vector(moved.head(n)), q);
  s.start.q = q, s.start.v = loop.at.v + moved.tail(n);
  s.kept_q.assign(static_cast<std::size_t>(n), false);
  for (const int k : loop.plant.positions) s.kept_q[static_cast<std::size_t>(k)] = true;
  s.kept_v = s.kept_q;
  s.duration = T;
  s.integrator = {.method = "mk8", .step = T / 16};
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  Vector e(n);
  minus(model, simulation.state().q, loop.at.q, e);
  const Eigen::VectorXd dv = simulation.state().v - loop.at.v;
  Eigen::VectorXd out(x.size());
  Eigen::Index row = 0;
  for (const int k : loop.plant.positions) out[row++] = e[k];
  for (const int k : loop.plant.velocities) out[row++] = dv[k];
  return out;
}
void expect_as_runs(const Scenario& s, double T) {
  const Loop loop = loop_of(s, true);
  const Eigen::Index n = loop.plant.A.rows();
  ASSERT_EQ(loop.sampled.A.rows(), n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::VectorXd column = test::slope(
        [&](double h) { return after_a_period(s, loop, h * Eigen::VectorXd::Unit(n, k), T); },
        1e-3);
    EXPECT_LE((loop.sampled.A.col(k) - column).norm(), 1e-8 * (1 + column.norm())) << k;
  }
}

/// Two links that sag under gravity, with a spring, and a loose one.
TEST(SampledSystem, of_an_arm_is_the_derivative_of_its_run) {
  const Model model = compile(MechanismBuilder("arm")
                                  .body("upper", ground, joints::revolute({0, 1, 0}))
                                  .inertia(2, {0.3, 0, 0}, Sym3::diagonal(0.01, 0.08, 0.08))
                                  .body("lower", "upper", joints::revolute({0, 1, 0}, {0.6, 0, 0}))
                                  .inertia(0.5, {0.8, 0, 0}, Sym3::diagonal(0.001, 0.01, 0.01))
                                  .body("loose", "lower", joints::revolute({0, 0, 1}, {1, 0, 0}))
                                  .inertia(0.2, {1.1, 0.05, 0}, Sym3::diagonal(0.001, 0.002, 0.002))
                                  .build());
  const double T = 0.05;
  const std::vector<std::string> driven{"upper", "lower"};
  std::vector<Controller> laws{
      pd_control(model, driven, {0.3, 0.7}, {.stiffness = {60, 30}, .damping = {6, 2}}),
      pd_control(model, driven, {0.3, 0.7},
                 {.stiffness = {60, 30}, .damping = {6, 2}, .gravity = true}),
      computed_torque(model, driven, {0.3, 0.7}, {10})};
  for (Controller& c : laws) {
    c.period = T;
    Scenario s{.model = model, .start = {0, Vector{0.3, 0.7, -0.2}, Vector(3)}, .duration = 1};
    s.forces.add(joint_spring_damper(model, "loose", 5, 0.1, {-0.2}));
    s.forces.add(control(c));
    expect_as_runs(s, T);
  }
}

/// A closed loop: one degree of freedom, all joints move.
TEST(SampledSystem, of_a_four_bar_is_the_derivative_of_its_run) {
  const Model model = compile(studies::four_bar());
  const double T = 0.02;
  Controller c =
      pd_control(model, {"crank"}, {Reference(0.2)}, {.stiffness = {40}, .damping = {1}});
  c.period = T;
  Scenario s{.model = model, .start = {0, model.neutral(), Vector(model.nv())}, .duration = 1};
  s.forces.add(control(c));
  expect_as_runs(s, T);
}

TEST(SampledSystem, motors_at_their_limit_do_not_feed_back) {
  Scenario s = wheel(20, 3, 0.02);
  Controller c = sampled_controllers(s)[0];
  c.max_effort = {1};
  const Matrix C = Matrix::Identity(2, 2);
  const ControlTangent within = control_tangent(c, 0, Vector{0.28}, Vector{0}, C);
  EXPECT_NEAR(within.effort[0], 0.4, 1e-15);
  EXPECT_NEAR(within.gain(0, 0), -20, 1e-9);
  EXPECT_NEAR(within.gain(0, 1), -3, 1e-10);
  const ControlTangent beyond = control_tangent(c, 0, Vector{0}, Vector{0}, C);
  EXPECT_EQ(beyond.effort[0], 1);
  EXPECT_TRUE(beyond.gain.isZero(0));
  EXPECT_SAYS(control_tangent(c, 0, Vector{0}, Vector{0}, Matrix(1, 2)), "C has 1 rows", "needs 2");
}

TEST(SampledSystem, says_what_is_wrong) {
  const LinearSystem plant{Eigen::MatrixXd{{0, 1}, {0, 0}}, Eigen::MatrixXd{{0}, {1 / I}}};
  const auto with = [&](double period, const SampledFeedback& f) {
    return sample(plant, period, {&f, 1});
  };
  const Matrix F = Eigen::MatrixXd{{-1, -1}};
  EXPECT_SAYS(with(0, {{0}, F}), "period of 0 s");
  EXPECT_SAYS(with(NAN, {{0}, F}), "period of nan s");
  EXPECT_SAYS(with(0.1, {{0}, F, -1}), "delay of -1 s");
  EXPECT_SAYS(with(0.1, {{1}, F}), "entry 1");
  EXPECT_SAYS(with(0.1, {{-1}, F}), "entry -1");
  EXPECT_SAYS(with(0.1, {{0}, Matrix(1, 3)}), "1 x 3", "1 x 2");
  EXPECT_SAYS(with(1e-3, {{0}, F, 10}), "10002", "5000", "shorten the delay");
  EXPECT_SAYS(sample({Matrix(2, 2), Matrix(3, 1)}, 0.1, {}), "3 x 1");
  Scenario s = wheel(20, 3, 0.02);
  Force odd = control(sampled_controllers(s)[0]);
  odd.controller.reset(), odd.name = "odd";
  s.forces.add(odd);
  EXPECT_SAYS(sampled_controllers(s), "odd", "not a Controller");
  // A wheel that nothing holds neither decays nor grows.
  const SampledSystem free = sample(plant, 0.1, {});
  EXPECT_FALSE(free.is_stable());
  EXPECT_FALSE(free.is_unstable());
}

}  // namespace sampled_system_test
}  // namespace chasles
