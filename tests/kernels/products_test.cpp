/// Products with derivatives, in every instruction set, against the matrices of the plainest.
#include <gtest/gtest.h>

#include "kernels/kernel_runner.hpp"
#include "math/decompositions.hpp"

namespace chasles::kernels::products_test {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Given {
  Eigen::VectorXd q, v, f;     // the state
  Eigen::VectorXd dq, dv, df;  // a direction
  Eigen::VectorXd lambda;
};
/// Results of a kernel, after forward dynamics if it needs that: D d, then D^T lambda.
Eigen::MatrixXd products(const InstructionSet& set, bool forward, const Tree<double>& tree,
                         const Given& at, Eigen::VectorXd a) {
  const ProductKernels& kernels = *set.products;
  Eigen::MatrixXd out(tree.nv, 6);
  Aligned<double> work;
  work.resize(kernels.work(forward, tree) / sizeof(double) + 1);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(tree.nv);
  ProductPass pass{};
  pass.tree = &tree;
  pass.q = at.q.data(), pass.v = at.v.data(), pass.force = at.f.data();
  pass.work = work.data(), pass.zero = zero.data();
  pass.dq = at.dq.data(), pass.dv = at.dv.data(), pass.du = at.df.data();
  pass.lambda = at.lambda.data();
  pass.grad_q = out.col(1).data(), pass.grad_v = out.col(2).data(), pass.on_u = out.col(3).data();
  for (const bool transposed : {false, true}) {
    if (forward) {
      pass.keep_factors = true, pass.force = at.f.data(), pass.out = a.data();
      EXPECT_EQ(set.single->run(forward_dynamics, pass), -1);
      pass.force = a.data();
    }
    pass.out = out.col(4).data(), pass.product = out.col(transposed ? 5 : 0).data();
    EXPECT_EQ((forward ? (transposed ? kernels.forward_transposed : kernels.forward)
                       : (transposed ? kernels.inverse_transposed : kernels.inverse))(pass),
              -1);
  }
  return out.leftCols(4);
}
void check(const Mechanism& mechanism, std::mt19937_64& generator) {
  const Model model = compile(mechanism);
  const int n = model.nv();
  if (n == 0) return;
  Runner<double> run(model);
  const auto vector = [&] { return test::random_vector(n, generator); };
  const Given at{test::random_configuration(model, generator),
                 vector(),
                 vector(),
                 vector(),
                 vector(),
                 vector(),
                 vector()};
  const KernelTable<double>& plain = *instruction_sets()[0].single;
  double condition = 1;
  for (const bool forward : {false, true}) {
    Eigen::VectorXd a = at.f;
    if (forward) {
      const auto found = run(plain, forward_dynamics, model, at.q, at.v, at.f);
      a = Eigen::Map<const Eigen::VectorXd>(found.data(), n);
    }
    const auto all =
        run(plain, forward ? d_forward_dynamics : d_inverse_dynamics, model, at.q, at.v, a);
    const Eigen::Map<const Rows> D(all.data(), 3L * n, n);
    if (!forward) {  // what is solved for is as good as the mass matrix is far from singular
      const Eigen::VectorXd eigenvalues = symmetric_eigenvalues(D.bottomRows(n));
      condition = eigenvalues.maxCoeff() / eigenvalues.minCoeff();
    }
    Eigen::MatrixXd expected(n, 4);
    expected.col(0) = D.topRows(n) * at.dq + D.middleRows(n, n) * at.dv + D.bottomRows(n) * at.df;
    for (long m = 0; m < 3; ++m)
      expected.col(1 + m) = D.middleRows(m * n, n).transpose() * at.lambda;
    for (const InstructionSet& set : instruction_sets())
      if (set.available) {
        const Eigen::MatrixXd found = products(set, forward, run.tree, at, a);
        EXPECT_LE((found - expected).cwiseAbs().maxCoeff(),
                  1e-13 * (forward ? condition : 1) * D.cwiseAbs().maxCoeff())
            << set.name << (forward ? ", forward" : ", inverse");
      }
  }
}

TEST(ProductKernels, are_what_matrices_give) {
  std::mt19937_64 generator(34);
  std::vector<test::JointKind> kinds = test::all_joint_kinds();
  std::erase_if(kinds, [](const test::JointKind& kind) {  // given as data
    return kind.parameterization == Parameterization::sum || kind.type == JointType::custom;
  });
  for (int k = 0; k < 12; ++k)
    check(test::random_mechanism(generator, {.bodies = 12, .tree = k % 2 == 1, .kinds = kinds}),
          generator);
}

}  // namespace
}  // namespace chasles::kernels::products_test
