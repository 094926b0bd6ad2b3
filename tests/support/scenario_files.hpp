/// A folder with a model, for tests that read scenarios.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "chasles/io/scenario_file.hpp"
#include "support/arm.hpp"

namespace chasles::test {

class ScenarioFile : public ::testing::Test {
 protected:
  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("chasles_scenario_test_" + std::to_string(getpid()));
  void SetUp() override {
    std::filesystem::create_directories(folder);
    write("arm.yaml", arm_yaml);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Scenario read(const std::string& rest) {
    return read_scenario(write("s.yaml", "chasles: 1\nmodel: arm.yaml\n" + rest));
  }
  /// The message begins with the file and the line.
  void refused(const std::string& rest, int line, std::initializer_list<const char*> parts) {
    try {
      read(rest);
      ADD_FAILURE() << "no error: " << rest;
    } catch (const Error& error) {
      const std::string text = error.what();
      const std::string location = (folder / "s.yaml").string() + ":" + std::to_string(line) + ":";
      EXPECT_EQ(text.rfind(location, 0), 0u) << text << "\n" << location;
      for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
};

}  // namespace chasles::test
