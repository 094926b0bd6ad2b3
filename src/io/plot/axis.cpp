#include "io/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace chasles::io {
namespace {

/// The round number, 1, 2 or 5 times a power of ten, that is at least x, or nearly.
double round_up(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= 0.999 * x) return digit * power;
  return 10 * power;
}

/// Decimals of multiples of a step.
int decimals(double step) {
  return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
}

std::string without_sign_of_zero(std::string text) {
  if (text.starts_with('-') && text.find_first_of("123456789") == text.npos) text.erase(0, 1);
  return text;
}

/// Texts for multiples of `step`, on top of an offset, in units of a power of ten.
void name_ticks(Axis& axis, double step) {
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  double offset = 0;
  if (largest > 1e5 * (axis.high - axis.low)) {  // five digits would be the same in all texts
    const double range = axis.high - axis.low, middle = axis.low + range / 2;
    double unit = 1000 * round_up(range);
    while (unit > range / 2) {  // the roundest near
      offset = std::round(middle / unit) * unit;
      if (std::abs(middle - offset) <= 5 * range) break;
      unit /= 10;
    }
    axis.note = fmt::format("{} {:.15g}", offset < 0 ? '-' : '+', std::abs(offset));
  }
  double size = 0;
  for (const Tick& tick : axis.ticks) size = std::max(size, std::abs(tick.value - offset));
  const int exponent = size > 0 ? static_cast<int>(std::floor(std::log10(size) + 1e-9)) : 0;
  const bool scaled = exponent >= 5 || exponent <= -4;
  const double unit = scaled ? std::pow(10, exponent) : 1;
  if (scaled) axis.note = fmt::format("\u00d7 1e{} {}", exponent, axis.note);
  for (Tick& tick : axis.ticks)
    tick.text = without_sign_of_zero(
        fmt::format("{:.{}f}", (tick.value - offset) / unit, std::min(decimals(step / unit), 15)));
}

}  // namespace

double Axis::fraction(double value) const {
  if (logarithmic)
    return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
  // Halves first: the difference of two finite numbers need not be one.
  return (value / 2 - low / 2) / (high / 2 - low / 2);
}

Axis linear_axis(double low, double high, int count, bool margins) {
  constexpr double most = std::numeric_limits<double>::max() / 8;
  low = std::clamp(low, -most, most), high = std::clamp(high, -most, most);
  // Constant values, up to rounding, become a line in the middle.
  const double size = std::max(std::abs(low), std::abs(high));
  if (!(high - low > std::max(1e-14 * size, 1e-290))) {
    const double room = size > 1e-290 ? 0.1 * size : 1;
    low -= room, high += room;
  } else if (margins) {
    const double room = 0.05 * (high - low);
    low -= room, high += room;
  }
  Axis axis{low, high};
  const double step = round_up((high - low) / count);
  // Computed by index, not by accumulation: steps may be lost to rounding.
  const double first = std::ceil(low / step - 1e-9);
  for (int k = 0; k <= 2 * count; ++k)
    if (const double value = (first + k) * step; value <= high + 1e-9 * step)
      axis.ticks.push_back({value, ""});
  name_ticks(axis, step);
  return axis;
}

Axis logarithmic_axis(double low, double high, int count) {
  auto first = static_cast<int>(std::floor(std::log10(low))),
       last = static_cast<int>(std::ceil(std::log10(high)));
  if (first == last) --first, ++last;
  Axis axis{std::pow(10, first), std::pow(10, last), true};
  axis.low = std::max(axis.low, std::numeric_limits<double>::min());
  axis.high = std::min(axis.high, std::numeric_limits<double>::max());
  const int every = (last - first + count - 1) / count;
  for (int e = first; e <= last; e += every)
    if (const double value = std::pow(10, e); value >= axis.low && value <= axis.high)
      axis.ticks.push_back({value, fmt::format("1e{}", e)});
  return axis;
}

}  // namespace chasles::io
