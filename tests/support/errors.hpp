/// Expectations about the message of an Error.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "chasles/error.hpp"

namespace chasles::test {

/// The message of the Error that f throws; "no error" if it throws none.
template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}
inline void expect_parts(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace chasles::test

/// The expression throws an Error whose message has all these parts.
#define EXPECT_SAYS(expression, ...)                                                            \
  do {                                                                                          \
    const std::string text = ::chasles::test::message([&] { (void)(expression); });             \
    for (const std::string& part : std::vector<std::string>{__VA_ARGS__})                       \
      EXPECT_NE(text.find(part), std::string::npos) << "missing '" << part << "' in: " << text; \
  } while (false)
