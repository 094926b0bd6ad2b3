/// Every instruction set computes the same; a thousand bodies against long double; operation counts.

#include <gtest/gtest.h>

#include "kernels/kernel_runner.hpp"
#include "math/decompositions.hpp"

namespace chasles::kernels::counting {

/// A long double that counts the operations on it.
struct Counted {
  long double x;
  static inline long multiplications = 0, additions = 0, divisions = 0;
  Counted() = default;
  Counted(long double a) : x(a) {}
  friend Counted operator+(Counted a, Counted b) { return ++additions, Counted(a.x + b.x); }
  friend Counted operator-(Counted a, Counted b) { return ++additions, Counted(a.x - b.x); }
  friend Counted operator-(Counted a) { return Counted(-a.x); }
  friend Counted operator*(Counted a, Counted b) { return ++multiplications, Counted(a.x * b.x); }
  friend Counted operator/(Counted a, Counted b) { return ++divisions, Counted(a.x / b.x); }
};
/// Not counted: the fast path has its own, of about 20 multiplications and 20 additions.
inline void sincos(Counted a, Counted& s, Counted& c) { s = std::sin(a.x), c = std::cos(a.x); }
inline bool all_above(Counted a, Counted bound) { return a.x > bound.x; }
inline Counted larger(Counted a, Counted b) { return a.x > b.x ? a : b; }

#pragma GCC diagnostic ignored "-Wpsabi"
#include "kernels/dynamics_table.inl"

const KernelTable<long double>& counted = table<Lanes<Counted, long double>>;

}  // namespace chasles::kernels::counting

namespace chasles::kernels {
namespace {

using counting::Counted;

TEST(DynamicsKernels, are_the_same_on_every_instruction_set) {
  std::mt19937_64 generator(3);
  for (const bool tree : {false, true}) {
    const Model model = compile(test::random_mechanism(generator, {.bodies = 15, .tree = tree}));
    const Eigen::VectorXd q = test::random_configuration(model, generator),
                          v = test::random_vector(model.nv(), generator),
                          f = test::random_vector(model.nv(), generator);
    Runner<long double> exact(model);
    Runner<double> run(model);
    Runner<float> run_float(model);
    // What is solved for is as good as the mass matrix is far from singular.
    const std::vector<double> M = run(single_kernels(), mass_matrix, model, q, v, f);
    const Eigen::VectorXd eigenvalues =
        symmetric_eigenvalues(Eigen::Map<const Eigen::MatrixXd>(M.data(), model.nv(), model.nv()));
    const double condition = eigenvalues.maxCoeff() / eigenvalues.minCoeff();
    for (int a = 0; a < algorithm_count; ++a) {
      const auto algorithm = static_cast<Algorithm>(a);
      if (algorithm >= positions) continue;  // kinematics_test.cpp
      const bool solves = algorithm == forward_dynamics || algorithm == mass_matrix_inverse;
      const std::vector<long double> expected = exact(counting::counted, algorithm, model, q, v, f);
      for (const InstructionSet& set : instruction_sets()) {
        if (!set.available) continue;
        EXPECT_LE(difference(run(*set.single, algorithm, model, q, v, f), expected),
                  solves ? 5e-15 * condition : 1e-14)
            << set.name << a;
        EXPECT_LE(difference(run(*set.lanes, algorithm, model, q, v, f), expected),
                  solves ? 5e-15 * condition : 1e-14)
            << set.name << a;
        // Where float has no digits left, the joint is refused.
        if (solves && condition > 1e5) continue;
        EXPECT_LE(difference(run_float(*set.float_lanes, algorithm, model, q, v, f), expected),
                  solves ? 2e-6 * condition : 5e-6)
            << set.name << a;
      }
    }
  }
}

TEST(DynamicsKernels, the_best_available_set_is_used) {
  const InstructionSet* best = nullptr;
  for (const InstructionSet& set : instruction_sets()) {
    if (set.available)
      best = &set;
    else
      std::printf("[   NOTE   ] this machine has no %s: its kernels are not tested here\n",
                  set.name);
  }
  ASSERT_TRUE(best);
  EXPECT_EQ(&single_kernels(), best->single);
  EXPECT_EQ(&lane_kernels<double>(), best->lanes);
  EXPECT_EQ(&lane_kernels<float>(), best->float_lanes);
}

TEST(DynamicsKernels, angles_beyond_the_range_of_the_reduction) {
  std::mt19937_64 generator(4);
  const Model model =
      compile(test::random_mechanism(generator, {.bodies = 8, .kinds = {{JointType::revolute}}}));
  Eigen::VectorXd q = test::random_configuration(model, generator);
  q[2] = 3e5, q[5] = -2e6, q[6] = 9.9e4;
  const Eigen::VectorXd v = test::random_vector(8, generator);
  Runner<long double> exact(model);
  Runner<double> run(model);
  const auto expected = exact(counting::counted, inverse_dynamics, model, q, v, v);
  EXPECT_LE(difference(run(single_kernels(), inverse_dynamics, model, q, v, v), expected), 1e-14);
  EXPECT_LE(difference(run(lane_kernels<double>(), inverse_dynamics, model, q, v, v), expected),
            1e-14);
}

TEST(DynamicsKernels, a_thousand_bodies_against_long_double) {
  std::mt19937_64 generator(6);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 1000, .kinds = {{JointType::revolute}}, .size = 0.2}));
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(1000, generator, 0.1),
                        a = test::random_vector(1000, generator);
  Runner<long double> exact(model);
  Runner<double> run(model);
  const auto tau = exact(counting::counted, inverse_dynamics, model, q, v, a);
  EXPECT_LE(difference(run(single_kernels(), inverse_dynamics, model, q, v, a), tau), 1e-12);
  EXPECT_LE(difference(run(lane_kernels<double>(), inverse_dynamics, model, q, v, a), tau), 1e-12);
  const auto M = exact(counting::counted, mass_matrix, model, q, v, a);
  EXPECT_LE(difference(run(single_kernels(), mass_matrix, model, q, v, a), M), 1e-12);
  // Forward dynamics by its residual: the matrix of a chain is conditioned like n^4.
  Eigen::VectorXd force(1000);
  for (int i = 0; i < 1000; ++i) force[i] = static_cast<double>(tau[static_cast<std::size_t>(i)]);
  for (const KernelTable<double>* table : {&single_kernels(), &lane_kernels<double>()}) {
    const auto solved = run(*table, forward_dynamics, model, q, v, force);
    const Eigen::Map<const Eigen::VectorXd> found(solved.data(), 1000);
    const auto back = exact(counting::counted, inverse_dynamics, model, q, v, found);
    EXPECT_LE(difference(back, tau), 1e-10);
  }
}

/// The counts that docs/theory/performance.md states: a chain of seven turns.
TEST(DynamicsKernels, operation_counts) {
  std::mt19937_64 generator(7);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 7, .kinds = {{JointType::revolute}}, .armatures = false}));
  const Eigen::VectorXd q = test::random_configuration(model, generator);
  Runner<long double> run(model);
  using C = Counted;
  const auto count = [&](Algorithm algorithm) {
    C::multiplications = C::additions = C::divisions = 0;
    run(counting::counted, algorithm, model, q, q, q);
    return std::array{C::multiplications, C::additions, C::divisions};
  };
  const auto id = count(inverse_dynamics), fd = count(forward_dynamics), mm = count(mass_matrix),
             inverse = count(mass_matrix_inverse);
  EXPECT_EQ(id, (std::array{759L, 659L, 0L}));
  EXPECT_EQ(fd, (std::array{1903L, 1754L, 7L}));
  EXPECT_EQ(mm, (std::array{1116L, 887L, 0L}));
  EXPECT_EQ(inverse, (std::array{1519L, 1215L, 7L}));
}

}  // namespace
}  // namespace chasles::kernels
