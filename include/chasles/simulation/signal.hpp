/// Scalar functions of time that drive torques, wrenches and targets.
///
///     Signal push = signals::sinusoid({.amplitude = 2, .frequency = 0.5});      // 2 sin(pi t)
///     Signal mine = [](double t) { return std::exp(-t); };
///     Signal kick = {[](double t) { return t < 3 ? 0.0 : 5.0; },                // not smooth at 3 s
///                    [](double t) { return t < 3 ? 3.0 : Signal::never; }};
///
/// An integrator evaluates a signal only at its stages and may miss a pulse between them. So a signal tells where it
/// is not smooth, and runs end steps there: no step contains a break.
#pragma once

#include <concepts>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "chasles/error.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A function of time [s], continuous from the right, with the times at which it is not smooth.
class Signal {
 public:
  using Function = std::function<double(double t)>;
  /// Sets c to the first coefficients of the power series of the value about t.
  using Expansion = std::function<void(double t, std::span<double> c)>;
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// A constant.
  Signal(double value = 0) : value_([value](double) { return value; }), constant_(true) {}
  /// @param next_break  the first time after t at which the value or its derivative jumps, or `never`;
  ///                    empty: smooth
  /// @param expansion   for the method taylor; empty: not available
  /// @throws Error if the function is empty
  template <std::convertible_to<Function> F>
  Signal(F value, Function next_break = {}, Expansion expansion = {})
      : value_(std::move(value)),
        next_break_(std::move(next_break)),
        expansion_(std::move(expansion)) {
    if (!value_) throw Error("a signal has no function; give one, or a number");
  }

  double operator()(double t) const { return value_(t); }
  /// The first time after t at which it is not smooth.
  double next_break(double t) const { return next_break_ ? next_break_(t) : never; }
  /// Whether the signal was made from a number.
  bool is_constant() const { return constant_; }
  /// Power series of the value: of numbers, and of functions with an expansion.
  bool has_expansion() const { return constant_ || expansion_; }
  /// @throws Error without expansion
  void expand(double t, std::span<double> c) const;

 private:
  Function value_, next_break_;
  Expansion expansion_;
  bool constant_ = false;
};

/// Predefined signals.
namespace signals {

Signal constant(double value);

/// offset + amplitude sin(2 pi frequency t + phase).
struct Sinusoid {
  double amplitude = 1, frequency = 1, phase = 0, offset = 0;  // frequency [Hz], phase [rad]
};
/// @throws Error naming the entry that is not finite
Signal sinusoid(const Sinusoid& wave);

/// Piecewise linear through (times[i], values[i]); constant before the first and after the last time. A time given
/// twice is a jump, from the first of its values to the second.
/// @throws Error unless there are as many values as times, at least one, all finite, times in order
Signal table(std::vector<double> times, std::vector<double> values);

}  // namespace signals

}  // namespace CHASLES_API
