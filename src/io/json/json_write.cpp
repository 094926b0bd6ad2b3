#include "io/json/json_write.hpp"

#include <charconv>
#include <cmath>

namespace chasles::io {

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    const auto byte = static_cast<unsigned char>(c);
    constexpr const char* digits = "0123456789abcdef";
    if (byte < 0x20)
      quoted += std::string("\\u00") + digits[byte >> 4U] + digits[byte & 15U];
    else
      quoted += c;
  }
  return quoted + "\"";
}

void append_json(std::string& out, double x) {
  if (!std::isfinite(x)) return void(out += "null");
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}

}  // namespace chasles::io
