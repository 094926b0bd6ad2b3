#pragma once

#include <sys/types.h>

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Another program, with a connection to it: bytes that are written arrive at its descriptor `in`, and what it writes to its
/// descriptor `out` is read. Its other output is discarded. It is ended with this object, with all programs it started.
class Child {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param words  its name, searched in PATH, and its arguments
  /// @throws std::system_error if it cannot be started
  Child(const std::vector<std::string>& words, int in, int out);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Writes all of it, while what arrives is kept for `read`.
  /// @throws std::runtime_error if it takes longer than until `end`, or the program has ended
  void write(std::string_view text, Clock::time_point end);
  /// What has arrived; waits until something does. Empty: the program has closed its end.
  /// @throws std::runtime_error after `end`
  std::string read(Clock::time_point end);
  /// No more input will come.
  void end_input();
  /// Its exit code once it has ended; negative: the signal that ended it. @throws as read
  int wait(Clock::time_point end);

 private:
  bool receive();  // false: at its end
  std::string name_, arrived_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  bool at_end_ = false;
};

/// The first of these programs in PATH, as its whole name; nothing if there is none.
std::optional<std::string> find_program(std::initializer_list<const char*> names);
