/// Sensitivities of implicit and variational methods: against differences of the integrators themselves, which share
/// nothing with them but the system; the adjoint against the transpose.
#include <gtest/gtest.h>

#include "chasles/integrators/integrator.hpp"
#include "chasles/linearization/sensitivities.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/constrained_systems.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {
namespace implicit_sensitivities_test {

/// Methods with options that change their steps.
std::vector<IntegratorOptions> implicit_methods() {
  return {{.method = "midpoint"},
          {.method = "gauss2"},
          {.method = "gauss3"},
          {.method = "gauss", .order = 8},
          {.method = "radau5"},
          {.method = "generalized_alpha"},
          {.method = "generalized_alpha", .rho = 0.3},
          {.method = "blied2"}};
}
std::vector<IntegratorOptions> tree_methods() {
  std::vector<IntegratorOptions> list = implicit_methods();
  for (const IntegratorOptions& more :
       {IntegratorOptions{.method = "verlet"}, IntegratorOptions{.method = "variational"},
        IntegratorOptions{.method = "variational", .order = 4},
        IntegratorOptions{.method = "rattle"}})
    list.push_back(more);
  return list;
}
std::vector<IntegratorOptions> closed_methods() {
  std::vector<IntegratorOptions> list = implicit_methods();
  list.push_back({.method = "generalized_alpha", .index = 3});
  list.push_back({.method = "rattle"});
  list.push_back({.method = "rattle", .order = 4});
  return list;
}
std::string name_of(const IntegratorOptions& o) {
  return o.method + (o.order ? " of order " + std::to_string(*o.order) : "") +
         (o.index ? " of index 3" : "");
}

State end_of(MechanicalSystem& system, IntegratorOptions options, const State& start, double h,
             int steps) {
  options.step = h;
  const auto integrator = make_integrator(system, options);
  integrator->reset(start);
  for (int k = 0; k < steps; ++k) integrator->step(start.t + 1e3);
  return integrator->state();
}
State neighbor(const MechanicalSystem& system, const State& from, const Eigen::VectorXd& x) {
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

/// An arm with joints on groups, springs that depend on velocity and on each other, moderate motion.
struct Arm {
  Model model;
  ModelSystem system;
  State start;
  double push = 0;  // additional force in every joint
  double damping = 0.3;
  explicit Arm(unsigned seed)
      : model(make(seed)), system(model), start{0, model.neutral(), Vector(model.nv())} {
    std::mt19937_64 generator(seed + 100);
    start.q = test::random_configuration(model, generator, 0.5);
    start.v = test::random_vector(model.nv(), generator, 0.5);
    system.set_forces([this](double t, const VelocityKinematics& kin, JointForces& out) {
      out.tau = -damping * kin.v();
      out.tau.array() += push;
      out.tau[0] += std::sin(3 * t) - kin.v()[0] * kin.v()[1];
    });
  }
  static Model make(unsigned seed) {
    std::mt19937_64 generator(seed);
    using enum JointType;
    return compile(test::random_mechanism(
        generator, {.bodies = 3,
                    .tree = true,
                    .kinds = {{revolute},
                              {spherical},
                              {floating, Parameterization::product, FloatingGroup::so3xr3}}}));
  }
};

/// Columns: dx; the last: a force in all joints, the same in all steps.
void expect_derivatives(MechanicalSystem& system, const State& start,
                        const IntegratorOptions& options, double h, int steps, double* push,
                        double tolerance, const std::string& name) {
  const int n = system.nv();
  DifferentiableStep step(system, options);
  const Eigen::MatrixXd U = Eigen::MatrixXd::Zero(n, steps);
  const MotionSensitivities found = sensitivities(step, start, h, U);
  const State end = end_of(system, options, start, h, steps);
  EXPECT_LE(apart(system, found.end, end).cwiseAbs().maxCoeff(), 1e-10) << name;
  Eigen::MatrixXd want(2 * n, 2 * n);
  for (int k = 0; k < 2 * n; ++k)
    want.col(k) = test::derivative(
        [&](double s) -> Eigen::VectorXd {
          const State near = neighbor(system, start, s * Eigen::VectorXd::Unit(2 * n, k));
          return apart(system, end_of(system, options, near, h, steps), end);
        },
        2e-3);
  EXPECT_LE(relative_error(found.dx, want), tolerance) << name;
  if (push == nullptr) return;
  Eigen::VectorXd by_push = Eigen::VectorXd::Zero(2 * n);
  for (const Matrix& du : found.du) by_push += du * Eigen::VectorXd::Ones(n);
  const Eigen::VectorXd want_push = test::derivative(
      [&](double s) -> Eigen::VectorXd {
        *push = s;
        const State there = end_of(system, options, start, h, steps);
        *push = 0;
        return apart(system, there, end);
      },
      2e-3);
  EXPECT_LE(relative_error(by_push, want_push), tolerance) << name;
}

TEST(ImplicitSensitivities, of_trees_are_those_of_the_integrators) {
  unsigned seed = 0;
  for (const IntegratorOptions& options : tree_methods()) {
    Arm arm(seed++ % 3);
    expect_derivatives(arm.system, arm.start, options, 0.01, 3, &arm.push, 1e-8, name_of(options));
  }
}

/// A spring and a damper much faster than the step, in a joint that carries a joint on a group.
TEST(ImplicitSensitivities, of_stiff_systems) {
  const Model model = compile(MechanismBuilder("stiff")
                                  .body("arm", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {0.3, 0, 0}, Sym3::diagonal(0.01, 0.02, 0.02))
                                  .body("ball", "arm", joints::spherical({0.6, 0, 0}))
                                  .inertia(1, {0.1, 0.2, 0}, Sym3::diagonal(0.03, 0.02, 0.04))
                                  .build());
  ModelSystem system(model);
  system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
    out.tau[0] = -1e6 * (kin.q()[0] - 0.2) - 1e3 * kin.v()[0];
  });
  State start{0, model.neutral(), Vector{0, 0.5, -0.3, 0.7}};
  start.q[0] = 0.2;
  for (const char* method : {"radau5", "generalized_alpha", "blied2"})
    expect_derivatives(system, start, {.method = method}, 0.01, 3, nullptr, 1e-6, method);
}

TEST(ImplicitSensitivities, of_closed_mechanisms_are_those_of_the_integrators) {
  std::mt19937_64 generator(7);
  using enum JointType;
  const test::LoopedTree tree =
      test::looped_tree(generator, 4, {{spherical}}, {{revolute}, {spherical}}, false);
  const Model model = compile(tree.mechanism);
  ConstrainedSystem loop(model, {}, tree.q);
  State at_loop{0, tree.q, test::random_vector(model.nv(), generator, 0.3)};
  loop.project(at_loop);
  for (const IntegratorOptions& options : closed_methods()) {
    expect_derivatives(loop, at_loop, options, 0.01, 2, nullptr, 2e-8, "loop, " + name_of(options));
    for (test::ConstrainedMotion m :
         {test::double_pendulum_in_the_plane(), test::mild_top(FloatingGroup::so3xr3)})
      expect_derivatives(*m.system, m.start, options, 0.01, 2, nullptr, 2e-8,
                         m.name + ", " + name_of(options));
  }
}

TEST(ImplicitSensitivities, adjoint_is_the_transpose_of_forward) {
  for (const IntegratorOptions& options : tree_methods()) {
    Arm arm(2);
    const int n = arm.model.nv(), N = 7;
    DifferentiableStep step(arm.system, options);
    const Eigen::MatrixXd U = 0.3 * Eigen::MatrixXd::Ones(n, N);
    const MotionSensitivities forward = sensitivities(step, arm.start, 0.02, U);
    const Eigen::VectorXd weight = Eigen::VectorXd::LinSpaced(2 * n, -1, 1);
    const MotionGradient back =
        adjoint(step, arm.start, 0.02, U, [&](const State&) { return Vector(weight); });
    EXPECT_LE(relative_error(back.dx, forward.dx.transpose() * weight), 1e-12) << options.method;
    for (int k = 0; k < N; ++k)
      EXPECT_LE(relative_error(back.dU.col(k),
                               forward.du[static_cast<std::size_t>(k)].transpose() * weight),
                1e-12)
          << options.method;
  }
}

/// A damper in all joints, whose constant is the parameter; and what has none.
TEST(ImplicitSensitivities, by_parameters) {
  for (const IntegratorOptions& options : implicit_methods()) {
    Arm arm(0);
    DifferentiableStep step(arm.system, options);
    step.set_parameters(1, [](double, ConstVectorRef, ConstVectorRef v, ConstVectorRef, Matrix& P) {
      P.col(0) = v;
    });
    const Eigen::MatrixXd U = Eigen::MatrixXd::Zero(arm.model.nv(), 4);
    const MotionSensitivities found = sensitivities(step, arm.start, 0.01, U);
    const Eigen::VectorXd want = test::derivative(
        [&](double s) -> Eigen::VectorXd {
          arm.damping = 0.3 + s;
          const State end = end_of(arm.system, options, arm.start, 0.01, 4);
          arm.damping = 0.3;
          return apart(arm.system, end, found.end);
        },
        5e-3);
    EXPECT_LE(relative_error(found.dp, want), 1e-9) << name_of(options);
  }
  Arm arm(0);
  DifferentiableStep step(arm.system, "verlet");
  EXPECT_SAYS(step.set_parameters(
                  1, [](double, ConstVectorRef, ConstVectorRef, ConstVectorRef, Matrix&) {}),
              "verlet", "action", "radau5");
}

/// The gradient at q_0 exp(s e_0), v_0 + s dv_0, U + s dU, by differences.
TEST(HessianProducts, are_differences_of_gradients) {
  std::mt19937_64 generator(11);
  const auto expect = [&](MechanicalSystem& system, const State& start,
                          const IntegratorOptions& options, double tolerance) {
    const int n = system.nv(), N = 4;
    const double h = 0.02;
    DifferentiableStep step(system, options);
    const Eigen::VectorXd weight = test::random_vector(2 * n, generator),
                          x = test::random_vector(2 * n, generator);
    const Eigen::MatrixXd U = Eigen::MatrixXd::Constant(n, N, 0.2),
                          dU = Eigen::MatrixXd::Random(n, N);
    // The distance from the start, weighted, and a linear part; quadratic costs of velocities on the way.
    const EndGradient end = [&](const State& s) {
      Eigen::VectorXd g = weight;
      g.tail(n) += s.v;
      return Vector(g);
    };
    const RunningGradient running = [&](int k, const State& s, VectorRef dx, VectorRef) {
      dx.tail(n) += (0.1 * k) * s.v;
    };
    const MotionGradient found = hessian_product(step, start, h, U, Vector(x), dU, end, running);
    Eigen::VectorXd got(2 * n + n * N), want;
    got << found.dx, Eigen::MatrixXd(found.dU).reshaped();
    want = test::derivative(
        [&](double s) -> Eigen::VectorXd {
          const MotionGradient g =
              adjoint(step, neighbor(system, start, s * x), h, Matrix(U + s * dU), end, running);
          Eigen::VectorXd list(2 * n + n * N);
          list << g.dx, Eigen::MatrixXd(g.dU).reshaped();
          return list;
        },
        1e-3);
    EXPECT_LE(relative_error(got, want), tolerance) << name_of(options);
  };
  for (const IntegratorOptions& options :
       {IntegratorOptions{.method = "mk4"}, IntegratorOptions{.method = "gauss2"},
        IntegratorOptions{.method = "generalized_alpha"}, IntegratorOptions{.method = "blied2"},
        IntegratorOptions{.method = "variational"}}) {
    Arm arm(1);
    arm.system.set_forces({});
    expect(arm.system, arm.start, options, 1e-8);
  }
  for (const char* method : {"mk4", "rattle"}) {
    test::ConstrainedMotion m = test::double_pendulum_in_the_plane();
    expect(*m.system, m.start, {.method = method}, 1e-7);
  }
}

TEST(ImplicitSensitivities, refuse_what_they_cannot_do) {
  Arm arm(0);
  const int n = arm.model.nv();
  EXPECT_SAYS(DifferentiableStep(arm.system, {.method = "gauss", .order = 5}), "order is 5");
  EXPECT_SAYS(DifferentiableStep(arm.system, {.method = "gauss2", .rho = 0.5}), "rho");
  EXPECT_SAYS(DifferentiableStep(arm.system, {.method = "mk4", .chart = Chart::cayley}), "chart");
  EXPECT_SAYS(DifferentiableStep(arm.system, {.method = "mk4", .momentum_form = true}),
              "momentum_form");
  EXPECT_SAYS(DifferentiableStep(arm.system, {.method = "abm"}), "'abm'", "radau5");
  State state = arm.start;
  DifferentiableStep alpha(arm.system, "generalized_alpha");
  EXPECT_SAYS(alpha(0.01, Vector(n), state), "carries", "last argument");
  EXPECT_EQ(state.t, 0);
  DifferentiableStep blied(arm.system, "blied2");
  Vector memory;
  blied(0.01, Vector(n), state, memory);
  EXPECT_SAYS(blied(0.02, Vector(n), state, memory), "one length");
  DifferentiableStep radau(arm.system, "radau5");
  EXPECT_SAYS(radau(0, Vector(n), state), "zero");
  EXPECT_SAYS(hessian_product(radau, arm.start, 0.01, Matrix(n, 3), Vector(2 * n), Matrix(n, 2),
                              [&](const State&) { return Vector(2 * n); }),
              "change of U");
  // A force that grows without bound within the step.
  arm.system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
    out.tau = 1e4 * kin.v().cwiseProduct(kin.v());
  });
  EXPECT_SAYS(radau(0.5, Vector(n), state), "radau5", "smaller");
}

}  // namespace implicit_sensitivities_test
}  // namespace
}  // namespace chasles
