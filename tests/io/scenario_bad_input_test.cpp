/// Scenario files: every way to say it wrong, with the place.
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/scenario_files.hpp"

namespace chasles {
namespace {

using test::ScenarioFile;

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
  refused("duration: 1\nintegrator: {method: xyzzy}\n", 4,
          {"give auto, euler, rk4,", " or rattle"});
  refused("duration: 1\nforces: [{type: xyzzy}]\n", 4,
          {"give joint_spring_damper, joint_friction,", " or point_expression"});
  refused("duration: 1\nxyzzy: 1\n", 4, {"give chasles, name, model,", "constraints"});
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

TEST_F(ScenarioFile, refuses_bad_coordinates_and_stabilization) {
  refused("duration: 1\ncoordinates: minimall\n", 4, {"did you mean 'minimal'"});
  refused("duration: 1\ngroup: se3\n", 4, {"of coordinates: maximal"});
  refused("duration: 1\ncoordinates: maximal\ngroup: se(3)\n", 5, {"'se(3)'"});
  refused("duration: 1\ncoordinates: maximal\ngroup: {uper: se3}\n", 5, {"did you mean 'upper'"});
  refused("duration: 1\ncoordinates: maximal\ngroup: {upper: so3}\n", 5, {"'upper'", "'so3'"});
  refused("duration: 1\nstabilization: baumgarte\n", 4, {"{baumgarte: [alpha, beta]}"});
  refused("duration: 1\nstabilization: {baumgarte: [1]}\n", 4, {"has 1 numbers; give 2"});
  refused("duration: 1\nstabilization: {baumgarte: [1, -1]}\n", 4, {"-1", "negative"});
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
             {"mk4 does not use 'tolerance'", "fixed steps", "it takes step, chart"});
  integrator("method: mk4, step: 0.1, max_step: 0.2", {"mk4 does not use 'max_step'"});
  integrator("method: mk4, step: 0.1, first_step: 0.2", {"mk4 does not use 'first_step'"});
  integrator("method: mk4, step: 0.1, scales: {shoulder: 1}", {"mk4 does not use 'scales'"});
  integrator("method: mk4, step: 0.1, order: 4", {"mk4 does not use 'order'"});
  integrator("method: dop853, order: 8", {"dop853 does not use 'order'", "tolerance"});
  integrator("method: dop853, step: 0.1", {"dop853 does not use 'step'", "first_step"});
  integrator("scales: {shouder: 1}", {"did you mean 'shoulder'"});
  integrator("scales: {shoulder: 0}", {"scales of joint 'shoulder': 0 is not positive"});
  integrator("scales: {wrist: [1, 1]}", {"scales of joint 'wrist' has 2 numbers; give 3"});
  integrator("tolerance: 1e-16", {"tolerance 1e-16 is out of range"});
  integrator("tolerance: 0", {"tolerance 0 is out of range"});
  integrator("max_step: -1", {"max_step -1 is not positive"});
  integrator("method: abm, step: 0.1, order: 2.5", {"order 2.5 is not an order"});
  integrator("method: dop853, chart: caylee", {"did you mean 'cayley'"});
  integrator("method: cf4, step: 0.1, chart: cayley", {"cf4 does not use 'chart'"});
  integrator("metod: mk4", {"did you mean 'method'"});
  integrator("method: rattle, step: 0.1, order: 4, composition: suzki", {"did you mean 'suzuki'"});
  integrator("method: mk4, step: 0.1, composition: suzuki", {"mk4 does not use 'composition'"});
  const std::string tableau = "step: 0.1, tableau: {order: 2, a: [[1]], ";
  integrator(tableau + "b: [1/2, 1/2]}, method: mk4", {"give either method, or a tableau"});
  integrator(tableau + "b: [0.5, 0.4]}",
             {"tableau 'tableau': b is of order 0, not 2", "residual -0.1"});
  integrator(tableau + "b: [1/2, 1/0]}", {"1/0"});
  integrator(tableau + "b: [1/2, x]}", {"'x'"});
  integrator(tableau + "b: 1}", {"b is not a list"});
  integrator("step: 0.1, tableau: {order: 2.5, a: [], b: [1]}", {"order 2.5 is not an order"});
  integrator(tableau + "b: [0, 1], b_estimate: [1, 0]}", {"'estimate_order'"});
  integrator("step: 0.1, tableau: {order: 1, b: [1]}", {"'a'"});
  integrator("tableau: {name: mine, order: 1, a: [], b: [1]}", {"mine", "give step"});
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
  force(
      "type: joint_torque, joint: shoulder, value: square",
      {"value 'square' is not a signal", "{amplitude, frequency, phase, offset}", "{times: [..]"});
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
  force("type: joint_torque, joint: shoulder, value: .nan", {"value '.nan' is not a signal"});
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

/// What would be accepted and not used is refused, or warned of where the same scenario is meaningful for other models.
TEST_F(ScenarioFile, what_would_have_no_effect_is_refused) {
  refused(
      "duration: 1\nforces: [{type: body_wrench, body: hand, wrench: [0, 0, 0, 0, 0, 1], point: "
      "[0, "
      "0, 1], representation: spatial}]\n",
      4, {"point: a spatial wrench is about the origin of the world"});
  EXPECT_SAYS(read("duration: 1\nmodel_name: hand\n"), "arm.yaml", "no choice of model 'hand'");
}

TEST_F(ScenarioFile, what_is_not_used_is_said) {
  const std::string friction =
      "forces: [{type: joint_friction, joint: shoulder, coulomb: 1, stick: true";
  refused("duration: 1\n" + friction + ", velocity: 0.1}]\n", 4, {"velocity", "sticks"});
  EXPECT_EQ(read("duration: 1\n" + friction + "}]\n").forces.list().size(), 1u);
  refused("duration: 1\nlimits: {mode: soft, stiffness: 10, time: 0.01}\n", 4,
          {"time", "stiffness"});
  refused("duration: 1\nlimits: {mode: soft, damping: 10, damping_ratio: 0.1}\n", 4,
          {"damping_ratio", "damping"});
  EXPECT_EQ(
      read("duration: 1\nlimits: {mode: soft, stiffness: 10, damping_ratio: 0.1}\n").stops.ratio,
      0.1);
  const auto warned = [&](const std::string& rest) {
    std::vector<std::string> warnings;
    read_scenario(write("w.yaml", "chasles: 1\nmodel: arm.yaml\nduration: 1\n" + rest), &warnings);
    return warnings.empty() ? std::string() : warnings[0];
  };
  const std::pair<const char*, const char*> list[] = {
      {"loops: open\n", "no loops"},
      {"stabilization: none\n", "nothing is constrained"},
      {"integrator: {method: generalized_alpha, index: 3}\n", "nothing is constrained"},
      {"integrator: {method: mk4, step: 2}\n", "longer than the run"}};
  for (const auto& [text, says] : list) {
    EXPECT_NE(warned(text).find(says), std::string::npos) << text << warned(text);
    EXPECT_NE(warned(text).find("w.yaml:4:"), std::string::npos) << warned(text);
  }
  EXPECT_EQ(warned("integrator: {method: mk4, step: 1}\n"), "");
  EXPECT_EQ(warned("coordinates: maximal\nstabilization: none\n"), "");
}

TEST_F(ScenarioFile, messages_name_the_joint) {
  refused("duration: 1\nintegrator: {scales: {shoulder: -1}}\n", 4, {"joint 'shoulder'", "-1"});
  refused("duration: 1\nevents: [{when: {joint: shoulder, coordinate: 3}, do: log}]\n", 4,
          {"coordinate 3 of joint 'shoulder'"});
  Scenario s = read("duration: 1\n");
  s.start.v[0] = std::numeric_limits<double>::infinity();
  EXPECT_SAYS(check(s), "v of joint 'shoulder' is inf");
  const std::string empty[] = {"duration="}, quoted[] = {"name='b"};
  write("s.yaml", "chasles: 1\nmodel: arm.yaml\nduration: 1\n");
  EXPECT_SAYS(read_scenario(folder / "s.yaml", nullptr, nullptr, empty), "no value after '='",
              "duration=VALUE");
  EXPECT_SAYS(read_scenario(folder / "s.yaml", nullptr, nullptr, quoted), "\"name='b\"");
}

}  // namespace
}  // namespace chasles
