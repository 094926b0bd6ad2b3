#pragma once

#include <exception>

/// Ends the program by a signal, after what was computed so far was written and reported.
struct Interrupted : std::exception {
  int signal;
  explicit Interrupted(int number) : signal(number) {}
  const char* what() const noexcept override { return "interrupted"; }
};
