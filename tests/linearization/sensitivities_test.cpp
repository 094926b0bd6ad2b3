/// Sensitivities against differences of the steps themselves, and the adjoint against the transpose.
#include "chasles/linearization/sensitivities.hpp"

#include <gtest/gtest.h>

#include "chasles/derivatives/parameters.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/systems/model_system.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

/// The Munthe-Kaas methods with fixed steps.
std::vector<std::string> sensitive_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods())
    if (info.takes_chart && !info.adaptive) names.emplace_back(info.name);
  return names;
}

struct Motion {
  Model model;
  ModelSystem system;
  State start;
  Vector u;
  explicit Motion(std::mt19937_64& generator, int bodies = 6)
      : model(compile(test::random_mechanism(generator, {.bodies = bodies, .tree = true}))),
        system(model),
        start{0, test::random_configuration(model, generator),
              test::random_vector(model.nv(), generator)},
        u(test::random_vector(model.nv(), generator)) {}
  /// The neighbor x of a state, and back.
  State moved(const State& from, const Eigen::VectorXd& x) const {
    State to = from;
    plus(model, from.q, x.head(model.nv()), to.q);
    to.v += x.tail(model.nv());
    return to;
  }
  Eigen::VectorXd apart(const State& a, const State& b) const {
    Vector e(model.nv());
    minus(model, a.q, b.q, e);
    Eigen::VectorXd x(2 * model.nv());
    x << e, a.v - b.v;
    return x;
  }
};
double relative(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1 + b.cwiseAbs().maxCoeff());
}

/// Against central differences of four lengths, whose error is measured by how far two of them are apart: a
/// random mechanism may change its velocity by 1000 rad/s within the step, and differences lose digits.
TEST(Sensitivities, of_a_step_are_those_of_the_method) {
  const std::vector<std::string> list = sensitive_methods();
  for (unsigned seed = 0; seed < 30; ++seed) {
    const std::string& method = list[seed % list.size()];
    std::mt19937_64 generator(seed);
    Motion m(generator);
    const double h = 0.02;
    DifferentiableStep step(m.system, method);
    State end = m.start;
    step(h, m.u, end);
    const int n = m.model.nv();
    // Columns: x, then u.
    const auto differences = [&](double length) {
      Eigen::MatrixXd all(2 * n, 3 * n);
      for (int k = 0; k < 3 * n; ++k)
        all.col(k) = test::derivative(
            [&](double s) -> Eigen::VectorXd {
              const Eigen::VectorXd way = s * Eigen::VectorXd::Unit(3L * n, k);
              State there = m.moved(m.start, way.head(2L * n));
              step.move(h, Vector(m.u + way.tail(n)), there);
              return m.apart(there, end);
            },
            length);
      return all;
    };
    Eigen::MatrixXd exact(2 * n, 3 * n);
    exact << Eigen::MatrixXd(step.dx()), Eigen::MatrixXd(step.du());
    Eigen::MatrixXd last = differences(1e-2);
    double error = relative(exact, last), own_error = 1;
    for (const double length : {1e-3, 1e-4, 1e-5}) {
      const Eigen::MatrixXd next = differences(length);
      error = std::min(error, relative(exact, next));
      own_error = std::min(own_error, relative(last, next));
      last = next;
    }
    EXPECT_LE(own_error, 1e-6) << method << ", seed " << seed;
    EXPECT_LE(error, 1e-12 + 2 * own_error) << method << ", seed " << seed;
  }
}
TEST(Sensitivities, steps_are_those_of_the_integrators) {
  std::mt19937_64 generator(62);
  for (const std::string& method : sensitive_methods()) {
    Motion m(generator);
    DifferentiableStep step(m.system, method);
    State end = m.start;
    const Vector none(m.model.nv());
    for (int k = 0; k < 5; ++k) step.move(0.01, none, end);
    const auto integrator = make_integrator(m.system, {.method = method, .step = 0.01});
    integrator->reset(m.start);
    for (int k = 0; k < 5; ++k) integrator->step(1);
    // Accelerations come from two algorithms there.
    EXPECT_LE(relative(m.apart(integrator->state(), end), Eigen::VectorXd::Zero(2L * m.model.nv())),
              1e-10)
        << method;
  }
}
TEST(Sensitivities, adjoint_is_the_transpose_of_forward) {
  std::mt19937_64 generator(63);
  Motion m(generator);
  const int n = m.model.nv(), N = 11;
  const double h = 0.01;
  DifferentiableStep step(m.system, "mk4");
  step.set_parameters(2,
                      [&](double, ConstVectorRef, ConstVectorRef v, ConstVectorRef a, Matrix& P) {
                        P.col(0) = v, P.col(1) = a;  // damping, and inertia of rotors
                      });
  const Eigen::MatrixXd U = Eigen::MatrixXd::Random(n, N);
  const MotionSensitivities forward = sensitivities(step, m.start, h, U);
  const Eigen::VectorXd weight = test::random_vector(2 * n, generator),
                        running = test::random_vector(2 * n, generator);
  const MotionGradient back =
      adjoint(step, m.start, h, U, [&](const State&) { return Vector(weight); });
  EXPECT_EQ(back.end.q, forward.end.q);
  EXPECT_LE(relative(back.dx, forward.dx.transpose() * weight), 1e-13);
  EXPECT_LE(relative(back.dp, forward.dp.transpose() * weight), 1e-13);
  for (int k = 0; k < N; ++k)
    EXPECT_LE(
        relative(back.dU.col(k), forward.du[static_cast<std::size_t>(k)].transpose() * weight),
        1e-13);
  // A cost along the way: its gradient by the start is the sum of those of its states.
  const MotionGradient along = adjoint(
      step, m.start, h, U, [&](const State&) { return Vector(2L * n); },
      [&](int, const State&, VectorRef dx, VectorRef) { dx += running; });
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(2L * n);
  for (int k = 0; k < N; ++k)
    sum += sensitivities(step, m.start, h, U.leftCols(k)).dx.transpose() * running;
  EXPECT_LE(relative(along.dx, sum), 1e-13);
}
TEST(Sensitivities, by_parameters) {
  std::mt19937_64 generator(64);
  Motion m(generator, 4);
  double damping = 0.2;
  m.system.set_forces([&](double, const VelocityKinematics& kin, JointForces& out) {
    out.tau = -damping * kin.v();
  });
  DifferentiableStep step(m.system, "mk4");
  step.set_parameters(
      1, [](double, ConstVectorRef, ConstVectorRef v, ConstVectorRef, Matrix& P) { P.col(0) = v; });
  const Eigen::MatrixXd U = Eigen::MatrixXd::Zero(m.model.nv(), 8);
  const MotionSensitivities found = sensitivities(step, m.start, 0.01, U);
  const Eigen::VectorXd expected = test::derivative([&](double s) -> Eigen::VectorXd {
    damping = 0.2 + s;
    State there = m.start;
    for (int k = 0; k < 8; ++k) step.move(0.01, U.col(k), there);
    return m.apart(there, found.end);
  });
  EXPECT_LE(relative(found.dp, expected), 1e-7);  // the slopes of forces are differences
}
TEST(Sensitivities, by_the_mass_of_a_body) {
  std::mt19937_64 generator(66);
  Mechanism mechanism = test::random_mechanism(
      generator, {.bodies = 4, .kinds = {{JointType::revolute}, {JointType::spherical}}});
  // An inertia about the origin of the body, so that the mass is a parameter by itself.
  BodyInertia& inertia = *mechanism.bodies[2].inertia;
  const Sym3 about_origin = inertia.tensor + parallel_axis(inertia.mass * inertia.com, inertia.com);
  const double mass = inertia.mass;
  const Vec3 moment = mass * inertia.com;
  const Model model = compile(mechanism);
  const int n = model.nv();
  const State start{0, test::random_configuration(model, generator),
                    test::random_vector(n, generator)};
  const Eigen::MatrixXd U = Eigen::MatrixXd::Random(n, 6);
  ModelSystem system(model);
  DifferentiableStep step(system, "mk4");
  const std::vector<Parameter> list{inertial_parameter(model, "body2", 0)};
  ForceSensitivity slopes(model, list);
  step.set_parameters(1, [&](double, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                             Matrix& P) { P = force_sensitivity(model, q, v, a, slopes); });
  const MotionSensitivities found = sensitivities(step, start, 0.01, U);
  const Eigen::VectorXd expected = test::derivative([&](double s) -> Eigen::VectorXd {
    inertia = {mass + s, moment / (mass + s), about_origin, false, false};
    const Model changed = compile(mechanism);
    ModelSystem other(changed);
    DifferentiableStep there(other, "mk4");
    State state = start;
    for (int k = 0; k < U.cols(); ++k) there.move(0.01, U.col(k), state);
    Vector e(n);
    minus(model, state.q, found.end.q, e);
    Eigen::VectorXd x(2 * n);
    x << e, state.v - found.end.v;
    return x;
  });
  EXPECT_LE(relative(found.dp, expected), 1e-8);
}
TEST(Sensitivities, refuse_what_they_cannot_do) {
  std::mt19937_64 generator(65);
  Motion m(generator, 2);
  EXPECT_SAYS(DifferentiableStep(m.system, "cf4"), "cf4", "mk8");
  DifferentiableStep step(m.system, "mk4");
  State state = m.start;
  EXPECT_THROW(step(0.1, Vector(m.model.nv() + 1), state), SizeError);
  EXPECT_SAYS(step(NAN, Vector(m.model.nv()), state), "finite");
  EXPECT_SAYS(step.set_parameters(2, {}), "slopes");
}

}  // namespace
}  // namespace chasles
