#include <gtest/gtest.h>

#include <algorithm>

#include "chasles/kinematics/higher_order.hpp"
#include "chasles/kinematics/system_jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "support/matrices.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"
#include "support/representations.hpp"

namespace chasles {
namespace {

using test::all_representations, test::largest;

struct Sample {
  Model model;
  AccelerationKinematics kin;
  Eigen::VectorXd vd;
  std::vector<int> bodies;

  Sample(std::mt19937_64& generator, const test::RandomMechanismOptions& options)
      : model(compile(test::random_mechanism(generator, options))),
        kin(model),
        vd(test::random_vector(model.nv(), generator)),
        bodies(moving_bodies(model)) {
    forward_kinematics(model, test::random_configuration(model, generator),
                       test::random_vector(model.nv(), generator), vd, kin);
  }
  const Frame& frame(std::size_t i) const {
    return model.bodies()[static_cast<std::size_t>(bodies[i])].frame;
  }
  std::vector<Twist> twists(Representation rep) const {
    std::vector<Twist> V;
    for (std::size_t i = 0; i < bodies.size(); ++i) V.push_back(twist(kin, frame(i), rep));
    return V;
  }
  std::vector<Twist> accelerations_of_bodies(Representation rep) const {
    std::vector<Twist> A;
    for (std::size_t i = 0; i < bodies.size(); ++i) A.push_back(acceleration(kin, frame(i), rep));
    return A;
  }
};

/// A custom joint may have dependent screws or, in coordinates of the first kind, a singularity;
/// then velocities are not unique. These joints always determine them.
std::vector<test::JointKind> regular_kinds() {
  std::vector<test::JointKind> kinds = test::all_joint_kinds();
  std::erase_if(kinds, [](const test::JointKind& kind) { return kind.type == JointType::custom; });
  return kinds;
}

TEST(SystemKinematics, factors_into_A_and_X_with_the_inverse_in_closed_form) {
  std::mt19937_64 generator(21);
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    for (const Representation rep : all_representations) {
      const SystemKinematics system = system_kinematics(s.model, s.kin, rep);
      const Eigen::MatrixXd A(system.A), X(system.X), J(system.J);
      const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(A.rows(), A.cols());
      ASSERT_EQ(A.rows(), 6 * static_cast<Eigen::Index>(s.bodies.size()));
      EXPECT_LE(largest(J - A * X), 1e-13 * largest(A));
      EXPECT_LE(largest(A * system.A_inverse - one), 1e-13 * largest(A));
      EXPECT_LE(largest(system.A_inverse * A - one), 1e-13 * largest(A));

      // (1): J v are the twists that the recursion computes.
      const Eigen::VectorXd V = J * s.kin.v();
      const std::vector<Twist> want = s.twists(rep);
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_CLOSE(from_eigen<Twist>(V.segment<6>(6 * static_cast<Eigen::Index>(i))), want[i],
                     1e-13 * largest(V));

      // The series of 003 (25) ends with D^(n-1): D^n = 0, and its sum is A; in the spatial form A
      // is diag(Ad_C) times the sum.
      Eigen::MatrixXd power = one, sum = one;
      for (std::size_t k = 1; k < s.bodies.size(); ++k) {
        power = (power * system.D).eval();
        sum += power;
      }
      EXPECT_EQ(largest(Eigen::MatrixXd(power * system.D)), 0);
      if (rep != Representation::spatial) {
        EXPECT_LE(largest(A - sum), 1e-12 * largest(A));  // a product of up to 15 factors
      }
    }
  }
}

/// 003 (32) to (34): three factorizations of one matrix, each with its inverse; A_ij is the same down each column.
TEST(SpatialFactors, give_the_spatial_jacobian_in_three_ways) {
  std::mt19937_64 generator(31);
  for (int trial = 0; trial < 6; ++trial) {
    const Sample s(generator, {.bodies = 12, .tree = trial % 2 == 1});
    const Eigen::MatrixXd J(system_kinematics(s.model, s.kin, Representation::spatial).J);
    for (const SpatialForm form :
         {SpatialForm::reference, SpatialForm::body, SpatialForm::hybrid}) {
      const SpatialFactors f = spatial_factors(s.model, s.kin, form);
      const Eigen::MatrixXd A(f.A), X(f.X), A_inverse(f.A_inverse);
      const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(A.rows(), A.cols());
      EXPECT_LE(largest(A * X - J), 1e-12 * largest(J));
      EXPECT_LE(largest(A * A_inverse - one), 1e-12 * largest(A));
    }
    const Eigen::MatrixXd A(system_kinematics(s.model, s.kin, Representation::spatial).A);
    EXPECT_LE(largest(Eigen::MatrixXd(spatial_factors(s.model, s.kin, SpatialForm::body).A) - A),
              1e-13 * largest(A));
  }
}

/// 000 (18), 002 (2.17): L sums the spatial twists of the joints from ground to each body.
TEST(SubtreeSums, add_the_twists_of_joints_to_those_of_bodies) {
  std::mt19937_64 generator(33);
  for (const bool tree : {false, true}) {
    const Sample s(generator, {.bodies = 12, .tree = tree});
    const std::vector<Twist> V = s.twists(Representation::spatial);
    Eigen::VectorXd of_bodies(6 * V.size()), of_joints(6 * V.size());
    for (std::size_t i = 0; i < V.size(); ++i) {
      const int parent = s.model.bodies()[static_cast<std::size_t>(s.bodies[i])].parent;
      const auto at = std::find(s.bodies.begin(), s.bodies.end(), parent);
      const Twist before =
          at == s.bodies.end() ? Twist{} : V[static_cast<std::size_t>(at - s.bodies.begin())];
      of_bodies.segment<6>(6 * static_cast<Eigen::Index>(i)) = to_eigen(V[i]);
      of_joints.segment<6>(6 * static_cast<Eigen::Index>(i)) = to_eigen(V[i] - before);
    }
    EXPECT_LE(largest(subtree_sums(s.model) * of_joints - of_bodies), 1e-13 * largest(of_bodies));
  }
}

/// Y of one-dof joints is the screw at q = 0, whatever q is: 003 (12).
TEST(SpatialFactors, have_constant_reference_screws) {
  std::mt19937_64 generator(32);
  const Sample s(generator,
                 {.bodies = 8,
                  .kinds = {{JointType::revolute}, {JointType::prismatic}, {JointType::helical}}});
  const Eigen::MatrixXd Y(spatial_factors(s.model, s.kin, SpatialForm::reference).X);
  PositionKinematics zero(s.model);
  forward_kinematics(s.model, s.model.neutral(), zero);
  Matrix6X J(6, s.model.nv());
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    jacobian(s.model, zero, s.frame(i), Representation::spatial, J);
    const auto k = static_cast<Eigen::Index>(i);
    EXPECT_LE(largest(Y.block<6, 1>(6 * k, k) - J.col(k)), 1e-13 * largest(J));
  }
  EXPECT_THROW(spatial_factors(s.model, s.kin, static_cast<SpatialForm>(7)), Error);
}

/// Accelerations and jerks from those of all bodies: those that the bodies were moved with.
TEST(LeastSquaresRates, return_accelerations_and_jerks) {
  std::mt19937_64 generator(33);
  for (int trial = 0; trial < 4; ++trial) {
    const Sample s(generator, {.bodies = 10, .tree = trial % 2 == 1, .kinds = regular_kinds()});
    const Eigen::MatrixXd rates = Eigen::MatrixXd::Random(s.model.nv(), 4);
    for (const Representation rep : all_representations) {
      TwistDerivatives V(s.model, 4);
      for (int n = 0; n < 4; ++n) {
        std::vector<MeasuredTwist> measured;
        for (std::size_t i = 0; i < s.bodies.size(); ++i) {
          twist_derivatives(s.model, s.kin.q(), rates, s.frame(i), rep, V);
          measured.push_back({s.frame(i), V.V[static_cast<std::size_t>(n)], 1, 0.5});
        }
        const VelocityFit fit =
            least_squares_rates(s.model, s.kin.q(), rates.leftCols(n), measured, rep);
        EXPECT_LE(largest(fit.v - rates.col(n)), 1e-9);
        EXPECT_EQ(fit.rank, s.model.nv());
        EXPECT_LE(fit.residual, 1e-9 * (1 + max_abs(measured.back().V)));
      }
    }
  }
  const Sample s(generator, {.bodies = 2});
  EXPECT_THROW(
      least_squares_rates(s.model, s.kin.q(), Eigen::MatrixXd(1, 1), {}, Representation::body),
      SizeError);
}

TEST(SystemKinematics, is_block_triangular_and_sparse) {
  std::mt19937_64 generator(22);
  const Sample s(generator, {.bodies = 40, .tree = true});
  const SystemKinematics system = system_kinematics(s.model, s.kin, Representation::body);
  const auto n = static_cast<Eigen::Index>(s.bodies.size());
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i + 1; j < n; ++j)
      EXPECT_EQ(largest(Eigen::MatrixXd(system.A).block<6, 6>(6 * i, 6 * j)), 0);
  EXPECT_LE(system.D.nonZeros(), 36 * n);
  EXPECT_LE(system.X.nonZeros(), 6 * s.model.nv());
}

TEST(InverseVelocities, return_the_velocities_of_consistent_twists) {
  std::mt19937_64 generator(23);
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 26, .tree = trial % 2 == 1, .kinds = regular_kinds()});
    for (const Representation rep : all_representations) {
      EXPECT_LE(largest(inverse_velocities(s.model, s.kin, s.twists(rep), rep) - s.kin.v()), 2e-12);
      EXPECT_LE(largest(inverse_accelerations(s.model, s.kin, s.accelerations_of_bodies(rep), rep) -
                        s.vd),
                1e-10);
    }
  }
}

/// With custom joints the velocities need not be unique, but they must reproduce the twists.
TEST(InverseVelocities, reproduce_the_twists_with_every_joint) {
  std::mt19937_64 generator(24);
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 15, .tree = trial % 2 == 1});
    const std::vector<Twist> V = s.twists(Representation::hybrid);
    const std::vector<Twist> A = s.accelerations_of_bodies(Representation::hybrid);
    AccelerationKinematics kin(s.model);
    forward_kinematics(s.model, s.kin.q(), s.kin.v(),
                       inverse_accelerations(s.model, s.kin, A, Representation::hybrid), kin);
    for (std::size_t i = 0; i < A.size(); ++i)
      EXPECT_CLOSE(acceleration(kin, s.frame(i), Representation::hybrid), A[i],
                   1e-11 * std::max(1.0, max_abs(A[i])));
    VelocityKinematics moving(s.model);
    forward_kinematics(s.model, s.kin.q(),
                       inverse_velocities(s.model, s.kin, V, Representation::hybrid), moving);
    for (std::size_t i = 0; i < V.size(); ++i)
      EXPECT_CLOSE(twist(moving, s.frame(i), Representation::hybrid), V[i],
                   1e-12 * std::max(1.0, max_abs(V[i])));
  }
}

/// Far from the origin of the world the hybrid form loses what the rounding of positions takes, no
/// more: 1e-10 m at 1e6 m.
TEST(InverseVelocities, do_not_depend_on_the_place_in_the_world) {
  std::mt19937_64 generator(25);
  Mechanism mechanism =
      test::random_mechanism(generator, {.bodies = 6, .kinds = {{JointType::revolute}}});
  for (Body& body : mechanism.bodies) {
    if (auto* axis = std::get_if<AxisGeometry>(&body.joint.geometry)) axis->in = DescribedIn::body;
    if (body.pose.in == DescribedIn::world) body.pose.in = DescribedIn::parent;
  }
  mechanism.bodies[0].pose.C.r.x += 1e6;
  const Model model = compile(mechanism);
  VelocityKinematics kin(model);
  const Eigen::VectorXd v = test::random_vector(model.nv(), generator);
  forward_kinematics(model, test::random_configuration(model, generator), v, kin);
  std::vector<Twist> V;
  for (const int b : moving_bodies(model))
    V.push_back(
        twist(kin, model.bodies()[static_cast<std::size_t>(b)].frame, Representation::hybrid));
  EXPECT_LE(largest(inverse_velocities(model, kin, V, Representation::hybrid) - v), 1e-9);
}

TEST(LeastSquaresVelocities, are_exact_for_consistent_twists_of_all_bodies) {
  std::mt19937_64 generator(26);
  for (int trial = 0; trial < 10; ++trial) {
    const Sample s(generator, {.bodies = 13, .tree = trial % 2 == 1, .kinds = regular_kinds()});
    for (const Representation rep : all_representations) {
      std::vector<MeasuredTwist> measured;
      const std::vector<Twist> V = s.twists(rep);
      for (std::size_t i = 0; i < V.size(); ++i) measured.push_back({s.frame(i), V[i], 2, 0.5});
      const VelocityFit fit = least_squares_velocities(s.model, s.kin, measured, rep);
      EXPECT_EQ(fit.rank, s.model.nv());
      EXPECT_LE(largest(fit.v - s.kin.v()), 1e-11);
      EXPECT_LE(fit.residual, 1e-11);
    }
  }
}

/// At the minimum the gradient J^T W (J v - V) is zero, and every other v is worse: also that of
/// 003 (26), which is called the least-squares solution there.
TEST(LeastSquaresVelocities, are_the_minimum_for_noisy_twists) {
  std::mt19937_64 generator(27);
  const Sample s(generator, {.bodies = 13, .kinds = regular_kinds()});
  std::vector<Twist> V = s.twists(Representation::hybrid);
  std::vector<MeasuredTwist> measured;
  for (std::size_t i = 0; i < V.size(); ++i) {
    V[i] += random_tangent<Twist>(generator, 0.1);
    measured.push_back({s.frame(i), V[i]});
  }
  const VelocityFit fit =
      least_squares_velocities(s.model, s.kin, measured, Representation::hybrid);
  const Eigen::MatrixXd J = system_kinematics(s.model, s.kin, Representation::hybrid).J;
  Eigen::VectorXd stacked(J.rows());
  for (std::size_t i = 0; i < V.size(); ++i)
    stacked.segment<6>(6 * static_cast<Eigen::Index>(i)) = to_eigen(V[i]);
  EXPECT_LE(largest(J.transpose() * (J * fit.v - stacked)), 1e-11 * largest(J) * stacked.norm());
  EXPECT_NEAR(fit.residual, (J * fit.v - stacked).norm(), 1e-12 * stacked.norm());
  EXPECT_NEAR(fit.residual, fit.gap.norm(), 1e-13);
  const Eigen::VectorXd joint_by_joint =
      inverse_velocities(s.model, s.kin, V, Representation::hybrid);
  EXPECT_GT((J * joint_by_joint - stacked).norm(), 1.01 * fit.residual);
}

TEST(LeastSquaresVelocities, say_what_is_not_determined) {
  std::mt19937_64 generator(28);
  const Sample s(generator, {.bodies = 9, .kinds = {{JointType::revolute}}});
  const Frame tip = s.frame(8);
  const Twist V = twist(s.kin, tip, Representation::hybrid);
  const MeasuredTwist full[] = {{tip, V}}, linear[] = {{tip, V, 0, 1}};
  EXPECT_EQ(least_squares_velocities(s.model, s.kin, full, Representation::hybrid).rank, 6);
  const VelocityFit fit = least_squares_velocities(s.model, s.kin, linear, Representation::hybrid);
  EXPECT_EQ(fit.rank, 3);
  EXPECT_LE(fit.residual, 1e-13 * max_abs(V));
  EXPECT_LE(fit.v.norm(), s.kin.v().norm());  // the shortest
  const VelocityFit nothing = least_squares_velocities(s.model, s.kin, {}, Representation::hybrid);
  EXPECT_EQ(nothing.rank, 0);
  EXPECT_EQ(largest(nothing.v), 0);
}

TEST(SystemKinematics, refuses_bad_input) {
  std::mt19937_64 generator(29);
  const Sample s(generator, {.bodies = 2, .kinds = {{JointType::revolute}}});
  const std::vector<Twist> one(1);
  const auto message = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] { inverse_velocities(s.model, s.kin, one, Representation::body); }),
            "V has 1 entries; the model needs 2");
  EXPECT_EQ(message([&] { inverse_accelerations(s.model, s.kin, one, Representation::body); }),
            "V_dot has 1 entries; the model needs 2");
  MeasuredTwist m[] = {{s.frame(0), {}, -1, 1}};
  const auto fit = [&] { least_squares_velocities(s.model, s.kin, m, Representation::body); };
  EXPECT_EQ(message(fit), "measurement 0: weight -1; give a finite weight that is not negative");
  m[0] = {s.frame(0), {{0, NAN, 0}, {}}};
  EXPECT_EQ(message(fit),
            "measurement 0: the twist (0, nan, 0, 0, 0, 0) is not finite; leave it out");
}

TEST(SystemKinematics, of_a_model_that_cannot_move_is_empty) {
  Mechanism mechanism;
  mechanism.bodies.push_back({.name = "base", .joint = {}});
  const Model model = compile(mechanism);
  PositionKinematics kin(model);
  const SystemKinematics s = system_kinematics(model, kin, Representation::mixed);
  EXPECT_TRUE(s.bodies.empty());
  EXPECT_EQ(s.J.size(), 0);
  EXPECT_EQ(inverse_velocities(model, kin, {}, Representation::body).size(), 0);
}

}  // namespace
}  // namespace chasles
