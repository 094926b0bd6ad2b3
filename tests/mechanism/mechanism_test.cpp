#include "chasles/mechanism/mechanism.hpp"

#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/model/model.hpp"
#include "chasles/screws/screw.hpp"
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

/// The ways of giving one joint: they must all mean the same.
/// @paper 000 (91), (94)
/// @paper 003 section 2.2, (3), (5), (7), (11), (12), Remark 3
TEST(Description, of_one_joint_in_every_frame_is_the_same_joint) {
  const SE3 A1 = exp(Twist{{0.3, -0.5, 0.2}, {1, 2, 3}}),
            A2 = exp(Twist{{-1, 0.4, 0.8}, {0.5, 0, 1}});
  const Vec3 axis{1, 2, -2}, point{0.4, 0.1, -0.3};
  const auto with = [&](Joint joint, const SE3& pose, DescribedIn in) {
    MechanismBuilder builder("m");
    builder.body("one", ground, joints::revolute({0, 0, 1})).pose(A1);
    const bool has_frames = std::holds_alternative<FramesGeometry>(joint.geometry);
    builder.body("two", "one", std::move(joint));
    if (!has_frames) builder.pose(pose, in);
    return builder.build();
  };
  const SE3 B2 = inverse(A1) * A2;
  const auto in_frame = [&](const SE3& F, DescribedIn in) {
    return joints::revolute(inverse_times(F.R, axis), inverse_times(F, point), in);
  };
  const SE3 J{SO3(), point};
  const Twist Y = screw(axis, point);  // and the screw itself, 003 (12), (7), (5)
  const Mechanism all[] = {
      with(joints::of_screw(Y), A2, DescribedIn::world),
      with(joints::of_screw(Ad_inv(A1, Y), DescribedIn::parent), A2, DescribedIn::world),
      with(joints::of_screw(Ad_inv(A2, Y), DescribedIn::body), B2, DescribedIn::parent),
      with(in_frame({}, DescribedIn::world), A2, DescribedIn::world),
      with(in_frame(A1, DescribedIn::parent), A2, DescribedIn::world),
      with(in_frame(A2, DescribedIn::body), B2, DescribedIn::parent),
      with(joints::between(JointType::revolute, inverse(A1) * J, inverse(A2) * J, axis), {},
           DescribedIn::world)};
  const Model first = compile(all[0]);
  for (const Mechanism& m : all) {
    const ReferenceGeometry g = reference_geometry(m);
    EXPECT_CLOSE(g.A[1], A2, 2e-15);
    const Model model = compile(m);
    EXPECT_CLOSE(model.joints()[1].Y[0], first.joints()[1].Y[0], 4e-15);
    EXPECT_CLOSE(model.joints()[1].X[0], Ad_inv(A2, first.joints()[1].Y[0]), 4e-15);
  }
}

/// 003 (1), (2): pitch and translation come from the screw.
TEST(Description, of_a_screw_gives_its_joint_type) {
  const Joint helical = joints::of_screw(screw({0, 3, 4}, {1, 0, 2}, 0.05));
  EXPECT_EQ(helical.type, JointType::helical);
  EXPECT_NEAR(helical.pitch, 0.05, 1e-16);
  EXPECT_EQ(joints::of_screw({{}, {0, 0.6, 0.8}}).type, JointType::prismatic);
  EXPECT_EQ(joints::of_screw(screw({0, 3, 4}, {1, 0, 2})).type, JointType::revolute);
  EXPECT_SAYS(joints::of_screw({{0, 0, 2}, {}}), "has the length 2", "unit screw");
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
  EXPECT_SAYS(MechanismBuilder("m").body("", ground, joints::floating()).build(),
              "body 1 has no name");
  EXPECT_SAYS(MechanismBuilder("m").body("ground", ground, joints::floating()).build(),
              "fixed world");
  EXPECT_SAYS(arm().body("lower", ground, joints::floating()).build(), "body 'lower'",
              "used twice");
  EXPECT_SAYS(arm().body("hand", "loewr", joints::floating()).build(), "body 'hand', parent",
              "did you mean 'lower'?");
  EXPECT_SAYS(MechanismBuilder("m")
                  .body("a", "b", joints::floating())
                  .body("b", "a", joints::floating())
                  .build(),
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
  EXPECT_SAYS(arm().pose({}, DescribedIn::body).build().bodies.empty()
                  ? 0
                  : (compile(arm().pose({}, DescribedIn::body).build()), 0),
              "not in the body itself");
  EXPECT_SAYS(compile(arm().build()).frame("uper"), "no body or frame 'uper'",
              "did you mean 'upper'?");
}

TEST(Check, limits_are_for_one_coordinate) {
  const auto with = [](Joint joint, auto change) {
    joint.name = "j";
    change(joint);
    return MechanismBuilder("m").body("a", ground, std::move(joint)).build();
  };
  const auto limited = [](Joint& j) { j.limits = JointLimits{-1, 1, {}, {}}; };
  for (const JointType type : {JointType::revolute, JointType::prismatic})
    EXPECT_NO_THROW(with(joints::of(type, {0, 0, 1}), limited));
  EXPECT_NO_THROW(with(joints::helical({0, 0, 1}, {}, 0.1), limited));
  EXPECT_NO_THROW(with(joints::custom({{{0, 0, 1}, {}, 0}}), limited));
  for (const JointType type :
       {JointType::cylindrical, JointType::universal, JointType::planar, JointType::translation2,
        JointType::translation3, JointType::schoenflies, JointType::spherical,
        JointType::telescoping, JointType::floating, JointType::fixed})
    EXPECT_SAYS(with(joints::of(type, {0, 0, 1}), limited), "joint 'j'", "limits", "one coordinate",
                std::string(joint_type_info(type).name).c_str());
  EXPECT_SAYS(with(joints::custom({{{0, 0, 1}, {}, 0}, {{1, 0, 0}, {}, 0}}), limited), "limits");
  for (const double bad : {-1.0, -infinity, std::nan("")}) {
    const Joint turn = joints::revolute({0, 0, 1});
    EXPECT_SAYS(with(turn,
                     [&](Joint& j) {
                       j.limits = JointLimits{{}, {}, bad, {}};
                     }),
                "joint 'j'");
    EXPECT_SAYS(with(turn,
                     [&](Joint& j) {
                       j.limits = JointLimits{{}, {}, {}, bad};
                     }),
                "joint 'j'");
    EXPECT_SAYS(with(turn, [&](Joint& j) { j.dynamics.damping = bad; }), "joint 'j'", "damping");
    EXPECT_SAYS(with(turn, [&](Joint& j) { j.dynamics.friction = bad; }), "joint 'j'", "friction");
  }
  const auto damped = [](Joint& j) { j.dynamics.damping = 1; };
  EXPECT_SAYS(with(joints::floating(), damped), "a floating joint has no damping");
  EXPECT_SAYS(with(joints::fixed(), damped), "a fixed joint has no damping");
  EXPECT_NO_THROW(with(joints::spherical(), damped));
}

TEST(Check, mimic_relations) {
  const auto joined = [](std::initializer_list<std::pair<int, const char*>> relations) {
    MechanismBuilder builder("m");
    for (const char* name : {"a", "b", "c"})
      builder.body(name, ground, joints::revolute({0, 0, 1}));
    builder.body("d", ground, joints::of(JointType::planar, {0, 0, 1}));
    Mechanism m = builder.build();
    for (const auto& [body, other] : relations)
      m.bodies[static_cast<std::size_t>(body)].joint.mimic = Mimic{other, 1, 0};
    check(m);
  };
  EXPECT_NO_THROW(joined({{0, "b"}, {2, "b"}}));
  EXPECT_NO_THROW(joined({{0, "b"}, {1, "c"}}));  // a chain has a joint that is free to move
  EXPECT_SAYS(joined({{0, "a"}}), "joint 'a'", "itself");
  EXPECT_SAYS(joined({{0, "bb"}}), "joint 'a'", "'bb', which does not exist");
  EXPECT_SAYS(joined({{0, "b"}, {1, "a"}}), "cycle");
  EXPECT_SAYS(joined({{0, "b"}, {1, "c"}, {2, "a"}}), "cycle");
  EXPECT_SAYS(joined({{2, "a"}, {0, "b"}, {1, "a"}}), "cycle");
  EXPECT_SAYS(joined({{0, "d"}}), "joint 'a'", "one coordinate");
  EXPECT_SAYS(joined({{3, "a"}}), "joint 'd'", "one coordinate");
}

TEST(Check, loops_frames_and_poses) {
  const auto closed = [](auto change) {
    Loop loop{.name = "closure", .bodies = {"upper", "lower"}, .geometry = AxisGeometry{}};
    change(loop);
    return arm().loop(loop).build();
  };
  const double nan = std::nan("");
  const auto axis = [](Loop& l) -> AxisGeometry& { return std::get<AxisGeometry>(l.geometry); };
  EXPECT_NO_THROW(closed([](Loop&) {}));
  EXPECT_SAYS(closed([&](Loop& l) { axis(l).axis = {}; }), "loop 'closure'", "axis (0, 0, 0)");
  EXPECT_SAYS(closed([&](Loop& l) { axis(l).axis = {0, nan, 0}; }), "loop 'closure'", "axis");
  EXPECT_SAYS(closed([&](Loop& l) { axis(l).point = {0, nan, 0}; }), "loop 'closure'", "point");
  EXPECT_SAYS(closed([&](Loop& l) { axis(l).x_axis = axis(l).axis; }), "loop 'closure'", "x_axis");
  EXPECT_SAYS(closed([&](Loop& l) { l.pitch = nan; }), "loop 'closure'", "pitch nan");
  EXPECT_SAYS(closed([&](Loop& l) { l.pitch = 1; }), "loop 'closure'", "no pitch");
  EXPECT_SAYS(closed([&](Loop& l) { l.type = JointType::helical, l.pitch = infinity; }),
              "loop 'closure'", "pitch inf");
  EXPECT_SAYS(closed([&](Loop& l) {
                l.type = JointType::spherical;
                axis(l).point = {0, nan, 0};
              }),
              "loop 'closure'", "point");
  EXPECT_SAYS(closed([&](Loop& l) {
                l.geometry = FramesGeometry{{}, {}, {}, {}};
              }),
              "loop 'closure'", "axis (0, 0, 0)");
  EXPECT_SAYS(arm().frame("ground", "lower", {}).build(), "frame 'ground'", "fixed world");

  EXPECT_SAYS(arm().body("b", "lower", joints::between(JointType::revolute, {}, {})).pose({}),
              "body 'b'", "two frames");
  Mechanism m = arm().body("b", "lower", joints::between(JointType::revolute, {}, {})).build();
  m.bodies[2].pose.C.r.x = 1;
  EXPECT_SAYS(check(m), "body 'b'", "two frames");
}

}  // namespace
}  // namespace chasles
