/// What the library throws. A wrong model or argument is reported where it enters, with the value,
/// the defect and the remedy; nothing is thrown from numeric kernels
/// (docs/adr/0004-exceptions-at-the-boundary.md).
#pragma once

#include <charconv>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>

namespace chasles {

/// Base of every exception of the library: catch this one.
///
///     try { chasles::SO3 R(matrix); } catch (const chasles::Error& e) { std::puts(e.what()); }
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The shortest decimal text that reads back as the same number.
template <class Number>
std::string to_text(Number value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

/// A measured defect, for people: three significant digits.
inline std::string to_short_text(double value) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3).ptr;
  return {text, end};
}

/// "(a, b, c)" with every number as `to_text` writes it.
template <class Range>
std::string tuple_text(const Range& values) {
  std::string text = "(";
  for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + to_text(value);
  return text + ")";
}

}  // namespace chasles
