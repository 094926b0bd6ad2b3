/// MJCF: what is read, compared with numbers by hand and with the same mechanism in URDF; what is not
/// kept is said, and bad files are refused by line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "chasles/constraints/constraints.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"
#include "support/three_formats.hpp"

namespace mjcf_test {

using namespace chasles;
using namespace chasles::test;

struct Read {
  Mechanism mechanism;
  std::vector<std::string> warnings;
};
Read read_all(const std::string& text) {
  Read r;
  r.mechanism = read_mjcf(text, "m.xml", {false, &r.warnings});
  compile(r.mechanism);
  return r;
}
/// The text is the inside of <worldbody>, in line 2.
std::string world(const std::string& inside, const std::string& before = "") {
  return "<mujoco>" + before + "<worldbody>\n" + inside + "</worldbody></mujoco>";
}
Mechanism read(const std::string& text) { return read_all(text).mechanism; }
SE3 pose_at(const Model& model, const Eigen::VectorXd& q, const char* name) {
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  return pose(kin, model.frame(name));
}

TEST(Mjcf, a_pendulum_by_hand) {
  // 2 kg at 0.5 m below a hinge along y that is 0.3 m above the body's origin; 0.1 kg m^2.
  const auto [m, warnings] = read_all(
      world(R"(<body name="rod" pos="1 0 2"><joint name="hinge" axis="0 3 0" pos="0 0 0.3" ref="10"
        range="-35 100" damping="0.2" frictionloss="0.05"/>
        <inertial pos="0 0 -0.2" mass="2" diaginertia="0.1 0.1 0.05"/></body>)",
            R"(<option gravity="0 0 -10"/>)"));
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_EQ(m.gravity, (Vec3{0, 0, -10}));
  const Model model = compile(m);
  ASSERT_EQ(model.nv(), 1);
  const ModelJoint& hinge = model.joint("hinge");
  EXPECT_DOUBLE_EQ(*hinge.limits->lower, -M_PI / 4);  // counted from ref
  EXPECT_DOUBLE_EQ(*hinge.limits->upper, M_PI / 2);
  EXPECT_EQ(hinge.dynamics.damping, 0.2);
  EXPECT_EQ(hinge.dynamics.friction, 0.05);
  InverseDynamics work(model);
  const double q = 0.7, a = 1.3;
  EXPECT_NEAR(inverse_dynamics(model, Eigen::VectorXd::Constant(1, q), Eigen::VectorXd::Zero(1),
                               Eigen::VectorXd::Constant(1, a), work)[0],
              (0.1 + 2 * 0.25) * a + 2 * 10 * 0.5 * std::sin(q), 1e-14);
  const SE3 C = pose_at(model, Eigen::VectorXd::Constant(1, q), "rod");
  EXPECT_CLOSE(C.r, (Vec3{1 - 0.3 * std::sin(q), 0, 2.3 - 0.3 * std::cos(q)}), 1e-15);
}

TEST(Mjcf, the_same_arm_as_in_urdf_has_the_same_forces) {
  const Model mjcf = compile(read(arm_as_mjcf())),
              urdf = compile(read_urdf(arm_as_urdf(), "a.urdf")),
              sdf = compile(read_sdf(arm_as_sdf(), "a.sdf"));
  std::mt19937_64 generator(3);
  for (int k = 0; k < 20; ++k) {
    const Eigen::VectorXd q = random_vector(3, generator), v = random_vector(3, generator),
                          a = random_vector(3, generator);
    InverseDynamics of_urdf(urdf);
    const Eigen::VectorXd Q = inverse_dynamics(urdf, q, v, a, of_urdf);
    for (const Model& model : {mjcf, sdf}) {
      InverseDynamics work(model);
      EXPECT_LT((inverse_dynamics(model, q, v, a, work) - Q).cwiseAbs().maxCoeff(),
                1e-13 * Q.cwiseAbs().maxCoeff());
      const SE3 A = pose_at(urdf, q, "tool"), B = pose_at(model, q, "tool");
      EXPECT_LT(norm(A.r - B.r), 1e-14);
      EXPECT_LT(norm(log(inverse(A.R) * B.R)), 1e-14);
    }
  }
  for (const Model& model : {mjcf, sdf})
    for (const ModelJoint& joint : urdf.joints()) {
      const ModelJoint& other = model.joint(joint.name);
      EXPECT_EQ(joint.dynamics.damping, other.dynamics.damping) << joint.name;
      EXPECT_EQ(joint.dynamics.friction, other.dynamics.friction);
      if (joint.limits && joint.limits->lower) {
        EXPECT_EQ(joint.limits->lower, other.limits->lower);
        EXPECT_EQ(joint.limits->upper, other.limits->upper);
        EXPECT_FALSE(other.limits->velocity);
      }
    }
}

TEST(Mjcf, the_outermost_element_says_what_a_file_is) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("chasles_formats_" + std::to_string(getpid()) + ".xml");
  for (const std::string& text : {arm_as_urdf(), arm_as_mjcf(), arm_as_sdf()}) {
    std::ofstream(file) << text;
    EXPECT_EQ(compile(read_mechanism(file)).nv(), 3);
  }
  std::ofstream(file) << "<svg/>";
  EXPECT_SAYS(read_mechanism(file), "the outermost element is <svg>", "robot", "mujoco", "sdf");
  std::filesystem::remove(file);
}

TEST(Mjcf, a_floating_body_with_a_ball_joint) {
  const Model model = compile(read(world(R"(<body name="trunk" pos="0 0 1"><freejoint/>
      <geom type="box" size="0.1 0.2 0.3" mass="4"/>
      <body name="limb" pos="0 0 -0.3"><joint name="hip" type="ball" pos="0 0 0.05" damping="0.3"/>
        <geom type="sphere" size="0.1" mass="1" pos="0 0 -0.4"/></body></body>)")));
  ASSERT_EQ(model.nq(), 11);
  ASSERT_EQ(model.nv(), 9);
  EXPECT_EQ(model.joint("hip").type, JointType::spherical);
  EXPECT_EQ(model.joint("hip").dynamics.damping, 0.3);
  EXPECT_EQ(model.joint("trunk_joint").type, JointType::floating);
  // At rest it needs its weight; about the hip hangs 1 kg, 0.45 m below: turned by q about y.
  Eigen::VectorXd q = model.neutral();
  const double angle = 0.6;
  q.segment<4>(7) << std::cos(angle / 2), 0, std::sin(angle / 2), 0;
  InverseDynamics work(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(9),
                        Q = inverse_dynamics(model, q, zero, zero, work);
  EXPECT_NEAR(Q[5], 5 * 9.81, 1e-12);
  EXPECT_NEAR(Q[3], 0, 1e-12);
  EXPECT_NEAR(Q[7], 1 * 9.81 * 0.45 * std::sin(angle), 1e-13);
  MassMatrix mass(model);
  mass_matrix(model, q, mass);
  EXPECT_NEAR(mass.M()(3, 3), 5, 1e-14);
  EXPECT_NEAR(mass.M()(7, 7), 0.4 * 0.01 + 0.45 * 0.45, 1e-15);
}

/// About axes through the center, by adding up thin slices along z: nothing of the formulas is used.
struct Slices {
  double mass = 0, xx = 0, zz = 0;
  /// radii of the elliptic slices at z, from -top to top
  template <class A, class B>
  Slices(double density, double top, const A& a, const B& b) {
    constexpr int n = 20000;
    const double h = 2 * top / n;
    for (int i = 0; i < n; ++i) {
      const double z = -top + (i + 0.5) * h, m = density * M_PI * a(z) * b(z) * h;
      mass += m;
      xx += m * (b(z) * b(z) / 4 + z * z);
      zz += m * (a(z) * a(z) + b(z) * b(z)) / 4;
    }
  }
};
BodyInertia of_geom(const std::string& geom) {
  return *read(world("<body><joint/><geom " + geom + "/></body>")).bodies[0].inertia;
}

TEST(Mjcf, inertias_of_geoms) {
  const double r = 0.2, h = 0.5;
  const auto round = [&](double z) {
    const double beyond = std::max(0.0, std::abs(z) - h);
    return std::sqrt(std::max(0.0, r * r - beyond * beyond));
  };
  const Slices capsule(700, h + r, round, round);
  const BodyInertia c = of_geom("type='capsule' size='0.2 0.5' density='700'");
  EXPECT_NEAR(c.mass, capsule.mass, 1e-6 * c.mass);
  EXPECT_NEAR(c.tensor.xx, capsule.xx, 1e-6 * c.tensor.xx);
  EXPECT_NEAR(c.tensor.zz, capsule.zz, 1e-6 * c.tensor.zz);
  EXPECT_EQ(c.tensor.xx, c.tensor.yy);
  const auto ellipse = [](double a) {
    return [a](double z) { return a * std::sqrt(std::max(0.0, 1 - z * z / 0.09)); };
  };
  const Slices ellipsoid(1000, 0.3, ellipse(0.1), ellipse(0.2));
  const BodyInertia e = of_geom("type='ellipsoid' size='0.1 0.2 0.3'");
  EXPECT_NEAR(e.mass, ellipsoid.mass, 1e-6 * e.mass);
  EXPECT_NEAR(e.tensor.xx, ellipsoid.xx, 1e-6 * e.tensor.xx);
  EXPECT_NEAR(e.tensor.zz, ellipsoid.zz, 1e-6 * e.tensor.zz);
  const BodyInertia tube = of_geom("type='cylinder' size='0.1 0.3' mass='2'");
  EXPECT_CLOSE(tube.tensor, Sym3::diagonal(2 * (0.03 + 0.36) / 12, 2 * (0.03 + 0.36) / 12, 0.01),
               1e-16);
  const BodyInertia box = of_geom("type='box' size='0.1 0.2 0.3' density='500'");
  EXPECT_DOUBLE_EQ(box.mass, 24);
  EXPECT_CLOSE(box.tensor, Sym3::diagonal(24 * 0.52 / 12, 24 * 0.4 / 12, 24 * 0.2 / 12), 1e-15);
  const BodyInertia ball = of_geom("size='0.1'");  // the default type and density
  EXPECT_DOUBLE_EQ(ball.mass, 4.0 / 3 * M_PI);
  EXPECT_NEAR(ball.tensor.xx, 0.4 * ball.mass * 0.01, 1e-16);
}

TEST(Mjcf, geoms_add_up_wherever_they_lie) {
  // A capsule between two points is one along z, turned and moved.
  const BodyInertia ends = of_geom("type='capsule' size='0.05' fromto='1 0 0 1 0.6 0'"),
                    turned = of_geom("type='capsule' size='0.05 0.3' pos='1 0.3 0' euler='90 0 0'");
  EXPECT_CLOSE(ends.com, (Vec3{1, 0.3, 0}), 1e-16);
  EXPECT_NEAR(ends.mass, turned.mass, 1e-15);
  EXPECT_CLOSE(ends.tensor, turned.tensor, 1e-15);
  EXPECT_LT(ends.tensor.yy, ends.tensor.xx / 5);
  // Two balls on a line.
  const Mechanism m =
      read(world("<body><joint/><geom size='0.1' mass='1' pos='1 0 0'/><geom size='0.1' mass='3' "
                 "pos='-1 0 0'/>"
                 "<geom type='plane' size='1 1 1'/></body>"));
  const BodyInertia& both = *m.bodies[0].inertia;
  EXPECT_EQ(both.mass, 4);
  EXPECT_CLOSE(both.com, (Vec3{-0.5, 0, 0}), 1e-16);
  EXPECT_NEAR(both.tensor.yy, 4 * 0.004 + 1 * 1.5 * 1.5 + 3 * 0.5 * 0.5, 1e-15);
  EXPECT_NEAR(both.tensor.xx, 4 * 0.004, 1e-16);
  // inertiafromgeom decides between both.
  const std::string body =
      "<body><joint/><inertial pos='0 0 0' mass='7' diaginertia='1 1 1'/>"
      "<geom size='0.1' mass='2'/></body>";
  EXPECT_EQ(read(world(body)).bodies[0].inertia->mass, 7);
  EXPECT_EQ(read(world(body, "<compiler inertiafromgeom='true'/>")).bodies[0].inertia->mass, 2);
  EXPECT_FALSE(
      read(world("<body><joint/><geom size='0.1'/></body>", "<compiler inertiafromgeom='false'/>"))
          .bodies[0]
          .inertia);
}

TEST(Mjcf, several_joints_of_a_body_follow_each_other) {
  const Mechanism m = read(world(R"(<body name="b" pos="0 0 1" euler="0 0 90">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="a" axis="1 0 0"/>
      <joint name="b" axis="0 1 0" pos="0 0 0.2"/></body>)"));
  const Model model = compile(m);
  ASSERT_EQ(model.nv(), 3);
  const Vec3 q{0.3, 0.5, -0.7};
  const Vec3 p{0, 0, 0.2};
  const SE3 expected = SE3{exp(Vec3{0, 0, M_PI / 2}), {0, 0, 1}} * SE3{{}, {q.x, 0, 0}} *
                       SE3{exp(Vec3{q.y, 0, 0}), {}} * SE3{{}, p} * SE3{exp(Vec3{0, q.z, 0}), {}} *
                       SE3{{}, -1.0 * p};
  EXPECT_CLOSE(pose_at(model, Eigen::Vector3d(q.x, q.y, q.z), "b"), expected, 1e-15);
}

TEST(Mjcf, names_are_made_where_there_are_none) {
  const auto [m, warnings] =
      read_all(world(R"(<body><joint/><joint/><body name="body1_joint"><joint name="body1_joint"/>
        <site name="body1_joint"/></body></body><body name="body1"/>)"));
  std::vector<std::string> bodies, joints;
  for (const Body& body : m.bodies) bodies.push_back(body.name), joints.push_back(body.joint.name);
  EXPECT_EQ(bodies, (std::vector<std::string>{"body1__1", "body1_", "body1_joint", "body1"}));
  EXPECT_EQ(joints,
            (std::vector<std::string>{"body1__joint", "body1__joint_", "body1_joint", "body1"}));
  EXPECT_EQ(m.frames[0].name, "body1_joint_site");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("the site 'body1_joint' has the name of a body"), std::string::npos);
}

TEST(Mjcf, rotations_in_every_form) {
  const auto rotation_of = [](const std::string& attribute, const std::string& compiler = "") {
    return read(world("<body " + attribute + "/>", compiler)).bodies[0].pose.C.R;
  };
  const SO3 R = exp(Vec3{0, 0, M_PI / 2});
  for (const char* text :
       {"euler='0 0 90'", "quat='2 0 0 2'", "axisangle='0 0 3 90'", "xyaxes='0 2 0 -1 1 0'"})
    EXPECT_CLOSE(rotation_of(text), R, 1e-15) << text;
  EXPECT_CLOSE(rotation_of("zaxis='1 0 0'"), exp(Vec3{0, M_PI / 2, 0}), 1e-15);
  const SO3 x = exp(Vec3{0.3, 0, 0}), y = exp(Vec3{0, 0.4, 0}), z = exp(Vec3{0, 0, 0.5});
  const std::string radian = "<compiler angle='radian' eulerseq='";
  EXPECT_CLOSE(rotation_of("euler='0.3 0.4 0.5'", radian + "xyz'/>"), x * y * z, 1e-15);
  EXPECT_CLOSE(rotation_of("euler='0.3 0.4 0.5'", radian + "XYZ'/>"), z * y * x, 1e-15);
  EXPECT_CLOSE(rotation_of("euler='0.5 0.4 0.3'", radian + "zyx'/>"), z * y * x, 1e-15);
}

TEST(Mjcf, defaults_by_class_and_by_the_bodies_around) {
  const Mechanism m = read(world(
      R"(<body name="a"><joint name="ja"/>
           <body name="b" childclass="leg"><joint name="jb"/>
             <body name="c"><joint name="jc" class="foot"/><geom class="foot" size="0.2"/>
               <body name="d"><joint name="jd" damping="9"/></body></body></body></body>)",
      R"(<default><joint damping="1" axis="1 0 0"/><geom mass="3"/>
           <default class="leg"><joint damping="2" type="slide"/>
             <default class="foot"><joint frictionloss="0.5"/><geom type="sphere"/></default></default></default>)"));
  const auto joint = [&](std::size_t i) { return m.bodies[i].joint; };
  EXPECT_EQ(joint(0).dynamics.damping, 1);
  EXPECT_EQ(joint(0).type, JointType::revolute);
  EXPECT_EQ(joint(1).dynamics.damping, 2);
  EXPECT_EQ(joint(1).type, JointType::prismatic);
  EXPECT_EQ(std::get<AxisGeometry>(joint(1).geometry).axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(joint(2).dynamics.friction, 0.5);
  EXPECT_EQ(joint(2).dynamics.damping, 2);
  EXPECT_EQ(m.bodies[2].inertia->mass, 3);
  EXPECT_EQ(joint(3).dynamics.damping, 9);
  EXPECT_EQ(joint(3).dynamics.friction, 0);
}

/// As in MuJoCo, the orientation of an element replaces that of its class, whatever their forms.
TEST(Mjcf, orientations_of_classes_are_replaced) {
  const char* forms[] = {"quat='1 2 3 4'", "euler='10 50 30'", "axisangle='1 2 3 40'",
                         "zaxis='1 -2 3'", "xyaxes='1 -2 3 4 5 7'"};
  const auto orientation = [](const std::string& in_class, const std::string& in_element) {
    const Mechanism m = read_mjcf(
        "<mujoco><default><default class='c'><site " + in_class +
            "/></default></default><worldbody><body name='b'><geom size='1'/><site name='s' "
            "class='c' " +
            in_element + "/></body></worldbody></mujoco>",
        "m.xml", {});
    return m.frames.at(0).pose.R;
  };
  for (const char* own : forms)
    for (const char* other : forms) {
      EXPECT_EQ(orientation(other, own), orientation("", own)) << other << ' ' << own;
      EXPECT_EQ(orientation(other, ""), orientation("", other)) << other;
    }
}

TEST(Mjcf, limits_follow_limited_and_autolimits) {
  const auto limits = [](const std::string& joint, const std::string& compiler = "") {
    return read(world("<body><joint " + joint + "/></body>", compiler)).bodies[0].joint.limits;
  };
  EXPECT_TRUE(limits("range='-1 1'"));
  EXPECT_FALSE(limits("range='-1 1' limited='false'"));
  EXPECT_FALSE(limits("range='-1 1'", "<compiler autolimits='false'/>"));
  EXPECT_TRUE(limits("range='-1 1' limited='true'", "<compiler autolimits='false'/>"));
  EXPECT_EQ(limits("type='slide' range='-1 3' ref='1'")->upper, 2);  // no degrees
  EXPECT_EQ(limits("range='-1 3'", "<compiler angle='radian'/>")->upper, 3);
}

TEST(Mjcf, equalities_become_couplings_and_loops) {
  const std::string bodies =
      R"(<body name="a"><joint name="ja"/></body><body name="b" pos="1 0 0"><joint name="jb" ref="30"/>
         <site name="s" pos="0 0.5 0"/></body><body name="c" pos="0 1 0"><joint name="jc" type="slide"/></body>
         <site name="w" pos="1 0.5 0"/>)";
  const auto with = [&](const std::string& equality) {
    return read_all("<mujoco><worldbody>" + bodies + "</worldbody>\n<equality>" + equality +
                    "</equality></mujoco>");
  };
  const Mechanism m =
      with(
          R"(<joint name="gear" joint1="ja" joint2="jb" polycoef="0.1 -2 0 0 0"/><joint joint1="jc" polycoef="0.2"/>
              <connect body1="a" body2="c" anchor="0 0.5 0"/><weld body1="b"/>
              <connect site1="s" site2="w"/>)")
          .mechanism;
  ASSERT_EQ(m.couplings.size(), 2u);
  EXPECT_EQ(m.couplings[0].name, "gear");
  ASSERT_EQ(m.couplings[0].terms.size(), 2u);
  EXPECT_EQ(m.couplings[0].terms[1].joint, "jb");
  EXPECT_EQ(m.couplings[0].terms[1].coefficient, 2);
  EXPECT_EQ(m.couplings[0].offset, 0.1);
  EXPECT_EQ(m.couplings[1].terms.size(), 1u);
  ASSERT_EQ(m.loops.size(), 3u);
  EXPECT_EQ(m.loops[0].type, JointType::spherical);
  EXPECT_EQ(m.loops[1].type, JointType::fixed);
  EXPECT_EQ(m.loops[1].bodies[1], "ground");
  const Model model = compile(m);
  Constraints constraints(model);
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  Vector Phi(constraints.constraint_count());
  constraints.update(kin);
  constraints.constraint_error(kin, Phi);
  EXPECT_EQ(constraints.constraint_count(), 3 + 6 + 3 + 2);
  double largest = 0;
  for (const ConstraintBlock& block : constraints.blocks())
    if (block.kind == "loop")
      largest = std::max(largest, Phi.segment(block.first, block.rows).cwiseAbs().maxCoeff());
  EXPECT_LT(largest, 1e-15);

  // A polynomial: ja = 0.1 + jb - 2 jb^2 + 3 jb^3 - 4 jb^4, counted from the pose of the file.
  const auto curved = with(R"(<joint joint1="ja" joint2="jb" polycoef="0.1 1 -2 3 -4"/>)");
  EXPECT_EQ(curved.warnings, std::vector<std::string>{});
  const Model cam = compile(curved.mechanism);
  Constraints along(cam);
  PositionKinematics there(cam);
  Vector q = cam.neutral();
  q[cam.joint("jb").q_index] = 0.5;
  q[cam.joint("ja").q_index] = 0.1 + 0.5 - 2 * 0.25 + 3 * 0.125 - 4 * 0.0625;
  forward_kinematics(cam, q, there);
  Vector error(along.constraint_count());
  along.update(there);
  along.constraint_error(there, error);
  ASSERT_EQ(error.size(), 1);
  EXPECT_NEAR(error[0], 0, 1e-16);
  EXPECT_SAYS(with(R"(<joint joint1="jx" joint2="jb"/>)"), "there is no joint 'jx'");
  EXPECT_SAYS(with(R"(<connect body1="q" anchor="0 0 0"/>)"), "there is no body 'q'");
  EXPECT_SAYS(with(R"(<connect body1="a"/>)"), "anchor is missing");
  EXPECT_SAYS(with(R"(<connect site1="s" site2="t"/>)"), "there is no site 't'");
}

TEST(Mjcf, what_has_no_meaning_here_is_named_once) {
  const auto [m, warnings] =
      read_all(R"(<mujoco><asset><mesh name="x" file="x.stl"/></asset><visual/><size/>
<actuator><motor joint="j"/></actuator><actuator/>
<worldbody><light/><geom type="plane" size="1 1 1"/>
<body><joint name="j" springyield="3" dmaping="1"/><geom type="capsule" mesh="x"/><odd/></body>
<body><joint/></body></worldbody></mujoco>)");
  EXPECT_EQ(
      warnings,
      (std::vector<std::string>{
          ("m.xml:4: joint 'j': the attribute 'dmaping' of <joint> is not known and not read; did "
           "you mean 'damping'?"),
          "m.xml:4: a body: the element <odd> is not known and not read",
          ("m.xml:4: joint 'j': springyield of <joint> is not kept: give the spring in a scenario "
           "(joint_spring_damper)"),
          ("m.xml:4: body 'body1': mesh 'x': 'x.stl': there is no such file; its mass is left "
           "out: repair the mesh, or give the body an <inertial>"),
          "m.xml: not read, as not part of the mechanism: <visual>, <light>"}));
}

TEST(Mjcf, geoms_of_other_groups_weigh_nothing) {
  const std::string door =
      "<body><joint/><geom size='0.1' mass='20' group='1'/><geom size='0.1' mass='0.68' "
      "group='3'/></body>";
  const auto mass = [&](const std::string& compiler) {
    const Mechanism m = read(world(door, compiler));
    return m.bodies[0].inertia ? m.bodies[0].inertia->mass : 0;
  };
  EXPECT_EQ(mass(""), 20.68);
  EXPECT_EQ(mass("<compiler inertiagrouprange='3 3'/>"), 0.68);
  EXPECT_EQ(mass("<compiler inertiagrouprange='0 1'/>"), 20);
  EXPECT_EQ(mass("<compiler inertiagrouprange='4 5'/>"), 0);
  EXPECT_EQ(mass("<compiler inertiagrouprange='3 3'/><default><geom group='3'/></default>"), 0.68);
  EXPECT_EQ(read(world("<body><joint/><geom size='0.1' mass='2'/></body>",
                       "<compiler inertiagrouprange='3 3'/><default><geom group='3'/></default>"))
                .bodies[0]
                .inertia->mass,
            2);
}

TEST(Mjcf, a_springdamper_is_made_for_the_inertia_of_its_joint) {
  // Two pendulums: M by hand, at the pose of the file, with the armature; damping is 2 / (tc (M^-1)_kk).
  const auto [m, warnings] = read_all(world(
      R"(<body name="a"><joint name="j" axis="0 1 0" springdamper="0.5 0.8" armature="0.03" damping="9"/>
           <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/>
           <body name="b" pos="0 0 -1"><joint name="k" axis="0 1 0" springdamper="0.3 2"/>
             <inertial pos="0 0 -0.5" mass="1" diaginertia="0.05 0.05 0.05"/></body></body>)"));
  const double M11 = 0.1 + 2 * 0.25 + 0.05 + 1.5 * 1.5 + 0.03, M12 = 0.05 + 0.5 * 1.5,
               M22 = 0.05 + 0.25, det = M11 * M22 - M12 * M12, I1 = det / M22, I2 = det / M11;
  EXPECT_NEAR(m.bodies[0].joint.dynamics.damping, 2 * I1 / 0.5, 1e-14);
  EXPECT_NEAR(m.bodies[1].joint.dynamics.damping, 2 * I2 / 0.3, 1e-14);
  EXPECT_NEAR(m.bodies[0].joint.dynamics.stiffness, I1 / (0.4 * 0.4), 1e-14);
  EXPECT_NEAR(m.bodies[1].joint.dynamics.stiffness, I2 / (0.6 * 0.6), 1e-14);
  EXPECT_EQ(warnings, std::vector<std::string>{});
  // A ball joint has the mean of its coordinates; without inertia there is none.
  const Mechanism ball = read(world(
      R"(<body><joint type="ball" springdamper="0.5 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5"/></body>)"));
  EXPECT_NEAR(ball.bodies[0].joint.dynamics.damping, 4 * 3 / (1 + 0.5 + 0.4), 1e-14);
  EXPECT_EQ(read(world("<body><joint springdamper='0 1' damping='3'/><geom size='1'/></body>"))
                .bodies[0]
                .joint.dynamics.damping,
            3);
}

/// As MuJoCo has it: one number for all velocities of a joint, by defaults, not for <freejoint>.
TEST(Mjcf, armature_is_on_the_diagonal_of_M) {
  const auto [m, warnings] = read_all(R"(<mujoco>
<default><joint armature="0.5"/><default class="soft"><joint armature="0.25"/></default></default>
<worldbody>
  <body name="a"><freejoint/><geom size="0.1"/>
    <body name="b" pos="1 0 0"><joint name="hip" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
      <body name="c" pos="1 0 0" childclass="soft"><joint name="ball" type="ball"/><geom size="0.1"/>
        <body name="d"><joint name="x" type="slide" armature="3"/><joint name="y" type="slide" axis="0 1 0"/>
          <geom size="0.1"/></body></body></body></body>
  <body name="e"><joint name="free" type="free"/><geom size="0.1"/></body>
</worldbody></mujoco>)");
  EXPECT_EQ(warnings, std::vector<std::string>{});
  Mechanism without = m;
  for (Body& body : without.bodies) body.joint.armature = 0;
  const Model model = compile(m), bare = compile(without);
  MassMatrix M(model), M_bare(bare);
  const Vector q = model.neutral();
  Vector expected(model.nv());
  expected.segment(model.joint("hip").v_index, 1).setConstant(0.5);
  expected.segment(model.joint("ball").v_index, 3).setConstant(0.25);
  expected.segment(model.joint("x").v_index, 1).setConstant(3);
  expected.segment(model.joint("y").v_index, 1).setConstant(0.25);
  expected.segment(model.joint("free").v_index, 6).setConstant(0.5);
  EXPECT_EQ(model.joint("free").group, FloatingGroup::so3xr3);
  const Eigen::MatrixXd difference = mass_matrix(model, q, M) - mass_matrix(bare, q, M_bare);
  EXPECT_LT((difference - Eigen::MatrixXd(Eigen::VectorXd(expected).asDiagonal()))
                .lpNorm<Eigen::Infinity>(),
            1e-13);
  EXPECT_SAYS(compile(read(world("<body><joint armature='-1'/><geom size='1'/></body>"))),
              "armature -1", "positive");
}

/// Numbers of MuJoCo 4.0: gear^2 or coef^2 times the armature.
TEST(Mjcf, armatures_of_actuators_and_tendons_are_those_of_their_joint) {
  const auto with = [](const std::string& inside) {
    return read_all(
        "<mujoco><default><general armature='0.5'/><default class='bare'>"
        "<motor armature='0'/></default><tendon armature='2'/></default><worldbody>"
        "<body name='a'><joint name='j' armature='0.25'/><geom size='0.1'/><site name='x'/>"
        "<body name='b'><joint name='k' type='slide'/><geom size='0.1'/><body name='c'><joint "
        "name='l' "
        "type='ball'/><geom size='0.1'/></body></body></body></worldbody>" +
        inside + "</mujoco>");
  };
  const auto armature = [&](const std::string& inside, std::size_t body = 0) {
    return with(inside).mechanism.bodies[body].joint.armature;
  };
  EXPECT_EQ(armature(""), 0.25);
  EXPECT_EQ(armature("<actuator><motor joint='j' gear='3 0 0'/></actuator>"), 0.25 + 9 * 0.5);
  EXPECT_EQ(armature("<actuator><position joint='j' armature='1'/><motor joint='j' gear='2'/>"
                     "<motor joint='j' class='bare'/></actuator>"),
            0.25 + 1 + 4 * 0.5);
  EXPECT_EQ(armature("<tendon><fixed name='t'><joint joint='k' coef='3'/></fixed></tendon>", 1),
            18);
  EXPECT_EQ(
      armature("<tendon><fixed name='t' armature='0'><joint joint='k' coef='3'/></fixed></tendon>"
               "<actuator><motor tendon='t' gear='2'/></actuator>",
               1),
      36 * 0.5);
  const auto said = [&](const std::string& inside) {
    const auto [m, warnings] = with(inside);
    EXPECT_EQ(m.bodies[0].joint.armature, 0.25);
    return std::ranges::count_if(warnings, [](const std::string& warning) {
      return warning.find("its armature is not kept") != warning.npos;
    });
  };
  EXPECT_EQ(said("<tendon><fixed name='t'><joint joint='j' coef='3'/><joint joint='k' "
                 "coef='1'/></fixed></tendon>"),
            1);
  EXPECT_EQ(said("<tendon><spatial name='s'><site site='x'/></spatial></tendon>"), 1);
  EXPECT_EQ(said("<actuator><motor site='x'/></actuator>"), 1);
  EXPECT_EQ(said("<actuator><motor joint='l'/></actuator>"), 1);
  EXPECT_EQ(said("<actuator><motor site='x' armature='0'/></actuator>"), 0);
  EXPECT_SAYS(with("<actuator><motor joint='jj'/></actuator>"), "there is no joint 'jj'");
}

TEST(Mjcf, flags_switch_off_what_they_name) {
  const auto with = [](const std::string& flag) {
    return read_all("<mujoco><option><flag " + flag + R"(/></option><worldbody>
      <body name="a" gravcomp="1"><joint name="j" range="-1 1" damping="2" frictionloss="3" stiffness="4"/>
        <geom size="0.1"/></body><body name="b"><joint name="k"/><geom size="0.1"/></body></worldbody>
      <equality><joint joint1="j" joint2="k"/></equality></mujoco>)");
  };
  const Joint all = with("contact='disable'").mechanism.bodies[0].joint;
  EXPECT_EQ(all.dynamics.damping, 2);
  EXPECT_EQ(all.dynamics.friction, 3);
  EXPECT_TRUE(all.limits);
  EXPECT_EQ(all.dynamics.stiffness, 4);
  EXPECT_EQ(with("contact='disable'").warnings.size(), 1u);  // gravcomp
  EXPECT_EQ(with("damper='disable'").mechanism.bodies[0].joint.dynamics.damping, 0);
  EXPECT_EQ(with("damper='disable'").warnings.size(), 1u);
  EXPECT_EQ(with("spring='disable'").mechanism.bodies[0].joint.dynamics.stiffness, 0);
  EXPECT_EQ(with("damper='disable'").mechanism.bodies[0].joint.dynamics.friction, 3);
  EXPECT_EQ(with("spring='disable'").warnings.size(), 1u);  // gravcomp
  EXPECT_EQ(with("spring='disable' damper='disable'").warnings, std::vector<std::string>{});
  EXPECT_EQ(with("passive='disable'").warnings, std::vector<std::string>{});
  EXPECT_EQ(with("frictionloss='disable'").mechanism.bodies[0].joint.dynamics.friction, 0);
  EXPECT_FALSE(with("limit='disable'").mechanism.bodies[0].joint.limits);
  EXPECT_EQ(with("").mechanism.couplings.size(), 1u);
  EXPECT_EQ(with("equality='disable'").mechanism.couplings.size(), 0u);
  const Mechanism none = with("constraint='disable'").mechanism;
  EXPECT_EQ(none.couplings.size(), 0u);
  EXPECT_FALSE(none.bodies[0].joint.limits);
  EXPECT_EQ(none.bodies[0].joint.dynamics.friction, 0);
  EXPECT_EQ(none.bodies[0].joint.dynamics.damping, 2);
  EXPECT_EQ(with("gravity='disable'").mechanism.gravity, (Vec3{}));
  EXPECT_SAYS(with("damper='off'"), "damper 'off' is not known");
}

TEST(Mjcf, polynomials_of_joints_are_kept) {
  const auto [m, warnings] = read_all(
      world("<body><joint name='j' damping='1 0.1' stiffness='2 -3 4'/><geom size='1'/></body>"));
  const JointDynamics& d = m.bodies[0].joint.dynamics;
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_EQ(d.damping, 1);
  EXPECT_EQ(d.drag, (std::array{0.1, 0.0}));
  EXPECT_EQ(d.stiffness, 2);
  EXPECT_EQ(d.stiffening, (std::array{-3.0, 4.0}));
  const Mechanism again = read(write_mjcf(m));
  EXPECT_EQ(again.bodies[0].joint.dynamics.drag, d.drag);
  EXPECT_EQ(again.bodies[0].joint.dynamics.stiffening, d.stiffening);
  EXPECT_EQ(read_all(world("<body><joint damping='1 0 0'/></body>")).warnings,
            std::vector<std::string>{});
  EXPECT_SAYS(read(world("<body><joint damping='1 2 3 4'/></body>")), "give 1 to 3 numbers");
  const auto driven = read_all(world("<body><joint name='j' damping='1 -3 1'/></body>"));
  EXPECT_EQ(driven.mechanism.bodies[0].joint.dynamics.drag, (std::array{0.0, 0.0}));
  EXPECT_NE(driven.warnings.at(0).find("joint 'j': damping '1 -3 1' would drive"),
            std::string::npos);
  const auto ball = read_all(world("<body><joint name='j' type='ball' stiffness='1 1'/></body>"));
  EXPECT_EQ(ball.mechanism.bodies[0].joint.dynamics.stiffness, 1);
  EXPECT_NE(ball.warnings.at(0).find("of a ball joint only the linear terms"), std::string::npos);
}

TEST(Mjcf, a_ball_joint_may_inherit_limited_and_a_body_may_be_called_ground) {
  const auto [m, warnings] =
      read_all(world("<body name='ground'><joint type='ball'/><geom size='1'/><body "
                     "name='ground_'/></body><body name='c'/>",
                     "<default><joint limited='true'/></default>"));
  EXPECT_FALSE(m.bodies[0].joint.limits);
  EXPECT_EQ(m.bodies[0].name, "ground__");
  EXPECT_EQ(m.bodies[1].parent, "ground__");
  EXPECT_EQ(warnings,
            (std::vector<std::string>{
                "m.xml:2: body 'ground': ground is the world here; the body is called 'ground__'",
                "m.xml:2: joint 'ground___joint': the range of a ball joint, which has several "
                "coordinates, is not kept"}));
  const Mechanism closed = read(
      "<mujoco><worldbody><body name='ground'><joint/></body></worldbody><equality><connect "
      "body1='ground' "
      "body2='world' anchor='0 0 0'/></equality></mujoco>");
  EXPECT_EQ(closed.loops[0].bodies[0], "ground_");
  EXPECT_EQ(closed.loops[0].bodies[1], "ground");
}

TEST(Mjcf, masses_are_bounded_and_scaled) {
  const auto bodies = [](const std::string& compiler) {
    return read(world("<body><joint/><inertial pos='0 0 1' mass='1e-4' diaginertia='1e-6 1e-6 "
                      "2e-8' euler='0 90 0'/>"
                      "</body><body><joint/><inertial pos='0 0 0' mass='3' diaginertia='1 1 "
                      "1'/></body>"
                      "<body><joint/></body>",
                      "<compiler " + compiler + "/>"))
        .bodies;
  };
  const auto bounded = bodies("boundmass='0.01' boundinertia='1e-7'");
  EXPECT_EQ(bounded[0].inertia->mass, 0.01);
  EXPECT_CLOSE(bounded[0].inertia->tensor, Sym3::diagonal(1e-7, 1e-6, 1e-6), 1e-21);
  EXPECT_EQ(bounded[1].inertia->mass, 3);
  EXPECT_CLOSE(bounded[1].inertia->tensor, Sym3::diagonal(1, 1, 1), 0);
  EXPECT_EQ(bounded[2].inertia->mass, 0.01);
  EXPECT_CLOSE(bounded[2].inertia->tensor, Sym3::diagonal(1e-7, 1e-7, 1e-7), 1e-21);
  const auto scaled = bodies("settotalmass='6.0002'");
  EXPECT_NEAR(scaled[0].inertia->mass, 2e-4, 1e-18);
  EXPECT_NEAR(scaled[1].inertia->mass, 6, 1e-14);
  EXPECT_CLOSE(scaled[1].inertia->tensor, Sym3::diagonal(2, 2, 2), 1e-14);
  EXPECT_FALSE(scaled[2].inertia);
}

TEST(Mjcf, balanced_inertias_are_round) {
  const auto tensor = [](const char* diagonal) {
    return read(world(std::string("<body><inertial pos='0 0 0' mass='1' diaginertia='") + diagonal +
                          "'/></body>",
                      "<compiler balanceinertia='true'/>"))
        .bodies[0]
        .inertia->tensor;
  };
  EXPECT_CLOSE(tensor("1 1 4"), Sym3::diagonal(2, 2, 2), 1e-15);
  EXPECT_CLOSE(tensor("1 1 2"), Sym3::diagonal(1, 1, 2), 1e-15);
}

TEST(Mjcf, bad_files_are_refused_by_line) {
  const auto body = [](const std::string& inside) {
    return world("<body name='b'>" + inside + "</body>");
  };
  EXPECT_SAYS(read("<mujoco><worldbody><body>"), "m.xml:1: not XML");
  EXPECT_SAYS(read("<robot/>"), "the outermost element is <robot>, not <mujoco>; give a MJCF");
  EXPECT_SAYS(read(""), "the file is empty");
  EXPECT_SAYS(
      read(body("<joint type='hing'/>")),
      "m.xml:2: joint 'b_joint': type 'hing' is not a joint type of MJCF; did you mean 'hinge'?");
  EXPECT_SAYS(read(body("<joint axis='0 0 0'/>")), "has no direction");
  EXPECT_SAYS(read(body("<joint axis='0 nan 1'/>")),
              "axis of <joint>: 'nan' is not a finite number");
  EXPECT_SAYS(read(body("<joint range='1'/>")), "range of <joint> is '1'; give 2 numbers");
  EXPECT_SAYS(read(body("<joint limited='true'/>")), "is limited, but has no range");
  EXPECT_SAYS(read(body("<joint range='2 1'/>")), "the lower limit");
  EXPECT_SAYS(read(body("<joint damping='-1'/>")), "damping -1 would drive the joint");
  EXPECT_SAYS(read(body("<joint class='x'/>")),
              "m.xml:2: joint 'b_joint': the class 'x' does not exist");
  EXPECT_SAYS(read(body("<joint name='j'/><joint name='j'/>")), "the name 'j' is used twice");
  EXPECT_SAYS(read(body("<body name='b'/>")), "the name 'b' is used twice");
  EXPECT_SAYS(read(body("<body><freejoint/></body>")),
              "a floating joint is for bodies of the world");
  EXPECT_SAYS(read(body("<inertial pos='0 0 0' mass='1'/>")),
              "the attribute diaginertia of <inertial> is missing");
  EXPECT_SAYS(read(body("<inertial pos='0 0 0' diaginertia='1 1 1'/>")),
              "mass of <inertial> is missing");
  EXPECT_SAYS(read(body("<geom type='bxo' size='1 1 1'/>")),
              "type 'bxo' is not a type of geom; did you mean 'box'?");
  EXPECT_SAYS(read(body("<geom type='box' size='1 1'/>")),
              "size of <geom> is '1 1'; give 3 numbers");
  EXPECT_SAYS(read(body("<geom type='box'/>")), "a box has no size; give 3 numbers");
  EXPECT_SAYS(read(body("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>")),
              "has no direction");
  EXPECT_SAYS(read(body("<geom size='1' mass='-1'/>")), "the mass -1 is negative");
  EXPECT_SAYS(read(body("<geom size='-1'/>")), "size -1 is negative");
  EXPECT_SAYS(read(world("<body quat='0 0 0 0'/>")), "has no direction");
  EXPECT_SAYS(read(world("<body name='world'/>")), "the name is that of the world");
  EXPECT_SAYS(read(world("<body childclass='x'/>")), "the class 'x' does not exist");
  EXPECT_SAYS(read(world("<composite prefix='rope'/>")), "<composite prefix='rope'> is not read",
              "<replicate>", "save the model as MuJoCo 3 compiles it");
  EXPECT_SAYS(read(world("<body/>", "<compiler angle='grad'/>")), "angle 'grad' is not known");
  EXPECT_SAYS(read(world("<body/>", "<compiler coordinate='global'/>")), "coordinate 'global'");
  EXPECT_SAYS(read(world("<body/>", "<compiler eulerseq='xy'/>")), "eulerseq 'xy'");
  EXPECT_SAYS(read(world("<body/>", "<default><default/></default>")),
              "a nested <default>: the attribute class of <default> is missing");
  EXPECT_SAYS(read_mjcf(arm_as_mjcf(), "m.xml", {true, nullptr}), "MJCF says itself what floats");
  // A class inside itself ends.
  EXPECT_NO_THROW(
      read(world("<body><joint class='a'/></body>",
                 "<default><default class='a'><default class='a'/></default></default>")));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<body>";
  EXPECT_SAYS(read(world(deep)), "nested deeper than 64");
}

TEST(Mjcf, a_scene_without_bodies_is_the_world) {
  const auto [m, warnings] = read_all("<mujoco><worldbody/></mujoco>");
  EXPECT_EQ(warnings,
            (std::vector<std::string>{"m.xml:1: mujoco: has no bodies; the world alone is "
                                      "read, as the massless body 'world'"}));
  EXPECT_EQ(compile(m).nq(), 0);
}

TEST(Mjcf, an_inertia_that_no_body_can_have_is_used_with_a_warning) {
  const auto [m, warnings] =
      read_all(world("<body name='b'><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("m.xml:2: body 'b': no body can have this inertia"),
            std::string::npos);
  EXPECT_FALSE(m.bodies[0].inertia->physical);
}

}  // namespace mjcf_test
