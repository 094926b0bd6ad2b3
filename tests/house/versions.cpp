/// One version, wherever it is written.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "chasles/version.hpp"

namespace versions_test {

std::string found_in(const char* file, const char* pattern) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::smatch match;
  const std::string all = text.str();
  return std::regex_search(all, match, std::regex(pattern)) ? match[1].str() : "";
}

TEST(Versions, are_the_same_everywhere) {
  const std::string version(chasles::version());
  EXPECT_EQ(found_in("CMakeLists.txt", R"(VERSION (\d+\.\d+\.\d+) LANGUAGES)"), version);
  EXPECT_EQ(found_in("CITATION.cff", R"(\nversion: ([\d.]+))"), version);
  EXPECT_EQ(found_in("package.xml", R"(<version>([\d.]+)</version>)"), version);
  EXPECT_EQ(found_in("pyproject.toml", R"text(\nversion = "([\d.]+)")text"), version);
  EXPECT_EQ(found_in("debian/changelog", R"(^chasles \(([\d.]+)\))"), version);
  // The shared library is called MAJOR.MINOR, and so is its package.
  const std::string minor = version.substr(0, version.rfind('.'));
  EXPECT_EQ(found_in("debian/control", R"(Package: libchasles([\d.]+))"), minor);
}

}  // namespace versions_test
