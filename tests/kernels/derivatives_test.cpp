/// Derivatives of dynamics against dual numbers that run through the kernels of dynamics.

#include <gtest/gtest.h>

#include "kernels/kernel_runner.hpp"
#include "math/decompositions.hpp"

namespace chasles::kernels::dual {

#pragma GCC diagnostic ignored "-Wpsabi"
#include "kernels/dynamics_table.inl"
#include "model/model_data.hpp"

/// These two are all that is used; the others would take long to compile.
using Sp = Lanes<Dual<Pack<double, 2>>, double>;
const KernelTable<double> kernels = [] {
  KernelTable<double> two;
  two.lanes = Sp::lanes;
  two.of[inverse_dynamics] = {run_inverse_dynamics<Sp>, [](const Tree<double>& tree) {
                                return inverse_dynamics_work<Sp>(tree.links.size(), tree.nq);
                              }};
  two.of[forward_dynamics] = {run_forward_dynamics<Sp>, [](const Tree<double>& tree) {
                                return ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq,
                                                                  tree.nv);
                              }};
  return two;
}();

}  // namespace chasles::kernels::dual

namespace chasles::kernels {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct State {
  Eigen::VectorXd q, v, f;
};
/// What a kernel of dynamics gives along a step, to first order.
Eigen::VectorXd along(Algorithm algorithm, const Model& model, const Tree<double>& tree,
                      const State& at, const State& step) {
  // Twice the number, twice its slope.
  const auto pairs = [](const Eigen::VectorXd& x, const Eigen::VectorXd& d) {
    std::vector<double> both;
    for (Eigen::Index k = 0; k < x.size(); ++k) both.insert(both.end(), {x[k], x[k], d[k], d[k]});
    return both;
  };
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(model.nq());
  for (const Link& link : tree_links(model)) {
    const JointGroup& group = group_of(link.motion);
    if (group.flat)
      for (int k = 0; k < link.nv; ++k) rate[link.q_index + k] = step.q[link.v_index + k];
    else
      group.coordinate_rate(at.q.data() + link.q_index, step.q.data() + link.v_index,
                            rate.data() + link.q_index);
  }
  const std::vector<double> q = pairs(at.q, rate), v = pairs(at.v, step.v), f = pairs(at.f, step.f);
  Aligned<double> work, out;
  work.resize(dual::kernels.work(algorithm, tree) / sizeof(double) + 1);
  out.resize(static_cast<std::size_t>(4 * model.nv()));
  const Pass<double> pass{.tree = &tree,
                          .q = q.data(),
                          .v = v.data(),
                          .force = f.data(),
                          .wrench = nullptr,
                          .group = nullptr,
                          .work = work.data(),
                          .out = out.data()};
  EXPECT_EQ(dual::kernels.run(algorithm, pass), -1);
  Eigen::VectorXd d(model.nv());
  for (int k = 0; k < model.nv(); ++k) d[k] = out.data()[4 * k + 2];
  return d;
}
/// The three matrices, one below the other, column by column.
Rows by_duals(Algorithm algorithm, const Model& model, const Tree<double>& tree, const State& at) {
  const int n = model.nv();
  Rows all(3 * n, n);
  for (int k = 0; k < n; ++k)
    for (long m = 0; m < 3; ++m) {
      State step{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
      (m == 0 ? step.q : m == 1 ? step.v : step.f)[k] = 1;
      all.col(k).segment(m * n, n) = along(algorithm, model, tree, at, step);
    }
  return all;
}
void expect_near(const Rows& found, const Rows& expected, double bound, const char* set,
                 int lanes) {
  const Eigen::Index n = found.cols();
  for (int m = 0; m < 3; ++m) {
    const auto a = found.middleRows(m * n, n), b = expected.middleRows(m * n, n);
    EXPECT_LE((a - b).cwiseAbs().maxCoeff(), bound * b.cwiseAbs().maxCoeff())
        << set << ", " << lanes << " lanes, matrix " << m;
  }
}
void check(const Mechanism& mechanism, std::mt19937_64& generator) {
  const Model model = compile(mechanism);
  const int n = model.nv();
  if (n == 0) return;
  Runner<double> run(model);
  const State at{test::random_configuration(model, generator), test::random_vector(n, generator),
                 test::random_vector(n, generator)};
  const auto rows = [&](const std::vector<double>& x) {
    return Eigen::Map<const Rows>(x.data(), 3L * n, n);
  };
  const Rows inverse = by_duals(inverse_dynamics, model, run.tree, at),
             forward = by_duals(forward_dynamics, model, run.tree, at);
  // What is solved for is as good as the mass matrix is far from singular.
  const Eigen::VectorXd eigenvalues = symmetric_eigenvalues(inverse.bottomRows(n));
  const double bound = 1e-13 * eigenvalues.maxCoeff() / eigenvalues.minCoeff();
  const std::vector<double> a = run(single_kernels(), forward_dynamics, model, at.q, at.v, at.f);
  const Eigen::VectorXd result = Eigen::Map<const Eigen::VectorXd>(a.data(), n);
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) continue;
    for (const KernelTable<double>* table : {set.single, set.lanes}) {
      expect_near(rows(run(*table, d_inverse_dynamics, model, at.q, at.v, at.f)), inverse, 1e-13,
                  set.name, table->lanes);
      expect_near(rows(run(*table, d_forward_dynamics, model, at.q, at.v, result)), forward, bound,
                  set.name, table->lanes);
    }
  }
}
/// Kinds whose motion is not given as data.
std::vector<test::JointKind> kinds() {
  std::vector<test::JointKind> all = test::all_joint_kinds();
  std::erase_if(all, [](const test::JointKind& kind) {
    return kind.parameterization == Parameterization::sum;
  });
  return all;
}

TEST(DerivativeKernels, are_what_dual_numbers_give) {
  std::mt19937_64 generator(31);
  for (int k = 0; k < 12; ++k)
    check(test::random_mechanism(generator, {.bodies = 12, .tree = k % 2 == 1, .kinds = kinds()}),
          generator);
}
TEST(DerivativeKernels, of_roots_of_every_kind) {
  std::mt19937_64 generator(32);
  for (const test::JointKind& kind : kinds())
    for (const bool tree : {false, true})
      check(test::random_mechanism(generator, {.bodies = 3, .tree = tree, .kinds = {kind}}),
            generator);
}
TEST(DerivativeKernels, of_long_chains) {
  std::mt19937_64 generator(33);
  check(test::random_mechanism(generator, {.bodies = 40, .kinds = {{JointType::revolute}}}),
        generator);
}

}  // namespace
}  // namespace chasles::kernels
