/// Maximal coordinates as a description: what hangs where, what has become a loop, what is refused.

#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace {

using namespace chasles;

constexpr BodyGroup groups[] = {BodyGroup::se3, BodyGroup::so3xr3, BodyGroup::automatic};

const Loop* find_loop(const Mechanism& m, const std::string& name) {
  for (const Loop& loop : m.loops)
    if (loop.name == name) return &loop;
  return nullptr;
}

TEST(Freed, keeps_bodies_where_they_are_and_makes_loops_of_joints) {
  std::mt19937_64 generator(21);
  for (const BodyGroup group : groups)
    for (int n = 0; n < 5; ++n) {
      Mechanism m =
          test::random_mechanism(generator, {.bodies = 32, .tree = true, .armatures = false});
      m.loops = {{"given", {"body2", "body7"}, JointType::revolute, AxisGeometry{}}};
      const Mechanism f = to_maximal_coordinates(m, group);
      ASSERT_NO_THROW(check(f));
      const ReferenceGeometry g = reference_geometry(m), h = reference_geometry(f);
      ASSERT_EQ(f.bodies.size(), m.bodies.size());
      std::size_t loops = 1;
      for (std::size_t i = 0; i < m.bodies.size(); ++i) {
        const Body &given = m.bodies[i], &body = f.bodies[i];
        EXPECT_EQ(body.name, given.name);
        EXPECT_EQ(body.inertia->mass, given.inertia->mass);
        EXPECT_CLOSE(h.A[i], g.A[i], 1e-14);
        const Loop* loop = find_loop(f, given.joint.name);
        if (given.joint.type == JointType::fixed) {
          EXPECT_EQ(body.joint.type, JointType::fixed);
          EXPECT_EQ(body.parent, given.parent);
        } else {
          EXPECT_EQ(body.joint.type, JointType::floating);
          EXPECT_EQ(body.parent, ground);
          if (group != BodyGroup::automatic) {
            EXPECT_EQ(body.joint.group == FloatingGroup::se3, group == BodyGroup::se3);
          }
        }
        if (given.joint.type == JointType::fixed || given.joint.type == JointType::floating) {
          EXPECT_EQ(loop, nullptr);
          continue;
        }
        ++loops;
        ASSERT_NE(loop, nullptr) << given.joint.name;
        EXPECT_EQ(loop->type, given.joint.type);
        EXPECT_EQ(loop->bodies, (std::array{given.parent, given.name}));
        EXPECT_EQ(loop->geometry.index(), given.joint.geometry.index());
        EXPECT_EQ(loop->pitch, given.joint.pitch);
        EXPECT_EQ(loop->screws.size(), given.joint.screws.size());
        EXPECT_EQ(loop->parameterization, given.joint.parameterization);
      }
      EXPECT_EQ(f.loops.size(), loops);
      EXPECT_EQ(f.frames.size(), m.frames.size());
      EXPECT_EQ(f.loops.back().name, "given");
    }
}

/// SE(3) is for bodies that a joint or a loop binds to ground, also by bodies fixed to either.
TEST(Freed, chooses_a_group_for_each_body) {
  const auto ball = [](const char* name, const char* a, const char* b) {
    return Loop{
        .name = name, .bodies = {a, b}, .type = JointType::spherical, .geometry = AxisGeometry{}};
  };
  const Mechanism m = MechanismBuilder("m")
                          .body("post", ground, joints::fixed())
                          .body("on_ground", ground, joints::revolute({0, 0, 1}))
                          .body("on_post", "post", joints::spherical())
                          .body("second", "on_post", joints::spherical())
                          .body("closed", "second", joints::spherical())
                          .body("carrier", "second", joints::spherical())
                          .body("foot", "carrier", joints::fixed())
                          .body("floating", ground, joints::floating())
                          .body("anchored", ground, joints::floating(FloatingGroup::so3xr3))
                          .body("inner", "floating", joints::revolute({0, 0, 1}))
                          .loop(ball("l1", "closed", "ground"))
                          .loop(ball("l2", "post", "foot"))
                          .loop(ball("l3", "anchored", "post"))
                          .loop(ball("l4", "inner", "second"))
                          .build();
  const Mechanism f = to_maximal_coordinates(m, BodyGroup::automatic);
  const auto group = [&](const char* name) {
    return f.bodies[static_cast<std::size_t>(find_body(f, name))].joint.group;
  };
  for (const char* name : {"on_ground", "on_post", "closed", "carrier", "anchored"})
    EXPECT_EQ(group(name), FloatingGroup::se3) << name;
  for (const char* name : {"second", "floating", "inner"})
    EXPECT_EQ(group(name), FloatingGroup::so3xr3) << name;
}

/// Groups that are given for some bodies.
TEST(Freed, takes_groups_by_body) {
  const Mechanism m = MechanismBuilder("m")
                          .body("a", ground, joints::revolute({0, 0, 1}))
                          .body("b", "a", joints::spherical())
                          .body("c", "b", joints::spherical())
                          .body("tool", "c", joints::fixed())
                          .build();
  const Mechanism f = to_maximal_coordinates(m, BodyGroup::automatic,
                                             {{"a", BodyGroup::so3xr3}, {"b", BodyGroup::se3}});
  EXPECT_EQ(f.bodies[0].joint.group, FloatingGroup::so3xr3);
  EXPECT_EQ(f.bodies[1].joint.group, FloatingGroup::se3);
  EXPECT_EQ(f.bodies[2].joint.group, FloatingGroup::so3xr3);
  EXPECT_EQ(to_maximal_coordinates(m, BodyGroup::so3xr3, {{"b", BodyGroup::automatic}})
                .bodies[1]
                .joint.group,
            FloatingGroup::so3xr3);
  EXPECT_SAYS(to_maximal_coordinates(m, BodyGroup::se3, {{"tol", BodyGroup::se3}}), "'tol'",
              "did you mean 'tool'");
  EXPECT_SAYS(to_maximal_coordinates(m, BodyGroup::se3, {{"tool", BodyGroup::se3}}), "'tool'",
              "fixed to 'c'");
}

TEST(Freed, leaves_limits_out_and_refuses_what_needs_joint_coordinates) {
  const auto arm = [] {
    return MechanismBuilder("arm")
        .body("upper", ground, joints::revolute({0, 1, 0}))
        .joint_name("shoulder")
        .body("lower", "upper", joints::revolute({0, 1, 0}, {0, 0, 1}))
        .joint_name("elbow");
  };
  const Mechanism limited = to_maximal_coordinates(arm().limits(-1, 1).build(), BodyGroup::se3);
  EXPECT_FALSE(limited.bodies[1].joint.limits);

  EXPECT_SAYS(to_maximal_coordinates(arm().dynamics(0.5, 0).build(), BodyGroup::se3),
              "joint 'elbow': its damping 0.5, friction 0 and stiffness 0", "minimal coordinates");
  EXPECT_SAYS(to_maximal_coordinates(arm().dynamics(0, 0.1).build(), BodyGroup::se3),
              "friction 0.1");
  EXPECT_SAYS(to_maximal_coordinates(arm().rotor({1e-4, 50}).build(), BodyGroup::se3),
              "joint 'elbow'", "gear of its rotor");
  EXPECT_SAYS(to_maximal_coordinates(arm().armature(0.25).build(), BodyGroup::se3),
              "joint 'elbow': its armature 0.25", "minimal coordinates");
  Mechanism mimic = arm().build();
  mimic.bodies[1].joint.mimic = Mimic{"shoulder", 2, 0};
  EXPECT_SAYS(to_maximal_coordinates(mimic, BodyGroup::se3), "joint 'elbow': it mimics 'shoulder'",
              "maximal coordinates do not have");
  EXPECT_SAYS(
      to_maximal_coordinates(arm().coupling({"gear", {{"shoulder", 1}, {"elbow", -2}}}).build(),
                             BodyGroup::se3),
      "coupling 'gear': it is a relation between joint coordinates");
  EXPECT_SAYS(to_maximal_coordinates(arm()
                                         .loop({.name = "elbow",
                                                .bodies = {"lower", "ground"},
                                                .type = JointType::spherical,
                                                .geometry = AxisGeometry{}})
                                         .build(),
                                     BodyGroup::se3),
              "joint 'elbow': a loop has this name already");
  Mechanism wrong = arm().build();
  wrong.bodies[1].parent = "nobody";
  EXPECT_SAYS(to_maximal_coordinates(wrong, BodyGroup::se3), "there is no body 'nobody'");
}

/// A fixed joint may be named like another body, whose floating joint takes that name.
TEST(Freed, names_joints_like_their_bodies) {
  const Mechanism m = MechanismBuilder("m")
                          .body("a", ground, joints::revolute({0, 0, 1}))
                          .joint_name("turn")
                          .body("b", "a", joints::fixed())
                          .joint_name("a")
                          .build();
  const Model f = compile(to_maximal_coordinates(m, BodyGroup::se3));
  ASSERT_EQ(f.joints().size(), 1);
  EXPECT_EQ(f.joints()[0].name, "a");
  EXPECT_EQ(f.loops().at(0).name, "turn");
}

}  // namespace
