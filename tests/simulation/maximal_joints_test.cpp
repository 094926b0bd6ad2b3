/// Joints seen from maximal coordinates: every joint type, on both groups.
#include "simulation/maximal_joints.hpp"

#include <gtest/gtest.h>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

/// A tree of every joint type at a random state, and the same in maximal coordinates.
struct BothCoordinates {
  std::mt19937_64 generator;
  Model tree, absolute;
  Vector q, v;
  State state;

  BothCoordinates(unsigned seed, BodyGroup group) : generator(seed) {
    const Mechanism mechanism =
        test::random_mechanism(generator, {.bodies = 16, .tree = true, .armatures = false});
    tree = compile(mechanism), absolute = compile(to_maximal_coordinates(mechanism, group));
    q = test::random_configuration(tree, generator);
    v = test::random_vector(tree.nv(), generator);
    VelocityKinematics kin(tree);
    forward_kinematics(tree, q, v, kin);
    state = {0, Vector(absolute.nq()), Vector(absolute.nv())};
    maximal_state(kin, absolute, state.q, state.v);
  }
  /// Somewhere near q.
  Vector near(double size) {
    Vector step = size * test::random_vector(tree.nv(), generator), out(tree.nq());
    plus(tree, q, step, out);
    return out;
  }
};
constexpr BodyGroup both_groups[] = {BodyGroup::se3, BodyGroup::so3xr3};

TEST(MaximalJoints, have_the_coordinates_of_the_tree) {
  for (const BodyGroup group : both_groups)
    for (unsigned seed = 1; seed <= 10; ++seed) {
      BothCoordinates x(seed, group);
      MaximalJoints joints(x.tree, x.absolute, x.near(0.05));
      const State& found = joints.at(x.state);
      Vector off(x.tree.nv());
      minus(x.tree, found.q, x.q, off);
      EXPECT_LE(off.lpNorm<Eigen::Infinity>(), 1e-10) << seed;
      EXPECT_LE((found.v - x.v).lpNorm<Eigen::Infinity>(), 1e-9 * (1 + x.v.norm())) << seed;
    }
}

TEST(MaximalJoints, count_turns_along_a_motion) {
  BothCoordinates x(3, BodyGroup::so3xr3);
  const auto turns = std::ranges::find(x.tree.joints(), JointType::revolute, &ModelJoint::type);
  ASSERT_NE(turns, x.tree.joints().end());
  const int k = turns->q_index;
  MaximalJoints joints(x.tree, x.absolute, x.q);
  VelocityKinematics kin(x.tree);
  for (int i = 1; i <= 20; ++i) {
    x.q[k] += 1;
    forward_kinematics(x.tree, x.q, x.v, kin);
    maximal_state(kin, x.absolute, x.state.q, x.state.v);
    EXPECT_NEAR(joints.at(x.state).q[k], x.q[k], 1e-9);
    joints.follow(x.state);
  }
}

/// Forward dynamics of the tree, and of free bodies with constraints and wrenches.
TEST(MaximalJoints, forces_do_the_same_to_bodies) {
  for (const BodyGroup group : both_groups)
    for (unsigned seed = 1; seed <= 5; ++seed) {
      BothCoordinates x(seed, group);
      const Vector tau = test::random_vector(x.tree.nv(), x.generator);
      ForwardDynamics tree(x.tree);
      AccelerationKinematics there(x.tree), here(x.absolute);
      forward_kinematics(x.tree, x.q, x.v, forward_dynamics(x.tree, x.q, x.v, tau, tree), there);

      MaximalJoints joints(x.tree, x.absolute, x.q);
      joints.at(x.state);
      JointForces acting{Vector(x.absolute.nv()), {}};
      joints.add({tau, {}}, acting);
      VelocityKinematics kin(x.absolute);
      forward_kinematics(x.absolute, x.state.q, x.state.v, kin);
      EXPECT_NEAR(acting.power(kin), tau.dot(x.v), 1e-9 * (1 + tau.norm() * x.v.norm()));
      ConstrainedSystem system(x.absolute, {}, x.state.q);
      for (const ModelJoint& joint : x.tree.joints())
        system.constraints().follow(joint.name, x.q.segment(joint.q_index, joint.nq));
      const Vector a = system.forward_dynamics(x.state.q, x.state.v, acting.tau, acting.wrenches);
      forward_kinematics(x.absolute, x.state.q, x.state.v, a, here);
      for (const ModelBody& body : x.tree.bodies()) {
        const Twist A = acceleration(there, x.tree.frame(body.name), Representation::hybrid);
        const Twist B = acceleration(here, x.absolute.frame(body.name), Representation::hybrid);
        const double size = 1 + norm(A.w) + norm(A.v);
        EXPECT_LE(norm(A.w - B.w) + norm(A.v - B.v), 1e-6 * size) << seed << " " << body.name;
      }
    }
}

TEST(MaximalJoints, say_what_cannot_be_found) {
  BothCoordinates x(1, BodyGroup::se3);
  MaximalJoints joints(x.tree, x.absolute, x.q);
  x.state.q[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_SAYS(joints.at(x.state), "joint '", "cannot be found");
}

}  // namespace
}  // namespace chasles
