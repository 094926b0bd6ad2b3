/// The closed formulas of second derivatives against dual numbers, differences, and their own laws.
#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "derivatives/second_order_duals.hpp"
#include "model/model_data.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

using Tensors = const SecondDerivatives&;

/// Whose screws are constant in their links.
std::vector<test::JointKind> constant_kinds() {
  std::vector<test::JointKind> kinds;
  for (const test::JointKind& kind : test::all_joint_kinds())
    if (kind.parameterization == Parameterization::product && kind.group == FloatingGroup::se3)
      kinds.push_back(kind);
  return kinds;
}
struct State {
  Model model;
  Vector q, v, u;
  State(std::mt19937_64& generator, const test::RandomMechanismOptions& options)
      : model(compile(test::random_mechanism(generator, options))),
        q(test::random_configuration(model, generator)),
        v(test::random_vector(model.nv(), generator)),
        u(test::random_vector(model.nv(), generator)) {}
};
/// The largest deviation of each tensor, as a part of its largest entry.
double deviation(Tensors a, Tensors b, int n) {
  double worst = 0;
  for (const auto part : {&SecondDerivatives::qq, &SecondDerivatives::vq, &SecondDerivatives::uq,
                          &SecondDerivatives::vv}) {
    double off = 0, size = 1e-9;
    for (int k = 0; k < n; ++k) {
      if (!(a.*part)(k).allFinite()) return INFINITY;
      off = std::max(off, ((a.*part)(k) - (b.*part)(k)).cwiseAbs().maxCoeff());
      size = std::max(size, (b.*part)(k).cwiseAbs().maxCoeff());
    }
    worst = std::max(worst, off / size);
  }
  return worst;
}
void compare_with_duals(const State& at) {
  const int n = at.model.nv();
  SecondDerivatives closed(at.model), duals(at.model);
  d2_inverse_dynamics(at.model, at.q, at.v, at.u, closed);
  SecondOrder::all(at.model, at.q, at.v, at.u, kernels::d_inverse_dynamics, duals);
  EXPECT_LE(deviation(closed, duals, n), 1e-12);
  try {
    d2_forward_dynamics(at.model, at.q, at.v, at.u, closed);
  } catch (const SingularError&) {
    return;
  }
  SecondOrder::all(at.model, at.q, at.v, at.u, kernels::d_forward_dynamics, duals);
  // M^-1, with an error of some roundings times the condition of M, stands there up to three times.
  InverseDynamicsDerivatives inverse(at.model);
  ForwardDynamicsDerivatives forward(at.model);
  const double condition = d_inverse_dynamics(at.model, at.q, at.v, at.u, inverse).da().norm() *
                           d_forward_dynamics(at.model, at.q, at.v, at.u, forward).dtau().norm();
  EXPECT_LE(deviation(closed, duals, n), 1e-12 * condition) << condition;
  // What forward dynamics left does not stay.
  d2_inverse_dynamics(at.model, at.q, at.v, at.u, closed);
  SecondOrder::all(at.model, at.q, at.v, at.u, kernels::d_inverse_dynamics, duals);
  EXPECT_LE(deviation(closed, duals, n), 1e-12);
}

TEST(SecondOrderClosed, is_what_dual_numbers_give_in_chains_and_trees) {
  std::mt19937_64 generator(81);
  for (int k = 0; k < 8; ++k)
    compare_with_duals(
        State(generator, {.bodies = 11, .tree = k % 2 == 1, .kinds = constant_kinds()}));
}
TEST(SecondOrderClosed, is_what_dual_numbers_give_for_joints_of_every_kind) {
  std::mt19937_64 generator(82);
  for (const test::JointKind& kind : constant_kinds())
    if (kind.type != JointType::fixed)
      for (const bool tree : {false, true})
        compare_with_duals(State(generator, {.bodies = 4, .tree = tree, .kinds = {kind}}));
}
TEST(SecondOrderClosed, is_what_dual_numbers_give_on_a_free_base) {
  std::mt19937_64 generator(83);
  using enum JointType;
  for (int k = 0; k < 3; ++k) {
    Mechanism mechanism = test::random_mechanism(
        generator, {.bodies = 12, .tree = true, .kinds = {{revolute}, {revolute}, {spherical}}});
    mechanism.bodies[0] =
        test::random_mechanism(generator, {.bodies = 1, .kinds = {{floating}}}).bodies[0];
    State at(generator, {.bodies = 1});
    at.model = compile(mechanism);
    at.q = test::random_configuration(at.model, generator);
    at.v = test::random_vector(at.model.nv(), generator);
    at.u = test::random_vector(at.model.nv(), generator);
    compare_with_duals(at);
  }
}
/// A rod of 2 m and 1 mm far out that spins about itself, with a little that turns at its end: how its inertia
/// varies keeps its digits, as the inertia does.
TEST(SecondOrderClosed, keeps_the_digits_of_a_slender_rod) {
  MechanismBuilder builder("rod");
  const Vec3 at{3, 2, 5};
  builder.body("arm", ground, joints::revolute({0, 1, 0}, {}))
      .inertia(2, {1, 1, 2}, Sym3::diagonal(1, 1, 1))
      .body("rod", "arm", joints::revolute({0, 0, 1}, at))
      .inertia(1.3, at + Vec3{0, 0, 1}, Sym3::diagonal(0.43, 0.43, 6.5e-7))
      .body("tip", "rod", joints::revolute({1, 0, 0}, at + Vec3{0, 0, 2}))
      .inertia(1e-3, at + Vec3{0, 1e-2, 2}, Sym3::diagonal(1e-9, 1e-9, 2e-9));
  const Model model = compile(builder.build());
  const Vector q{{0.3, -0.7, 0.5}}, v(3);
  SecondDerivatives d(model);
  d2_inverse_dynamics(model, q, v, v, d);
  // M of the rod: its own, and m (l cos q)^2 + I_zz cos^2 q + I_yy sin^2 q of the tip, l its distance.
  const double slope = -(1e-3 * 1e-4 + 2e-9 - 1e-9) * std::sin(2 * 0.5);
  EXPECT_NEAR(d.uq(2)(1, 1), slope, 1e-12 * std::abs(slope));
}
TEST(SecondOrderClosed, is_what_differences_of_first_derivatives_give) {
  std::mt19937_64 generator(84);
  const State at(generator, {.bodies = 8, .tree = true, .kinds = constant_kinds()});
  const int n = at.model.nv();
  SecondDerivatives d(at.model);
  d2_inverse_dynamics(at.model, at.q, at.v, at.u, d);
  InverseDynamicsDerivatives first(at.model);
  const auto off = [&](const auto& a, const Eigen::MatrixXd& b) {
    return (a - b).cwiseAbs().maxCoeff() / (1 + b.cwiseAbs().maxCoeff());
  };
  for (int k = 0; k < n; ++k) {
    const Eigen::MatrixXd by_q = test::derivative([&](double s) -> Eigen::MatrixXd {
      Vector q = at.q;
      plus(at.model, at.q, s * Eigen::VectorXd::Unit(n, k), q);
      d_inverse_dynamics(at.model, q, at.v, at.u, first);
      Eigen::MatrixXd all(3 * n, n);
      all << first.dq(), first.dv(), first.da();
      return all;
    });
    const Eigen::MatrixXd by_v = test::derivative([&](double s) -> Eigen::MatrixXd {
      Vector v = at.v;
      v[k] += s;
      return d_inverse_dynamics(at.model, at.q, v, at.u, first).dv();
    });
    EXPECT_LE(off(d.qq(k), by_q.topRows(n)), 1e-9);
    EXPECT_LE(off(d.vq(k), by_q.middleRows(n, n)), 1e-9);
    EXPECT_LE(off(d.uq(k), by_q.bottomRows(n)), 1e-9);
    EXPECT_LE(off(d.vv(k), by_v), 1e-9);
  }
}
TEST(SecondOrderClosed, obeys_the_laws_of_christoffel_and_of_the_group) {
  std::mt19937_64 generator(85);
  using enum JointType;
  {  // tau is quadratic in v by the slopes of M
    const State at(generator,
                   {.bodies = 9, .tree = true, .kinds = {{revolute}, {prismatic}, {helical}}});
    const int n = at.model.nv();
    SecondDerivatives d(at.model);
    d2_inverse_dynamics(at.model, at.q, at.v, at.u, d);
    double off = 0, size = 0;
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          off = std::max(off,
                         std::abs(d.vv(k)(i, j) - (d.uq(k)(i, j) + d.uq(j)(i, k) - d.uq(i)(j, k))));
          size = std::max(size, std::abs(d.vv(k)(i, j)));
        }
    EXPECT_LE(off, 1e-13 * size);
  }
  {  // steps within a ball do not commute: d_k d_j - d_j d_k is along [e_k, e_j]
    const State at(generator, {.bodies = 3, .tree = false, .kinds = {{spherical}}});
    SecondDerivatives d(at.model);
    d2_inverse_dynamics(at.model, at.q, at.v, at.u, d);
    InverseDynamicsDerivatives first(at.model);
    d_inverse_dynamics(at.model, at.q, at.v, at.u, first);
    for (int link = 0; link < 3; ++link)
      for (int c = 0; c < 3; ++c) {
        const int k = 3 * link + c, j = 3 * link + (c + 1) % 3, along = 3 * link + (c + 2) % 3;
        const Eigen::VectorXd bracket = d.qq(k).col(j) - d.qq(j).col(k);
        EXPECT_LE((bracket - first.dq().col(along)).cwiseAbs().maxCoeff(),
                  1e-12 * (1 + d.qq(k).cwiseAbs().maxCoeff()));
      }
  }
}

/// lambda times the tensors.
double contraction_off(const ContractedDerivatives& c, Tensors d, const Vector& lambda) {
  const SecondDerivatives::Contraction sum = d.contracted(lambda);
  const auto off = [](const auto& a, const auto& b) {
    return (a - b).cwiseAbs().maxCoeff() / (1e-9 + b.cwiseAbs().maxCoeff());
  };
  return std::max(
      {off(c.qq(), sum.qq), off(c.vq(), sum.vq), off(c.uq(), sum.uq), off(c.vv(), sum.vv)});
}
TEST(SecondOrderClosed, contracted_is_the_contraction_of_the_tensors) {
  std::mt19937_64 generator(86);
  for (int k = 0; k < 8; ++k) {
    test::RandomMechanismOptions options{.bodies = 12, .tree = k % 2 == 1};
    if (k < 6) options.kinds = constant_kinds();  // the others: also motions given as data
    const State at(generator, options);
    const Vector lambda = test::random_vector(at.model.nv(), generator);
    SecondDerivatives d(at.model);
    ContractedDerivatives c(at.model);
    d2_inverse_dynamics(at.model, at.q, at.v, at.u, d);
    d2_inverse_dynamics_contracted(at.model, at.q, at.v, at.u, lambda, c);
    EXPECT_LE(contraction_off(c, d, lambda), 1e-12);
    try {
      d2_forward_dynamics(at.model, at.q, at.v, at.u, d);
    } catch (const SingularError&) {
      continue;
    }
    d2_forward_dynamics_contracted(at.model, at.q, at.v, at.u, lambda, c);
    EXPECT_LE(contraction_off(c, d, lambda), 1e-7);
    d2_inverse_dynamics(at.model, at.q, at.v, at.u, d);
    d2_inverse_dynamics_contracted(at.model, at.q, at.v, at.u, lambda, c);
    EXPECT_LE(contraction_off(c, d, lambda), 1e-12);
  }
}
TEST(SecondOrderClosed, is_the_same_with_all_instruction_sets) {
  std::mt19937_64 generator(87);
  const State at(generator, {.bodies = 14, .tree = true, .kinds = constant_kinds()});
  kernels::Tree<double> tree(tree_links(at.model), at.model.gravity());
  tree.list_entries();
  const auto n = static_cast<Eigen::Index>(at.model.nv());
  const Eigen::VectorXd lambda = test::random_vector(at.model.nv(), generator);
  ForwardDynamicsDerivatives first(at.model);
  d_forward_dynamics(at.model, at.q, at.v, at.u, first);
  std::vector<Eigen::VectorXd> results;
  for (const kernels::InstructionSet& set : kernels::instruction_sets()) {
    if (!set.available) continue;
    const kernels::SecondOrderKernels& kernel = *set.second_order;
    const std::size_t bytes = std::max(
        {kernel.inverse_work(tree), kernel.contracted_work(tree), kernel.forward_work(tree)});
    std::vector<CacheLine> work(bytes / sizeof(CacheLine) + 1);
    Eigen::VectorXd out = Eigen::VectorXd::Zero(4 * n * n * (n + 1));
    kernels::Pass<double> pass{.tree = &tree,
                               .q = at.q.data(),
                               .v = at.v.data(),
                               .force = first.a().data(),
                               .wrench = nullptr,
                               .group = nullptr,
                               .work = reinterpret_cast<double*>(work.data()),
                               .out = out.data()};
    pass.weights = lambda.data(), pass.first = first.dq().data();
    kernel.inverse(pass), results.push_back(out), kernel.forward(pass);
    pass.out = out.data() + 4 * n * n * n;
    kernel.inverse_contracted(pass), kernel.forward_contracted(pass);
    results.push_back(out);
  }
  for (std::size_t k = 2; k < results.size(); ++k)
    EXPECT_LE((results[k] - results[k % 2]).norm(), 1e-10 * results[k % 2].norm());
}
TEST(SecondOrderClosed, refuses_what_does_not_fit) {
  std::mt19937_64 generator(88);
  const State at(generator, {.bodies = 4, .kinds = constant_kinds()}),
      other(generator, {.bodies = 4});
  SecondDerivatives d(at.model);
  ContractedDerivatives c(at.model);
  const Vector lambda(at.model.nv()), short_one(at.model.nv() - 1);
  EXPECT_THROW(d2_inverse_dynamics(at.model, at.q, short_one, at.u, d), SizeError);
  EXPECT_THROW(d2_forward_dynamics(at.model, at.q, at.v, short_one, d), SizeError);
  EXPECT_THROW(d2_inverse_dynamics_contracted(at.model, at.q, at.v, at.u, short_one, c), SizeError);
  EXPECT_THROW(d2_forward_dynamics_contracted(at.model, at.q, at.v, at.u, short_one, c), SizeError);
  EXPECT_THROW(d2_inverse_dynamics_contracted(other.model, other.q, other.v, other.u, other.u, c),
               ForeignError);
}

}  // namespace
}  // namespace chasles
