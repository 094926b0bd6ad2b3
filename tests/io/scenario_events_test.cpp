/// `events` in scenario files, and changes to a scenario before it is read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "chasles/io/run_file.hpp"
#include "chasles/io/scenario_file.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

namespace fs = std::filesystem;
constexpr double g = 9.81;

class ScenarioEvents : public ::testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("chasles_events_test_" + std::to_string(getpid()));
  void SetUp() override {
    fs::create_directories(folder);
    write("model.yaml", R"(chasles: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: weight, joint: {name: slide, type: prismatic, axis: [0, 0, 1]},
     inertia: {mass: 2, com: [0, 0, 0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
frames:
  - {name: tip, body: weight, pose: {xyz: [0, 0, 0.25]}}
)");
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Scenario read(const std::string& events, const std::vector<std::string>& changes = {}) {
    return read_scenario(write("s.yaml",
                               "chasles: 1\nmodel: model.yaml\nduration: 3\n"
                               "forces: [{type: joint_torque, joint: slide, value: 0}]\n"
                               "events: [" +
                                   events + "]\n"),
                         nullptr, nullptr, changes);
  }
  Summary run(const Scenario& s) {
    Simulation simulation(s);
    simulation.run(*make_run_file(folder / "run.json"));
    return simulation.summary();
  }
};

TEST_F(ScenarioEvents, say_what_happens) {
  Summary s = run(read(
      "{name: fast, when: {joint: slide, of: velocity}, crosses: -2, direction: down, do: log}, "
      "{when: {frame: tip, axis: z}, crosses: -1, do: stop}"));
  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_EQ(s.events[0].name, "fast");
  EXPECT_NEAR(s.events[0].t, 2 / g, 1e-11);
  EXPECT_EQ(s.events[1].name, "event 2");
  EXPECT_NEAR(s.events[1].t, std::sqrt(2.5 / g), 1e-11);
  EXPECT_EQ(s.time, s.events[1].t);
  std::ostringstream summary;
  summary << std::ifstream(folder / "run.json").rdbuf();
  EXPECT_NE(summary.str().find("\"events\": [\n  {\"name\": \"fast\", \"t\": 0.2038"),
            std::string::npos);
  // Upwards it does not pass.
  const double by_map =
      run(read("{when: {frame: tip, axis: z}, crosses: -1, do: stop}")).events.at(0).t;
  EXPECT_EQ(run(read("{when: frame tip z, crosses: -1, do: stop}")).events.at(0).t, by_map);
  EXPECT_EQ(run(read("{when: joint slide, crosses: -1, direction: down, do: stop}")).time,
            run(read("{when: {joint: slide}, crosses: -1, direction: down, do: stop}")).time);
  EXPECT_EQ(run(read("{when: distance ground tip, crosses: 0.75, do: stop}")).time,
            run(read("{when: {distance: [ground, tip]}, crosses: 0.75, do: stop}")).time);
  s = run(read("{when: {joint: slide}, crosses: -1, direction: up, do: stop}"));
  EXPECT_TRUE(s.events.empty());
  EXPECT_EQ(s.time, 3);
  s = run(read(
      "{when: {joint: slide}, crosses: -1, direction: down, do: {set_velocity: {slide: 20}}}"));
  EXPECT_EQ(s.event_count, 1);
  EXPECT_NEAR(s.end.work, 400 - 2 * g, 1e-8);
}

/// The tip is 0.25 m above the origin of the slide, so 0.75 m below ground it is 1 m deep.
TEST_F(ScenarioEvents, are_on_distances) {
  const Summary s = run(read("{when: {distance: [ground, tip]}, crosses: 0.75, do: stop}"));
  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_NEAR(s.events[0].t, std::sqrt(2 * 1 / g), 1e-11);
}

TEST_F(ScenarioEvents, are_impacts) {
  const Summary s =
      run(read("{when: {joint: slide}, crosses: -1, direction: down, do: {impact: 0.5}}"));
  ASSERT_GE(s.events.size(), 2u);
  EXPECT_NEAR(s.events[0].t, std::sqrt(2 / g), 1e-11);
  EXPECT_NEAR(s.events[1].t, 2 * std::sqrt(2 / g), 1e-11);
  EXPECT_NEAR(s.end.work, -2 * g, 1e-9);  // it lies there
}

TEST_F(ScenarioEvents, that_make_no_sense_are_refused) {
  const auto refused = [&](const std::string& event, std::initializer_list<std::string> parts) {
    const std::string text = test::message([&] { read(event); });
    EXPECT_NE(text.find("s.yaml:5:"), std::string::npos) << text;
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  refused("{when: elbow, do: stop}", {"event 1", "'elbow'", "joint NAME"});
  refused("{when: joint slid, do: stop}", {"slid", "slide"});
  refused("{when: frame tip, do: stop}", {"frame NAME z"});
  refused("{when: frame tip w, do: stop}", {"axis", "'w'"});
  refused("{when: distance tip, do: stop}", {"distance FRAME FRAME"});
  refused("{do: stop}", {"event 1", "when"});
  refused("{when: {joint: slide}}", {"event 1", "do"});
  refused("{when: {joint: slid}, do: stop}", {"slid", "slide"});
  refused("{when: {frame: tap, axis: z}, do: stop}", {"tap", "tip"});
  refused("{when: {frame: tip}, do: stop}", {"axis"});
  refused("{when: {frame: tip, axis: w}, do: stop}", {"axis", "'w'"});
  refused("{when: {joint: slide, frame: tip}, do: stop}", {"{joint: NAME}"});
  refused("{when: {joint: slide, coordinate: 1}, do: stop}", {"coordinate 1", "1, from 0"});
  refused("{when: {joint: slide, of: force}, do: stop}", {"'force'", "velocity"});
  refused("{when: {joint: slide}, direction: left, do: stop}", {"'left'"});
  refused("{when: {distance: [tip]}, do: stop}", {"distance", "two"});
  refused("{when: {distance: [tip, weigt]}, do: stop}", {"weigt", "weight"});
  refused("{when: {distance: [tip, weight]}, do: stop}", {"move together"});
  refused("{when: {joint: slide}, do: {impact: 0.5}}", {"direction", "up or down"});
  refused("{when: {joint: slide}, direction: up, do: {impact: 2}}", {"impact 2", "0 to 1"});
  refused("{when: {frame: tip, axis: z}, direction: up, do: {impact: 0}}", {"impact", "joint"});
  refused("{when: {joint: slide, of: velocity}, direction: up, do: {impact: 0}}", {"position"});
  refused("{when: {joint: slide}, do: {impact: 0, set_velocity: {slide: 1}}}", {"impact"});
  refused("{when: {joint: slide}, do: halt}", {"'halt'"});
  refused("{when: {joint: slide}, do: {set_velocity: 3}}", {"set_velocity", "by joint"});
  refused("{when: {joint: slide}, do: {set_velocity: {slide: [1, 2]}}}", {"slide"});
  refused("{when: {joint: slide}, crosses: high, do: stop}", {"crosses"});
  refused("{name: a, when: {joint: slide}, do: stop}, {name: a, when: {joint: slide}, do: log}",
          {"another event"});
}

TEST_F(ScenarioEvents, changes_are_made_before_a_scenario_is_read) {
  const Scenario s =
      read("", {"integrator.tolerance=1e-8", "duration=0.5", "record.every=0.25",
                "record.quantities=[energy, work]", "forces.0.value={amplitude: 3, frequency: 1}",
                "integrator.tolerance=1e-7"});
  EXPECT_EQ(s.integrator.tolerance, 1e-7);
  EXPECT_EQ(s.duration, 0.5);
  EXPECT_EQ(s.every, 0.25);
  EXPECT_EQ(s.quantities.size(), 2u);
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.start.q, s.start.v, kin);
  JointForces out{Vector(1), {}};
  s.forces.apply(0.25, kin, out);
  EXPECT_NEAR(out.tau[0], 3, 1e-14);
  EXPECT_SAYS(read("", {"integrator.tolerance=9"}), "s.yaml", "tolerance 9",
              "changed: integrator.tolerance=9");
  EXPECT_SAYS(read("", {"integrator.tolerence=1e-8"}), "tolerence", "tolerance", "changed:");
  EXPECT_SAYS(read("", {"duration"}), "change 'duration'", "PATH=VALUE");
  EXPECT_SAYS(read("", {"=3"}), "PATH=VALUE");
  EXPECT_SAYS(read("", {"a..b=3"}), "change 'a..b=3'", "missing");
  EXPECT_SAYS(read("", {"duration.x=3"}), "'x'", "not a map");
  EXPECT_SAYS(read("", {"forces.1.value=3"}), "'1' is not an element", "1, from 0");
  EXPECT_SAYS(read("", {"duration=[1"}), "change 'duration=[1'");
}

}  // namespace
}  // namespace chasles
