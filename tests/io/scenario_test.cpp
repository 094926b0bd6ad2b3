/// Scenario files: what they say, and every way to say it wrong, with the place.
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "chasles/io/run_file.hpp"
#include "chasles/io/scenario_file.hpp"
#include "support/arm.hpp"

namespace chasles {
namespace {

namespace fs = std::filesystem;

class ScenarioFile : public ::testing::Test {
 protected:
  fs::path folder =
      fs::temp_directory_path() / ("chasles_scenario_test_" + std::to_string(getpid()));
  void SetUp() override {
    fs::create_directories(folder);
    write("arm.yaml", test::arm_yaml);
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Scenario read(const std::string& rest) {
    return read_scenario(write("s.yaml", "chasles: 1\nmodel: arm.yaml\n" + rest));
  }
  /// The message begins with the file and the line.
  void refused(const std::string& rest, int line, std::initializer_list<const char*> parts) {
    try {
      read(rest);
      ADD_FAILURE() << "no error: " << rest;
    } catch (const Error& error) {
      const std::string text = error.what();
      const std::string place = (folder / "s.yaml").string() + ":" + std::to_string(line) + ":";
      EXPECT_EQ(text.rfind(place, 0), 0u) << text << "\n" << place;
      for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
};

TEST_F(ScenarioFile, may_ask_for_momentum_form_and_keep_invariants) {
  write("arm.yaml", R"(chasles: 1
bodies:
  - {name: ball, joint: {name: base, type: free},
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
  refused(method +
              "keep_invariants: true}\nforces: [{type: body_wrench, body: ball, wrench: [1, 0, 0, "
              "0, 0, 0]}]\n",
          1, {"keep_invariants", "forces act"});
}

TEST_F(ScenarioFile, says_everything) {
  const Scenario s = read(R"(
name: reach
gravity: [0, 0, -1]
initial:
  q: {wrist: [0, 0, 1, 0], shoulder: pi/2}
  v: {wrist: [1, 2, 3]}
coordinates: relative
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
  velocities(s.model, s.start.q, s.start.v, kin);
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
  velocities(s.model, s.start.q, s.start.v, kin);
  JointForces out{Vector(s.model.nv()), {}};
  s.forces.apply(0, kin, out);
  EXPECT_EQ(out.wrenches.at(0).representation, Representation::hybrid);
  EXPECT_EQ(AppliedWrench{}.representation, Representation::hybrid);
}

TEST_F(ScenarioFile, needs_little) {
  const Scenario s = read("duration: 1\n");
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.integrator.method, "dop853");
  EXPECT_EQ(s.start.q, (Eigen::VectorXd{{0, 1, 0, 0, 0}}));
  EXPECT_EQ(s.model.gravity().z, -9.81);
  EXPECT_TRUE(s.forces.empty());
}

TEST_F(ScenarioFile, takes_integrator_options) {
  const Scenario s = read(
      "duration: 1\n"
      "integrator: {method: dop853, tolerance: 1e-7, max_step: 0.1, first_step: 0.01, "
      "coordinates: cayley}\n");
  EXPECT_EQ(s.integrator.tolerance, 1e-7);
  EXPECT_EQ(s.integrator.max_step, 0.1);
  EXPECT_EQ(s.integrator.first_step, 0.01);
  EXPECT_FALSE(s.integrator.step);
  EXPECT_EQ(s.integrator.coordinates, LocalCoordinates::cayley);
  const Scenario scaled =
      read("duration: 1\nintegrator: {scales: {wrist: [1, 2, 0.5], shoulder: 0.1}}\n");
  EXPECT_EQ(scaled.integrator.scales, (Eigen::VectorXd{{0.1, 1, 2, 0.5}}));
  EXPECT_EQ(read("duration: 1\nintegrator: {scales: {shoulder: 0.1}}\n").integrator.scales,
            (Eigen::VectorXd{{0.1, 1, 1, 1}}));
}

TEST_F(ScenarioFile, refuses_bad_keys_and_times) {
  refused("duraton: 1\n", 3, {"unknown key 'duraton'", "did you mean 'duration'"});
  refused("", 1, {"needs 'duration'"});
  refused("duration: 0\n", 3, {"duration 0 is not positive"});
  refused("duration: -1\n", 3, {"duration -1 is not positive"});
  refused("duration: .nan\n", 3, {"duration '.nan' is not a finite number"});
  refused("duration: soon\n", 3, {"'soon' is not a finite number"});
  refused("duration: 1\nrecord: {every: 0}\n", 4, {"every 0 is not positive"});
  refused("duration: 1\nrecord: {every: 1e-12}\n", 1, {"more than 1e9"});
  refused("duration: 1\nrecord: {evry: 1}\n", 4, {"did you mean 'every'"});
  refused("duration: 1\nrecord: {quantities: [enrgy]}\n", 4, {"did you mean 'energy'"});
  refused("duration: 1\nrecord: {quantities: ['pose:hnd']}\n", 4, {"did you mean 'hand'"});
  refused("duration: 1\nrecord: {quantities: ['jerk:hand:body']}\n", 4,
          {"'jerk:hand:body'", "a run does not have"});
  refused("duration: 1\nrecord: {quantities: ['reaction:wirst']}\n", 4, {"did you mean 'wrist'"});
  refused("duration: 1\nrecord: {quantities: [[1]]}\n", 4, {"give names"});
  refused("duration: 1\nrecord:\n  quantities: [energy, com,\n    energy]\n", 6,
          {"'energy' is given twice"});
  refused("duration: 1\nrecord: {quantities: [xyzzy]}\n", 4,
          {"give q, v, a, tau,", " or jacobian_rate"});
  refused("duration: 1\nintegrator: {method: xyzzy}\n", 4, {"give euler, rk4,", " or rattle"});
  refused("duration: 1\nforces: [{type: xyzzy}]\n", 4,
          {"give joint_spring_damper, joint_friction,", " or point_spring_damper"});
  refused("duration: 1\nxyzzy: 1\n", 4, {"give chasles, name, model,", " or record"});
}

TEST_F(ScenarioFile, refuses_a_bad_model) {
  const auto message = [&](const std::string& text) -> std::string {
    try {
      read_scenario(write("m.yaml", text));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(
      message("chasles: 1\nduration: 1\nmodel: leg.yaml\n").find("m.yaml:3:8: scenario: model"),
      std::string::npos);
  EXPECT_NE(message("chasles: 1\nduration: 1\nmodel: leg.yaml\n")
                .find("leg.yaml': there is no such file"),
            std::string::npos);
  EXPECT_NE(message("chasles: 1\nduration: 1\n").find("needs 'model'"), std::string::npos);
  EXPECT_NE(message("chasles: 2\nduration: 1\nmodel: arm.yaml\n").find("version 2"),
            std::string::npos);
  EXPECT_NE(message("duration: 1\nmodel: arm.yaml\n").find("begin the file with 'chasles: 1'"),
            std::string::npos);
  EXPECT_NE(
      message("chasles: 1\nduration: 1\nmodel: arm.yaml\nfloating_base: true\n").find("URDF only"),
      std::string::npos);
  EXPECT_THROW(read_scenario(folder / "none.yaml"), Error);
}

TEST_F(ScenarioFile, refuses_bad_coordinates_and_stabilisation) {
  refused("duration: 1\ncoordinates: relativ\n", 4, {"did you mean 'relative'"});
  refused("duration: 1\ngroup: se3\n", 4, {"of coordinates: absolute"});
  refused("duration: 1\ncoordinates: absolute\ngroup: se(3)\n", 5, {"'se(3)'"});
  refused("duration: 1\ncoordinates: absolute\ngroup: {uper: se3}\n", 5, {"did you mean 'upper'"});
  refused("duration: 1\ncoordinates: absolute\ngroup: {upper: so3}\n", 5, {"'upper'", "'so3'"});
  refused("duration: 1\nstabilisation: baumgarte\n", 4, {"{baumgarte: [alpha, beta]}"});
  refused("duration: 1\nstabilisation: {baumgarte: [1]}\n", 4, {"has 1 numbers; give 2"});
  refused("duration: 1\nstabilisation: {baumgarte: [1, -1]}\n", 4, {"-1", "negative"});
  refused("duration: 1\nloops: shut\n", 4, {"'shut'"});
}

TEST_F(ScenarioFile, refuses_a_bad_start) {
  refused("duration: 1\ninitial: {q: {sholder: 1}}\n", 4, {"'sholder'", "did you mean 'shoulder'"});
  refused("duration: 1\ninitial:\n  q:\n    wrist: [1, 1, 0, 0]\n", 6, {"'wrist'", "quaternion"});
  refused("duration: 1\ninitial: {q: {wrist: [1, 0, 0]}}\n", 4, {"has 3 numbers; give 4"});
  refused("duration: 1\ninitial: {q: {wrist: 1}}\n", 4, {"give 4 numbers in a list"});
  refused("duration: 1\ninitial: {q: {shoulder: .inf}}\n", 4, {"not a finite number"});
  refused("duration: 1\ninitial: {v: {wrist: [1]}}\n", 4, {"v of joint 'wrist'", "give 3"});
  refused("duration: 1\ninitial: {v: 3}\n", 4, {"v is not a map"});
  refused("duration: 1\ninitial: {p: {}}\n", 4, {"unknown key 'p'"});
  refused("duration: 1\ninitial: {at: 1}\n", 4, {"give it with from"});
}

TEST_F(ScenarioFile, refuses_a_bad_integrator) {
  const auto integrator = [&](const std::string& map, std::initializer_list<const char*> parts) {
    refused("duration: 1\nintegrator: {" + map + "}\n", 4, parts);
  };
  integrator("method: dopp853", {"'dopp853'", "did you mean 'dop853'"});
  integrator("method: mk4", {"mk4", "give step"});
  integrator("method: mk4, step: 0", {"step 0 is not positive"});
  integrator("method: mk4, step: -0.1", {"step -0.1 is not positive"});
  integrator("method: mk4, step: 0.1, tolerance: 1e-3",
             {"mk4 does not use 'tolerance'", "fixed steps", "it takes step, coordinates"});
  integrator("method: mk4, step: 0.1, max_step: 0.2", {"mk4 does not use 'max_step'"});
  integrator("method: mk4, step: 0.1, first_step: 0.2", {"mk4 does not use 'first_step'"});
  integrator("method: mk4, step: 0.1, scales: {shoulder: 1}", {"mk4 does not use 'scales'"});
  integrator("method: mk4, step: 0.1, order: 4", {"mk4 does not use 'order'"});
  integrator("method: dop853, order: 8", {"dop853 does not use 'order'", "tolerance"});
  integrator("method: dop853, step: 0.1", {"dop853 does not use 'step'", "first_step"});
  integrator("scales: {shouder: 1}", {"did you mean 'shoulder'"});
  integrator("scales: {shoulder: 0}", {"a scale is 0"});
  integrator("scales: {wrist: [1, 1]}", {"scales of joint 'wrist' has 2 numbers; give 3"});
  integrator("tolerance: 1e-16", {"tolerance 1e-16 is out of range"});
  integrator("tolerance: 0", {"tolerance 0 is out of range"});
  integrator("max_step: -1", {"max_step -1 is not positive"});
  integrator("method: abm, step: 0.1, order: 2.5", {"order 2.5 is not an order"});
  integrator("coordinates: caylee", {"did you mean 'cayley'"});
  integrator("method: cf4, step: 0.1, coordinates: cayley", {"cf4 does not use 'coordinates'"});
  integrator("metod: mk4", {"did you mean 'method'"});
}

TEST_F(ScenarioFile, refuses_bad_forces) {
  const auto force = [&](const std::string& map, std::initializer_list<const char*> parts) {
    refused("duration: 1\nforces:\n  - {" + map + "}\n", 5, parts);
  };
  force("type: joint_sprng_damper", {"force 1", "did you mean 'joint_spring_damper'"});
  const std::initializer_list<const char*> choices = {
      "joint_spring_damper", "joint_friction", "pd_hold",
      "joint_torque",        "body_wrench",    "point_spring_damper"};
  force("type: motor", choices);
  force("joint: shoulder", choices);
  force("joint: shoulder", {"needs 'type'"});
  force("type: joint_torque, joint: shoulder, value: square",
        {"value 'square' is no signal", "{amplitude, frequency, phase, offset}", "{times: [..]"});
  force("type: joint_torque, joint: shoulder, value: {}", {"is empty", "{times: [..]"});
  force("type: joint_torque, joint: shoulder, value: {wave: 1}", {"amplitude, frequency, phase"});
  force("type: joint_torque, joint: shoulder, size: 1", {"unknown key 'size'", "joint or value"});
  force("type: joint_spring_damper, joint: shoulder, stiffness: -1",
        {"spring and damper of joint 'shoulder'", "stiffness -1 is negative"});
  force("type: joint_spring_damper, joint: shoulder, damping: -0.5", {"damping -0.5 is negative"});
  force("type: joint_friction, joint: shoulder, coulomb: -0.5", {"coulomb -0.5 is negative"});
  force("type: pd_hold, joint: shoulder, stiffness: -2, target: 0", {"stiffness -2 is negative"});
  force("type: point_spring_damper, a: {body: hand}, b: {body: ground}, damping: -3",
        {"damping -3 is negative"});
  refused("duration: 1\nwind: 3\n", 4, {"unknown key 'wind'", "forces", "joint_dynamics"});
  force("type: joint_torque, joint: shoulder", {"needs 'value'"});
  force("type: joint_torque, joint: shouder, value: 1", {"did you mean 'shoulder'"});
  force("type: joint_torque, joint: wrist, value: 1", {"value has 1 entries", "needs 3"});
  force("type: joint_torque, joint: shoulder, value: .nan", {"value '.nan' is no signal"});
  force("type: joint_torque, joint: shoulder, value: {amplitud: 1}", {"did you mean 'amplitude'"});
  force("type: joint_torque, joint: shoulder, value: {amplitude: 1}", {"needs 'frequency'"});
  force("type: joint_torque, joint: shoulder, value: {times: [1, 0], values: [1, 2]}",
        {"do not increase"});
  force("type: joint_torque, joint: shoulder, value: {times: [0], offset: 1}",
        {"a sinusoid and a table"});
  force("type: joint_spring_damper, joint: shoulder, stifness: 1", {"did you mean 'stiffness'"});
  force("type: joint_spring_damper, joint: wrist, stiffness: 1, rest: [1, 0]",
        {"rest has 2 numbers; give 4"});
  force("type: joint_friction, joint: shoulder, velocity: 0", {"velocity 0 is not positive"});
  force("type: body_wrench, body: hand, wrench: [1, 2]", {"wrench has 2 entries"});
  force("type: body_wrench, body: had, wrench: [0, 0, 0, 0, 0, 0]", {"did you mean 'hand'"});
  force("type: body_wrench, body: hand, wrench: [0, 0, 0, 0, 0, 0], representation: world",
        {"representation 'world' is not known"});
  force("type: point_spring_damper, a: {body: hand}, b: {bdy: ground}", {"did you mean 'body'"});
  force("type: point_spring_damper, a: {body: hand}, b: {body: ground}, length: -1", {"length -1"});
  refused("duration: 1\nforces: [3]\n", 4, {"force 1", "give a map"});
}

/// Stopped in the middle, written, and continued from the file: the same numbers as in one go, bit by
/// bit, with forces that know the time, work and a quaternion.
TEST_F(ScenarioFile, continues_a_run_from_json_bit_by_bit) {
  const std::string forces =
      "forces: [{type: joint_friction, joint: shoulder, viscous: 0.1}, "
      "{type: joint_torque, joint: shoulder, value: {amplitude: 2, frequency: 0.5}}]\n";
  for (const std::string integrator :
       {"method: dop853, tolerance: 1e-9", "method: dp54, tolerance: 1e-7",
        "method: bs32, tolerance: 1e-5", "method: cf43, tolerance: 1e-6", "method: mk4, step: 0.03",
        "method: rk4, step: 0.03", "method: mk8, step: 0.1", "method: cg4, step: 0.03"}) {
    const std::string rest = "integrator: {" + integrator + "}\n" + forces;
    const Scenario scenario =
        read("duration: 2\ninitial: {v: {shoulder: 1, wrist: [1, 2, 3]}}\n" + rest);
    Trajectory path;
    Simulation whole(scenario), first(scenario);
    whole.run(path);
    first.run(*make_run_file(folder / "run.json"), [](double t) { return t < 1.2; });
    const Scenario continued =
        read("duration: " + to_text(2 - first.state().t) + "\ninitial: {from: run.json}\n" + rest);
    Simulation second(continued);
    second.run(path);
    EXPECT_EQ(second.state().t, 2) << integrator;
    EXPECT_EQ(second.state().q, whole.state().q) << integrator;
    EXPECT_EQ(second.state().v, whole.state().v) << integrator;
    EXPECT_EQ(second.summary().end.work, whole.summary().end.work) << integrator;

    // Another method, or a state that is not the end, starts anew.
    EXPECT_FALSE(
        read("duration: 1\ninitial: {from: run.json}\nintegrator: {method: abm, step: 0.1}\n")
            .checkpoint);
    EXPECT_FALSE(
        read("duration: 1\ninitial: {from: run.json, v: {shoulder: 2}}\n" + rest).checkpoint);
  }
}

TEST_F(ScenarioFile, continues_a_recorded_run) {
  Scenario whole = read(
      "duration: 2\nrecord: {every: 0.5, quantities: [energy, pose:hand]}\n"
      "initial: {v: {shoulder: 1, wrist: [1, 2, 3]}}\n");
  Trajectory path;
  Simulation(whole).run(path);
  for (const char* name : {"run.csv", "run.json"}) {
    const std::string from = std::string("initial: {from: ") + name;
    Scenario half = whole;
    half.duration = 1;
    Simulation(half).run(*make_run_file(folder / name));
    const Scenario rest = read("duration: 1\n" + from + "}\n");
    EXPECT_EQ(rest.start.t, 1) << name;
    Trajectory second;
    Simulation(rest).run(second);
    EXPECT_EQ(second.states.back().t, 2);
    // Two runs at a tolerance of 1e-10 with other steps.
    EXPECT_LT((second.states.back().v - path.states.back().v).norm(), 1e-8) << name;

    const Scenario middle = read("duration: 1\n" + from + ", at: 0.5, v: {shoulder: 7}}\n");
    EXPECT_EQ(middle.start.t, 0.5);
    EXPECT_EQ(middle.start.q, path.states[1].q) << name;
    EXPECT_EQ(middle.start.v[0], 7);
    EXPECT_EQ(middle.start.v.tail<3>(), path.states[1].v.tail<3>()) << name;
    refused("duration: 1\n" + from + ", at: 0.7}\n", 4,
            {"no sample at t = 0.7", "times from 0 to 1"});
  }
  refused("duration: 1\ninitial: {from: none.csv}\n", 4, {"none.csv", "no such recorded run"});
  refused("duration: 1\ninitial: {from: run.txt}\n", 4, {"run.txt", ".csv or .json"});
  write("other.csv", "t [s],q:elbow [rad],v:elbow [rad/s]\n0,0,0\n");
  refused("duration: 1\ninitial: {from: other.csv}\n", 4,
          {"other.csv:1", "not a run of this model", "column 2 is 'q:elbow [rad]'",
           "not 'q:shoulder [rad]'"});
  write("other.json",
        "{\"samples\": [\n{\"t\": 0, \"q\": [1, 0], \"v\": [1, 2, 3, 4, 5, 6, 7, 8]}\n]}");
  refused("duration: 1\ninitial: {from: other.json}\n", 4,
          {"other.json:2", "q has 2 numbers", "has 5"});
  write("named.json", "{\"joints\": [{\"name\": \"elbow\"}], \"samples\": []}");
  refused("duration: 1\ninitial: {from: named.json}\n", 4,
          {"named.json:1", "not a run of this model", "joint 1 is 'elbow', not 'shoulder'"});
  write("empty.json", "{\"samples\": [\n]}");
  refused("duration: 1\ninitial: {from: empty.json}\n", 4, {"has no samples"});
  std::ofstream(folder / "run.csv", std::ios::app) << "3,1,2\n";
  refused("duration: 1\ninitial: {from: run.csv}\n", 4, {"run.csv:5", "has 3 cells", "header has"});
}

/// A number that is missing is not replaced by the next one.
TEST_F(ScenarioFile, recorded_numbers_stay_in_their_places) {
  const Model model = compile(read_mechanism(folder / "arm.yaml"));
  const auto read_json = [&](const std::string& samples) {
    return read_recorded_state(write("r.json", "{\"samples\": [" + samples + "]}"), model);
  };
  const auto says = [&](const auto& f, std::initializer_list<const char*> parts) {
    try {
      f();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      for (const char* part : parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const std::string q = "\"q\": [0.5, 1, 0, 0, 0]";
  const State good = read_json("{\"energy\": 99, \"v\": [1, 2, 3, 4],\n " + q + ", \"t\": 7}");
  EXPECT_EQ(good.t, 7);
  EXPECT_EQ(good.q[0], 0.5);
  EXPECT_EQ(good.v, (Eigen::VectorXd{{1, 2, 3, 4}}));
  says([&] { read_json("{\"t\": 0, " + q + ", \"v\": [null, 7, 1, 2], \"energy\": 99}"); },
       {"r.json:1:", "null", "is not a finite number"});
  says([&] { read_json("{\"t\": 0, " + q + ", \"v\": [7, 1, 2], \"energy\": 99}"); },
       {"v has 3 numbers", "has 4"});
  says([&] { read_json("{\"t\": 0, " + q + ", \"energy\": 99}"); }, {"the sample has no v"});
  says([&] { read_json("{\"t\": 0, " + q + ", \"v\": [1, 2, 3, 4], \"t\": 1}"); },
       {"the key 't' is given twice"});
  says(
      [&] {
        read_json("{\"t\": 0, " + q + ", \"v\": [1, 2, 3, 4], \"x\": " + std::string(80'000, '['));
      },
      {"r.json:1:", "nested deeper than 64 levels"});

  Scenario s = read("duration: 1\nrecord: {every: 1, quantities: [energy]}\n");
  Simulation(s).run(*make_run_file(folder / "run.csv"));
  std::ifstream file(folder / "run.csv");
  std::string header, row;
  std::getline(file, header);
  std::getline(file, row);
  const auto read_csv = [&](const std::string& line) {
    return read_recorded_state(write("r.csv", header + "\n" + line + "\n"), model);
  };
  EXPECT_EQ(read_csv("7,0.5,1,0,0,0,1,2,3,4,99").v, good.v);
  EXPECT_EQ(read_csv("7,0.5,1,0,0,0,1,2,3,4,nan").v, good.v);  // a quantity that failed
  says([&] { read_csv("7,0.5,1,0,0,0,,2,3,4,99"); },
       {"r.csv:2", "'v:shoulder [rad/s]'", "'' is not a finite number"});
  says([&] { read_csv("7,0.5,1,0,0,0,1,2,3,4"); }, {"r.csv:2", "has 10 cells", "header has 11"});
  says([&] { read_csv("7,0.5,1,0,0,0,1 5,2,3,4,99"); }, {"'1 5' is not a finite number"});
}

/// The unit of every number, by joint and row.
TEST_F(ScenarioFile, recorded_columns_have_units) {
  write("arm.yaml", R"(chasles: 1
bodies:
  - {name: upper, joint: {name: shoulder, type: revolute, axis: [0, 1, 0]},
     inertia: {mass: 1, com: [0, 0, -0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
  - {name: hand, parent: upper, joint: {name: "slide, 2", type: prismatic, axis: [0, 0, 1]},
     inertia: {mass: 1, com: [0, 0, -1.2], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
)");
  const Scenario s = read(
      "duration: 1\nrecord: {every: 1, quantities: [tau, mass_matrix, 'pose:hand', "
      "'jacobian:hand:body', 'twist:hand:body']}\n");
  Simulation(s).run(*make_run_file(folder / "run.csv"));
  std::ifstream file(folder / "run.csv");
  std::string header;
  std::getline(file, header);
  for (const char* column :
       {"t [s],q:shoulder [rad],\"q:slide, 2 [m]\",v:shoulder [rad/s],\"v:slide, 2 [m/s]\",",
        ",tau[0] [N m],tau[1] [N],", ",mass_matrix[0][0] [kg m^2],mass_matrix[0][1] [kg m],",
        ",mass_matrix[1][1] [kg],", ",pose:hand[0][0] [1],", ",pose:hand[2][3] [m],",
        ",pose:hand[3][3] [1],", ",jacobian:hand:body[0][0] [1],jacobian:hand:body[0][1] [1/m],",
        ",jacobian:hand:body[3][0] [m],jacobian:hand:body[3][1] [1],",
        ",twist:hand:body[2] [rad/s],twist:hand:body[3] [m/s],"})
    EXPECT_NE(header.find(column), std::string::npos) << column << "\n" << header;
  EXPECT_EQ(read_recorded_state(folder / "run.csv", s.model).t, 1);  // names with commas read back
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
  for (const auto& entry : fs::directory_iterator("examples/scenarios")) {
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
