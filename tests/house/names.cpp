/// Names that belong to some folders: elsewhere, what they stand for is asked by functions of these.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace names_test
