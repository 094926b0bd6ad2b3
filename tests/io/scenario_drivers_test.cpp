/// The list `drivers` of scenarios.
#include <gtest/gtest.h>

#include "chasles/simulation/driver.hpp"
#include "chasles/simulation/kinematic.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"
#include "support/scenario_files.hpp"

namespace chasles {
namespace scenario_drivers_test {
namespace {

constexpr const char* two_slides = R"(chasles: 1
gravity: [0, 0, 0]
bodies:
  - {name: cart, inertia: {mass: 2}, joint: {type: prismatic, axis: [1, 0, 0], limits: {lower: -5, upper: 0.5}}}
  - {name: arm, parent: cart, inertia: {mass: 1, com: [0, 0, -1], tensor: [0.1, 0, 0, 0.1, 0, 0.1]},
     joint: {type: revolute, axis: [0, 1, 0]}}
  - {name: ball, parent: arm, inertia: {mass: 1, com: [0, 0, -2], tensor: [0.1, 0, 0, 0.1, 0, 0.1]},
     joint: {type: spherical, point: [0, 0, -1]}}
frames:
  - {name: tip, body: arm, pose: {xyz: [0, 0, -1]}}
)";

class DriverScenario : public test::ScenarioFile {
 protected:
  void SetUp() override {
    test::ScenarioFile::SetUp();
    write("arm.yaml", two_slides);
  }
  const Driver& driver(const Scenario& s, std::size_t k = 0) {
    return dynamic_cast<const Driver&>(*s.constraints.more.at(k));
  }
};

/// What would be ignored, or contradict a driver later.
TEST_F(DriverScenario, loops_and_events_leave_drivers_alone) {
  const std::string driven = "duration: 1\ndrivers: [{joint: cart, speed: 1}]\n";
  refused(driven + "loops: open\n", 4, {"with loops: open", "coordinates: maximal"});
  const auto said = [&](const std::string& event) {
    const Scenario s = read(driven +
                            "events: [{name: e, when: joint cart, crosses: 0.1, direction: "
                            "up, do: {" +
                            event + "}}]\n");
    return test::message([&] { Simulation run(s); });
  };
  EXPECT_EQ(said("impact: 0.5"),
            "event 'e' is an impact of joint 'cart', whose motion driver 'cart' prescribes; leave "
            "one of them out");
  EXPECT_EQ(said("set_velocity: {cart: 0}"),
            "event 'e' sets the velocity of joint 'cart', whose motion driver 'cart' prescribes; "
            "leave one of them out");
  EXPECT_EQ(said("set_velocity: {arm: 0}"), "no error");
}

TEST_F(DriverScenario, has_the_motions_that_it_says) {
  const Scenario s = read(R"(duration: 2
initial: {q: {cart: 0.25}}
drivers:
  - {joint: cart, speed: 3}
  - {name: swing, joint: arm, sine: {amplitude: 0.1, frequency: 2, phase: 0.3, offset: 0.2}}
)");
  ASSERT_EQ(s.constraints.more.size(), 2);
  EXPECT_EQ(driver(s).name(), "cart");
  EXPECT_EQ(driver(s, 1).name(), "swing");
  EXPECT_NEAR(driver(s).motion()(2).q, 6.25, 1e-15);
  EXPECT_NEAR(driver(s, 1).motion()(0.7).q, 0.2 + 0.1 * std::sin(4 * M_PI * 0.7 + 0.3), 1e-15);
  EXPECT_NEAR(s.start.q[1], 0.2 + 0.1 * std::sin(0.3), 1e-15);
  EXPECT_NEAR(s.start.v[0], 3, 1e-15);
  const auto value = [&](const std::string& motion, double t) {
    return driver(read("duration: 1\ndrivers: [{joint: arm, " + motion + "}]")).motion()(t).q;
  };
  EXPECT_EQ(value("position: 0.7", 0.3), 0.7);
  EXPECT_NEAR(value("position: 30 deg", 0), M_PI / 6, 1e-15);
  EXPECT_NEAR(value("speed: 60 deg/s, offset: 90 deg", 0.5), M_PI * 2 / 3, 1e-15);
  EXPECT_NEAR(value("polynomial: [1 rad, 2 rad/s, 3 rad/s^2]", 0.5), 2.75, 1e-15);
  EXPECT_NEAR(value("step: {from: 1 rad, to: 3 rad, start: 0 s, duration: 1000 ms}", 0.5), 2,
              1e-15);
  EXPECT_NEAR(value("table: [[0 s, 0], [1 s, 1 rad]], ends: clamped", 0.25), 0.0625 * 2.5, 1e-15);
  EXPECT_SAYS(value("speed: 3 m/s", 0), "speed '3 m/s' is in m/s; give rad/s");
  EXPECT_SAYS(value("sine: {amplitude: 1 mm, frequency: 1 Hz}", 0), "is in m; give rad");
  EXPECT_EQ(value("speed: 2, offset: 1", 0.25), 1.5);
  EXPECT_NEAR(value("polynomial: [1, 2, 3]", 0.5), 2.75, 1e-15);
  EXPECT_NEAR(value("step: {from: 1, to: 3, start: 0, duration: 1}", 0.5), 2, 1e-15);
  EXPECT_NEAR(value("harmonics: {frequency: 1, mean: 0.5, cos: [0, 2], sin: [1]}", 0.125),
              0.5 + std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(value("table: [[0, 0], [1, 1]], ends: clamped", 0.25), 0.0625 * 2.5, 1e-15);
  EXPECT_EQ(value("table: [[0, 0], [1, 1], [2, 0], [3, 0]], ends: periodic", 4), 1);
}

TEST_F(DriverScenario, runs_with_the_force_of_the_driver) {
  const Scenario s = read(R"(duration: 1
drivers:
  - {joint: cart, polynomial: [0, 0, 0.5]}
  - {joint: arm, position: 0}
  - {frame: tip, axis: z, position: -1}
)");
  EXPECT_SAYS(Simulation(s), "driver 'tip.z'", "redundant");
  const Scenario run = read(R"(duration: 1
initial: {v: {cart: 5}}
drivers:
  - {joint: cart, polynomial: [0, 0, 0.5]}
  - {joint: arm, position: 0}
record: {quantities: ["driver_force:cart", "driver_power:cart", work, energy]}
)");
  Simulation simulation(run);
  Trajectory path;
  simulation.run(path);
  EXPECT_NEAR(simulation.state().q[0], 0.5, 1e-9);
  EXPECT_NEAR(simulation.state().v[0], 1, 1e-9);
  EXPECT_LE(simulation.summary().worst.energy, 1e-8);
  EXPECT_EQ(simulation.summary().violations.size(), 0);
}

TEST_F(DriverScenario, replaces_initial_velocities_with_a_message) {
  std::vector<std::string> warnings;
  const Scenario s =
      read_scenario(write("s.yaml",
                          "chasles: 1\nmodel: arm.yaml\nduration: 1\ninitial: {v: {cart: 5}}\n"
                          "drivers: [{joint: cart, speed: 3}]\n"),
                    &warnings);
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_NE(warnings[0].find("v of joint 'cart' is 5 at the start, and its driver prescribes 3"),
            std::string::npos)
      << warnings[0];
  EXPECT_EQ(s.start.v[0], 3);
  // Limits that the driver passes are reported as in any run.
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  ASSERT_GE(simulation.summary().violations.size(), 1);
  EXPECT_EQ(simulation.summary().violations[0].joint, "cart");
}

TEST_F(DriverScenario, is_the_same_in_maximal_coordinates) {
  const std::string text = R"(duration: 0.7
initial: {v: {ball: [0.5, 1, -0.3]}}
drivers:
  - {joint: cart, sine: {amplitude: 0.3, frequency: 1}}
  - {joint: arm, speed: 9}
integrator: {method: dop853, tolerance: 1e-10}
record: {every: 0.1, quantities: ["driver_force:arm", "driver_force:cart", "pose:ball"]}
)";
  std::vector<Matrix> last[2];
  struct Last : Recorder {
    std::vector<Matrix>& out;
    explicit Last(std::vector<Matrix>& to) : out(to) {}
    void sample(const Sample& s) override { out.assign(s.values.begin(), s.values.end()); }
  };
  for (const int k : {0, 1}) {
    Last recorder(last[k]);
    Simulation(read(text + (k == 0 ? "" : "coordinates: maximal\n"))).run(recorder);
    ASSERT_EQ(last[k].size(), 3);
  }
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LE((last[0][i] - last[1][i]).norm(), 1e-6 * (1 + last[0][i].norm())) << i;
}

TEST_F(DriverScenario, says_what_is_wrong) {
  const auto with = [](const std::string& driver) {
    return "duration: 2\ndrivers:\n  - {" + driver + "}\n";
  };
  refused(with("speed: 3"), 5, {"drives one of joint and frame"});
  refused(with("joint: cart, frame: tip, speed: 3"), 5, {"drives one of joint and frame"});
  refused(with("joint: crt, speed: 3"), 5, {"did you mean 'cart'?"});
  refused(with("joint: cart"), 5, {"has no motion; give one of speed, position"});
  refused(with("joint: cart, speed: 3, position: 1"), 5, {"more than one motion"});
  refused(with("joint: cart, sped: 3"), 5, {"did you mean 'speed'?"});
  refused(with("joint: ball, speed: 3"), 5, {"not a scalar; drive the position of a frame"});
  refused(with("joint: cart, speed: 3, coordinate: 1"), 5, {"coordinate 1 of a prismatic joint"});
  refused(with("joint: cart, speed: 3, axis: x"), 5, {"axis: of a frame"});
  refused(with("frame: tip, speed: 3"), 5, {"axis"});
  refused(with("frame: tip, axis: w, speed: 3"), 5, {"axis 'w' is not known"});
  refused(with("frame: top, axis: x, speed: 3"), 5, {"did you mean 'tip'?"});
  refused(with("joint: cart, table: [[0, 0], [1, 1]]"), 5,
          {"the table is from t = 0 to 1 s, and the run from 0 to 2 s", "ends: clamped"});
  refused(with("joint: cart, table: [[0, 0], [2, 1], [1, 3]]"), 5, {"do not increase"});
  refused(with("joint: cart, table: [1, 2]"), 5, {"a point of the table"});
  refused(with("joint: cart, speed: 3, ends: clamped"), 5, {"ends: only with table"});
  refused(with("joint: cart, step: {from: 0, to: 1, duration: -1}"), 5, {"must be positive"});
  refused(with("joint: cart, speed: .nan"), 5, {"not a finite number"});
  refused(with("joint: cart, speed: 3}\n  - {joint: cart, position: 1"), 6,
          {"another driver has the name 'cart'"});
  refused("duration: 2\ninitial: {q: {cart: 1}}\ndrivers: [{joint: cart, position: 2}]\n", 4,
          {"q of joint 'cart' is 1 at the start, and its driver prescribes 2"});
  refused(
      "duration: 2\ndrivers: [{joint: cart, position: 2}]\nrecord: {quantities: "
      "[\"driver_force:crt\"]}\n",
      5, {"there is no driver 'crt'"});
}

}  // namespace
}  // namespace scenario_drivers_test
}  // namespace chasles
