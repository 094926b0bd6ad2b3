/// Names of keys and values that changed: files with the old ones mean what they meant, with one warning for
/// each that names the present one.

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/scenario_files.hpp"

namespace renamed_keys_test {

using namespace chasles;
using test::ScenarioFile;

const std::string present = R"(chasles: 1
bodies:
  - {name: base, joint: {type: floating, group: so3xr3}, inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}}
  - name: arm
    parent: base
    joint: {type: custom, parameterization: sum, screws: [{axis: [0, 0, 1]}, {axis: [1, 0, 0]}]}
    inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}
loops:
  - {name: l, type: custom, bodies: [arm, ground], parameterization: sum, screws: [{axis: [0, 0, 1]}]}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST(RenamedKeys, of_models_are_read_with_a_warning_each) {
  const std::string old =
      with(with(present, "parameterization", "coordinates"), "type: floating", "type: free");
  std::vector<std::string> said, silence;
  ReadOptions options;
  options.warnings = &said;
  const Mechanism m = read_yaml(old, "old.yaml", options);
  options.warnings = &silence;
  EXPECT_EQ(write_yaml(m), write_yaml(read_yaml(present, "new.yaml", options)));
  EXPECT_TRUE(silence.empty());
  ASSERT_EQ(said.size(), 3u);
  test::expect_parts(said[0], {"old.yaml:3:", "type 'free'", "'floating'"});
  test::expect_parts(said[1], {"old.yaml:6:", "the key 'coordinates'", "'parameterization'"});
  test::expect_parts(said[2], {"old.yaml:9:", "the key 'coordinates'", "'parameterization'"});
}

TEST(RenamedKeys, both_names_at_once_are_refused) {
  EXPECT_SAYS(
      read_yaml(with(present, "parameterization: sum", "parameterization: sum, coordinates: sum"),
                "both.yaml"),
      "unknown key 'coordinates'");
}

class OldScenario : public ScenarioFile {};

TEST_F(OldScenario, is_read_with_a_warning_each) {
  std::vector<std::string> said;
  const auto path = write("s.yaml", R"(chasles: 1
model: arm.yaml
duration: 1
coordinates: absolute
stabilisation: none
integrator: {method: mk4, step: 0.01, coordinates: cayley}
)");
  const Scenario old = read_scenario(path, &said);
  EXPECT_TRUE(old.joints);  // maximal coordinates
  EXPECT_EQ(old.integrator.stabilization, Stabilization::none);
  EXPECT_EQ(old.integrator.chart, Chart::cayley);
  ASSERT_EQ(said.size(), 3u);
  test::expect_parts(said[0], {":4:", "'absolute'", "'maximal'"});
  test::expect_parts(said[1], {":5:", "'stabilisation'", "'stabilization'"});
  test::expect_parts(said[2], {":6:", "'coordinates'", "'chart'"});
}

TEST_F(OldScenario, takes_old_names_of_quantities) {
  std::vector<std::string> said;
  const auto path = write("s.yaml", R"(chasles: 1
model: arm.yaml
duration: 1
record: {every: 0.1, quantities: [energy, constraint_independence]}
)");
  const Scenario old = read_scenario(path, &said);
  ASSERT_EQ(old.quantities.size(), 2u);
  EXPECT_EQ(old.quantities[1], "constraint_reciprocal_condition");
  ASSERT_EQ(said.size(), 1u);
  test::expect_parts(said[0],
                     {":4:", "'constraint_independence'", "'constraint_reciprocal_condition'"});
}

TEST_F(OldScenario, takes_old_values_of_the_command_line) {
  std::vector<std::string> said;
  const auto path = write("s.yaml", "chasles: 1\nmodel: arm.yaml\nduration: 1\n");
  const std::string changes[] = {"coordinates=absolute"};
  EXPECT_TRUE(read_scenario(path, &said, nullptr, changes).joints);
  EXPECT_EQ(said.size(), 1u);
}

}  // namespace renamed_keys_test
