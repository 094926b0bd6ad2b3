/// Derivatives of dynamics against differences, for every joint, with wrenches from outside.
#include <gtest/gtest.h>

#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/dynamics/batch.hpp"
#include "support/difference.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

struct Case {
  Model model;
  Vector q, v, a;
  std::vector<AppliedWrench> wrenches;
};
Case random_case(std::mt19937_64& generator, const test::RandomMechanismOptions& options) {
  Case c{compile(test::random_mechanism(generator, options)), {}, {}, {}, {}};
  const int n = c.model.nv();
  c.q = test::random_configuration(c.model, generator);
  c.v = test::random_vector(n, generator), c.a = test::random_vector(n, generator);
  using enum Representation;
  int number = 0;
  for (const Representation rep : {body, spatial, hybrid, mixed}) {
    const Frame frame = c.model.frame("body" + std::to_string(number));
    number += 2;
    const Eigen::VectorXd W = test::random_vector(6, generator);
    c.wrenches.push_back({frame, {{W[0], W[1], W[2]}, {W[3], W[4], W[5]}}, rep});
  }
  return c;
}
/// f along e_k of q, v and x: three matrices.
template <class F>
std::array<Eigen::MatrixXd, 3> differences(const Case& c, const Vector& x, const F& f) {
  const int n = c.model.nv();
  std::array<Eigen::MatrixXd, 3> D;
  for (auto& d : D) d.setZero(n, n);
  for (int k = 0; k < n; ++k) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(n, k);
    D[0].col(k) = test::derivative([&](double t) -> Eigen::VectorXd {
      Vector there(c.model.nq());
      plus(c.model, c.q, t * e, there);
      return f(there, c.v, x);
    });
    D[1].col(k) = test::derivative(
        [&](double t) -> Eigen::VectorXd { return f(c.q, Vector(c.v + t * e), x); });
    D[2].col(k) = test::derivative(
        [&](double t) -> Eigen::VectorXd { return f(c.q, c.v, Vector(x + t * e)); });
  }
  return D;
}
void expect_near(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, double bound) {
  ASSERT_EQ(found.rows(), expected.rows());
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), bound * expected.cwiseAbs().maxCoeff());
}
void check(const Case& c, double bound) {
  InverseDynamics inverse(c.model);
  const auto D = differences(c, c.a, [&](const Vector& q, const Vector& v, const Vector& a) {
    return inverse_dynamics(c.model, q, v, a, inverse, c.wrenches);
  });
  InverseDynamicsDerivatives d(c.model);
  d_inverse_dynamics(c.model, c.q, c.v, c.a, d, c.wrenches);
  expect_near(d.dq(), D[0], bound);
  expect_near(d.dv(), D[1], bound);
  expect_near(d.da(), D[2], bound);

  const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a, inverse, c.wrenches);
  ForwardDynamics forward(c.model);
  try {  // screws of custom joints may depend on each other
    forward_dynamics(c.model, c.q, c.v, tau, forward, c.wrenches);
  } catch (const SingularError&) {
    ForwardDynamicsDerivatives e(c.model);
    EXPECT_THROW(d_forward_dynamics(c.model, c.q, c.v, tau, e, c.wrenches), SingularError);
    return;
  }
  const auto E = differences(c, tau, [&](const Vector& q, const Vector& v, const Vector& x) {
    return forward_dynamics(c.model, q, v, x, forward, c.wrenches);
  });
  ForwardDynamicsDerivatives e(c.model);
  d_forward_dynamics(c.model, c.q, c.v, tau, e, c.wrenches);
  EXPECT_LE((e.a() - c.a).cwiseAbs().maxCoeff(), 1e-6);
  expect_near(e.dq(), E[0], 1e3 * bound);
  expect_near(e.dv(), E[1], 1e3 * bound);
  expect_near(e.dtau(), E[2], 1e3 * bound);
}

/// @paper 002 Lemma 4.1
TEST(DynamicsDerivatives, are_what_differences_give) {
  std::mt19937_64 generator(41);
  for (int k = 0; k < 8; ++k)
    check(random_case(generator, {.bodies = 16, .tree = k % 2 == 1}), 1e-8);
}
TEST(DynamicsDerivatives, of_joints_of_every_kind) {
  std::mt19937_64 generator(42);
  for (const test::JointKind& kind : test::all_joint_kinds())
    if (kind.type != JointType::fixed)
      for (const bool tree : {false, true})
        check(random_case(generator, {.bodies = 7, .tree = tree, .kinds = {kind}}), 1e-8);
}

template <class Real>
void check_batch(const Case& c, int states, BatchLayout layout, double bound) {
  Batch<Real> batch(c.model, 2);
  const int n = c.model.nv();
  const auto rows = [&](const Vector& x) {  // all states the same
    std::vector<Real> all(static_cast<std::size_t>(x.size() * batch.padded(states)));
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto lanes = static_cast<std::size_t>(batch.lanes()),
                 size = static_cast<std::size_t>(x.size());
      all[k] = static_cast<Real>(
          x[static_cast<Eigen::Index>(layout == BatchLayout::rows ? k % size : k / lanes % size)]);
    }
    if (layout == BatchLayout::rows) all.resize(static_cast<std::size_t>(x.size() * states));
    return all;
  };
  InverseDynamics inverse(c.model);
  const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a, inverse, {&c.wrenches[2], 1});
  const Eigen::VectorXd W{{c.wrenches[2].W.t.x, c.wrenches[2].W.t.y, c.wrenches[2].W.t.z,
                           c.wrenches[2].W.f.x, c.wrenches[2].W.f.y, c.wrenches[2].W.f.z}};
  const std::vector<Real> q = rows(c.q), v = rows(c.v), a = rows(c.a), f = rows(tau), w = rows(W);
  const BatchWrenches<Real> applied{{&c.wrenches[2].frame, 1}, w};
  std::vector<Real> D(static_cast<std::size_t>(3 * n * n) * v.size() / static_cast<std::size_t>(n));
  const auto matrix = [&](int m, int s) {
    Eigen::MatrixXd x(n, n);
    for (int e = 0; e < n * n; ++e) {
      const int entry = m * n * n + e, lanes = batch.lanes();
      const int at = layout == BatchLayout::rows
                         ? s * 3 * n * n + entry
                         : (s / lanes * 3 * n * n + entry) * lanes + s % lanes;
      x(e / n, e % n) = static_cast<double>(D[static_cast<std::size_t>(at)]);
    }
    return x;
  };
  InverseDynamicsDerivatives d(c.model);
  d_inverse_dynamics(c.model, c.q, c.v, c.a, d, {&c.wrenches[2], 1});
  batch.d_inverse_dynamics(states, q, v, a, D, layout, applied);
  for (const int s : {0, states - 1}) {
    expect_near(matrix(0, s), d.dq(), bound);
    expect_near(matrix(1, s), d.dv(), bound);
    expect_near(matrix(2, s), d.da(), bound);
  }
  if (batch.forward_error() > 1e-3) return;
  ForwardDynamicsDerivatives e(c.model);
  d_forward_dynamics(c.model, c.q, c.v, tau, e, {&c.wrenches[2], 1});
  batch.d_forward_dynamics(states, q, v, f, D, layout, applied);
  for (const int s : {0, states - 1}) {
    expect_near(matrix(0, s), e.dq(), 1e4 * bound);
    expect_near(matrix(1, s), e.dv(), 1e4 * bound);
    expect_near(matrix(2, s), e.dtau(), 1e4 * bound);
  }
}
TEST(DynamicsDerivatives, of_batches_are_those_of_single_states) {
  std::mt19937_64 generator(43);
  for (int k = 0; k < 3; ++k) {
    const Case c = random_case(generator, {.bodies = 16, .tree = k > 0});
    check_batch<double>(c, 5, BatchLayout::rows, 1e-12);
    check_batch<double>(c, 8, BatchLayout::lanes, 1e-12);
    check_batch<double>(c, 3, BatchLayout::lanes, 1e-12);
    check_batch<float>(c, 5, BatchLayout::rows, 1e-4);
  }
}

/// So many joints that columns are taken a part at a time.
TEST(DynamicsDerivatives, of_batches_of_large_models_are_those_of_single_states) {
  std::mt19937_64 generator(45);
  const Case c =
      random_case(generator, {.bodies = 60, .tree = true, .kinds = {{JointType::revolute}}});
  check_batch<double>(c, 5, BatchLayout::rows, 1e-12);
  check_batch<double>(c, 8, BatchLayout::lanes, 1e-12);
  check_batch<double>(c, 3, BatchLayout::lanes, 1e-12);
}

TEST(DynamicsDerivatives, refuse_what_does_not_fit) {
  std::mt19937_64 generator(44);
  const Case c = random_case(generator, {.bodies = 8}),
             other = random_case(generator, {.bodies = 8});
  InverseDynamicsDerivatives d(c.model);
  ForwardDynamicsDerivatives e(c.model);
  EXPECT_THROW(d_inverse_dynamics(c.model, c.q, c.v, Vector(1), d), SizeError);
  EXPECT_THROW(d_inverse_dynamics(other.model, other.q, other.v, other.a, d), ForeignError);
  EXPECT_THROW(d_inverse_dynamics(c.model, c.q, c.v, c.a, d, other.wrenches), ForeignError);
  EXPECT_THROW(d_forward_dynamics(c.model, Vector(1), c.v, c.a, e), SizeError);
  EXPECT_THROW(d_forward_dynamics(other.model, other.q, other.v, other.a, e), ForeignError);
  EXPECT_TRUE(std::isnan(ForwardDynamicsDerivatives(c.model).dq()(0, 0)));
}

}  // namespace
}  // namespace chasles
