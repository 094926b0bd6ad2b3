#include "chasles/kinematics/higher_order.hpp"

#include <gtest/gtest.h>

#include "chasles/lie/quaternion.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"
#include "model/model_data.hpp"
#include "support/errors.hpp"
#include "support/motion_series.hpp"
#include "support/near.hpp"
#include "support/representations.hpp"

namespace chasles {
namespace {

using test::all_representations, test::JointKind;

/// The largest difference, relative to the largest entry of `want` if that is larger than `scale`.
double relative_error(const Twist& got, const Twist& want, double scale = 1) {
  return test::distance(got, want) / std::max(scale, max_abs(want));
}

/// The pose of body i at q = 0: reference_geometry is in the order of the description.
SE3 pose_at_zero(const Mechanism& mechanism, const Model& model, int body) {
  const int i = find_body(mechanism, model.bodies()[static_cast<std::size_t>(body)].name);
  return reference_geometry(mechanism).A[static_cast<std::size_t>(i)];
}

/// The body-fixed Jacobian does not depend on the first joint of the chain, the spatial Jacobian of a body not on its own:
/// the columns of their derivatives are zero, and the Jacobians are the same after a large change of that joint.
/// @paper 003 Remark 5, Remark 11
TEST(JacobianDerivative, is_zero_for_the_first_joint_and_for_the_own_one) {
  std::mt19937_64 generator(12);
  for (const JointType type : {JointType::revolute, JointType::helical, JointType::prismatic}) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 5, .tree = false, .kinds = {{type}}}));
    const Frame& last = model.bodies().back().frame;
    const Vector q = test::random_configuration(model, generator);
    PositionKinematics kin(model);
    Matrix6X before(6, model.nv()), after(6, model.nv()), d(6, model.nv());
    for (const Representation rep : {Representation::body, Representation::spatial}) {
      const int joint = rep == Representation::body ? 0 : model.nv() - 1;
      forward_kinematics(model, q, kin);
      jacobian(model, kin, last, rep, before);
      jacobian_derivative(model, kin, last, rep, std::span(&joint, 1), d);
      EXPECT_EQ(d.cwiseAbs().maxCoeff(), 0);
      Vector other = q;
      other[joint] += 1.3;
      forward_kinematics(model, other, kin);
      jacobian(model, kin, last, rep, after);
      EXPECT_LE((after - before).cwiseAbs().maxCoeff(), 1e-13 * before.cwiseAbs().maxCoeff());
    }
  }
}

/// All orders up to the sixth derivative of the twist, every joint type, chains and trees, against
/// the product of exponentials in quadruple precision. The error is measured by the derivative of
/// the same order in the representation where it is largest; it is 7e-15 in body-fixed form, and up
/// to 3e-13 at order six in the others, which are differences of larger body-fixed terms, (4), (5).
TEST(TwistDerivatives, equal_those_of_the_product_of_exponentials) {
  std::mt19937_64 generator(11);
  constexpr int order = 7;
  for (int trial = 0; trial < 12; ++trial) {
    const Mechanism mechanism =
        test::random_mechanism(generator, {.bodies = 15, .tree = trial % 2 == 1});
    const Model model = compile(mechanism);
    const reference::RandomMotion motion(model, order, generator);
    TwistDerivatives D(model, order);
    for (const ModelFrame& frame : model.frames()) {
      const SE3 offset =
          inverse(model.bodies()[static_cast<std::size_t>(frame.body)].frame.offset) *
          frame.frame.offset;
      const auto C =
          motion.pose(model, frame.body, pose_at_zero(mechanism, model, frame.body) * offset);
      std::vector<double> scale(order, 1);
      for (const Representation rep : all_representations) {
        const std::vector<Twist> want = reference::twist_derivatives(C, rep);
        for (std::size_t k = 0; k < want.size(); ++k)
          scale[k] = std::max(scale[k], max_abs(want[k]));
      }
      for (const Representation rep : all_representations) {
        const double tolerance = rep == Representation::body ? 2e-14 : 1e-12;
        const std::vector<Twist> want = reference::twist_derivatives(C, rep);
        twist_derivatives(model, motion.q, motion.rates, frame.frame, rep, D);
        for (std::size_t k = 0; k < D.V.size(); ++k)
          EXPECT_LE(relative_error(D.V[k], want[k], scale[k]), tolerance)
              << frame.name << ", derivative " << k << ", representation " << static_cast<int>(rep);
      }
    }
  }
}

TEST(TwistDerivatives, begin_with_twist_and_acceleration) {
  std::mt19937_64 generator(12);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 30, .tree = true}));
  const Eigen::VectorXd q = test::random_configuration(model, generator);
  Eigen::MatrixXd rates(model.nv(), 2);
  rates << test::random_vector(model.nv(), generator), test::random_vector(model.nv(), generator);
  AccelerationKinematics kin(model);
  forward_kinematics(model, q, rates.col(0), rates.col(1), kin);
  TwistDerivatives D(model, 2);
  for (const ModelBody& body : model.bodies())
    for (const Representation rep : all_representations) {
      twist_derivatives(model, q, rates, body.frame, rep, D);
      EXPECT_LE(relative_error(D.V[0], twist(kin, body.frame, rep)), 1e-13);
      EXPECT_LE(relative_error(D.V[1], acceleration(kin, body.frame, rep)), 1e-13);
    }
}

/// Coordinates of the first kind to the highest order, at angles from none to several turns.
TEST(TwistDerivatives, of_an_exponential_joint_are_precise_at_every_angle_and_order) {
  std::mt19937_64 generator(13);
  for (const double amplitude : {0.0, 1e-9, 0.1, 0.5, 1.0, 2.0, 4.0, 20.0}) {
    const Mechanism mechanism = test::random_mechanism(
        generator, {.bodies = 1, .kinds = {JointKind{JointType::custom, Parameterization::sum}}});
    const Model model = compile(mechanism);
    for (const int order : {3, 8, max_series_order}) {
      const reference::RandomMotion motion(model, order, generator, 1, amplitude);
      const auto want = reference::twist_derivatives(
          motion.pose(model, 0, pose_at_zero(mechanism, model, 0)), Representation::body);
      TwistDerivatives D(model, order);
      twist_derivatives(model, motion.q, motion.rates, model.frame("body0"), Representation::body,
                        D);
      for (std::size_t k = 0; k < D.V.size(); ++k)
        EXPECT_LE(relative_error(D.V[k], want[k]), 1e-13 * std::max(1.0, amplitude))
            << "angles " << amplitude << ", order " << order << ", derivative " << k;
    }
  }
}

TEST(TwistDerivatives, of_ground_are_zero) {
  const Model model = compile(Mechanism{});
  TwistDerivatives D(model, 3);
  twist_derivatives(model, Eigen::VectorXd(0), Eigen::MatrixXd(0, 3), model.frame("ground"),
                    Representation::spatial, D);
  for (const Twist& V : D.V) EXPECT_EQ(V, Twist{});
}

using test::message;

TEST(TwistDerivatives, refuse_wrong_sizes_and_too_high_orders) {
  std::mt19937_64 generator(14);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 1, .kinds = {JointKind{JointType::custom, Parameterization::sum}}}));
  const Frame frame = model.frame("body0");
  const auto run = [&](int order, Eigen::Index rows, Eigen::Index columns, Eigen::Index nq) {
    return message([&] {
      TwistDerivatives D(model, order);
      twist_derivatives(model, Eigen::VectorXd::Zero(nq), Eigen::MatrixXd::Zero(rows, columns),
                        frame, Representation::body, D);
    });
  };
  const std::string nv = std::to_string(model.nv());
  EXPECT_EQ(run(2, model.nv(), 2, model.nq()), "no error");
  EXPECT_EQ(run(0, 1, 1, 1),
            "TwistDerivatives: order 0 is too small; 1 gives the twist, 2 also its rate");
  EXPECT_EQ(run(2, model.nv(), 2, 9), "q has 9 entries; the model needs " + nv);
  EXPECT_EQ(run(2, 9, 2, model.nq()), "rates, by rows, has 9 entries; the model needs " + nv);
  EXPECT_EQ(run(2, model.nv(), 3, model.nq()),
            "rates has 3 columns; the TwistDerivatives were made for 2");
  EXPECT_EQ(run(17, model.nv(), 17, model.nq()),
            "joint 'joint0' has coordinates of the first kind; 17 derivatives are wanted, 16 are "
            "possible");
}

/// d/ds f(q + s e_k) at s = 0: central differences of eighth order. Truncation is h^8 f^(9) / 630,
/// rounding 1e-16 / h: both about 1e-14 of f at unit speed.
template <class F>
Matrix6X difference(const Model& model, const Eigen::VectorXd& q, int k, const F& f) {
  constexpr double h = 0.03, weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  Matrix6X sum = Matrix6X::Zero(6, model.nv());
  Eigen::VectorXd moved(model.nq());
  for (int n = 1; n <= 4; ++n)
    for (const int sign : {1, -1}) {
      plus(model, q, sign * n * h * Eigen::VectorXd::Unit(model.nv(), k), moved);
      sum += sign * weights[n - 1] / h * f(moved);
    }
  return sum;
}

/// D_{a1, a2, ...} J is the derivative along a1 of D_{a2, ...} J, so that order by order everything
/// rests on jacobian().
TEST(JacobianDerivative, equals_differences_of_the_order_below) {
  std::mt19937_64 generator(15);
  for (int trial = 0; trial < 40; ++trial) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 15, .tree = trial % 2 == 1}));
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    const Frame frame = model.frames().back().frame;
    PositionKinematics kin(model);
    std::vector<int> moving;  // the columns that are not all zero
    for (int i = frame.link; i >= 0; i = tree_links(model)[static_cast<std::size_t>(i)].parent)
      for (int k = 0; k < tree_links(model)[static_cast<std::size_t>(i)].nv; ++k)
        moving.push_back(tree_links(model)[static_cast<std::size_t>(i)].v_index + k);
    for (const Representation rep : all_representations) {
      std::vector<int> indices;
      for (int order = 1; order <= 4; ++order) {
        const auto below = [&](const Eigen::VectorXd& at) {
          Matrix6X J(6, model.nv());
          forward_kinematics(model, at, kin);
          jacobian_derivative(model, kin, frame, rep, indices, J);
          return J;
        };
        // Every second index in the joint of the one before, where screws may depend on q.
        int k = moving[generator() % moving.size()];
        if (order % 2 == 0) {
          const ModelJoint& joint = model.joint_of_v(indices.front());
          k = joint.v_index + static_cast<int>(generator() % static_cast<unsigned>(joint.nv));
        }
        const Matrix6X want = difference(model, q, k, below);
        indices.insert(indices.begin(), k);
        const Matrix6X got = below(q);
        const double error =
            (got - want).cwiseAbs().maxCoeff() / std::max(1.0, want.cwiseAbs().maxCoeff());
        EXPECT_LE(error, 1e-12) << "order " << order << ", representation "
                                << static_cast<int>(rep);
      }
    }
  }
}

/// Twice the same joint. On groups the order of the indices matters; the screws of the last two depend
/// on q.
TEST(JacobianDerivative, keeps_the_order_of_the_motions_of_one_joint) {
  std::mt19937_64 generator(16);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 5,
                  .kinds = {{JointType::floating},
                            {JointType::spherical},
                            {JointType::floating, Parameterization::product, FloatingGroup::so3xr3},
                            {JointType::custom, Parameterization::sum}}}));
  const Eigen::VectorXd q = test::random_configuration(model, generator);
  const Frame frame = model.frame("body4");
  PositionKinematics kin(model);
  for (const Representation rep : all_representations)
    for (int a = 0; a < model.nv(); a += 2)
      for (int b = 0; b < model.nv(); ++b) {
        const Matrix6X want = difference(model, q, a, [&](const Eigen::VectorXd& at) {
          Matrix6X J(6, model.nv());
          forward_kinematics(model, at, kin);
          jacobian_derivative(model, kin, frame, rep, std::span(&b, 1), J);
          return J;
        });
        forward_kinematics(model, q, kin);
        Matrix6X got(6, model.nv());
        jacobian_derivative(model, kin, frame, rep, std::vector{a, b}, got);
        EXPECT_LE((got - want).cwiseAbs().maxCoeff(), 1e-11) << a << ", " << b;
      }
}

TEST(JacobianDerivative, of_order_zero_is_the_jacobian) {
  std::mt19937_64 generator(17);
  const Model model = compile(test::random_mechanism(generator));
  PositionKinematics kin(model);
  forward_kinematics(model, test::random_configuration(model, generator), kin);
  Matrix6X J(6, model.nv()), D(6, model.nv());
  for (const Representation rep : all_representations) {
    jacobian(model, kin, model.frame("frame14"), rep, J);
    jacobian_derivative(model, kin, model.frame("frame14"), rep, {}, D);
    EXPECT_EQ(J, D);
  }
}

TEST(KinematicHessian, along_v_is_the_rate_of_the_jacobian) {
  std::mt19937_64 generator(18);
  for (int trial = 0; trial < 20; ++trial) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 20, .tree = trial % 2 == 1}));
    const Frame frame = model.frames().back().frame;
    VelocityKinematics kin(model);
    forward_kinematics(model, test::random_configuration(model, generator),
                       test::random_vector(model.nv(), generator), kin);
    for (const Representation rep : all_representations) {
      Matrix6X J_rate(6, model.nv()), sum = Matrix6X::Zero(6, model.nv());
      jacobian_rate(model, kin, frame, rep, J_rate);
      const auto H = kinematic_hessian(model, kin, frame, rep);
      for (int k = 0; k < model.nv(); ++k) sum += kin.v()[k] * H[static_cast<std::size_t>(k)];
      EXPECT_LE((J_rate - sum).cwiseAbs().maxCoeff(),
                1e-13 * std::max(1.0, sum.cwiseAbs().maxCoeff()));
    }
  }
}

TEST(JacobianDerivative, is_zero_for_joints_elsewhere_and_refuses_bad_indices) {
  std::mt19937_64 generator(19);
  Mechanism mechanism = test::random_mechanism(
      generator, {.bodies = 2, .kinds = {JointKind{JointType::custom, Parameterization::sum}}});
  mechanism.bodies[1].parent = ground;
  const Model model = compile(mechanism);
  PositionKinematics kin(model);
  forward_kinematics(model, test::random_configuration(model, generator), kin);
  const Frame frame = model.frame("body0");
  Matrix6X D(6, model.nv());
  const auto run = [&](std::vector<int> indices) {
    return message(
        [&] { jacobian_derivative(model, kin, frame, Representation::hybrid, indices, D); });
  };
  EXPECT_EQ(run({model.nv() - 1}), "no error");
  EXPECT_EQ(D.cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(run({0, -1}), "indices: -1 is not in 0 ... " + std::to_string(model.nv() - 1));
  EXPECT_EQ(run({model.nv()}), "indices: " + std::to_string(model.nv()) + " is not in 0 ... " +
                                   std::to_string(model.nv() - 1));
  EXPECT_EQ(run({0, 0}), "no error");
  forward_kinematics(model, Eigen::VectorXd::Constant(model.nq(), 1e9), kin);
  EXPECT_SAYS(jacobian_derivative(model, kin, frame, Representation::hybrid, std::vector{0, 0}, D),
              "joint 'joint0': q turns it by", "1e8 rad");
}

/// Against quadruple precision, all indices in the same joint.
TEST(JacobianDerivative, of_an_exponential_joint_is_precise_at_every_angle_and_order) {
  std::mt19937_64 generator(20);
  double worst = 0;
  for (const double amplitude : {0.0, 1.0, 10.0}) {
    const Mechanism mechanism = test::random_mechanism(
        generator, {.bodies = 1, .kinds = {JointKind{JointType::custom, Parameterization::sum}}});
    const Model model = compile(mechanism);
    const Eigen::VectorXd q = test::random_configuration(model, generator, amplitude);
    const SE3 A = pose_at_zero(mechanism, model, 0);
    PositionKinematics kin(model);
    forward_kinematics(model, q, kin);
    for (int order = 1; order <= 4; ++order) {
      std::vector<int> indices(static_cast<std::size_t>(order));
      for (int& index : indices)
        index = static_cast<int>(generator() % static_cast<unsigned>(model.nv()));
      const std::vector<Eigen::MatrixXd> want = reference::mixed_jacobian_derivative(
          model.joints()[0].Y, q, A, indices, all_representations);
      for (std::size_t r = 0; r < want.size(); ++r) {
        Matrix6X got(6, model.nv());
        jacobian_derivative(model, kin, model.frame("body0"), all_representations[r], indices, got);
        const double error =
            (got - want[r]).cwiseAbs().maxCoeff() / std::max(1.0, want[r].cwiseAbs().maxCoeff());
        EXPECT_LE(error, 1e-13) << "angles " << amplitude << ", order " << order
                                << ", representation " << r;
        worst = std::max(worst, error);
      }
    }
  }
  std::printf("  largest error %.1e\n", worst);
}

/// Once the reduction of an angle that is infinite did not end.
TEST(TwistDerivatives, of_turns_without_number_are_refused) {
  const Model model = compile(
      MechanismBuilder("turns")
          .body("body0", ground,
                joints::custom({{{0, 0, 1}, {}, 0}, {{1, 0, 0}, {}, 0.1}}, Parameterization::sum))
          .inertia(1, {0.1, 0.2, 0}, Sym3::diagonal(1, 1, 1))
          .build());
  for (const int order : {2, 4, max_series_order}) {
    TwistDerivatives D(model, order);
    const Matrix rates = Eigen::MatrixXd::Ones(model.nv(), order);
    for (const double q_0 : {1e9, 1e160, -1e160, HUGE_VAL, std::nan("")}) {
      Vector q(model.nq());
      q.setConstant(q_0);
      EXPECT_SAYS(twist_derivatives(model, q, rates, model.frame("body0"), Representation::body, D),
                  "joint '", "1e8 rad");
    }
  }
}

/// J^(n) of every joint type: J and Jd are those of jacobian.hpp, and V = J v, differentiated n times, gives the
/// derivatives of twists.
TEST(JacobianTimeDerivatives, give_twist_derivatives_by_the_product_rule) {
  std::mt19937_64 generator(41);
  constexpr int order = 6;
  for (int trial = 0; trial < 6; ++trial) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 12, .tree = trial % 2 == 1}));
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    const Eigen::MatrixXd rates = Eigen::MatrixXd::Random(model.nv(), order);
    const Frame frame = model.bodies().back().frame;
    VelocityKinematics kin(model);
    forward_kinematics(model, q, rates.col(0), kin);
    TwistDerivatives D(model, order);
    Matrix6X now(6, model.nv()), rate(6, model.nv());
    for (const Representation rep : all_representations) {
      const std::vector<Matrix6X> J = jacobian_time_derivatives(model, q, rates, frame, rep);
      ASSERT_EQ(J.size(), order + 1u);
      jacobian(model, kin, frame, rep, now);
      jacobian_rate(model, kin, frame, rep, rate);
      EXPECT_LE((J[0] - now).cwiseAbs().maxCoeff(), 1e-13 * now.cwiseAbs().maxCoeff());
      EXPECT_LE((J[1] - rate).cwiseAbs().maxCoeff(), 1e-12 * (1 + rate.cwiseAbs().maxCoeff()));
      twist_derivatives(model, q, rates, frame, rep, D);
      for (std::size_t n = 0; n < order; ++n) {
        Eigen::VectorXd V = Eigen::VectorXd::Zero(6);
        double binomial = 1, size = 1;
        for (std::size_t k = 0; k <= n; ++k) {
          const Eigen::VectorXd term =
              binomial * (J[k] * rates.col(static_cast<Eigen::Index>(n - k)));
          V += term;
          size = std::max(size, term.cwiseAbs().maxCoeff());
          binomial = binomial * static_cast<double>(n - k) / static_cast<double>(k + 1);
        }
        EXPECT_LE(relative_error(from_eigen<Twist>(V), D.V[n], size), 2e-12) << n;
      }
    }
  }
}

/// Column by column where v = qd: Jdd = sum dJ/dq_k vd_k + sum d2J/dq_k dq_l v_k v_l, 000 (30).
TEST(JacobianTimeDerivatives, of_second_order_are_sums_of_partial_derivatives) {
  std::mt19937_64 generator(42);
  const Model model = compile(test::random_mechanism(
      generator,
      {.bodies = 5, .kinds = {{JointType::revolute}, {JointType::helical}, {JointType::planar}}}));
  const Eigen::VectorXd q = test::random_configuration(model, generator);
  const Eigen::MatrixXd rates = Eigen::MatrixXd::Random(model.nv(), 2);
  const Frame frame = model.bodies().back().frame;
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  Matrix6X dJ(6, model.nv());
  for (const Representation rep : all_representations) {
    Eigen::MatrixXd want = Eigen::MatrixXd::Zero(6, model.nv());
    for (int k = 0; k < model.nv(); ++k) {
      jacobian_derivative(model, kin, frame, rep, std::array{k}, dJ);
      want += rates(k, 1) * dJ;
      for (int l = 0; l < model.nv(); ++l) {
        jacobian_derivative(model, kin, frame, rep, std::array{k, l}, dJ);
        want += rates(k, 0) * rates(l, 0) * dJ;
      }
    }
    const Matrix6X J = jacobian_time_derivatives(model, q, rates, frame, rep)[2];
    EXPECT_LE((J - want).cwiseAbs().maxCoeff(), 1e-12 * want.cwiseAbs().maxCoeff());
  }
  EXPECT_THROW(
      jacobian_time_derivatives(model, q, Eigen::MatrixXd(1, 1), frame, Representation::body),
      SizeError);
}

}  // namespace
}  // namespace chasles
