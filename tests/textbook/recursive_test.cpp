/// The recursions in four representations: against each other, against the projection equations
/// and against virtual work. All kinds of joints, chains and trees.
#include "chasles/textbook/recursive.hpp"

#include <gtest/gtest.h>

#include "chasles/kinematics/system_jacobian.hpp"  // declares SpatialForm before the directive below
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"
#include "model/model_data.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "textbook/recursion_over.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::all_representations;
using test::largest;
using test::Sample;

TEST(TextbookInverseDynamics, agrees_with_the_projection_equations_in_all_representations) {
  std::mt19937_64 generator(1);
  double worst = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const auto applied = s.wrenches(generator);
    RecursiveDynamics work(s.model);
    const Eigen::VectorXd want =
        projection_equations(s.model, s.kin, Representation::body, applied);
    for (const Representation rep : all_representations) {
      const double scale = largest(want);
      const Eigen::VectorXd projected = projection_equations(s.model, s.kin, rep, applied);
      const Eigen::VectorXd& Q = inverse_dynamics(s.model, s.kin, s.a, rep, work, applied);
      worst = std::max({worst, largest(projected - want) / scale, largest(Q - want) / scale});
    }
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-12);
}

TEST(TextbookInverseDynamics, has_the_twists_and_accelerations_of_the_kinematics) {
  std::mt19937_64 generator(2);
  for (int trial = 0; trial < 10; ++trial) {
    Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    RecursiveDynamics work(s.model);
    for (const Representation rep : all_representations) {
      inverse_dynamics(s.model, s.kin, s.a, rep, work);
      double size = 1, worst = 0;
      for (int i = 0; i < static_cast<int>(work.V.size()); ++i) {
        const Frame frame{i, {}, s.model.id()};
        const auto k = static_cast<std::size_t>(i);
        Twist A = acceleration(s.kin, frame, rep);
        const Vec3 g = s.model.gravity();
        A.v -= rep == Representation::body ? inverse_times(s.kin.C()[k].R, g) : g;
        size = std::max(size, max_abs(A));
        worst = std::max({worst, test::distance(work.V[k], twist(s.kin, frame, rep)),
                          test::distance(work.V_dot[k], A)});
      }
      // The linear part of the spatial form, far from its point, is a sum that nearly cancels.
      EXPECT_LE(worst, 1e-12 * size);
    }
  }
}

TEST(TextbookForwardDynamics, is_the_inverse_of_inverse_dynamics_in_all_representations) {
  std::mt19937_64 generator(3);
  double worst_Q = 0, worst_a = 0, worst_W = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Sample s = test::regular_sample(generator, trial % 2 == 1);
    const auto applied = s.wrenches(generator);
    RecursiveDynamics forward(s.model), inverse(s.model);
    // Independent: dense Cholesky of J^T M J.
    const Eigen::VectorXd h =
        projection_equations(s.model, s.kin, Representation::hybrid, applied) - s.M * s.a;
    const Eigen::VectorXd want = s.M.llt().solve(s.tau - h);
    for (const Representation rep : all_representations) {
      const Eigen::VectorXd& a = forward_dynamics(s.model, s.kin, s.tau, rep, forward, applied);
      const Eigen::VectorXd& Q = inverse_dynamics(s.model, s.kin, a, rep, inverse, applied);
      worst_a = std::max(worst_a, largest(a - want) / largest(want));
      const double scale = std::max(largest(h), largest(s.tau));
      worst_Q = std::max(worst_Q, largest(Q - s.tau) / scale);
      double W_size = 0, W_error = 0;
      for (std::size_t i = 0; i < forward.W.size(); ++i) {
        W_size = std::max(W_size, max_abs(inverse.W[i]));
        W_error = std::max(W_error, test::distance(forward.W[i], inverse.W[i]));
      }
      worst_W = std::max(worst_W, W_error / W_size);
    }
  }
  std::printf("  accelerations %.1e, ID(FD) %.1e, reactions %.1e\n", worst_a, worst_Q, worst_W);
  EXPECT_LE(worst_a, 1e-10);
  EXPECT_LE(worst_Q, 1e-10);
  EXPECT_LE(worst_W, 1e-10);
}

/// What the joint transmits is what all bodies behind it need, less what acts on them: the sum of
/// their Newton-Euler wrenches about the world's origin.
TEST(Reaction, is_the_wrench_that_moves_what_the_joint_carries) {
  std::mt19937_64 generator(4);
  for (int trial = 0; trial < 10; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    RecursiveDynamics work(s.model);
    const auto applied = s.wrenches(generator);
    for (const Representation computed_in : all_representations) {
      const Eigen::VectorXd Q = inverse_dynamics(s.model, s.kin, s.a, computed_in, work, applied);
      for (std::size_t j = 0; j < s.model.joints().size(); ++j) {
        const ModelJoint& joint = s.model.joints()[j];
        const ModelBody& child = s.model.bodies()[static_cast<std::size_t>(joint.child)];
        const SE3 C = pose(s.kin, child.frame);
        const auto behind = [&](const Frame& frame) {
          return frame.link >= child.frame.link &&
                 frame.link < tree_links(s.model)[static_cast<std::size_t>(child.frame.link)].end;
        };
        Wrench want;
        for (const ModelBody& body : s.model.bodies()) {
          if (!behind(body.frame)) continue;
          const Inertia M = transform(pose(s.kin, body.frame), body.inertia);
          Twist A = acceleration(s.kin, body.frame, Representation::spatial);
          A.v -= s.model.gravity();
          want += newton_euler(M, twist(s.kin, body.frame, Representation::spatial), A);
        }
        for (const AppliedWrench& x : applied)
          if (behind(x.frame))
            want -=
                lie::convert(x.W, pose(s.kin, x.frame), x.representation, Representation::spatial);
        for (const Representation rep : all_representations) {
          const Wrench W = reaction(s.model, s.kin, work, j, rep);
          EXPECT_CLOSE(lie::convert(W, C, rep, Representation::spatial), want,
                       1e-11 * (1 + max_abs(want)));
        }
      }
    }
  }
}

TEST(Reaction, carries_the_weight_of_a_resting_arm) {
  const Model model = compile(MechanismBuilder("shelf")
                                  .body("arm", ground, joints::revolute({0, 0, 1}))
                                  .inertia(2, {0.5, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .build());
  VelocityKinematics kin(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  forward_kinematics(model, zero, zero, kin);
  RecursiveDynamics work(model);
  EXPECT_EQ(inverse_dynamics(model, kin, zero, Representation::mixed, work)[0], 0);
  const Wrench W = reaction(model, kin, work, 0, Representation::hybrid);
  EXPECT_CLOSE(W, (Wrench{{0, -9.81, 0}, {0, 0, 19.62}}), 1e-14);
  EXPECT_SAYS(reaction(model, kin, work, 1, Representation::body), "no joint 1", "has 1");
}

TEST(TextbookDynamics, rejects_wrong_sizes_and_foreign_frames) {
  std::mt19937_64 generator(5);
  const Sample s(generator, {.bodies = 3});
  RecursiveDynamics work(s.model);
  const Eigen::VectorXd longer = Eigen::VectorXd::Zero(s.model.nv() + 1);
  EXPECT_THROW(inverse_dynamics(s.model, s.kin, longer, Representation::body, work), SizeError);
  EXPECT_THROW(forward_dynamics(s.model, s.kin, longer, Representation::body, work), SizeError);
  const AppliedWrench foreign{{1000, {}}, {}, Representation::body};
  EXPECT_SAYS(inverse_dynamics(s.model, s.kin, s.a, Representation::body, work, {&foreign, 1}),
              "link 1000", "Model::frame");
  EXPECT_SAYS(forward_dynamics(s.model, s.kin, s.a, Representation::body, work, {&foreign, 1}),
              "link 1000", "Model::frame");
  EXPECT_SAYS(applied_forces(s.model, s.kin, {&foreign, 1}), "link 1000", "Model::frame");
}

/// A chain of two turns about x and y, z down the arm.
Mechanism two_turns(bool tip_has_mass) {
  MechanismBuilder builder("arm");
  builder.body("carrier", ground, joints::revolute({1, 0, 0}))
      .joint_name("first")
      .body("tip", "carrier", joints::revolute({0, 1, 0}))
      .joint_name("second");
  if (tip_has_mass) builder.inertia(1, {0, 0, 0.5}, Sym3::diagonal(0.1, 0.1, 0.1));
  return builder.build();
}

TEST(TextbookForwardDynamics, needs_no_mass_in_the_middle_but_one_at_the_end) {
  for (const Representation rep : all_representations) {
    const Eigen::VectorXd q = Eigen::Vector2d(0.3, 0.4), v = Eigen::Vector2d(1, 2),
                          tau = Eigen::Vector2d(0.1, 0.2);
    {
      const Model model = compile(two_turns(true));
      VelocityKinematics kin(model);
      RecursiveDynamics work(model);
      forward_kinematics(model, q, v, kin);
      const Eigen::VectorXd a = forward_dynamics(model, kin, tau, rep, work);
      EXPECT_LE(largest(inverse_dynamics(model, kin, a, rep, work) - tau), 1e-13);
    }
    const Model model = compile(two_turns(false));
    VelocityKinematics kin(model);
    RecursiveDynamics work(model);
    forward_kinematics(model, q, v, kin);
    EXPECT_THROW(forward_dynamics(model, kin, tau, rep, work), SingularError);
    EXPECT_SAYS(forward_dynamics(model, kin, tau, rep, work), "joint 'second'", "mass", "'tip'");
  }
}

/// Two turns about one line: M is singular although both joints move a mass. In floating point the
/// pivot is a rounding error of either sign.
TEST(TextbookForwardDynamics, sees_a_pivot_that_is_only_rounding) {
  std::mt19937_64 generator(6);
  for (int trial = 0; trial < 50; ++trial) {
    const Vec3 axis = random_tangent<Vec3>(generator, 1),
               point = random_tangent<Vec3>(generator, 1);
    const Model model = compile(
        MechanismBuilder("double")
            .body("a", ground, joints::revolute(axis, point))
            .joint_name("inner")
            .body("b", "a", joints::revolute(axis, point))
            .inertia(1.3, random_tangent<Vec3>(generator, 1), Sym3::diagonal(0.1, 0.12, 0.13))
            .build());
    VelocityKinematics kin(model);
    RecursiveDynamics work(model);
    forward_kinematics(model, test::random_vector(2, generator), test::random_vector(2, generator),
                       kin);
    EXPECT_SAYS(forward_dynamics(model, kin, Eigen::VectorXd::Ones(2), Representation::body, work),
                "joint 'inner'");
  }
}

/// Long chains lose digits to rounding: by how many, long double tells.
TEST(TextbookDynamics, of_a_thousand_bodies_against_long_double) {
  std::mt19937_64 generator(7);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 1000,
                  .kinds = {{JointType::revolute}, {JointType::revolute}, {JointType::prismatic}},
                  .size = 0.1}));
  const int n = model.nv();
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(n, generator, 0.1),
                        a = test::random_vector(n, generator, 0.1);
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  RecursiveDynamics work(model);
  test::RecursionOver<long double> reference(model, q, v);
  const Eigen::VectorXd tau = reference.inverse<textbook::BodyForm>(a);
  EXPECT_LE(largest(reference.inverse<textbook::HybridForm>(a) - tau), 1e-14 * largest(tau));
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  const Eigen::VectorXd free = reference.forward<textbook::BodyForm>(zero);
  for (const Representation rep : all_representations) {
    const double inverse = largest(inverse_dynamics(model, kin, a, rep, work) - tau) / largest(tau);
    const double forward =
        largest(forward_dynamics(model, kin, zero, rep, work) - free) / largest(free);
    std::printf("  inverse %.1e, forward %.1e\n", inverse, forward);
    EXPECT_LE(inverse, 1e-12);
    EXPECT_LE(forward, 1e-10);
  }
}

/// In body form nothing is measured from the world's origin.
TEST(TextbookDynamics, in_body_form_does_not_care_where_the_mechanism_stands) {
  std::mt19937_64 generator(8);
  Mechanism mechanism = test::random_mechanism(
      generator, {.bodies = 8,
                  .tree = true,
                  .kinds = {{JointType::revolute}, {JointType::spherical}, {JointType::helical}}});
  mechanism.bodies[0].joint = joints::floating();
  for (Body& body : mechanism.bodies)
    if (&body != &mechanism.bodies[0] && body.parent == ground) body.parent = "body0";
  const Model model = compile(mechanism);
  Eigen::VectorXd q = test::random_configuration(model, generator);
  const Eigen::VectorXd v = test::random_vector(model.nv(), generator),
                        x = test::random_vector(model.nv(), generator);
  VelocityKinematics kin(model);
  RecursiveDynamics work(model);
  const auto compute = [&](const Eigen::Vector3d& position) {
    q.segment<3>(4) = position;
    forward_kinematics(model, q, v, kin);
    const Eigen::VectorXd Q = inverse_dynamics(model, kin, x, Representation::body, work);
    return std::pair(Q, forward_dynamics(model, kin, x, Representation::body, work));
  };
  const auto near = compute({1, 2, 3}), far = compute({1e7, -2e7, 3e6});
  EXPECT_LE(largest(near.first - far.first), 1e-14 * largest(near.first));
  EXPECT_LE(largest(near.second - far.second), 1e-13 * largest(near.second));
}

TEST(TextbookDynamics, of_nothing_is_nothing) {
  const Model model = compile(MechanismBuilder("nothing").build());
  const Eigen::VectorXd none(0);
  VelocityKinematics kin(model);
  forward_kinematics(model, none, none, kin);
  RecursiveDynamics work(model);
  for (const Representation rep : all_representations) {
    EXPECT_EQ(inverse_dynamics(model, kin, none, rep, work).size(), 0);
    EXPECT_EQ(forward_dynamics(model, kin, none, rep, work).size(), 0);
  }
  EXPECT_EQ(coriolis_matrix(model, kin).size(), 0);
  EXPECT_EQ(christoffel_symbols(model, kin).Gamma.size(), 0u);
}

}  // namespace
}  // namespace chasles
