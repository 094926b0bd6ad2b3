/// States of a tree in maximal coordinates: bodies are where they were and move as they did, and the
/// loops that joints have become are as the joints are.

#include <gtest/gtest.h>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace {

using namespace chasles;

constexpr BodyGroup groups[] = {BodyGroup::se3, BodyGroup::so3xr3, BodyGroup::automatic};

/// A random tree at a random state, and its freed model at the same.
struct Both {
  Both(std::mt19937_64& generator, const Mechanism& mechanism, BodyGroup group)
      : tree(compile(mechanism)),
        absolute(compile(to_maximal_coordinates(mechanism, group))),
        kin(tree),
        absolute_kin(absolute),
        q(absolute.nq()),
        v(absolute.nv()) {
    forward_kinematics(tree, test::random_configuration(tree, generator, 0.5),
                       test::random_vector(tree.nv(), generator), kin);
    maximal_state(kin, absolute, q, v);
    forward_kinematics(absolute, q, v, absolute_kin);
  }
  Model tree, absolute;
  VelocityKinematics kin, absolute_kin;
  Vector q, v;
};

/// Chains of ten bodies reach twists of some 30 rad/s and m/s.
TEST(Absolute, bodies_are_where_they_were_and_move_as_they_did) {
  std::mt19937_64 generator(31);
  for (const BodyGroup group : groups)
    for (int n = 0; n < 10; ++n) {
      const Mechanism m =
          test::random_mechanism(generator, {.bodies = 16, .tree = n % 2 == 0, .armatures = false});
      const Both both(generator, m, group);
      for (const ModelBody& body : both.tree.bodies()) {
        const Frame there = both.absolute.frame(body.name);
        const SE3 C = pose(both.kin, body.frame);
        EXPECT_CLOSE(pose(both.absolute_kin, there), C, 1e-13 * (1 + max_abs(C.r)));
        for (const Representation rep : {Representation::body, Representation::hybrid}) {
          const Twist V = twist(both.kin, body.frame, rep);
          EXPECT_CLOSE(twist(both.absolute_kin, there, rep), V,
                       1e-13 * (1 + max_abs(V.w) + max_abs(V.v)));
        }
      }
    }
}

/// The relative pose and twist at each loop are those of the joint, as a model of the joint alone has
/// them at the coordinates of the tree.
TEST(Absolute, loops_are_as_the_joints_are) {
  std::mt19937_64 generator(32);
  for (const BodyGroup group : groups)
    for (int n = 0; n < 10; ++n) {
      Mechanism m =
          test::random_mechanism(generator, {.bodies = 16, .tree = true, .armatures = false});
      for (Body& body : m.bodies)  // custom joints have no point but those of their screws
        if (auto* a = std::get_if<AxisGeometry>(&body.joint.geometry))
          if (body.joint.type == JointType::custom) a->point = {};
      const Both both(generator, m, group);
      for (const ModelLoop& loop : both.absolute.loops()) {
        const ModelJoint& joint = both.tree.joint(loop.name);
        const SE3 C = relative_pose(both.absolute_kin, loop.from, loop.to);
        const Twist V = relative_twist(both.absolute_kin, loop.from, loop.to);
        VelocityKinematics alone(loop.joint);
        forward_kinematics(loop.joint, both.kin.q().segment(joint.q_index, joint.nq),
                           both.kin.v().segment(joint.v_index, joint.nv), alone);
        const Frame end = loop.joint.frame("body");
        if (loop.type == JointType::spherical) {  // its axes are those of the description here
          EXPECT_LT(max_abs(C.r), 1e-12);
          EXPECT_LT(max_abs(V.v), 1e-11);
          continue;
        }
        EXPECT_CLOSE(C, pose(alone, end), 1e-12);
        EXPECT_CLOSE(V, twist(alone, end, Representation::spatial), 1e-11);
      }
    }
}

TEST(Absolute, at_zero_all_is_at_zero) {
  std::mt19937_64 generator(33);
  const Mechanism m =
      test::random_mechanism(generator, {.bodies = 16, .tree = true, .armatures = false});
  const Model tree = compile(m),
              absolute = compile(to_maximal_coordinates(m, BodyGroup::automatic));
  PositionKinematics kin(tree);
  forward_kinematics(tree, tree.neutral(), kin);
  Vector q(absolute.nq());
  maximal_configuration(kin, absolute, q);
  EXPECT_LT((q - absolute.neutral()).lpNorm<Eigen::Infinity>(), 1e-13);
}

TEST(Absolute, says_what_does_not_fit) {
  std::mt19937_64 generator(34);
  const Mechanism m = MechanismBuilder("m")
                          .body("a", ground, joints::revolute({0, 0, 1}))
                          .body("b", "a", joints::spherical({1, 0, 0}))
                          .build();
  Both both(generator, m, BodyGroup::se3);
  Vector small(3);
  EXPECT_THROW(maximal_state(both.kin, both.absolute, small, both.v), SizeError);
  EXPECT_THROW(maximal_state(both.kin, both.absolute, both.q, small), SizeError);
  Vector q(both.tree.nq()), v(both.tree.nv());
  EXPECT_SAYS(maximal_state(both.kin, both.tree, q, v),
              "joint 'a' of 'm' is not a floating joint on ground", "to_maximal_coordinates()");
  const Model other =
      compile(MechanismBuilder("other").body("c", ground, joints::floating()).build());
  Vector q7(7), v6(6);
  EXPECT_SAYS(maximal_state(both.kin, other, q7, v6), "'c'");
}

}  // namespace
