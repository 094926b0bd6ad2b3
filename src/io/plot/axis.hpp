/// Axes of plots: round tick values, with short and distinct labels.
#pragma once

#include <string>
#include <vector>

namespace chasles::io {

struct Tick {
  double value;
  std::string text;
};

/// From `low` to `high`; ticks lie within. Numbers far from 1 are written in units of a power of ten, small
/// variations around a large number as differences from a round one: see `note`.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<Tick> ticks{};
  std::string note{};  // "x 1e-8", "+ 61.27"; mostly empty

  /// 0 at `low`, 1 at `high`.
  double fraction(double value) const;
};

/// An axis for numbers from `low` to `high`, with some `count` ticks.
/// @param margins  leave room beyond them
Axis linear_axis(double low, double high, int count, bool margins);
/// @param low  positive
Axis logarithmic_axis(double low, double high, int count);

}  // namespace chasles::io
