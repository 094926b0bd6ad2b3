/// Tests compile with sanitizers, whose builds do not count allocations (support/allocation.hpp).

#include <gtest/gtest.h>

#include "text_files.hpp"

namespace {

/// Lines that use the count of allocations where it may not exist.
std::vector<std::string> unguarded(const std::string& text) {
  std::vector<std::string> found;
  std::vector<bool> counted{false};  // of the conditions that a line is in
  for (const std::string& line : house::lines_of(text)) {
    if (line.starts_with("#if"))
      counted.push_back(counted.back() || line.find("CHASLES_COUNTS_ALLOCATIONS") != line.npos);
    else if (line.starts_with("#endif") && counted.size() > 1)
      counted.pop_back();
    else if (line.find("test::allocations") != line.npos && !counted.back())
      found.push_back(line);
  }
  return found;
}

TEST(Sanitized, tests_count_allocations_only_where_they_are_counted) {
  for (const std::string& file : house::files_in({"tests"}, {"_test.cpp", "workspaces.cpp"}))
    for (const std::string& line : unguarded(house::text_of(file)))
      ADD_FAILURE() << file << ": within #ifdef CHASLES_COUNTS_ALLOCATIONS only: " << line;
}

TEST(Sanitized, unguarded_counts_are_found) {
  EXPECT_EQ(unguarded("long n = test::allocations;\n").size(), 1u);
  EXPECT_EQ(
      unguarded("#ifdef CHASLES_COUNTS_ALLOCATIONS\n#if 1\n#endif\ntest::allocations\n#endif\n")
          .size(),
      0u);
  EXPECT_EQ(unguarded("#ifdef CHASLES_COUNTS_ALLOCATIONS\n#endif\ntest::allocations\n").size(), 1u);
}

}  // namespace
