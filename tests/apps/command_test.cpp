/// Every command of the program on a rod that swings about y, 2 kg at 0.5 m with 0.1 kg m^2 about its
/// center of mass, against what follows by hand: M = 0.6, gravity = 9.81 sin q, omega^2 = 16.35. A command
/// that is new has a row.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "chasles/integrators/integrator.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/model/model.hpp"
#include "support/program.hpp"

namespace chasles {
namespace command_test {

using nlohmann::json;

class ProgramCommands : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    rod = write("rod.yaml", R"(chasles: 1
name: rod
bodies:
  - name: rod
    joint: {name: pivot, type: revolute, axis: [0, 1, 0]}
    inertia: {mass: 2, com: [0, 0, -0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.01]}
frames:
  - {name: tip, body: rod, pose: {xyz: [0, 0, -1]}}
)");
    swing = write("swing.yaml", R"(chasles: 1
model: rod.yaml
duration: 1
initial: {v: {pivot: 1e-6}}
integrator: {method: dop853, tolerance: 1e-13}
record: {every: 0.5}
)");
    states = write("states.json", R"({"states": [{"q": [0.3], "v": [2]}]})");
    recorded = folder / "run.json";
    run("simulate " + swing.string() + " -o " + recorded.string());
  }
  fs::path rod, swing, states, recorded;
};

TEST_F(ProgramCommands, do_what_follows_by_hand) {
  struct Row {
    std::string arguments;
    std::function<void(const std::string& out)> check;
  };
  const double omega = std::sqrt(2 * 9.81 * 0.5 / 0.6);
  const auto has = [](const std::string& part) {
    return [part](const std::string& out) {
      EXPECT_NE(out.find(part), std::string::npos) << part << "\n" << out.substr(0, 2000);
    };
  };
  const std::map<std::string, Row> rows{
      {"bench",
       {rod.string() + " --json",
        [](const std::string& out) {
          for (const auto& [name, times] : json::parse(out)["ns_per_state"].items())
            EXPECT_GT(times["one"].get<double>(), 1) << name;
        }}},
      {"convert",
       {rod.string(),
        [](const std::string& out) {
          const Model model = compile(read_yaml(out, "converted"));
          EXPECT_EQ(model.mass(), 2);
          EXPECT_EQ(model.joint("pivot").Y[0], (Twist{{0, 1, 0}, {}}));
        }}},
      {"eval",
       {rod.string() + " --states " + states.string() + " --compute mass_matrix,gravity",
        [](const std::string& out) {
          const json at = json::parse(out)["results"][0];
          EXPECT_NEAR(at["mass_matrix"][0][0].get<double>(), 0.6, 1e-15);
          EXPECT_NEAR(at["gravity"][0].get<double>(), 9.81 * std::sin(0.3), 1e-14);
        }}},
      {"equilibrium",
       {rod.string() + " --q pivot=2 --all 5 -o -",
        [&](const std::string& out) {
          const json list = json::parse(out)["equilibria"];
          ASSERT_EQ(list.size(), 2U);
          EXPECT_EQ(list[0]["stability"], "stable");
          EXPECT_NEAR(list[0]["joints"]["pivot"].get<double>(), 0, 1e-12);
          EXPECT_NEAR(list[0]["modes"][0]["frequency"].get<double>(), omega, 1e-12);
          EXPECT_EQ(list[1]["stability"], "unstable");
          EXPECT_NEAR(std::abs(list[1]["joints"]["pivot"].get<double>()), M_PI, 1e-12);
          EXPECT_NEAR(list[1]["potential_energy"].get<double>(), 9.81, 1e-12);
        }}},
      {"help", {"ik", has(run("ik --help").out)}},
      {"ik",
       {rod.string() + " --json --frame tip --target=" + std::to_string(-std::sin(0.5)) + ",0," +
            std::to_string(-std::cos(0.5)) + " --tolerance 1e-5",
        [](const std::string& out) {
          EXPECT_NEAR(json::parse(out)["q"][0].get<double>(), 0.5, 1e-5);
        }}},
      {"info", {rod.string(), has("rod: revolute 'pivot' q[0] v[0], 2 kg")}},
      {"linearize",
       {rod.string() + " -o -",
        [&](const std::string& out) {
          EXPECT_NEAR(json::parse(out)["modes"][0]["frequency"].get<double>(), omega, 1e-14);
        }}},
      {"methods",
       {"--json",
        [](const std::string& out) {
          const json list = json::parse(out)["methods"];
          ASSERT_EQ(list.size(), methods().size());
          for (std::size_t i = 0; i < list.size(); ++i)
            EXPECT_EQ(list[i]["order"], methods()[i].order) << list[i]["name"];
        }}},
      {"plot", {recorded.string() + " q -o -", has(">q:pivot<")}},
      {"render", {"--help", has("PICTURE.png or FILM.webm")}},  // tests/viewer, render_test.cpp
      {"report", {recorded.string() + " -o -", has("q:pivot [rad]")}},
      {"reproduce", {"rcm", has("rcm")}},
      {"serve", {"--help", has("with the token in its address")}},  // serve_test.cpp
      {"simulate",
       {swing.string() + " -o -",
        [&](const std::string& out) {
          double t = 0, q = 0, v = 0;  // of the last line
          const std::string last = out.substr(out.rfind('\n', out.size() - 2) + 1);
          ASSERT_EQ(std::sscanf(last.c_str(), "%lf,%lf,%lf", &t, &q, &v), 3) << out;
          EXPECT_NEAR(q, 1e-6 * std::sin(omega) / omega, 1e-14);
          EXPECT_NEAR(v, 1e-6 * std::cos(omega), 1e-14);
        }}},
      {"verify", {"iftomm_a01_pendulum", has("1 of 1 problems agree")}},
      {"view", {rod.string() + " -o -", has("\"pivot\"")}},
  };

  const std::string help = run("--help").out;
  std::istringstream lines(help.substr(help.find("Subcommands:")));
  std::string line;
  std::getline(lines, line);
  std::size_t commands = 0;
  while (std::getline(lines, line)) {
    std::smatch found;
    if (!std::regex_match(line, found, std::regex("  ([a-z]+) .*"))) continue;
    ++commands;
    const auto row = rows.find(found[1]);
    ASSERT_NE(row, rows.end()) << "command " << found[1] << " has no row";
    const Outcome o = run(row->first + " " + row->second.arguments);
    EXPECT_EQ(o.code, 0) << row->first << ": " << o.err;
    row->second.check(o.out);
  }
  EXPECT_EQ(commands, rows.size());
}

}  // namespace command_test
}  // namespace chasles
