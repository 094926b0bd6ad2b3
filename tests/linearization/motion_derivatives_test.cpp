/// Sensitivities of constrained motions, of adaptive methods with frozen steps, across events and through contacts:
/// against differences of the computed motions, and closed forms.
#include <gtest/gtest.h>

#include "chasles/integrators/integrator.hpp"
#include "chasles/linearization/sensitivities.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/constrained_systems.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {
namespace motion_derivatives_test {

State moved(const MechanicalSystem& system, const State& from, const Eigen::VectorXd& x) {
  State to = from;
  system.group().plus(from.q, Vector(x.head(system.nv())), to.q);
  to.v += x.tail(system.nv());
  return to;
}
Eigen::VectorXd apart(const MechanicalSystem& system, const State& a, const State& b) {
  Vector e(system.nv());
  system.group().minus(a.q, b.q, e);
  Eigen::VectorXd x(2 * system.nv());
  x << e, a.v - b.v;
  return x;
}
double relative_error(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1 + b.cwiseAbs().maxCoeff());
}
/// The derivative of `end` by the neighbor x of a state, by central differences.
template <class End>
Eigen::MatrixXd by_differences(const MechanicalSystem& system, const State& start, const End& end) {
  const State here = end(start);
  const int n = system.nv();
  Eigen::MatrixXd all(2 * n, 2 * n);
  for (int k = 0; k < 2 * n; ++k)
    all.col(k) = test::derivative([&](double s) -> Eigen::VectorXd {
      return apart(system, end(moved(system, start, s * Eigen::VectorXd::Unit(2 * n, k))), here);
    });
  return all;
}

void expect_step_derivatives(MechanicalSystem& system, const State& start, const char* method,
                             const std::string& name) {
  DifferentiableStep step(system, method);
  const double h = 0.01;
  Vector u(system.nv());
  for (int k = 0; k < u.size(); ++k) u[k] = std::sin(k + 1.0);
  State end = start;
  step(h, u, end);
  const Eigen::MatrixXd dx = step.dx(), du = step.du();
  const Eigen::MatrixXd want = by_differences(system, start, [&](State s) {
    step.move(h, u, s);
    return s;
  });
  EXPECT_LE(relative_error(dx, want), 1e-8) << name;
  Vector moved_u = u;
  for (int k = 0; k < u.size(); ++k) {
    const Eigen::VectorXd column = test::derivative([&](double s) -> Eigen::VectorXd {
      State there = start;
      moved_u = u;
      moved_u[k] += s;
      step.move(h, moved_u, there);
      return apart(system, there, end);
    });
    EXPECT_LE(relative_error(du.col(k), column), 1e-9) << name;
  }
}

TEST(ConstrainedSensitivities, are_those_of_the_projected_step) {
  for (test::ConstrainedMotion m :
       {test::double_pendulum_in_the_plane(), test::mild_top(FloatingGroup::se3),
        test::mild_top(FloatingGroup::so3xr3)})
    expect_step_derivatives(*m.system, m.start, "mk4", m.name);
  std::mt19937_64 generator(7);
  const test::LoopedTree tree = test::looped_tree(generator, 4, {{JointType::spherical}},
                                                  {{JointType::revolute}, {JointType::spherical}});
  const Model model = compile(tree.mechanism);
  ConstrainedSystem system(model);
  State start{0, tree.q, test::random_vector(model.nv(), generator)};
  system.project(start);
  expect_step_derivatives(system, start, "mk3", "loop");
}

TEST(ConstrainedSensitivities, of_a_motion_and_its_adjoint) {
  test::ConstrainedMotion m = test::double_pendulum_in_the_plane();
  const int n = m.system->nv(), N = 12;
  DifferentiableStep step(*m.system, "mk4");
  const Eigen::MatrixXd U = Eigen::MatrixXd::Zero(n, N);
  const MotionSensitivities forward = sensitivities(step, m.start, 0.02, U);
  const Eigen::MatrixXd want = by_differences(*m.system, m.start, [&](State s) {
    for (int k = 0; k < N; ++k) step.move(0.02, U.col(k), s);
    return s;
  });
  EXPECT_LE(relative_error(forward.dx, want), 1e-7);
  // Neighbors end on the constraints: B e = 0.
  Matrix B;
  m.system->set(forward.end);
  m.system->constraint_matrix(B);
  EXPECT_LE((B * forward.dx.topRows(n)).cwiseAbs().maxCoeff(), 1e-8);
  const Eigen::VectorXd weight = Eigen::VectorXd::LinSpaced(2 * n, -1, 1);
  const MotionGradient back =
      adjoint(step, m.start, 0.02, U, [&](const State&) { return Vector(weight); });
  EXPECT_LE(relative_error(back.dx, forward.dx.transpose() * weight), 1e-12);
  const auto integrator = make_integrator(*m.system, {.method = "mk4", .step = 0.02});
  integrator->reset(m.start);
  for (int k = 0; k < N; ++k) integrator->step(1);
  EXPECT_LE(apart(*m.system, integrator->state(), forward.end).norm(), 1e-11);
}

/// The steps that an adaptive method chose, then kept.
TEST(FrozenSteps, give_the_derivatives_of_adaptive_methods) {
  std::mt19937_64 generator(8);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 3, .kinds = {{JointType::revolute}, {JointType::spherical}}}));
  ModelSystem system(model);
  const State start{0, test::random_configuration(model, generator),
                    test::random_vector(model.nv(), generator)};
  for (const char* method : {"bs32", "dp54", "dop853"}) {
    const auto integrator = make_integrator(system, {.method = method, .tolerance = 1e-6});
    integrator->reset(start);
    std::vector<double> h;
    while (integrator->state().t < 0.3) {
      const double t = integrator->state().t;
      integrator->step(0.3);
      h.push_back(integrator->state().t - t);
    }
    ASSERT_GT(h.size(), 2U);
    const Eigen::MatrixXd U =
        Eigen::MatrixXd::Zero(model.nv(), static_cast<Eigen::Index>(h.size()));
    DifferentiableStep step(system, method);
    const MotionSensitivities found = sensitivities(step, start, h, U);
    EXPECT_LE(apart(system, integrator->state(), found.end).norm(), 1e-10) << method;
    const Eigen::MatrixXd want = by_differences(system, start, [&](State s) {
      for (const double length : h) step.move(length, U.col(0), s);
      return s;
    });
    EXPECT_LE(relative_error(found.dx, want), 1e-7) << method;
    const Eigen::VectorXd weight = Eigen::VectorXd::LinSpaced(2 * model.nv(), 1, 2);
    const MotionGradient back =
        adjoint(step, start, h, U, [&](const State&) { return Vector(weight); });
    EXPECT_LE(relative_error(back.dx, found.dx.transpose() * weight), 1e-12) << method;
    h.pop_back();
    EXPECT_SAYS(sensitivities(step, start, h, U), "steps, and forces U of", "one column");
  }
}

Model ball() {
  return compile(MechanismBuilder("ball")
                     .body("ball", ground, joints::prismatic({0, 0, 1}))
                     .inertia(2, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}

/// A ball that falls from z with w and bounces with restitution: z(T) and w(T) in closed form.
TEST(Saltation, of_a_bouncing_ball_has_the_closed_form) {
  const Model model = ball();
  ModelSystem system(model);
  const double g = 9.81, restitution = 0.8, T = 1, z = 2, w = -1;
  const auto end = [&](double z0, double w0) {
    const double impact = (w0 + std::sqrt(w0 * w0 + 2 * g * z0)) / g,
                 after = -restitution * (w0 - g * impact), left = T - impact;
    return Eigen::Vector2d(after * left - g * left * left / 2, after - g * left);
  };
  const double impact = (w + std::sqrt(w * w + 2 * g * z)) / g, speed = w - g * impact;
  DifferentiableStep step(system, "mk4");
  State state{0, Vector{z}, Vector{w}};
  const Vector none(1);
  step(impact, none, state);
  const Eigen::MatrixXd fall = step.dx();
  EXPECT_NEAR(state.q[0], 0, 1e-14);
  const EventJump jump{.g_x = {1, 0},
                       .R_x = Eigen::MatrixXd(Eigen::Vector2d(1, -restitution).asDiagonal())};
  const Matrix Xi = saltation_matrix(Vector{speed, -g}, Vector{-restitution * speed, -g}, jump);
  state.v = -restitution * state.v;
  step(T - impact, none, state);
  const Eigen::MatrixXd found = step.dx() * Xi * fall;
  EXPECT_LE((Eigen::Vector2d(state.q[0], state.v[0]) - end(z, w)).norm(), 1e-14);
  for (int k = 0; k < 2; ++k) {
    const Eigen::VectorXd want = test::derivative([&](double s) -> Eigen::VectorXd {
      return end(z + (k == 0 ? s : 0), w + (k == 1 ? s : 0));
    });
    EXPECT_LE((found.col(k) - want).norm(), 1e-9);
  }
}

TEST(Saltation, refuses_what_does_not_cross) {
  const EventJump jump{.g_x = {1, 0}, .R_x = Eigen::MatrixXd(Eigen::Matrix2d::Identity())};
  EXPECT_SAYS(saltation_matrix(Vector{0, 1}, Vector{0, 1}, jump), "does not cross", "grazing");
  EXPECT_SAYS(saltation_matrix(Vector{std::nan(""), 1}, Vector{0, 1}, jump), "does not cross");
  EXPECT_THROW(saltation_matrix(Vector{1, 1, 1}, Vector{0, 1}, jump), SizeError);
  EventJump wrong = jump;
  wrong.R_x = Matrix(1, 2);
  EXPECT_SAYS(saltation_matrix(Vector{1, 1}, Vector{0, 1}, wrong), "R_x of an event is 1 x 2");
  wrong = jump;
  wrong.R_t = Vector(3);
  EXPECT_THROW(saltation_matrix(Vector{1, 1}, Vector{0, 1}, wrong), SizeError);
  // A moving wall, without a jump: nothing changes if the rates do not.
  wrong = jump;
  wrong.g_t = 0.3;
  EXPECT_EQ(Eigen::MatrixXd(saltation_matrix(Vector{1, 2}, Vector{1, 2}, wrong)),
            Eigen::MatrixXd::Identity(2, 2));
}

}  // namespace motion_derivatives_test
}  // namespace
}  // namespace chasles
