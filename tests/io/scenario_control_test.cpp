/// `control` in scenario files: what it says, and every way to say it wrong, with the place.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "chasles/io/run_file.hpp"
#include "chasles/io/scenario_file.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

namespace fs = std::filesystem;

class ScenarioControl : public ::testing::Test {
 protected:
  fs::path folder =
      fs::temp_directory_path() / ("chasles_control_test_" + std::to_string(getpid()));
  void SetUp() override {
    fs::create_directories(folder);
    write("arm.yaml", R"(chasles: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: upper, joint: {name: shoulder, type: revolute, axis: [0, 1, 0], limits: {effort: 40}},
     inertia: {mass: 2, com: [0.3, 0, 0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
  - {name: fore, parent: upper, joint: {name: elbow, type: universal, axis: [0, 1, 0], point: [0.6, 0, 0]},
     inertia: {mass: 1, com: [0.8, 0, 0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
)");
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Scenario read(const std::string& control, std::vector<fs::path>* files = nullptr) {
    return read_scenario(
        write("s.yaml",
              "chasles: 1\nmodel: arm.yaml\nduration: 1\ninitial: {q: {elbow: [0.2, 0.1]}}\n"
              "control:\n  - " +
                  control + "\n"),
        nullptr, files);
  }
  /// What the motors give at (t, start of the scenario).
  Eigen::VectorXd tau(const Scenario& s, double t) {
    VelocityKinematics kin(s.model);
    forward_kinematics(s.model, s.start.q, s.start.v, kin);
    JointForces out{Vector(s.model.nv()), {}};
    s.forces.sample(t, kin);
    s.forces.apply(t, kin, out);
    return out.tau;
  }
  void refused(const std::string& control, std::initializer_list<const char*> parts) {
    const std::string text = test::message([&] { read(control); });
    const std::string location = (folder / "s.yaml").string() + ":6:";
    EXPECT_EQ(text.rfind(location, 0), 0u) << text;
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
  }
};

TEST_F(ScenarioControl, says_everything) {
  Scenario s = read(
      "{type: pd, joints: [shoulder, elbow], stiffness: {shoulder: 100, elbow: 50}, damping: 2, "
      "reference: {shoulder: 0.1, elbow: [{amplitude: 0.5, frequency: 1}, {times: [0, 1], values: "
      "[0, 1], ends: clamped}]}, velocity_feed_forward: 3, acceleration_feed_forward: {shoulder: "
      "0, "
      "elbow: 0.5}}");
  const double t = 0.3, w = 2 * M_PI;
  const Eigen::VectorXd want{
      {100 * 0.1,
       50 * (0.5 * std::sin(w * t) - 0.2) + 5 * 0.5 * w * std::cos(w * t) -
           0.5 * 0.5 * w * w * std::sin(w * t),
       50 * (t * t * (3 - 2 * t) - 0.1) + 5 * 6 * t * (1 - t) + 0.5 * (6 - 12 * t)}};
  EXPECT_LT((tau(s, t) - want).norm(), 1e-12);
  // All joints, held where they start, with gravity: nothing moves.
  s = read("{type: pd, stiffness: 100, damping: 10, gravity: true, period: 0.01}");
  ASSERT_EQ(s.forces.list().size(), 1u);
  Simulation held(s);
  Trajectory path;
  held.run(path);
  EXPECT_LT((held.state().q - s.start.q).norm(), 1e-10);
  // Gravity compensation is what pd gives at its reference; efforts are kept.
  const Eigen::VectorXd g = tau(s, 0);
  EXPECT_LT((tau(read("{type: gravity_compensation}"), 0) - g).norm(), 1e-13);
  const Eigen::VectorXd least = tau(read("{type: gravity_compensation, max_effort: 3}"), 0);
  EXPECT_LT((least - g.cwiseMax(-3).cwiseMin(3)).norm(), 1e-13);
  EXPECT_EQ(std::abs(least[0]), 3);
  s = read(
      "{type: pd, joints: [shoulder], stiffness: 1e6, reference: {shoulder: 1}, max_effort: "
      "limits}");
  EXPECT_EQ(tau(s, 0)[0], 40);
  // Before its delay is over a controller gives nothing.
  s = read("{type: gravity_compensation, period: 0.1, delay: 0.05}");
  EXPECT_EQ(tau(s, 0).norm(), 0);
  EXPECT_GT(tau(s, 0.05).norm(), 1);
  // A run that follows.
  s = read(
      "{type: computed_torque, frequency: 10, damping_ratio: 0.8, reference: {shoulder: {times: "
      "[0, "
      "0.5, 1], values: [0, 1, 0.5], ends: clamped}}}");
  Simulation follows(s);
  follows.run(path);
  EXPECT_NEAR(follows.state().q[0], 0.5, 1e-8);
  EXPECT_NEAR(follows.state().q[1], 0.2, 1e-8);
}

/// A recorded run is a reference: its columns are followed.
TEST_F(ScenarioControl, follows_columns_of_a_file) {
  std::ostringstream csv;
  csv << "t [s],q:shoulder [rad],\"q:elbow[0] [rad]\"\r\n";
  for (int i = 0; i <= 20; ++i) csv << i * 0.05 << "," << 0.1 * i * i << "," << -0.1 * i << "\r\n";
  write("ref.csv", csv.str());
  std::vector<fs::path> files;
  const std::string start =
      "{type: pd, joints: [shoulder], stiffness: 1, reference: {shoulder: {csv: ";
  const Scenario s = read(start + "ref.csv, column: q:shoulder}}}", &files);
  EXPECT_EQ(std::ranges::count(files, folder / "ref.csv"), 1);
  EXPECT_NEAR(tau(s, 0.5)[0], 10, 1e-12);
  EXPECT_NEAR(tau(read(start + "ref.csv, column: 'q:elbow[0] [rad]', time: t}}}"), 0.25)[0], -0.5,
              1e-12);
  EXPECT_NEAR(tau(read(start + "ref.csv, column: t, time: 'q:shoulder'}}}"), 0.9)[0], 0.15, 1e-12);

  refused(start + "ref.csv, column: q:sholder}}}",
          {"ref.csv", "no column 'q:sholder'", "q:shoulder"});
  refused(start + "none.csv, column: x}}}", {"none.csv"});
  refused(start + "ref.csv}}}", {"column"});
  write("short.csv", "t,x\n0,1\n0.5,2\n");
  refused(start + "short.csv, column: x}}}",
          {"short.csv", "ends at t = 0.5 s, before the run", "1 s"});
  write("late.csv", "t,x\n0.5,1\n1.5,2\n");
  refused(start + "late.csv, column: x}}}", {"late.csv", "begins at t = 0.5 s, after the run"});
  write("back.csv", "t,x\n0,1\n0.5,2\n0.4,2\n2,2\n");
  refused(start + "back.csv, column: x}}}", {"back.csv:4", "time goes backwards: 0.4 after 0.5"});
  write("odd.csv", "t,x\n0,1\n0.5\n");
  refused(start + "odd.csv, column: x}}}", {"odd.csv:3", "1 cells", "2"});
  write("word.csv", "t,x\n0,one\n");
  refused(start + "word.csv, column: x}}}", {"word.csv:2", "column 'x'", "'one'"});
  write("empty.csv", "t,x\n");
  refused(start + "empty.csv, column: x}}}", {"empty.csv", "no rows"});
}

TEST_F(ScenarioControl, that_makes_no_sense_is_refused) {
  refused("{type: pid}", {"controller 1", "no controller of type 'pid'", "pd"});
  refused("{stiffness: 3}", {"controller 1", "needs 'type'"});
  refused("{type: pd}", {"controller 1", "stiffness"});
  refused("{type: pd, stifness: 3}", {"stifness", "stiffness"});
  refused("{type: pd, stiffness: -3}", {"controller 1", "stiffness -3"});
  refused("{type: pd, stiffness: 3, joints: [sholder]}", {"sholder", "shoulder"});
  refused("{type: pd, stiffness: 3, joints: [elbow, elbow]}", {"given twice"});
  refused("{type: pd, stiffness: 3, joints: some}", {"list of joints, or all"});
  refused("{type: pd, stiffness: 3, joints: []}", {"joints is empty"});
  refused("{type: pd, stiffness: {shoulder: 3}}", {"stiffness of joint 'elbow' is missing"});
  refused("{type: pd, stiffness: 3, joints: [elbow], reference: {shoulder: 3}}",
          {"reference", "'shoulder' is not one of its joints"});
  refused("{type: pd, stiffness: 3, reference: 3}", {"reference is not a map"});
  refused("{type: pd, stiffness: 3, reference: {elbow: 3}}", {"'elbow'", "give a list of 2"});
  refused("{type: pd, stiffness: 3, reference: {elbow: [3]}}", {"'elbow'", "1 entries; give 2"});
  refused("{type: pd, stiffness: 3, reference: {shoulder: fast}}", {"'fast'", "amplitude"});
  refused("{type: pd, stiffness: 3, reference: {shoulder: {}}}", {"reference", "amplitude"});
  refused("{type: pd, stiffness: 3, reference: {shoulder: {times: [0, 0], values: [1, 2]}}}",
          {"do not increase"});
  refused("{type: pd, stiffness: 3, reference: {shoulder: {times: [0], values: [1], ends: loose}}}",
          {"ends", "natural"});
  refused("{type: pd, stiffness: 3, max_effort: limits}", {"'elbow'", "no limit of effort"});
  refused("{type: pd, stiffness: 3, max_effort: -1}", {"max_effort -1"});
  refused("{type: pd, stiffness: 3, period: 0}", {"period 0 is not positive"});
  refused("{type: pd, stiffness: 3, delay: 0.1}", {"a delay needs samples"});
  refused("{type: computed_torque}", {"frequency"});
  refused("{type: computed_torque, frequency: 1, damping_ratio: -1}", {"ratio -1"});
  refused("{type: gravity_compensation, gravity: true}", {"gravity"});
}

/// Stops at the limits of joints.
TEST_F(ScenarioControl, limits_may_be_stops) {
  write("arm.yaml", R"(chasles: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: weight, joint: {name: slide, type: prismatic, axis: [0, 0, 1], limits: {lower: -0.5, upper: 1}},
     inertia: {mass: 2, com: [0, 0, 0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
)");
  const auto with = [&](const std::string& limits) {
    return read_scenario(
        write("s.yaml", "chasles: 1\nmodel: arm.yaml\nduration: 3\nlimits: " + limits + "\n"));
  };
  const auto fallen = [&](const std::string& limits) {
    Simulation simulation(with(limits));
    Trajectory path;
    simulation.run(path);
    return simulation.state().q[0];
  };
  EXPECT_EQ(with("ignore").limits, LimitMode::ignore);
  EXPECT_NEAR(fallen("warn"), -9.81 * 9 / 2, 1e-9);
  EXPECT_NEAR(fallen("soft"), -0.5 - 9.81 * 1e-4, 1e-8);  // m g / (m / T^2)
  EXPECT_NEAR(fallen("{mode: soft, time: 0.02, damping_ratio: 0.5}"), -0.5 - 9.81 * 4e-4, 1e-8);
  EXPECT_NEAR(fallen("{mode: soft, stiffness: 1000, damping: 30, depth: 0.01}"), -0.51962, 1e-8);
  EXPECT_EQ(fallen("rigid"), -0.5);
  EXPECT_EQ(fallen("{mode: rigid, restitution: 0.5, rest_velocity: 0.01}"), -0.5);
  EXPECT_EQ(with("{mode: rigid, restitution: 0.5}").rigid.restitution, 0.5);
  EXPECT_SAYS(with("hard"), "s.yaml:4", "limits 'hard'");
  EXPECT_SAYS(with("{mode: rigid, restitution: 1.5}"), "s.yaml:4", "restitution 1.5", "0 to 1");
  EXPECT_SAYS(with("{mode: rigid, rest_velocity: 0}"), "s.yaml:4", "rest_velocity 0");
  EXPECT_SAYS(with("{mode: rigid, time: 1}"), "s.yaml:4", "time", "mode: soft");
  EXPECT_SAYS(with("{mode: soft, restitution: 0}"), "s.yaml:4", "restitution", "mode: rigid");
  EXPECT_SAYS(with("rigid\nintegrator: {method: verlet, step: 0.01}"), "verlet", "dop853");
  EXPECT_SAYS(with("{time: 1}"), "s.yaml:4", "limits", "mode");
  EXPECT_SAYS(with("{mode: warn, time: 1}"), "s.yaml:4", "mode: soft");
  EXPECT_SAYS(with("{mode: soft, time: 0}"), "s.yaml:4", "time 0");
  EXPECT_SAYS(with("{mode: soft, stiffness: -1}"), "s.yaml:4", "stiffness -1");
  EXPECT_SAYS(with("{mode: soft, stifness: 1}"), "s.yaml:4", "stiffness");
  const std::string friction = "warn\nforces: [{type: joint_friction, joint: slide, coulomb: ";
  EXPECT_EQ(fallen(friction + "20, stick: true}]"), 0);
  EXPECT_NEAR(fallen(friction + "10, stick: true}]"), -(9.81 - 5) * 9 / 2, 1e-9);
  EXPECT_EQ(fallen(friction + "10, stick: true, breakaway: 20}]"), 0);
  EXPECT_SAYS(with(friction + "10, breakaway: 20}]"), "s.yaml:5", "breakaway", "stick");
}

}  // namespace
}  // namespace chasles
