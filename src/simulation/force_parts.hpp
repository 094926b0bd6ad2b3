/// Shared by joint forces and body forces.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "chasles/simulation/forces.hpp"

namespace chasles::forces {

/// @throws Error naming the force and the negative entry, which would drive the motion instead of resisting it
inline void require_not_negative(const std::string& what,
                                 std::initializer_list<std::pair<const char*, double>> entries) {
  for (const auto& [name, value] : entries)
    if (!(value >= 0 && std::isfinite(value)))
      throw Error(what + ": " + name + " " + to_text(value) +
                  (value < 0 ? " is negative, so it would drive the motion; give 0 or more"
                             : " is not a finite number"));
}

/// The first break of several signals.
inline std::function<double(double)> next_break_of(std::span<const Signal> signals) {
  return [list = std::vector<Signal>(signals.begin(), signals.end())](double t) {
    double first = Signal::never;
    for (const Signal& signal : list) first = std::min(first, signal.next_break(t));
    return first;
  };
}

inline bool all_constant(std::span<const Signal> signals) {
  return std::all_of(signals.begin(), signals.end(),
                     [](const Signal& signal) { return signal.is_constant(); });
}

}  // namespace chasles::forces
