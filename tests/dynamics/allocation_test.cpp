/// After construction of the workspaces nothing allocates.
#include "support/allocation.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/textbook/composite.hpp"
#include "chasles/textbook/hamiltonian.hpp"
#include "chasles/textbook/linearized.hpp"
#include "chasles/textbook/recursive.hpp"
#include "model/model_data.hpp"
#include "textbook/sample.hpp"

#ifdef CHASLES_COUNTS_ALLOCATIONS

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::allocations;

TEST(Allocation, none_after_construction_of_textbook_workspaces) {
  std::mt19937_64 generator(71);
  const test::Sample s = test::regular_sample(generator, true);
  const auto applied = s.wrenches(generator);
  RecursiveDynamics recursive(s.model);
  CompositeBodies composite(s.model);
  CentroidalMomentumMatrix centroidal(s.model);
  HamiltonianDynamics hamilton(s.model);
  OperatorInverse inverse(s.model);
  Eigen::VectorXd p(s.model.nv()), y(s.model.nv());

  const long before = allocations;
  for (const Representation rep : test::all_representations) {
    inverse_dynamics(s.model, s.kin, s.a, rep, recursive, applied);
    forward_dynamics(s.model, s.kin, s.tau, rep, recursive, applied);
    reaction(s.model, s.kin, recursive, 0, rep);
  }
  mass_matrix(s.model, s.kin, composite);
  centroidal_momentum_matrix(s.model, s.kin, centroidal);
  generalized_momenta(s.model, s.kin, p, hamilton);
  hamiltonian_dynamics(s.model, s.kin, p, s.tau, hamilton, applied);
  Factorization& f = hamilton.factorization;
  f.multiply(p, y);
  f.solve(p, y);
  f.sqrt_solve(p, y);
  f.sqrt_transpose_solve(p, y);
  mass_matrix_inverse(f, inverse);
  kinetic_energy(s.model, s.kin);
  potential_energy(s.model, s.kin);
  centroidal_momentum(s.model, s.kin);
  EXPECT_EQ(allocations - before, 0);

  std::free(std::malloc(100));  // the count counts
  EXPECT_GE(allocations - before, 1);
}

TEST(Allocation, none_after_construction_of_linearizations) {
  std::mt19937_64 generator(73);
  const test::Sample s = test::regular_sample(generator, true);
  const auto applied = s.wrenches(generator);
  LinearizedInverseDynamics inverse(s.model);
  LinearizedForwardDynamics forward(s.model);
  ConventionalLinearization conventional(s.model);
  InverseDynamicsMatrices d_inverse(s.model);
  ForwardDynamicsMatrices d_forward(s.model);
  std::vector<Matrix6> Ups(tree_links(s.model).size());
  Eigen::VectorXd x(s.model.nv()), y(s.model.nv()), z(s.model.nv());

  const long before = allocations;
  linearize(s.model, s.kin, s.a, inverse, applied);
  inverse.along(s.v, s.a, s.tau, x);
  inverse.transposed(s.v, x, y, z);
  inverse.matrices(d_inverse);
  linearize(s.model, s.kin, s.tau, forward, applied);
  forward.along(s.v, s.a, s.tau, x);
  forward.transposed(s.v, x, y, z);
  forward.matrices(d_forward);
  conventional.factorize(inverse);
  conventional.along(inverse, s.v, s.a, s.tau, x);
  conventional.matrices(d_forward);
  inverse_operational_space_inertias(forward.factorization(), Ups);
  inverse_operational_space_inertia(forward.factorization(), Ups, 0, 1);
  EXPECT_EQ(allocations - before, 0);
}

TEST(Allocation, none_after_construction_of_the_fast_path) {
  std::mt19937_64 generator(72);
  const test::Sample s = test::regular_sample(generator, true);
  const auto applied = s.wrenches(generator);
  InverseDynamics id(s.model);
  ForwardDynamics fd(s.model);
  MassMatrix mm(s.model);
  MassMatrixInverse inverse(s.model);
  Batch<double> batch(s.model, 2);
  const auto nv = static_cast<std::size_t>(s.model.nv());
  const std::vector<double> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end());
  std::vector<double> a(nv), M(nv * nv), energy(2);
  inverse_dynamics(s.model, s.q, s.v, s.a, id, applied);  // the first wrench
  forward_dynamics(s.model, s.q, s.v, s.tau, fd, applied);
  const auto all_of_batch = [&] {
    batch.inverse_dynamics(1, q, v, v, a);
    batch.forward_dynamics(1, q, v, v, a);
    batch.mass_matrix(1, q, M);
    batch.mass_matrix_inverse(1, q, M);
    batch.energies(1, q, v, energy);
  };
  all_of_batch();  // the first of each

  const long before = allocations;
  inverse_dynamics(s.model, s.q, s.v, s.a, id, applied);
  bias(s.model, s.q, s.v, id);
  gravity_forces(s.model, s.q, id);
  forward_dynamics(s.model, s.q, s.v, s.tau, fd, applied);
  mass_matrix(s.model, s.q, mm);
  mass_matrix_inverse(s.model, s.q, inverse);
  all_of_batch();
  EXPECT_EQ(allocations - before, 0);
}

/// Lists for matrices belong to the model: after a failed allocation the next call makes them again, completely.
TEST(Allocation, lists_for_matrices_are_whole_after_memory_ran_out) {
  std::mt19937_64 generator(79);
  for (const bool tree : {false, true}) {
    const Mechanism mechanism = test::random_mechanism(
        generator, {.bodies = 12, .tree = tree, .kinds = {{JointType::revolute}}});
    const Model untouched = compile(mechanism);
    const Eigen::VectorXd q = test::random_configuration(untouched, generator);
    MassMatrix one(untouched);
    const Eigen::MatrixXd expected = mass_matrix(untouched, q, one);
    int given = -1;
    for (bool refused = true; refused;) {
      const Model model = compile(mechanism);
      refused = false;
      test::last_allocation = allocations + ++given;
      try {
        MassMatrix first(model);
      } catch (const std::exception&) {
        refused = true;
      }
      test::last_allocation = LONG_MAX;
      MassMatrix next(model);
      EXPECT_EQ(Eigen::MatrixXd(mass_matrix(model, q, next)), expected) << "after " << given;
    }
    EXPECT_GT(given, 10);
  }
}

}  // namespace
}  // namespace chasles

#endif
