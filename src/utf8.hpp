/// UTF-8, as far as texts from outside must be checked.
#pragma once

#include <cstddef>
#include <string_view>

namespace chasles {

/// Bytes of the UTF-8 character that begins at i, or 0 if none does.
inline std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned first = byte(i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(i + k) & 0xC0U) != 0x80U) return 0;
  // Not longer than need be, no half of a pair, not beyond the last character.
  const unsigned second = byte(i + 1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

/// Whether a text is UTF-8 without control characters. Names must be: they go into messages, tables
/// and headers.
inline bool is_one_line(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    const bool control = byte < 0x20 || byte == 0x7f ||
                         (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0);
    if (length == 0 || control) return false;
    i += length;
  }
  return true;
}

}  // namespace chasles
