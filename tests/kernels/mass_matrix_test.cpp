/// The mass matrix with a joint in every lane, of both widths, against the closed form.
#include <gtest/gtest.h>

#include <array>

#include "chasles/textbook/closed_form.hpp"
#include "kernels/kernel_runner.hpp"

namespace chasles::kernels {
#pragma GCC diagnostic ignored "-Wpsabi"
namespace here {
#include "kernels/dynamics.inl"
#include "model/model_data.hpp"
}  // namespace here
namespace {

/// Links of one degree of freedom, on ground or on a free body.
Mechanism random_limbs(std::mt19937_64& generator, int bodies, bool tree, bool floats) {
  constexpr auto revolute = JointType::revolute;
  Mechanism m = test::random_mechanism(
      generator,
      {.bodies = bodies,
       .tree = tree,
       .kinds = {
           {revolute}, {revolute}, {revolute}, {JointType::helical}, {JointType::prismatic}}});
  for (std::size_t i = 1; i < m.bodies.size(); ++i)
    if (m.bodies[i].parent == std::string(ground)) m.bodies[i].parent = m.bodies[0].name;
  if (floats) {
    m.bodies[0].joint.type = JointType::floating;
    m.bodies[0].joint.pitch = 0;
    m.bodies[0].joint.armature = 0;
  }
  return m;
}

struct Case {
  Model model;
  Tree<double> tree;
  std::vector<double> q;
  Eigen::MatrixXd expected;
  Case(const Mechanism& mechanism, std::mt19937_64& generator)
      : model(compile(mechanism)), tree(tree_links(model), model.gravity()) {
    tree.list_entries();
    tree.list_blocks(4), tree.list_blocks(8);
    const Eigen::VectorXd at = test::random_configuration(model, generator);
    q.assign(at.begin(), at.end());
    q.resize((q.size() + 3) / 4 * 4, NAN);
    PositionKinematics kin(model);
    chasles::forward_kinematics(model, at, kin);
    expected = textbook::projected_mass_matrix(model, kin, Representation::body);
  }
  /// The largest error of blocks of W, of the triangle or of all.
  template <int W>
  double error(const Blocks<double, W>& blocks, bool zeroed, bool lower) const {
    const int nv = model.nv();
    std::vector<CacheLine> work(here::mass_matrix_blocks_work(tree, blocks) / sizeof(CacheLine) + 1,
                                CacheLine{});
    std::vector<double> out(static_cast<std::size_t>(nv * nv), zeroed ? 0 : NAN);
    Pass<double> pass{&tree, q.data(), nullptr, nullptr, nullptr, nullptr, nullptr, out.data()};
    pass.work = reinterpret_cast<double*>(work.data());
    const std::array<double, 18> no_group{};  // limbs have no motion that is given as data
    pass.group = no_group.data();
    pass.zeroed = zeroed, pass.lower = lower;
    here::mass_matrix_of_blocks(pass, blocks);
    double most = 0;
    for (int i = 0; i < nv; ++i)
      for (int j = 0; j < (lower ? i + 1 : nv); ++j) {
        const double e = std::abs(out[static_cast<std::size_t>(i * nv + j)] - expected(i, j));
        if (!(e <= most)) most = e;
      }
    return most / expected.cwiseAbs().maxCoeff();
  }
};

TEST(MassMatrixBlocks, are_the_closed_form) {
  std::mt19937_64 generator(31);
  for (const int bodies : {1, 2, 3, 4, 5, 7, 8, 9, 13, 20, 40})
    for (int k = 0; k < 4; ++k) {
      const Case test(random_limbs(generator, bodies, k % 2 == 1, k / 2 == 1), generator);
      if (bodies > 1) {
        EXPECT_FALSE(test.tree.blocks4.blocks.empty());
      }
      for (const bool zeroed : {false, true})
        for (const bool lower : {false, true}) {
          EXPECT_LE(test.error(test.tree.blocks4, zeroed, lower), 1e-12) << bodies << " " << k;
          EXPECT_LE(test.error(test.tree.blocks8, zeroed, lower), 1e-12) << bodies << " " << k;
        }
    }
}
/// What has no blocks is computed by the other kernel: dynamics_test.
TEST(MassMatrixBlocks, are_not_made_of_other_joints) {
  std::mt19937_64 generator(32);
  using enum JointType;
  for (const JointType type : {spherical, floating}) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 4, .kinds = {{type}, {revolute}}}));
    Tree<double> tree(tree_links(model), model.gravity());
    tree.list_blocks(4);
    EXPECT_TRUE(tree.blocks4.blocks.empty());
  }
}
/// Of limbs that are long; a tree that branches at every body has one or two in a block.
TEST(MassMatrixBlocks, pay_where_few_lanes_are_empty) {
  std::mt19937_64 generator(35);
  for (const bool floats : {false, true}) {
    Mechanism m = random_limbs(generator, 31, false, floats);
    EXPECT_TRUE(Case(m, generator).tree.blocks4.pay());
    for (std::size_t i = 1; i < m.bodies.size(); ++i)
      m.bodies[i].parent = m.bodies[(i - 1) / 2].name;
    EXPECT_FALSE(Case(m, generator).tree.blocks4.pay());
  }
}
TEST(MassMatrixBlocks, are_the_same_in_every_table) {
  std::mt19937_64 generator(33);
  for (int k = 0; k < 4; ++k) {
    const Model model = compile(random_limbs(generator, 17, k % 2 == 1, k / 2 == 1));
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    PositionKinematics kin(model);
    chasles::forward_kinematics(model, q, kin);
    const Eigen::MatrixXd M = textbook::projected_mass_matrix(model, kin, Representation::body);
    const std::vector<double> expected(M.data(), M.data() + M.size());
    Runner<double> run(model);
    const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv());
    for (const InstructionSet& set : instruction_sets())
      if (set.available) {
        EXPECT_LE(difference(run(*set.single, mass_matrix, model, q, v, v), expected), 1e-12);
        EXPECT_LE(difference(run(*set.lanes, mass_matrix, model, q, v, v), expected), 1e-12);
      }
  }
}

/// Trees of up to 16 joints on a path by factors, deeper ones from articulated inertias.
TEST(MassMatrixInverse, times_the_mass_matrix_is_one) {
  std::mt19937_64 generator(34);
  for (int k = 0; k < 16; ++k) {
    const Mechanism mechanism =
        k < 8 ? random_limbs(generator, 3 + 2 * k, k % 2 == 1, k / 2 % 2 == 1)
              : test::random_mechanism(generator, {.bodies = k - 5, .tree = k % 2 == 1});
    const Model model = compile(mechanism);
    if (model.nv() == 0) continue;
    const int nv = model.nv();
    const Eigen::VectorXd q = test::random_configuration(model, generator),
                          v = Eigen::VectorXd::Zero(nv);
    PositionKinematics kin(model);
    chasles::forward_kinematics(model, q, kin);
    const Eigen::MatrixXd M = textbook::projected_mass_matrix(model, kin, Representation::body);
    Runner<double> run(model);
    for (const InstructionSet& set : instruction_sets())
      if (set.available)
        for (const KernelTable<double>* table : {set.single, set.lanes}) {
          const auto inverse = run(*table, mass_matrix_inverse, model, q, v, v);
          const Eigen::Map<const Eigen::MatrixXd> M_inv(inverse.data(), nv, nv);
          const double size = M.cwiseAbs().maxCoeff() * M_inv.cwiseAbs().maxCoeff();
          EXPECT_LE((M * M_inv - Eigen::MatrixXd::Identity(nv, nv)).cwiseAbs().maxCoeff(),
                    1e-13 * size)
              << set.name << " " << k;
        }
  }
}

}  // namespace
}  // namespace chasles::kernels
