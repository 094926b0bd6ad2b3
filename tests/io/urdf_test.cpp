/// URDF: what is read, and what is refused or warned about, with line numbers.

#include "support/urdf.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/model/model.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/small_stack.hpp"

namespace urdf_test {

using namespace chasles;
using test::every_joint_urdf;

struct Result {
  Mechanism mechanism;
  std::vector<std::string> warnings;
};
Result read_all(const std::string& text, bool floating_base = false) {
  Result result;
  result.mechanism = read_urdf(text, "r.urdf", {floating_base, &result.warnings});
  return result;
}
/// As the program takes it: what is wrong is found by reading or by compiling.
Mechanism read(const std::string& text) {
  Mechanism mechanism = read_all(text).mechanism;
  compile(mechanism);
  return mechanism;
}
/// Two links and a joint between them; the text is the inside of the joint, in line 4.
std::string arm(const std::string& type, const std::string& inside) {
  return "<robot name='r'>\n<link name='a'/><link name='b'/>\n<joint name='j' type='" + type +
         "'>\n<parent link='a'/><child link='b'/>" + inside + "</joint></robot>";
}
std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>"; }

TEST(Urdf, reads_every_joint_type) {
  const Result result = read_all(every_joint_urdf());
  const Mechanism& m = result.mechanism;
  EXPECT_EQ(m.name, "made_up");
  std::vector<std::string> names;
  for (const Body& body : m.bodies) names.push_back(body.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"base", "arm", "wheel", "slider", "tip", "drone", "puck"}));
  const auto joint = [&](const char* name) {
    return m.bodies[static_cast<std::size_t>(find_body(m, name))].joint;
  };
  EXPECT_EQ(joint("base").name, "root_joint");
  EXPECT_EQ(joint("base").type, JointType::fixed);
  EXPECT_EQ(joint("arm").type, JointType::revolute);
  EXPECT_EQ(joint("arm").limits->lower, -1.5);
  EXPECT_EQ(joint("arm").limits->effort, 30);
  EXPECT_EQ(joint("arm").dynamics.damping, 0.1);
  EXPECT_EQ(joint("arm").dynamics.friction, 0.2);
  EXPECT_EQ(joint("wheel").dynamics.damping, 0);
  EXPECT_EQ(joint("wheel").type, JointType::revolute);
  EXPECT_FALSE(joint("wheel").limits->lower);
  EXPECT_EQ(joint("wheel").limits->velocity, 4);
  EXPECT_EQ(joint("wheel").mimic->joint, "shoulder");
  EXPECT_EQ(joint("wheel").mimic->multiplier, -2);
  EXPECT_EQ(joint("slider").type, JointType::prismatic);
  EXPECT_EQ(std::get<FramesGeometry>(joint("slider").geometry).axis, (Vec3{1, 0, 0}));  // default
  EXPECT_EQ(joint("slider").limits->lower, 0);                                          // default
  EXPECT_EQ(joint("tip").type, JointType::fixed);
  EXPECT_EQ(joint("drone").type, JointType::floating);
  EXPECT_EQ(joint("puck").type, JointType::planar);
  EXPECT_EQ(m.bodies[1].where, "r.urdf:21");
  EXPECT_EQ(result.warnings,
            std::vector<std::string>{
                "r.urdf: not read, as not part of the mechanism: <safety_controller>"});
}

TEST(Urdf, turns_the_inertia_into_the_axes_of_the_link) {
  const Mechanism m =
      read(robot("<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
                 "<mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='2.5'/>"
                 "</inertial></link>"));
  EXPECT_EQ(m.bodies[0].inertia->com, (Vec3{1, 2, 3}));
  EXPECT_CLOSE(m.bodies[0].inertia->tensor, Sym3::diagonal(2, 1, 2.5), 1e-15);
  EXPECT_TRUE(m.bodies[0].inertia->physical);
}

TEST(Urdf, gives_the_root_a_floating_base_on_request) {
  const Mechanism m = read_all(every_joint_urdf(), true).mechanism;
  EXPECT_EQ(m.bodies[0].joint.type, JointType::floating);
  EXPECT_EQ(m.bodies[0].joint.name, "root_joint");
  const std::string taken = robot(
      "<link name='a'/><link name='b'/>\n<joint name='root_joint' type='fixed'>"
      "<parent link='a'/><child link='b'/></joint>");
  EXPECT_SAYS(read_all(taken, true),
              "r.urdf:3: joint 'root_joint': the floating base has this name");
  EXPECT_EQ(read(taken).bodies[0].joint.name, "root_joint_");
}

TEST(Urdf, skips_what_is_not_ours_and_warns_about_what_nobody_knows) {
  const auto [m, warnings] = read_all(
      robot("<!-- c --><material name='m'/><transmission name='t'><joint name='x'/></transmission>"
            "<gazebo/><sim:plugin/>\n<link name='a'><visual/><collision/><inertal/></link>\n<lnik "
            "name='b'/>"));
  EXPECT_EQ(m.bodies.size(), 1);
  EXPECT_EQ(
      warnings,
      (std::vector<std::string>{
          "r.urdf:2: robot: the element <sim:plugin> is not known and not read",
          "r.urdf:3: link 'a': the element <inertal> is not known and not read; did you mean "
          "'inertial'?",
          "r.urdf:4: robot: the element <lnik> is not known and not read; did you mean 'link'?",
          "r.urdf: not read, as not part of the mechanism: <gazebo>"}));
  EXPECT_EQ(read_all(arm("fixed", "<origin rpx='1 2 3' color='red'/>")).warnings,
            (std::vector<std::string>{
                "r.urdf:4: joint 'j': the attribute 'rpx' of <origin> is not known "
                "and not read; did you mean 'rpy'?",
                "r.urdf:4: joint 'j': the attribute 'color' of <origin> is not known and not "
                "read"}));
}

TEST(Urdf, warns_about_inertias_and_limits) {
  const auto [m, warnings] = read_all(
      robot("<link name='a'><inertial><mass value='1'/>"
            "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'/></inertial></link>"));
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_NE(warnings[0].find("r.urdf:2: link 'a': no body can have this inertia"),
            std::string::npos);
  EXPECT_FALSE(m.bodies[0].inertia->physical);
  EXPECT_EQ(read_all(arm("revolute", "")).warnings.at(0),
            "r.urdf:3: joint 'j': a revolute joint has no <limit>; it is read as unlimited");
  EXPECT_EQ(
      read_all(arm("continuous", "<limit lower='0' upper='0' effort='1'/>")).warnings.at(0),
      "r.urdf:4: joint 'j': a continuous joint has no lower and upper limits; they are not kept");
  // What cannot be kept is said; of fixed joints there is nothing to keep.
  const auto warned = [](const char* type, const std::string& parts) {
    const auto all = read_all(arm(type, parts)).warnings;
    return all.empty() ? "" : all[0];
  };
  for (const char* type : {"floating", "planar"})
    EXPECT_NE(warned(type, "<limit effort='1' velocity='1'/>").find("several coordinates"),
              std::string::npos);
  EXPECT_NE(warned("floating", "<dynamics damping='1'/>").find("not kept"), std::string::npos);
  EXPECT_EQ(warned("floating", "<dynamics damping='0'/>"), "");
  EXPECT_EQ(warned("fixed", "<limit effort='0' velocity='0'/><dynamics damping='1'/>"), "");
  EXPECT_NE(warned("fixed", "<mimic joint='j'/>").find("mimics nothing"), std::string::npos);
  EXPECT_NE(warned("continuous", "<dynamics dampng='1'/>").find("'damping'"), std::string::npos);
  EXPECT_EQ(warned("continuous", "<limit effort='1' velocity='0'/>"),
            "r.urdf:4: joint 'j': velocity 0 is read as no limit");
  EXPECT_EQ(warned("continuous", "<limit effort='-1' velocity='1'/>"),
            "r.urdf:4: joint 'j': effort -1 is read as no limit");
  EXPECT_EQ(warned("continuous", "<limit effort='0' velocity='1'/>"), "");

  std::string odd;
  for (int i = 0; i < 600; ++i)
    odd += "<odd" + std::string(1, static_cast<char>('a' + i % 26)) +
           std::string(1, static_cast<char>('a' + i / 26)) + "/>";
  const auto many = read_all(robot("<link name='a'/>" + odd)).warnings;
  EXPECT_EQ(many.size(), 101);
  EXPECT_EQ(many.back(), "r.urdf: further warnings are not shown");
}

/// Published files lack a mass, have two equal elements, or call a link as we call the world.
TEST(Urdf, reads_what_is_incomplete_or_double_with_a_warning) {
  const std::string tensor = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>";
  const auto link = [](const std::string& inside) {
    return read_all(robot("<link name='a'>" + inside + "</link>"));
  };
  const auto massless = link("<inertial>" + tensor + "</inertial>");
  EXPECT_FALSE(massless.mechanism.bodies[0].inertia);
  EXPECT_EQ(massless.warnings,
            std::vector<std::string>{
                "r.urdf:2: link 'a': <inertial> has no <mass>; the link is read as massless"});
  const auto point = link("<inertial><origin xyz='1 2 3'/><mass value='2'/></inertial>");
  EXPECT_EQ(point.mechanism.bodies[0].inertia->mass, 2);
  EXPECT_EQ(point.mechanism.bodies[0].inertia->com, (Vec3{1, 2, 3}));
  EXPECT_EQ(point.mechanism.bodies[0].inertia->tensor, Sym3{});
  ASSERT_EQ(point.warnings.size(), 1u);
  EXPECT_NE(point.warnings[0].find("has no <inertia>"), std::string::npos);

  const std::string once = "<inertial><mass value='2'/>" + tensor + "</inertial>",
                    spaced = "<inertial >\n<mass  value=\"2\" />" + tensor + "</inertial>";
  const auto twice = link(once + spaced);
  EXPECT_EQ(twice.mechanism.bodies[0].inertia->mass, 2);
  ASSERT_EQ(twice.warnings.size(), 1u);
  EXPECT_NE(twice.warnings[0].find("link 'a': has two <inertial> elements; the first counts"),
            std::string::npos);
  const auto other = link(once + "<inertial><mass value='3'/>" + tensor + "</inertial>");
  EXPECT_EQ(other.mechanism.bodies[0].inertia->mass, 2);
  EXPECT_EQ(other.warnings, twice.warnings);

  const auto [m, warnings] = read_all(robot(
      "<link name='ground'>" + once +
      "</link><link name='ground_'/><link name='world'/>\n"
      "<joint name='j' type='continuous'><parent link='ground'/><child link='ground_'/></joint>"
      "<joint name='k' type='continuous'><parent link='ground_'/><child link='world'/></joint>"));
  EXPECT_EQ(m.bodies[0].name, "ground__");
  EXPECT_EQ(m.bodies[0].inertia->mass, 2);
  EXPECT_EQ(m.bodies[1].name, "ground_");
  EXPECT_EQ(m.bodies[1].parent, "ground__");
  EXPECT_EQ(m.bodies[2].name, "world");
  EXPECT_EQ(warnings, std::vector<std::string>{"r.urdf:2: link 'ground': ground is the world here; "
                                               "the link is called 'ground__'"});
  EXPECT_EQ(compile(m).nv(), 2);
}

TEST(Urdf, the_rotors_of_drake_are_armatures) {
  const std::string both =
      "<link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>\n";
  const auto drive = [](const std::string& joint, const std::string& inside) {
    return "<transmission name='t'><type>x</type><joint name='" + joint +
           "'><role>r</role></joint><actuator name='m'><hardwareInterface/>" + inside +
           "</actuator></transmission>";
  };
  const std::string rotor = "<drake:rotor_inertia value='2e-5'/><drake:gear_ratio value='-100'/>";
  const auto [m, warnings] = read_all(robot(both + drive("j", rotor)));
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_EQ(m.bodies[1].joint.armature, 100 * 100 * 2e-5);
  EXPECT_FALSE(m.bodies[1].joint.rotor);
  const auto armature = [&](const std::string& inside) {
    return read(robot(both + drive("j", inside))).bodies[1].joint.armature;
  };
  EXPECT_EQ(armature("<drake:rotor_inertia value='3'/>"), 3);
  EXPECT_EQ(armature("<drake:rotor_inertia value='0'/>"), 0);
  EXPECT_EQ(armature("<drake:gear_ratio value='7'/>"), 0);
  EXPECT_SAYS(compile(read(robot(both + drive("j", "<drake:rotor_inertia value='-1'/>")))),
              "r.urdf:", "joint 'j'", "armature -1", "positive");
  EXPECT_NE(read_all(robot(both + drive("k", rotor))).warnings.at(0).find("a rotor of a joint"),
            std::string::npos);
  EXPECT_NE(read_all(robot(both + drive("x", rotor)))
                .warnings.at(0)
                .find("joint 'x', which does not exist"),
            std::string::npos);
  EXPECT_SAYS(read(robot(both + drive("j", rotor) + drive("j", rotor))), "has a rotor already");
}

TEST(Urdf, an_origin_may_have_a_quaternion) {
  const auto pose = [](const std::string& origin) {
    return std::get<FramesGeometry>(read(arm("fixed", origin)).bodies[1].joint.geometry).parent;
  };
  EXPECT_CLOSE(pose("<origin xyz='1 2 3' quat_xyzw='0 0 2 2'/>"),
               pose("<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"), 1e-15);
  EXPECT_SAYS(read(arm("fixed", "<origin quat_xyzw='0 0 0 0'/>")), "no direction");
  EXPECT_SAYS(read(arm("fixed", "<origin quat_xyzw='0 0 0 1' rpy='0 0 0'/>")), "both given");
}

/// Angles of URDF are radians.
TEST(Urdf, warns_about_angles_that_can_only_be_degrees) {
  const auto warnings = [](const char* type, const std::string& parts) {
    return read_all(arm(type, parts)).warnings;
  };
  EXPECT_EQ(
      warnings("fixed", "<origin rpy='0 0 90'/>"),
      std::vector<std::string>{"r.urdf:4: joint 'j': rpy 90 rad is 14.3 turns; if it is meant "
                               "in degrees, write 1.5707963267948966"});
  EXPECT_EQ(warnings("fixed", "<origin rpy='180 -90 0'/>").size(), 1u);
  EXPECT_EQ(warnings("fixed", "<origin rpy='3.1416 -1.5708 6.2832'/>").size(), 0u);
  EXPECT_EQ(
      warnings("revolute", "<limit lower='-180' upper='180'/>"),
      std::vector<std::string>{"r.urdf:4: joint 'j': the limit -180 rad is -28.6 turns; if it "
                               "is meant in degrees, write -3.141592653589793"});
  EXPECT_EQ(warnings("revolute", "<limit lower='0' upper='90'/>").size(), 1u);
  for (const char* limits :
       {"<limit lower='-6.2832' upper='6.2832'/>", "<limit lower='-12.566' upper='12.566'/>",
        "<limit lower='-1e16' upper='1e16'/>"})
    EXPECT_EQ(warnings("revolute", limits).size(), 0u) << limits;
  EXPECT_EQ(warnings("prismatic", "<limit lower='-90' upper='90'/>").size(), 0u);  // meters
  const std::string inertial =
      "<inertial><origin rpy='0 90 0'/><mass value='1'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  EXPECT_EQ(read_all(robot("<link name='a'>" + inertial + "</link>")).warnings.size(), 1u);
}

/// convert keeps what a run needs to know of a joint.
TEST(Urdf, dynamics_limits_and_mimic_are_kept_as_yaml) {
  const Mechanism m = read(every_joint_urdf()), copy = read_yaml(write_yaml(m), "copy.yaml");
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const Joint &a = m.bodies[i].joint, &b = copy.bodies[i].joint;
    EXPECT_EQ(a.dynamics.damping, b.dynamics.damping);
    EXPECT_EQ(a.dynamics.friction, b.dynamics.friction);
    ASSERT_EQ(a.limits.has_value(), b.limits.has_value()) << a.name;
    ASSERT_EQ(a.mimic.has_value(), b.mimic.has_value()) << a.name;
    if (!a.limits) continue;
    EXPECT_EQ(a.limits->effort, b.limits->effort);
    EXPECT_EQ(a.limits->velocity, b.limits->velocity);
  }
}

TEST(UrdfBadInput, structure) {
  EXPECT_SAYS(read(robot("")), "r.urdf:1: robot: has no links");
  EXPECT_SAYS(read(robot("<link/>")), "r.urdf:2: a link: the attribute name of <link> is missing");
  EXPECT_SAYS(read(robot("<link name=''/>")), "a link: the attribute name of <link> is empty");
  EXPECT_SAYS(read(robot("<link name='a'/>\n<link name='a'/>")),
              "r.urdf:3: link 'a': the name is used twice, first in line 2");
  EXPECT_SAYS(read(robot("<link name='a'/>\n<link name='b'/><link name='c'/>")),
              "r.urdf:3: link 'b': 3 links have no parent and so would be roots: 'a', 'b', 'c'");
  const std::string j1 =
      "<link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child "
      "link='b'/></joint>\n";
  EXPECT_SAYS(
      read(robot(j1 + "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>")),
      "r.urdf:4: joint 'j': the name is used twice, first in line 3");
  EXPECT_SAYS(
      read(robot(j1 + "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint>")),
      "r.urdf:4: joint 'k': its child 'b' is the child of joint 'j' already");
  EXPECT_SAYS(
      read(robot(j1 + "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>")),
      "form a cycle");
  EXPECT_SAYS(
      read(robot(j1 + "<link name='c'/><link name='d'/>\n<joint name='k' type='fixed'><parent "
                      "link='c'/><child link='d'/></joint>"
                      "<joint name='l' type='fixed'><parent link='d'/><child link='c'/></joint>")),
      "its parents form a cycle");
  EXPECT_SAYS(read(robot("<link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/><child "
                         "link='aa'/></joint>")),
              "r.urdf:3: joint 'j': the child link 'aa' does not exist");
  EXPECT_SAYS(read(robot("<link name='base'/>\n<joint name='j' type='fixed'><parent "
                         "link='baes'/><child link='base'/></joint>")),
              "the parent link 'baes' does not exist; did you mean 'base'?");
  EXPECT_SAYS(
      read(robot("<link name='a'/>\n<joint name='j' type='fixed'><child link='a'/></joint>")),
      "r.urdf:3: joint 'j': has no <parent> element");
}

TEST(UrdfBadInput, joints) {
  EXPECT_SAYS(read(arm("rotary", "")),
              "r.urdf:3: joint 'j': type 'rotary' is not a joint type of URDF; give revolute");
  EXPECT_SAYS(read(arm("prismatc", "")), "did you mean 'prismatic'?");
  EXPECT_SAYS(read(arm("continuous", "<axis xyz='0 0 0'/>")),
              "r.urdf:3: joint 'j': axis (0, 0, 0) has no direction; give a nonzero axis");
  EXPECT_NO_THROW(read(arm("fixed", "<axis xyz='0 0 0'/>")));
  EXPECT_SAYS(read(arm("fixed", "<origin xyz='0 0'/>")),
              "r.urdf:4: joint 'j': xyz of <origin> is '0 0'; give 3 numbers");
  EXPECT_SAYS(read(arm("fixed", "<origin xyz='0 0 x'/>")), "'x' is not a finite number");
  EXPECT_SAYS(read(arm("fixed", "<origin rpy='0 nan 0'/>")),
              "rpy of <origin>: 'nan' is not a finite number");
  EXPECT_SAYS(read(arm("fixed", "<origin xyz='${x} 0 0'/>")),
              "left over from xacro; expand the file first");
  EXPECT_SAYS(read(arm("fixed", "<xacro:origin/>")), "<xacro:origin> is left over from xacro");
  EXPECT_SAYS(read(robot("<xacro:macro name='m'/>")),
              "r.urdf:2: robot: <xacro:macro> is left over from xacro");
  EXPECT_SAYS(read(arm("fixed", "<origin/><origin xyz='0 0 1'/>")), "has two <origin> elements");
  const auto crossed = read_all(arm("revolute", "<limit lower='1' upper='0'/>"));
  EXPECT_FALSE(crossed.mechanism.bodies[1].joint.limits->lower);
  EXPECT_NE(crossed.warnings.at(0).find("the lower limit 1 is above the upper limit 0"),
            std::string::npos);
  EXPECT_SAYS(read(arm("continuous", "<mimic/>")), "the attribute joint of <mimic> is missing");
  EXPECT_SAYS(read(arm("continuous", "<mimic joint='j'/>")), "r.urdf:3: joint 'j'",
              "mimics itself");
  EXPECT_SAYS(read(arm("continuous", "<dynamics damping='-1'/>")), "r.urdf:3: joint 'j'",
              "damping -1");
  EXPECT_SAYS(read(arm("continuous", "<dynamics friction='nan'/>")), "joint 'j'", "friction");
}

TEST(UrdfBadInput, inertias) {
  const auto link = [](const std::string& inertial) {
    return robot("<link name='a'><inertial>" + inertial + "</inertial></link>");
  };
  EXPECT_SAYS(read(link("<mass/>")),
              "r.urdf:2: link 'a': the attribute value of <mass> is missing");
  EXPECT_SAYS(read(link("<mass value='1'/><inertia ixx='1'/>")),
              "the attribute ixy of <inertia> is missing");
  EXPECT_SAYS(read(link("<mass value='inf'/><inertia/>")), "link 'a'");
}

/// What a URDF may say, YAML may say: else `convert` writes files that are refused.
TEST(UrdfBadInput, what_is_not_utf8_is_refused) {
  EXPECT_SAYS(read("<robot name='caf\xe9'><link name='a'/></robot>"), "r.urdf:1:17: byte 0xe9",
              "UTF-8");
  EXPECT_SAYS(read("<robot name='r'><link name='&#xD800;'/></robot>"), "cannot be printed");
  EXPECT_SAYS(read("<robot name='r'><link name='&#7;'/></robot>"), "cannot be printed");
  const Mechanism accented = read("<robot name='caf\xc3\xa9'><link name='&#233;'/></robot>");
  EXPECT_EQ(accented.bodies[0].name, "\xc3\xa9");
  EXPECT_EQ(write_yaml(read_yaml(write_yaml(accented), "w.yaml")), write_yaml(accented));
}

TEST(UrdfBadInput, syntax) {
  EXPECT_SAYS(read(""), "r.urdf:1: the file is empty");
  EXPECT_SAYS(read("<robot>\n<link name='a'></robot>"),
              "r.urdf:2: not XML: the element that begins here is closed by another name");
  EXPECT_SAYS(read("<robot"), "r.urdf:1: not XML: ");
  EXPECT_SAYS(read("<robot name='r>\n</robot>"), "r.urdf:1: not XML: an attribute is not written");
  EXPECT_SAYS(read("<robot/><!-- "), "r.urdf:1: not XML: a comment is not closed by -->");
  EXPECT_SAYS(read("hello"), "r.urdf:1: ");
  EXPECT_SAYS(read("<!-- -->"), "r.urdf:1: has no element; give a <robot>");
  EXPECT_SAYS(read("\n<sdf/>"), "r.urdf:2: the outermost element is <sdf>, not <robot>");
  EXPECT_SAYS(read(std::string("<robot>\0</robot>", 16)), "r.urdf:1:8: byte 0x00 is not text");
  std::mt19937 generator(9);
  for (int n = 0; n < 200; ++n) {
    std::string junk = "<";
    for (int i = 0; i < 200; ++i) junk += static_cast<char>(generator());
    EXPECT_SAYS(read(junk), "r.urdf:");
  }
}

/// Pieces of the language in random order: none may do worse than throw.
TEST(UrdfBadInput, random_markup) {
  std::mt19937 generator(10);
  const std::vector<std::string> words = {"<robot>",
                                          "</robot>",
                                          "<link name='a'/>",
                                          "<link name='b'>",
                                          "</link>",
                                          "<joint name='j' type='fixed'>",
                                          "</joint>",
                                          "<parent link='a'/>",
                                          "<child link='b'/>",
                                          "<!--",
                                          "-->",
                                          "<![CDATA[",
                                          "]]>",
                                          "<?",
                                          "?>",
                                          "<!",
                                          ">",
                                          "'",
                                          "\"",
                                          "=",
                                          "&amp;",
                                          "&#0;",
                                          "<inertial>",
                                          "</inertial>",
                                          "/"};
  for (int n = 0; n < 3000; ++n) {
    std::string markup = "<robot>";
    for (auto i = generator() % 30; i > 0; --i) markup += words[generator() % words.size()];
    try {
      read(markup);  // some are right
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("r.urdf:", 0), 0) << error.what();
    }
  }
}

TEST(UrdfBadInput, depth_and_size_are_bounded) {
  const auto repeat = [](std::string_view token, int n) {
    std::string tokens;
    for (int i = 0; i < n; ++i) tokens.append(token);
    return tokens;
  };
  test::with_small_stack([&] {
    EXPECT_SAYS(read(repeat("<a>", 100'000)), "r.urdf:1: nested deeper than 64 elements");
    EXPECT_SAYS(read(repeat("<a b='>'>\n", 100'000)), "r.urdf:65: nested deeper than 64 elements");
    // Closed in a comment, in a string, by others: the walk sees what tinyxml2 sees.
    for (const char* token :
         {"<a><!--</a>-->", "<a b='</a>'>", "<a><![CDATA[</a>]]>", "<a></b>", "<a/ >"})
      EXPECT_SAYS(read(repeat(token, 100'000)), "r.urdf:");
  });
  const std::clock_t start = std::clock();  // of this process, whatever else runs
  std::string attributes = "<robot";
  for (int i = 0; i < 1'000'000; ++i) attributes += " a" + std::to_string(i) + "=''";
  EXPECT_SAYS(read(attributes + "/>"), "r.urdf:1: an element has more than 256 attributes");
  EXPECT_SAYS(read("<robot>" + std::string(100 << 20, ' ')), "r.urdf: larger than 16 MB");
  EXPECT_SAYS(read(robot(repeat("<a/>", 300'000))), "has no links");
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
}

/// Loading, checking and compiling a humanoid's worth of links takes milliseconds.
TEST(Urdf, of_60_links_loads_in_milliseconds) {
  std::string text = "<robot name='r'><link name='l0'/>";
  for (int i = 1; i < 60; ++i) {
    const std::string n = std::to_string(i);
    text += "<link name='l" + n +
            "'><visual><origin xyz='0 0 0'/><geometry><box size='1 1 1'/></geometry></visual>"
            "<inertial><mass value='1'/><origin xyz='0 0.1 0' rpy='0.1 0.2 0.3'/>"
            "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
            "<joint name='j" +
            n + "' type='revolute'><origin xyz='0 0 0.1' rpy='0.3 0 0'/><parent link='l" +
            std::to_string(i - 1) + "'/><child link='l" + n +
            "'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>";
  }
  text += "</robot>";
  const std::clock_t start = std::clock();  // of this process, whatever else runs
  const Model model = compile(read(text));
  const double milliseconds = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(model.nv(), 59);
  RecordProperty("milliseconds", std::to_string(milliseconds));
  EXPECT_LT(milliseconds, 20 * 10);  // ten times the goal: other work and sanitizers
}

}  // namespace urdf_test
