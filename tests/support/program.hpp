/// Runs the program `chasles` in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

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
  /// Starts the program by itself: signals as for a program that a person starts, however the tests
  /// were started.
  pid_t start(const std::vector<std::string>& arguments) {
    const std::string out = (folder / "out").string(), err = (folder / "err").string();
    std::vector<char*> words{const_cast<char*>(CHASLES_PROGRAM)};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, ignored_);
    std::freopen(out.c_str(), "w", stdout);
    std::freopen(err.c_str(), "w", stderr);
    execv(CHASLES_PROGRAM, words.data());
    _exit(127);
  }
  /// Waits until a file has so many lines; a program that never gets there fails the test in the end.
  static bool grows(const fs::path& file, long lines) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    while (std::chrono::steady_clock::now() < end) {
      const std::string content = text(file);
      if (std::count(content.begin(), content.end(), '\n') >= lines) return true;
      usleep(10'000);
    }
    return false;
  }
  /// The exit code; of a program that a signal ended, its negative.
  static int wait(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void (*ignored_)(int) = SIG_DFL;  // or SIG_IGN: as a job of a script, or under nohup

  void expect_bad_input(const std::string& arguments, std::initializer_list<const char*> parts) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_EQ(o.out, "");
    for (const char* part : parts) EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
  }
};

}  // namespace chasles
