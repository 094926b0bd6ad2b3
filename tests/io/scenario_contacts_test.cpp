/// `contacts` in scenario files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "chasles/io/scenario_file.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

namespace fs = std::filesystem;

class ScenarioContacts : public ::testing::Test {
 protected:
  fs::path folder =
      fs::temp_directory_path() / ("chasles_contacts_test_" + std::to_string(getpid()));
  void SetUp() override {
    fs::create_directories(folder);
    write("model.yaml", R"(chasles: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: one, joint: {type: floating}, inertia: {mass: 2, tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
  - {name: two, joint: {type: floating}, inertia: {mass: 3, tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
frames:
  - {name: tip, body: two, pose: {xyz: [0, 0, 0.25]}}
)");
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Scenario read(const std::string& contacts, const std::string& more = "") {
    return read_scenario(write("s.yaml", "chasles: 1\nmodel: model.yaml\nduration: 1\ncontacts: [" +
                                             contacts + "]\n" + more));
  }
};

TEST_F(ScenarioContacts, resist_spinning_and_rolling) {
  const Scenario s = read(
      "{sphere: {body: one, radius: 0.1, center: [0, 0, 0.1]}, stiffness: 1000, exponent: 1,"
      " torsional_friction: 2 cm, rolling_friction: 1 cm, angular_velocity: 1e-6 rad/s}");
  VelocityKinematics kin(s.model);
  Vector q = s.start.q, v = s.start.v;
  q[6] = -0.02, v[1] = 3, v[2] = 4;
  forward_kinematics(s.model, q, v, kin);
  JointForces out;
  out.tau.setZero(12);
  s.forces.list()[0].law.add(0, kin, out);
  ASSERT_EQ(out.wrenches.size(), 1u);
  EXPECT_NEAR(out.wrenches[0].W.t.z, -20 * 0.02, 1e-9);
  EXPECT_NEAR(out.wrenches[0].W.t.y, -20 * 0.01, 1e-9);
  EXPECT_SAYS(read("{sphere: {body: one, radius: 0.1}, rolling_friction: 3 N}"), "is in N; give m");
}
TEST_F(ScenarioContacts, are_read) {
  const Scenario s = read(
      "{sphere: {body: one, radius: 0.1, center: [0, 0, 0.1]}, stiffness: 1000, exponent: 1},"
      "{name: box, box: {body: tip, size: [1, 2, 0.5]}, friction: 0.5},"
      "{name: pts, points: {body: one, at: [[0, 0, 1], [0, 0, 3]]},"
      " against: {plane: {body: tip, point: [0, 0, 1], normal: [0, 0, 2]}}},"
      "{name: balls, sphere: {body: one, radius: 0.1},"
      " against: {sphere: {body: two, radius: 0.2, center: [0, 0, 1]}}}",
      "record: {quantities: ['contact:box']}");
  ASSERT_EQ(s.forces.list().size(), 4u);
  VelocityKinematics kin(s.model);
  Vector q = s.start.q;
  q[6] = -0.02, q[13] = 0.5;  // heights of one and two
  forward_kinematics(s.model, q, s.start.v, kin);
  const auto touch = [&](std::size_t i) { return *s.forces.list()[i].touch; };
  EXPECT_EQ(touch(0).name, "contact 1");
  EXPECT_NEAR(touch(0).gap(kin).distance, -0.02, 1e-15);
  EXPECT_NEAR(touch(0).normal_force(kin), 20, 1e-11);
  EXPECT_NEAR(touch(1).gap(kin).distance, 0.5, 1e-15);
  EXPECT_NEAR(touch(2).gap(kin).distance, 1 - 0.02 - 1.75, 1e-15);
  EXPECT_NEAR(touch(3).gap(kin).distance, 1.52 - 0.3, 1e-15);
  // Without stiffness: the weight of 5 kg at 1 mm.
  q[6] = 0.099 - 0.1 + 0.75, q[13] = 0;
  forward_kinematics(s.model, q, s.start.v, kin);
  EXPECT_NEAR(touch(3).gap(kin).distance, -0.049, 1e-15);
  EXPECT_NEAR(touch(3).normal_force(kin), 5 * 9.81 * std::pow(49, 1.5), 1e-9);
}

TEST_F(ScenarioContacts, that_make_no_sense_are_refused) {
  const auto refused = [&](const std::string& contact, std::initializer_list<std::string> parts) {
    const std::string text = test::message([&] { read(contact); });
    EXPECT_NE(text.find("s.yaml:4:"), std::string::npos) << text;
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  refused("{friction: 1}", {"contact 1", "points, sphere or box"});
  refused("{sphere: {body: one, radius: 1}, box: {body: one, size: [1, 1, 1]}}",
          {"sphere and box"});
  refused("{sphere: {body: on, radius: 1}}", {"'on'", "one"});
  refused("{sphere: {body: one}}", {"radius"});
  refused("{sphere: {body: one, radius: 1}, stifness: 3}", {"stifness", "stiffness"});
  refused("{sphere: {body: one, radius: 1}, stiffness: -3}", {"stiffness -3", "not positive"});
  refused("{points: {body: one}}", {"at"});
  refused("{points: {body: one, at: []}}", {"no points"});
  refused("{points: {body: one, at: [[1, 2]]}}", {"at", "3"});
  refused("{box: {body: one, size: [1, -1, 1]}}", {"size", "negative"});
  refused("{sphere: {body: one, radius: 1}, against: {}}", {"plane or sphere"});
  refused("{sphere: {body: one, radius: 1}, against: {plane: {normal: [0, 0, 0]}}}", {"normal"});
  refused("{sphere: {body: two, radius: 1}, against: {plane: {body: tip}}}", {"move together"});
  refused(
      "{name: a, points: {body: one, at: [[0, 0, 0]]}}, {name: a, points: {body: two, at: [[0, 0, "
      "0]]}}",
      {"another contact"});
  EXPECT_SAYS(read("{name: floor, sphere: {body: one, radius: 1}}",
                   "record: {quantities: ['contact:flor']}"),
              "s.yaml:5:", "flor", "floor");
}

/// A model alone moves freely; the scenario that this is names what else the model has, to be uncommented: the ball of
/// 0.1 m that falls onto the floor rests there, but for what it sinks in, and its motor turns the wheel.
TEST_F(ScenarioContacts, of_models_alone_are_offered) {
  const fs::path scene = write("scene.xml", R"(<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="ball" pos="0 0 0.3"><freejoint/><geom size="0.1" mass="1"/></body>
    <body name="wheel" pos="5 0 1"><joint name="axle" axis="0 1 0"/><geom size="0.1" mass="1"/></body>
  </worldbody>
  <actuator><motor joint="axle"/></actuator>
</mujoco>)");
  std::string text = default_scenario(scene).text;
  const auto uncomment = [&](std::string_view key) {
    const auto at = text.find("# " + std::string(key));
    ASSERT_NE(at, text.npos) << text;
    text.erase(at, 2);
  };
  Trajectory path;
  const Scenario free = read_scenario(write("free.yaml", text));
  EXPECT_TRUE(free.forces.list().empty());
  uncomment("contacts: {from: model}");
  uncomment("control: [{type: actuators}]");
  const Scenario full = read_scenario(write("full.yaml", text));
  Simulation run(full);
  run.run(path);
  VelocityKinematics kin(full.model);
  forward_kinematics(full.model, run.state().q, run.state().v, kin);
  EXPECT_NEAR(pose(kin, full.model.frame("ball")).r.z, 0.1, 0.01);
  const fs::path plain = write("plain.yaml",
                               "chasles: 1\nbodies:\n  - {name: a, joint: {type: "
                               "floating}, inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}}\n");
  EXPECT_EQ(default_scenario(plain).text.find('#'), std::string::npos);
}

}  // namespace
}  // namespace chasles
