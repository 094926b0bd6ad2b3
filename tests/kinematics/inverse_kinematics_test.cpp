#include "chasles/kinematics/inverse_kinematics.hpp"

#include <gtest/gtest.h>

#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

/// An arm with seven revolute joints, the dimensions [m] and limits [rad] of a Franka Panda.
Mechanism seven_joint_arm(bool limited = true) {
  struct Row {
    Vec3 axis, point;
    double lower, upper;
  };
  const Row rows[] = {{{0, 0, 1}, {0, 0, 0.333}, -2.8973, 2.8973},
                      {{0, 1, 0}, {0, 0, 0.333}, -1.7628, 1.7628},
                      {{0, 0, 1}, {0, 0, 0.649}, -2.8973, 2.8973},
                      {{0, -1, 0}, {0.0825, 0, 0.649}, -3.0718, -0.0698},
                      {{0, 0, 1}, {0, 0, 1.033}, -2.8973, 2.8973},
                      {{0, -1, 0}, {0, 0, 1.033}, -0.0175, 3.7525},
                      {{0, 0, -1}, {0.088, 0, 1.033}, -2.8973, 2.8973}};
  Mechanism m{.name = "arm"};
  for (const Row& row : rows) {
    Body b;
    b.name = "link" + std::to_string(m.bodies.size() + 1);
    if (!m.bodies.empty()) b.parent = m.bodies.back().name;
    b.joint.type = JointType::revolute;
    b.joint.geometry = AxisGeometry{row.axis, row.point};
    if (limited) b.joint.limits = JointLimits{row.lower, row.upper, {}, {}};
    m.bodies.push_back(b);
  }
  m.frames.push_back({"hand", "link7", SE3{exp(Vec3{M_PI, 0, 0}), {0.088, 0, 0.926}}});
  return m;
}

bool within_limits(const Model& model, const Eigen::VectorXd& q) {
  for (const ModelJoint& joint : model.joints())
    if (joint.limits && joint.nq == 1)
      if (q[joint.q_index] < joint.limits->lower.value_or(-HUGE_VAL) ||
          q[joint.q_index] > joint.limits->upper.value_or(HUGE_VAL))
        return false;
  return true;
}
Eigen::VectorXd random_within_limits(const Model& model, std::mt19937_64& generator) {
  Eigen::VectorXd q = test::random_configuration(model, generator);
  for (const ModelJoint& joint : model.joints())
    if (joint.limits)
      q[joint.q_index] = std::uniform_real_distribution<double>(*joint.limits->lower,
                                                                *joint.limits->upper)(generator);
  return q;
}
SE3 pose_at(const Model& model, const Eigen::VectorXd& q, const Frame& frame) {
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  return pose(kin, frame);
}

/// 1000 reachable targets within the limits, from one fixed start: the target is reached, and the
/// pose is the one that positions() computes.
TEST(InverseKinematics, reaches_random_targets_of_a_seven_joint_arm) {
  std::mt19937_64 generator(31);
  const Model model = compile(seven_joint_arm());
  const Frame hand = model.frame("hand");
  int reached = 0, first = 0, iterations = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const SE3 target = pose_at(model, random_within_limits(model, generator), hand);
    const IkResult ik = inverse_kinematics(model, hand, target, {.starts = 50});
    reached += ik.success;
    first += ik.success && ik.starts == 1;
    iterations += ik.iterations;
    EXPECT_TRUE(within_limits(model, ik.q));
    if (ik.success) {
      EXPECT_CLOSE(pose_at(model, ik.q, hand), target, 2e-9);
    }
  }
  EXPECT_EQ(reached, 1000);
  EXPECT_GE(first, 500);          // 591 when written
  EXPECT_LE(iterations, 80'000);  // 40299 when written
}

/// From nearby, as in tracking a path, one start is enough and converges quadratically.
TEST(InverseKinematics, follows_a_path_in_few_iterations) {
  std::mt19937_64 generator(32);
  const Model model = compile(seven_joint_arm(false));
  const Frame hand = model.frame("hand");
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::VectorXd q = test::random_configuration(model, generator, 1);
    const Eigen::VectorXd near = q + 0.02 * test::random_vector(7, generator);
    const IkResult ik =
        inverse_kinematics(model, hand, pose_at(model, q, hand), {.q0 = near, .starts = 1});
    EXPECT_TRUE(ik.success) << ik.position_error << ", " << ik.rotation_error;
    EXPECT_LE(ik.iterations, 15);
    EXPECT_LE((ik.q - q).norm(), 3);
  }
}

/// The farthest point of a planar arm of three links of 1 m is 3 m away.
TEST(InverseKinematics, reports_the_distance_to_a_target_out_of_reach) {
  Mechanism m{.name = "planar"};
  for (int i = 0; i < 3; ++i) {
    Body b;
    b.name = std::string(1, static_cast<char>('a' + i));
    if (i > 0) b.parent = m.bodies.back().name;
    b.joint.type = JointType::revolute;
    b.joint.geometry = AxisGeometry{{0, 0, 1}, {static_cast<double>(i), 0, 0}};
    m.bodies.push_back(b);
  }
  m.frames.push_back({"tip", "c", SE3{SO3{}, {3, 0, 0}}});
  const Model model = compile(m);
  const SE3 target{SO3{}, {3, 4, 0}};
  const IkOptions options{.q0 = Eigen::Vector3d(0.3, 0.2, 0.1), .rotation_weight = 0, .starts = 4};
  const IkResult ik = inverse_kinematics(model, model.frame("tip"), target, options);
  EXPECT_FALSE(ik.success);
  EXPECT_EQ(ik.starts, 4);
  EXPECT_NEAR(ik.position_error, 2, 1e-9);
  EXPECT_CLOSE(pose_at(model, ik.q, model.frame("tip")).r, (Vec3{1.8, 2.4, 0}), 1e-4);

  // Out of the plane: the height is what is missing.
  const IkResult above =
      inverse_kinematics(model, model.frame("tip"), {SO3{}, {1, 1, 0.25}}, options);
  EXPECT_FALSE(above.success);
  EXPECT_NEAR(above.position_error, 0.25, 1e-9);

  // An attitude that a planar arm cannot have, position given up.
  const SE3 tilted{exp(Vec3{0.4, 0, 0}), {1, 1, 0}};
  const IkResult attitude =
      inverse_kinematics(model, model.frame("tip"), tilted, {.position_weight = 0, .starts = 3});
  EXPECT_FALSE(attitude.success);
  EXPECT_NEAR(attitude.rotation_error, 0.4, 1e-9);
}

TEST(InverseKinematics, stops_at_limits_and_names_them) {
  Mechanism m{.name = "slider"};
  Body b;
  b.name = "carriage";
  b.joint.name = "rail";
  b.joint.type = JointType::prismatic;
  b.joint.geometry = AxisGeometry{{1, 0, 0}, {}};
  b.joint.limits = JointLimits{-0.5, 0.5, {}, {}};
  m.bodies.push_back(b);
  const Model model = compile(m);
  const Frame carriage = model.frame("carriage");
  const IkResult ik = inverse_kinematics(model, carriage, {SO3{}, {2, 0, 0}}, {});
  EXPECT_FALSE(ik.success);
  EXPECT_EQ(ik.q[0], 0.5);
  EXPECT_EQ(ik.position_error, 1.5);
  EXPECT_EQ(ik.active_limits, std::vector<int>{0});
  // A start outside is brought to the limit first.
  const IkResult inside = inverse_kinematics(model, carriage, {SO3{}, {0.25, 0, 0}},
                                             {.q0 = Eigen::VectorXd::Constant(1, 7)});
  EXPECT_TRUE(inside.success);
  EXPECT_NEAR(inside.q[0], 0.25, 1e-9);
  EXPECT_TRUE(inside.active_limits.empty());
}

TEST(InverseKinematics, never_leaves_the_limits_on_unreachable_targets) {
  std::mt19937_64 generator(33);
  const Model model = compile(seven_joint_arm());
  for (int trial = 0; trial < 100; ++trial) {
    SE3 target = random_element<SE3>(generator, 1);
    target.r.x = 2 + std::abs(target.r.x);
    const IkResult ik = inverse_kinematics(model, model.frame("hand"), target, {.starts = 3});
    EXPECT_FALSE(ik.success);
    EXPECT_TRUE(within_limits(model, ik.q));
    // It reports what the configuration has.
    const SE3 C = pose_at(model, ik.q, model.frame("hand"));
    EXPECT_NEAR(ik.position_error, norm(target.r - C.r), 1e-14);
    EXPECT_NEAR(ik.rotation_error, norm(log(inverse(C.R) * target.R)), 1e-14);
  }
}

/// Joints on groups move by plus(): free bodies reach any pose at once, trees of all joints theirs.
TEST(InverseKinematics, works_with_every_joint_type) {
  std::mt19937_64 generator(34);
  for (int trial = 0; trial < 30; ++trial) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 15, .tree = trial % 2 == 1}));
    const Frame frame = model.frames().back().frame;
    if (frame.link < 0) continue;
    const SE3 target = pose_at(model, test::random_configuration(model, generator), frame);
    const IkResult ik = inverse_kinematics(model, frame, target,
                                           {.q0 = test::random_configuration(model, generator)});
    EXPECT_TRUE(ik.success) << ik.position_error << " m, " << ik.rotation_error << " rad";
    checked_configuration(model, ik.q);  // unit quaternions
  }
}

TEST(InverseKinematics, is_repeatable) {
  const Model model = compile(seven_joint_arm());
  const SE3 target{exp(Vec3{0.3, 2, -1}), {0.3, -0.3, 0.5}};
  const IkResult a = inverse_kinematics(model, model.frame("hand"), target, {.seed = 5}),
                 b = inverse_kinematics(model, model.frame("hand"), target, {.seed = 5});
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.iterations, b.iterations);
}

TEST(InverseKinematics, refuses_bad_input) {
  Mechanism mechanism = seven_joint_arm();
  const Model model = compile(mechanism);
  const Frame hand = model.frame("hand");
  const auto message = [&](const IkOptions& options, const SE3& target = {}) -> std::string {
    try {
      inverse_kinematics(model, hand, target, options);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({.q0 = Eigen::VectorXd::Zero(3)}), "q has 3 entries; the model needs 7");
  EXPECT_EQ(message({.q0 = Eigen::VectorXd::Constant(7, NAN)}),
            "joint 'link1': q = nan is not finite");
  EXPECT_EQ(message({}, {SO3{}, {0, HUGE_VAL, 0}}),
            "target: the position (0, inf, 0) is not finite");
  EXPECT_TRUE(message({}, {SO3::unchecked(2.0 * Mat3::identity()), {}})
                  .starts_with("target: not a rotation: |R^T R - I| = 3"));
  EXPECT_EQ(message({.position_weight = -1}),
            "position_weight is -1; give a finite number that is not negative");
  EXPECT_EQ(message({.rotation_tolerance = NAN}),
            "rotation_tolerance is nan; give a finite number that is not negative");
  EXPECT_EQ(message({.position_weight = 0, .rotation_weight = 0}),
            "position_weight and rotation_weight are both 0; then every pose will do");
  EXPECT_EQ(message({.starts = 0}), "starts is 0; give at least 1");
  EXPECT_EQ(message({.iterations = 0}), "iterations is 0; give at least 1");
  mechanism.bodies[2].joint.limits = JointLimits{1, -1, {}, {}};
  try {
    const Model impossible = compile(mechanism);
    inverse_kinematics(impossible, impossible.frame("hand"), {});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("link3"), std::string::npos) << e.what();
  }
}

/// Squares of such errors are beyond the range of numbers, or below it.
TEST(InverseKinematics, targets_and_weights_of_any_size) {
  const Model model = compile(seven_joint_arm());
  const Frame hand = model.frame("hand");
  for (const double far : {1e3, 1e10, 1e100, 1e160, 1e200, 1e307}) {
    const SE3 target{SO3{}, {far, -far, 0}};
    const IkResult ik = inverse_kinematics(model, hand, target, {.starts = 3});
    EXPECT_FALSE(ik.success);
    EXPECT_EQ(ik.starts, 3);
    ASSERT_EQ(ik.q.size(), model.nq());
    EXPECT_TRUE(within_limits(model, ik.q));
    const Vec3 d = target.r - pose_at(model, ik.q, hand).r;
    EXPECT_NEAR(ik.position_error / std::hypot(d.x, d.y, d.z), 1, 1e-15) << far;
  }
  std::mt19937_64 generator(32);
  const SE3 target = pose_at(model, random_within_limits(model, generator), hand);
  const IkResult usual = inverse_kinematics(model, hand, target, {.starts = 50});
  EXPECT_TRUE(usual.success);
  for (const int exponent : {-1000, -800, 800, 1000}) {  // powers of two change no bit
    const double weight = std::ldexp(1, exponent);
    const IkResult ik = inverse_kinematics(
        model, hand, target, {.position_weight = weight, .rotation_weight = weight, .starts = 50});
    EXPECT_EQ(ik.q, usual.q) << weight;
  }
  EXPECT_THROW(inverse_kinematics(model, hand, {SO3{}, {1e300, 0, 0}}, {.position_weight = 1e300}),
               Error);
}

TEST(InverseKinematics, of_what_cannot_move_says_how_far_it_is) {
  const Model model = compile(Mechanism{});
  const IkResult ik = inverse_kinematics(model, model.frame("ground"), {SO3{}, {0, 3, 4}});
  EXPECT_FALSE(ik.success);
  EXPECT_EQ(ik.position_error, 5);
}

}  // namespace
}  // namespace chasles
