/// A motor behind a gear: the rotor is a body, the gear a coupling, described so or as a rotor of a joint.
#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/errors.hpp"

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
TEST(Rotor, of_a_joint_is_a_body_and_a_coupling) {
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
    ASSERT_EQ(model.nv(), 5);
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
    EXPECT_NEAR(a[model.joint("lower_rotor").v_index], n * moved[1], 1e-9);
    EXPECT_NEAR(a[model.joint("slider_rotor").v_index], k * moved[2], 1e-9);
  }
  EXPECT_SAYS(compile(MechanismBuilder("two")
                          .body("a", ground, joints::revolute({0, 0, 1}))
                          .rotor({1, 2})
                          .body("a_rotor", ground, joints::revolute({0, 0, 1}))
                          .build()),
              "a_rotor");
}

}  // namespace
}  // namespace chasles
