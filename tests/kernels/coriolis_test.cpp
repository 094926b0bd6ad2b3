/// The Coriolis matrix against the closed form.
#include <gtest/gtest.h>

#include "chasles/textbook/closed_form.hpp"
#include "kernels/kernel_runner.hpp"

namespace chasles::kernels::coriolis_test {
namespace {

Eigen::MatrixXd square(const std::vector<double>& rows, int n) {
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      rows.data(), n, n);
}
/// One state, every table: C of the Christoffel symbols, M, and Mdot - 2 C skew.
void check(const Mechanism& mechanism, std::mt19937_64& generator) {
  const Model model = compile(mechanism);
  if (model.nv() == 0) return;
  const int nv = model.nv();
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(nv, generator);
  VelocityKinematics kin(model);
  chasles::forward_kinematics(model, q, v, kin);
  const Eigen::MatrixXd expected = textbook::christoffel_matrix(model, kin),
                        rate = textbook::mass_matrix_rate(model, kin),
                        M = textbook::projected_mass_matrix(model, kin, Representation::body);
  const auto largest = [](const Eigen::MatrixXd& a) { return a.cwiseAbs().maxCoeff(); };
  const double size = 1e-12 * std::max(largest(expected), largest(M));
  Runner<double> run(model);
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) continue;
    for (const KernelTable<double>* table : {set.single, set.lanes}) {
      std::vector<CacheLine> also(static_cast<std::size_t>(nv * nv * table->lanes) / 8 + 1);
      run.out_M = reinterpret_cast<double*>(also.data());
      const Eigen::MatrixXd C = square(run(*table, coriolis_matrix, model, q, v, v), nv);
      EXPECT_LE(largest(C - expected), size) << set.name << " " << table->lanes;
      const Eigen::MatrixXd skew = rate - 2 * C;
      EXPECT_LE(largest(skew + skew.transpose()), size);
      Eigen::MatrixXd with(nv, nv);
      for (long e = 0; e < M.size(); ++e) with(e / nv, e % nv) = run.out_M[e * table->lanes];
      EXPECT_LE(largest(with - M), size);
    }
  }
}

TEST(CoriolisKernel, is_that_of_the_christoffel_symbols) {
  std::mt19937_64 generator(11);
  for (int k = 0; k < 20; ++k)
    check(test::random_mechanism(generator, {.bodies = 15, .tree = k % 2 == 1}), generator);
}
TEST(CoriolisKernel, of_roots_of_every_kind) {
  std::mt19937_64 generator(12);
  for (const test::JointKind& kind : test::all_joint_kinds())
    for (const bool tree : {false, true})
      check(test::random_mechanism(generator, {.bodies = 3, .tree = tree, .kinds = {kind}}),
            generator);
}

}  // namespace
}  // namespace chasles::kernels::coriolis_test
