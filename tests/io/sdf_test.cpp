/// SDF: what is read, compared with numbers by hand; mjcf_test.cpp has the same arm in three formats.
#include <gtest/gtest.h>

#include "chasles/constraints/constraints.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

namespace sdf_test {

using namespace chasles;

struct Read {
  Mechanism mechanism;
  std::vector<std::string> warnings;
};
Read read_all(const std::string& text) {
  Read r;
  r.mechanism = read_sdf(text, "m.sdf", {false, &r.warnings});
  compile(r.mechanism);
  return r;
}
Mechanism read(const std::string& text) { return read_all(text).mechanism; }
/// The text is the inside of <model>, in line 2.
std::string model(const std::string& inside) {
  return "<sdf version='1.9'><model name='m'>\n" + inside + "</model></sdf>";
}
const std::string inertial =
    "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></"
    "inertial>";
std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name='" + name + "'>" + inside + inertial + "</link>";
}
/// Two links and a joint between them.
std::string pair(const std::string& type, const std::string& inside) {
  return model(link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") + "\n<joint name='j' type='" +
               type + "'><parent>a</parent><child>b</child>" + inside + "</joint>");
}
SE3 pose_at(const Model& model, const Eigen::VectorXd& q, const char* name) {
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  return pose(kin, model.frame(name));
}

TEST(Sdf, a_pendulum_by_hand) {
  const auto [m, warnings] =
      read_all(R"(<sdf version="1.9"><world name="w"><gravity>0 0 -10</gravity>
    <model name="pendulum"><pose>1 2 3 0 0 0</pose>
    <link name="rod"><inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass>
      <inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.01</izz></inertia></inertial></link>
    <joint name="hinge" type="revolute"><parent>world</parent><child>rod</child>
      <axis><xyz>0 1 0</xyz><limit><lower>-1e16</lower><upper>1</upper><effort>-1</effort></limit></axis></joint>
    </model></world></sdf>)");
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_EQ(m.name, "pendulum");
  const Model made = compile(m);
  ASSERT_EQ(made.nv(), 1);
  EXPECT_FALSE(made.joint("hinge").limits->lower);
  EXPECT_EQ(made.joint("hinge").limits->upper, 1);
  EXPECT_FALSE(made.joint("hinge").limits->effort);
  InverseDynamics work(made);
  EXPECT_NEAR(inverse_dynamics(made, Eigen::VectorXd::Constant(1, 0.7), Eigen::VectorXd::Zero(1),
                               Eigen::VectorXd::Constant(1, 1.3), work)[0],
              (0.1 + 2 * 0.25) * 1.3 + 2 * 10 * 0.5 * std::sin(0.7), 1e-14);
  EXPECT_CLOSE(pose_at(made, Eigen::VectorXd::Constant(1, 0.7), "rod").r, (Vec3{1, 2, 3}), 1e-15);
}

TEST(Sdf, what_no_joint_holds_moves_freely_unless_it_is_static) {
  const Mechanism loose = read(model(link("a", "<pose>0 0 2 0 0 0</pose>")));
  EXPECT_EQ(loose.bodies[0].joint.type, JointType::floating);
  EXPECT_EQ(loose.bodies[0].joint.name, "root_joint");
  const Model made = compile(loose);
  EXPECT_CLOSE(pose_at(made, made.neutral(), "a").r, (Vec3{0, 0, 2}), 0);
  EXPECT_EQ(read(model("<static>true</static>" + link("a"))).bodies[0].joint.type,
            JointType::fixed);
  const Mechanism two = read(model(link("a") + link("b")));
  EXPECT_EQ(two.bodies[1].joint.name, "b_root");
  // A link without inertial has that of a link, by the rule of SDF.
  const auto [m, warnings] = read_all(model("<link name='a'/>"));
  EXPECT_EQ(m.bodies[0].inertia->mass, 1);
  EXPECT_EQ(warnings,
            std::vector<std::string>{"m.sdf:2: link 'a': has no <inertial>; by the rule of "
                                     "SDF it gets 1 kg and 1 kg m^2"});
}

TEST(Sdf, every_joint_type_moves_as_it_should) {
  const auto moved = [](const std::string& type, const std::string& inside,
                        const Eigen::VectorXd& q) {
    const Model made =
        compile(read("<sdf><model name='m'><joint name='hold' type='fixed'><parent>world</parent>"
                     "<child>a</child></joint>" +
                     pair(type, inside).substr(pair(type, inside).find('\n'))));
    EXPECT_EQ(made.nq(), q.size()) << type;
    return pose_at(made, q, "b");
  };
  const auto one = [](double x) { return Eigen::VectorXd::Constant(1, x); };
  const std::string z = "<axis><xyz>0 0 1</xyz></axis>";
  EXPECT_CLOSE(moved("revolute", z, one(0.3)), (SE3{exp(Vec3{0, 0, 0.3}), {1, 0, 0}}), 1e-15);
  EXPECT_CLOSE(moved("prismatic", z, one(0.3)), (SE3{{}, {1, 0, 0.3}}), 1e-15);
  // A quarter of a turn of a thread of 8 mm, and the same by the older element.
  const SE3 quarter{exp(Vec3{0, 0, M_PI / 2}), {1, 0, 0.002}};
  EXPECT_CLOSE(moved("screw", z + "<screw_thread_pitch>0.008</screw_thread_pitch>", one(M_PI / 2)),
               quarter, 1e-15);
  EXPECT_CLOSE(moved("screw", z + "<thread_pitch>" + to_text(-2 * M_PI / 0.008) + "</thread_pitch>",
                     one(M_PI / 2)),
               quarter, 1e-15);
  const std::string cross = z + "<axis2><xyz>1 0 0</xyz></axis2>";
  for (const char* type : {"universal", "revolute2"})
    EXPECT_CLOSE(moved(type, cross, Eigen::Vector2d(0.3, 0.4)),
                 (SE3{exp(Vec3{0, 0, 0.3}) * exp(Vec3{0.4, 0, 0}), {1, 0, 0}}), 1e-15);
  // About a point that the pose of the joint gives, in the child.
  const SO3 R = exp(Vec3{0.1, 0.2, 0.3});
  const auto q = quaternion(R);
  EXPECT_CLOSE(moved("ball", "<pose>0 0 0.5 0 0 0</pose>", Eigen::Vector4d(q.w, q.x, q.y, q.z)),
               (SE3{R, Vec3{1, 0, 0.5} - R * Vec3{0, 0, 0.5}}), 1e-15);
  EXPECT_CLOSE(moved("fixed", "", Eigen::VectorXd(0)), (SE3{{}, {1, 0, 0}}), 0);
}

TEST(Sdf, poses_and_axes_are_relative_to_what_they_name) {
  const Mechanism m =
      read(model(R"(<joint name="hold" type="fixed"><parent>world</parent><child>a</child></joint>
    <frame name="f"><pose degrees="true">0 0 1 0 0 90</pose></frame>
    <frame name="g" attached_to="b"><pose relative_to="f">1 0 0 0 0 0</pose></frame>)" +
                 link("a") + link("b", "<pose relative_to='f'>1 0 0 0 0 0</pose>") + R"(
    <link name="c"><pose relative_to="j" rotation_format="quat_xyzw">0 0 1 0 0 1 1</pose>)" +
                 inertial + R"(</link>
    <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz expressed_in="f">1 0 0</xyz></axis></joint>
    <joint name="k" type="prismatic"><pose relative_to="a"/><parent>g</parent><child>c</child><axis><xyz>0 0 2</xyz></axis></joint>)"));
  const Model made = compile(m);
  ASSERT_EQ(made.nv(), 2);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  const SE3 b{exp(Vec3{0, 0, M_PI / 2}), {0, 1, 1}};
  EXPECT_CLOSE(pose_at(made, zero, "b"), b, 1e-15);
  EXPECT_CLOSE(pose_at(made, zero, "g"), b, 1e-15);
  EXPECT_CLOSE(pose_at(made, zero, "c"), (b * SE3{exp(Vec3{0, 0, M_PI / 2}), {0, 0, 1}}), 1e-15);
  EXPECT_CLOSE(made.joint("j").Y[0].w, (Vec3{0, 1, 0}), 1e-15);
  EXPECT_CLOSE(made.joint("k").Y[0].v, (Vec3{0, 0, 1}), 1e-15);
  EXPECT_EQ(m.bodies[static_cast<std::size_t>(find_body(m, "c"))].parent, "b");
}

TEST(Sdf, a_second_joint_closes_a_loop_and_mimic_is_kept) {
  const Mechanism m = read(model(link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") + R"(
    <joint name="p" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
    <joint name="q" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
      <mimic joint="p" axis="axis"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint>
    <joint name="r" type="revolute"><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>)"));
  ASSERT_EQ(m.loops.size(), 1u);
  EXPECT_EQ(m.loops[0].name, "r");
  const Model made = compile(m);
  EXPECT_EQ(made.joint("q").mimic->multiplier, 2);
  EXPECT_DOUBLE_EQ(made.joint("q").mimic->offset, 0.3);
  Constraints constraints(made, {.mimic = false});
  PositionKinematics kin(made);
  forward_kinematics(made, made.neutral(), kin);
  Vector Phi(constraints.constraint_count());
  constraints.update(kin);
  constraints.constraint_error(kin, Phi);
  EXPECT_EQ(constraints.constraint_count(), 5);
  EXPECT_LT(Phi.cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Sdf, warnings_name_what_is_not_kept) {
  const auto [m, warnings] =
      read_all(pair("universal",
                    "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit>"
                    "<dynamics><spring_stiffness>3</spring_stiffness></dynamics></"
                    "axis><axis2><xyz>1 0 0</xyz></axis2><odd/>"));
  EXPECT_EQ(
      warnings,
      (std::vector<std::string>{
          "m.sdf:3: joint 'j': the element <odd> is not known and not read",
          "m.sdf:3: joint 'j': limits of a universal joint, which has several coordinates, are "
          "not kept",
          "m.sdf:3: joint 'j': damping, friction and spring_stiffness of both axes are those of "
          "the first"}));
  EXPECT_EQ(m.bodies[1].joint.dynamics.stiffness, 3);
}

/// The axis of a wheel that is rolled onto its side, by the rules of every version: of the model before 1.5, of the
/// joint since, with a flag in 1.5 and 1.6, by a name later.
TEST(Sdf, axes_are_in_the_frame_of_their_version) {
  const auto axis = [](const std::string& version, const std::string& inside,
                       const std::string& more = "") {
    const Mechanism m =
        read("<sdf version='" + version + "'><model name='m'><pose>0 0 0 0 0 0.3</pose>" +
             link("a") + link("b", "<pose>0 1 0 -1.5707963267948966 0 0</pose>") +
             "<joint name='j' type='revolute'><pose>0 0 0 0 0.2 0</pose>"
             "<parent>a</parent><child>b</child><axis>" +
             inside + "</axis>" + more + "</joint></model></sdf>");
    return compile(m).joint("j").Y[0].w;
  };
  const std::string y = "<xyz>0 1 0</xyz>",
                    flag = "<use_parent_model_frame>True</use_parent_model_frame>",
                    no_flag = "<use_parent_model_frame>false</use_parent_model_frame>";
  const SO3 model_axes = exp(Vec3{0, 0, 0.3}),
            joint_axes = model_axes * exp(Vec3{-M_PI / 2, 0, 0}) * exp(Vec3{0, 0.2, 0});
  const Vec3 of_model = model_axes * Vec3{0, 1, 0}, of_joint = joint_axes * Vec3{0, 1, 0};
  for (const char* version : {"1.2", "1.3", "1.4"}) {
    EXPECT_CLOSE(axis(version, y), of_model, 1e-15) << version;
    EXPECT_CLOSE(axis(version, no_flag + y), of_model, 1e-15) << version;  // of later versions
  }
  for (const char* version : {"1.5", "1.6"}) {
    EXPECT_CLOSE(axis(version, y), of_joint, 1e-15) << version;
    EXPECT_CLOSE(axis(version, no_flag + y), of_joint, 1e-15) << version;
    EXPECT_CLOSE(axis(version, flag + y), of_model, 1e-15) << version;
  }
  for (const char* version : {"1.7", "1.8", "1.9", "1.10", "1.11", "1.12"}) {
    EXPECT_CLOSE(axis(version, y), of_joint, 1e-15) << version;
    EXPECT_CLOSE(axis(version, flag + y), of_joint, 1e-15) << version;  // with a warning
    EXPECT_CLOSE(axis(version, "<xyz expressed_in='__model__'>0 1 0</xyz>"), of_model, 1e-15);
    EXPECT_CLOSE(axis(version, "<xyz expressed_in='a'>0 1 0</xyz>"), of_model, 1e-15);
  }
  const std::string newer =
      "<sdf version='1.9'><model name='m'>" + link("a") + link("b") +
      "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>" + flag + y +
      "</axis></joint></model></sdf>";
  EXPECT_NE(read_all(newer).warnings.at(0).find("use_parent_model_frame is not obeyed"),
            std::string::npos);
}

TEST(Sdf, second_axes_limits_poses_and_gravity_follow_their_version) {
  const auto of = [](const std::string& version, const std::string& joint,
                     const std::string& b = "") {
    return read_all("<sdf version='" + version + "'><model name='m'>" +
                    link("a", "<pose>0 0 0 0 0 0.5</pose>") +
                    link("b", b.empty() ? "<pose>0 1 0 -0.7 0 0</pose>" : b) + "<joint name='j' " +
                    joint + "<parent>a</parent><child>b</child></joint></model></sdf>");
  };
  // Both axes of a universal joint.
  const std::string cross =
      "type='universal'><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>";
  EXPECT_CLOSE(compile(of("1.4", cross).mechanism).joint("j").Y[1].w, (Vec3{0, 1, 0}), 1e-15);
  EXPECT_CLOSE(compile(of("1.6", cross).mechanism).joint("j").Y[1].w,
               exp(Vec3{-0.7, 0, 0}) * (Vec3{0, 1, 0}), 1e-15);
  // Zero did not bound before 1.5.
  const std::string zero =
      "type='revolute'><axis><xyz>0 0 "
      "1</xyz><limit><effort>0</effort><velocity>0</velocity></limit></axis>";
  const auto limits = [&](const char* version) {
    return of(version, zero).mechanism.bodies[1].joint.limits;
  };
  EXPECT_FALSE(limits("1.4"));
  EXPECT_EQ(limits("1.5")->effort, 0);
  // relative_to was called frame before 1.7.
  const std::string fixed = "type='fixed'>", in_a = "<pose frame='a'>1 0 0 0 0 0</pose>";
  const auto at = [&](const char* version) {
    const Mechanism m = of(version, fixed, in_a).mechanism;
    const Model made = compile(m);
    return pose_at(made, made.neutral(), "b").r;
  };
  EXPECT_CLOSE(at("1.6"), (Vec3{std::cos(0.5), std::sin(0.5), 0}), 1e-15);
  EXPECT_CLOSE(at("1.7"), (Vec3{1, 0, 0}), 1e-15);
  EXPECT_NE(of("1.7", fixed, in_a).warnings.at(0).find("frame of <pose> is not obeyed"),
            std::string::npos);

  const auto gravity = [](const std::string& version, const std::string& inside) {
    return read("<sdf version='" + version + "'><world name='w'>" + inside + "<model name='m'>" +
                link("a") + "</model></world></sdf>")
        .gravity;
  };
  const std::string old = "<physics type='ode'><gravity>1 2 3</gravity></physics>",
                    now = "<gravity>1 2 3</gravity>";
  for (const char* version : {"1.2", "1.4", "1.5"})
    EXPECT_EQ(gravity(version, old), (Vec3{1, 2, 3})) << version;
  for (const char* version : {"1.6", "1.10"}) {
    EXPECT_EQ(gravity(version, now), (Vec3{1, 2, 3})) << version;
    EXPECT_EQ(gravity(version, old), (Vec3{0, 0, -9.8})) << version;
  }
  EXPECT_EQ(gravity("1.9", ""), (Vec3{0, 0, -9.8}));  // the default of a world
}

TEST(Sdf, versions_that_are_not_read_are_refused) {
  const auto with = [](const std::string& version) {
    return read_all("<sdf version='" + version + "'><model name='m'>" + link("a") +
                    "</model></sdf>");
  };
  EXPECT_SAYS(with("1.0"), "sdf: version '1.0' wrote values as attributes and is not read");
  for (const char* odd : {"2.0", "1", "1.", "1.x", "1.6b", "-1.5", "one", "1.-3"})
    EXPECT_SAYS(with(odd), "is not one of SDF; give 1.2 to 1.12");
  EXPECT_NE(with("1.13").warnings.at(0).find("is newer than 1.12"), std::string::npos);
  EXPECT_EQ(read("<gazebo version='1.2'><model name='m'>" + link("a") + "</model></gazebo>")
                .bodies.size(),
            1u);
}

TEST(Sdf, a_model_stands_by_its_placement_frame) {
  const Mechanism m = read(
      "<sdf version='1.9'><model name='m' placement_frame='f'><pose>1 2 3 0 0 0</pose>"
      "<frame name='f'><pose>0 0 1 0 0 1.5707963267948966</pose></frame>" +
      link("a") + "</model></sdf>");
  const Model made = compile(m);
  EXPECT_CLOSE(pose_at(made, made.neutral(), "a"),
               (SE3{{}, {1, 2, 3}} * inverse(SE3{exp(Vec3{0, 0, M_PI / 2}), {0, 0, 1}})), 1e-15);
}

TEST(Sdf, the_model_is_attached_to_its_canonical_link) {
  const auto parent = [](const std::string& attributes) {
    const Mechanism m =
        read("<sdf version='1.9'><model name='m' " + attributes + ">" + link("a") +
             link("b", "<pose relative_to=''>1 0 0 0 0 0</pose>") + link("c") +
             "<frame name='f' attached_to=''><pose>0 0 1 0 0 0</pose></frame>"
             "<joint name='j' type='revolute'><parent>__model__</parent><child>c</child>"
             "<axis><xyz expressed_in=''>0 0 1</xyz></axis></joint></model></sdf>");
    const std::string body = m.bodies[static_cast<std::size_t>(find_body(m, "c"))].parent;
    EXPECT_EQ(m.frames.at(0).body, body);
    const Model made = compile(m);
    EXPECT_CLOSE(pose_at(made, made.neutral(), "f").r, (Vec3{0, 0, 1}), 1e-15);
    return body;
  };
  EXPECT_EQ(parent(""), "a");
  EXPECT_EQ(parent("canonical_link=''"), "a");
  EXPECT_EQ(parent("canonical_link='b'"), "b");
  EXPECT_SAYS(parent("canonical_link='x'"), "there is no link, joint or frame 'x'");
}

TEST(Sdf, the_rotors_of_drake_are_armatures) {
  const auto with = [](const std::string& type, const std::string& inside) {
    return read_all(pair(type, "<axis><xyz>0 0 1</xyz></axis>" + inside));
  };
  const std::string inertia = "<drake:rotor_inertia>2e-5</drake:rotor_inertia>";
  const auto [m, warnings] = with("revolute", inertia + "<drake:gear_ratio>100</drake:gear_ratio>");
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_EQ(m.bodies[1].joint.armature, 100 * 100 * 2e-5);
  EXPECT_FALSE(m.bodies[1].joint.rotor);
  EXPECT_EQ(with("prismatic", inertia).mechanism.bodies[1].joint.armature, 2e-5);
  EXPECT_EQ(with("revolute", "<drake:gear_ratio>100</drake:gear_ratio>")
                .mechanism.bodies[1]
                .joint.armature,
            0);
  EXPECT_NE(with("ball", inertia).warnings.at(0).find("a rotor of a joint"), std::string::npos);
}

TEST(Sdf, a_link_may_be_called_ground) {
  const auto [m, warnings] = read_all(
      model(link("ground") + link("b", "<pose>1 0 0 0 0 0</pose>") +
            "<joint name='j' type='revolute'><parent>ground</parent><child>b</child><axis><xyz>0 0 "
            "1</xyz></axis></joint>"
            "<joint name='k' type='fixed'><parent>world</parent><child>ground</child></joint>"
            "<frame name='f' attached_to='ground'/>"));
  EXPECT_EQ(m.bodies[0].name, "ground_");
  EXPECT_EQ(m.bodies[0].parent, "ground");
  EXPECT_EQ(m.bodies[1].parent, "ground_");
  EXPECT_EQ(m.frames[0].body, "ground_");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("the link is called 'ground_'"), std::string::npos);
}

TEST(Sdf, bad_files_are_refused_by_line) {
  const std::string z = "<axis><xyz>0 0 1</xyz></axis>";
  EXPECT_SAYS(read("<sdf><model name='m'>"), "m.sdf:1: not XML");
  EXPECT_SAYS(read("<sdf/>"), "m.sdf:1: sdf: has no models; give at least one");
  EXPECT_SAYS(read("<sdf><model/></sdf>"), "the attribute name of <model> is missing");
  EXPECT_SAYS(read("<robot/>"), "the outermost element is <robot>, not <sdf>; give a SDF");
  EXPECT_SAYS(read(model("<link/>")), "a link: the attribute name of <link> is missing");
  EXPECT_SAYS(read(model(link("a") + link("a"))),
              "link 'a': the name 'a' is used twice, first in m.sdf:2");
  EXPECT_SAYS(read(model(link("world"))), "the name is kept for SDF itself");
  EXPECT_SAYS(
      read(pair("revolut", z)),
      "m.sdf:3: joint 'j': type 'revolut' is not a joint type of SDF; did you mean 'revolute'?");
  EXPECT_SAYS(read(pair("revolute", "")), "joint 'j': has no <axis> element");
  EXPECT_SAYS(read(pair("universal", z)), "joint 'j': has no <axis2> element");
  EXPECT_SAYS(read(pair("universal", z + "<axis2><xyz>0 0 1</xyz></axis2>")),
              "is not across the axis");
  EXPECT_SAYS(read(pair("revolute", "<axis><xyz>0 0 nan</xyz></axis>")),
              "<xyz>: 'nan' is not a finite number");
  EXPECT_SAYS(read(pair("revolute", "<axis><xyz>0 0</xyz></axis>")),
              "<xyz> is '0 0'; give 3 numbers");
  EXPECT_SAYS(read(pair("revolute", "<axis><xyz>0 0 0</xyz></axis>")), "has no direction");
  EXPECT_SAYS(read(pair("revolute", "<axis><xyz expressed_in='q'>0 0 1</xyz></axis>")),
              "there is no link, joint or frame 'q'");
  EXPECT_SAYS(read(pair("screw", z + "<thread_pitch>0</thread_pitch>")), "thread_pitch is 0");
  EXPECT_SAYS(read(model(link("a") + "<joint name='j' type='fixed'><parent>a</parent></joint>")),
              "joint 'j': has no <child> element");
  EXPECT_SAYS(
      read(model(link("a") +
                 "<joint name='j' type='fixed'><parent>a</parent><child>x</child></joint>")),
      "there is no link, joint or frame 'x'");
  EXPECT_SAYS(
      read(model(link("a") +
                 "<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>")),
      "both ends are on 'a'");
  EXPECT_SAYS(
      read(model(link("a") +
                 "<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>")),
      "the world cannot be a child");
  EXPECT_SAYS(
      read(model(link("a", "<pose relative_to='b'/>") + link("b", "<pose relative_to='a'/>"))),
      "its pose is relative to itself");
  EXPECT_SAYS(
      read(model(link("a") + "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>")),
      "is attached to itself");
  EXPECT_SAYS(read(model(link("a", "<pose>1 2 3</pose>"))), "<pose> is '1 2 3'; give 6 numbers");
  EXPECT_SAYS(read(model(link("a", "<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>"))),
              "no direction");
  EXPECT_SAYS(read(model("<link name='a'><inertial><mass/></inertial></link>")), "<mass> is empty");
  EXPECT_SAYS(read_sdf(model(link("a")), "m.sdf", {true, nullptr}), "SDF says itself what floats");
}

}  // namespace sdf_test
