/// Collision shapes in files: YAML, MJCF, URDF and SDF; runs with the contacts of a model.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/io/scenario_file.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/simulation/shape_contact.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"

namespace collision_test {

using namespace chasles;
namespace fs = std::filesystem;

void expect_shape(const CollisionShape& a, CollisionShape::Kind kind, const std::string& body,
                  const Vec3& size, const SE3& pose = {}) {
  EXPECT_EQ(a.kind, kind);
  EXPECT_EQ(a.body, body);
  EXPECT_LT(norm(a.size - size), 1e-15);
  EXPECT_LT(norm(a.pose.r - pose.r), 1e-15);
  EXPECT_LT(norm(log(inverse(a.pose.R) * pose.R)), 1e-15);
}

const char* const yaml = R"(chasles: 1
name: feet
bodies:
  - {name: base, joint: {type: floating}, inertia: {mass: 2, tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
  - {name: arm, parent: base, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
collisions:
  shapes:
    - {name: a, body: base, shape: box, size: [0.1, 0.2, 0.3], pose: {xyz: [0, 0, 0.1], rpy: [0.1, 0.2, 0.3]}, friction: 0.5}
    - {body: base, shape: sphere, radius: 0.1, margin: 0.01, layers: 6, touches: 0}
    - {body: arm, shape: capsule, radius: 0.1, length: 0.5}
    - {body: arm, shape: cylinder, radius: 0.1, length: 0.4}
    - {body: arm, shape: ellipsoid, semiaxes: [0.1, 0.2, 0.3], torsional_friction: 5 mm, rolling_friction: 2 mm}
    - {body: arm, shape: mesh}
    - {name: b, body: ground, shape: plane, layers: 4294967295}
  pairs:
    - {shapes: [a, b], friction: 0.25, margin: 0.5}
  excluded:
    - [arm, ground]
  neighbors: true
)";

TEST(Collision, yaml_is_read_and_written_back) {
  const Mechanism m = read_yaml(yaml, "m.yaml");
  const Collisions& c = m.collisions;
  ASSERT_EQ(c.shapes.size(), 7U);
  expect_shape(c.shapes[0], CollisionShape::box, "base", {0.1, 0.2, 0.3},
               {c.shapes[0].pose.R, {0, 0, 0.1}});
  EXPECT_EQ(c.shapes[0].friction, 0.5);
  EXPECT_EQ(c.shapes[1].layers, 6U);
  EXPECT_EQ(c.shapes[1].touches, 0U);
  EXPECT_EQ(c.shapes[1].margin, 0.01);
  EXPECT_EQ(c.shapes[6].layers, 4294967295U);
  EXPECT_EQ(c.pairs.at(0).friction, 0.25);
  EXPECT_EQ(c.excluded.at(0)[1], "ground");
  EXPECT_TRUE(c.neighbors);
  compile(m);
  const std::string written = write_yaml(m);
  const Mechanism copy = read_yaml(written, "copy.yaml");
  EXPECT_EQ(write_yaml(copy), written);
  ASSERT_EQ(copy.collisions.shapes.size(), 7U);
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_EQ(copy.collisions.shapes[k].pose, c.shapes[k].pose);
    EXPECT_EQ(copy.collisions.shapes[k].size, c.shapes[k].size);
    EXPECT_EQ(copy.collisions.shapes[k].layers, c.shapes[k].layers);
    EXPECT_EQ(copy.collisions.shapes[k].torsional_friction, k == 4 ? 0.005 : 0);
    EXPECT_EQ(copy.collisions.shapes[k].rolling_friction, k == 4 ? 0.002 : 0);
  }
  const auto with = [](const std::string& shapes) {
    const std::string text_of_model = yaml;
    return text_of_model.substr(0, text_of_model.find("collisions:")) + "collisions:\n" + shapes;
  };
  const auto refused = [&](const std::string& shapes) {
    compile(read_yaml(with(shapes), "m.yaml"));
  };
  EXPECT_SAYS(refused("  shapes: [{body: arm, shape: sphere}]"), "m.yaml:7", "radius");
  EXPECT_SAYS(refused("  shapes: [{body: arm, radius: 1}]"), "shape");
  EXPECT_SAYS(refused("  shapes: [{body: arm, shape: shpere, radius: 1}]"), "sphere");
  EXPECT_SAYS(refused("  shapes: [{body: arm, shape: sphere, radius: 1, size: [1, 1, 1]}]"),
              "size");
  EXPECT_SAYS(refused("  shapes: [{body: amr, shape: sphere, radius: 1}]"), "m.yaml:7", "'amr'",
              "arm");
  EXPECT_SAYS(refused("  shapes: [{body: arm, shape: sphere, radius: -1}]"), "-1");
  EXPECT_SAYS(refused("  shapes: [{body: arm, shape: sphere, radius: 1, layers: 0.5}]"),
              "layers 0.5");
  EXPECT_SAYS(refused("  shapes: [{body: arm, shape: sphere, radius: 1, rolling_friction: -1}]"),
              "rolling_friction -1 is out of range");
  EXPECT_SAYS(refused("  excluded: [[arm]]"), "two names");
  EXPECT_SAYS(refused("  shape: []"), "'shape'", "shapes");
}

TEST(Collision, mjcf_geoms_pairs_and_excludes) {
  std::vector<std::string> warnings;
  const Mechanism m =
      read_mjcf(R"(<mujoco><default><geom friction="0.7 0.1"/><default class="visual">
      <geom contype="0" conaffinity="0"/></default></default>
    <worldbody><geom name="floor" type="plane" size="0 0 1" pos="0 0 -1" friction="0.3"/>
      <body name="a"><freejoint/><geom name="foot" size="0.1" pos="1 2 3" condim="1"/>
        <geom class="visual" size="1"/>
        <geom name="listed" class="visual" size="0.3" mass="0"/>
        <geom type="capsule" fromto="0 0 0 0 0 2" size="0.1" contype="2" conaffinity="4" margin="0.01"/>
        <body name="b"><joint/><geom type="box" size="0.1 0.2 0.3"/>
          <geom type="cylinder" size="0.1 0.2" condim="4"/>
          <geom type="ellipsoid" size="0.1 0.2 0.3" condim="6" friction="1 0.02 0.003"/>
          <geom type="mesh" mesh="m" mass="1"/></body></body></worldbody>
    <asset><mesh name="m" builtin="sphere" params="1"/></asset>
    <contact><pair geom1="listed" geom2="floor" friction="0.9 0.9"/><exclude body1="b" body2="world"/></contact>
    </mujoco>)",
                "m.xml", {false, &warnings});
  EXPECT_EQ(warnings, std::vector<std::string>{});
  const Collisions& c = m.collisions;
  ASSERT_EQ(c.shapes.size(), 8U);
  expect_shape(c.shapes[0], CollisionShape::plane, "ground", {}, {{}, {0, 0, -1}});
  EXPECT_EQ(c.shapes[0].friction, 0.3);
  expect_shape(c.shapes[1], CollisionShape::sphere, "a", {0.1, 0, 0}, {{}, {1, 2, 3}});
  EXPECT_EQ(c.shapes[1].friction, 0);  // condim 1
  EXPECT_EQ(c.shapes[2].name, "listed");
  EXPECT_EQ(c.shapes[2].layers, 0U);
  expect_shape(c.shapes[3], CollisionShape::capsule, "a", {0.1, 2, 0}, {{}, {0, 0, 1}});
  EXPECT_EQ(c.shapes[3].friction, 0.7);
  EXPECT_EQ(c.shapes[3].layers, 2U);
  EXPECT_EQ(c.shapes[3].touches, 4U);
  EXPECT_EQ(c.shapes[3].margin, 0.01);
  expect_shape(c.shapes[4], CollisionShape::box, "b", {0.2, 0.4, 0.6});
  expect_shape(c.shapes[5], CollisionShape::cylinder, "b", {0.1, 0.4, 0});
  expect_shape(c.shapes[6], CollisionShape::ellipsoid, "b", {0.1, 0.2, 0.3});
  EXPECT_EQ(c.shapes[4].torsional_friction, 0);
  EXPECT_EQ(c.shapes[5].torsional_friction, 0.1);  // of the default class
  EXPECT_EQ(c.shapes[5].rolling_friction, 0);
  EXPECT_EQ(c.shapes[6].torsional_friction, 0.02);
  EXPECT_EQ(c.shapes[6].rolling_friction, 0.003);
  EXPECT_EQ(c.shapes[7].kind, CollisionShape::mesh);
  EXPECT_EQ(c.pairs.at(0).friction, 0.9);
  EXPECT_EQ(c.excluded.at(0), (std::array<std::string, 2>{"b", "ground"}));
  // Neighbors and b with ground never touch: the foot on the floor, and the listed pair.
  EXPECT_EQ(colliding_pairs(m).size(), 2U);
  const auto disabled = [](const std::string& flag) {
    return read_mjcf("<mujoco><option><flag " + flag +
                         "='disable'/></option><worldbody><body><joint/><geom "
                         "size='1'/></body></worldbody></mujoco>",
                     "m.xml")
        .collisions;
  };
  EXPECT_TRUE(disabled("contact").shapes.empty());
  EXPECT_TRUE(disabled("filterparent").neighbors);
}

TEST(Collision, urdf_and_sdf) {
  std::vector<std::string> warnings;
  const Mechanism urdf = read_urdf(R"(<robot name="r"><link name="ground"><collision>
      <origin xyz="1 2 3" rpy="0 0 0.5"/><geometry><box size="1 2 3"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
    <collision><geometry><mesh filename="a.stl"/></geometry></collision>
    <collision><geometry><sphere radius="-1"/></geometry></collision></link></robot>)",
                                   "r.urdf", {false, &warnings});
  ASSERT_EQ(urdf.collisions.shapes.size(), 4U);
  expect_shape(urdf.collisions.shapes[0], CollisionShape::box, "ground_", {1, 2, 3},
               {exp(Vec3{0, 0, 0.5}), {1, 2, 3}});
  expect_shape(urdf.collisions.shapes[1], CollisionShape::cylinder, "ground_", {0.1, 0.5, 0});
  expect_shape(urdf.collisions.shapes[2], CollisionShape::sphere, "ground_", {0.1, 0, 0});
  EXPECT_EQ(urdf.collisions.shapes[3].kind, CollisionShape::mesh);
  EXPECT_TRUE(std::ranges::any_of(warnings, [](const std::string& w) {
    return w.find("collision shape is not kept") != w.npos && w.find("-1") != w.npos;
  }));
  const Mechanism sdf = read_sdf(R"(<sdf version="1.9"><model name="m"><link name="l">
      <inertial><mass>1</mass></inertial>
      <collision name="c"><pose>1 2 3 0 0 0.5</pose><geometry><capsule><radius>0.1</radius><length>0.5</length></capsule></geometry>
        <surface><friction><ode><mu>0.4</mu></ode></friction></surface></collision>
      <collision name="d"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></collision>
      <collision name="e"><geometry><plane><normal>0 1 0</normal></plane></geometry></collision></link></model></sdf>)",
                                 "m.sdf");
  ASSERT_EQ(sdf.collisions.shapes.size(), 3U);
  expect_shape(sdf.collisions.shapes[0], CollisionShape::capsule, "l", {0.1, 0.5, 0},
               {exp(Vec3{0, 0, 0.5}), {1, 2, 3}});
  EXPECT_EQ(sdf.collisions.shapes[0].friction, 0.4);
  expect_shape(sdf.collisions.shapes[1], CollisionShape::ellipsoid, "l", {1, 2, 3});
  EXPECT_LT(norm(sdf.collisions.shapes[2].pose.R * Vec3{0, 0, 1} - Vec3{0, 1, 0}), 1e-15);
}

class CollisionRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("chasles_collisions_" + std::to_string(getpid()));
    fs::create_directories(folder);
    write("m.yaml", yaml);
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
  }
  Scenario scenario(const std::string& contacts, std::vector<std::string>* warnings = nullptr,
                    const std::string& more = "") const {
    write("s.yaml", "chasles: 1\nmodel: m.yaml\nduration: 0.1\n" + more + contacts);
    return read_scenario(folder / "s.yaml", warnings);
  }
  fs::path folder;
};

TEST_F(CollisionRuns, contacts_of_the_model) {
  std::vector<std::string> warnings;
  const Scenario s =
      scenario("contacts: {from: model, floor: -2, friction: 0.3, stiffness: 5}\n", &warnings);
  EXPECT_EQ(s.forces.list().size(), 3U);  // box and sphere on the floor, and the listed pair
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("s.yaml:4"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("box and mesh (1)"), std::string::npos) << warnings[0];
  // In a list, beside a contact of one's own; in maximal coordinates, too.
  const std::string list =
      "contacts:\n  - {from: model}\n  - {name: own, sphere: {body: arm, radius: 0.1}}\n";
  const std::size_t count = scenario(list).forces.list().size();
  EXPECT_EQ(scenario(list, nullptr, "coordinates: maximal\n").forces.list().size(), count);
  EXPECT_SAYS(scenario("contacts: {from: modle}\n"), "modle", "model");
  EXPECT_SAYS(scenario("contacts: {form: model}\n"), "'form'", "from");
  EXPECT_SAYS(scenario("contacts: {from: model, stiffness: -1}\n"), "s.yaml:4", "stiffness -1");
  EXPECT_SAYS(scenario("contacts: {from: model, floor: -2, rolling_friction: -1 mm}\n"),
              "rolling_friction -0.001");
  EXPECT_SAYS(scenario("contacts: {from: model, floor: -2, angular_velocity: 1 m/s}\n"),
              "angular_velocity '1 m/s'");
}

/// The end of a run: the robot is at rest, its feet bear its weight, and its belly touches nothing.
void expect_standing(const Scenario& s, const State& end) {
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, end.q, end.v, kin);
  double weight = 0;
  for (const char* foot : {"fl_foot", "fr_foot", "hl_foot", "hr_foot"}) {
    const ContactQuery& touch = contact_named(s.forces, foot);
    weight += touch.normal_force(kin);
    EXPECT_GT(-touch.gap(kin).distance, 1e-5) << foot;
    EXPECT_LT(-touch.gap(kin).distance, 1e-3) << foot;
  }
  EXPECT_NEAR(weight, s.model.mass() * 9.81, 0.02 * s.model.mass() * 9.81);
  EXPECT_LT(contact_named(s.forces, "belly").normal_force(kin), 1e-12);
  for (int k = 0; k < s.model.nv(); ++k) EXPECT_LT(std::abs(end.v[k]), 0.02) << k;
}
State end_of_run(const Scenario& s) {
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  EXPECT_TRUE(simulation.summary().finished);
  return simulation.state();
}

TEST_F(CollisionRuns, a_quadruped_stands) {
  const Scenario s = read_scenario("examples/scenarios/stand.yaml");
  expect_standing(s, end_of_run(s));
}

/// MuJoCo 4.0 has the trunk 0.3290 m high after the 2 s, and the knees at these angles; its contacts have another law, but
/// what the servos bear is the same.
TEST_F(CollisionRuns, a_scene_of_mujoco_stands_on_its_servos) {
  const Scenario s = read_scenario("examples/scenarios/scene.yaml");
  const State end = end_of_run(s);
  expect_standing(s, end);
  PositionKinematics kin(s.model);
  forward_kinematics(s.model, end.q, kin);
  EXPECT_NEAR(pose(kin, s.model.frame("trunk")).r.z, 0.3290, 0.002);
  const auto knee = [&](const char* name) { return end.q[s.model.joint(name).q_index]; };
  for (const char* name : {"fl_knee", "fr_knee"}) EXPECT_NEAR(knee(name), -1.4297, 0.003);
  for (const char* name : {"hl_knee", "hr_knee"}) EXPECT_NEAR(knee(name), -1.4414, 0.003);
}

}  // namespace collision_test
