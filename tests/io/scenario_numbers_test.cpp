/// The numbers of a scenario: where they are, and texts with others in their places.
#include "chasles/io/scenario_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "chasles/io/scenario_file.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

const std::string scenario_text = R"(chasles: 1  # the format
model: arm.yaml
gravity: [0, 0, -9.81]   # down
initial: {q: {shoulder: 0.3, "el.bow": 1}}
duration: "10"
forces:
  - {type: pd_hold, joint: shoulder, stiffness: 1e2, target: +.5}
  # 7 is not a value
  - type: joint_torque
    value: {amplitude: 1, frequency: -0}
integrator:
  method: dop853
  tolerance: 1.0e-10
)";

TEST(ScenarioNumbers, are_found_with_their_paths_and_places) {
  std::vector<std::string> found;
  for (const ScenarioNumber& n : scenario_numbers(scenario_text, "s.yaml")) {
    std::istringstream lines(scenario_text);
    std::string line;
    for (int i = 0; i < n.line; ++i) std::getline(lines, line);
    EXPECT_EQ(line.substr(static_cast<std::size_t>(n.column - 1), n.text.size()), n.text);
    found.push_back(n.path + "=" + n.text);
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{
                "gravity.0=0", "gravity.1=0", "gravity.2=-9.81", "initial.q.shoulder=0.3",
                "forces.0.stiffness=1e2", "forces.0.target=+.5", "forces.1.value.amplitude=1",
                "forces.1.value.frequency=-0", "integrator.tolerance=1.0e-10"}));
  EXPECT_SAYS(scenario_numbers("a: [1", "s.yaml"), "s.yaml:");
  EXPECT_TRUE(scenario_numbers("a: text\nb: .nan\nc: .inf\n", "s.yaml").empty());
}

TEST(ScenarioNumbers, are_replaced_and_all_else_stays) {
  const std::string changed = with_number(scenario_text, "s.yaml", "gravity.2", 0.1);
  std::string expected = scenario_text;
  expected.replace(expected.find("-9.81"), 5, "0.1");
  EXPECT_EQ(changed, expected);
  for (const ScenarioNumber& number : scenario_numbers(scenario_text, "s.yaml")) {
    const double value = 1.0 / 3 + number.line;
    const std::string other = with_number(scenario_text, "s.yaml", number.path, value);
    std::size_t differences = 0;
    for (const ScenarioNumber& after : scenario_numbers(other, "s.yaml"))
      for (const ScenarioNumber& before : scenario_numbers(scenario_text, "s.yaml"))
        if (after.path == before.path && after.value != before.value) {
          ++differences;
          EXPECT_EQ(after.path, number.path);
          EXPECT_EQ(after.value, value);
        }
    EXPECT_EQ(differences, 1U);
  }
  EXPECT_SAYS(with_number(scenario_text, "s.yaml", "gravty.2", 1), "has no number 'gravty.2'");
  EXPECT_SAYS(with_number(scenario_text, "s.yaml", "duration", 1), "has no number 'duration'");
  EXPECT_SAYS(with_number(scenario_text, "s.yaml", "gravity.2", NAN), "not a finite number");
}

// The paths are those of changes: a replaced number and a change read as the same scenario.
TEST(ScenarioNumbers, are_what_changes_change) {
  const std::filesystem::path file = "examples/scenarios/stops.yaml";
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const auto numbers = scenario_numbers(text.str(), file.string());
  EXPECT_GE(numbers.size(), 3U);
  EXPECT_EQ(std::ranges::count(numbers, "duration", &ScenarioNumber::path), 1);
  const std::vector<std::string> changes{"duration=2.5"};
  EXPECT_EQ(read_scenario(file, nullptr, nullptr, changes).duration, 2.5);
}

}  // namespace
}  // namespace chasles
