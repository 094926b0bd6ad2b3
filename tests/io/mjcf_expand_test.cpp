/// MJCF: frames, replicas and attached models, compared with the same bodies written out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

namespace mjcf_expand_test {

using namespace chasles;
using namespace chasles::test;
namespace fs = std::filesystem;

std::string world(const std::string& inside, const std::string& rest = "") {
  return "<mujoco><worldbody>\n" + inside + "</worldbody>" + rest + "</mujoco>";
}
Mechanism read(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  return read_mjcf(text, "m.xml", {.warnings = warnings});
}
SE3 pose_at_zero(const Mechanism& m, const std::string& name) {
  const Model model = compile(m);
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  return pose(kin, model.frame(name));
}
const Joint& joint(const Mechanism& m, const std::string& body) {
  return m.bodies[static_cast<std::size_t>(find_body(m, body))].joint;
}
/// 2e-15: products of a few rotations of size 1.
void expect_same(const Mechanism& a, const Mechanism& b) {
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const Body &x = a.bodies[i], &y = b.bodies[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.joint.name, y.joint.name);
    EXPECT_EQ(x.joint.dynamics.damping, y.joint.dynamics.damping);
    EXPECT_LT(distance(pose_at_zero(a, x.name), pose_at_zero(b, x.name)), 2e-15) << x.name;
    const auto &g = std::get<AxisGeometry>(x.joint.geometry),
               &h = std::get<AxisGeometry>(y.joint.geometry);
    EXPECT_LT(norm(g.axis - h.axis) + norm(g.point - h.point), 2e-15) << x.name;
    ASSERT_EQ(x.inertia.has_value(), y.inertia.has_value());
    if (!x.inertia) continue;
    EXPECT_NEAR(x.inertia->mass, y.inertia->mass, 1e-15);
    EXPECT_LT(norm(x.inertia->com - y.inertia->com), 2e-15) << x.name;
  }
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_EQ(a.frames[i].name, b.frames[i].name);
    EXPECT_LT(distance(a.frames[i].pose, b.frames[i].pose), 2e-15) << a.frames[i].name;
  }
}

TEST(MjcfFrame, a_frame_turns_and_moves_what_is_in_it) {
  // A quarter turn about z, then 1 along x: (x, y, z) -> (1 - y, x, z).
  const Mechanism m = read(world(
      R"(<frame name="f" pos="1 0 0" euler="0 0 90"><body name="b" pos="0 2 3">
      <frame pos="0 0 1" axisangle="1 0 0 90"><joint name="j" axis="0 0 1" pos="0 1 0"/>
      <geom type="box" size="1 1 1" pos="0 2 0" mass="1"/><site name="s" pos="0 0 5"/>
      <inertial pos="9 9 9" mass="4" diaginertia="1 1 1"/></frame></body></frame>)"));
  EXPECT_LT(distance(pose_at_zero(m, "b"), SE3{exp(Vec3{0, 0, M_PI / 2}), {-1, 0, 3}}), 2e-15);
  // In the body: a quarter turn about x, then 1 along z: (x, y, z) -> (x, -z, 1 + y).
  const auto& g = std::get<AxisGeometry>(joint(m, "b").geometry);
  EXPECT_LT(norm(g.axis - Vec3{0, -1, 0}), 1e-15);
  EXPECT_LT(norm(g.point - Vec3{0, 0, 2}), 1e-15);
  EXPECT_LT(distance(m.frames[0].pose, SE3{exp(Vec3{M_PI / 2, 0, 0}), {0, -5, 1}}), 2e-15);
  // An <inertial> is in the axes of its body.
  EXPECT_EQ(m.bodies[0].inertia->com, (Vec3{9, 9, 9}));
}

TEST(MjcfFrame, geoms_in_frames_and_frames_in_frames) {
  const std::string capsule = R"(type="capsule" size="0.1")";
  expect_same(
      read(world(
          "<frame pos='0 0 1' zaxis='1 0 0'><frame quat='0 1 0 0'><frame xyaxes='0 1 0 -1 0 0'>"
          "<body name='b'><frame pos='1 2 3'><geom " +
          capsule + " fromto='0 0 0 1 0 0'/></frame></body></frame></frame></frame>")),
      // zaxis: x to -z and z to x; a half turn about x; x to y and y to -x.
      read(world("<body name='b' pos='0 0 1' xyaxes='0 -1 0 0 0 1'><geom " + capsule +
                 " fromto='1 2 3 2 2 3'/></body>")));
}

TEST(MjcfFrame, the_class_of_a_frame_holds_until_another_is_named) {
  const Mechanism m = read(
      "<mujoco><default><default class='c'><joint damping='1'/></default><default class='d'>"
      "<joint damping='2'/></default></default><worldbody>"
      "<body name='top' childclass='d'><joint/><frame childclass='c'><frame><body name='a'><joint/>"
      "<body name='b'><joint/></body></body></frame><body name='e'><joint class='d'/></body>"
      "<body name='f' childclass='d'><joint/></body></frame><body name='g'><joint/></body></body>"
      "</worldbody></mujoco>");
  std::string damping;
  for (const char* body : {"top", "a", "b", "e", "f", "g"})
    damping += std::to_string(std::lround(joint(m, body).dynamics.damping));
  EXPECT_EQ(damping, "211222");
}

TEST(MjcfReplicate, replicas_equal_the_bodies_written_out) {
  // R_k = Rz(k 90 degrees), r_{k+1} = r_k + R_k (1, 0, 0.5): a square stair.
  const std::string inside =
      "<joint name='J' axis='0 1 0' pos='0.1 0 0'/><geom size='0.1' pos='0 0 1'/>"
      "<site name='S' pos='0 0 2'/>";
  const auto body = [&](const std::string& suffix, const std::string& place) {
    std::string text = inside;
    text.replace(text.find("'J'"), 3, "'j" + suffix + "'");
    text.replace(text.find("'S'"), 3, "'s" + suffix + "'");
    return "<body name='b" + suffix + "' " + place + ">" + text + "</body>";
  };
  const Mechanism replicas = read(
      world("<frame pos='0 0 7'><replicate count='4' offset='1 0 0.5' euler='0 0 90' sep='-'>" +
            body("", "pos='0 0.2 0'") + "</replicate></frame><body name='last'/>"));
  expect_same(
      replicas,
      read(world(body("-0", "pos='0 0.2 7'") + body("-1", "pos='0.8 0 7.5' euler='0 0 90'") +
                 body("-2", "pos='1 0.8 8' euler='0 0 180'") +
                 body("-3", "pos='0.2 1 8.5' euler='0 0 -90'") + "<body name='last'/>")));
}

TEST(MjcfReplicate, the_innermost_suffix_comes_first_and_references_follow) {
  std::vector<std::string> warnings;
  const Mechanism m =
      read(world("<replicate count='2' offset='0 1 0'><replicate count='11' sep='-' offset='1 0 0'>"
                 "<body name='b'><joint name='j'/><joint name='k'/></body></replicate></replicate>"
                 "<body name='out'><joint name='o'/></body>",
                 "<equality><joint name='e' joint1='j' joint2='k' polycoef='0 2'/><joint "
                 "joint1='j' joint2='o'/>"
                 "</equality>"),
           &warnings);
  ASSERT_EQ(m.bodies.size(), 2 * 22 + 1u);
  EXPECT_EQ(m.bodies[1].name, "b-000");
  EXPECT_EQ(m.bodies[21].name, "b-100");
  EXPECT_EQ(m.bodies[43].name, "b-101");
  EXPECT_EQ(pose_at_zero(m, "b-101").r, (Vec3{10, 1, 0}));
  ASSERT_EQ(m.couplings.size(), 22u);
  for (const Coupling& c : m.couplings) {
    EXPECT_EQ(c.terms[0].joint.substr(1), c.name.substr(1));
    EXPECT_EQ(c.terms[1].joint, "k" + c.name.substr(1));
  }
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("joins a replica to something that is not replicated"),
            std::string::npos);
}

/// Nothing many times costs nothing.
TEST(MjcfReplicate, of_nothing) {
  std::string many;
  for (int k = 0; k < 500; ++k) many += "<replicate count='1000000' euler='0 0 1'/>";
  EXPECT_EQ(read(world(many + "<body name='b'/>")).bodies.size(), 1u);
}

TEST(MjcfReplicate, counts_are_bounded) {
  const auto of = [](const std::string& count) {
    return world("<replicate count='" + count +
                 "'><body><body><geom size='1'/></body></body></replicate>");
  };
  for (const char* bad : {"0", "-1", "1.5", "1e7", "nan", "x", ""})
    EXPECT_SAYS(read(of(bad)), "m.xml:2: replicate: ", "count");
  EXPECT_SAYS(read(of("1000000")), "m.xml:2", "more than 200000 elements");
  EXPECT_SAYS(
      read(world("<replicate count='1000'><replicate count='1000'><geom size='1'/></replicate>"
                 "</replicate>")),
      "more than 200000 elements");
  EXPECT_SAYS(read(world("<replicate><body/></replicate>")),
              "the attribute count of <replicate> is missing");
  EXPECT_EQ(read(of("1")).bodies.size(), 2u);
}

class MjcfAttach : public ::testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("chasles_attach_test_" + std::to_string(getpid()));
  std::vector<std::string> warnings;
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Mechanism read_file(const std::string& main) {
    warnings.clear();
    return read_mechanism(write("m.xml", main), {.warnings = &warnings});
  }
};

TEST_F(MjcfAttach, an_attached_model_keeps_its_own_settings) {
  write("arm.xml",
        "<mujoco model='arm'><compiler angle='radian' eulerseq='XYZ'/><default><joint damping='3'/>"
        "<default class='c'><joint frictionloss='1'/></default></default><worldbody>"
        "<body name='w' pos='1 0 0' euler='0.1 0.2 0.3'><joint name='j' class='c' range='-1 1'/>"
        "<geom size='0.1'/><body name='v' pos='0 0 1'><joint name='i'/></body></body>"
        "<body name='u'><joint name='k'/></body></worldbody>"
        "<equality><joint name='e' joint1='j' joint2='i'/><joint joint1='j' "
        "joint2='k'/></equality></mujoco>");
  const Mechanism m = read_file(
      "<mujoco><asset><model name='a' file='arm.xml'/></asset><default><joint "
      "damping='7'/></default>"
      "<worldbody><body name='base'><joint name='o' range='-90 90'/><frame pos='0 0 5'>"
      "<attach model='a' body='w' prefix='l_'/></frame><attach model='a' body='w' "
      "prefix='r_'/></body>"
      "</worldbody></mujoco>");
  expect_same(
      m,
      read("<mujoco><compiler angle='radian' eulerseq='XYZ'/><worldbody><body name='base'>"
           "<joint name='o' damping='7'/>"
           "<body name='l_w' pos='1 0 5' euler='0.1 0.2 0.3'><joint name='l_j' damping='3'/>"
           "<geom size='0.1'/><body name='l_v' pos='0 0 1'><joint name='l_i' damping='3'/></body>"
           "</body><body name='r_w' pos='1 0 0' euler='0.1 0.2 0.3'><joint name='r_j' "
           "damping='3'/><geom size='0.1'/><body name='r_v' pos='0 0 1'><joint name='r_i' "
           "damping='3'/></body></body></body></worldbody></mujoco>"));
  EXPECT_EQ(joint(m, "l_w").dynamics.friction, 1);
  EXPECT_EQ(joint(m, "l_w").limits->upper, 1);
  EXPECT_DOUBLE_EQ(*joint(m, "base").limits->upper, M_PI / 2);
  // Of the equalities that which is within the attached body.
  ASSERT_EQ(m.couplings.size(), 2u);
  EXPECT_EQ(m.couplings[1].name, "r_e");
  EXPECT_EQ(m.couplings[1].terms[0].joint, "r_j");
  EXPECT_EQ(warnings, std::vector<std::string>{});
}

TEST_F(MjcfAttach, whole_models_models_in_models_and_frames) {
  write("leaf.xml",
        "<mujoco model='leaf'><worldbody><frame name='f' pos='0 0 1'><body name='l'/></frame>"
        "</worldbody></mujoco>");
  write("twig.xml",
        "<mujoco><asset><model file='leaf.xml'/></asset><worldbody><body name='t' pos='1 0 0'>"
        "<attach model='leaf' prefix='a_'/><attach model='leaf' frame='f' prefix='b_'/></body>"
        "</worldbody></mujoco>");
  const Mechanism m = read_file(
      "<mujoco><asset><model name='twig' file='twig.xml'/></asset><worldbody><replicate count='2' "
      "offset='0 1 0'><attach model='twig' prefix='x_'/></replicate></worldbody></mujoco>");
  ASSERT_EQ(m.bodies.size(), 6u);
  EXPECT_EQ(m.bodies[4].name, "x_a_l1");
  EXPECT_EQ(pose_at_zero(m, "x_a_l1").r, (Vec3{1, 1, 1}));
  EXPECT_EQ(pose_at_zero(m, "x_b_l0").r, (Vec3{1, 0, 1}));
}

TEST_F(MjcfAttach, models_that_cannot_be_attached_are_refused) {
  write("loop.xml",
        "<mujoco model='loop'><asset><model name='loop' file='loop.xml'/></asset><worldbody>"
        "<body name='b'><attach model='loop' prefix='x_'/></body></worldbody></mujoco>");
  const auto with = [](const std::string& attach) {
    return "<mujoco><asset><model name='loop' file='loop.xml'/></asset>\n<worldbody>" + attach +
           "</worldbody></mujoco>";
  };
  EXPECT_SAYS(read_file(with("<attach model='loop' prefix='p_'/>")), "loop.xml:1",
              "is attached to itself");
  EXPECT_SAYS(read_file(with("<attach model='lop' prefix='p_'/>")),
              "m.xml:2: attach: there is no model 'lop'", "did you mean 'loop'?");
  EXPECT_SAYS(read_file(with("<attach model='loop' body='c' prefix='p_'/>")), "has no body 'c'");
  EXPECT_SAYS(read_file(with("<attach body='b' prefix='p_'/>")), "a part of the model itself");
  EXPECT_SAYS(
      read_file("<mujoco><asset><model name='a' file='none.xml'/></asset><worldbody><attach "
                "model='a' prefix='p_'/></worldbody></mujoco>"),
      "there is no file", "none.xml");
}

}  // namespace mjcf_expand_test
