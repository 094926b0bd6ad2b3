/// Names that belong to some folders: elsewhere, what they stand for is asked by functions of these.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "house/text_files.hpp"
#include "model/model_data.hpp"

namespace names_test {

namespace fs = std::filesystem;

struct Rule {
  std::string_view name;
  std::vector<std::string_view> folders;  // where it may stand
};

/// A motion is added in these folders alone. src/model/link_motion.hpp answers questions about motions.
const Rule link_motion{"LinkMotion::", {"src/mechanism/", "src/model/", "src/kernels/"}};
/// The algorithms of the papers are what others are tested against, not what they are made of.
const Rule textbook{"textbook::", {"src/textbook/", "include/chasles/textbook/"}};

bool may_name(const Rule& rule, const std::string& file) {
  return std::any_of(rule.folders.begin(), rule.folders.end(),
                     [&](std::string_view folder) { return file.starts_with(folder); });
}

TEST(Names, stand_in_their_folders_only) {
  int named = 0;
  for (const fs::path top : {"include", "src"})
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      if (!entry.is_regular_file()) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      for (const Rule* rule : {&link_motion, &textbook}) {
        if (text.str().find(rule->name) == std::string::npos) continue;
        ++named;
        EXPECT_TRUE(may_name(*rule, entry.path().generic_string()))
            << entry.path() << " names " << rule->name;
      }
    }
  EXPECT_GT(named, 10);
}

TEST(Names, are_found_elsewhere) {
  EXPECT_TRUE(may_name(link_motion, "src/model/groups.cpp"));
  EXPECT_FALSE(may_name(link_motion, "src/constraints/cut_joint.cpp"));
  EXPECT_FALSE(may_name(link_motion, "src/kinematics/jacobian.cpp"));
  EXPECT_FALSE(may_name(link_motion, "src/models/groups.cpp"));
  EXPECT_FALSE(may_name(textbook, "src/derivatives/tree_series.cpp"));
}

/// Free functions of a header as "name(parameters": declarations at the beginning of a line.
std::vector<std::string> free_functions(const std::string& text) {
  std::vector<std::string> out;
  const std::regex declaration(R"(\n[A-Za-z_][\w:<>,&* ]* &?([a-z]\w*\([^;{]*?)\)\s*;)");
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at)
    out.push_back((*at)[1]);
  return out;
}
/// docs/notation.md, section 8: the model is the first argument, or none.
bool takes_the_model_late(const std::string& function) {
  const std::size_t at = function.find("const Model& model");
  return at != std::string::npos && at != function.find('(') + 1;
}

TEST(Names, of_models_are_first_arguments) {
  int with_model = 0;
  for (const std::string_view layer : {"kinematics", "dynamics", "textbook", "derivatives",
                                       "constraints", "systems", "linearization", "simulation"})
    for (const std::string& file :
         house::files_in({"include/chasles/" + std::string(layer)}, {".hpp"}))
      for (const std::string& function : free_functions(house::text_of(file))) {
        with_model += function.find("const Model& model") != std::string::npos;
        EXPECT_FALSE(takes_the_model_late(function)) << file << ": " << function;
      }
  EXPECT_GT(with_model, 50);
}
TEST(Names, of_models_that_come_late_are_found) {
  const auto functions = free_functions(
      "\nvoid a(const Model& model, int q);\ndouble b(int q, const Model& model);\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_FALSE(takes_the_model_late(functions[0]));
  EXPECT_TRUE(takes_the_model_late(functions[1]));
}

}  // namespace names_test
