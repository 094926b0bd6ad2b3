/// Products with derivatives of dynamics: against the matrices, which have kernels of their own, against
/// 002 Algorithms 1 and 5, and against each other.
#include "chasles/derivatives/products.hpp"

#include <gtest/gtest.h>

#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/textbook/linearized.hpp"
#include "math/decompositions.hpp"
#include "support/random_mechanism.hpp"

namespace chasles::products_test {
namespace {

using Three = std::array<Eigen::VectorXd, 3>;
struct Case {
  Model model;
  Eigen::VectorXd q, v, a, lambda;
  Three d;  // a direction
  std::vector<AppliedWrench> wrenches;
};
Case random_case(std::mt19937_64& generator, const test::RandomMechanismOptions& options) {
  const Model model = compile(test::random_mechanism(generator, options));
  const auto vector = [&] { return test::random_vector(model.nv(), generator); };
  Case c{model,    test::random_configuration(model, generator),
         vector(), vector(),
         vector(), {vector(), vector(), vector()},
         {}};
  using enum Representation;
  int number = 0;
  for (const Representation rep : {body, spatial, hybrid, mixed}) {
    const Eigen::VectorXd W = test::random_vector(6, generator);
    const bool framed = number % 4 == 2;  // at a place that is not the origin of its link
    c.wrenches.push_back({model.frame((framed ? "frame" : "body") + std::to_string(number)),
                          {{W[0], W[1], W[2]}, {W[3], W[4], W[5]}},
                          rep});
    number += 2;
  }
  return c;
}

/// What a sum of products of numbers of these sizes may be off by.
double roundings(const std::array<Eigen::MatrixXd, 3>& D, const Three& d) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(d[0].size());
  for (std::size_t m = 0; m < 3; ++m) sum += D[m].cwiseAbs() * d[m].cwiseAbs();
  return sum.size() > 0 ? sum.maxCoeff() : 0;
}
void expect_near(const Eigen::VectorXd& found, const Eigen::VectorXd& expected, double bound,
                 const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  if (found.size() == 0) return;
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), bound) << what;
}
/// D d and D^T lambda, found and expected.
struct Products {
  Eigen::VectorXd along;
  Three on;
};
void check(const Case& c, const std::array<Eigen::MatrixXd, 3>& D, const Products& found,
           const Products& textbook, double unit) {
  const Products expected{
      D[0] * c.d[0] + D[1] * c.d[1] + D[2] * c.d[2],
      {D[0].transpose() * c.lambda, D[1].transpose() * c.lambda, D[2].transpose() * c.lambda}};
  const double along = unit * roundings(D, c.d);
  expect_near(found.along, expected.along, along, "along, matrices");
  expect_near(found.along, textbook.along, along, "along, textbook");
  double sum = 0, size = 0;
  for (std::size_t m = 0; m < 3; ++m) {
    const double bound =
        unit * (D[m].transpose().cwiseAbs() * c.lambda.cwiseAbs()).cwiseAbs().maxCoeff();
    expect_near(found.on[m], expected.on[m], bound, "transposed, matrices");
    expect_near(found.on[m], textbook.on[m], bound, "transposed, textbook");
    sum += found.on[m].dot(c.d[m]);
    size += c.lambda.cwiseAbs().dot(D[m].cwiseAbs() * c.d[m].cwiseAbs());
  }
  EXPECT_NEAR(c.lambda.dot(found.along), sum, unit * size);
}
void check(const Case& c) {
  const Model& model = c.model;
  const int n = model.nv();
  const auto& [dq, dv, du] = c.d;
  const auto run_textbook = [&](auto& work) {
    Vector x(n), y(n), z(n), along(n);
    work.along(c.d[0], c.d[1], c.d[2], along);
    work.transposed(c.lambda, x, y, z);
    return Products{along, {x, y, z}};
  };
  InverseDynamicsDerivatives d(model);
  d_inverse_dynamics(model, c.q, c.v, c.a, d, c.wrenches);
  InverseDynamicsProducts p(model);
  Products found;
  found.along = d_inverse_dynamics_times(model, c.q, c.v, c.a, dq, dv, du, p, c.wrenches);
  InverseDynamics inverse(model);
  const Vector tau = inverse_dynamics(model, c.q, c.v, c.a, inverse, c.wrenches);
  const double size = std::max(1.0, tau.cwiseAbs().maxCoeff());
  expect_near(p.tau(), tau, 1e-13 * size, "tau");
  d_inverse_dynamics_transposed_times(model, c.q, c.v, c.a, c.lambda, p, c.wrenches);
  expect_near(p.tau(), tau, 1e-13 * size, "tau");
  found.on = {p.grad_q(), p.grad_v(), p.grad_a()};
  VelocityKinematics kin(model);
  forward_kinematics(model, c.q, c.v, kin);
  textbook::LinearizedInverseDynamics linearized(model);
  textbook::linearize(model, kin, c.a, linearized, c.wrenches);
  check(c, {d.dq(), d.dv(), d.da()}, found, run_textbook(linearized), 1e-12);

  // What is solved for is as good as the mass matrix is far from singular.
  const Eigen::VectorXd eigenvalues = symmetric_eigenvalues(d.da());
  const double condition = eigenvalues.maxCoeff() / eigenvalues.minCoeff();
  if (!(condition > 0 && condition < 1e6))
    return;  // screws of custom joints may depend on each other
  ForwardDynamicsDerivatives e(model);
  d_forward_dynamics(model, c.q, c.v, tau, e, c.wrenches);
  ForwardDynamicsProducts f(model);
  found.along = d_forward_dynamics_times(model, c.q, c.v, tau, dq, dv, du, f, c.wrenches);
  expect_near(f.a(), e.a(), 1e-13 * condition, "a");
  d_forward_dynamics_transposed_times(model, c.q, c.v, tau, c.lambda, f, c.wrenches);
  found.on = {f.grad_q(), f.grad_v(), f.grad_tau()};
  textbook::LinearizedForwardDynamics solved(model);
  textbook::linearize(model, kin, tau, solved, c.wrenches);
  check(c, {e.dq(), e.dv(), e.dtau()}, found, run_textbook(solved), 1e-13 * condition);
}

/// @paper 002 Algorithm 1, Algorithm 5
TEST(DerivativeProducts, are_those_of_the_matrices_and_of_the_textbook) {
  std::mt19937_64 generator(51);
  for (int k = 0; k < 16; ++k) check(random_case(generator, {.bodies = 16, .tree = k % 2 == 1}));
}
TEST(DerivativeProducts, of_joints_of_every_kind) {
  std::mt19937_64 generator(52);
  for (const test::JointKind& kind : test::all_joint_kinds())
    if (kind.type != JointType::fixed)
      for (const bool tree : {false, true})
        check(random_case(generator, {.bodies = 7, .tree = tree, .kinds = {kind}}));
}
TEST(DerivativeProducts, of_long_chains) {
  std::mt19937_64 generator(53);
  check(random_case(generator, {.bodies = 60, .kinds = {{JointType::revolute}}, .size = 0.1}));
}
TEST(DerivativeProducts, refuse_what_does_not_fit) {
  std::mt19937_64 generator(54);
  const Case c = random_case(generator, {.bodies = 8}),
             other = random_case(generator, {.bodies = 8});
  InverseDynamicsProducts p(c.model);
  ForwardDynamicsProducts f(c.model);
  EXPECT_TRUE(std::isnan(p.dtau()[0]) && std::isnan(f.grad_tau()[0]));
  const Eigen::VectorXd one(1);
  EXPECT_THROW(d_inverse_dynamics_times(c.model, c.q, c.v, c.a, one, c.v, c.v, p), SizeError);
  EXPECT_THROW(d_inverse_dynamics_times(c.model, c.q, c.v, c.a, c.v, c.v, one, p), SizeError);
  EXPECT_THROW(d_inverse_dynamics_transposed_times(c.model, c.q, c.v, c.a, one, p), SizeError);
  EXPECT_THROW(d_forward_dynamics_times(c.model, c.q, one, c.a, c.v, c.v, c.v, f), SizeError);
  EXPECT_THROW(d_forward_dynamics_transposed_times(c.model, one, c.v, c.a, c.v, f), SizeError);
  EXPECT_THROW(
      d_forward_dynamics_transposed_times(other.model, other.q, other.v, other.a, other.lambda, f),
      ForeignError);
  EXPECT_THROW(
      d_inverse_dynamics_transposed_times(c.model, c.q, c.v, c.a, c.lambda, p, other.wrenches),
      ForeignError);
}

}  // namespace
}  // namespace chasles::products_test
