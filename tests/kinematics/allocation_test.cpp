/// After construction of the workspaces nothing allocates.
#include "support/allocation.hpp"

#include <gtest/gtest.h>

#include "chasles/kinematics/higher_order.hpp"
#include "support/random_mechanism.hpp"

#ifdef CHASLES_COUNTS_ALLOCATIONS

namespace chasles {
namespace {

using test::allocations;

TEST(Allocation, none_after_construction) {
  std::mt19937_64 generator(1);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 15}));
  const Eigen::VectorXd q = test::random_configuration(model, generator);
  const Eigen::VectorXd v = test::random_vector(model.nv(), generator);
  PositionKinematics at(model);
  VelocityKinematics moving(model);
  AccelerationKinematics kin(model);
  CenterOfMassJacobian com(model);
  TwistDerivatives derivatives(model, 4);
  const Eigen::MatrixXd rates = Eigen::MatrixXd::Ones(model.nv(), 4);
  Matrix6X J(6, model.nv());
  Eigen::VectorXd q1(model.nq()), d(model.nv());
  const Frame frame = model.frame("body14");

  const long before = allocations;
  forward_kinematics(model, q, at);
  forward_kinematics(model, q, v, moving);
  forward_kinematics(model, q, v, v, kin);
  for (const auto rep : {Representation::body, Representation::spatial, Representation::hybrid,
                         Representation::mixed}) {
    jacobian(model, kin, frame, rep, J);
    jacobian_rate(model, kin, frame, rep, J);
  }
  relative_jacobian(model, kin, model.frame("body3"), frame, J);
  center_of_mass_jacobian(model, kin, com);
  twist_derivatives(model, q, rates, frame, Representation::spatial, derivatives);
  plus(model, q, v, q1);
  minus(model, q1, q, d);
  EXPECT_EQ(allocations - before, 0);

  delete new int;  // the count counts
  std::free(std::malloc(100));
  EXPECT_GE(allocations - before, 1);
}

}  // namespace
}  // namespace chasles

#endif
