#include "io/report/report_json.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace chasles::io {

std::string json_number(double x) { return std::isfinite(x) ? to_text(x) : "null"; }

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t n = bytes.size();
  std::string text(4 * ((n + 2) / 3), '=');
  char* out = text.data();
  for (std::size_t i = 0; i < n; i += 3) {
    const auto byte = [&](std::size_t k) -> unsigned { return i + k < n ? bytes[i + k] : 0U; };
    const unsigned three = byte(0) << 16U | byte(1) << 8U | byte(2);
    *out++ = digits[three >> 18U];
    *out++ = digits[three >> 12U & 63U];
    if (i + 1 < n) *out = digits[three >> 6U & 63U];
    ++out;
    if (i + 2 < n) *out = digits[three & 63U];
    ++out;
  }
  return text;
}

std::string base64(std::span<const double> numbers) {
  std::vector<unsigned char> bytes;
  bytes.reserve(8 * numbers.size());
  for (const double x : numbers) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (unsigned k = 0; k < 64; k += 8)
      bytes.push_back(static_cast<unsigned char>(bits >> k & 255U));
  }
  return base64(bytes);
}

std::string quantised(std::span<const double> table, std::size_t columns, std::size_t bytes) {
  const std::size_t rows = columns > 0 ? table.size() / columns : 0;
  const double largest = std::ldexp(1, static_cast<int>(8 * bytes)) - 2;
  std::vector<double> least(columns, HUGE_VAL), step(columns, -HUGE_VAL);
  for (std::size_t i = 0; i < rows * columns; ++i)
    if (const double x = table[i]; std::isfinite(x)) {
      least[i % columns] = std::min(least[i % columns], x);
      step[i % columns] = std::max(step[i % columns], x);
    }
  for (std::size_t c = 0; c < columns; ++c) {
    if (!std::isfinite(least[c])) least[c] = step[c] = 0;  // a column without numbers
    step[c] = step[c] / largest - least[c] / largest;
  }
  std::vector<unsigned char> data;
  data.reserve(rows * columns * bytes);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const std::size_t c = i % columns;
    const double k = !std::isfinite(table[i]) ? largest + 1
                     : step[c] > 0 ? std::clamp((table[i] - least[c]) / step[c], 0.0, largest)
                                   : 0;
    const auto code = static_cast<std::uint64_t>(std::llround(k));
    for (std::size_t b = 0; b < bytes; ++b)
      data.push_back(static_cast<unsigned char>(code >> (8 * b) & 255U));
  }
  return "{\"rows\":" + std::to_string(rows) + ",\"columns\":" + std::to_string(columns) +
         ",\"bytes\":" + std::to_string(bytes) + ",\"least\":" + json_numbers(least) +
         ",\"step\":" + json_numbers(step) + ",\"data\":\"" + base64(data) + "\"}";
}

}  // namespace chasles::io
