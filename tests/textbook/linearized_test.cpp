/// Linearized dynamics against complex steps, differences, and each other.
#include "chasles/textbook/linearized.hpp"

#include <gtest/gtest.h>

#include "chasles/textbook/recursive.hpp"
#include "support/difference.hpp"
#include "textbook/complex_step.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::ComplexStep;
using test::largest;
using test::Point;
using test::Sample;
using Applied = std::vector<AppliedWrench>;

/// The largest deviation of a from b, in parts of the largest entry of b.
double deviation(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const double scale = largest(b);
  return largest(a - b) / (scale > 0 ? scale : 1);
}

/// The three matrices side by side, column by column: derivative(direction) along unit directions.
template <class Derivative>
Eigen::MatrixXd columns(int nv, const Derivative& derivative) {
  Eigen::MatrixXd m(nv, 3 * nv);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(nv);
  for (int k = 0; k < nv; ++k) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(nv, k);
    m.col(k) = derivative(Point{e, zero, zero});
    m.col(nv + k) = derivative(Point{zero, e, zero});
    m.col(2 * nv + k) = derivative(Point{zero, zero, e});
  }
  return m;
}
Eigen::MatrixXd side_by_side(const InverseDynamicsMatrices& d) {
  Eigen::MatrixXd m(d.M.rows(), 3 * d.M.cols());
  m << d.dtau_dq, d.dtau_dv, d.M;
  return m;
}
Eigen::MatrixXd side_by_side(const ForwardDynamicsMatrices& d) {
  Eigen::MatrixXd m(d.M_inv.rows(), 3 * d.M_inv.cols());
  m << d.da_dq, d.da_dv, d.M_inv;
  return m;
}
/// The worst of the three blocks, each by its own size.
double deviation_by_block(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Eigen::Index n = a.rows();
  double worst = 0;
  for (const Eigen::Index first : {Eigen::Index{0}, n, 2 * n})
    worst = std::max(worst, deviation(a.middleCols(first, n), b.middleCols(first, n)));
  return worst;
}

Point random_direction(const Model& model, std::mt19937_64& generator) {
  return {test::random_vector(model.nv(), generator), test::random_vector(model.nv(), generator),
          test::random_vector(model.nv(), generator)};
}

template <class Linearized>
Eigen::VectorXd along(Linearized& lin, const Point& d) {
  Eigen::VectorXd out(lin.model().nv());
  lin.along(d.q, d.v, d.a, out);
  return out;
}
/// The matrices whose rows are lambda^T d, for unit lambda.
template <class Linearized>
Eigen::MatrixXd rows(Linearized& lin) {
  const int n = lin.model().nv();
  Eigen::MatrixXd m(n, 3 * n);
  Eigen::VectorXd grad_q(n), grad_v(n), grad_a(n);
  for (int k = 0; k < n; ++k) {
    lin.transposed(Eigen::VectorXd::Unit(n, k), grad_q, grad_v, grad_a);
    m.row(k) << grad_q.transpose(), grad_v.transpose(), grad_a.transpose();
  }
  return m;
}

TEST(LinearizedInverse, is_the_complex_step) {
  std::mt19937_64 generator(41);
  double forces = 0, vector = 0, matrix = 0, transpose = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Sample s(generator, {.bodies = trial % 4 < 2 ? 16 : 5, .tree = trial % 2 == 1});
    const Applied applied = s.wrenches(generator);
    LinearizedInverseDynamics lin(s.model);
    InverseDynamicsMatrices d(s.model);
    linearize(s.model, s.kin, s.a, lin, applied);
    RecursiveDynamics recursive(s.model);
    const Vector& tau =
        inverse_dynamics(s.model, s.kin, s.a, Representation::body, recursive, applied);
    forces = std::max(forces, deviation(lin.tau(), tau));

    const auto exact = [&](const Point& direction) {
      return ComplexStep(s.model, {s.q, s.v, s.a}, direction, applied).inverse();
    };
    const Point direction = random_direction(s.model, generator);
    vector = std::max(vector, deviation(along(lin, direction), exact(direction)));
    const Eigen::MatrixXd D = side_by_side(lin.matrices(d));
    matrix = std::max(matrix, deviation_by_block(D, columns(s.model.nv(), exact)));
    transpose = std::max(transpose, deviation_by_block(rows(lin), D));
    EXPECT_EQ(d.M, d.M.transpose());
  }
  std::printf("  tau %.1e, Algorithm 1 %.1e, 2 %.1e, transposed %.1e\n", forces, vector, matrix,
              transpose);
  EXPECT_LE(forces, 1e-13);
  EXPECT_LE(vector, 1e-13);
  EXPECT_LE(matrix, 1e-13);
  EXPECT_LE(transpose, 1e-13);
}

/// @paper 002 Algorithms 3-4, Algorithm 6, Lemma 4.1, (4.2), Lemma 4.7, (4.12)-(4.18), Lemma 4.9, (4.21)-(4.26)
TEST(LinearizedForward, is_the_complex_step) {
  std::mt19937_64 generator(42);
  double accelerations = 0, vector = 0, matrix = 0, transpose = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Sample s = test::regular_sample(generator, trial % 2 == 1,
                                          trial % 8 == 7  ? 32
                                          : trial % 4 < 2 ? 16
                                                          : 5);
    const Applied applied = s.wrenches(generator);
    LinearizedForwardDynamics lin(s.model);
    ForwardDynamicsMatrices d(s.model);
    linearize(s.model, s.kin, s.tau, lin, applied);
    RecursiveDynamics recursive(s.model);
    const Vector& a =
        forward_dynamics(s.model, s.kin, s.tau, Representation::body, recursive, applied);
    accelerations = std::max(accelerations, deviation(lin.a(), a));

    const auto exact = [&](const Point& direction) {
      return ComplexStep(s.model, {s.q, s.v, s.tau}, direction, applied).forward();
    };
    const Point direction = random_direction(s.model, generator);
    vector = std::max(vector, deviation(along(lin, direction), exact(direction)));
    const Eigen::MatrixXd D = side_by_side(lin.matrices(d));
    matrix = std::max(matrix, deviation_by_block(D, columns(s.model.nv(), exact)));
    transpose = std::max(transpose, deviation_by_block(rows(lin), D));
  }
  std::printf("  a %.1e, Algorithm 5 %.1e, 6 %.1e, transposed %.1e\n", accelerations, vector,
              matrix, transpose);
  // M has conditions up to 1e5.
  EXPECT_LE(accelerations, 1e-10);
  EXPECT_LE(vector, 1e-10);
  EXPECT_LE(matrix, 1e-10);
  EXPECT_LE(transpose, 1e-10);
}

/// The point reached by the step t of a direction, and the kinematics there.
void move(const Sample& s, const Point& d, double t, VelocityKinematics& out) {
  Eigen::VectorXd q(s.model.nq());
  plus(s.model, s.q, t * d.q, q);
  forward_kinematics(s.model, q, s.v + t * d.v, out);
}

/// Of the recursions as users call them, wrenches included; in a small step, so that the order of the
/// differences counts.
TEST(Linearized, is_the_limit_of_differences) {
  std::mt19937_64 generator(43);
  double inverse = 0, forward = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Sample s = test::regular_sample(generator, trial % 2 == 1, trial % 4 < 2 ? 16 : 5);
    const Applied applied = s.wrenches(generator);
    LinearizedInverseDynamics lin_inverse(s.model);
    LinearizedForwardDynamics lin_forward(s.model);
    linearize(s.model, s.kin, s.a, lin_inverse, applied);
    linearize(s.model, s.kin, s.tau, lin_forward, applied);
    RecursiveDynamics work(s.model);
    VelocityKinematics kin(s.model);
    const Point d = random_direction(s.model, generator);
    const double scale = 0.1;
    const Eigen::VectorXd dtau = test::derivative([&](double t) -> Eigen::VectorXd {
      move(s, d, scale * t, kin);
      return inverse_dynamics(s.model, kin, s.a + scale * t * d.a, Representation::hybrid, work,
                              applied) /
             scale;
    });
    inverse = std::max(inverse, deviation(along(lin_inverse, d), dtau));
    const Eigen::VectorXd da = test::derivative([&](double t) -> Eigen::VectorXd {
      move(s, d, scale * t, kin);
      return forward_dynamics(s.model, kin, s.tau + scale * t * d.a, Representation::hybrid, work,
                              applied) /
             scale;
    });
    forward = std::max(forward, deviation(along(lin_forward, d), da));
  }
  std::printf("  inverse %.1e, forward %.1e\n", inverse, forward);
  EXPECT_LE(inverse, 1e-11);
  EXPECT_LE(forward, 2e-8);
}

TEST(Linearized, algorithms_agree) {
  std::mt19937_64 generator(44);
  double one_two = 0, three_five = 0, four_six = 0, five_six = 0, identity = 0, chain_rule = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Sample s = test::regular_sample(generator, trial % 2 == 1, trial % 8 == 7 ? 32 : 16);
    const Applied applied = s.wrenches(generator);
    // Rounding errors grow with the condition of M, which is up to 1e5.
    const double growth = std::max(1.0, test::condition(s.M) / 1e4);
    LinearizedForwardDynamics lin(s.model);
    linearize(s.model, s.kin, s.tau, lin, applied);
    ConventionalLinearization conventional(s.model);
    conventional.factorize(lin.inverse());
    ForwardDynamicsMatrices six(s.model), four(s.model);
    InverseDynamicsMatrices two(s.model);
    lin.matrices(six), conventional.matrices(four), lin.inverse().matrices(two);
    const Point d = random_direction(s.model, generator);
    one_two = std::max(one_two, deviation(along(lin.inverse(), d),
                                          two.dtau_dq * d.q + two.dtau_dv * d.v + two.M * d.a));
    Eigen::VectorXd da(s.model.nv());
    conventional.along(lin.inverse(), d.q, d.v, d.a, da);
    const Eigen::VectorXd five = along(lin, d);
    three_five = std::max(three_five, deviation(da, five) / growth);
    four_six =
        std::max(four_six, deviation_by_block(side_by_side(four), side_by_side(six)) / growth);
    five_six = std::max(
        five_six, deviation(six.da_dq * d.q + six.da_dv * d.v + six.M_inv * d.a, five) / growth);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(s.model.nv(), s.model.nv());
    identity = std::max(identity, largest(six.M_inv * two.M - one) / growth);
    // tau(q, v, a(q, v, tau)) = tau.
    chain_rule = std::max(chain_rule, deviation(-two.M * six.da_dq, two.dtau_dq) / growth);
    chain_rule = std::max(chain_rule, deviation(-two.M * six.da_dv, two.dtau_dv) / growth);
  }
  std::printf("  1-2 %.1e, 3-5 %.1e, 4-6 %.1e, 5-6 %.1e, M^-1 M %.1e, chain rule %.1e\n", one_two,
              three_five, four_six, five_six, identity, chain_rule);
  EXPECT_LE(one_two, 1e-13);
  EXPECT_LE(three_five, 1e-11);
  EXPECT_LE(four_six, 1e-11);
  EXPECT_LE(five_six, 1e-11);
  EXPECT_LE(identity, 1e-10);  // entries of M^-1 are larger than one
  EXPECT_LE(chain_rule, 1e-11);
}

/// Each kind of wrench alone, and much larger than weight, on a body that floats.
TEST(Linearized, wrenches_follow_as_their_representation_says) {
  std::mt19937_64 generator(45);
  for (const FloatingGroup group : {FloatingGroup::se3, FloatingGroup::so3xr3})
    for (const Representation rep : test::all_representations) {
      const Sample s(generator, {.bodies = 3,
                                 .kinds = {{JointType::floating, Parameterization::product, group},
                                           {JointType::spherical}}});
      const Applied applied{{s.model.frame("frame2"), random_tangent<Wrench>(generator, 1e4), rep}};
      LinearizedInverseDynamics lin(s.model), without(s.model);
      InverseDynamicsMatrices d(s.model);
      linearize(s.model, s.kin, s.a, lin, applied);
      linearize(s.model, s.kin, s.a, without);
      const Eigen::MatrixXd exact = columns(s.model.nv(), [&](const Point& direction) {
        return ComplexStep(s.model, {s.q, s.v, s.a}, direction, applied).inverse();
      });
      EXPECT_LE(deviation_by_block(side_by_side(lin.matrices(d)), exact), 1e-13);
      InverseDynamicsMatrices d_without(s.model);
      without.matrices(d_without);
      EXPECT_GE(largest(d.dtau_dq - d_without.dtau_dq), 100);
    }
}

/// A free body alone: no derivative depends on where it is, and a follower makes none on SE(3).
TEST(Linearized, closed_forms_of_one_free_body) {
  std::mt19937_64 generator(46);
  const Sample s(generator, {.bodies = 1, .kinds = {{JointType::floating}}});
  const Applied follower{{s.model.frame("body0"), {{1, 2, 3}, {4, 5, 6}}, Representation::body}};
  LinearizedInverseDynamics lin(s.model), with(s.model);
  InverseDynamicsMatrices d(s.model), d_with(s.model);
  linearize(s.model, s.kin, s.a, lin);
  linearize(s.model, s.kin, s.a, with, follower);
  lin.matrices(d), with.matrices(d_with);
  EXPECT_LE(deviation(d_with.dtau_dq, d.dtau_dq), 1e-13);
  EXPECT_LE(largest(d.dtau_dq.rightCols<3>()), 1e-12 * largest(d.dtau_dv));
  // Weight turns by dw, seen from the body: d(-R^T m g) = -m (R^T g) x dw.
  const Inertia& M = s.model.bodies()[0].inertia;
  const SO3 R = pose(s.kin, s.model.frame("body0")).R;
  const Eigen::Matrix3d force = -M.m * to_eigen(hat(inverse_times(R, s.model.gravity())));
  EXPECT_LE(deviation(d.dtau_dq.bottomLeftCorner<3, 3>(), force), 1e-12);
}

TEST(Linearized, does_not_depend_on_where_the_mechanism_stands) {
  std::mt19937_64 generator(47);
  double worst = 0;
  for (const FloatingGroup group : {FloatingGroup::se3, FloatingGroup::so3xr3}) {
    Mechanism mechanism = test::random_mechanism(generator, {.bodies = 8, .tree = true});
    for (Body& body : mechanism.bodies)
      if (&body != &mechanism.bodies[0] && body.parent == ground) body.parent = "body0";
    mechanism.bodies[0].joint = Joint{};
    mechanism.bodies[0].joint.name = "base";
    mechanism.bodies[0].joint.type = JointType::floating;
    mechanism.bodies[0].joint.group = group;
    const Model model = compile(mechanism);
    Eigen::VectorXd q = test::random_configuration(model, generator);
    const Eigen::VectorXd v = test::random_vector(model.nv(), generator),
                          a = test::random_vector(model.nv(), generator);
    InverseDynamicsMatrices near(model), far(model);
    VelocityKinematics kin(model);
    LinearizedInverseDynamics lin(model);
    forward_kinematics(model, q, v, kin);
    linearize(model, kin, a, lin);
    lin.matrices(near);
    q.segment<3>(model.joint("base").q_index + 4) += Eigen::Vector3d(1048576, -1048576, 2097152);
    forward_kinematics(model, q, v, kin);
    linearize(model, kin, a, lin);
    lin.matrices(far);
    worst = std::max(worst, deviation_by_block(side_by_side(far), side_by_side(near)));
  }
  std::printf("  2500 km away: %.1e\n", worst);
  // Positions are known to 5e-10 m there.
  EXPECT_LE(worst, 1e-8);
}

}  // namespace
}  // namespace chasles
