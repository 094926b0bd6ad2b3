/// MJCF keyframes and actuators in the coordinates of Chasles, against poses and forces by hand; starts and controls
/// of scenarios by their names.
#include <gtest/gtest.h>

#include <cmath>

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/model/keyframe_state.hpp"
#include "chasles/simulation/actuator_force.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/scenario_files.hpp"

namespace mjcf_keyframe_test {

using namespace chasles;
using namespace chasles::test;

Mechanism read(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  Mechanism m = read_mjcf(text, "m.xml", {.warnings = warnings});
  compile(m);
  return m;
}

/// A free body, turned in the file, with a ball joint, a slide and a hinge that has a `ref`; the second child of the
/// base comes after a grandchild.
const std::string robot = R"(<mujoco model="robot"><compiler angle="degree"/><worldbody>
<body name="base" pos="1 2 3" euler="0 0 90"><freejoint name="root"/><geom size="0.1"/>
<body name="leg" pos="0 0 -1"><joint name="hip" axis="0 1 0" ref="30" range="60 120"/><geom size="0.1" pos="0 0 -0.5"/>
<body name="foot" pos="0 0 -1"><joint name="ankle" type="ball"/><geom size="0.1" pos="0 0 -0.1"/></body></body>
<body name="rod" pos="1 0 0"><joint name="slide" type="slide" axis="1 0 0" ref="0.25"/><geom size="0.1"/></body>
</body></worldbody>
<actuator><motor name="push" joint="slide"/></actuator>
<keyframe><key name="home" time="2" qpos="4 5 6 0.5 0.5 0.5 0.5  1.5  0 0 0 2  0.75" qvel="1 2 3 4 5 6 7 8 9 10 11" ctrl="0.4"/>
<key ctrl="2"/></keyframe></mujoco>)";

TEST(MjcfKeyframe, poses_and_velocities_are_those_of_mujoco) {
  std::vector<std::string> warnings;
  const Mechanism m = read(robot, &warnings);
  EXPECT_EQ(warnings, std::vector<std::string>{});
  ASSERT_EQ(m.keyframes.size(), 2u);
  EXPECT_EQ(m.keyframes[0].time, 2);
  EXPECT_EQ(m.keyframes[1].name, "key1");
  EXPECT_EQ(m.keyframes[1].control[0].value, 2);
  const Model model = compile(m);
  const auto [q, v] = keyframe_state(model, find_keyframe(m, "home"));
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  // (1, 1, 1, 1) / 2 takes x to y, y to z, z to x; qpos of a free body is its pose in the world.
  const SE3 base = pose(kin, model.frame("base"));
  EXPECT_LT(distance(base, SE3{exp(Vec3{1, 1, 1} * (2 * M_PI / 3 / std::sqrt(3))), {4, 5, 6}}),
            4e-15);
  // A hinge turns by qpos - ref from the pose of the file, a slide moves by qpos - ref.
  const double angle = 1.5 - M_PI / 6;
  EXPECT_NEAR(q[model.joint("hip").q_index], angle, 1e-15);
  EXPECT_LT(distance(pose(kin, model.frame("leg")), base * SE3{exp(Vec3{0, angle, 0}), {0, 0, -1}}),
            4e-15);
  EXPECT_LT(distance(pose(kin, model.frame("rod")), base * SE3{SO3{}, {1.5, 0, 0}}), 4e-15);
  // A quaternion of any length: half a turn about z.
  EXPECT_LT(
      distance(pose(kin, model.frame("foot")), base * SE3{exp(Vec3{0, angle, 0}), {0, 0, -1}} *
                                                   SE3{exp(Vec3{0, 0, M_PI}), {0, 0, -1}}),
      6e-15);
  // qvel of a free body: velocity of its origin in the world, angular velocity in the body; ours is (w; v) in the body.
  const int at = model.joint("root").v_index;
  const Vec3 w{v[at], v[at + 1], v[at + 2]}, moved{v[at + 3], v[at + 4], v[at + 5]};
  EXPECT_EQ(w, (Vec3{4, 5, 6}));
  EXPECT_LT(norm(base.R * moved - Vec3{1, 2, 3}), 4e-15);
  EXPECT_EQ(v[model.joint("hip").v_index], 7);
  EXPECT_EQ(v[model.joint("ankle").v_index + 2], 10);
  EXPECT_EQ(v[model.joint("slide").v_index], 11);
}

/// A free joint with armature is on SO(3) x R^3; poses and velocities of qpos and qvel are those in the world all the same.
TEST(MjcfKeyframe, free_joints_with_armature_are_where_qpos_says) {
  for (const char* armature : {"0", "0.2"}) {
    const Mechanism m = read(
        std::string(
            "<mujoco><worldbody><body name='b' pos='1 2 3' quat='1 1 0 0'><joint type='free' "
            "name='f' armature='") +
        armature +
        "'/><geom size='0.1'/></body></worldbody><keyframe><key name='k' qpos='4 5 6 0.5 0.5 0.5 "
        "0.5' qvel='1 2 3 4 5 6'/></keyframe></mujoco>");
    for (const Mechanism& same : {m, read_mjcf(write_mjcf(m), "again", {})}) {
      const Model model = compile(same);
      const auto [q, v] = keyframe_state(model, find_keyframe(same, "k"));
      VelocityKinematics kin(model);
      forward_kinematics(model, q, v, kin);
      const Frame b = model.frame("b");
      EXPECT_LT(distance(pose(kin, b),
                         SE3{exp(Vec3{1, 1, 1} * (2 * M_PI / 3 / std::sqrt(3))), {4, 5, 6}}),
                4e-15)
          << armature;
      // The velocity of the origin in the world, and the angular velocity in the body.
      EXPECT_LT(norm(twist(kin, b, Representation::hybrid).v - Vec3{1, 2, 3}), 1e-14) << armature;
      EXPECT_LT(norm(twist(kin, b, Representation::body).w - Vec3{4, 5, 6}), 1e-14) << armature;
    }
  }
}

TEST(MjcfKeyframe, yaml_keeps_keyframes_and_actuators) {
  const Mechanism m = read(robot);
  const std::string text = write_yaml(m);
  const Mechanism again = read_yaml(text, "again.yaml");
  EXPECT_EQ(write_yaml(again), text);
  EXPECT_EQ(again.keyframes[0].q[0].values, m.keyframes[0].q[0].values);
  EXPECT_EQ(again.keyframes[0].control[0].actuator, "push");
  EXPECT_EQ(again.actuators[0].terms[0].joint, "slide");
}

TEST(MjcfKeyframe, wrong_sizes_and_names_are_said) {
  const auto with = [](const std::string& key) {
    return "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody>"
           "<keyframe>\n" +
           key + "</keyframe></mujoco>";
  };
  std::vector<std::string> warnings;
  EXPECT_EQ(read(with("<key name='a' qpos='1 2'/>"), &warnings).keyframes[0].q.size(), 0u);
  ASSERT_EQ(warnings.size(), 1u);
  expect_parts(warnings[0], {"m.xml:2: keyframe 'a': qpos has 2 numbers, the model 1"});
  EXPECT_SAYS(read(with("<key name='a' qpos='x'/>")), "m.xml:2: keyframe 'a'",
              "'x' is not a finite number");
  EXPECT_SAYS(read(with("<key name='a'/><key name='a'/>")), "the name 'a' is used twice");
  const Mechanism m = read(with("<key name='up' qpos='1'/><key name='down' qpos='0'/>"));
  EXPECT_SAYS(find_keyframe(m, "upp"), "there is no keyframe 'upp'; the model has 'up', 'down'");
  EXPECT_SAYS(find_keyframe(read(with("")), "up"), "the model has none");
  Mechanism bad = m;
  bad.keyframes[0].q[0].joint = "i";
  EXPECT_SAYS(compile(bad), "keyframe 'up': there is no joint 'i'");
  bad = m, bad.keyframes[0].q[0].values = {1, 2};
  EXPECT_SAYS(compile(bad), "q of joint 'j' has 2 entries; give 1");
  bad = m, bad.keyframes[0].q[0].values = {NAN};
  EXPECT_SAYS(compile(bad), "nan is not finite");
  bad = m, bad.keyframes[1].name = "up";
  EXPECT_SAYS(compile(bad), "the name is used twice");
  bad = m, bad.keyframes[0].control = {{"none", 1}};
  EXPECT_SAYS(compile(bad), "there is no actuator 'none'");
}

/// The joint forces of all actuators at a state, for controls in order.
Vector efforts(const Mechanism& m, const Vector& q, const Vector& v, const std::vector<double>& u) {
  const Model model = compile(m);
  Forces forces;
  for (std::size_t i = 0; i < m.actuators.size(); ++i)
    forces.add(actuator_force(model, m.actuators[i], u.at(i)));
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  JointForces out{Vector(model.nv()), {}};
  forces.function()(0, kin, out);
  return out.tau;
}

TEST(MjcfActuator, forces_by_their_formulas) {
  const std::string bodies =
      "<worldbody><body name='a'><joint name='j' axis='0 1 0' ref='0.5' range='-1 2'/><geom "
      "size='0.1' pos='1 0 0'/>"
      "<body name='b'><joint name='k' type='slide' axis='1 0 0'/><geom "
      "size='0.1'/></body></body></worldbody>";
  const auto of = [&](const std::string& actuator) {
    return read(
        "<mujoco><compiler angle='radian'/><default><default class='strong'><position kp='7' "
        "forcerange='-5 5'/></default></default>" +
        bodies +
        "<tendon><fixed name='t'><joint joint='j' coef='2'/><joint joint='k' "
        "coef='-3'/></fixed></tendon>"
        "<actuator>" +
        actuator + "</actuator></mujoco>");
  };
  Vector q(2), v(2);
  q[0] = 0.3, q[1] = 0.2, v[0] = 0.7, v[1] = -0.4;
  const double x = 0.3 + 0.5;  // MuJoCo's coordinate of j
  const auto effort = [&](const std::string& actuator, double u, int joint = 0) {
    return efforts(of(actuator), q, v, {u})[joint];
  };
  EXPECT_DOUBLE_EQ(effort("<motor joint='j' gear='50'/>", 0.3), 15);
  EXPECT_DOUBLE_EQ(effort("<motor joint='j' gear='50' ctrlrange='-0.1 0.1'/>", 0.3), 5);
  EXPECT_DOUBLE_EQ(
      effort("<motor joint='j' gear='50' ctrllimited='false' ctrlrange='-0.1 0.1'/>", 0.3), 15);
  EXPECT_DOUBLE_EQ(effort("<motor joint='j' gear='50' forcerange='-0.2 0.2'/>", 0.3), 10);
  EXPECT_DOUBLE_EQ(effort("<position joint='j' kp='20' kv='3'/>", 1), 20 * (1 - x) - 3 * 0.7);
  // The force goes to the gear's other side: length 4 q, effort 4 f.
  EXPECT_DOUBLE_EQ(effort("<position joint='j' kp='20' gear='4'/>", 1), 4 * 20 * (1 - 4 * x));
  EXPECT_DOUBLE_EQ(effort("<velocity joint='j' kv='3'/>", 1), 3 * (1 - 0.7));
  EXPECT_DOUBLE_EQ(effort("<damper joint='j' kv='3' ctrlrange='0 2'/>", 5), -2 * 3 * 0.7);
  EXPECT_DOUBLE_EQ(
      effort("<general joint='j' gainprm='2' biastype='affine' biasprm='1 -4 -5'/>", 6),
      2 * 6 + 1 - 4 * x - 5 * 0.7);
  EXPECT_DOUBLE_EQ(effort("<general joint='j' gaintype='affine' gainprm='2 3 4'/>", 6),
                   (2 + 3 * x + 4 * 0.7) * 6);
  // Defaults of a class; kp of one kind of actuator is the gain of all.
  EXPECT_DOUBLE_EQ(effort("<position class='strong' joint='j'/>", 1), 7 * (1 - x));
  EXPECT_DOUBLE_EQ(effort("<position class='strong' joint='j'/>", 100), 5);
  EXPECT_EQ(of("<position joint='j' inheritrange='1'/>").actuators[0].control_range,
            (Actuator::Range{-1, 2}));
  // A fixed tendon: length 2 x - 3 k, efforts 2 f and -3 f.
  const double length = 2 * x - 3 * 0.2, f = 10 * (1 - length);
  EXPECT_NEAR(effort("<position tendon='t' kp='10'/>", 1, 0), 2 * f, 1e-14);
  EXPECT_NEAR(effort("<position tendon='t' kp='10'/>", 1, 1), -3 * f, 1e-14);
}

TEST(MjcfActuator, a_force_range_of_the_joint_is_that_of_its_actuator) {
  const auto of = [](const std::string& actuators, std::vector<std::string>* warnings = nullptr) {
    return read(
        "<mujoco><worldbody><body name='a'><joint name='j' actuatorfrcrange='-10 30'/><geom "
        "size='0.1' "
        "pos='1 0 0'/></body></worldbody><actuator>" +
            actuators + "</actuator></mujoco>",
        warnings);
  };
  const Mechanism m = of("<motor joint='j' gear='-5' forcerange='-4 4'/>");
  EXPECT_EQ(m.bodies[0].joint.limits->effort, 30);
  EXPECT_EQ(m.actuators[0].force_range, (Actuator::Range{-4, 2}));
  std::vector<std::string> warnings;
  of("<motor joint='j'/><motor joint='j'/>", &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  expect_parts(warnings[0], {"joint 'j': its actuatorfrcrange is not kept"});
  warnings.clear();
  of("<motor name='m' joint='j' forcerange='40 50'/>", &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  expect_parts(warnings[0], {"actuatorfrcrange is not kept", "actuator 'm' exclude each other"});
}

/// kv = 2 ratio sqrt(kp m), m = 1 / (c^T M^-1 c) the inertia that the actuator moves.
TEST(MjcfActuator, a_damping_ratio_is_that_of_the_inertia) {
  const Mechanism m = read(
      "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/>"
      "<inertial pos='2 0 0' mass='3' diaginertia='1 1 1'/></body></worldbody><actuator>"
      "<position joint='j' kp='20' dampratio='0.7' gear='5'/></actuator></mujoco>");
  const double M = 1 + 3 * 4;
  EXPECT_NEAR(m.actuators[0].bias[2], -2 * 0.7 * std::sqrt(20 * M / 25), 1e-14);
  // Two slides along x, one on the other: M = (5 2; 2 2), M^-1 = (1/3 -1/3; -1/3 5/6); the second moves 6/5 kg.
  const Mechanism two = read(
      "<mujoco><worldbody><body name='a'><joint name='j' type='slide' axis='1 0 0'/><geom size='1' "
      "mass='3'/>"
      "<body name='b'><joint name='k' type='slide' axis='1 0 0'/><geom size='1' "
      "mass='2'/></body></body>"
      "</worldbody><actuator><position joint='k' kp='20' dampratio='1'/></actuator></mujoco>");
  EXPECT_NEAR(two.actuators[0].bias[2], -2 * std::sqrt(20 * 6.0 / 5), 1e-14);
}

/// A tendon from (0, 0, 0) to (3, 4, 0) of a mass that slides along x: dl/dx = 0.6. On g l, g = 5, the length moves with
/// 3 x', so that the mass of 2 is 2/9 there, and the damping on l is g^2 times that.
TEST(MjcfActuator, a_damping_ratio_on_a_tendon) {
  const Mechanism m = read(
      "<mujoco><worldbody><site name='o'/><body name='a' pos='3 4 0'><joint name='j' type='slide' "
      "axis='1 0 0'/><geom size='1' mass='2'/><site name='s'/></body></worldbody><tendon><spatial "
      "name='t'><site site='o'/><site site='s'/></spatial></tendon><actuator><position tendon='t' "
      "kp='20' dampratio='0.7' gear='5'/></actuator></mujoco>");
  EXPECT_NEAR(m.actuators[0].bias[2], -25 * 2 * 0.7 * std::sqrt(20 * 2 / 9.0), 1e-12);
  EXPECT_NEAR(m.actuators[0].bias[1], -25 * 20, 1e-12);
  EXPECT_NEAR(m.actuators[0].gain[0], 5 * 20, 1e-12);
}

/// What classes give to actuators, as MuJoCo 4.0.0 prints its compiled models.
TEST(MjcfActuator, classes_give_gains_and_ranges) {
  struct Case {
    const char *class_has, *actuator;
    std::array<double, 3> gain, bias;
    std::optional<Actuator::Range> range;
  };
  const std::string servo = "<position kp='500' kv='40' inheritrange='1'/>";
  const std::string servo_motor = servo + "<motor ctrlrange='-70 70'/>",
                    motor_servo = "<motor ctrlrange='-70 70'/>" + servo;
  const Case cases[] = {
      {servo.c_str(), "<motor %/>", {1, 0, 0}, {}, {}},
      {servo_motor.c_str(), "<motor %/>", {1, 0, 0}, {}, {{-70, 70}}},
      {motor_servo.c_str(), "<motor %/>", {1, 0, 0}, {}, {}},
      {motor_servo.c_str(), "<position %/>", {500, 0, 0}, {0, -500, -40}, {{-1, 2}}},
      {servo.c_str(), "<general %/>", {500, 0, 0}, {0, -500, -40}, {{-1, 2}}},
      {servo.c_str(), "<general % biasprm='0 -3 0'/>", {500, 0, 0}, {0, -3, 0}, {}},
      {servo.c_str(), "<velocity %/>", {1, 0, 0}, {0, 0, -1}, {}},
      {servo.c_str(), "<position % ctrlrange='-3 3'/>", {500, 0, 0}, {0, -500, -40}, {{-3, 3}}},
      {servo.c_str(), "<position % inheritrange='0'/>", {500, 0, 0}, {0, -500, -40}, {}},
      {"", "<position % kp='3' inheritrange='0.5'/>", {3, 0, 0}, {0, -3, 0}, {{-0.25, 1.25}}},
      {"", "<position % inheritrange='1' ctrllimited='false'/>", {1, 0, 0}, {0, -1, 0}, {}},
      {"<velocity kv='3'/>", "<velocity %/>", {3, 0, 0}, {0, 0, -3}, {}},
      {"<velocity kv='3'/>", "<position %/>", {1, 0, 0}, {0, -1, 0}, {}},
      {"<position kp='5'/><velocity kv='3'/>", "<position %/>", {1, 0, 0}, {0, -1, 0}, {}},
      {"<position kp='5' kv='2'/><motor/>", "<position %/>", {1, 0, 0}, {0, -1, 0}, {}},
      {"<position kp='5' kv='1'/>", "<position % kp='7'/>", {7, 0, 0}, {0, -7, -1}, {}},
      {"<general gainprm='7'/>", "<motor %/>", {1, 0, 0}, {}, {}},
      {"<general gainprm='7' biasprm='0 0 -3'/>",
       "<position % kp='7'/>",
       {7, 0, 0},
       {0, -7, -3},
       {}},
      {"<velocity kv='5'/><general gear='2'/>", "<position %/>", {5, 0, 0}, {0, -5, -5}, {}},
      {"<general gainprm='3' biastype='affine' biasprm='0 0 -2'/>",
       "<velocity %/>",
       {3, 0, 0},
       {0, 0, -3},
       {}},
      {"<general gainprm='7 8 9' gaintype='affine' biastype='affine' biasprm='1 2 3'/>",
       "<position %/>",
       {1, 0, 0},
       {0, -1, 0},
       {}},
      {"<damper kv='4' ctrlrange='0 1'/>", "<damper %/>", {0, 0, -4}, {}, {{0, 1}}},
      {"<damper kv='4' ctrlrange='0 1'/>", "<motor %/>", {1, 0, 0}, {}, {{0, 1}}},
  };
  for (const Case& c : cases) {
    std::string actuator = c.actuator;
    actuator.replace(actuator.find('%'), 1, "class='c' joint='j'");
    const std::string text =
        std::string("<mujoco><compiler angle='radian'/><default><default class='c'>") +
        c.class_has + "</default></default><worldbody><body><joint name='j' range='-1 2'/><geom " +
        "size='1'/></body></worldbody><actuator>" + actuator + "</actuator></mujoco>";
    const Mechanism m = read(text);
    ASSERT_EQ(m.actuators.size(), 1U) << text;
    EXPECT_EQ(m.actuators[0].gain, c.gain) << text;
    EXPECT_EQ(m.actuators[0].bias, c.bias) << text;
    EXPECT_EQ(m.actuators[0].control_range, c.range) << text;
  }
}

TEST(MjcfActuator, a_site_with_the_name_of_a_body_is_found) {
  std::vector<std::string> warnings;
  const Mechanism m = read(
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1'/><site name='a' pos='1 0 0'/>"
      "</body></worldbody><actuator><motor site='a' gear='0 0 1'/></actuator></mujoco>",
      &warnings);
  ASSERT_EQ(m.frames.size(), 1U);
  EXPECT_EQ(m.actuators.at(0).frame, m.frames[0].name);
  EXPECT_NE(m.frames[0].name, "a");
}

TEST(MjcfActuator, damping_at_a_site_is_named) {
  std::vector<std::string> warnings;
  read(
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1'/><site name='s'/></body>"
      "</worldbody><actuator><velocity site='s' kv='3'/></actuator></mujoco>",
      &warnings);
  ASSERT_EQ(warnings.size(), 1U);
  expect_parts(warnings[0], {"actuator 's'", "velocity of the site is not kept"});
}

TEST(MjcfActuator, a_thruster_acts_at_its_site) {
  // Force 2 along x of the site, which is world y, at (1, 0, 0) of a free body: torque 2 about z.
  const Mechanism m = read(
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1'/><site name='s' pos='1 0 0' "
      "euler='0 0 90'/></body></worldbody><actuator><motor site='s' gear='2 0 0 0 0 "
      "0.5'/></actuator></mujoco>");
  const Model model = compile(m);
  EXPECT_EQ(m.actuators[0].wrench, (std::array<double, 6>{0, 0, 0.5, 2, 0, 0}));
  Forces forces;
  forces.add(actuator_force(model, m.actuators[0], 3.0));
  // Entry k of the generalized force is the power at v = e_k.
  const double expected[] = {0, 0, 3 * (2 + 0.5), 0, 6, 0};
  for (int k = 0; k < 6; ++k) {
    Vector v(6);
    v[k] = 1;
    VelocityKinematics kin(model);
    forward_kinematics(model, model.neutral(), v, kin);
    JointForces out{Vector(6), {}};
    forces.function()(0, kin, out);
    EXPECT_NEAR(out.power(kin), expected[k], 2e-15) << k;
  }
}

TEST(MjcfActuator, what_is_not_kept_is_one_line) {
  std::vector<std::string> warnings;
  const Mechanism m = read(
      "<mujoco><worldbody><body name='a'><joint name='j' type='ball'/><geom size='0.1'/><body "
      "name='b'><joint "
      "name='k'/><geom size='0.1' pos='1 0 0'/></body></body></worldbody><actuator>\n<muscle "
      "name='m' "
      "joint='k'/><motor name='n' joint='j'/><general name='o' joint='k' dyntype='integrator'/>"
      "<motor name='p' joint='k'/></actuator>"
      "<keyframe><key name='x' ctrl='1 2 3 4'/></keyframe></mujoco>",
      &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  expect_parts(warnings[0], {"m.xml:2: actuator 'm', actuator 'n', actuator 'o': is not kept"});
  ASSERT_EQ(m.actuators.size(), 1u);
  ASSERT_EQ(m.keyframes[0].control.size(), 1u);
  EXPECT_EQ(m.keyframes[0].control[0].value, 4);
  EXPECT_SAYS(read("<mujoco><worldbody><body><joint name='j'/></body></worldbody><actuator><motor "
                   "joint='i'/></actuator></mujoco>"),
              "actuator 'i': there is no joint 'i'");
}

TEST(MjcfActuator, wrong_actuators_are_refused) {
  Mechanism m = read(
      "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody>"
      "<actuator><motor name='m' joint='j'/></actuator></mujoco>");
  const auto with = [&](const auto& change) {
    Mechanism bad = m;
    change(bad.actuators[0]);
    return message([&] { compile(bad); });
  };
  expect_parts(with([](Actuator& a) { a.terms.clear(); }), {"actuator 'm': give the joints"});
  expect_parts(with([](Actuator& a) { a.terms[0].joint = "k"; }), {"there is no joint 'k'"});
  expect_parts(with([](Actuator& a) { a.terms[0].coordinate = 1; }), {"has no coordinate 1"});
  expect_parts(with([](Actuator& a) { a.gain[0] = NAN; }), {"is not finite"});
  expect_parts(with([](Actuator& a) {
                 a.control_range = {1, 0};
               }),
               {"control_range [1, 0] is empty"});
  expect_parts(with([](Actuator& a) {
                 a.force_range = {-INFINITY, 0};
               }),
               {"force_range [-inf, 0] is not finite", "none for no bounds"});
  expect_parts(with([](Actuator& a) { a.name.clear(); }), {"has no name"});
  expect_parts(with([](Actuator& a) { a.terms.clear(), a.frame = "f"; }),
               {"there is no body or frame 'f'"});
  EXPECT_SAYS(find_actuator(m, "n"), "there is no actuator 'n'");
}

class KeyframeScenario : public ScenarioFile {
 protected:
  void SetUp() override {
    ScenarioFile::SetUp();
    write("robot.xml", robot);
  }
  Scenario read_run(const std::string& rest, std::vector<std::string>* warnings = nullptr) {
    return read_scenario(write("r.yaml", "chasles: 1\nmodel: robot.xml\nduration: 0.1\n" + rest),
                         warnings);
  }
};

TEST_F(KeyframeScenario, a_run_starts_from_a_keyframe) {
  const Mechanism m = chasles::read_mechanism(folder / "robot.xml");
  const auto [q, v] = keyframe_state(compile(m), find_keyframe(m, "home"));
  std::vector<std::string> warnings;
  Scenario s = read_run("initial: {keyframe: home}\n", &warnings);
  EXPECT_LT((s.start.q - q).norm() + (s.start.v - v).norm(), 1e-15);
  EXPECT_EQ(warnings, std::vector<std::string>{});
  // Entries by joint come after it.
  s = read_run("initial: {keyframe: home, q: {hip: 0.8}, v: {slide: 0}}\n");
  EXPECT_EQ(s.start.q[s.model.joint("hip").q_index], 0.8);
  EXPECT_EQ(s.start.v[s.model.joint("slide").v_index], 0);
  EXPECT_EQ(s.start.v[s.model.joint("hip").v_index], 7);
  // The same configuration in maximal coordinates.
  s = read_run("coordinates: maximal\ninitial: {keyframe: home}\n");
  EXPECT_LT((s.joints_q - q).norm(), 1e-14);
  EXPECT_SAYS(read_run("initial: {keyframe: hom}\n"),
              "r.yaml:4:", "there is no keyframe 'hom'; the model has 'home', 'key1'");
  EXPECT_SAYS(read_run("initial: {keyframe: home, from: run.json}\n"),
              "keyframe and from are two starts");
}

TEST_F(KeyframeScenario, a_keyframe_is_suggested_where_limits_are_violated) {
  // The hip's range is 60 to 120 degrees with ref 30, so q = 0 is below.
  std::vector<std::string> warnings;
  read_run("", &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  expect_parts(warnings[0],
               {"joint 'hip' starts at 0, beyond its limits", "initial: {keyframe: home}"});
  warnings.clear();
  read_run("initial: {q: {hip: 0.8}}\n", &warnings);
  EXPECT_EQ(warnings, std::vector<std::string>{});
}

TEST_F(KeyframeScenario, actuators_are_controlled_by_name) {
  const auto push = [&](const std::string& rest, double t = 0) {
    Scenario s = read_run(rest);
    VelocityKinematics kin(s.model);
    forward_kinematics(s.model, s.start.q, s.start.v, kin);
    JointForces out{Vector(s.model.nv()), {}};
    s.forces.function()(t, kin, out);
    return out.tau[s.model.joint("slide").v_index];
  };
  EXPECT_EQ(push("control: [{type: actuators, control: {push: 0.3}}]\n"), 0.3);
  EXPECT_EQ(push("control: [{type: actuators}]\n"), 0);
  EXPECT_EQ(push("initial: {keyframe: home}\ncontrol: [{type: actuators}]\n"), 0.4);
  EXPECT_EQ(push("control: [{type: actuators, keyframe: key1}]\n"), 2);
  EXPECT_EQ(push("initial: {keyframe: home}\ncontrol: [{type: actuators, control: {push: 7}}]\n"),
            7);
  EXPECT_NEAR(
      push("control: [{type: actuators, control: {push: {amplitude: 2, frequency: 1}}}]\n", 0.25),
      2, 1e-15);
  EXPECT_SAYS(read_run("control: [{type: actuators, control: {pus: 7}}]\n"), "r.yaml:4",
              "there is no actuator 'pus'", "did you mean 'push'?");
  EXPECT_SAYS(read_run("control: [{type: actuators, control: 7}]\n"), "control is not a map");
  EXPECT_SAYS(read("duration: 1\ncontrol: [{type: actuators}]\n"), "the model has no actuators");
}

}  // namespace mjcf_keyframe_test
