#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "child.hpp"

/// A page in chromium without a window, and expressions of JavaScript in it. The browser is reached by a pipe, not by a
/// port, has a folder of its own that is removed with it, and ends with this object.
class Browser {
 public:
  using Clock = Child::Clock;

  /// @throws std::runtime_error with the remedy, if there is no chromium or it does not start
  Browser(int width, int height, Clock::time_point end);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Waits until the page says that it is ready. @throws std::runtime_error
  void open(const std::filesystem::path& page, Clock::time_point end);
  /// The value of an expression; promises are waited for.
  /// @throws std::runtime_error with the message of an exception in the page, or after `end`
  std::string text(const std::string& expression, Clock::time_point end);
  double number(const std::string& expression, Clock::time_point end);
  /// The whole page as PNG, in base64.
  std::string screenshot(Clock::time_point end);

 private:
  std::string call(const std::string& method, const std::string& parameters, Clock::time_point end);
  std::string evaluate(const std::string& expression, Clock::time_point end);

  std::filesystem::path folder_;
  std::optional<Child> chromium_;
  std::string session_, arrived_;
  int count_ = 0;
};
