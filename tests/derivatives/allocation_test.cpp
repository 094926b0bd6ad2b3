/// After construction no call allocates.
#include "support/allocation.hpp"

#include <gtest/gtest.h>

#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/derivatives/parameters.hpp"
#include "chasles/derivatives/products.hpp"
#include "chasles/derivatives/second_order.hpp"
#include "chasles/derivatives/time_derivatives.hpp"
#include "chasles/textbook/time_derivatives.hpp"
#include "support/random_mechanism.hpp"

#ifdef CHASLES_COUNTS_ALLOCATIONS
namespace chasles {
namespace {

TEST(Allocation, sensitivities_do_not_allocate) {
  std::mt19937_64 generator(37);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
  std::vector<Parameter> list;
  for (const ModelJoint& joint : model.joints())
    for (const std::string& name : parameter_names(model, joint.name))
      list.push_back(parameter(model, joint.name, name));
  list.push_back(inertial_parameter(model, "body3", 4));
  AccelerationSensitivity work(model, list);
  PositionKinematics kin(model);
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(model.nv(), generator);
  const AppliedWrench push{model.frames().back().frame, {{1, 2, 3}, {4, 5, 6}}};
  Matrix6X poses(6, static_cast<Eigen::Index>(list.size())), J(6, model.nv());
  const auto run = [&] {
    acceleration_sensitivity(model, q, v, v, work, {&push, 1});
    forward_kinematics(model, q, kin);
    pose_sensitivity(model, kin, push.frame, Representation::mixed, list, poses);
    for (const Parameter& p : list)
      jacobian_sensitivity(model, kin, push.frame, Representation::mixed, p, J);
  };
  run();
  const long before = test::allocations;
  run();
  EXPECT_EQ(test::allocations - before, 0);
}
TEST(Allocation, time_derivatives_do_not_allocate) {
  std::mt19937_64 generator(7);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
  const Eigen::VectorXd q = test::random_configuration(model, generator);
  const Eigen::MatrixXd rates = Eigen::MatrixXd::Random(model.nv(), 6);
  const AppliedWrench push{model.frames().back().frame, {{1, 2, 3}, {4, 5, 6}}};
  const Wrench changes[] = {{{1, 0, 0}, {0, 0, 2}}};
  VelocityKinematics kin(model);
  forward_kinematics(model, q, rates.col(0), kin);
  textbook::InverseDynamicsRates textbook_work(model);
  TimeDerivatives work(model, 4);
  inverse_dynamics_derivatives(model, q, rates, work, {&push, 1}, changes);
  const long before = test::allocations;
  inverse_dynamics_derivatives(model, q, rates, work, {&push, 1}, changes);
  forward_dynamics_derivatives(model, q, rates.col(0), rates.leftCols(5), work, {&push, 1});
  textbook::inverse_dynamics_rates(model, kin, rates.col(1), rates.col(2), rates.col(3),
                                   Representation::spatial, textbook_work, {&push, 1});
  EXPECT_EQ(test::allocations - before, 0);
}
TEST(Allocation, derivatives_of_dynamics_do_not_allocate) {
  std::mt19937_64 generator(38);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(model.nv(), generator);
  const AppliedWrench push{model.frames().back().frame, {{1, 2, 3}, {4, 5, 6}}};
  InverseDynamicsDerivatives inverse(model);
  ForwardDynamicsDerivatives forward(model);
  InverseDynamicsProducts inverse_products(model);
  ForwardDynamicsProducts forward_products(model);
  const auto run = [&] {
    d_inverse_dynamics_times(model, q, v, v, v, v, v, inverse_products, {&push, 1});
    d_inverse_dynamics_transposed_times(model, q, v, v, v, inverse_products, {&push, 1});
    d_forward_dynamics_times(model, q, v, v, v, v, v, forward_products, {&push, 1});
    d_forward_dynamics_transposed_times(model, q, v, v, v, forward_products, {&push, 1});
    d_inverse_dynamics(model, q, v, v, inverse, {&push, 1});
    d_forward_dynamics(model, q, v, v, forward, {&push, 1});
  };
  run();
  const long before = test::allocations;
  run();
  EXPECT_EQ(test::allocations - before, 0);
}
TEST(Allocation, second_derivatives_do_not_allocate) {
  std::mt19937_64 generator(39);
  using enum JointType;
  const Model model = compile(test::random_mechanism(
      generator,
      {.bodies = 8, .tree = true, .kinds = {{floating}, {revolute}, {spherical}, {prismatic}}}));
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(model.nv(), generator);
  SecondDerivatives second(model);
  ContractedDerivatives contracted(model);
  const long before = test::allocations;
  d2_inverse_dynamics(model, q, v, v, second);
  d2_forward_dynamics(model, q, v, v, second);
  d2_inverse_dynamics_contracted(model, q, v, v, v, contracted);
  d2_forward_dynamics_contracted(model, q, v, v, v, contracted);
  EXPECT_EQ(test::allocations - before, 0);
}

}  // namespace
}  // namespace chasles
#endif
