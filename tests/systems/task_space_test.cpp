/// One evaluated state for the matrices of a controller: M, h, J, dJ/dt, poses, operational-space inertia, reactions; of
/// trees and of closed mechanisms.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/dynamics/operational_space.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "chasles/systems/model_system.hpp"
#include "chasles/textbook/recursive.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace task_space_test {

using Matrix66 = Eigen::Matrix<double, 6, 6>;

TEST(TaskSpace, of_a_tree_is_known_from_one_pass) {
  std::mt19937_64 generator(31);
  for (int round = 0; round < 5; ++round) {
    const Model model = compile(test::random_mechanism(
        generator,
        {.bodies = 9, .tree = true, .kinds = {{JointType::revolute}, {JointType::floating}}}));
    const int n = model.nv();
    const Vector q = test::random_configuration(model, generator),
                 v = test::random_vector(n, generator);
    const Frame tip = model.frame("body8");
    const Representation rep = Representation::hybrid;

    MechanismState state(model);
    state.set(0, q, v);
    const long passes = state.passes();
    Matrix M(n, n), Lambda_inv(6, 6);
    Vector h(n);
    Matrix6X J(6, n), J_rate(6, n);
    state.force(h), h = -h;  // without other forces: velocity terms and weight
    const SE3 C = pose(state.position(), tip);
    jacobian(model, state.position(), tip, rep, J);
    jacobian_rate(model, state.velocity(), tip, rep, J_rate);
    state.mass_matrix(M);
    state.inverse_operational_space_inertia(tip, rep, Lambda_inv);
    EXPECT_EQ(state.passes() - passes, 1);

    MassMatrix mass(model);
    InverseDynamics inverse(model);
    VelocityKinematics kin(model);
    forward_kinematics(model, q, v, kin);
    Matrix6X J_1(6, n), J_rate_1(6, n);
    jacobian(model, kin, tip, rep, J_1);
    jacobian_rate(model, kin, tip, rep, J_rate_1);
    const Vector h_1 = bias(model, q, v, inverse);
    EXPECT_LT((h - h_1).norm(), 1e-12 * (1 + h_1.norm()));
    EXPECT_EQ(M, Matrix(mass_matrix(model, q, mass)));
    EXPECT_CLOSE(C, pose(kin, tip), 1e-14);
    EXPECT_LT((J - J_1).norm(), 1e-13 * J_1.norm());
    EXPECT_LT((J_rate - J_rate_1).norm(), 1e-13 * (1 + J_rate_1.norm()));
    const Eigen::MatrixXd dense = J_1 * M.llt().solve(Eigen::MatrixXd(J_1.transpose()));
    EXPECT_LT((Lambda_inv - dense).norm(), 1e-11 * dense.norm());
    // Another state is another matrix.
    state.set(0, test::random_configuration(model, generator), v);
    Matrix moved(6, 6);
    state.inverse_operational_space_inertia(tip, rep, moved);
    EXPECT_GT((moved - Lambda_inv).norm(), 1e-3 * dense.norm());
  }
}

/// With constraints: the upper left block of the inverse of the saddle-point matrix in place of M^-1.
TEST(TaskSpace, of_a_closed_mechanism_is_that_of_the_saddle_point) {
  for (const Mechanism& mechanism : {studies::four_bar(), studies::slider_crank()}) {
    const Model model = compile(mechanism);
    ConstrainedSystem state(model);
    const int n = model.nv(), m = state.constraint_count();
    state.set(0, state.assembled(), Vector(n));
    Matrix M(n, n), B(m, n);
    state.mass_matrix(M);
    state.constraint_matrix(B);
    const Eigen::MatrixXd N = Eigen::FullPivLU<Eigen::MatrixXd>(B).kernel();
    const Frame tip = model.bodies().back().frame;
    Matrix6X J(6, n);
    jacobian(model, state.position(), tip, Representation::spatial, J);
    const Eigen::MatrixXd A = N.transpose() * M * N, JN = J * N,
                          expected = JN * A.llt().solve(Eigen::MatrixXd(JN.transpose()));
    Matrix66 found;
    state.inverse_operational_space_inertia(tip, Representation::spatial, found);
    EXPECT_LT((found - expected).norm(), 1e-11 * expected.norm()) << mechanism.name;
    EXPECT_THROW(state.operational_space_inertia(tip, Representation::spatial, found),
                 SingularError);
  }
}

/// Newton's law for each body: what its joints transmit, its weight and what else acts give its acceleration. So at
/// ground the reactions, loops among them, are what the textbook finds for the tree under the constraint wrenches.
TEST(TaskSpace, reactions_are_those_at_the_acceleration_of_the_state) {
  std::mt19937_64 generator(32);
  const Model tree = compile(test::random_mechanism(
      generator,
      {.bodies = 9, .tree = true, .kinds = {{JointType::revolute}, {JointType::spherical}}}));
  const Model four_bar = compile(studies::four_bar());
  ConstrainedSystem closed(four_bar);
  MechanismState open(tree);
  for (MechanismState* state : {static_cast<MechanismState*>(&closed), &open}) {
    const Model& model = state->model();
    const Vector q =
        state == &open ? Vector(test::random_configuration(model, generator)) : closed.assembled();
    state->set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau[0] += 3;
      out.wrenches.push_back({kin.model().bodies()[1].frame, {{1, 2, 3}, {4, 5, 6}}});
    });
    state->set(0, q, Vector(model.nv()));
    JointReactions reactions(model);
    state->joint_reactions(Representation::spatial, reactions);
    Vector v_dot(model.nv());
    state->acceleration(v_dot);
    JointForces binding{Vector(model.nv()), {}};
    if (state->constraint_count() > 0) state->constraint_forces(binding);
    std::vector<AppliedWrench> all = state->forces().wrenches;
    all.insert(all.end(), binding.wrenches.begin(), binding.wrenches.end());
    textbook::RecursiveDynamics book(model);
    const Vector tau = textbook::inverse_dynamics(model, state->velocity(), v_dot,
                                                  Representation::body, book, all);
    EXPECT_NEAR(tau[0], 3, 1e-11);
    for (std::size_t k = 0; k < model.joints().size(); ++k) {
      const Wrench W =
          textbook::reaction(model, state->position(), book, k, Representation::spatial);
      EXPECT_CLOSE(reactions.W[k], W, 1e-11 * (1 + max_abs(W.t) + max_abs(W.f)));
    }
  }
}

}  // namespace task_space_test
}  // namespace chasles
