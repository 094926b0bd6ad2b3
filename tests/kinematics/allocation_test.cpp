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
  const Place place = model.place("body14");

  const long before = allocations;
  positions(model, q, at);
  velocities(model, q, v, moving);
  accelerations(model, q, v, v, kin);
  for (const auto rep : {Representation::body, Representation::spatial, Representation::hybrid,
                         Representation::mixed}) {
    jacobian(model, kin, place, rep, J);
    jacobian_rate(model, kin, place, rep, J);
  }
  relative_jacobian(model, kin, model.place("body3"), place, J);
  center_of_mass_jacobian(model, kin, com);
  twist_derivatives(model, q, rates, place, Representation::spatial, derivatives);
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
