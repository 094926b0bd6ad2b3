#pragma once

#include <exception>

/// Ends the program with exit code 130, after what was computed so far was written and reported.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};
