/// States by joint on the command line, and what follows from them: against closed forms of the four-bar linkage, the
/// slider-crank, and of a pendulum.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace chasles {
namespace state_options_test {

using nlohmann::json;

class StateOptions : public Program {
 protected:
  json eval(const std::string& arguments) {
    const Outcome o = run("eval " + arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? json::parse(o.out)["results"][0] : json();
  }
  static std::vector<double> numbers(const json& list) { return list.get<std::vector<double>>(); }
};

TEST_F(StateOptions, need_no_file) {
  const json at = eval("examples/puma560.yaml --compute q,mass_matrix");
  EXPECT_EQ(numbers(at["q"]), std::vector<double>(6));
  EXPECT_EQ(at["mass_matrix"].size(), 6U);
}

TEST_F(StateOptions, are_entries_by_joint) {
  const std::string model = "examples/puma560.yaml ";
  EXPECT_EQ(numbers(eval(model + "--q shoulder=pi/4,wrist_bend=-1e-1 --compute q")["q"]),
            (std::vector<double>{0, M_PI / 4, 0, 0, -0.1, 0}));
  EXPECT_EQ(numbers(eval(model + "--q 1,2,3,4,5,6 --compute q:wrist_roll")["q:wrist_roll"]),
            std::vector<double>{4});
  EXPECT_EQ(numbers(eval(model + "--set q.elbow=2 --set v.waist=3 --compute q,v")["v"]),
            (std::vector<double>{3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(numbers(eval("examples/three_spheres.yaml --q 'base=[0,0,1,0, 1,2,3],base.6=5' "
                         "--v base.3=7 --compute q:base,v:base")["q:base"]),
            (std::vector<double>{0, 0, 1, 0, 1, 2, 5}));
  const auto file =
      write("s.json", R"({"states": [{"q": {"shoulder": 0.5}, "tau": {"flange": 2}}]})");
  const json at = eval(model + "--states " + file.string() + " --compute q,tau");
  EXPECT_EQ(numbers(at["q"]), (std::vector<double>{0, 0.5, 0, 0, 0, 0}));
  EXPECT_EQ(numbers(at["tau"]), (std::vector<double>{0, 0, 0, 0, 0, 2}));
}

TEST_F(StateOptions, close_loops) {
  // Crank of 0.2 m, coupler from there, rocker on (0.6, 0): lengths as in the file at q = 0, angles about y.
  const double crank = 0.5, b = std::hypot(0.5, 0.2), c = std::hypot(0.1, 0.4);
  const json at = eval(
      "examples/four_bar.yaml --q crank=0.5 --v crank=2 --compute "
      "q,v,position:rocker,constraint_violation");
  EXPECT_LE(at["constraint_violation"].get<double>(), 1e-12);
  EXPECT_EQ(at["q"][0], crank);
  EXPECT_EQ(at["v"][0], 2);
  // The pin of coupler and rocker, from the triangle over the diagonal.
  const double x = 0.2 * std::sin(crank), z = 0.2 * std::cos(crank), e = std::hypot(0.6 - x, z);
  const double at_rocker = std::acos((c * c + e * e - b * b) / (2 * c * e));
  const double angle = std::atan2(z, x - 0.6) - at_rocker;  // of the rocker, from x to z
  const double start = std::atan2(0.4, -0.1);
  EXPECT_NEAR(std::remainder(at["q"][2].get<double>() - (start - angle), 2 * M_PI), 0, 1e-11);
}

TEST_F(StateOptions, choose_the_assembly_mode) {
  const auto in_line = write("line.yaml", R"(chasles: 1
name: line
bodies:
  - {name: crank, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 1, com: [0.02, 0, 0], tensor: [1e-3, 0, 0, 1e-3, 0, 1e-3]}}
  - {name: coupler, parent: crank, joint: {type: revolute, axis: [0, 0, 1], point: [0.04, 0, 0]}, inertia: {mass: 1, com: [0.1, 0, 0], tensor: [1e-3, 0, 0, 1e-3, 0, 1e-3]}}
  - {name: rocker, joint: {type: revolute, axis: [0, 0, 1], point: [0.1, 0, 0]}, inertia: {mass: 1, com: [0.14, 0, 0], tensor: [1e-3, 0, 0, 1e-3, 0, 1e-3]}}
loops:
  - {name: pin, type: revolute, bodies: [coupler, rocker], axis: [0, 0, 1], frames: {parent: {xyz: [0.16, 0, 0]}, child: {xyz: [0.18, 0, 0]}}}
)")
                           .string();
  // Freudenstein's equation for the rocker r at the crank 1: A cos r + B sin r = C.
  const double a = 0.04, b = 0.12, c = 0.08, d = 0.1, crank = 1;
  const double A = 2 * c * (d - a * std::cos(crank)), B = -2 * a * c * std::sin(crank),
               C = b * b - a * a - c * c - d * d + 2 * a * d * std::cos(crank);
  for (const double mode : {1.0, -1.0}) {
    const double rocker =
        std::remainder(std::atan2(B, A) + mode * std::acos(C / std::hypot(A, B)), 2 * M_PI);
    const std::string near = std::to_string(rocker + 0.3);
    const json at = eval(in_line + " --q crank=1 --near rocker=" + near + " --compute q");
    EXPECT_NEAR(std::remainder(at["q"][2].get<double>() - rocker, 2 * M_PI), 0, 1e-11);
    const json info =
        json::parse(run("info " + in_line + " --json --q crank=1 --near rocker=" + near).out);
    EXPECT_NEAR(info["mobility"]["assembled"][2].get<double>(), at["q"][2].get<double>(), 1e-12);
    EXPECT_EQ(run("view " + in_line + " --near rocker=" + near + " -o -").code, 0);
    const auto scenario =
        write("s.yaml",
              "chasles: 1\nmodel: line.yaml\nduration: 0.01\ninitial: {q: {crank: 1}, near: "
              "{rocker: " +
                  near + "}}\n");
    const fs::path out = folder / "r.json";
    const Outcome o = run("simulate " + scenario.string() + " -o " + out.string());
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NEAR(json::parse(text(out))["samples"][0]["q"][2].get<double>(),
                at["q"][2].get<double>(), 1e-11);
  }
  const Outcome plain = run("info " + in_line);
  EXPECT_NE(plain.out.find("1 degree of freedom left of 3"), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("moment x, moment y, force z of joint 'crank'"), std::string::npos)
      << plain.out;
  const auto both = write("b.yaml",
                          "chasles: 1\nmodel: line.yaml\nduration: 1\ninitial: {q: {crank: "
                          "1}, near: {crank: 2}}\n");
  expect_bad_input("simulate " + both.string(), {"b.yaml:4", "near and q", "'crank'"});
}

TEST_F(StateOptions, give_reactions_of_a_slider_crank) {
  // Massless but for the slider of 3 kg: with the crank r at phi and the rod l at beta, sin(beta) = r sin(phi) / l, a
  // force F pushes on the slider against gravity-free motion at rest: the rod bears F / cos(beta), the guide F tan(beta),
  // and the motor holds F r sin(phi + beta) / cos(beta).
  const auto file = write("slider.yaml", R"(chasles: 1
name: slider
gravity: [0, 0, 0]
bodies:
  - {name: crank, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 0, 0, 1, 0, 1]}}
  - {name: rod, parent: crank, joint: {type: revolute, axis: [0, 0, 1], point: [0.2, 0, 0]}, inertia: {mass: 1, com: [0.2, 0, 0], tensor: [1, 0, 0, 1, 0, 1]}}
  - {name: slider, joint: {type: prismatic, axis: [1, 0, 0]}, inertia: {mass: 3, com: [0.7, 0, 0], tensor: [1, 0, 0, 1, 0, 1]}}
loops:
  - {name: wrist, type: revolute, bodies: [rod, slider], axis: [0, 0, 1], point: [0.7, 0, 0]}
)")
                        .string();
  const double r = 0.2, l = 0.5, phi = 0.8, beta = std::asin(r * std::sin(phi) / l), F = 100;
  const auto state =
      write("s.json", R"({"states": [{"q": {"crank": 0.8}, "v": {"crank": 0}, "a": {"crank": 0},
    "wrenches": {"slider": {"wrench": [0, 0, 0, -100, 0, 0]}}}]})");
  const Outcome o =
      run("eval " + file + " --states " + state.string() +
          " --actuators crank --compute inverse_dynamics,reaction:slider,reaction:wrist");
  ASSERT_EQ(o.code, 0) << o.err;
  const json at = json::parse(o.out)["results"][0];
  EXPECT_NEAR(at["inverse_dynamics"][0].get<double>(),
              -F * r * std::sin(phi + beta) / std::cos(beta), 1e-10);
  // The pin pushes the slider by (F, F tan beta) with the sign of the rod; joint axes of the wrist are those of the
  // world at q = 0 turned with the slider, which does not turn.
  const double fx = at["reaction:wrist"][3].get<double>(),
               fy = at["reaction:wrist"][4].get<double>();
  EXPECT_NEAR(std::hypot(fx, fy), F / std::cos(beta), 1e-9);
  EXPECT_NEAR(fx, F, 1e-9);
  EXPECT_NEAR(fy, -F * std::tan(beta), 1e-9);
  // The guide: z along the world's x, so forces across it are x and y of the joint.
  const double gx = at["reaction:slider"][3].get<double>(),
               gy = at["reaction:slider"][4].get<double>();
  EXPECT_NEAR(std::hypot(gx, gy), F * std::tan(beta), 1e-9);
  EXPECT_NE(o.err.find("reaction:wrist: its moment x, moment y, force z"), std::string::npos)
      << o.err;
}

TEST_F(StateOptions, and_scenarios_have_actuators) {
  // A run that a torque in the rocker drives; the same motion by a motor in the crank has the same power.
  const std::string examples = fs::absolute("examples").string();
  const auto file = write("s.yaml", "chasles: 1\nmodel: " + examples + R"(/four_bar.yaml
duration: 0.2
initial: {q: {crank: 0.3}, v: {crank: 4}}
forces: [{type: joint_torque, joint: rocker, value: 2}]
actuators: [crank]
record: {every: 0.05, quantities: ['inverse_dynamics:crank', 'inverse_dynamics:rocker', 'tau:rocker', power]}
)")
                        .string();
  const fs::path out = folder / "run.json";
  const Outcome o = run("simulate " + file + " -o " + out.string());
  ASSERT_EQ(o.code, 0) << o.err;
  const json recorded = json::parse(text(out));
  for (const json& sample : recorded["samples"]) {
    const double power =
        sample["inverse_dynamics:crank"][0].get<double>() * sample["v"][0].get<double>();
    EXPECT_NEAR(power, sample["power"].get<double>(), 1e-9);
    EXPECT_EQ(sample["inverse_dynamics:rocker"][0], 0);
    EXPECT_EQ(sample["tau:rocker"][0], 2);
  }
  expect_bad_input("simulate " + file + " --set 'actuators=[crnk]'", {"did you mean 'crank'"});
  expect_bad_input("simulate examples/scenarios/tumble.yaml --set 'actuators=[joint1]'",
                   {"actuators", "here are none"});
}

TEST_F(StateOptions, that_are_wrong_are_named) {
  const std::string model = "eval examples/puma560.yaml --compute q ";
  expect_bad_input(model + "--q shuolder=1", {"--q 'shuolder=1'", "did you mean 'shoulder'"});
  expect_bad_input(model + "--q shoulder=1,2", {"--q", "'2' has no joint"});
  expect_bad_input(model + "--q shoulder=", {"--q", "'' is not a finite number"});
  expect_bad_input(model + "--q shoulder=inf", {"'inf' is not a finite number"});
  expect_bad_input(model + "--q shoulder.3=1", {"joint 'shoulder' has 1 entry"});
  expect_bad_input(model + "--q 1,2", {"has 2 numbers", "all 6 numbers"});
  expect_bad_input(model + "--q ' '", {"is empty"});
  expect_bad_input(model + "--near shoulder=1", {"--near", "has none"});
  expect_bad_input(model + "--set shoulder=1", {"--set 'shoulder=1'", "q.JOINT=0.3"});
  expect_bad_input(model + "--set w.shoulder=1", {"a state has no 'w'"});
  expect_bad_input("eval examples/three_spheres.yaml --compute q --q base.0=0",
                   {"--q", "quaternion"});
  const auto file = write("s.json", R"({"states": [{"q": {"shuolder": 0.5}}]})").string();
  expect_bad_input(model + "--states " + file,
                   {"s.json:1", "states[0].q", "did you mean 'shoulder'"});
  expect_bad_input(model + "--q shoulder=1 --states " + file, {"--states has the states"});
  const auto list = write("t.json", R"({"states": [{"q": {"shoulder": [1, 2]}}]})").string();
  expect_bad_input(model + "--states " + list, {"t.json:1", "2 entries"});
  expect_bad_input("eval examples/four_bar.yaml --compute q --q crank=0.5,rocker=2",
                   {"loop 'closure' cannot be closed", "gap"});
  for (const auto& [given, part] : {std::pair{"--q 'crank=1 m'", "'1 m' is in m; give rad"},
                                    {"--v 'crank=2 m/s'", "'2 m/s' is in m/s; give rad/s"},
                                    {"--a 'crank=2 rad/s'", "is in rad/s; give rad/s^2"},
                                    {"--tau 'crank=1 N'", "'1 N' is in N; give N m"},
                                    {"--set 'q.crank=1 kg'", "is in kg; give rad"},
                                    {"--near 'rocker=1 mm'", "is in m; give rad"},
                                    {"--q crank=1,crank=2", "joint 'crank' is given twice"},
                                    {"--q crank.0=1,crank.0=2", "joint 'crank' is given twice"}})
    expect_bad_input(std::string("eval examples/four_bar.yaml --compute q ") + given, {part});
  EXPECT_EQ(
      run("eval examples/three_spheres.yaml --compute q --q base.4=0.1,base.5=0.2,'joint1=3 deg'")
          .code,
      0);
  expect_bad_input("equilibrium examples/puma560.yaml --all -1", {"--all -1"});
  expect_bad_input("equilibrium examples/puma560.yaml --report a.txt",
                   {"reports are written as .html"});
}

/// A motor that holds the crank at rest carries the weights; without `a` the linkage falls, and it has nothing to do.
TEST_F(StateOptions, efforts_need_a_motion) {
  const std::string command =
      "eval examples/four_bar.yaml --actuators crank --q crank=0.5 --compute "
      "inverse_dynamics,gravity";
  const Outcome falls = run(command), held = run(command + " --a crank=0");
  EXPECT_NE(falls.err.find("inverse_dynamics: without a, the mechanism moves as tau = 0 lets it"),
            std::string::npos)
      << falls.err;
  EXPECT_EQ(held.err, "");
  const json result = json::parse(held.out)["results"][0];
  EXPECT_NEAR(result["inverse_dynamics"][0].get<double>(), result["gravity"][0].get<double>(),
              1e-9);
  EXPECT_GT(std::abs(result["gravity"][0].get<double>()), 0.1);
}

/// The holding torque of a motor is that of the weights it holds: m g l cos(q), with a rod on the next link.
TEST_F(StateOptions, equilibria_say_what_drivers_hold) {
  write("arm.yaml", R"(chasles: 1
bodies:
  - {name: arm, joint: {type: revolute, axis: [0, -1, 0]}, inertia: {mass: 2, com: [0.3, 0, 0], tensor: [0.01, 0, 0, 0.01, 0, 0.01]}}
  - {name: bob, parent: arm, joint: {type: revolute, axis: [0, -1, 0], point: [0.6, 0, 0]}, inertia: {mass: 1, com: [0.7, 0, 0], tensor: [0.01, 0, 0, 0.01, 0, 0.01]}}
)");
  const auto file = write("held.yaml",
                          "chasles: 1\nmodel: arm.yaml\nduration: 1\ninitial: {q: {bob: "
                          "-1.5}}\ndrivers: [{name: motor, joint: arm, speed: 2, "
                          "offset: 0.4}]\n")
                        .string();
  const Outcome o = run("equilibrium " + file + " -o -");
  ASSERT_EQ(o.code, 0) << o.err;
  const json rest = json::parse(o.out)["equilibria"][0];
  EXPECT_NEAR(rest["joints"]["bob"].get<double>(), -M_PI / 2 - 0.4, 1e-9);
  EXPECT_NEAR(rest["driver_force"]["motor"].get<double>(),
              9.81 * (2 * 0.3 + 1 * 0.6) * std::cos(0.4), 1e-9);
  const std::string said = run("equilibrium " + file).out;
  EXPECT_NE(said.find("driver 'motor' holds with 10.84"), std::string::npos) << said;
  EXPECT_NE(
      said.find("driver 'motor' moves with 2 rad/s or m/s there: this is the mechanism at rest"),
      std::string::npos)
      << said;
}

TEST_F(StateOptions, of_equilibria_and_modes) {
  // A double pendulum of point masses, equal lengths: omega^2 = (2 -+ sqrt 2) g / l; four equilibria, one stable.
  const auto file = write("double.yaml", R"(chasles: 1
name: double
bodies:
  - {name: upper, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0, 0, -0.5], tensor: [0, 0, 0, 0, 0, 0]}}
  - {name: lower, parent: upper, joint: {type: revolute, axis: [0, 1, 0], point: [0, 0, -0.5]}, inertia: {mass: 1, com: [0, 0, -1], tensor: [0, 0, 0, 0, 0, 0]}}
)")
                        .string();
  const fs::path page = folder / "modes.html";
  const Outcome o =
      run("equilibrium " + file + " --q upper=0.3 --all 40 --report " + page.string() + " -o -");
  ASSERT_EQ(o.code, 0) << o.err;
  const json list = json::parse(o.out)["equilibria"];
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0]["stability"], "stable");
  for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(list[k]["stability"], "unstable");
  for (int k = 0; k < 2; ++k)
    EXPECT_NEAR(list[0]["modes"][static_cast<std::size_t>(k)]["frequency"].get<double>(),
                std::sqrt((2 + (k == 0 ? -1 : 1) * std::sqrt(2.0)) * 9.81 / 0.5), 1e-10);
  EXPECT_NE(text(page).find("mode 1: "), std::string::npos);
  EXPECT_NE(text(page).find("mode 2: "), std::string::npos);
  const fs::path other = folder / "other.html";
  EXPECT_EQ(run("linearize " + file + " --modes-report " + other.string()).code, 0);
  EXPECT_NE(text(other).find("mode 2: "), std::string::npos);
  EXPECT_EQ(run("linearize " + file + " --q upper=0.3 --modes-report " + other.string()).code, 1);
}

TEST_F(StateOptions, of_an_equilibrium_in_which_a_run_ends) {
  const std::string file = "examples/scenarios/closed/four_bar_spring.yaml";
  const fs::path out = folder / "run.json";
  ASSERT_EQ(run("simulate " + file + " -o " + out.string()).code, 0);
  const json last = json::parse(text(out))["samples"].back();
  const Outcome o = run("equilibrium " + file + " --all 20 -o -");
  ASSERT_EQ(o.code, 0) << o.err;
  int stable = 0, reached = 0;
  const json found = json::parse(o.out);
  for (const json& rest : found["equilibria"]) {
    if (rest["stability"].get<std::string>() != "stable") continue;
    ++stable;
    double apart = 0;
    for (std::size_t k = 0; k < 3; ++k)
      apart =
          std::max(apart, std::abs(std::remainder(
                              rest["q"][k].get<double>() - last["q"][k].get<double>(), 2 * M_PI)));
    reached += apart < 1e-8;
  }
  EXPECT_EQ(stable, 2);
  EXPECT_EQ(reached, 1);
}

/// A scenario says which joints have motors, as for its run; --actuators says otherwise. One motor or the other has the same
/// power, tau_k v_k.
TEST_F(StateOptions, motors_are_those_of_the_scenario) {
  const std::string file =
      write("motors.yaml",
            "chasles: 1\nmodel: " + std::filesystem::absolute("examples/four_bar.yaml").string() +
                "\ninitial: {q: {crank: 0.5}}\nduration: 1\nactuators: [rocker]\n")
          .string();
  const std::string asked = file + " --v crank=1 --a crank=2 --compute v,inverse_dynamics";
  const json of_file = eval(asked), of_crank = eval(asked + " --actuators crank");
  EXPECT_NEAR(of_file["inverse_dynamics"][0].get<double>(), 0, 1e-13);
  EXPECT_NEAR(of_crank["inverse_dynamics"][2].get<double>(), 0, 1e-13);
  const double power = of_file["inverse_dynamics"][2].get<double>() * of_file["v"][2].get<double>();
  EXPECT_GT(std::abs(power), 0.1);
  EXPECT_NEAR(power, of_crank["inverse_dynamics"][0].get<double>() * of_crank["v"][0].get<double>(),
              1e-10);
}

/// A scenario that continues a run begins where that one ended, with its drivers at that time.
TEST_F(StateOptions, drivers_are_at_the_time_of_the_start) {
  write("cart.yaml", R"(chasles: 1
bodies:
  - {name: cart, joint: {type: prismatic, axis: [1, 0, 0]}, inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}}
  - {name: arm, parent: cart, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0, 0, -0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
)");
  const std::string driven =
      "chasles: 1\nmodel: cart.yaml\nduration: 0.7\ndrivers: [{joint: cart, sine: {amplitude: 1, "
      "frequency: 0.3}}]\n";
  const std::string run_file = (folder / "run.json").string();
  ASSERT_EQ(run("simulate " + write("first.yaml", driven).string() + " -o " + run_file).code, 0);
  const std::string next = write("next.yaml", driven + "initial: {from: run.json}\n").string();
  const double w = 0.6 * M_PI, x = std::sin(0.7 * w), v = w * std::cos(0.7 * w);
  for (const std::string state : {"", " --v arm=0.1", " --q arm=0.2 --a arm=1"}) {
    const json at = eval(next + state + " --compute q,v,forward_dynamics,constraint_violation");
    EXPECT_NEAR(at["q"][0].get<double>(), x, 1e-12) << state;
    EXPECT_NEAR(at["v"][0].get<double>(), v, 1e-12) << state;
    EXPECT_NEAR(at["forward_dynamics"][0].get<double>(), -w * w * x, 1e-12) << state;
    EXPECT_LE(at["constraint_violation"].get<double>(), 1e-12) << state;
  }
}

/// Two bars in line between pivots as far apart as the bars are long can only begin to move.
TEST_F(StateOptions, mobility_that_is_only_instantaneous_is_none) {
  const auto file = write("stretched.yaml", R"(chasles: 1
bodies:
  - {name: a, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0.5, 0, 0], tensor: [0, 0, 0, 0.1, 0, 0.1]}}
  - {name: b, joint: {type: revolute, axis: [0, 1, 0], point: [2, 0, 0]}, inertia: {mass: 1, com: [1.5, 0, 0], tensor: [0, 0, 0, 0.1, 0, 0.1]}}
loops:
  - {name: pin, type: revolute, bodies: [a, b], axis: [0, 1, 0], point: [1, 0, 0]}
)");
  const Outcome info = run("info " + file.string());
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_NE(info.out.find("closed loops: 0 degrees of freedom left of 2"), std::string::npos)
      << info.out;
  EXPECT_NE(info.out.find("0 of 1 instantaneous dimensions, no motion"), std::string::npos)
      << info.out;
}

/// A bead on a wire: constraints of a scenario bind an open model in every command. On the cycloid with a = 0.3 m,
/// omega^2 = g / (4 a); at the lowest point the wire bears the weight.
TEST_F(StateOptions, of_constraints_of_a_scenario) {
  const std::string file = "examples/scenarios/closed/cycloid.yaml";
  const double a = 0.3, g = 9.81, m = 0.05;
  const json at = eval(file + " --compute q,a,constraint_force:wire,constraint_violation");
  const double s = 2, steep = s / 2;  // the tangent of the cycloid rises by s / 2
  EXPECT_NEAR(std::hypot(at["a"][0].get<double>(), at["a"][2].get<double>()), g * std::sin(steep),
              1e-11);
  EXPECT_NEAR(at["constraint_force:wire"].get<double>(), m * g * std::cos(steep), 1e-12);
  const Outcome info = run("info " + file);
  EXPECT_NE(info.out.find("1 degree of freedom left of 3"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("constraint 'wire': 2 rows"), std::string::npos) << info.out;
  const Outcome o = run("equilibrium " + file + " -o -");
  ASSERT_EQ(o.code, 0) << o.err;
  const json rest = json::parse(o.out)["equilibria"][0];
  EXPECT_NEAR(rest["q"][0].get<double>(), 0, 1e-9);
  EXPECT_NEAR(rest["q"][2].get<double>(), -a, 1e-12);
  EXPECT_NEAR(rest["modes"][0]["frequency"].get<double>(), std::sqrt(g / (4 * a)), 1e-8);
  const Outcome linear = run("linearize " + file + " --equilibrium -o -");
  ASSERT_EQ(linear.code, 0) << linear.err;
  EXPECT_EQ(json::parse(linear.out)["A"].size(), 2U);
  // Only points of the wire are reached, though three slides lead anywhere.
  const double x = a * (1 + std::sin(1.0)), z = -a * std::cos(1.0);
  const std::string to = "ik " + file + " --frame bead --target ";
  EXPECT_EQ(run(to + std::to_string(x) + ",0," + std::to_string(z) + " --tolerance 1e-6").code, 0);
  EXPECT_EQ(run(to + "0.1,0.2,0.3").code, 1);
  // `view` says so if the bead is held off the wire.
  const std::string view = "view " + file + " -o " + (folder / "bead.html").string();
  EXPECT_EQ(run(view).err, "");
  const Outcome off = run(view + " --q bead=[0,0,-0.4]");
  EXPECT_EQ(off.code, 0);
  EXPECT_NE(off.err.find("constraint 'wire' cannot be closed"), std::string::npos) << off.err;
}
TEST_F(StateOptions, of_drivers) {
  const std::string file = "examples/scenarios/closed/slider_crank_motor.yaml";
  for (const char* command : {"info ", "linearize ", "equilibrium "}) {
    const Outcome o = run(command + file);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.out.find("drivers prescribe all of its motion"), std::string::npos) << o.out;
  }
  // Crank upright: the slider of 0.5 kg moves with r w = 0.942 m/s and, as the rod of length 0.39 m turns by
  // r w / sqrt(l^2 - r^2), with (r w)^2 / sqrt(l^2 - r^2), borne by the loop; the crank needs no torque.
  const json at = eval(file + " --compute a,driver_force:crank,driver_power:crank");
  EXPECT_NEAR(at["a"][2].get<double>(), std::pow(0.3 * M_PI, 2) / 0.36, 1e-12);
  const json turned =
      eval(file + " --set drivers.0.offset=30deg --compute driver_force:crank,driver_power:crank");
  const json motor = eval(
      "examples/slider_crank.yaml --q crank=30deg --v crank=2*pi --a crank=0 "
      "--actuators crank --compute inverse_dynamics:crank");
  EXPECT_NEAR(turned["driver_force:crank"].get<double>(),
              motor["inverse_dynamics:crank"][0].get<double>(), 1e-12);
  EXPECT_NEAR(turned["driver_power:crank"].get<double>(),
              2 * M_PI * turned["driver_force:crank"].get<double>(), 1e-12);
  EXPECT_NE(run("eval " + file + " --compute driver_force:crnk").err.find("did you mean 'crank'?"),
            std::string::npos);
}

}  // namespace state_options_test
}  // namespace chasles
