/// The list `drivers` of scenarios.
#include <gtest/gtest.h>

#include <sstream>

#include "chasles/io/run_file.hpp"
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

/// A four-bar of cranks 40, 120, 80 mm on pivots 100 mm apart, all bars in line at q = 0. Its two assembly modes follow
/// from the intersections of two circles.
constexpr const char* bars_in_line = R"(chasles: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 0.2, com: [20 mm, 0, 0], tensor: [1e-4, 0, 0, 1e-4, 0, 1e-4]}}
  - {name: coupler, parent: crank, joint: {type: revolute, axis: [0, 0, 1], frames: {parent: {xyz: [40 mm, 0, 0]}, child: {}}},
     inertia: {mass: 0.5, com: [60 mm, 10 mm, 0], tensor: [7e-4, 0, 0, 7e-4, 0, 7e-4]}}
  - {name: rocker, joint: {type: revolute, axis: [0, 0, 1], frames: {parent: {xyz: [100 mm, 0, 0]}, child: {}}},
     inertia: {mass: 0.3, com: [40 mm, 0, 0], tensor: [2e-4, 0, 0, 2e-4, 0, 2e-4]}}
loops:
  - {name: pin, type: revolute, bodies: [coupler, rocker], axis: [0, 0, 1], frames: {parent: {xyz: [120 mm, 0, 0]}, child: {xyz: [80 mm, 0, 0]}}}
frames:
  - {name: point, body: coupler, pose: {xyz: [60 mm, 50 mm, 0]}}
)";
struct FourBarAngles {
  double coupler, rocker;  // in the world
};
/// @param side  1 or -1: of the pin from the line between its neighbors
FourBarAngles four_bar(double crank, int side) {
  const double a = 0.04, b = 0.12, c = 0.08, d = 0.1;
  const Vec3 A{a * std::cos(crank), a * std::sin(crank), 0}, D{d, 0, 0},
      e = (1 / norm(D - A)) * (D - A);
  const double l = norm(D - A), x = (b * b - c * c + l * l) / (2 * l),
               y = side * std::sqrt(b * b - x * x);
  const Vec3 P = A + Vec3{x * e.x - y * e.y, x * e.y + y * e.x, 0};
  return {std::atan2(P.y - A.y, P.x - A.x), std::atan2(P.y - D.y, P.x - D.x)};
}

class FourBarScenario : public DriverScenario {
 protected:
  void SetUp() override {
    DriverScenario::SetUp();
    write("arm.yaml", bars_in_line);
  }
  static State start_of(const Scenario& s) { return Simulation(s).state(); }
};

TEST_F(FourBarScenario, near_chooses_the_mode_of_driven_mechanisms) {
  for (const auto& [motion, crank] : {std::pair{"position: 0.5", 0.5},
                                      {"speed: 3", 0.0},
                                      {"polynomial: [-2, 1]", -2.0},
                                      {"step: {from: 20 deg, to: 290 deg, duration: 1}", M_PI / 9}})
    for (const int side : {1, -1}) {
      const FourBarAngles expected = four_bar(crank, side);
      const std::string text = "duration: 0.1\ninitial: {near: {rocker: " +
                               std::to_string(expected.rocker + 0.3 * side) +
                               "}}\ndrivers: [{joint: crank, " + motion + "}]\n";
      const State start = start_of(read(text));
      EXPECT_NEAR(start.q[0], crank, 1e-12) << text;
      EXPECT_NEAR(start.q[2], expected.rocker, 1e-9) << text;
      const Scenario maximal = read(text + "coordinates: maximal\n");
      EXPECT_NEAR(maximal.joints_q[2], expected.rocker, 1e-9) << text;
    }
  // With the point of the coupler driven, of the two modes the one that `near` means.
  for (const int side : {1, -1}) {
    const FourBarAngles there = four_bar(0.7, side);
    const double x =
        0.04 * std::cos(0.7) + 0.06 * std::cos(there.coupler) - 0.05 * std::sin(there.coupler);
    const State start = start_of(
        read("duration: 0.1\ninitial: {near: {crank: 0.7, rocker: " + std::to_string(there.rocker) +
             "}}\ndrivers: [{frame: point, axis: x, position: " + to_text(x) + "}]\n"));
    EXPECT_NEAR(start.q[0], 0.7, 1e-6);
    EXPECT_NEAR(start.q[2], there.rocker, 1e-6);
  }
}

TEST_F(FourBarScenario, speeds_and_lengths_begin_where_the_loops_are_closed) {
  const FourBarAngles there = four_bar(1, 1);
  const std::string at = "duration: 0.1\ninitial: {q: {crank: 1}, near: {rocker: 1.5}}\n";
  const double x = 0.04 * std::cos(1.0) + 0.06 * std::cos(there.coupler) -
                   0.05 * std::sin(there.coupler),
               y = 0.04 * std::sin(1.0) + 0.06 * std::sin(there.coupler) +
                   0.05 * std::cos(there.coupler);
  const Scenario of_frame = read(at + "drivers: [{frame: point, axis: x, speed: 0.01}]\n");
  EXPECT_NEAR(driver(of_frame).motion()(0).q, x, 1e-12);
  EXPECT_NEAR(start_of(of_frame).q[0], 1, 1e-9);
  // The angle of the pin: of the rocker in the coupler.
  const Scenario of_loop = read(at + "drivers: [{joint: pin, speed: 0.1}]\n");
  EXPECT_NEAR(
      std::remainder(driver(of_loop).motion()(0).q - (there.rocker - there.coupler), 2 * M_PI), 0,
      1e-9);
  EXPECT_NEAR(start_of(of_loop).q[2], there.rocker, 1e-9);
  // A rod whose length is not given fits.
  const Scenario propped =
      read(at +
           "constraints: [{type: distance, name: prop, a: {body: point}, b: {body: ground}}]\n"
           "record: {quantities: ['constraint_force:prop']}\n");
  EXPECT_NEAR(start_of(propped).q[0], 1, 1e-12);
  VelocityKinematics kin(propped.model);
  forward_kinematics(propped.model, start_of(propped).q, start_of(propped).v, kin);
  EXPECT_NEAR(norm(pose(kin, propped.model.frame("point")).r), std::hypot(x, y), 1e-12);
}

/// Motors in other joints than the driven one have the same power: P = tau_k v_k = F x'.
TEST_F(FourBarScenario, actuators_take_the_place_of_drivers) {
  for (const std::string motor : {"crank", "coupler", "rocker"})
    for (const std::string driven :
         {"joint: crank, speed: 4, offset: 1",
          "frame: point, axis: x, sine: {amplitude: 5 mm, frequency: 1, offset: 30 mm}"}) {
      Scenario s =
          read("duration: 0.2\ninitial: {near: {crank: 1, rocker: 1.6}}\ndrivers: [{name: motor, " +
               driven + "}]\nactuators: [" + motor +
               "]\nrecord: {every: 0.05, quantities: [inverse_dynamics, 'driver_power:motor']}\n");
      for (const bool by_constraints : {false, true}) {
        struct Compare : Recorder {
          int k;
          int samples = 0;
          explicit Compare(int of) : k(of) {}
          void sample(const Sample& at) override {
            const double P = at.values[1](0, 0), of_motor = at.values[0](k, 0) * at.state.v[k];
            EXPECT_NEAR(of_motor, P, 1e-9 * (1 + std::abs(P)));
            EXPECT_EQ((at.values[0].array() != 0).count(), 1);
            ++samples;
          }
        } compare(s.model.joint(motor).v_index);
        SCOPED_TRACE(motor + " for " + driven);
        Simulation(by_constraints ? kinematic(s) : s).run(compare);
        EXPECT_EQ(compare.samples, 5);
      }
    }
}

TEST_F(FourBarScenario, actuators_are_given_once) {
  refused("duration: 1\nactuators: [crank, crank]\n", 4, {"joint 'crank' is given twice"});
  refused("duration: 1\nactuators: [crnk]\n", 4, {"did you mean 'crank'?"});
}

TEST_F(FourBarScenario, dead_centers_of_runs_are_named) {
  const std::string driven =
      "duration: 3\ninitial: {near: {crank: 1, rocker: 90 deg}}\ndrivers: [{joint: rocker, speed: "
      "1}]\n";
  Trajectory path;
  EXPECT_SAYS(
      Simulation(read(driven + "integrator: {method: hedop5, tolerance: 1e-10}\n")).run(path),
      "dead center: drivers 'rocker' do not determine the motion of joint 'crank' there",
      "drive another joint");
  EXPECT_SAYS(
      Simulation(kinematic(read(driven + "record: {every: 0.01}\n"))).run(path),
      "dead center: drivers 'rocker' do not determine the motion of joint 'crank' between t = ");
}

TEST_F(FourBarScenario, forces_of_drivers_have_their_units) {
  const std::string start = "duration: 0.1\ninitial: {near: {crank: 1, rocker: 1.5}}\n";
  for (const auto& [driver, unit] : {std::pair{"joint: rocker, position: 1.5", "N m"},
                                     {"joint: pin, speed: 0", "N m"},
                                     {"frame: point, axis: y, speed: 0", "N"}}) {
    Scenario s = read(start + "drivers: [{name: motor, " + driver +
                      "}]\nrecord: {every: 0.1, quantities: ['driver_force:motor']}\n");
    Simulation(s).run(*make_run_file(folder / "run.csv"));
    std::string line;
    std::getline(std::ifstream(folder / "run.csv") >> std::ws, line);
    EXPECT_NE(line.find("driver_force:motor [" + std::string(unit) + "]"), std::string::npos)
        << line;
  }
  write("slide.yaml",
        "chasles: 1\nbodies:\n  - {name: a, joint: {type: revolute, axis: [0, 0, 1]}, inertia: "
        "{mass: 1, tensor: [1, 0, 0, 1, 0, 1]}}\n"
        "  - {name: b, parent: a, joint: {type: cylindrical, axis: [1, 0, 0]}, inertia: {mass: 1, "
        "tensor: [1, 0, 0, 1, 0, 1]}}\n");
  Simulation(read_scenario(write("t.yaml",
                                 "chasles: 1\nmodel: slide.yaml\nduration: 0.1\ndrivers: [{joint: "
                                 "b, coordinate: 1, position: 0}]\n"
                                 "record: {quantities: ['driver_force:b[1]']}\n")))
      .run(*make_run_file(folder / "t.json"));
  std::stringstream text;
  text << std::ifstream(folder / "t.json").rdbuf();
  EXPECT_NE(text.str().find("{\"name\": \"driver_force:b[1]\", \"unit\": \"N\""),
            std::string::npos);
}

TEST_F(FourBarScenario, that_continue_elsewhere_than_their_drivers_are_refused) {
  const std::string text = "duration: 0.2\ndrivers: [{joint: crank, speed: 5}]\n";
  Simulation(read(text)).run(*make_run_file(folder / "run.json"));
  EXPECT_NEAR(start_of(read("initial: {from: run.json}\n" + text)).q[0], 1, 1e-9);
  refused(
      "initial: {from: run.json}\nduration: 1\ndrivers: [{joint: crank, speed: 5, offset: 0}]\n", 3,
      {"q of joint 'crank' is 1", "at the start, and its driver prescribes 0"});
}

}  // namespace
}  // namespace scenario_drivers_test
}  // namespace chasles
