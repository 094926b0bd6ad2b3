/// A model is a handle: what is made for it may be copied, moved and outlive it, and refuses others.
#include <gtest/gtest.h>

#include <type_traits>

#include "chasles/chasles.hpp"
#include "model/model_data.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

Model arm(const char* name, int joints) {
  MechanismBuilder builder(name);
  for (int k = 0; k < joints; ++k)
    builder
        .body("b" + std::to_string(k), k == 0 ? std::string(ground) : "b" + std::to_string(k - 1),
              joints::revolute({0, 1, 0}, {0.5 * k, 0, 0}))
        .inertia(1, {0.5 * k + 0.2, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1));
  return compile(builder.build());
}

/// Calls that take something made for a model, with one of another model.
TEST(Handle, what_is_of_another_model_is_refused_by_name) {
  const Model one = arm("one", 3), two = arm("two", 2);
  const Vector q(2), v(2), a(2);
  InverseDynamics inverse(one);
  ForwardDynamics forward(one);
  MassMatrix M(one);
  MassMatrixInverse M_inv(one);
  CoriolisMatrix C(one);
  TorqueRegressor Y(one);
  CentroidalMomentum A(one);
  PositionKinematics at(one);
  VelocityKinematics moving(one);
  AccelerationKinematics speeding(one);
  FrameJacobian frame(one);
  EXPECT_SAYS(inverse_dynamics(two, q, v, a, inverse), "'one'", "'two'");
  EXPECT_SAYS(bias(two, q, v, inverse), "'one'", "'two'");
  EXPECT_SAYS(gravity_forces(two, q, inverse), "'one'", "'two'");
  EXPECT_SAYS(forward_dynamics(two, q, v, a, forward), "'one'", "'two'");
  EXPECT_SAYS(mass_matrix(two, q, M), "'one'", "'two'");
  EXPECT_SAYS(mass_matrix_inverse(two, q, M_inv), "'one'", "'two'");
  EXPECT_SAYS(coriolis_matrix(two, q, v, C), "'one'", "'two'");
  EXPECT_SAYS(torque_regressor(two, q, v, a, Y), "'one'", "'two'");
  EXPECT_SAYS(centroidal_momentum_matrix(two, q, v, A), "'one'", "'two'");
  EXPECT_SAYS(forward_kinematics(two, q, at), "'one'", "'two'");
  EXPECT_SAYS(forward_kinematics(two, q, v, moving), "'one'", "'two'");
  EXPECT_SAYS(forward_kinematics(two, q, v, a, speeding), "'one'", "'two'");
  EXPECT_SAYS(jacobian(two, q, two.frame("b0"), Representation::body, frame), "'one'", "'two'");

  forward_kinematics(one, Vector(3), at);
  forward_kinematics(one, Vector(3), Vector(3), moving);
  Matrix6X J(6, 2);
  EXPECT_SAYS(jacobian(two, at, two.frame("b0"), Representation::body, J), "'one'", "'two'");
  EXPECT_SAYS(kinetic_energy(two, moving), "'one'", "'two'");
  EXPECT_SAYS(potential_energy(two, at), "'one'", "'two'");
  EXPECT_SAYS(spatial_momentum(two, moving), "'one'", "'two'");
  EXPECT_SAYS(center_of_mass(two, at), "'one'", "'two'");
  textbook::RecursiveDynamics recursive(one);
  EXPECT_SAYS(textbook::inverse_dynamics(two, moving, v, Representation::body, recursive), "'one'",
              "'two'");
  textbook::RecursiveDynamics other(two);
  EXPECT_SAYS(textbook::inverse_dynamics(two, moving, v, Representation::body, other), "'one'",
              "'two'");
  textbook::Factorization factorization(one);
  EXPECT_SAYS(textbook::factorize(two, at, factorization), "'one'", "'two'");
  EXPECT_SAYS(textbook::coriolis_matrix(two, moving), "'one'", "'two'");
  EXPECT_SAYS(textbook::christoffel_symbols(two, at), "'one'", "'two'");
  EXPECT_SAYS(system_kinematics(two, at, Representation::body), "'one'", "'two'");
}

TEST(Handle, frames_and_wrenches_of_another_model_are_refused_by_name) {
  const Model one = arm("one", 3), two = arm("two", 2);
  const Frame foreign = one.frame("b0");
  PositionKinematics kin(two);
  forward_kinematics(two, Vector(2), kin);
  EXPECT_SAYS(pose(kin, foreign), "'one'", "'two'");
  Matrix6X J(6, 2);
  EXPECT_SAYS(jacobian(two, kin, foreign, Representation::body, J), "'one'", "'two'");
  FrameJacobian frame(two);
  EXPECT_SAYS(jacobian(two, Vector(2), foreign, Representation::body, frame), "'one'", "'two'");
  EXPECT_SAYS(inverse_kinematics(two, foreign, SE3{}), "'one'", "'two'");
  const AppliedWrench push{foreign, {{}, {1, 0, 0}}, Representation::body};
  InverseDynamics inverse(two);
  EXPECT_SAYS(inverse_dynamics(two, Vector(2), Vector(2), Vector(2), inverse, {&push, 1}), "'one'",
              "'two'");
  Batch<double> batch(two);
  const std::vector<double> x(2);
  std::vector<double> C(12);
  EXPECT_SAYS(batch.poses(1, x, {&foreign, 1}, C), "'one'", "'two'");
  // A twin, compiled again, is another model.
  const Frame lost = arm("two", 2).frame("b1");
  EXPECT_SAYS(pose(kin, lost), "no longer exists", "'two'");
  const Model twin = arm("two", 2);
  EXPECT_SAYS(pose(kin, twin.frame("b1")), "compiled another time");
  EXPECT_SAYS(pose(kin, Frame{7, {}, two.id()}), "link 7", "Model::frame");
  EXPECT_SAYS(pose(kin, Frame{0, {}}), "Model::frame");
  EXPECT_NO_THROW(pose(kin, Frame{}));  // ground, of any model
}

TEST(Handle, everything_outlives_the_model_it_was_made_for) {
  InverseDynamics inverse(arm("gone", 3));
  const Model again = inverse.work.model();
  EXPECT_EQ(inverse_dynamics(again, Vector(3), Vector(3), Vector(3), inverse).size(), 3);
  Batch<double> batch(arm("gone", 3), 2);
  std::vector<double> x(30), tau(30);
  EXPECT_NO_THROW(batch.inverse_dynamics(10, x, x, x, tau));
  ModelSystem system(arm("gone", 3));
  const auto integrator = make_integrator(ModelSystem(arm("gone", 3)), {.method = "dop853"});
  integrator->reset({0, Vector(3), Vector(3)});
  EXPECT_NO_THROW(integrator->step(0.1));
  textbook::Factorization f(arm("gone", 3));
  PositionKinematics kin(f.model());
  forward_kinematics(f.model(), Vector(3), kin);
  textbook::factorize(f.model(), kin, f);
  EXPECT_TRUE(std::isfinite(f.log_determinant()));
}

/// The sanitizers see a list that ended with its model.
TEST(Handle, lists_of_a_temporary_model_are_copies) {
  std::string names;
  for (const ModelBody& body : arm("one", 3).bodies()) names += body.name;
  for (const ModelJoint& joint : arm("one", 3).joints()) names += joint.name;
  EXPECT_EQ(names, "b0b1b2b0b1b2");
  const ModelJoint& joint = arm("one", 3).joint("b1");
  EXPECT_EQ(joint.v_index, 1);
  const Model one = arm("one", 3);
  EXPECT_EQ(&one.bodies(), &one.bodies());
}

TEST(Handle, copies_are_independent_and_what_was_moved_from_throws) {
  Model model = arm("m", 2);
  const Model kept = model;
  EXPECT_TRUE(kept == model);
  const Model moved = std::move(model);
  EXPECT_TRUE(kept == moved);
  EXPECT_SAYS(model.nv(), "moved from");  // NOLINT(bugprone-use-after-move)
  EXPECT_SAYS(compile({}).frame("x"), "no body");
  EXPECT_SAYS(tree_links(Model()), "no model");

  InverseDynamics a(kept);
  const Vector q{0.1, 0.2}, zero(2);
  const Vector tau = inverse_dynamics(kept, q, zero, zero, a);
  InverseDynamics b = a;
  inverse_dynamics(kept, zero, zero, zero, b);
  EXPECT_EQ(a.tau, tau);
  const InverseDynamics taken = std::move(a);
  EXPECT_SAYS(inverse_dynamics(kept, q, zero, zero, a), "moved from");  // NOLINT
  Vector mine = std::move(b.tau);                                       // results may be taken away
  EXPECT_EQ(inverse_dynamics(kept, q, zero, zero, b), tau);

  PositionKinematics kin(kept);
  forward_kinematics(kept, q, kin);
  PositionKinematics copy = kin;
  forward_kinematics(kept, zero, copy);
  EXPECT_EQ(kin.q(), q);
  const PositionKinematics gone = std::move(kin);
  EXPECT_SAYS(forward_kinematics(kept, q, kin), "moved from");  // NOLINT
  EXPECT_SAYS(pose(kin, kept.frame("b0")), "moved from");       // NOLINT
  Batch<double> batch(kept);
  const Batch<double> other = std::move(batch);
  std::vector<double> x(2), out(2);
  EXPECT_THROW(batch.inverse_dynamics(1, x, x, x, out), Error);  // NOLINT
  ModelSystem system(kept);
  const ModelSystem elsewhere = std::move(system);
  Vector velocity(2), a_out(2);
  EXPECT_THROW(system.rates(0, zero, zero, velocity, a_out), Error);  // NOLINT
}

/// A lower stage cannot be computed into a higher one.
template <class Kinematics>
concept takes_positions = requires(const Model& m, const Vector& q, Kinematics& k) {
  forward_kinematics(m, q, k);
};
template <class Kinematics>
concept takes_velocities = requires(const Model& m, const Vector& q, Kinematics& k) {
  forward_kinematics(m, q, q, k);
};
static_assert(takes_positions<PositionKinematics> && !takes_positions<VelocityKinematics> &&
              !takes_positions<AccelerationKinematics>);
static_assert(takes_velocities<VelocityKinematics> && !takes_velocities<AccelerationKinematics> &&
              !takes_velocities<PositionKinematics>);

TEST(Handle, what_is_not_computed_yet_is_not_a_number) {
  const Model model = arm("m", 2);
  VelocityKinematics kin(model);
  EXPECT_TRUE(std::isnan(kinetic_energy(model, kin)));
  EXPECT_TRUE(std::isnan(pose(kin, model.frame("b1")).r.x));
  EXPECT_TRUE(InverseDynamics(model).tau.array().isNaN().all());
  EXPECT_TRUE(ForwardDynamics(model).a.array().isNaN().all());
  EXPECT_TRUE(MassMatrixInverse(model).M_inv.array().isNaN().all());
}

}  // namespace
}  // namespace chasles
