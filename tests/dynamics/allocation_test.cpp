/// After construction of the workspaces nothing allocates. Counted at malloc, which Eigen calls
/// directly; sanitizers bring their own malloc, so the test is not in their builds.
#include <atomic>
#include <cstdlib>

#include "chasles/dynamics/composite.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/hamiltonian.hpp"
#include "chasles/dynamics/recursive.hpp"
#include "dynamics/textbook_sample.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
}

namespace chasles {
namespace {

TEST(Allocation, none_after_construction_of_textbook_workspaces) {
  std::mt19937_64 generator(71);
  const test::Sample s = test::regular_sample(generator, true);
  const auto applied = s.wrenches(generator);
  RecursiveDynamics recursive(s.model);
  CompositeBodies composite(s.model);
  CentroidalMatrix centroidal(s.model);
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
  centroidal_matrix(s.model, s.kin, centroidal);
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

}  // namespace
}  // namespace chasles

#endif
