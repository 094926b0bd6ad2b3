/// Scenario files: what they say.
#include <gtest/gtest.h>

#include <ctime>

#include "chasles/io/run_file.hpp"
#include "support/errors.hpp"
#include "support/scenario_files.hpp"

namespace chasles {
namespace {

using test::ScenarioFile;

TEST_F(ScenarioFile, may_ask_for_momentum_form_and_keep_invariants) {
  write("arm.yaml", R"(chasles: 1
bodies:
  - {name: ball, joint: {name: base, type: floating},
     inertia: {mass: 1, com: [0, 0, 0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
)");
  const std::string method =
      "gravity: [0, 0, 0]\ninitial: {v: {base: [0.1, 0, 0, 0, 0, 1]}}\n"
      "duration: 1\nintegrator: {method: mk8, step: 0.1, ";
  EXPECT_TRUE(read(method + "momentum_form: true}").integrator.momentum_form);
  const Scenario s = read(method + "keep_invariants: true}");
  EXPECT_TRUE(s.integrator.keep_invariants);
  EXPECT_FALSE(s.integrator.momentum_form);
  refused(method + "keep_invariants: much}", 6, {"keep_invariants"});
  // Forces once were erased to keep what they change.
  EXPECT_SAYS(
      Simulation(read(method + "keep_invariants: true}\nforces: [{type: body_wrench, body: ball, "
                               "wrench: [1, 0, 0, 0, 0, 0]}]\n")),
      "keep_invariants", "forces act");
}

TEST_F(ScenarioFile, may_give_a_tableau_or_a_composition) {
  const auto end = [&](const std::string& integrator) {
    Simulation run(read("duration: 0.5\nintegrator: {" + integrator + "}\n"));
    return State(run.step(0.5));
  };
  const State want = end("method: mk2, step: 0.1");
  const State given = end("step: 0.1, tableau: {order: 2, a: [[1]], b: [1/2, 0.5], c: [0, 1]}");
  EXPECT_EQ(given.q, want.q);
  EXPECT_EQ(given.v, want.v);
  // Heun and Euler as a pair.
  const Scenario pair = read(
      "duration: 1\nintegrator: {tolerance: 1e-4, tableau: {name: heun_euler, order: 2, a: [[], "
      "[1]], "
      "b: [1/2, 1/2], b_estimate: [1, 0], estimate_order: 1}}\n");
  EXPECT_EQ(method_info(pair.integrator).name, "heun_euler");
  EXPECT_TRUE(method_info(pair.integrator).adaptive);
  const Scenario composed = read(
      "duration: 1\nintegrator: {method: variational, step: 0.1, order: 6, composition: "
      "yoshida}\n");
  EXPECT_EQ(composed.integrator.composition, Composition::yoshida);
  EXPECT_EQ(composed.integrator.order, 6);
}

TEST_F(ScenarioFile, says_everything) {
  const Scenario s = read(R"(
name: reach
gravity: [0, 0, -1]
initial:
  q: {wrist: [0, 0, 1, 0], shoulder: pi/2}
  v: {wrist: [1, 2, 3]}
coordinates: minimal
integrator: {method: mk4, step: 0.05}
duration: 2
forces:
  - {type: joint_spring_damper, joint: shoulder, stiffness: 10, damping: 0.1, rest: 0.5}
  - {type: joint_spring_damper, joint: wrist, stiffness: 1, rest: [0, 1, 0, 0]}
  - {type: joint_friction, joint: wrist, viscous: 0.1, coulomb: 0.2, velocity: 0.01}
  - {type: pd_hold, joint: shoulder, stiffness: 5, damping: 1, target: {times: [0, 1], values: [0, 2]}}
  - {type: joint_torque, joint: wrist, value: [1, {amplitude: 2, frequency: 1, phase: 0.1, offset: 3}, 0]}
  - {type: body_wrench, body: hand, wrench: [0, 0, 0, 1, 2, 3], representation: body, point: [0, 0, 1]}
  - {type: point_spring_damper, a: {body: hand, point: [0, 0, 1]}, b: {body: ground}, stiffness: 3, length: 1}
record: {every: 0.5, quantities: [energy, q, pose:hand, a, tau, reaction:wrist]}
)");
  EXPECT_EQ(s.name, "reach");
  EXPECT_EQ(s.model.gravity().z, -1);
  EXPECT_EQ(s.start.t, 0);
  EXPECT_EQ(s.start.q, (Eigen::VectorXd{{M_PI / 2, 0, 0, 1, 0}}));
  EXPECT_EQ(s.start.v, (Eigen::VectorXd{{0, 1, 2, 3}}));
  EXPECT_EQ(s.integrator.method, "mk4");
  EXPECT_EQ(s.integrator.step, 0.05);
  EXPECT_EQ(s.duration, 2);
  EXPECT_EQ(s.forces.list().size(), 7u);
  EXPECT_EQ(s.every, 0.5);
  EXPECT_EQ(s.quantities.size(), 6u);

  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.start.q, s.start.v, kin);
  JointForces out{Eigen::VectorXd::Zero(4), {}};
  s.forces.apply(0.25, kin, out);
  EXPECT_NEAR(out.tau[0], -10 * (M_PI / 2 - 0.5) - 5 * (M_PI / 2 - 0.5), 1e-13);
  EXPECT_EQ(out.wrenches.size(), 3u);
}

/// Damping and friction of the model act, unless the scenario says no.
TEST_F(ScenarioFile, has_the_dynamics_of_the_joints) {
  write("arm.yaml", R"(chasles: 1
bodies:
  - {name: arm, joint: {name: shoulder, type: revolute, axis: [0, 1, 0],
       dynamics: {damping: 0.5, friction: 0.1}},
     inertia: {mass: 1, com: [0, 0, 0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
)");
  EXPECT_EQ(Simulation(read("duration: 1\n")).scenario().forces.list().size(), 1u);
  EXPECT_TRUE(Simulation(read("duration: 1\njoint_dynamics: false\n")).scenario().forces.empty());
  refused("duration: 1\njoint_dynamics: 3\n", 4, {"joint_dynamics '3' is not known"});
}

/// One default for wrenches: in C++, in scenarios, in states.
TEST_F(ScenarioFile, wrenches_are_hybrid_by_default) {
  const Scenario s = read(
      "duration: 1\nforces:\n"
      "  - {type: body_wrench, body: hand, wrench: [1, 2, 3, 4, 5, 6]}\n");
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.start.q, s.start.v, kin);
  JointForces out{Vector(s.model.nv()), {}};
  s.forces.apply(0, kin, out);
  EXPECT_EQ(out.wrenches.at(0).representation, Representation::hybrid);
  EXPECT_EQ(AppliedWrench{}.representation, Representation::hybrid);
}

TEST_F(ScenarioFile, needs_little) {
  const Scenario s = read("duration: 1\n");
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.integrator.method, "auto");
  EXPECT_EQ(s.start.q, (Eigen::VectorXd{{0, 1, 0, 0, 0}}));
  EXPECT_EQ(s.model.gravity().z, -9.81);
  EXPECT_TRUE(s.forces.empty());
}

TEST_F(ScenarioFile, takes_integrator_options) {
  const Scenario s = read(
      "duration: 1\n"
      "integrator: {method: dop853, tolerance: 1e-7, max_step: 0.1, first_step: 0.01, "
      "chart: cayley}\n");
  EXPECT_EQ(s.integrator.tolerance, 1e-7);
  EXPECT_EQ(s.integrator.max_step, 0.1);
  EXPECT_EQ(s.integrator.first_step, 0.01);
  EXPECT_FALSE(s.integrator.step);
  EXPECT_EQ(s.integrator.chart, Chart::cayley);
  const Scenario scaled =
      read("duration: 1\nintegrator: {scales: {wrist: [1, 2, 0.5], shoulder: 0.1}}\n");
  EXPECT_EQ(scaled.integrator.scales, (Eigen::VectorXd{{0.1, 1, 2, 0.5}}));
  EXPECT_EQ(read("duration: 1\nintegrator: {scales: {shoulder: 0.1}}\n").integrator.scales,
            (Eigen::VectorXd{{0.1, 1, 1, 1}}));
}

/// The work is linear in the file: many joints, many forces.
TEST_F(ScenarioFile, of_many_joints_is_read_at_once) {
  std::string model = "chasles: 1\nbodies:\n", initial = "initial:\n  q:\n", forces = "forces:\n";
  for (int i = 0; i < 20'000; ++i) {
    const std::string n = std::to_string(i);
    model += "  - {name: b" + n + ", joint: {name: j" + n + ", type: revolute, axis: [0, 1, 0]}, " +
             "inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}}\n";
    initial += "    j" + n + ": 0.5\n";
    forces += "  - {type: joint_torque, joint: j" + n + ", value: 1}\n";
  }
  write("arm.yaml", model);
  const std::clock_t start = std::clock();  // of this process, whatever else runs
  EXPECT_EQ(read("duration: 1\n" + initial + forces).start.q[19'999], 0.5);
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
}

TEST_F(ScenarioFile, run_files_are_opened_before_the_run) {
  EXPECT_THROW(make_run_file(folder / "none" / "run.csv"), Error);
  EXPECT_THROW(make_run_file(folder), Error);
  EXPECT_THROW(make_run_file(folder / "run.txt"), Error);
}

TEST_F(ScenarioFile, examples_run) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    const Scenario s = read_scenario(entry.path());
    Simulation simulation(s);
    Trajectory path;
    simulation.run(path);
    EXPECT_EQ(path.states.back().t, s.duration) << entry.path();
    const Summary summary = simulation.summary();
    EXPECT_LT(summary.worst.energy, 1e-7 * (10 + std::abs(summary.start.energy()))) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3);
}

}  // namespace
}  // namespace chasles
