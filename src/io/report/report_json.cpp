#include "io/report/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace chasles::io {

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t n = bytes.size(), whole = n - n % 3;
  std::string text(4 * ((n + 2) / 3), '=');
  char* out = text.data();
  const auto write = [&](unsigned three, int count) {
    for (int k = 0; k < count; ++k)
      out[k] = digits[three >> (18U - 6U * static_cast<unsigned>(k)) & 63U];
    out += 4;
  };
  const unsigned char* in = bytes.data();
  for (const unsigned char* end = in + whole; in != end; in += 3)
    write(static_cast<unsigned>(in[0]) << 16U | static_cast<unsigned>(in[1]) << 8U | in[2], 4);
  if (n - whole == 1) write(static_cast<unsigned>(in[0]) << 16U, 2);
  if (n - whole == 2)
    write(static_cast<unsigned>(in[0]) << 16U | static_cast<unsigned>(in[1]) << 8U, 3);
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
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c)
      if (const double x = table[row * columns + c]; std::isfinite(x)) {
        least[c] = std::min(least[c], x);
        step[c] = std::max(step[c], x);
      }
  for (std::size_t c = 0; c < columns; ++c) {
    if (!std::isfinite(least[c])) least[c] = step[c] = 0;  // a column without numbers
    step[c] = step[c] / largest - least[c] / largest;
  }
  std::vector<unsigned char> data(rows * columns * bytes);
  unsigned char* out = data.data();
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c, out += bytes) {
      const double x = table[row * columns + c];
      // Divided, since 1 / step may be infinite; by halves where the difference is.
      const double range = x - least[c], k = !(step[c] > 0) ? 0
                                             : std::isfinite(range)
                                                 ? range / step[c]
                                                 : (0.5 * x - 0.5 * least[c]) / (0.5 * step[c]);
      const auto code = static_cast<std::uint32_t>(
          std::isfinite(x) ? std::clamp(k, 0.0, largest) + 0.5 : largest + 1);
      for (std::size_t b = 0; b < bytes; ++b)
        out[b] = static_cast<unsigned char>(code >> (8 * b) & 255U);
    }
  return fmt::format(
      "{{\"rows\":{},\"columns\":{},\"bytes\":{},\"least\":{},\"step\":{},\"data\":\"{}\"}}", rows,
      columns, bytes, json_numbers(least), json_numbers(step), base64(data));
}

}  // namespace chasles::io
