/// Energies and momenta against sums over the user's bodies, and their rates against forces.
#include "chasles/dynamics/energy.hpp"

#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/textbook/recursive.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::largest;
using test::Sample;

TEST(Energy, sums_over_the_bodies) {
  std::mt19937_64 generator(11);
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    double T = 0, U = 0;
    Wrench h;
    for (const ModelBody& body : s.model.bodies()) {
      if (body.frame.link < 0) continue;
      const SE3 C = pose(s.kin, body.frame);
      const Twist V_s = twist(s.kin, body.frame, Representation::spatial);
      const Inertia M_s = transform(C, body.inertia);
      T += kinetic_energy(M_s, V_s);
      U -= body.inertia.m * dot(s.model.gravity(), C * center_of_mass(body.inertia));
      h += M_s * V_s;
    }
    T += 0.5 * test::armatures(s.model).dot(s.v.cwiseAbs2());
    EXPECT_NEAR(kinetic_energy(s.model, s.kin), T, 1e-12 * T);
    EXPECT_NEAR(kinetic_energy(s.model, s.kin), 0.5 * s.v.dot(s.M * s.v), 1e-12 * T);
    EXPECT_NEAR(potential_energy(s.model, s.kin), U, 1e-12 * (1 + std::abs(U)));
    EXPECT_CLOSE(spatial_momentum(s.model, s.kin), h, 1e-12 * max_abs(h));

    // About the center of mass: shifted by it; P is the mass times its velocity.
    const Vec3 c = center_of_mass(s.model, s.kin);
    const Wrench h_G = centroidal_momentum(s.model, s.kin);
    EXPECT_CLOSE(h_G, (Wrench{h.t - cross(c, h.f), h.f}), 1e-12 * max_abs(h));
    CenterOfMassJacobian J(s.model);
    center_of_mass_jacobian(s.model, s.kin, J);
    EXPECT_LE(largest(to_eigen(h_G.f) - s.model.mass() * J.J * s.v), 1e-12 * max_abs(h));
    CentroidalMomentumMatrix A(s.model);
    centroidal_momentum_matrix(s.model, s.kin, A);
    EXPECT_LE(largest(A.A * s.v - to_eigen(h_G)), 1e-12 * largest(A.A));
  }
}

TEST(Energy, does_not_count_what_is_fixed_to_ground) {
  MechanismBuilder builder("stand");
  builder.body("stand", ground, joints::fixed()).inertia(5, {1, 2, 3}, Sym3::diagonal(1, 1, 1));
  const Model still = compile(builder.build());
  builder.body("arm", "stand", joints::prismatic({0, 0, 1}))
      .inertia(2, {0, 0, 1}, Sym3::diagonal(1, 1, 1));
  const Model model = compile(builder.build());
  VelocityKinematics kin(model), none(still);
  forward_kinematics(model, Eigen::VectorXd::Constant(1, 0.5), Eigen::VectorXd::Constant(1, 3),
                     kin);
  EXPECT_DOUBLE_EQ(kinetic_energy(model, kin), 9);
  EXPECT_DOUBLE_EQ(potential_energy(model, kin), 2 * 9.81 * 1.5);
  EXPECT_CLOSE(centroidal_momentum(model, kin), (Wrench{{}, {0, 0, 6}}), 1e-15);
  EXPECT_EQ(potential_energy(still, none), 0);
  CentroidalMomentumMatrix A(still);
  EXPECT_SAYS(centroidal_momentum(still, none), "nothing that moves", "mass");
  EXPECT_SAYS(centroidal_momentum_matrix(still, none, A), "nothing that moves", "mass");
}

/// v.Q = d/dt (T + U), along the motion that starts with q, v and the acceleration a.
TEST(Energy, changes_by_the_power_of_the_joint_forces) {
  std::mt19937_64 generator(12);
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 10, .tree = trial % 2 == 1});
    RecursiveDynamics work(s.model);
    VelocityKinematics kin(s.model);
    const double power = s.v.dot(inverse_dynamics(s.model, s.kin, s.a, Representation::body, work));
    const double rate = test::derivative([&](double t) {
      s.move(0.1 * t, kin);
      return 10 * (kinetic_energy(s.model, kin) + potential_energy(s.model, kin));
    });
    const double scale = s.v.cwiseAbs().dot(work.Q.cwiseAbs());
    worst = std::max(worst, std::abs(rate - power) / scale);
  }
  std::printf("  largest deviation %.1e of the power\n", worst);
  EXPECT_LE(worst, 1e-10);  // differences with step 1e-3
}

/// Nothing acts on a floating mechanism without gravity but internal forces: h stays. With the
/// accelerations of forward dynamics its rate is zero; the applied wrench is its rate otherwise.
TEST(Momentum, changes_by_the_applied_wrenches) {
  std::mt19937_64 generator(13);
  for (int trial = 0; trial < 10; ++trial) {
    Mechanism mechanism = test::random_mechanism(generator, {.bodies = 8,
                                                             .kinds = {{JointType::floating},
                                                                       {JointType::revolute},
                                                                       {JointType::spherical},
                                                                       {JointType::universal},
                                                                       {JointType::planar}}});
    for (Body& body : mechanism.bodies)
      if (body.parent == ground) body.joint = joints::floating();
    mechanism.gravity = {};
    const Model model = compile(mechanism);
    const Eigen::VectorXd q = test::random_configuration(model, generator),
                          v = test::random_vector(model.nv(), generator);
    Eigen::VectorXd tau = test::random_vector(model.nv(), generator);
    tau.head<6>().setZero();
    VelocityKinematics kin(model), moved(model);
    forward_kinematics(model, q, v, kin);
    RecursiveDynamics work(model);
    const AppliedWrench push{model.frame("body5"), random_tangent<Wrench>(generator, 1),
                             Representation::spatial};
    const Eigen::VectorXd a =
        forward_dynamics(model, kin, tau, Representation::hybrid, work, {&push, 1});
    const auto rate = test::derivative([&](double t) -> Eigen::VectorXd {
      Eigen::VectorXd q_t(model.nq());
      plus(model, q, 0.1 * t * v, q_t);
      forward_kinematics(model, q_t, v + 0.1 * t * a, moved);
      return 10 * to_eigen(spatial_momentum(model, moved));
    });
    EXPECT_LE(largest(rate - to_eigen(push.W)), 1e-9 * (1 + largest(a)));
  }
}

/// One step of the classical Runge-Kutta method, q a vector.
void rk4(const Model& model, double h, Eigen::VectorXd& q, Eigen::VectorXd& v,
         RecursiveDynamics& work, VelocityKinematics& kin) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv());
  const double c[4] = {0, h / 2, h / 2, h}, b[4] = {h / 6, h / 3, h / 3, h / 6};
  Eigen::VectorXd dq = zero, dv = zero, q_new = q, v_new = v;
  for (int s = 0; s < 4; ++s) {
    const Eigen::VectorXd q_s = q + c[s] * dq, v_s = v + c[s] * dv;
    forward_kinematics(model, q_s, v_s, kin);
    dq = v_s;
    dv = forward_dynamics(model, kin, zero, Representation::body, work);
    q_new += b[s] * dq;
    v_new += b[s] * dv;
  }
  q = q_new;
  v = v_new;
}

/// The error of the energy is that of the method: it falls with the fourth power of the step, to
/// rounding.
TEST(Energy, is_conserved_along_a_free_motion) {
  std::mt19937_64 generator(14);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 5,
                  .kinds = {{JointType::revolute}, {JointType::universal}, {JointType::helical}},
                  .size = 0.2}));
  const Eigen::VectorXd q0 = test::random_configuration(model, generator),
                        v0 = test::random_vector(model.nv(), generator, 0.3);
  RecursiveDynamics work(model);
  VelocityKinematics kin(model);
  const auto drift = [&](int steps) {
    Eigen::VectorXd q = q0, v = v0;
    forward_kinematics(model, q, v, kin);
    const double E = kinetic_energy(model, kin) + potential_energy(model, kin);
    for (int k = 0; k < steps; ++k) rk4(model, 0.2 / steps, q, v, work, kin);
    forward_kinematics(model, q, v, kin);
    return std::abs(kinetic_energy(model, kin) + potential_energy(model, kin) - E);
  };
  const double coarse = drift(20), fine = drift(80), rounding = drift(1280);
  std::printf("  drift %.1e, with a quarter of the step %.1e, at last %.1e\n", coarse, fine,
              rounding);
  EXPECT_LE(fine, coarse / 200);
  EXPECT_LE(rounding, 1e-12);
}

}  // namespace
}  // namespace chasles
