#include "chasles/mechanism/mechanism.hpp"

#include "chasles/mechanism/builder.hpp"
#include "chasles/model/model.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

MechanismBuilder arm() {
  return MechanismBuilder("arm")
      .body("upper", ground, joints::revolute({0, 1, 0}, {0, 0, 0.3}))
      .inertia(2, {0, 0, 0.5}, Sym3::diagonal(0.02, 0.02, 0.01))
      .body("lower", "upper", joints::revolute({0, 2, 0}, {0, 0, 0.7}))
      .pose({{}, {0, 0, 0.7}})
      .frame("tip", "lower", {{}, {0, 0, 0.4}});
}

TEST(Builder, describes_and_builds) {
  const Mechanism m = arm().build();
  ASSERT_EQ(m.bodies.size(), 2u);
  EXPECT_EQ(m.bodies[1].parent, "upper");
  EXPECT_EQ(find_body(m, "lower"), 1);
  EXPECT_EQ(find_body(m, "ground"), -1);
  const ReferenceGeometry g = reference_geometry(m);
  EXPECT_CLOSE(g.A[1], (SE3{{}, {0, 0, 0.7}}), 0);
  EXPECT_CLOSE(g.J[1].R.matrix().c2, (Vec3{0, 1, 0}), 1e-16);
  EXPECT_CLOSE(g.J[1].r, (Vec3{0, 0, 0.7}), 0);
  EXPECT_SAYS(MechanismBuilder("empty").limits(0, 1), "no body yet");
}

/// The five ways of giving one joint: they must all mean the same.
TEST(Description, of_one_joint_in_every_frame_is_the_same_joint) {
  const SE3 A1 = exp(Twist{{0.3, -0.5, 0.2}, {1, 2, 3}}),
            A2 = exp(Twist{{-1, 0.4, 0.8}, {0.5, 0, 1}});
  const Vec3 axis{1, 2, -2}, point{0.4, 0.1, -0.3};
  const auto with = [&](Joint joint, const SE3& pose, In in) {
    return MechanismBuilder("m")
        .body("one", ground, joints::revolute({0, 0, 1}))
        .pose(A1)
        .body("two", "one", std::move(joint))
        .pose(pose, in)
        .build();
  };
  const SE3 B2 = inverse(A1) * A2;
  const auto in_frame = [&](const SE3& F, In in) {
    return joints::revolute(inverse_times(F.R, axis), inverse_times(F, point), in);
  };
  const SE3 J{SO3(), point};
  const Mechanism all[] = {
      with(in_frame({}, In::world), A2, In::world), with(in_frame(A1, In::parent), A2, In::world),
      with(in_frame(A2, In::body), B2, In::parent),
      with(joints::between(JointType::revolute, inverse(A1) * J, inverse(A2) * J, axis), {},
           In::world)};
  const Model first = compile(all[0]);
  for (const Mechanism& m : all) {
    const ReferenceGeometry g = reference_geometry(m);
    EXPECT_CLOSE(g.A[1], A2, 2e-15);
    const Model model = compile(m);
    EXPECT_CLOSE(model.joints()[1].Y[0], first.joints()[1].Y[0], 4e-15);
    EXPECT_CLOSE(model.joints()[1].X[0], Ad_inv(A2, first.joints()[1].Y[0]), 4e-15);
  }
}

TEST(Description, what_is_wrong_is_named) {
  const auto body = [](Joint joint) {
    return MechanismBuilder("m").body("arm", ground, std::move(joint)).joint_name("j1");
  };
  EXPECT_SAYS(compile(body(joints::revolute({0, 0, 0})).build()), "joint 'j1'",
              "axis (0, 0, 0) has no direction", "nonzero");
  EXPECT_SAYS(compile(body(joints::revolute({0, 0, 1}, {infinity, 0, 0})).build()), "joint 'j1'",
              "not finite");
  EXPECT_SAYS(body(joints::helical({0, 0, 1}, {}, infinity)).build(), "joint 'j1'", "pitch inf");
  Joint pitched = joints::revolute({0, 0, 1});
  pitched.pitch = 0.1;
  EXPECT_SAYS(body(pitched).build(), "revolute joint has no pitch", "0.1", "helical");
  EXPECT_SAYS(body(joints::custom({})).build(), "at least one screw");
  EXPECT_SAYS(compile(body(joints::custom({{{0, 0, 0}, {}, 0}})).build()), "joint 'j1'",
              "axis (0, 0, 0)");
  EXPECT_SAYS(compile(body(joints::of(JointType::universal, {0, 0, 1})).x_axis({0, 1, 1}).build()),
              "x_axis (0, 1, 1)", "cosine is 0.707", "custom");
  EXPECT_SAYS(MechanismBuilder("m").body("", ground, joints::free()).build(), "body 1 has no name");
  EXPECT_SAYS(MechanismBuilder("m").body("ground", ground, joints::free()).build(), "fixed world");
  EXPECT_SAYS(arm().body("lower", ground, joints::free()).build(), "body 'lower'", "used twice");
  EXPECT_SAYS(arm().body("hand", "loewr", joints::free()).build(), "body 'hand', parent",
              "did you mean 'lower'?");
  EXPECT_SAYS(
      MechanismBuilder("m").body("a", "b", joints::free()).body("b", "a", joints::free()).build(),
      "body 'a'", "cycle");
  EXPECT_SAYS(arm().frame("tip", "lower", {}).build(), "frame 'tip'", "used twice");
  EXPECT_SAYS(arm().frame("lower", "lower", {}).build(), "a body has this name");
  EXPECT_SAYS(arm().frame("eye", "head", {}).build(), "no body 'head'");
  EXPECT_SAYS(arm().inertia(-1, {}, {}).build(), "body 'lower'", "mass -1 kg is negative",
              "physical: false");
  EXPECT_SAYS(arm().inertia(1, {}, Sym3::diagonal(1, 1, 3)).build(), "triangle inequality");
  EXPECT_SAYS(arm().gravity({0, 0, infinity}).build(), "gravity (0, 0, inf)");
  EXPECT_SAYS(arm().loop({"l", {"lower", "lower"}}).build(), "both ends are on 'lower'");
  EXPECT_SAYS(arm().loop({"l", {"lower", "lowe"}}).build(), "loop 'l'", "did you mean 'lower'");
  EXPECT_SAYS(arm().pose({}, In::body).build().bodies.empty()
                  ? 0
                  : (compile(arm().pose({}, In::body).build()), 0),
              "not in the body itself");
  EXPECT_SAYS(compile(arm().build()).place("uper"), "no body or frame 'uper'",
              "did you mean 'upper'?");
}

}  // namespace
}  // namespace chasles
