/// What headers say of numbers that are not finite and that no test of their folder tries (docs/contracts.md).

#include <gtest/gtest.h>

#include <cmath>

#include "chasles/lie/cayley.hpp"
#include "chasles/linearization/linear_system.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/simulation.hpp"
#include "chasles/systems/model_system.hpp"

namespace finite_test {

using namespace chasles;

TEST(NotFinite, the_largest_of_numbers_is_none_if_one_is_none) {
  for (int k = 0; k < 3; ++k) {
    Vec3 x{1, -2, 3};
    EXPECT_EQ(max_abs(x), 3);
    x[k] = NAN;
    EXPECT_TRUE(std::isnan(max_abs(x))) << k;
  }
}

/// cay_inv at a half turn: no entry that looks like a result.
TEST(NotFinite, a_half_turn_has_no_cayley_coordinates) {
  const SO3 half = SO3(Mat3{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}});
  const Vec3 x = cay_inv(half);
  EXPECT_FALSE(std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z));
  const Vec3 quarter = cay_inv(exp(Vec3{0, 0, M_PI / 2}));
  EXPECT_NEAR(quarter.z, 2 * std::tan(M_PI / 4), 1e-15);
}

TEST(NotFinite, rates_of_baumgarte_are_refused) {
  using Baumgarte = MechanicalSystem::Baumgarte;
  EXPECT_NO_THROW(MechanicalSystem::check(Baumgarte{0, 10}));
  for (const double wrong : {-1.0, double{NAN}, double{INFINITY}, -double{INFINITY}}) {
    EXPECT_THROW(MechanicalSystem::check(Baumgarte{wrong, 1}), Error) << wrong;
    EXPECT_THROW(MechanicalSystem::check(Baumgarte{1, wrong}), Error) << wrong;
  }
}

Model rod() {
  return compile(MechanismBuilder("rod")
                     .body("rod", ground, joints::revolute({0, 1, 0}))
                     .inertia(1, {0, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.1))
                     .build());
}

TEST(NotFinite, values_that_are_forgotten_are_no_numbers) {
  const Model model = rod();
  const std::string names[] = {"com", "energy"};
  Evaluation evaluation(model, names, QuantitySource::state);
  EvaluationState moment(model);
  moment.q = Vector{0.1}, moment.v = Vector{1.0};
  evaluation.at(moment);
  for (const Matrix& value : evaluation.values()) EXPECT_TRUE(value.allFinite());
  evaluation.forget();
  for (const Matrix& value : evaluation.values()) EXPECT_TRUE(value.array().isNaN().all());
}

TEST(NotFinite, states_and_forces_are_not_linearized) {
  const Model model = rod();
  ModelSystem system(model);
  EXPECT_NO_THROW(linearize(system, 0, Vector{0.1}, Vector{0.2}));
  EXPECT_THROW(linearize(system, 0, Vector{NAN}, Vector{0.2}), Error);
  EXPECT_THROW(linearize(system, 0, Vector{0.1}, Vector{NAN}), Error);
  EXPECT_THROW(linearize(system, 0, Vector{0.1}, Vector{INFINITY}), Error);
  system.set_forces([](double, const VelocityKinematics&, JointForces& out) { out.tau[0] = NAN; });
  EXPECT_THROW(linearize(system, 0, Vector{0.1}, Vector{0.2}), Error);
}

TEST(NotFinite, changes_of_models_are_refused) {
  const Model model = rod();
  EXPECT_NO_THROW(model.with_gravity({0, 0, -1.62}));
  EXPECT_THROW(model.with_gravity({0, NAN, 0}), Error);
  EXPECT_THROW(model.with_gravity({0, 0, INFINITY}), Error);
  const Sym3 I = Sym3::diagonal(0.1, 0.1, 0.1);
  EXPECT_NO_THROW(model.with_inertia("rod", {.mass = 2, .com = {0, 0, 1}, .tensor = I}));
  EXPECT_THROW(model.with_inertia("rod", {.mass = NAN, .com = {0, 0, 1}, .tensor = I}), Error);
  EXPECT_THROW(model.with_inertia("rod", {.mass = 2, .com = {0, INFINITY, 1}, .tensor = I}), Error);
  EXPECT_THROW(
      model.with_inertia("rod", {.mass = 2, .com = {}, .tensor = Sym3::diagonal(NAN, 1, 1)}),
      Error);
}

TEST(NotFinite, joint_forces_of_a_loop_are_refused) {
  Scenario scenario{.model = rod(), .start = {0, Vector{0.1}, Vector{0.2}}, .duration = 1};
  scenario.joint_inputs = true;
  Simulation simulation(scenario);
  simulation.set_joint_forces(Vector{0.5});
  simulation.step(0.01);
  for (const double wrong : {double{NAN}, double{INFINITY}})
    EXPECT_THROW(simulation.set_joint_forces(Vector{wrong}), Error) << wrong;
  EXPECT_NO_THROW(simulation.step(0.02));
  EXPECT_TRUE(simulation.state().q.allFinite());
}

TEST(NotFinite, efforts_of_a_law_have_no_tangent) {
  const Model model = rod();
  const Matrix C = Eigen::MatrixXd::Identity(2, 2);
  Controller law{"law", model, [](double, const VelocityKinematics& kin, VectorRef tau) {
                   tau[0] = -3 * kin.q()[0];
                 }};
  EXPECT_NEAR(control_tangent(law, 0, Vector{0.1}, Vector{0.2}, C).gain(0, 0), -3, 1e-7);
  Controller wrong{"wrong", model,
                   [](double, const VelocityKinematics&, VectorRef tau) { tau[0] = NAN; }};
  EXPECT_THROW(control_tangent(wrong, 0, Vector{0.1}, Vector{0.2}, C), Error);
}

}  // namespace finite_test
