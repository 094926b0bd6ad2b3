/// Many frames at once: poses of a known configuration give it back; inconsistent ones give the minimum, where the
/// gradient is zero along every motion that loops and limits permit.
#include "chasles/systems/pose_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "chasles/constraints/analysis.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "support/overconstrained.hpp"
#include "support/random_mechanism.hpp"
#include "support/representations.hpp"

namespace pose_fit_test {

using namespace chasles;

std::vector<MeasuredPose> poses_at(const Model& model, const Vector& q, double angular = 1,
                                   double linear = 1) {
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  std::vector<MeasuredPose> list;
  for (const ModelBody& body : model.bodies())
    if (body.frame.link >= 0) list.push_back({body.frame, pose(kin, body.frame), angular, linear});
  return list;
}
double cost(const Model& model, const Vector& q, const std::vector<MeasuredPose>& measured) {
  double sum = 0;
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  for (const MeasuredPose& m : measured) {
    const SE3 C = pose(kin, m.frame);
    const Vec3 w = log(inverse(C.R) * m.C.R), d = m.C.r - C.r;
    sum += m.rotation * dot(w, w) + m.position * dot(d, d);
  }
  return sum;
}

TEST(PoseFit, returns_the_configuration_of_trees) {
  std::mt19937_64 generator(51);
  for (int trial = 0; trial < 5; ++trial) {
    const Model model = compile(test::random_mechanism(
        generator,
        {.bodies = 8,
         .tree = trial % 2 == 1,
         .kinds = {{JointType::revolute}, {JointType::prismatic}, {JointType::spherical}}}));
    Constraints constraints(model);
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    Vector start(model.nq());
    plus(model, q, 0.3 * test::random_vector(model.nv(), generator), start);
    const auto measured = poses_at(model, q);
    const PoseFit fit = fit_poses(constraints, measured, {.q0 = start});
    EXPECT_TRUE(fit.converged);
    EXPECT_LE(fit.residual, 1e-12);
    EXPECT_LE(std::sqrt(cost(model, fit.q, measured)), 1e-12);
  }
}

/// Attitudes of all bodies alone determine the angles of a planar linkage; positions alone as well.
TEST(PoseFit, closes_loops_from_positions_or_attitudes) {
  for (const Mechanism& mechanism : {studies::four_bar(), test::bennett(), studies::slider_crank()})
    for (const bool attitudes : {true, false}) {
      const Model model = compile(mechanism);
      Constraints constraints(model);
      const Vector q0 = assemble(constraints, model.neutral());
      Vector d = Vector::Zero(model.nv()), near(model.nq());
      d[0] = 0.2;
      plus(model, q0, d, near);
      const Vector q = assemble(constraints, near);
      const auto measured = poses_at(model, q, attitudes ? 1 : 0, attitudes ? 0 : 1);
      const PoseFit fit = fit_poses(constraints, measured, {.q0 = q0});
      EXPECT_LE((fit.q - q).cwiseAbs().maxCoeff(), 1e-8) << model.name();
      EXPECT_LE(fit.residual, 1e-9) << model.name();
    }
}

/// With errors in the poses of a closed mechanism no motion along the kernel of B reduces the sum of squares, and loops
/// are closed.
TEST(PoseFit, of_inconsistent_poses_is_a_minimum_with_closed_loops) {
  std::mt19937_64 generator(52);
  const Model model = compile(studies::stewart());
  Constraints constraints(model);
  const Vector q0 = assemble(constraints, model.neutral());
  std::vector<MeasuredPose> measured = poses_at(model, q0, 0.5, 2);
  for (MeasuredPose& m : measured) {
    const Eigen::VectorXd x = 0.02 * test::random_vector(6, generator);
    m.C = m.C * exp(Twist{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  }
  const PoseFit fit = fit_poses(constraints, measured, {.q0 = q0});
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.residual * fit.residual, cost(model, fit.q, measured), 1e-12);
  PositionKinematics kin(model);
  forward_kinematics(model, fit.q, kin);
  Vector Phi(constraints.constraint_count());
  constraints.constraint_error(kin, Phi);
  EXPECT_LE(Phi.cwiseAbs().maxCoeff(), 1e-10);
  for (int trial = 0; trial < 5; ++trial) {
    Vector moved(model.nq());
    const Vector v =
        consistent_velocity(constraints, fit.q, test::random_vector(model.nv(), generator));
    const auto at = [&](double t) {
      plus(model, fit.q, t * v, moved);
      return cost(model, moved, measured);
    };
    EXPECT_NEAR((at(1e-4) - at(-1e-4)) / 2e-4, 0, 1e-6 * v.norm());
  }
}

/// A joint that would have to leave its limits stops there, and the rest is the minimum without it.
TEST(PoseFit, keeps_joint_limits) {
  const Model model = compile(MechanismBuilder("arm")
                                  .body("a", ground, joints::revolute({0, 0, 1}))
                                  .limits(-0.5, 0.5)
                                  .body("b", "a", joints::revolute({0, 0, 1}, {1, 0, 0}))
                                  .pose({{}, {1, 0, 0}})
                                  .build());
  Constraints constraints(model);
  const MeasuredPose measured[] = {{model.frame("a"), {exp(Vec3{0, 0, 1}), {}}, 1, 0},
                                   {model.frame("b"), {exp(Vec3{0, 0, 1.5}), {}}, 1, 0}};
  const PoseFit fit = fit_poses(constraints, measured);
  EXPECT_NEAR(fit.q[0], 0.5, 0);
  EXPECT_NEAR(fit.q[1], 1, 1e-9);
  EXPECT_EQ(fit.active_limits, std::vector<int>{0});
  EXPECT_NEAR(fit.rotation_error[0], 0.5, 1e-12);
}

/// Twists and accelerations of all bodies of a closed mechanism give its velocities and accelerations; weights of zero
/// leave measurements out.
TEST(PoseFit, velocities_and_accelerations_satisfy_constraints) {
  std::mt19937_64 generator(53);
  const Model model = compile(studies::delta());
  Constraints constraints(model);
  const Vector q = assemble(constraints, model.neutral());
  const Vector v = consistent_velocity(constraints, q, test::random_vector(model.nv(), generator));
  AccelerationKinematics kin(model);
  const Vector zero(model.nv());
  forward_kinematics(model, q, v, zero, kin);
  constraints.update(kin);
  Matrix B;
  Vector bias(constraints.constraint_count());
  constraints.matrix(kin, B);
  constraints.bias(kin, bias);
  const Eigen::VectorXd a = B.completeOrthogonalDecomposition().solve(Eigen::VectorXd(-bias));
  forward_kinematics(model, q, v, Vector(a), kin);
  for (const Representation rep : test::all_representations) {
    std::vector<MeasuredTwist> twists, accelerations;
    for (const ModelBody& body : model.bodies()) {
      if (body.frame.link < 0) continue;
      twists.push_back({body.frame, twist(kin, body.frame, rep)});
      accelerations.push_back({body.frame, acceleration(kin, body.frame, rep)});
    }
    twists.push_back({model.bodies().back().frame, Twist{{1, 1, 1}, {1, 1, 1}}, 0, 0});
    const VelocityFit fit = fit_velocities(constraints, q, twists, rep);
    EXPECT_LE((fit.v - v).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LE((B * fit.v).cwiseAbs().maxCoeff(), 1e-12);
    const VelocityFit second = fit_accelerations(constraints, q, v, accelerations, rep);
    EXPECT_LE((second.v - a).cwiseAbs().maxCoeff(), 1e-9);
  }
  // Without measurements: the least velocity, none.
  EXPECT_EQ(fit_velocities(constraints, q, {}, Representation::body).v.norm(), 0);
}

TEST(PoseFit, refuses_bad_input) {
  const Model model = compile(studies::four_bar()), other = compile(studies::four_bar());
  Constraints constraints(model);
  const Frame frame = model.bodies().back().frame;
  const auto fit = [&](const MeasuredPose& m) { fit_poses(constraints, std::span(&m, 1)); };
  EXPECT_THROW(fit({frame, {}, -1, 1}), Error);
  EXPECT_THROW(fit({frame, {}, 1, NAN}), Error);
  EXPECT_THROW(fit({frame, {SO3{}, {NAN, 0, 0}}, 1, 1}), Error);
  EXPECT_NO_THROW(fit({frame, {SO3{}, {NAN, 0, 0}}, 1, 0}));
  EXPECT_THROW(fit({other.bodies().back().frame, {}, 1, 1}), ForeignError);
  EXPECT_THROW(fit_poses(constraints, {}, {.starts = 0}), Error);
  EXPECT_THROW(fit_poses(constraints, {}, {.q0 = Vector(1)}), SizeError);
  EXPECT_THROW(fit_velocities(constraints, Vector(1), {}, Representation::body), SizeError);
  EXPECT_THROW(fit_accelerations(constraints, model.neutral(), Vector(1), {}, Representation::body),
               SizeError);
}

}  // namespace pose_fit_test
