/// Springs of joints and tendons in files: MJCF against forces of MuJoCo 4.0, SDF and YAML by hand, all of them written
/// and read again; joints without mass, starts at keyframes, and saturated actuators of scenarios.
#include <gtest/gtest.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/actuator_force.hpp"
#include "chasles/simulation/forces.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/scenario_files.hpp"

namespace springs_file_test {

using namespace chasles;
using namespace chasles::test;

const std::string springs = R"(<mujoco model="springs"><compiler angle="degree"/>
<option gravity="0 0 0"/><worldbody>
<site name="hook" pos="0 0 1"/>
<body name="upper" pos="0 0 1">
  <joint name="shoulder" axis="0 1 0" ref="10" stiffness="3" springref="40" damping="0.2"/>
  <inertial pos="0 0 -0.3" mass="2" diaginertia="0.03 0.03 0.01"/>
  <site name="knee" pos="0.1 0 -0.4"/><site name="back" pos="-0.1 0.05 -0.2"/>
  <body name="lower" pos="0 0 -0.6">
    <joint name="elbow" axis="0 1 0" stiffness="1.5"/>
    <joint name="slide" type="slide" axis="0 0 -1" ref="0.1" springref="0.3" stiffness="40"/>
    <inertial pos="0 0 -0.2" mass="1" diaginertia="0.02 0.02 0.005"/>
    <site name="ankle" pos="0.05 0 -0.3"/>
    <body name="hand" pos="0 0 -0.4">
      <joint name="wrist" type="ball" stiffness="0.8" damping="0.01"/>
      <inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.004 0.003 0.001"/>
      <site name="tip" pos="0 0.02 -0.15"/>
    </body></body></body></worldbody>
<tendon>
  <fixed name="sum" stiffness="5" damping="0.4">
    <joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-0.5"/></fixed>
  <fixed name="slack" stiffness="7" springlength="-0.2 0.1">
    <joint joint="elbow" coef="2"/><joint joint="slide" coef="3"/></fixed>
  <spatial name="cable" stiffness="30" damping="2">
    <site site="hook"/><site site="knee"/><site site="ankle"/>
    <pulley divisor="2"/><site site="back"/><site site="tip"/></spatial>
  <spatial name="line" stiffness="12" springlength="0.4">
    <site site="back"/><site site="ankle"/></spatial>
</tendon>
<actuator><motor name="winch" tendon="cable" gear="-2" forcerange="-6 6"/>
<position name="servo" tendon="line" kp="20" kv="3" gear="1.5"/></actuator></mujoco>)";

/// tau + J^T W of forces, by inverse dynamics with and without the wrenches.
Eigen::VectorXd generalized(const Model& model, const std::vector<Force>& list, const Vector& q,
                            const Vector& v) {
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  JointForces out{Vector(model.nv()), {}};
  out.tau.setZero();
  for (const Force& force : list) force.law.add(0, kin, out);
  InverseDynamics work(model);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.nv());
  Eigen::VectorXd Q = out.tau;
  Q += inverse_dynamics(model, q, none, none, work);
  Q -= inverse_dynamics(model, q, none, none, work, out.wrenches);
  return Q;
}
/// The state of the numbers below: qpos - ref.
std::pair<Vector, Vector> moved() {
  Eigen::VectorXd q(7), v(6);
  q << 0.3, -0.4, 0.15, 0.9233805168766387, 0.10259783520851541, -0.3077935056255462,
      0.20519567041703082;
  v << 0.5, -0.7, 0.3, 0.2, -0.1, 0.4;
  return {q, v};
}
/// qfrc_passive of MuJoCo 4.0 there.
Eigen::VectorXd passive() {
  Eigen::VectorXd Q(6);
  Q << 0.34879020478639056, 0.9776559719624379, 1.5320675668605275, -0.21109082940383814,
      0.6597489480519685, -0.3205234291155176;
  return Q;
}

TEST(SpringFiles, of_mjcf_have_the_forces_of_mujoco) {
  std::vector<std::string> warnings;
  const Mechanism m = read_mjcf(springs, "m.xml", {.warnings = &warnings});
  EXPECT_EQ(warnings, std::vector<std::string>{});
  const Model model = compile(m);
  const auto [q, v] = moved();
  EXPECT_LT((generalized(model, joint_dynamics(model), q, v) - passive()).norm(), 2e-14);
  double U = 0;
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  for (const Force& force : joint_dynamics(model))
    if (force.law.potential) U += force.law.potential(kin);
  EXPECT_NEAR(U, 2.0301475644211697, 1e-13);
  // qfrc_actuator with ctrl = (1.25, 0.6).
  Eigen::VectorXd pulled(6);
  pulled << 0, -1.7059386604788322, -26.063324031505626, 0.029880569837280532, -0.11280250617519172,
      -0.015040334156692222;
  EXPECT_LT((generalized(model,
                         {actuator_force(model, find_actuator(m, "winch"), 1.25),
                          actuator_force(model, find_actuator(m, "servo"), 0.6)},
                         q, v) -
             pulled)
                .norm(),
            5e-14);
  EXPECT_EQ((*find_actuator(m, "winch").force_range)[1], 12);
}

TEST(SpringFiles, are_the_same_when_written_and_read_again) {
  Mechanism m = read_mjcf(springs, "m.xml", {});
  m.tendons[2].points[0].frame = std::string(ground);  // the origin of a body needs a site
  m.tendons[3].points[1].frame = "lower";
  const Model model = compile(m);
  const auto [q, v] = moved();
  const Eigen::VectorXd Q = generalized(model, joint_dynamics(model), q, v);
  const Model yaml = compile(read_yaml(write_yaml(m), "m.yaml"));
  EXPECT_EQ(generalized(yaml, joint_dynamics(yaml), q, v), Q);
  std::vector<std::string> warnings;
  const Model mjcf = compile(read_mjcf(write_mjcf(m, &warnings), "m.xml", {}));
  EXPECT_LT((generalized(mjcf, joint_dynamics(mjcf), q, v) - Q).norm(), 1e-13);
  for (const std::string& warning : warnings)
    EXPECT_EQ(warning.find("tendon"), std::string::npos) << warning;
  warnings.clear();
  // SDF has no tendons, and no springs in ball joints; URDF has neither.
  const auto said = [&] {
    std::string all;
    for (const std::string& warning : warnings) all += warning + "\n";
    return all;
  };
  write_sdf(m, &warnings);
  expect_parts(said(), {"joint 'wrist': damping, friction and stiffness are not written",
                        "tendon 'sum' is not written"});
  warnings.clear();
  m.bodies.pop_back();
  m.frames.pop_back();
  m.tendons.pop_back(), m.tendons.pop_back();
  m.actuators.clear();
  write_urdf(m, &warnings);
  expect_parts(said(), {"joint 'shoulder': the spring of stiffness 3 is not written",
                        "tendon 'slack' is not written"});
  m.tendons.clear();
  const Mechanism sdf = read_sdf(write_sdf(m, nullptr), "m.sdf", {});
  for (const std::size_t i : {0u, 1u, 2u}) {
    EXPECT_EQ(sdf.bodies[i].joint.dynamics.stiffness, m.bodies[i].joint.dynamics.stiffness);
    EXPECT_EQ(sdf.bodies[i].joint.dynamics.rest, m.bodies[i].joint.dynamics.rest);
  }
}

/// Joints of several motions are chains in other formats; each has its part of `rest`.
TEST(SpringFiles, of_joints_with_several_coordinates_are_split) {
  Mechanism m = MechanismBuilder("m")
                    .body("b", ground, joints::of(JointType::cylindrical, {0, 0, 1}))
                    .inertia(1, {0.1, 0, 0}, Sym3::diagonal(1, 1, 1))
                    .spring(5, {0.2, 0.3})
                    .body("c", "b", joints::of(JointType::universal, {0, 0, 1}))
                    .x_axis({1, 0, 0})
                    .inertia(1, {0.1, 0.2, 0}, Sym3::diagonal(1, 1, 1))
                    .spring(2, {0, -0.4})
                    .build();
  const Model model = compile(m);
  Vector q(4), v(4);
  q << 0.5, -0.1, 0.7, 0.9;
  v.setZero();
  const Eigen::Vector4d by_hand(-5 * 0.3, 5 * 0.4, -2 * 0.7, -2 * 1.3);
  EXPECT_LT((generalized(model, joint_dynamics(model), q, v) - by_hand).norm(), 1e-15);
  for (const Model& again : {compile(read_mjcf(write_mjcf(m, nullptr), "m.xml", {})),
                             compile(read_sdf(write_sdf(m, nullptr), "m.sdf", {})),
                             compile(read_yaml(write_yaml(m), "m.yaml"))})
    EXPECT_LT((generalized(again, joint_dynamics(again), q, v) - by_hand).norm(), 1e-14);
}

TEST(SpringFiles, of_yaml_have_units) {
  const auto read = [](const std::string& joint, const std::string& more = "") {
    return read_yaml("chasles: 1\nbodies:\n  - {name: a, joint: {type: " + joint +
                         "}, inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}}\n" + more,
                     "m.yaml");
  };
  const JointDynamics hinge =
      read("revolute, axis: [0, 0, 1], dynamics: {stiffness: 1 N m/deg, rest: 90 deg}")
          .bodies[0]
          .joint.dynamics;
  EXPECT_NEAR(hinge.stiffness, 180 / M_PI, 1e-13);
  EXPECT_NEAR(hinge.rest.at(0), M_PI / 2, 1e-15);
  EXPECT_EQ(read("prismatic, axis: [0, 0, 1], dynamics: {stiffness: 2 N/mm, rest: [3 mm]}")
                .bodies[0]
                .joint.dynamics.stiffness,
            2000);
  EXPECT_SAYS(read("prismatic, axis: [0, 0, 1], dynamics: {stiffness: 2 N m/rad}"),
              "stiffness '2 N m/rad'");
  EXPECT_SAYS(read("revolute, axis: [0, 0, 1], dynamics: {rest: [1, 2]}"), "rest has 2 numbers");
  EXPECT_SAYS(read("spherical, dynamics: {rest: 1}"), "rest", "give 4 numbers");
  const std::string hinged = "revolute, axis: [0, 0, 1]";
  const Mechanism m = read(hinged,
                           "frames: [{name: f, body: a}]\ntendons:\n"
                           "  - {name: s, joints: {a: 2}, stiffness: 3, rest: [-1, 1]}\n"
                           "  - {name: t, points: [ground, {frame: f, weight: 0.5}, a], "
                           "stiffness: 1 N/mm, damping: 2 N s/m, rest: 20 mm}\n");
  EXPECT_EQ(m.tendons[0].terms[0].coefficient, 2);
  EXPECT_EQ(m.tendons[0].rest[0], -1);
  EXPECT_EQ(m.tendons[1].stiffness, 1000);
  EXPECT_EQ(m.tendons[1].points[1].weight, 0.5);
  EXPECT_EQ(m.tendons[1].rest[1], 0.02);
  EXPECT_SAYS(read(hinged, "tendons: [{name: t, point: [a, ground]}]"), "point", "points");
  EXPECT_SAYS(
      compile(read(hinged, "tendons: [{name: t, points: [a, {frame: ground, weight: 2}]}]")),
      "no segment after 'ground' that the weight 2 could be of");
  EXPECT_SAYS(read(hinged, "tendons: [{name: t, points: [a, ground], rest: [1, 2, 3]}]"), "rest");
}

/// By a negative gear the bounds change places, unless they are wrong as they are given.
TEST(SpringFiles, force_ranges_of_actuators_on_mjcf_tendons_are_bounds) {
  const auto said = [](const std::string& range) {
    std::string text = springs;
    text.replace(text.find("-6 6"), 4, range);
    return test::message([&] { compile(read_mjcf(text, "m.xml", {})); });
  };
  EXPECT_EQ(said("-6 8"), "no error");
  expect_parts(said("8 -6"), {"actuator 'winch'", "force_range [8, -6] is empty"});
  expect_parts(said("-6 1e308"), {"actuator 'winch'", "force_range [-inf, 12] is not finite"});
}

TEST(SpringFiles, what_mjcf_tendons_have_besides_is_named) {
  const auto said = [](const std::string& tendon) {
    std::vector<std::string> warnings;
    std::string text = springs;
    text.insert(text.find("</tendon>"), tendon);
    read_mjcf(text, "m.xml", {.warnings = &warnings});
    return warnings.empty() ? "nothing" : warnings.front();
  };
  const auto spatial = [&](const std::string& path, const std::string& attributes = "") {
    return said("<spatial name='s' " + attributes + ">" + path + "</spatial>");
  };
  const std::string two = "<site site='hook'/><site site='tip'/>";
  EXPECT_EQ(spatial(two), "nothing");
  EXPECT_SAYS(spatial("<site site='hook'/><geom geom='ball'/><site site='tip'/>"),
              "there is no geom 'ball'");
  for (const char* kept : {"frictionloss='1'", "range='0 1'", "stiffness='1 2'", "damping='1 2 3'"})
    EXPECT_EQ(spatial(two, kept), "nothing") << kept;
  expect_parts(spatial(two, "damping='1 -2'"),
               {"tendon 's'", "damping '1 -2' would drive the motion", "only its linear term"});
  EXPECT_SAYS(spatial("<site site='hok'/>"), "there is no site 'hok'", "hook");
  EXPECT_SAYS(spatial(two + "<pulley divisor='0'/>"), "divisor 0");
  EXPECT_EQ(spatial(two + "<pulley divisor='2'/>"), "nothing");  // of no branch
  expect_parts(spatial("<site site='hook'/>", "stiffness='2'"),
               {"tendon 's'", "is not read: it has fewer than two sites"});
  expect_parts(said("<fixed name='s' stiffness='2'/>"), {"tendon 's'", "it has no joints"});
  EXPECT_SAYS(said("<fixed name='line'><joint joint='elbow' coef='1'/></fixed>"), "used twice");
  EXPECT_SAYS(said("<fixed><joint joint='wrist' coef='1'/></fixed>"), "one coordinate");
}

class SpringScenario : public ScenarioFile {
 protected:
  /// The warnings of a scenario or model file.
  std::vector<std::string> warnings;
  Scenario read_text(const std::string& model, const std::string& rest) {
    warnings.clear();
    write("m.yaml", "chasles: 1\n" + model);
    return read_scenario(write("s.yaml", "chasles: 1\nmodel: m.yaml\nduration: 1\n" + rest),
                         &warnings);
  }
};

/// A pendulum that carries a hand without mass, by two joints of which one mimics the other, and a massive bob whose
/// joint has no moment about its axis.
const std::string partly_massless = R"(
bodies:
  - {name: rod, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0, 0, -1]}}
  - {name: hand, parent: rod, joint: {type: revolute, axis: [1, 0, 0], point: [0, 0, -1]}}
  - {name: finger, parent: hand, joint: {type: prismatic, axis: [0, 1, 0], mimic: {joint: hand}}}
  - {name: bob, parent: rod, joint: {type: revolute, axis: [0, 0, 1], point: [0, 0, -1]},
     inertia: {mass: 1, com: [0, 0, -1]}}
)";

TEST_F(SpringScenario, joints_without_mass_do_not_end_a_run) {
  const Scenario s =
      read_text(partly_massless, "initial: {q: {rod: 0.5, bob: 0.2}, v: {bob: 0.3}}\n");
  ASSERT_EQ(warnings.size(), 1u);
  expect_parts(warnings[0], {"s.yaml: joints 'hand', 'finger', 'bob' move no mass", "armature"});
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  const State& end = simulation.state();
  // The others move as they do without.
  const std::string alone =
      "bodies: [{name: rod, joint: {type: revolute, axis: [0, 1, 0]}, "
      "inertia: {mass: 2, com: [0, 0, -1]}}]\n";
  Simulation rod(read_text(alone, "initial: {q: {rod: 0.5}}\n"));
  rod.run(path);
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_NEAR(end.q[0], rod.state().q[0], 1e-8);
  EXPECT_NEAR(end.q[s.model.joint("hand").q_index], 0, 1e-12);
  EXPECT_NEAR(end.q[s.model.joint("bob").q_index], 0.5, 1e-9);
}

/// A point mass on three axes through one point can turn about the line to that point without any inertia.
TEST_F(SpringScenario, a_point_mass_on_three_axes_runs) {
  const std::string neck =
      "bodies:\n"
      "  - {name: pitch, joint: {type: revolute, axis: [0, 1, 0]}}\n"
      "  - {name: roll, parent: pitch, joint: {type: revolute, axis: [1, 0, 0]}}\n"
      "  - {name: yaw, parent: roll, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 1, "
      "com: [0.3, 0, -1]}}\n";
  const Scenario s = read_text(neck, "initial: {q: {pitch: 0.4}}\n");
  expect_parts(warnings.at(0),
               {"joints 'pitch', 'roll' move mass that other joints move", "thousandth"});
  EXPECT_NEAR(s.model.joint("pitch").armature, 1e-3 * 1.09, 1e-12);
  EXPECT_EQ(s.model.joint("yaw").armature, 0);
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  EXPECT_LT(std::abs(simulation.summary().worst.energy), 1e-6);
}

/// The same with an axis to six digits, as files have them: the pivot of the roll is its inertia times the square of the angle
/// that is missing, and that of the pitch is what rounding leaves.
TEST_F(SpringScenario, a_point_mass_on_axes_of_six_digits_runs) {
  const Scenario s = read_text(
      "bodies:\n"
      "  - {name: pitch, joint: {type: revolute, axis: [0, 1, 0]}}\n"
      "  - {name: roll, parent: pitch, joint: {type: revolute, axis: [1, 3.7e-6, 0]}}\n"
      "  - {name: yaw, parent: roll, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 1, "
      "com: [0.3, 0, -1]}}\n",
      "initial: {q: {pitch: 0.4}}\n");
  expect_parts(warnings.at(0), {"joints 'pitch', 'roll' move mass that other joints move"});
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  EXPECT_LT(std::abs(simulation.summary().worst.energy), 1e-6);
}

/// A floating body without mass stays where it is; the others fall.
TEST_F(SpringScenario, a_floating_body_without_mass_stays) {
  const Scenario s = read_text(
      "bodies:\n"
      "  - {name: ghost, joint: {name: ghost, type: floating}}\n"
      "  - {name: stone, joint: {name: stone, type: floating}, inertia: {mass: 2, tensor: [1, 0, "
      "0, 1, 0, "
      "1]}}\n",
      "initial: {q: {ghost: [1, 0, 0, 0, 1, 2, 3]}}\n");
  expect_parts(warnings.at(0), {"joint 'ghost' moves no mass"});
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  PositionKinematics kin(s.model);
  forward_kinematics(s.model, simulation.state().q, kin);
  EXPECT_LT(norm(pose(kin, s.model.frame("ghost")).r - Vec3{1, 2, 3}), 1e-12);
  EXPECT_NEAR(pose(kin, s.model.frame("stone")).r.z, -9.81 / 2, 1e-9);
}

/// A point mass on the axis of a joint, which has its inertia only where the next joint has moved it off that axis.
TEST_F(SpringScenario, a_point_mass_on_an_axis_at_the_start_runs) {
  const Scenario s = read_text(
      "gravity: [0, 0, 0]\nbodies:\n"
      "  - {name: swing, joint: {type: revolute, axis: [0, 1, 0]}}\n"
      "  - {name: arm, parent: swing, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 2, "
      "com: [0, 0.5, 0]}}\n",
      "initial: {v: {arm: 1}}\n");
  expect_parts(warnings.at(0), {"joint 'swing' moves mass", "singular at q = 0", "thousandth"});
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  EXPECT_NEAR(simulation.state().q[1], 1, 1e-9);  // it turns evenly in its plane
  EXPECT_NEAR(simulation.state().q[0], 0, 1e-12);
}

TEST_F(SpringScenario, joints_that_follow_others_need_no_mass_of_their_own) {
  std::string text = partly_massless;
  text.replace(text.find("joint: hand"), 11, "joint: rod");
  const Scenario s = read_text(text, "");
  expect_parts(warnings.at(0), {"joints 'hand', 'bob' move no mass"});
  EXPECT_EQ(s.model.joint("finger").armature, 0);
  EXPECT_EQ(s.model.joint("hand").armature, 1);
  EXPECT_NO_THROW(Simulation{s});
  // Drivers determine the motion of bodies without mass: they stay without.
  const Scenario driven = read_text(text, "drivers: [{joint: hand, speed: 1}]\n");
  EXPECT_EQ(driven.model.joint("hand").armature, 0);
}

TEST_F(SpringScenario, a_model_starts_from_its_keyframe_if_zero_is_beyond_limits) {
  const std::string text =
      "chasles: 1\nbodies: [{name: rod, joint: {type: revolute, axis: [0, 1, 0], limits: {lower: "
      "0.5, upper: 2}}, inertia: {mass: 1, com: [0, 0, -1]}}]\n"
      "keyframes: [{name: low, q: {rod: 0.6}}, {name: home, q: {rod: 1.5}}]\n";
  const auto path = write("m.yaml", text);
  const DefaultScenario made = default_scenario(path, &warnings);
  EXPECT_EQ(made.keyframe, "home");
  EXPECT_EQ(made.scenario.start.q[0], 1.5);
  EXPECT_NE(made.text.find("initial: {keyframe: home}"), std::string::npos);
  EXPECT_EQ(warnings, std::vector<std::string>{});
  const std::vector<std::string> changes{"initial.q.rod=0.9"};
  EXPECT_EQ(default_scenario(path, nullptr, nullptr, changes).scenario.start.q[0], 0.9);
  std::string inside = text;
  inside.replace(inside.find("0.5"), 3, "-1");
  EXPECT_EQ(default_scenario(write("m.yaml", inside)).keyframe, "");
}

TEST_F(SpringScenario, saturated_actuators_are_in_the_summary) {
  const std::string text =
      "gravity: [0, 0, 0]\n"
      "bodies: [{name: rod, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, tensor: "
      "[1, 0, 0, 1, 0, 1]}}]\n"
      "actuators: [{name: motor, joints: {rod: 1}, gain: [2, 0, 0], control_range: [-0.9, 0.9], "
      "force_range: [-1, 1]}]\n";
  // u = sin(2 pi t), limited to 0.9, asks for 2 u: beyond 1 for 2/3 of the time, from t = 1/12.
  const Scenario s = read_text(
      text, "control: [{type: actuators, control: {motor: {amplitude: 1, frequency: 1}}}]\n");
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  const auto& seen = simulation.summary().violations;
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].kind, Violation::force_range);
  EXPECT_EQ(seen[0].count, 2);
  EXPECT_NEAR(seen[0].first, 1.0 / 12, 1e-6);
  EXPECT_NEAR(seen[0].duration, 2.0 / 3, 0.05);
  EXPECT_NEAR(std::abs(seen[0].worst), 1.8, 1e-12);
  EXPECT_EQ(std::abs(seen[0].bound), 1);
  expect_parts(seen[0].text(), {"actuator 'motor': force ", "limited to ", "2 times", "s in all"});
  EXPECT_EQ(seen[1].kind, Violation::control_range);
  EXPECT_NEAR(seen[1].first, std::asin(0.9) / (2 * M_PI), 1e-6);
  expect_parts(seen[1].text(), {"actuator 'motor': control "});
}

TEST_F(SpringScenario, keys_of_scenarios_are_options_of_readers) {
  std::filesystem::create_directories(folder / "parts");
  std::filesystem::create_directories(folder / "robot");
  write("robot/m.xml", "<mujoco><include file='../parts/body.xml'/></mujoco>");
  write("parts/body.xml",
        "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>");
  const auto scenario = [&](const std::string& rest) {
    return read_scenario(write("s.yaml", "chasles: 1\nduration: 1\n" + rest));
  };
  EXPECT_SAYS(scenario("model: robot/m.xml\n"), "allow_outside: true");
  EXPECT_EQ(scenario("model: robot/m.xml\nallow_outside: true\n").model.nv(), 1);
  const std::string link = "<link name='l'/>";
  write("two.sdf", "<sdf version='1.9'><world name='w'><model name='a'>" + link +
                       "</model><model name='b'>" + link +
                       "<link name='k'/></model></world></sdf>");
  EXPECT_EQ(scenario("model: two.sdf\nmodel_name: b\n").model.bodies().size(), 2u);
  EXPECT_EQ(scenario("model: two.sdf\n").model.bodies().size(), 3u);
  EXPECT_SAYS(scenario("model: two.sdf\nmodel_name: c\n"), "'c'");
  EXPECT_SAYS(scenario("model: two.sdf\npackages: [a]\n"), "packages is not a map");
  EXPECT_SAYS(scenario("model: two.sdf\npackages: {a: []}\n"), "packages: give the folder of 'a'");
  write("parts/body.sdf", "<sdf version='1.9'><model name='p'>" + link + "</model></sdf>");
  write("of_package.sdf",
        "<sdf version='1.9'><model name='m'><include><uri>package://things/"
        "body.sdf</uri></include></model></sdf>");
  EXPECT_EQ(scenario("model: of_package.sdf\npackages: {things: parts}\n").model.bodies().size(),
            1u);
}

}  // namespace springs_file_test
