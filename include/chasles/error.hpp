/// Exceptions of the library. A wrong model or argument is reported where it enters, with the value, the defect and
/// the remedy; numeric kernels do not throw (docs/adr/0004-exceptions-at-the-boundary.md).
#pragma once

#include <charconv>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Sanitizes a message that quotes external input: bounded length (the middle is omitted), no control characters
/// except newlines, so that file content cannot inject terminal escape sequences.
inline std::string message_text(std::string message) {
  constexpr std::size_t head = 700, tail = 300;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  if (message.size() > head + tail) {
    std::size_t first = head, last = message.size() - tail;  // do not cut UTF-8 characters
    while (first > 0 && continues(message[first])) --first;
    while (last < message.size() && continues(message[last])) ++last;
    message.replace(first, last - first, " ... ");
  }
  for (char& c : message)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) c = ' ';
  return message;
}

/// Base of all exceptions of the library. Messages have at most about 1000 bytes.
///
///     try { chasles::SO3 R(matrix); } catch (const chasles::Error& e) { std::puts(e.what()); }
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message_text(message)) {}
};

/// @param last  the last enumerator; the first is 0
/// @throws Error for a value outside the enumeration, made by a cast
template <class Enum>
constexpr void require_known(Enum value, Enum last, const char* what) {
  if (value < Enum{} || value > last) [[unlikely]]
    throw Error(std::string("there is no ") + what + " number " +
                std::to_string(static_cast<long>(value)));
}

/// The shortest decimal text that reads back as the same number.
template <class Number>
std::string to_text(Number value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

/// A number with three significant digits, for messages.
inline std::string to_short_text(double value) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3).ptr;
  return {text, end};
}

/// "(a, b, c)" with every number formatted by `to_text`.
template <class Range>
std::string tuple_text(const Range& values) {
  std::string text = "(";
  for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + to_text(value);
  return text + ")";
}

}  // namespace CHASLES_API
