/// Kinematics, inverse dynamics and derivatives of closed mechanisms.
#include <gtest/gtest.h>

#include <numeric>

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/systems/closed_dynamics.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

using test::slope;

/// Trees of every joint type with loops, somewhere along their motion.
class Closed : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 generator{static_cast<std::uint64_t>(GetParam())};
  test::LoopedTree tree =
      test::looped_tree(generator, 10 + GetParam(),
                        {{JointType::spherical}, {JointType::universal}, {JointType::planar}});
  Model model = compile(tree.mechanism);
  ConstrainedSystem system{model, {}, tree.q};
  Vector q = system.assembled();
  Vector v =
      consistent_velocity(system.constraints(), q, test::random_vector(model.nv(), generator));
  Vector tau = test::random_vector(model.nv(), generator);
  std::vector<AppliedWrench> push{
      {model.frame("body7"), {{1, -2, 3}, {4, 5, -6}}, Representation::body}};

  /// Where a motion with the velocity v is after a short time, loops closed.
  Vector along(double s) {
    Vector out(model.nq());
    plus(model, q, Vector(s * v), out);
    State state{0, out, v};
    system.project(state);
    return state.q;
  }
};
INSTANTIATE_TEST_SUITE_P(Constraints, Closed, ::testing::Range(0, 6));

TEST_P(Closed, motion_follows_from_independent_velocities) {
  ClosedKinematics closed(system);
  closed.at(q, v);
  ASSERT_GT(closed.N().cols(), 0);
  Vector u(closed.N().cols()), rate(system.constraint_count());
  for (Eigen::Index k = 0; k < u.size(); ++k)
    u[k] = v[closed.independent()[static_cast<std::size_t>(k)]];
  const double size = closed.N().norm();
  EXPECT_LE((closed.N() * u - v).norm(), 1e-11 * size * (1 + v.norm()));
  const Frame frame = model.frame("body9");
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  const auto h = Representation::hybrid;
  EXPECT_LE((closed.jacobian(frame, h) * u - to_eigen(twist(kin, frame, h))).norm(),
            1e-11 * size * (1 + v.norm()));
  // Nd u is the part of vd that ud does not cause: B (Nd u) = -Bd v.
  const Vector bias_part = closed.N_rate() * u;
  Vector bias(system.constraint_count());
  system.set(0, q, v);
  system.constraint_times(bias_part, rate);
  system.constraint_bias(bias);
  EXPECT_LE((rate + bias).norm(), 1e-10 * size * (1 + bias.norm()));
}

TEST_P(Closed, jacobian_rate_is_the_slope_of_the_jacobian) {
  ClosedKinematics closed(system);
  const Frame frame = model.frame("body9");
  const auto entries = [&](double s) {
    closed.at(along(s), v);
    const Matrix J = closed.jacobian(frame, Representation::body);
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(J.data(), J.size()));
  };
  const Eigen::VectorXd expected = slope(entries, 1e-3);
  closed.at(q, v);
  const Matrix rate = closed.jacobian_rate(frame, Representation::body);
  EXPECT_LE((Eigen::Map<const Eigen::VectorXd>(rate.data(), rate.size()) - expected).norm(),
            1e-6 * (1 + expected.norm()));
}

TEST_P(Closed, actuators_of_all_degrees_of_freedom_are_found_again) {
  ClosedKinematics closed(system);
  closed.at(q, v);
  const std::vector<int> actuators = closed.independent();
  Vector only = Vector::Zero(model.nv());
  for (const int k : actuators) only[k] = tau[k];
  const Vector a = system.forward_dynamics(q, v, only, push);
  const Vector lambda = system.multipliers();
  const ClosedInverseDynamics found =
      closed_inverse_dynamics(system, closed, q, v, a, actuators, {}, push);
  for (std::size_t k = 0; k < actuators.size(); ++k)
    EXPECT_NEAR(found.tau[static_cast<Eigen::Index>(k)], only[actuators[k]], 1e-8 * (1 + a.norm()));
  // Redundant rows share forces in more than one way; what they do is the same.
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  system.constraints().update(kin);
  Vector force(model.nv()), found_force(model.nv());
  system.constraints().force(kin, lambda, force);
  system.constraints().force(kin, found.lambda, found_force);
  EXPECT_LE((found_force - force).norm(), 1e-8 * (1 + lambda.norm()));

  // With actuators everywhere: less, in the sum of weighted squares; and it does the same.
  std::vector<int> all(static_cast<std::size_t>(model.nv()));
  std::iota(all.begin(), all.end(), 0);
  Vector weights(model.nv());
  for (double& w : weights) w = std::uniform_real_distribution<double>(0.5, 2)(generator);
  const ClosedInverseDynamics shared =
      closed_inverse_dynamics(system, closed, q, v, a, all, weights, push);
  EXPECT_LE(shared.tau.cwiseAbs2().dot(weights), only.cwiseAbs2().dot(weights) * (1 + 1e-9));
  EXPECT_LE((system.forward_dynamics(q, v, shared.tau, push) - a).norm(), 1e-8 * (1 + a.norm()));
  EXPECT_SAYS(closed_inverse_dynamics(system, closed, q, v, a, {}, {}, push), "0 actuators",
              "missing");
}

TEST_P(Closed, derivatives_are_slopes) {
  const ClosedForwardDerivatives d = closed_forward_derivatives(system, q, v, tau, push);
  const int n = model.nv();
  const Vector dq = test::random_vector(n, generator), dv = test::random_vector(n, generator),
               dtau = test::random_vector(n, generator);
  // Redundant equations share forces in more than one way: what multipliers do, with B of q.
  Matrix B;
  system.set(0, q, v);
  system.constraint_matrix(B);
  const auto both = [&](const Vector& at, const Vector& v_s, const Vector& tau_s) {
    Eigen::VectorXd out(2 * n);
    out.head(n) = system.forward_dynamics(at, v_s, tau_s, push);
    out.tail(n) = B.transpose() * system.multipliers();
    return out;
  };
  const auto expect = [&](const Eigen::VectorXd& expected, const Matrix& a, const Matrix& lambda,
                          const Vector& step, const char* what) {
    Eigen::VectorXd got(2 * n);
    got << a * step, B.transpose() * (lambda * step);
    EXPECT_LE((got - expected).norm(), 1e-6 * (1 + expected.norm())) << what;
  };
  const auto by_q = [&](double s) {
    Vector at(model.nq());
    plus(model, q, Vector(s * dq), at);
    return both(at, v, tau);
  };
  expect(slope(by_q, 1e-3), d.dq, d.lambda_dq, dq, "q");
  expect(slope([&](double s) { return both(q, Vector(v + s * dv), tau); }, 1e-2), d.dv, d.lambda_dv,
         dv, "v");
  expect(slope([&](double s) { return both(q, v, Vector(tau + s * dtau)); }, 1e-2), d.dtau,
         d.lambda_dtau, dtau, "tau");
}

/// Differences of the first derivatives; of multipliers what they do, with B of q.
TEST_P(Closed, second_derivatives_are_slopes_of_the_first) {
  const int n = model.nv();
  const Direction along_x{test::random_vector(n, generator), test::random_vector(n, generator),
                          test::random_vector(n, generator)};
  const ClosedForwardDerivatives d = closed_forward_derivatives_along(system, q, v, tau, along_x);
  Matrix B;
  system.set(0, q, v);
  system.constraint_matrix(B);
  const auto motions = [&](const ClosedForwardDerivatives& of) {
    Eigen::MatrixXd all(n, 3 * n + 1);
    all << of.dq, of.dv, of.dtau, of.a;
    return Eigen::VectorXd(all.reshaped());
  };
  const auto forces = [&](const ClosedForwardDerivatives& of) {
    Eigen::MatrixXd all(n, 3 * n + 1);
    all << B.transpose() * of.lambda_dq, B.transpose() * of.lambda_dv,
        B.transpose() * of.lambda_dtau, B.transpose() * of.lambda;
    return Eigen::VectorXd(all.reshaped());
  };
  const auto expect = [&](const auto& listed, const char* what) {
    const Eigen::VectorXd expected = slope(
        [&](double s) {
          Vector at(model.nq());
          plus(model, q, Vector(s * along_x.dq), at);
          return listed(closed_forward_derivatives(system, at, Vector(v + s * along_x.dv),
                                                   Vector(tau + s * along_x.du)));
        },
        1e-3);
    EXPECT_LE((listed(d) - expected).norm(), 1e-6 * (1 + expected.norm())) << what;
  };
  expect(motions, "accelerations");
  // Redundant equations: the parts of multipliers that do nothing change what others do elsewhere.
  if (system.mobility().rank == system.constraint_count()) expect(forces, "forces");
  // An empty direction, and one of the wrong size.
  EXPECT_LE(closed_forward_derivatives_along(system, q, v, tau, {}).dq.norm(), 1e-10 * d.dq.norm());
  EXPECT_THROW(closed_forward_derivatives_along(system, q, v, tau, {Vector(n + 1), {}, {}}),
               SizeError);
}

TEST_P(Closed, inverse_kinematics_closes_the_loops_as_well) {
  const Vector there = along(0.2);
  PositionKinematics kin(model);
  forward_kinematics(model, there, kin);
  const Frame frame = model.frame("body9");
  const IkResult found =
      inverse_kinematics(system.constraints(), frame, pose(kin, frame), {.q0 = q, .starts = 1});
  EXPECT_TRUE(found.success) << found.position_error << " m " << found.rotation_error << " rad";
  EXPECT_LE(system.violation(found.q), 1e-10);
}

}  // namespace
}  // namespace chasles
