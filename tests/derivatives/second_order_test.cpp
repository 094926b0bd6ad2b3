/// Second derivatives against differences of the first, and their symmetries.
#include "chasles/derivatives/second_order.hpp"

#include <gtest/gtest.h>

#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

struct At {
  Model model;
  Vector q, v, u;
  At(std::mt19937_64& generator, const test::RandomMechanismOptions& options)
      : model(compile(test::random_mechanism(generator, options))),
        q(test::random_configuration(model, generator)),
        v(test::random_vector(model.nv(), generator)),
        u(test::random_vector(model.nv(), generator)) {}
};
double relative(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1e-9 + b.cwiseAbs().maxCoeff());
}
/// The three matrices, one below the other, along a direction by differences.
template <class Derivatives, class F>
Eigen::MatrixXd difference(const At& at, const Direction& to, const F& f) {
  Derivatives d(at.model);
  return test::derivative([&](double s) -> Eigen::MatrixXd {
    Vector q = at.q;
    if (to.dq.size() > 0) plus(at.model, at.q, s * to.dq, q);
    const Vector v = to.dv.size() > 0 ? Vector(at.v + s * to.dv) : at.v,
                 u = to.du.size() > 0 ? Vector(at.u + s * to.du) : at.u;
    return f(q, v, u, d);
  });
}
Eigen::MatrixXd stacked(const RowsView& a, const RowsView& b, const RowsView& c) {
  Eigen::MatrixXd all(3 * a.rows(), a.cols());
  all << a, b, c;
  return all;
}
void check(const At& at, std::mt19937_64& generator) {
  const int n = at.model.nv();
  const auto random = [&] { return Vector(test::random_vector(n, generator)); };
  const Direction to{random(), random(), random()};
  DirectionalDerivatives along(at.model);
  d_inverse_dynamics_along(at.model, at.q, at.v, at.u, to, along);
  const Eigen::MatrixXd inverse = difference<InverseDynamicsDerivatives>(
      at, to, [&](const Vector& q, const Vector& v, const Vector& u, auto& d) {
        d_inverse_dynamics(at.model, q, v, u, d);
        return stacked(d.dq(), d.dv(), d.da());
      });
  EXPECT_LE(relative(stacked(along.dq(), along.dv(), along.du()), inverse), 1e-8);

  ForwardDynamicsDerivatives forward(at.model);
  try {
    d_forward_dynamics(at.model, at.q, at.v, at.u, forward);
  } catch (const SingularError&) {
    return;
  }
  d_forward_dynamics_along(at.model, at.q, at.v, at.u, to, along);
  const Eigen::MatrixXd by_difference = difference<ForwardDynamicsDerivatives>(
      at, to, [&](const Vector& q, const Vector& v, const Vector& u, auto& d) {
        d_forward_dynamics(at.model, q, v, u, d);
        return stacked(d.dq(), d.dv(), d.dtau());
      });
  EXPECT_LE(relative(stacked(along.dq(), along.dv(), along.du()), by_difference), 1e-4);
}

TEST(SecondDerivatives, along_a_direction_are_what_differences_give) {
  std::mt19937_64 generator(71);
  for (int k = 0; k < 4; ++k) check(At(generator, {.bodies = 10, .tree = k % 2 == 1}), generator);
}
TEST(SecondDerivatives, of_joints_of_every_kind) {
  std::mt19937_64 generator(72);
  for (const test::JointKind& kind : test::usual_joint_kinds())
    if (kind.type != JointType::fixed)
      check(At(generator, {.bodies = 3, .tree = true, .kinds = {kind}}), generator);
}
TEST(SecondDerivatives, positions_on_so3_x_r3_commute_to_rounding) {
  std::mt19937_64 generator(74);
  const test::JointKind direct{JointType::floating, Parameterization::product,
                               FloatingGroup::so3xr3};
  const At at(generator,
              {.bodies = 6, .tree = true, .kinds = {direct, {JointType::revolute}, direct}});
  SecondDerivatives d(at.model);
  d2_inverse_dynamics(at.model, at.q, at.v, at.u, d);
  std::vector<int> commuting;
  for (const ModelJoint& joint : at.model.joints())
    for (int k = joint.nv == 6 ? 3 : 0; k < joint.nv; ++k) commuting.push_back(joint.v_index + k);
  ASSERT_GE(commuting.size(), 10u);
  double size = 0, asymmetry = 0;
  for (const int j : commuting)
    for (const int k : commuting) {
      size = std::max(size, d.qq(k).col(j).cwiseAbs().maxCoeff());
      asymmetry = std::max(asymmetry, (d.qq(k).col(j) - d.qq(j).col(k)).cwiseAbs().maxCoeff());
    }
  EXPECT_GT(size, 0.1);
  EXPECT_LE(asymmetry, 1e-13 * size);
}
TEST(SecondDerivatives, tensors_are_the_directions_and_symmetric) {
  std::mt19937_64 generator(73);
  // Coordinates commute where joints turn and slide.
  using enum JointType;
  const At at(
      generator,
      {.bodies = 9, .tree = true, .kinds = {{revolute}, {prismatic}, {helical}, {universal}}});
  const int n = at.model.nv();
  for (const bool forward : {false, true}) {
    SecondDerivatives d(at.model);
    if (forward)
      d2_forward_dynamics(at.model, at.q, at.v, at.u, d);
    else
      d2_inverse_dynamics(at.model, at.q, at.v, at.u, d);
    const Direction to{test::random_vector(n, generator), test::random_vector(n, generator), {}};
    DirectionalDerivatives along(at.model);
    if (forward)
      d_forward_dynamics_along(at.model, at.q, at.v, at.u, to, along);
    else
      d_inverse_dynamics_along(at.model, at.q, at.v, at.u, to, along);
    Eigen::MatrixXd by_v = Eigen::MatrixXd::Zero(n, n), by_u = by_v, by_q = by_v;
    double asymmetry = 0, size = 0;
    for (int k = 0; k < n; ++k) {
      by_v += d.vq(k) * to.dq[k] + d.vv(k) * to.dv[k];
      by_u += d.uq(k) * to.dq[k];
      by_q += d.qq(k) * to.dq[k];
      by_q.col(k) += d.vq(k) * to.dv;  // d/dv of df/dq_k is d/dq_k of df/dv
      for (int j = 0; j < n; ++j) {
        asymmetry = std::max({asymmetry, (d.qq(k).col(j) - d.qq(j).col(k)).cwiseAbs().maxCoeff(),
                              (d.vv(k).col(j) - d.vv(j).col(k)).cwiseAbs().maxCoeff()});
        size = std::max(size, d.qq(k).col(j).cwiseAbs().maxCoeff());
      }
    }
    EXPECT_LE(relative(by_q, along.dq()), 1e-10);
    EXPECT_LE(relative(by_v, along.dv()), 1e-10);
    EXPECT_LE(relative(by_u, along.du()), 1e-10);
    EXPECT_LE(asymmetry, 1e-10 * size);
    const Eigen::VectorXd lambda = test::random_vector(n, generator);
    const SecondDerivatives::Contraction c = d.contracted(lambda);
    EXPECT_NEAR(c.vv(1, 2), lambda.dot(d.vv(2).col(1)), 1e-9 * size);
    EXPECT_LE(relative(c.qq, c.qq.transpose()), 1e-9);
  }
}
TEST(SecondDerivatives, refuse_what_does_not_fit) {
  std::mt19937_64 generator(74);
  const At at(generator, {.bodies = 4}), other(generator, {.bodies = 4});
  DirectionalDerivatives along(at.model);
  SecondDerivatives d(at.model);
  EXPECT_THROW(d_inverse_dynamics_along(at.model, at.q, at.v, at.u, {Vector(1), {}, {}}, along),
               SizeError);
  EXPECT_THROW(d2_inverse_dynamics(other.model, other.q, other.v, other.u, d), ForeignError);
  EXPECT_SAYS(d.qq(at.model.nv()), std::to_string(at.model.nv()));
}

}  // namespace
}  // namespace chasles
