/// Regressors and base parameters.
#include "chasles/textbook/regressor.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/energy.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/textbook/recursive.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::largest;
using test::Sample;

TEST(Regressor, times_parameters_is_force_and_energy) {
  std::mt19937_64 generator(41);
  double force = 0, energy = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const Eigen::VectorXd pi = inertial_parameters(s.model);
    RecursiveDynamics work(s.model);
    const Eigen::VectorXd& Q = inverse_dynamics(s.model, s.kin, s.a, Representation::spatial, work);
    // Armatures are not among the parameters.
    const Eigen::VectorXd I_a = test::armatures(s.model), others = I_a.cwiseProduct(s.a);
    force =
        std::max(force, largest(torque_regressor(s.model, s.kin) * pi + others - Q) / largest(Q));
    const double T = kinetic_energy(s.model, s.kin) - I_a.dot(s.v.cwiseAbs2()) / 2,
                 U = potential_energy(s.model, s.kin);
    energy = std::max(
        {energy, std::abs(kinetic_energy_regressor(s.model, s.kin).dot(pi) - T) / T,
         std::abs(potential_energy_regressor(s.model, s.kin).dot(pi) - U) / (1 + std::abs(U))});
  }
  std::printf("  forces %.1e, energies %.1e\n", force, energy);
  EXPECT_LE(force, 1e-12);
  EXPECT_LE(energy, 1e-12);
}

TEST(BaseParameters, predict_the_forces_of_fresh_states) {
  std::mt19937_64 generator(42);
  double worst = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const test::RandomMechanismOptions options{.bodies = 5, .tree = trial % 2 == 1, .size = 0.3};
    Sample s(generator, options);
    if (s.model.nv() == 0) continue;
    const BaseParameters base = base_parameters(s.model);
    EXPECT_EQ(base.independent.size() + base.dependent.size(), 10 * s.model.bodies().size());
    const Eigen::VectorXd pi = inertial_parameters(s.model), pi_base = base.values(pi);
    RecursiveDynamics work(s.model);
    for (int state = 0; state < 10; ++state) {
      forward_kinematics(s.model, test::random_configuration(s.model, generator),
                         test::random_vector(s.model.nv(), generator),
                         test::random_vector(s.model.nv(), generator), s.kin);
      const Eigen::MatrixXd Y = torque_regressor(s.model, s.kin);
      const Eigen::VectorXd Q = Y * pi;
      worst = std::max(worst, largest(base.columns(Y) * pi_base - Q) / largest(Q));
      // Any other parameters with the same base parameters give the same forces.
      Eigen::VectorXd other = pi;
      const Eigen::VectorXd change =
          test::random_vector(static_cast<int>(base.dependent.size()), generator);
      for (std::size_t k = 0; k < base.dependent.size(); ++k)
        other[base.dependent[k]] += change[static_cast<Eigen::Index>(k)];
      const Eigen::VectorXd balance = base.K * change;
      for (std::size_t k = 0; k < base.independent.size(); ++k)
        other[base.independent[k]] -= balance[static_cast<Eigen::Index>(k)];
      worst = std::max(worst, largest(Y * other - Q) / (largest(Q) + largest(Y)));
    }
    EXPECT_THROW(base.values(Eigen::VectorXd::Zero(3)), SizeError);
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-9);
}

/// Known by hand. A turn about a horizontal axis feels I_zz, m cx, m cy; about a vertical axis
/// only I_zz; a slide only m. A free body feels all ten.
TEST(BaseParameters, are_as_many_as_known) {
  const auto count = [](const Joint& joint) {
    const Model model = compile(MechanismBuilder("one")
                                    .body("b", ground, joint)
                                    .inertia(1, {0.1, 0.2, 0.3}, Sym3::diagonal(1, 1, 1))
                                    .build());
    return base_parameters(model).independent.size();
  };
  EXPECT_EQ(count(joints::revolute({0, 1, 0})), 3);
  EXPECT_EQ(count(joints::revolute({0, 0, 1})), 1);
  EXPECT_EQ(count(joints::prismatic({0, 0, 1})), 1);
  EXPECT_EQ(count(joints::spherical()), 9);
  EXPECT_EQ(count(joints::floating()), 10);
  EXPECT_EQ(count(joints::fixed()), 0);
}

/// Two bodies that cannot move to each other are told apart by nothing.
TEST(BaseParameters, of_bodies_glued_together_are_those_of_one) {
  MechanismBuilder one("one"), two("two");
  for (MechanismBuilder* m : {&one, &two})
    m->body("a", ground, joints::floating()).inertia(1, {0.1, 0, 0}, Sym3::diagonal(1, 1, 1));
  two.body("b", "a", joints::fixed())
      .pose({exp(Vec3{0.1, 0.2, 0.3}), {1, 2, 3}})
      .inertia(2, {0, 0.3, 0}, Sym3::diagonal(1, 1, 1));
  EXPECT_EQ(base_parameters(compile(one.build())).independent.size(), 10);
  EXPECT_EQ(base_parameters(compile(two.build())).independent.size(), 10);
}

}  // namespace
}  // namespace chasles
