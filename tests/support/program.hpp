/// Runs the program `chasles` in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace chasles {

namespace fs = std::filesystem;

struct Outcome {
  int code;
  std::string out, err;
};

class Program : public ::testing::Test {
 protected:
  fs::path folder =
      fs::temp_directory_path() / ("chasles_program_test_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  static std::string text(const fs::path& file) {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
  }
  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Outcome run(const std::string& arguments) {
    const fs::path out = folder / "out", err = folder / "err";
    const std::string command =
        std::string(CHASLES_PROGRAM) + " " + arguments + " >" + out.string() + " 2>" + err.string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text(out), text(err)};
  }
  void expect_bad_input(const std::string& arguments, std::initializer_list<const char*> parts) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_EQ(o.out, "");
    for (const char* part : parts) EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
  }
};

}  // namespace chasles
