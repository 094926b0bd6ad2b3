/// Numbers that depend on time: what drives torques, wrenches and targets.
///
///     Signal push = signals::sinusoid({.amplitude = 2, .frequency = 0.5});      // 2 sin(pi t)
///     Signal mine = [](double t) { return std::exp(-t); };
#pragma once

#include <functional>
#include <vector>

#include "chasles/error.hpp"

namespace chasles {

/// A function of time [s].
using Signal = std::function<double(double t)>;

/// Signals that need no function of one's own.
namespace signals {

Signal constant(double value);

/// offset + amplitude sin(2 pi frequency t + phase).
struct Sinusoid {
  double amplitude = 1, frequency = 1, phase = 0, offset = 0;  // frequency [Hz], phase [rad]
};
Signal sinusoid(const Sinusoid& wave);

/// Straight lines between (times[i], values[i]); before the first and after the last time, the first
/// and the last value.
/// @throws Error unless there are as many values as times, at least one, all finite, times increasing
Signal table(std::vector<double> times, std::vector<double> values);

}  // namespace signals

}  // namespace chasles
