/// What fuzzing found before is found no more: the corpus, file by file.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "fuzz/targets.hpp"

namespace chasles::fuzz {
namespace {

namespace fs = std::filesystem;

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, of_past_findings) {
  const fs::path folder = fs::path("tests/fuzz/corpus") / GetParam().name;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 3u) << folder;
  for (const fs::path& file : files) {
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    EXPECT_NO_THROW(GetParam().run(bytes.str())) << file;
    // A piece of it is another input.
    for (const std::size_t part : {2, 3, 5})
      EXPECT_NO_THROW(GetParam().run(bytes.str().substr(0, bytes.str().size() / part))) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, testing::ValuesIn(targets),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Fuzz, a_broken_law_is_a_failure) { EXPECT_THROW(require(false, "law"), Failure); }

}  // namespace
}  // namespace chasles::fuzz
