/// The law of maximal coordinates: what a scenario says is said about its own joints, so that it gives the same motion in
/// either coordinates, on either group, whatever it says.
#include <gtest/gtest.h>

#include "chasles/io/run_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "support/errors.hpp"
#include "support/scenario_files.hpp"

namespace chasles {
namespace {

/// Turns, slides and a ball; limits, damping and friction.
constexpr const char* jointed_arm = R"(chasles: 1
bodies:
  - {name: a, inertia: {mass: 2, com: [0.2, 0, 0], tensor: [0.02, 0, 0, 0.05, 0, 0.05]},
     joint: {name: shoulder, type: revolute, axis: [0, 1, 0],
             limits: {lower: -1, upper: 1.5, velocity: 3, effort: 2},
             dynamics: {damping: 0.1, friction: 0.05}}}
  - {name: b, parent: a, inertia: {mass: 1, com: [0.6, 0, 0], tensor: [0.01, 0, 0, 0.02, 0, 0.02]},
     joint: {name: elbow, type: revolute, axis: [0, 0, 1], point: [0.4, 0, 0], limits: {lower: -0.5, upper: 0.5}}}
  - {name: c, parent: b, inertia: {mass: 0.5, com: [0.8, 0, 0], tensor: [0.01, 0, 0, 0.01, 0, 0.01]},
     joint: {name: slide, type: prismatic, axis: [1, 0, 0]}}
  - {name: d, parent: c, inertia: {mass: 0.5, com: [1.1, 0, 0], tensor: [0.01, 0, 0, 0.02, 0, 0.01]},
     joint: {name: wrist, type: spherical, point: [0.9, 0, 0]}}
)";
constexpr const char* moving =
    "initial: {q: {shoulder: 0.3, elbow: -0.2, slide: 0.1}, v: {shoulder: 1, elbow: 2, slide: "
    "-0.3, "
    "wrist: [1, 0.5, -1]}}\n";

class AbsoluteScenario : public test::ScenarioFile {
 protected:
  struct Run {
    std::vector<SE3> poses;
    Summary summary;
    State state;
    std::string initial;
  };
  Run run_to_end(const std::string& text) {
    const Scenario scenario =
        read(text + "duration: 1\nintegrator: {method: dop853, tolerance: 1e-11}\n");
    Simulation simulation(scenario);
    Trajectory path;
    simulation.run(path);
    PositionKinematics kin(scenario.model);
    forward_kinematics(scenario.model, simulation.state().q, kin);
    Run run{{},
            simulation.summary(),
            simulation.state(),
            write_initial(simulation.scenario(), simulation.state())};
    for (const ModelBody& body : scenario.model.bodies())
      run.poses.push_back(pose(kin, scenario.model.frame(body.name)));
    return run;
  }
  void expect_same(const Run& a, const Run& b, double tolerance, const std::string& what) {
    SCOPED_TRACE(what);
    ASSERT_EQ(a.poses.size(), b.poses.size());
    for (std::size_t i = 0; i < a.poses.size(); ++i) {
      const Twist x = log(inverse(a.poses[i]) * b.poses[i]);
      EXPECT_LE(std::max(norm(x.w), norm(x.v)), tolerance) << "body " << i;
    }
    EXPECT_NEAR(a.state.t, b.state.t, tolerance);
    EXPECT_NEAR(a.summary.end.work, b.summary.end.work, 100 * tolerance);
    EXPECT_NEAR(a.summary.end.energy(), b.summary.end.energy(), 100 * tolerance);
    ASSERT_EQ(a.summary.events.size(), b.summary.events.size());
    for (std::size_t i = 0; i < a.summary.events.size(); ++i) {
      EXPECT_EQ(a.summary.events[i].name, b.summary.events[i].name);
      EXPECT_NEAR(a.summary.events[i].t, b.summary.events[i].t, 10 * tolerance);
    }
    ASSERT_EQ(a.summary.violations.size(), b.summary.violations.size());
    for (std::size_t i = 0; i < a.summary.violations.size(); ++i) {
      const Violation &x = a.summary.violations[i], &y = b.summary.violations[i];
      EXPECT_EQ(x.joint, y.joint);
      EXPECT_EQ(x.kind, y.kind);
      EXPECT_EQ(x.unit, y.unit);
      EXPECT_NEAR(x.first, y.first, 1e-6) << x.text();  // found by bisection on other interpolants
      EXPECT_NEAR(x.worst, y.worst,
                  2e-3 * std::abs(x.worst));  // looked for at the steps, which differ
    }
  }
  void same_in_both(const std::string& text, double tolerance = 1e-9) {
    const Run relative = run_to_end(text);
    for (const char* group : {"se3", "so3xr3", "auto"})
      expect_same(relative, run_to_end(text + "coordinates: maximal\ngroup: " + group + "\n"),
                  tolerance, text + group);
  }
  void SetUp() override {
    ScenarioFile::SetUp();
    write("arm.yaml", jointed_arm);
  }
};

TEST_F(AbsoluteScenario, every_force_on_joints_acts) {
  const std::string list[] = {
      "joint_dynamics: true\n",
      "joint_dynamics: false\nforces: [{type: joint_spring_damper, joint: elbow, stiffness: 20, "
      "damping: 0.2, rest: 0.3}, {type: joint_spring_damper, joint: wrist, stiffness: 2, damping: "
      "0.1}]\n",
      "forces: [{type: joint_friction, joint: elbow, viscous: 0.1, coulomb: 0.5, velocity: 0.1}]\n",
      "forces: [{type: pd_hold, joint: shoulder, stiffness: 100, damping: 10, target: {amplitude: "
      "0.2, frequency: 1}}]\n",
      "forces: [{type: joint_torque, joint: shoulder, value: {amplitude: 5, frequency: 1}}, {type: "
      "joint_torque, joint: elbow, value: {times: [0, 0.3, 0.3, 1], values: [0, 1, -1, 0]}}, "
      "{type: "
      "joint_torque, joint: wrist, value: [0.1, 0, -0.2]}]\n"};
  for (const std::string& text : list) same_in_both(moving + text);
}

TEST_F(AbsoluteScenario, every_force_on_bodies_acts) {
  same_in_both(std::string(moving) +
               "forces: [{type: body_wrench, body: c, wrench: [0, 0, 0, 0, {amplitude: 3, "
               "frequency: 2}, 0]}, {type: point_spring_damper, a: {body: c}, b: {body: ground}, "
               "stiffness: 10, damping: 1, length: 0.1}]\n");
  same_in_both(std::string(moving) +
               "contacts: [{sphere: {body: c, radius: 0.1, center: [0.8, 0, 0]}, against: {plane: "
               "{point: [0, 0, -0.6]}}, stiffness: 1e4, dissipation: 1}]\n");
}

TEST_F(AbsoluteScenario, every_controller_acts) {
  const std::string list[] = {
      "{type: pd, joints: [shoulder, elbow], stiffness: 100, damping: 10, gravity: true, "
      "max_effort: 8}",
      "{type: pd, joints: [shoulder, slide], stiffness: 50, damping: 5, period: 0.01, delay: "
      "0.005}",
      "{type: computed_torque, joints: [shoulder, elbow], frequency: 10, reference: {shoulder: "
      "{amplitude: 0.3, frequency: 1}}}",
      "{type: gravity_compensation}"};
  // Friction turns over within a step or two, whose errors may be beyond the tolerance.
  for (const std::string& text : list) same_in_both(moving + ("control: [" + text) + "]\n", 1e-7);
}

TEST_F(AbsoluteScenario, limits_are_there) {
  same_in_both(std::string(moving) + "limits: warn\n");
  EXPECT_GE(run_to_end(std::string(moving) + "coordinates: maximal\n").summary.violations.size(),
            2u);
  same_in_both(std::string(moving) + "limits: ignore\n");
  // Stops are not smooth: steps that pass them have errors beyond the tolerance.
  same_in_both(std::string(moving) + "limits: {mode: soft, time: 0.02}\n", 1e-7);
  refused(std::string(moving) + "limits: rigid\ncoordinates: maximal\nduration: 1\n", 4,
          {"rigid", "soft", "minimal"});
}

TEST_F(AbsoluteScenario, events_are_those_of_joints) {
  same_in_both(
      std::string(moving) +
      "events: [{when: joint elbow, crosses: 0.1, do: log}, {name: rate, when: {joint: "
      "slide, of: velocity}, crosses: 0.5, do: log}, {name: turned, when: {joint: wrist, "
      "coordinate: 2}, crosses: 0.1, do: log}, {name: low, when: frame b z, crosses: -0.5, do: "
      "{set_velocity: {elbow: 0}}}, {name: end, when: joint shoulder, crosses: 1.4, "
      "direction: up, do: stop}]\n");
  refused(std::string(moving) +
              "coordinates: maximal\nduration: 1\nevents: [{when: joint elbow, crosses: 0.1, "
              "direction: up, "
              "do: {impact: 0.5}}]\n",
          6, {"impact", "minimal"});
}

TEST_F(AbsoluteScenario, angles_count_turns) {
  const std::string spin =
      "gravity: [0, 0, 0]\njoint_dynamics: false\ninitial: {q: {shoulder: 7}, v: {shoulder: "
      "12}}\nforces: "
      "[{type: joint_spring_damper, joint: shoulder, stiffness: 0.5, rest: 0.3}, {type: "
      "joint_spring_damper, joint: slide, stiffness: 500}]\nevents: [{when: joint shoulder, "
      "crosses: 14, do: log}]\n";
  same_in_both(spin);
  EXPECT_EQ(run_to_end(spin + "coordinates: maximal\n").summary.events.size(), 1u);
}

/// Cranks in a plane, closed by a ball.
constexpr const char* four_bar = R"(chasles: 1
bodies:
  - {name: crank, joint: {name: A, type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0, 0, 0.1], tensor: [0.01, 0, 0, 0.01, 0, 0.01]}}
  - {name: coupler, parent: crank, joint: {name: B, type: revolute, axis: [0, 1, 0], point: [0, 0, 0.2]}, inertia: {mass: 1, com: [0.3, 0, 0.35], tensor: [0.01, 0, 0, 0.03, 0, 0.03]}}
  - {name: rocker, joint: {name: D, type: revolute, axis: [0, 1, 0], point: [0.6, 0, 0]}, inertia: {mass: 1, com: [0.6, 0, 0.25], tensor: [0.02, 0, 0, 0.02, 0, 0.01]}}
loops:
  - {name: C, bodies: [coupler, rocker], type: spherical, point: [0.6, 0, 0.5]}
)";

TEST_F(AbsoluteScenario, loops_stay_closed_or_open) {
  write("arm.yaml", four_bar);
  const std::string text =
      "initial: {v: {A: 2}}\nforces: [{type: joint_spring_damper, joint: D, stiffness: 5, damping: "
      "0.1}]\nevents: [{when: joint D, crosses: 0.1, do: {set_velocity: {A: 1}}}]\n";
  same_in_both(text);
  same_in_both(text + "loops: open\n");  // once the joints were open, too
}

/// Where the start is not unique: a four-bar that is given by its crank only, a point that is not in its plane yet.
TEST_F(AbsoluteScenario, undetermined_starts_are_the_same) {
  same_in_both(
      "initial: {q: {slide: 0.1}, v: {elbow: 1}}\nconstraints: [{type: point_on_plane, body: d, "
      "point: [1, 0, 0], plane: {point: [0, 0, 0.1]}}]\n");
  write("arm.yaml", four_bar);
  const std::string start = "initial: {q: {A: 0.4}}\n";
  same_in_both(start + "control: [{type: pd, stiffness: 50, damping: 1}]\n");
  // A rod of the length that it has there.
  same_in_both(start +
               "constraints: [{type: distance, a: {body: coupler}, b: {body: ground, point: "
               "[0.2, 0.1, 1]}}]\n");
}

/// Controllers hold the initial configuration, which is the closed one.
TEST_F(AbsoluteScenario, references_are_those_of_the_closed_start) {
  write("arm.yaml", four_bar);
  const Run run = run_to_end(
      "gravity: [0, 0, 0]\ninitial: {q: {A: 0.4}}\ncontrol: [{type: pd, stiffness: 50, damping: "
      "1}]\n");
  EXPECT_NEAR(run.state.q[0], 0.4, 1e-9);
  EXPECT_LE(run.state.v.norm(), 1e-9);
}

TEST_F(AbsoluteScenario, custom_joints_stay_on_their_branch) {
  // Poses that such joints can reach in two ways are passed on the way: the run once left by the other one.
  write("arm.yaml", R"(chasles: 1
bodies:
  - {name: a, inertia: {mass: 2, com: [0.2, 0, 0], tensor: [0.02, 0, 0, 0.05, 0, 0.05]},
     joint: {name: j, type: custom, parameterization: product, screws: [{axis: [0.052, -1.043, -0.067], point: [0.358, -0.434, 0.295], pitch: -0.014},
       {axis: [-1.892, -1.093, -0.813], point: [-0.007, 0.015, -0.416], pitch: 0.246},
       {axis: [1.812, -0.197, 0.704], point: [-0.149, -0.081, -0.637]},
       {axis: [-0.454, 0.080, -1.258], point: [0.166, 0.668, -0.407]},
       {axis: [0.515, -0.582, 0.428], point: [-0.356, 0.477, 0.042], pitch: 0.195}]}}
  - {name: b, parent: a, inertia: {mass: 1, com: [0.6, 0, 0], tensor: [0.01, 0, 0, 0.02, 0, 0.02]},
     joint: {name: k, type: revolute, axis: [0, 0, 1], point: [0.4, 0, 0]}}
)");
  same_in_both(
      "initial: {q: {j: [0.448, 1.312, -0.667, 0.921, 0.815]}, v: {j: [-1.748, 1.668, -1.113, "
      "1.213, -1.430]}}\n",
      1e-8);
}

TEST_F(AbsoluteScenario, messages_speak_of_joints) {
  refused(
      "duration: 1\ncoordinates: maximal\nforces: [{type: joint_torque, joint: elbo, value: 1}]\n",
      5, {"'elbo'", "'elbow'"});
  refused("duration: 1\ncoordinates: maximal\nintegrator: {scales: {elbow: 0.1}}\n", 5,
          {"'elbow'", "bodies"});
  refused("duration: 1\ncoordinates: maximal\nrecord: {quantities: [motor_torque]}\n", 5,
          {"motor_torque", "minimal"});
  // What is printed to go on from is what `initial` takes.
  const std::string text = std::string(moving) + "coordinates: maximal\n";
  const Run first = run_to_end(text);
  EXPECT_NE(first.initial.find("shoulder: ["), std::string::npos) << first.initial;
  const Scenario next = read(first.initial + "coordinates: maximal\nduration: 1\n");
  EXPECT_LE((next.start.q - first.state.q).lpNorm<Eigen::Infinity>(), 1e-11);
  EXPECT_LE((next.start.v - first.state.v).lpNorm<Eigen::Infinity>(), 1e-9);
}

/// An arm turns beside a heavy body at rest: group auto takes SE(3) for it. A run that continues another keeps the
/// groups of that, bit for bit; a table does not tell them, and what does not fit is refused.
TEST_F(AbsoluteScenario, groups_beside_a_body_that_hardly_moves) {
  const std::string model = R"(chasles: 1
gravity: [0, 0, 0]
bodies:
  - {name: hub, inertia: {mass: 1000, tensor: [600, 0, 0, 700, 0, 800]}, joint: {name: base, type: floating}}
  - {name: arm, parent: hub, pose: {xyz: [1.5, 0, 0]}, inertia: {mass: 1, tensor: [0.01, 0, 0, 0.3, 0, 0.3]},
     joint: {name: hinge, type: revolute, axis: [0, 0, 1], point: [1, 0, 0]}}
)";
  write("arm.yaml", model);
  const std::string rest =
      "coordinates: maximal\nintegrator: {method: mk4, step: 0.01}\nstabilization: none\n";
  const std::string turning = "initial: {v: {hinge: 3}}\n";
  const auto group = [](const Scenario& run) { return run.model.joint("arm").group; };
  const Scenario whole = read("duration: 2\n" + rest + turning);
  EXPECT_EQ(group(whole), FloatingGroup::se3);
  EXPECT_EQ(whole.model.joint("hub").group, FloatingGroup::so3xr3);
  for (const char* other :
       {"duration: 2\ninitial: {v: {hinge: 3, base: [0, 0, 0, 9, 0, 0]}}\n",
        "duration: 2\ngroup: so3xr3\ninitial: {v: {hinge: 3}}\n",
        "duration: 2\ngroup: {arm: so3xr3}\ninitial: {v: {hinge: 3}}\n", "duration: 2\n"})
    EXPECT_EQ(group(read(other + rest)), FloatingGroup::so3xr3) << other;

  Trajectory path;
  Simulation run(whole);
  run.run(path);
  const Scenario half = read("duration: 1\n" + rest + turning);
  for (const char* name : {"run.json", "run.csv"})
    Simulation(half).run(*make_run_file(folder / name));
  const Scenario second = read("duration: 1\ninitial: {from: run.json}\n" + rest);
  EXPECT_EQ(group(second), FloatingGroup::se3);
  Simulation continued(second);
  continued.run(path);
  EXPECT_EQ(continued.state().q, run.state().q);
  EXPECT_EQ(continued.state().v, run.state().v);
  EXPECT_SAYS(read("duration: 1\ninitial: {from: run.csv}\n" + rest),
              "its velocities do not fit the joints", "continue from the .json of that run");
  Simulation given(read("duration: 1\ngroup: {arm: se3}\ninitial: {from: run.csv}\n" + rest));
  given.run(path);
  EXPECT_LT((given.state().q - run.state().q).norm(), 1e-9);  // it starts without the drift so far
}

}  // namespace
}  // namespace chasles
