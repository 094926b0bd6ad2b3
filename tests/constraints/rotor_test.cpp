/// A motor behind a gear: the rotor is a body, the gear a coupling; or it is a rotor of a joint, as two inertias and an
/// armature.
#include "chasles/mechanism/rotor.hpp"

#include <gtest/gtest.h>

#include "chasles/chasles.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/errors.hpp"
#include "support/matrices.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

/// The acceleration that joint forces tau on the links, none on the rotors, produce at rest.
Vector acceleration(const Mechanism& mechanism, const Vector& q, const Vector& tau) {
  ConstrainedSystem system(compile(mechanism), {}, q);
  return system.forward_dynamics(q, Vector(q.size()), tau);
}

TEST(Rotor, is_felt_with_the_square_of_the_gear_ratio) {
  const double n = 80, rotor = 1e-4, link = 0.3;
  const Mechanism m = MechanismBuilder("drive")
                          .gravity({0, 0, 0})
                          .body("link", ground, joints::revolute({0, 0, 1}))
                          .inertia(2, {}, Sym3::diagonal(link, link, link))
                          .body("rotor", ground, joints::revolute({0, 0, 1}, {0.1, 0, 0}))
                          .inertia(0.2, {0.1, 0, 0}, Sym3::diagonal(rotor, rotor, rotor))
                          .coupling({"gear", {{"rotor", 1}, {"link", -n}}})
                          .build();
  Vector q(2), tau(2);
  tau << 3, 0;
  const Vector a = acceleration(m, q, tau);
  EXPECT_NEAR(a[0], 3 / (link + n * n * rotor), 1e-12);
  EXPECT_NEAR(a[1], n * a[0], 1e-10);
  // A torque of the motor is felt with the gear ratio.
  tau << 0, 3.0 / n;
  EXPECT_NEAR(acceleration(m, q, tau)[0], a[0], 1e-12);
}

/// The rotor of the second joint rides on the first link: with parallel axes its energy is
/// I_r (q1' + n q2')^2 / 2 besides that of its mass, which no n^2 on the diagonal alone would give.
TEST(Rotor, on_a_moving_link_couples_both_joints) {
  const double n = 50, rotor = 2e-4, mass = 0.5, l = 0.4, I1 = 0.2, I2 = 0.1;
  const Mechanism m = MechanismBuilder("arm")
                          .gravity({0, 0, 0})
                          .body("upper", ground, joints::revolute({0, 0, 1}))
                          .inertia(1, {}, Sym3::diagonal(I1, I1, I1))
                          .body("motor", "upper", joints::revolute({0, 0, 1}, {l, 0, 0}))
                          .inertia(mass, {l, 0, 0}, Sym3::diagonal(rotor, rotor, rotor))
                          .body("lower", "upper", joints::revolute({0, 0, 1}, {l, 0, 0}))
                          .inertia(1, {l, 0, 0}, Sym3::diagonal(I2, I2, I2))
                          .coupling({"gear", {{"motor", 1}, {"lower", -n}}})
                          .build();
  Eigen::Matrix2d M;
  M << I1 + (mass + 1) * l * l + rotor + I2, n * rotor + I2, n * rotor + I2, n * n * rotor + I2;
  const Eigen::Vector2d torque(1.5, -0.7);
  Vector q(3), tau(3);
  tau << torque[0], 0, torque[1];
  const Vector a = acceleration(m, q, tau);
  EXPECT_LT((M * Eigen::Vector2d(a[0], a[2]) - torque).norm(), 1e-12);
}

/// The same from (1) of mechanism/rotor.hpp, M from T by hand, wherever the axis is given; a rotor that
/// drives a slide as well.
TEST(Rotor, of_a_joint_is_in_M) {
  const double n = 50, I = 2e-4, k = 300, l = 0.4, m2 = 1.2, m3 = 0.7, I1 = 0.2, I2 = 0.1;
  for (const DescribedIn in : {DescribedIn::world, DescribedIn::parent, DescribedIn::body}) {
    const SE3 pose{exp(Vec3{0.3, -0.2, 0.5}), {0.1, 0.2, -0.1}};
    Vec3 axis{0, 0, 1}, point{l, 0, 0};
    if (in == DescribedIn::body) {
      axis = inverse_times(pose.R, axis);
      point = inverse(pose) * point;
    }
    const Vec3 com = inverse(pose) * Vec3{l, 0, 0};
    const Mechanism mechanism = MechanismBuilder("arm")
                                    .gravity({0, 0, 0})
                                    .body("upper", ground, joints::revolute({0, 0, 1}))
                                    .inertia(1, {}, Sym3::diagonal(I1, I1, I1))
                                    .body("lower", "upper", joints::revolute(axis, point, in))
                                    .rotor({I, n})
                                    .pose(pose)
                                    .inertia(m2, com, Sym3::diagonal(I2, I2, I2))
                                    .body("slider", "lower", joints::prismatic({0, 1, 0}))
                                    .rotor({I, k})
                                    .pose({{}, {l, 0, 0}})
                                    .inertia(m3, {}, Sym3::diagonal(0, 0, 0))
                                    .build();
    const Model model = compile(mechanism);
    ASSERT_EQ(model.nv(), 4);  // one for the rotor of the slide
    Eigen::Matrix3d
        M;  // of upper, lower, slider, at q = 0: the slide is along y, its rotor across z
    const double turn = m2 * l * l + I2 + m3 * l * l + I / 2;
    M << I1 + turn + I, I2 + I / 2 + n * I, m3 * l,     //
        I2 + I / 2 + n * I, I2 + I / 2 + n * n * I, 0,  //
        m3 * l, 0, m3 + k * k * I;
    const Eigen::Vector3d torque(1.5, -0.7, 0.4);
    const int v[] = {model.joint("upper").v_index, model.joint("lower").v_index,
                     model.joint("slider").v_index};
    Vector q(model.nq()), tau(model.nv());
    for (int i = 0; i < 3; ++i) tau[v[i]] = torque[i];
    const Vector a = acceleration(mechanism, q, tau);
    const Eigen::Vector3d moved(a[v[0]], a[v[1]], a[v[2]]);
    EXPECT_LT((M * moved - torque).norm(), 1e-12);
    EXPECT_NEAR(a[model.joint("slider_rotor").v_index], k * moved[2], 1e-9);
  }
  EXPECT_SAYS(compile(MechanismBuilder("two")
                          .body("a", ground, joints::prismatic({0, 0, 1}))
                          .rotor({1, 2})
                          .body("a_rotor", ground, joints::revolute({0, 0, 1}))
                          .build()),
              "a_rotor");
}

/// A tree of all joint types in which every revolute and helical joint has a rotor, with any ratio.
struct Geared {
  Mechanism mechanism;
  Model model, with_bodies;
  Eigen::MatrixXd N;  // velocities with bodies from those without
  Vector q, v, a, q_bodies;

  explicit Geared(std::mt19937_64& generator)
      : mechanism(random(generator)),
        model(compile(mechanism)),
        with_bodies(compile(with_rotors(mechanism))),
        N(Eigen::MatrixXd::Zero(with_bodies.nv(), model.nv())),
        q(test::random_configuration(model, generator)),
        v(test::random_vector(model.nv(), generator)),
        a(test::random_vector(model.nv(), generator)),
        q_bodies(with_bodies.neutral()) {
    for (const ModelJoint& joint : model.joints()) {
      const ModelJoint& same = with_bodies.joint(joint.name);
      N.block(same.v_index, joint.v_index, joint.nv, joint.nv).setIdentity();
      q_bodies.segment(same.q_index, joint.nq) = q.segment(joint.q_index, joint.nq);
      if (!joint.rotor) continue;
      const ModelJoint& rotor = with_bodies.joint(joint.name + "_rotor");
      N(rotor.v_index, joint.v_index) = joint.rotor->ratio;
      q_bodies[rotor.q_index] = joint.rotor->ratio * q[joint.q_index];
    }
  }
  static Mechanism random(std::mt19937_64& generator) {
    Mechanism m = test::random_mechanism(generator, {.bodies = 17, .tree = true});
    constexpr double ratios[] = {30, -12, 0.4, 1, 2, -1, 100};
    int k = 0;
    for (Body& body : m.bodies)
      if (body.joint.type == JointType::revolute || body.joint.type == JointType::helical)
        body.joint.rotor = Rotor{0.03 / (1 + k), ratios[k % 7]}, ++k;
    return m;
  }
};

TEST(Rotor, of_a_revolute_joint_is_the_body_that_a_coupling_turns) {
  std::mt19937_64 generator(70);
  for (int trial = 0; trial < 12; ++trial) {
    const Geared s(generator);
    const Vector v_bodies = s.N * s.v, a_bodies = s.N * s.a;
    MassMatrix M(s.model), M_bodies(s.with_bodies);
    const Eigen::MatrixXd is = mass_matrix(s.model, s.q, M),
                          want = s.N.transpose() *
                                 Eigen::MatrixXd(mass_matrix(s.with_bodies, s.q_bodies, M_bodies)) *
                                 s.N;
    EXPECT_LE(test::largest(is - want), 1e-12 * test::largest(want));
    InverseDynamics inverse(s.model), inverse_bodies(s.with_bodies);
    const Eigen::VectorXd tau = inverse_dynamics(s.model, s.q, s.v, s.a, inverse),
                          tau_bodies = s.N.transpose() * inverse_dynamics(s.with_bodies, s.q_bodies,
                                                                          v_bodies, a_bodies,
                                                                          inverse_bodies);
    EXPECT_LE(test::largest(tau - tau_bodies), 1e-12 * (1 + test::largest(tau)));
    AccelerationKinematics kin(s.model), kin_bodies(s.with_bodies);
    forward_kinematics(s.model, s.q, s.v, s.a, kin);
    forward_kinematics(s.with_bodies, s.q_bodies, v_bodies, a_bodies, kin_bodies);
    const double T = kinetic_energy(s.model, kin);
    EXPECT_NEAR(T, kinetic_energy(s.with_bodies, kin_bodies), 1e-12 * T);
    const Wrench h = spatial_momentum(s.model, kin);
    EXPECT_CLOSE(h, spatial_momentum(s.with_bodies, kin_bodies), 1e-12 * (1 + max_abs(h)));
    // Wrenches through bearings: those of the joints, not of the rotors' own.
    JointReactions reactions(s.model), of_bodies(s.with_bodies);
    joint_reactions(s.model, kin, Representation::body, reactions);
    joint_reactions(s.with_bodies, kin_bodies, Representation::body, of_bodies);
    for (const Representation rep : {Representation::body, Representation::spatial,
                                     Representation::hybrid, Representation::mixed}) {
      textbook::RecursiveDynamics book(s.model);
      textbook::inverse_dynamics(s.model, kin, s.a, rep, book);
      for (std::size_t k = 0; k < s.model.joints().size(); ++k) {
        const ModelJoint& same = s.with_bodies.joint(s.model.joints()[k].name);
        const auto other = static_cast<std::size_t>(&same - s.with_bodies.joints().data());
        const Wrench expected = of_bodies.W[other];
        EXPECT_CLOSE(reactions.W[k], expected, 1e-11 * (1 + max_abs(expected)));
        EXPECT_CLOSE(textbook::reaction(s.model, kin, book, k, Representation::body), expected,
                     1e-11 * (1 + max_abs(expected)));
      }
    }
  }
}

/// The motion of the constrained mechanism, too, and what cannot be said is refused.
TEST(Rotor, accelerates_as_the_constrained_mechanism) {
  std::mt19937_64 generator(71);
  const Geared s(generator);
  const Vector tau = test::random_vector(s.model.nv(), generator);
  Vector tau_bodies(s.with_bodies.nv());
  for (const ModelJoint& joint : s.model.joints())
    tau_bodies.segment(s.with_bodies.joint(joint.name).v_index, joint.nv) =
        tau.segment(joint.v_index, joint.nv);
  ConstrainedSystem system(s.with_bodies, {}, s.q_bodies);
  const Eigen::VectorXd a_bodies =
      system.forward_dynamics(s.q_bodies, Vector(s.N * s.v), tau_bodies);
  ForwardDynamics forward(s.model);
  const Eigen::VectorXd a = forward_dynamics(s.model, s.q, s.v, tau, forward);
  EXPECT_LE(test::largest(s.N * a - a_bodies), 1e-9 * (1 + test::largest(a_bodies)));
  // With another inertia of a body the rotors stay.
  const Body& body = s.mechanism.bodies[3];
  Mechanism heavier = s.mechanism;
  heavier.bodies[3].inertia = BodyInertia{2, {0.1, 0, 0}, Sym3::diagonal(1, 1, 1)};
  const Model changed = s.model.with_inertia(body.name, *heavier.bodies[3].inertia),
              compiled = compile(heavier);
  MassMatrix one(changed), two(compiled);
  EXPECT_EQ(Eigen::MatrixXd(mass_matrix(changed, s.q, one)),
            Eigen::MatrixXd(mass_matrix(compiled, s.q, two)));
  for (const ModelJoint& joint : s.model.joints()) {
    if (!joint.rotor) continue;
    EXPECT_SAYS(axis_parameter(s.model, joint.name, {{1, 0, 0}, {}}), "'" + joint.name + "'",
                "rotor");
    EXPECT_EQ(parameter_names(s.model, joint.name).size(), 0u);
  }
}

}  // namespace
}  // namespace chasles
