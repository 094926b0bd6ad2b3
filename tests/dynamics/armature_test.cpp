/// Reflected inertia of motors: against closed forms, the mechanism without it, and flywheels that are bodies.
#include <gtest/gtest.h>

#include "chasles/chasles.hpp"
#include "support/errors.hpp"
#include "support/matrices.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace armature_test {

using test::largest;

Mechanism without(Mechanism mechanism) {
  for (Body& body : mechanism.bodies) body.joint.armature = 0;
  return mechanism;
}

/// A rod pendulum: (I + I_a) a = tau - m g l sin q.
TEST(Armature, of_a_pendulum_adds_to_its_inertia) {
  const double m = 2, l = 0.4, I_com = 0.03, I_a = 0.7, g = 9.81, q = 0.3, v = 1.7, tau = 0.9;
  const Model model = compile(MechanismBuilder("pendulum")
                                  .body("rod", ground, joints::revolute({0, 1, 0}))
                                  .inertia(m, {0, 0, -l}, Sym3::diagonal(I_com, I_com, 0.001))
                                  .armature(I_a)
                                  .build());
  EXPECT_EQ(model.joint("rod").armature, I_a);
  const double I = I_com + m * l * l + I_a;
  Vector at(1), rate(1), force(1);
  at << q, rate << v, force << tau;
  MassMatrix M(model);
  EXPECT_NEAR(mass_matrix(model, at, M)(0, 0), I, 1e-15);
  ForwardDynamics forward(model);
  EXPECT_NEAR(forward_dynamics(model, at, rate, force, forward)[0],
              (tau - m * g * l * std::sin(q)) / I, 1e-14);
  VelocityKinematics kin(model);
  forward_kinematics(model, at, rate, kin);
  EXPECT_NEAR(kinetic_energy(model, kin), I * v * v / 2, 1e-15);
  EXPECT_NEAR(potential_energy(model, kin), -m * g * l * std::cos(q), 1e-14);
  // It has no momentum, and the bearing feels nothing of it.
  EXPECT_NEAR(spatial_momentum(model, kin).t.y, (I - I_a) * v, 1e-14);
  AccelerationKinematics moving(model);
  forward_kinematics(model, at, rate, rate, moving);
  JointReactions reactions(model);
  EXPECT_NEAR(joint_reactions(model, moving, Representation::hybrid, reactions)[0].t.y,
              (I - I_a) * v + m * g * l * std::sin(q), 1e-13);
  // Small oscillations: -da/dq = omega^2 = m g l / (I + I_a).
  ForwardDynamicsDerivatives d(model);
  d_forward_dynamics(model, Vector(1), Vector(1), Vector(1), d);
  EXPECT_NEAR(-d.dq()(0, 0), m * g * l / I, 1e-13);
  EXPECT_NEAR(d.dtau()(0, 0), 1 / I, 1e-14);
}

/// One number for all velocities of a joint, for every joint type, alone and in trees.
class OfEveryJoint : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 generator{static_cast<std::uint64_t>(900 + GetParam())};
  Mechanism mechanism = make();
  Model model = compile(mechanism), bare = compile(without(mechanism));
  Vector q = test::random_configuration(model, generator),
         v = test::random_vector(model.nv(), generator),
         a = test::random_vector(model.nv(), generator);
  Eigen::VectorXd I_a = test::armatures(model);

  Mechanism make() {
    const auto kinds = test::all_joint_kinds();
    Mechanism m;
    if (GetParam() < static_cast<int>(kinds.size()))
      m = test::random_mechanism(
          generator, {.bodies = 3, .kinds = {kinds[static_cast<std::size_t>(GetParam())]}});
    else
      m = test::random_mechanism(generator, {.bodies = 18, .tree = true, .kinds = kinds});
    double next = 0.1;  // other values than those of other tests, and none without
    for (Body& body : m.bodies) {
      const Joint& j = body.joint;
      if (j.type != JointType::fixed &&
          (j.type != JointType::floating || j.group == FloatingGroup::so3xr3))
        body.joint.armature = next *= 1.3;
    }
    return m;
  }
};
INSTANTIATE_TEST_SUITE_P(Armature, OfEveryJoint, ::testing::Range(0, 22));

TEST_P(OfEveryJoint, adds_its_inertia_times_the_acceleration) {
  InverseDynamics with(model), less(bare);
  const Eigen::VectorXd tau = inverse_dynamics(model, q, v, a, with),
                        others = inverse_dynamics(bare, q, v, a, less);
  EXPECT_LE(largest(tau - others - I_a.cwiseProduct(a)), 1e-13 * (1 + largest(tau)));
  // The result may overwrite the acceleration.
  with.tau = a;
  inverse_dynamics(model, q, v, with.tau, with);
  EXPECT_LE(largest(with.tau - tau), 1e-15 * (1 + largest(tau)));
  EXPECT_LE(largest(bias(model, q, v, with) - bias(bare, q, v, less)), 0);
}

TEST_P(OfEveryJoint, adds_to_the_diagonal_of_M) {
  MassMatrix with(model), less(bare);
  const Eigen::MatrixXd M = mass_matrix(model, q, with),
                        expected = Eigen::MatrixXd(mass_matrix(bare, q, less)) +
                                   Eigen::MatrixXd(I_a.asDiagonal());
  EXPECT_LE(largest(M - expected), 1e-14 * (1 + largest(M)));
  VelocityKinematics kin(model), kin_less(bare);
  forward_kinematics(model, q, v, kin), forward_kinematics(bare, q, v, kin_less);
  const double T = kinetic_energy(model, kin);
  EXPECT_NEAR(T, kinetic_energy(bare, kin_less) + I_a.dot(v.cwiseAbs2()) / 2, 1e-13 * (1 + T));
  EXPECT_NEAR(T, v.dot(M * v) / 2, 1e-12 * (1 + T));
}

/// Every solution with M, as the dense one.
TEST_P(OfEveryJoint, is_in_every_inverse_of_M) {
  if (model.nv() == 0) return;
  MassMatrix work(model);
  const Eigen::MatrixXd M = mass_matrix(model, q, work);
  const double condition = test::condition(M);
  if (!(condition < 1e7)) return;  // custom joints may have dependent screws
  const double tolerance = 1e-13 * condition + 1e-12;
  InverseDynamics inverse(model);
  const Vector tau = inverse_dynamics(model, q, v, a, inverse);
  ForwardDynamics forward(model);
  EXPECT_LE(largest(forward_dynamics(model, q, v, tau, forward) - a), tolerance * largest(a));
  MassMatrixInverse inverted(model);
  const Eigen::MatrixXd one = M * mass_matrix_inverse(model, q, inverted);
  EXPECT_LE(largest(one - Eigen::MatrixXd::Identity(one.rows(), one.cols())), tolerance);
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  MassFactorization factors(model);
  factors.factorize(model, kin);
  Vector x(model.nv()), y(model.nv());
  factors.multiply(a, x);
  EXPECT_LE(largest(x - M * a), 1e-12 * (1 + largest(x)));
  factors.solve(x, y);
  EXPECT_LE(largest(y - a), tolerance * largest(a));
  if (model.bodies().back().frame.link < 0) return;
  Eigen::Matrix<double, 6, 6> Lambda_inv;
  Matrix6X J(6, model.nv());
  const Frame frame = model.bodies().back().frame;
  inverse_operational_space_inertia(factors, frame, Representation::hybrid, Lambda_inv);
  jacobian(model, kin, frame, Representation::hybrid, J);
  const Eigen::MatrixXd dense = J * M.ldlt().solve(Eigen::MatrixXd(J.transpose()));
  EXPECT_LE(largest(Lambda_inv - dense), tolerance * (1 + largest(dense)));
}

/// A flywheel on ground, coupled one to one: a body with a coupling, in place of the armature.
TEST(Armature, is_a_flywheel_on_ground) {
  const double I_a = 0.35;
  const Vec3 y{0, 1, 0};
  const auto four_bar = [&](bool flywheel) {
    MechanismBuilder b("four_bar");
    b.body("crank", ground, joints::revolute(y))
        .inertia(1, {0, 0, 0.2}, Sym3::diagonal(0.1, 0.1, 0.01));
    if (!flywheel) b.armature(I_a);
    b.body("rod", "crank", joints::revolute(y, {0, 0, 0.4}))
        .inertia(1.5, {0.4, 0, 0.5}, Sym3::diagonal(0.1, 0.3, 0.25))
        .body("rocker", ground, joints::revolute(y, {0.9, 0, 0}))
        .inertia(0.8, {0.85, 0, 0.3}, Sym3::diagonal(0.05, 0.06, 0.02))
        .loop({"closure", {"rod", "rocker"}, JointType::revolute, AxisGeometry{y, {0.8, 0, 0.6}}});
    if (flywheel)
      b.body("flywheel", ground, joints::revolute(y, {0, 1, 0}))
          .inertia(3, {0, 1, 0}, Sym3::diagonal(I_a, I_a, I_a))
          .coupling({"shaft", {{"flywheel", 1}, {"crank", -1}}});
    return compile(b.build());
  };
  const Model with = four_bar(false), body = four_bar(true);
  ConstrainedSystem system(with, {}, with.neutral()), other(body, {}, body.neutral());
  Vector v(3), v_body(4), tau(3), tau_body(4);
  v << 1, -1, 0;
  State state{0, with.neutral(), v};
  system.project(state);
  tau << 2, -0.5, 0.7;
  const auto there = [&](const char* joint) { return body.joint(joint).v_index; };
  for (const char* joint : {"crank", "rod", "rocker"}) {
    v_body[there(joint)] = state.v[with.joint(joint).v_index];
    tau_body[there(joint)] = tau[with.joint(joint).v_index];
  }
  v_body[there("flywheel")] = v_body[there("crank")];
  const Vector a = system.forward_dynamics(state.q, state.v, tau),
               a_body = other.forward_dynamics(body.neutral(), v_body, tau_body);
  for (const char* joint : {"crank", "rod", "rocker"})
    EXPECT_NEAR(a[with.joint(joint).v_index], a_body[there(joint)], 1e-12) << joint;
}

/// (m + I_a) r'' = m g + f: armature has no weight. (I + I_a) w' + w x I w = t.
TEST(Armature, of_a_floating_body_has_no_weight) {
  const double m = 2, I_a = 0.5;
  const Model model = compile(MechanismBuilder("ball")
                                  .body("ball", ground, joints::floating(FloatingGroup::so3xr3))
                                  .inertia(m, {}, Sym3::diagonal(0.1, 0.2, 0.25))
                                  .armature(I_a)
                                  .build());
  ForwardDynamics forward(model);
  Vector v(6), tau(6);
  v << 1, 2, 3, 4, 5, 6;
  tau << 0.1, 0.2, 0.3, 7, 8, 9;
  const Vector a = forward_dynamics(model, model.neutral(), v, tau, forward);
  EXPECT_NEAR(a[0], (0.1 - (0.25 - 0.2) * 2 * 3) / (0.1 + I_a), 1e-14);
  EXPECT_NEAR(a[1], (0.2 - (0.1 - 0.25) * 3 * 1) / (0.2 + I_a), 1e-14);
  EXPECT_NEAR(a[3], 7 / (m + I_a), 1e-14);
  EXPECT_NEAR(a[5], (9 - 9.81 * m) / (m + I_a), 1e-14);
  EXPECT_FALSE(model.floats());  // its momentum is not conserved
  const Model weightless = model.with_gravity({});
  EXPECT_SAYS(make_integrator(ModelSystem(weightless),
                              {.method = "mk4", .step = 0.1, .keep_invariants = true}),
              "armature of joint 'ball'");
  EXPECT_SAYS(make_integrator(ModelSystem(weightless),
                              {.method = "mk4", .step = 0.1, .momentum_form = true}),
              "armature of joint 'ball'");
}

/// A joint that moves no mass has an inertia by its armature alone.
TEST(Armature, determines_the_acceleration_of_a_massless_joint) {
  const auto wrist = [](double armature) {
    return compile(MechanismBuilder("wrist")
                       .body("arm", ground, joints::revolute({0, 1, 0}))
                       .inertia(1, {0, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.01))
                       .body("tool", "arm", joints::spherical({0, 0, -1}))
                       .armature(armature)
                       .body("tip", "tool", joints::prismatic({1, 0, 0}))
                       .armature(armature)
                       .build());
  };
  Vector tau(5);
  tau << 0.3, 0.1, -0.2, 0.4, 0.6;
  const Model model = wrist(0.02);
  ForwardDynamics forward(model);
  Vector v(5);
  v << 1, 2, 3, 4, 5;
  const Vector a = forward_dynamics(model, model.neutral(), v, tau, forward);
  for (int k = 1; k < 5; ++k) EXPECT_NEAR(a[k], tau[k] / 0.02, 1e-13);
  EXPECT_NEAR(a[0], 0.3 / 0.35, 1e-14);
  MassMatrixInverse inverse(model);
  EXPECT_NEAR(mass_matrix_inverse(model, model.neutral(), inverse)(2, 2), 1 / 0.02, 1e-12);
  const Model none = wrist(0);
  ForwardDynamics singular(none);
  EXPECT_SAYS(forward_dynamics(none, none.neutral(), v, tau, singular), "joint 'tip'");
}

TEST(Armature, that_no_motor_has_is_refused) {
  const auto with = [](const Joint& joint, double armature) {
    return MechanismBuilder("m").body("b", ground, joint).armature(armature).build();
  };
  EXPECT_SAYS(with(joints::revolute({0, 0, 1}), -1e-3), "joint 'b'", "armature -0.001", "positive");
  EXPECT_SAYS(with(joints::revolute({0, 0, 1}), NAN), "joint 'b'", "armature");
  EXPECT_SAYS(with(joints::revolute({0, 0, 1}), INFINITY), "joint 'b'", "armature inf");
  EXPECT_SAYS(with(joints::fixed(), 1), "joint 'b'", "is fixed");
  EXPECT_SAYS(with(joints::floating(), 1), "joint 'b'", "group: so3xr3");
  EXPECT_EQ(with(joints::fixed(), 0).bodies[0].joint.armature, 0);
}

}  // namespace armature_test
}  // namespace chasles
