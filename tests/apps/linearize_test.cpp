/// chasles linearize: numbers by hand, files, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.hpp"

namespace chasles {
namespace {

using nlohmann::json;

/// A rod that hangs and swings about y: 2 kg at 0.5 m, 0.1 kg m^2 about its center of mass. By hand:
/// M = 0.6, K = 9.81 cos q, omega^2 = 16.35 where it hangs.
const std::string hanging_rod = R"(chasles: 1
name: pendulum
bodies:
  - name: rod
    joint: {name: hinge, type: revolute, axis: [0, 1, 0], dynamics: {damping: DAMPING}}
    inertia: {mass: 2, com: [0, 0, -0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.08]}
)";
const double omega = std::sqrt(16.35);

class ProgramLinearize : public Program {
 protected:
  std::string at(const std::string& name) const { return (folder / name).string(); }
  static std::string damped(const std::string& damping) {
    std::string text = hanging_rod;
    return text.replace(text.find("DAMPING"), 7, damping);
  }
  void SetUp() override {
    Program::SetUp();
    write("rod.yaml", damped("0"));
    write("damped.yaml", damped("0.3"));
    write("half.json", R"({"states": [{"q": [0.5]}]})");
    write("top.json", R"({"states": [{"q": [3]}]})");
  }
  json result(const std::string& arguments) {
    const Outcome o = run("linearize " + arguments + " -o -");
    EXPECT_EQ(o.code, 0) << o.err;
    return json::parse(o.out);
  }
  static void expect_matrix(const json& got, const std::vector<std::vector<double>>& want,
                            double tolerance = 1e-14) {
    ASSERT_EQ(got.size(), want.size()) << got;
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(got[i].size(), want[i].size()) << got;
      for (std::size_t j = 0; j < want[i].size(); ++j)
        EXPECT_NEAR(got[i][j].get<double>(), want[i][j], tolerance) << got;
    }
  }
  void expect_printed(const std::string& arguments, std::initializer_list<const char*> parts) {
    const Outcome o = run("linearize " + arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    for (const char* part : parts) EXPECT_NE(o.out.find(part), std::string::npos) << o.out;
  }
  /// The input is good, and yet there is no result: exit code 1.
  void expect_failure(const std::string& arguments, std::initializer_list<const char*> parts) {
    const Outcome o = run("linearize " + arguments);
    EXPECT_EQ(o.code, 1) << arguments;
    EXPECT_EQ(o.out, "");
    for (const char* part : parts) EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
  }
};

/// The position gain of the cart is the square root of the quotient of the weights, for any pole.
TEST_F(ProgramLinearize, designs_regulators) {
  const std::string cart = fs::absolute("examples/cart_pole.yaml").string();
  const std::string options = " --lqr --motors cart --position-weight cart=10,pole=1 ";
  const Outcome o = run("linearize " + cart + options + "-o -");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto lqr = nlohmann::json::parse(o.out)["lqr"];
  EXPECT_NEAR(std::abs(lqr["K"][0][0].get<double>()), std::sqrt(10), 1e-12);
  EXPECT_LT(lqr["residual"].get<double>(), 1e-14);
  for (const auto& pole : lqr["poles"]) EXPECT_LT(pole[0].get<double>(), 0);
  const Outcome sampled = run("linearize " + cart + options + "--period 0.01");
  EXPECT_NE(sampled.out.find("  - type: state_feedback\n"), std::string::npos) << sampled.out;
  EXPECT_NE(sampled.out.find("period: 0.01"), std::string::npos) << sampled.out;
  // An arm that gravity pulls down is held.
  const Outcome held = run("linearize " + fs::absolute("examples/puma560.yaml").string() +
                           " --q shoulder=0.3 --lqr");
  EXPECT_EQ(held.code, 0) << held.err;
  EXPECT_EQ(held.out.find("effort: [0, 0, 0, 0, 0, 0]"), std::string::npos);
  expect_bad_input("linearize " + cart + " --period 0.1", {"--lqr"});
  expect_bad_input("linearize " + cart + " --lqr --effort-weight cart=-1",
                   {"--effort-weight", "-1"});
  expect_bad_input("linearize " + cart + " --lqr --motors crt", {"crt", "cart"});
  expect_bad_input("linearize " + cart + " --lqr --motors pole", {"not affected"});
  expect_bad_input("linearize " + cart + " --lqr --period 1e9", {"--period 1", "a shorter one"});
}

/// Weights and motors that would be ignored, or taken for something else; weights that are not named.
TEST_F(ProgramLinearize, weights_of_regulators_are_those_given) {
  const std::string cart = "linearize " + fs::absolute("examples/cart_pole.yaml").string();
  for (const char* option : {" --position-weight 3", " --velocity-weight 3", " --effort-weight 3"})
    expect_bad_input(cart + option, {"weights are those of --lqr"});
  expect_bad_input(cart + " --lqr --position-weight cart=1,cart=2", {"joint 'cart' twice"});
  expect_bad_input(cart + " --lqr --motors cart,cart", {"joint 'cart' twice"});
  expect_bad_input(cart + " --lqr --position-weight 0", {"not seen by the weights"});
  const auto gains = [&](const std::string& options) {
    const Outcome o = run(cart + " --lqr -o - " + options);
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out)["lqr"]["K"];
  };
  EXPECT_EQ(gains("--effort-weight cart=4"), gains("--effort-weight cart=4,pole=1"));
  // The period in the entry of a scenario is the one given.
  const Outcome sampled = run(cart + " --lqr --period 0.0123456789");
  EXPECT_NE(sampled.out.find("period: 0.0123456789"), std::string::npos) << sampled.out;
}

/// A slider of 2 kg, force noise 3, position noise 0.01: L = (sqrt(2 s), s) with s = 3 / 2 / 0.01.
TEST_F(ProgramLinearize, designs_kalman_filters) {
  write("slider.yaml", R"(chasles: 1
name: slider
bodies:
  - {name: block, joint: {name: rail, type: prismatic, axis: [1, 0, 0]}, inertia: {mass: 2}}
)");
  const std::string noise = " --kalman --force-noise 3 --position-noise rail=0.01";
  const json filter = result(at("slider.yaml") + noise)["kalman"];
  expect_matrix(filter["L"], {{std::sqrt(300)}, {150}}, 1e-11);
  expect_matrix(filter["C"], {{1, 0}});
  EXPECT_EQ(filter["positions"], json::array({"rail"}));
  // Measured velocities alone: L = (0, s) for the part that is observable, and the position is not.
  expect_bad_input(
      "linearize " + at("slider.yaml") + " --kalman --position-noise 0 --velocity-noise 0.01",
      {"eigenvalue", "measurements"});
  // Short periods: variance of a sample v = noise^2 / T gives L_sampled = T L, to first order.
  const double T = 1e-5;
  const json sampled = result(at("slider.yaml") + " --kalman --force-noise 3 --period 1e-5" +
                              " --position-noise " + std::to_string(0.01 / std::sqrt(T)))["kalman"];
  EXPECT_NEAR(sampled["L"][1][0].get<double>() / T, 150, 0.5);

  // The printed entry balances a pole whose velocities are not measured.
  const std::string cart = fs::absolute("examples/cart_pole.yaml").string();
  const Outcome o = run("linearize " + cart +
                        " --lqr --motors cart --position-weight cart=10,pole=1 --kalman"
                        " --force-noise cart=1,pole=0.1 --period 0.01");
  ASSERT_EQ(o.code, 0) << o.err;
  write("balance.yaml", "chasles: 1\nmodel: " + cart +
                            "\nduration: 12\ninitial: {q: {cart: -0.3, pole: 0.1}}\n" +
                            o.out.substr(o.out.find("control:\n")));
  const Outcome ran = run("simulate " + at("balance.yaml") + " -o " + at("run.csv"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string table = text(folder / "run.csv");
  const auto last = table.rfind('\n', table.size() - 2) + 1;
  std::istringstream row(table.substr(last));
  for (std::string cell; std::getline(row, cell, ',');)
    EXPECT_TRUE(std::abs(std::stod(cell)) < 0.05 || std::stod(cell) == 12) << table.substr(last);

  expect_bad_input("linearize " + cart + " --force-noise 2", {"--kalman"});
  expect_bad_input("linearize " + cart + " --kalman --position-noise 0", {"nothing is measured"});
  expect_bad_input("linearize " + cart + " --kalman --position-noise crt=1", {"crt", "cart"});
  expect_bad_input("linearize " + cart + " --kalman --period 0", {"--period"});
}

TEST_F(ProgramLinearize, names_the_coordinate_by_which_forces_have_no_derivative) {
  write("odd.yaml", damped("[0.3, 0, 1e308]"));
  expect_bad_input("linearize " + at("odd.yaml"), {"derivatives of the forces by joint '"});
}

TEST_F(ProgramLinearize, a_hanging_rod) {
  const json got = result(at("rod.yaml"));
  EXPECT_EQ(got["model"], "pendulum");
  EXPECT_EQ(got["joints"], json::array({"hinge"}));
  EXPECT_EQ(got["state"], json::parse(R"({"t": 0.0, "q": [0.0], "v": [0.0], "a": [0.0]})"));
  expect_matrix(got["A"], {{0, 1}, {-16.35, 0}});
  expect_matrix(got["B"], {{0}, {1 / 0.6}});
  EXPECT_EQ(got["equilibrium"], true);
  EXPECT_FALSE(got.contains("discrete"));
  EXPECT_FALSE(got.contains("warnings"));
  ASSERT_EQ(got["modes"].size(), 1u);
  const json& mode = got["modes"][0];
  EXPECT_NEAR(mode["frequency"].get<double>(), omega, 1e-14);
  EXPECT_EQ(mode["damping"].get<double>(), 0);
  expect_matrix(json::array({mode["lambda"]}), {{0, omega}});
  expect_matrix(mode["shape"], {{1, 0}});
  ASSERT_EQ(got["eigenvalues"].size(), 2u);
  EXPECT_NEAR(std::abs(got["eigenvalues"][0][1].get<double>()), omega, 1e-14);
  expect_printed(at("rod.yaml"), {"pendulum: x' = A x + B u at t = 0 s; x has 2 entries, u 1",
                                  "0.643545", "4.04351", "hinge", "no mode grows"});
}

TEST_F(ProgramLinearize, damping_of_the_joint_acts) {
  const json got = result(at("damped.yaml"));
  // Slopes of forces are differences.
  expect_matrix(got["A"], {{0, 1}, {-16.35, -0.5}}, 1e-7);
  EXPECT_NEAR(got["modes"][0]["damping"].get<double>(), 0.25 / omega, 1e-8);
  EXPECT_NEAR(got["modes"][0]["frequency"].get<double>(), omega, 1e-7);
  // Not where a scenario says so; there the start is that of the scenario.
  write("s.yaml",
        "chasles: 1\nmodel: damped.yaml\nduration: 1\njoint_dynamics: false\n"
        "initial: {q: {hinge: pi}, v: {hinge: 0}}\n");
  const json top = result(at("s.yaml"));
  expect_matrix(top["A"], {{0, 1}, {16.35, 0}});
  ASSERT_EQ(top["modes"].size(), 2u);
  EXPECT_NEAR(top["modes"][0]["damping"].get<double>() * top["modes"][1]["damping"].get<double>(),
              -1, 1e-14);
  expect_printed(at("s.yaml"), {"unstable: some modes grow"});
}

TEST_F(ProgramLinearize, at_a_given_state) {
  const std::string half = at("rod.yaml") + " --states " + at("half.json");
  const json got = result(half);
  const double a = -9.81 * std::sin(0.5) / 0.6;
  expect_matrix(got["A"], {{0, 1}, {-16.35 * std::cos(0.5), 0}}, 4e-14);
  EXPECT_NEAR(got["state"]["a"][0].get<double>(), a, 1e-14);
  EXPECT_EQ(got["equilibrium"], false);
  EXPECT_EQ(got["modes"], json::array());
  EXPECT_NE(got["warnings"][0].get<std::string>().find("joint hinge by 7.839"), std::string::npos);
  expect_printed(half, {"no equilibrium", "hinge", "--equilibrium", "eigenvalues of A"});
  // Held by a torque it is an equilibrium.
  write("held.json", json{{"states", {{{"q", {0.5}}, {"tau", {-0.6 * a}}}}}}.dump());
  const json held = result(at("rod.yaml") + " --states " + at("held.json"));
  EXPECT_EQ(held["equilibrium"], true);
  EXPECT_NEAR(held["modes"][0]["frequency"].get<double>(), std::sqrt(16.35 * std::cos(0.5)), 1e-8);
  // Motion has no modes.
  write("moving.json", R"({"states": [{"q": [0], "v": [1]}]})");
  const std::string moving = at("rod.yaml") + " --states " + at("moving.json");
  EXPECT_EQ(result(moving)["equilibrium"], false);
  expect_printed(moving, {"it moves", "eigenvalues of A"});
}

TEST_F(ProgramLinearize, equilibrium_is_looked_for) {
  const json below = result(at("rod.yaml") + " --equilibrium --states " + at("half.json"));
  EXPECT_NEAR(below["state"]["q"][0].get<double>(), 0, 1e-14);
  EXPECT_NEAR(below["modes"][0]["frequency"].get<double>(), omega, 1e-14);
  const json above = result(at("rod.yaml") + " --equilibrium --states " + at("top.json"));
  EXPECT_NEAR(above["state"]["q"][0].get<double>(), M_PI, 1e-14);
  EXPECT_EQ(above["modes"].size(), 2u);
  // What falls freely has none.
  expect_failure("examples/tutorial/arm.urdf --floating-base --equilibrium",
                 {"no equilibrium near the start", "joint 'root_joint', component", "of 6"});
}

TEST_F(ProgramLinearize, the_step_under_a_held_force) {
  const double h = 0.1, c = std::cos(omega * h), s = std::sin(omega * h);
  const json got = result(at("rod.yaml") + " --discretize 0.1");
  EXPECT_EQ(got["discrete"]["time"], h);
  expect_matrix(got["discrete"]["A"], {{c, s / omega}, {-omega * s, c}});
  expect_matrix(got["discrete"]["B"], {{(1 - c) / (0.6 * 16.35)}, {s / (0.6 * omega)}});
  expect_matrix(result(at("rod.yaml") + " --discretize 0")["discrete"]["A"], {{1, 0}, {0, 1}}, 0);
}

TEST_F(ProgramLinearize, loops_are_closed) {
  // A parallelogram of two rods and a bar without mass: M = 0.6 + 0.35, K = 9.81 (1 + 0.5).
  write("loop.yaml", damped("0") + R"(
  - name: bar
    parent: rod
    joint: {type: revolute, axis: [0, 1, 0], point: [0, 0, -1], in: world}
    inertia: {mass: 1.0e-12, com: [0.5, 0, -1], tensor: [1.0e-12, 0, 0, 1.0e-12, 0, 1.0e-12]}
  - name: other
    joint: {type: revolute, axis: [0, 1, 0], point: [1, 0, 0]}
    inertia: {mass: 1, com: [1, 0, -0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}
loops: [{name: end, type: revolute, bodies: [bar, other], axis: [0, 1, 0], point: [1, 0, -1], in: world}]
)");
  const json got = result(at("loop.yaml"));
  EXPECT_EQ(got["coordinates"], json::array({"hinge"}));
  EXPECT_EQ(got["joints"], json::array({"hinge", "bar", "other"}));
  expect_matrix(got["M"], {{0.95}}, 1e-11);
  expect_matrix(got["K"], {{14.715}}, 1e-10);
  expect_matrix(got["A"], {{0, 1}, {-14.715 / 0.95, 0}}, 1e-10);
  EXPECT_EQ(got["B"][1].size(), 3u);
  EXPECT_NEAR(got["modes"][0]["frequency"].get<double>(), std::sqrt(14.715 / 0.95), 1e-11);
  expect_printed(at("loop.yaml"), {"1 degree of freedom; independent coordinates: hinge"});
  EXPECT_EQ(result(at("loop.yaml") + " --independent other")["coordinates"],
            json::array({"other"}));
  EXPECT_EQ(result(at("loop.yaml") + " --loops open")["A"].size(), 6u);
  expect_bad_input("linearize " + at("loop.yaml") + " --independent other,hinge",
                   {"2 independent coordinates", "1 degrees of freedom"});
  // Given beside the constraints, it is brought to them, and says so.
  write("beside.json", R"({"states": [{"q": [0.3, 0, 0]}]})");
  const json moved = result(at("loop.yaml") + " --states " + at("beside.json"));
  EXPECT_NE(moved["warnings"][0].get<std::string>().find("q was moved"), std::string::npos);
}

TEST_F(ProgramLinearize, stops_and_friction_of_a_scenario) {
  std::string limited = damped("0");
  const std::string at_hinge = "dynamics: {damping: 0}";
  limited.replace(limited.find(at_hinge), at_hinge.size(), "limits: {lower: -0.1, upper: 0.1}");
  write("limited.yaml", limited);
  const auto scenario = [&](const std::string& name, const std::string& more, double q) {
    write(name, "chasles: 1\nmodel: limited.yaml\nduration: 1\ninitial: {q: {hinge: " +
                    std::to_string(q) + "}}\n" + more);
    return at(name);
  };
  // 0.05 rad into a soft stop of 200 N m/rad.
  const json soft =
      result(scenario("soft.yaml", "limits: {mode: soft, stiffness: 200, damping: 0}\n", 0.15));
  EXPECT_NEAR(soft["A"][1][0].get<double>(), -(9.81 * std::cos(0.15) + 200) / 0.6, 1e-5);
  // It rests at 0.1 with a torque against a rigid stop, and friction holds it elsewhere.
  const json rigid = result(
      scenario("rigid.yaml",
               "limits: rigid\nforces: [{type: joint_torque, joint: hinge, value: 5}]\n", 0.1));
  EXPECT_EQ(rigid["held"], json::array({"hinge"}));
  EXPECT_EQ(rigid["A"], json::array());
  EXPECT_NE(rigid["warnings"][0].get<std::string>().find("held by stops or friction"),
            std::string::npos);
  const json stuck = result(
      scenario("stick.yaml",
               "forces: [{type: joint_friction, joint: hinge, coulomb: 2, stick: true}]\n", 0.05));
  EXPECT_EQ(stuck["held"], json::array({"hinge"}));
}

/// A hinge whose law is sampled: x_k+1 = A x_k, with the efforts that are delayed.
TEST_F(ProgramLinearize, a_sampled_loop) {
  write("hinge.yaml", damped("0"));
  const auto scenario = [&](const std::string& name, const std::string& control) {
    write(name,
          "chasles: 1\nmodel: hinge.yaml\nduration: 1\ninitial: {q: {hinge: 0.1}}\n" + control);
    return at(name);
  };
  const auto sampled = [&](const std::string& name, const std::string& law) {
    return scenario(
        name, "control: [{type: pd, joints: [hinge], reference: {hinge: 0.1}, gravity: true, " +
                  law + "}]\n");
  };
  const json still = result(sampled("sampled.yaml", "stiffness: 3, damping: 1, period: 0.01"));
  const json& loop = still["sampled"];
  EXPECT_EQ(loop["period"], 0.01);
  EXPECT_EQ(loop["A"].size(), 2u);
  EXPECT_EQ(loop["delayed_efforts"], json::array());
  EXPECT_EQ(loop["eigenvalues"].size(), 2u);
  EXPECT_TRUE(loop["stable"].get<bool>());
  EXPECT_LT(loop["spectral_radius"].get<double>(), 1);
  EXPECT_TRUE(still["equilibrium"].get<bool>());
  const json late = result(
      sampled("late.yaml", "stiffness: 3, damping: 1, period: 0.01, delay: 0.015"))["sampled"];
  EXPECT_EQ(late["A"].size(), 4u);
  EXPECT_EQ(late["delayed_efforts"][1]["joint"], "hinge");
  EXPECT_EQ(late["delayed_efforts"][1]["samples_ago"], 2);
  const json wild =
      result(sampled("wild.yaml", "stiffness: 3, damping: 1000, period: 0.01"))["sampled"];
  EXPECT_FALSE(wild["stable"].get<bool>());
  EXPECT_EQ(wild["stability"], "unstable");
  expect_bad_input(
      "linearize " + scenario("two.yaml",
                              "control: [{type: pd, joints: [hinge], stiffness: 3, period: 0.01}, "
                              "{type: gravity_compensation, joints: [hinge], period: 0.02}]\n"),
      {"0.01", "0.02", "one period"});
}

TEST_F(ProgramLinearize, what_is_not_damped) {
  // Springs whose slopes are differences: rounding does not make them grow.
  expect_printed("examples/scenarios/tether.yaml --equilibrium", {"no mode grows"});
  write("nothing.yaml", "chasles: 1\nbodies: [{name: stone}]\n");
  const json nothing = result(at("nothing.yaml"));
  EXPECT_EQ(nothing["A"], json::array());
  EXPECT_EQ(nothing["joints"], json::array());
  EXPECT_EQ(nothing["warnings"][0], "nothing moves");
}

TEST_F(ProgramLinearize, wrong_inputs_are_named) {
  const std::string of_rod = "linearize " + at("rod.yaml");
  expect_bad_input(of_rod + " -o - --discretize -0.1", {"--discretize", "not negative"});
  for (const char* bad : {"inf", "nan"})
    expect_bad_input(of_rod + " -o - --discretize " + bad, {"--discretize '", "finite number"});
  expect_bad_input(of_rod + " --discretize 0.1", {"--discretize", "-o"});
  write("two.json", R"({"states": [{"q": [0]}, {"q": [1]}]})");
  write("none.json", R"({"states": []})");
  expect_bad_input(of_rod + " --states " + at("two.json"), {"two.json", "2 states", "takes one"});
  expect_bad_input(of_rod + " --states " + at("none.json"), {"none.json"});
  expect_bad_input(of_rod + " --states " + at("missing.json"), {"missing.json"});
  expect_bad_input("linearize " + at("missing.yaml"), {"missing.yaml", "no such file"});
  expect_bad_input("linearize - --states -", {"both standard input"});
  write("s.yaml", "chasles: 1\nmodel: rod.yaml\nduration: 1\n");
  expect_bad_input("linearize --floating-base " + at("s.yaml"), {"s.yaml", "floating_base"});
  write("point.yaml",
        "chasles: 1\nbodies: [{name: p, joint: {type: revolute, axis: [0, 1, 0]}}]\n");
}

/// A tool without mass on a hanging rod: the rod swings as without it, and a free coordinate is at rest anywhere.
TEST_F(ProgramLinearize, joints_without_mass_have_an_armature) {
  write("tool.yaml", damped("0") +
                         "  - {name: tool, parent: rod, joint: {type: revolute, axis: [0, 0, 1], "
                         "dynamics: {stiffness: 4}}}\n");
  const Outcome o = run("linearize " + at("tool.yaml") + " -o -");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("joint 'tool' moves no mass"), std::string::npos) << o.err;
  const json modes = json::parse(o.out).at("modes");
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_NEAR(modes[0].at("frequency"), 2, 1e-6);  // stiffness 4, armature 1
  EXPECT_NEAR(modes[1].at("frequency"), omega, 1e-6);
  const Outcome rest = run("equilibrium " + at("tool.yaml") + " --q hinge=0.3");
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_NE(rest.err.find("joint 'tool' moves no mass"), std::string::npos) << rest.err;
  EXPECT_NE(rest.out.find("  stable, potential"), std::string::npos) << rest.out;
}

TEST_F(ProgramLinearize, an_input_is_never_overwritten) {
  const std::string states = text(folder / "half.json");
  expect_bad_input(
      "linearize " + at("rod.yaml") + " --states " + at("half.json") + " -o " + at("half.json"),
      {"half.json", "is the input"});
  EXPECT_EQ(text(folder / "half.json"), states);
  fs::create_symlink("rod.yaml", folder / "link.json");
  expect_bad_input("linearize " + at("rod.yaml") + " -o " + at("link.json"), {"is the input"});
  write("s.yaml", "chasles: 1\nmodel: rod.yaml\nduration: 1\n");
  expect_bad_input("linearize " + at("s.yaml") + " -o " + at("link.json"), {"is the input"});
  EXPECT_EQ(text(folder / "rod.yaml"), damped("0"));
  expect_bad_input("linearize " + at("rod.yaml") + " -o " + at("r.csv"),
                   {"r.csv", "results are written as .json"});
}

}  // namespace
}  // namespace chasles
