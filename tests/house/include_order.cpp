/// The layers of the library, and the rule that a file includes only its own layer and lower ones.
/// The layer of a file is the first folder below include/chasles or src; files above the layers
/// (chasles/error.hpp, ...) serve everybody and so may include no layer.

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string_view name;
  int height;  // of equals, none sees the other
};

constexpr Layer layers[] = {
    {"detail", 1},      {"math", 1},         {"lie", 2},
    {"screws", 3},      {"mechanism", 4},    {"kernels", 5},
    {"model", 6},       {"kinematics", 7},   {"dynamics", 8},
    {"textbook", 9},    {"derivatives", 10}, {"constraints", 11},
    {"systems", 12},    {"integrators", 13}, {"linearization", 14},
    {"simulation", 14}, {"io", 15},
};

std::optional<int> height(std::string_view layer) {
  if (layer.empty()) return 0;
  for (const Layer& known : layers)
    if (known.name == layer) return known.height;
  return std::nullopt;
}

std::string first_folder(const fs::path& path) {
  return path.has_parent_path() ? path.begin()->string() : "";
}

/// What is wrong with the includes of a file, given its path below include/chasles or src.
std::vector<std::string> violations(const fs::path& file, const std::string& text) {
  static const std::regex include(R"(^\s*#\s*include\s*[<"](chasles/)?([^>"]+)[>"])");
  const std::string from = first_folder(file);
  if (file == "chasles.hpp") return {};  // all of them, for users
  if (!height(from)) return {file.string() + ": no layer is named " + from};

  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const bool ours = match[1].matched;
    const std::string to = first_folder(match[2].str());
    const bool upward = to != from && height(to) >= height(from);
    const bool unknown = ours && !height(to);
    if (upward || unknown || to == "..")
      found.push_back(file.string() + " must not include " + match[1].str() + match[2].str());
  }
  return found;
}

TEST(IncludeOrder, holds_in_every_file) {
  int files = 0;
  for (const fs::path top : {"include/chasles", "src"})
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      if (!entry.is_regular_file()) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const fs::path file = entry.path().lexically_relative(top);
      for (const std::string& violation : violations(file, text.str())) ADD_FAILURE() << violation;
      ++files;
    }
  EXPECT_GT(files, 3);
}

TEST(IncludeOrder, lets_a_layer_see_itself_what_is_below_and_what_serves_all) {
  const auto allowed = [](const char* file, const char* text) {
    EXPECT_TRUE(violations(file, text).empty()) << file << ": " << text;
  };
  allowed("dynamics/inverse.hpp", "#include <chasles/dynamics/energy.hpp>\n");
  allowed("dynamics/inverse.hpp", "#include <vector>\n#include \"chasles/lie/se3.hpp\"\n");
  allowed("dynamics/inverse.cpp", "#include \"kinematics/poses.hpp\"\n#include \"sweep.hpp\"\n");
  allowed("lie/se3.hpp", "#include <chasles/error.hpp>\n#include <Eigen/Core>\n");
  allowed("lie/se3.hpp", "// #include <chasles/simulation/scenario.hpp>\n");
  allowed("io/yaml.cpp", "#include <chasles/mechanism/mechanism.hpp>\n");
  allowed("io/csv.cpp", "#include <chasles/simulation/trajectory.hpp>\n");
  allowed("suggest.cpp", "#include <chasles/suggest.hpp>\n#include <fmt/format.h>\n");
}

TEST(IncludeOrder, forbids_the_rest) {
  const auto forbidden = [](const char* file, const char* line) {
    const std::string text = std::string("#pragma once\n") + line + "\n";
    EXPECT_EQ(violations(file, text).size(), 1) << file << ": " << line;
  };
  forbidden("lie/se3.hpp", "#include <chasles/mechanism/joint.hpp>");
  forbidden("lie/se3.hpp", "  # include \"chasles/io/yaml.hpp\"");
  forbidden("model/sub/model.cpp", "#include <chasles/dynamics/energy.hpp>");
  forbidden("dynamics/energy.cpp", "#include \"derivatives/table.hpp\"");
  forbidden("constraints/loop.hpp", "#include <integrators/tableau.hpp>");
  forbidden("constraints/loop.hpp", "#include <chasles/systems/constrained_system.hpp>");
  forbidden("linearization/modes.hpp", "#include <chasles/simulation/force.hpp>");
  forbidden("simulation/recorder.hpp", "#include <chasles/io/csv.hpp>");
  forbidden("dynamics/energy.cpp", "#include \"../kinematics/poses.hpp\"");
  forbidden("dynamics/energy.cpp", "#include <chasles/misc/tools.hpp>");
  forbidden("error.hpp", "#include <chasles/lie/so3.hpp>");
  forbidden("misc/tools.hpp", "#include <vector>");
}

}  // namespace
