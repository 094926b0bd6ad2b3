/// Where a coordinate should be, how fast, and with which acceleration: what controllers follow.
///
///     Reference up = 0.3;                                                   // stay there
///     Reference wave = references::sinusoid({.amplitude = 0.2, .frequency = 2});
///     Reference path = references::spline({0, 1, 3}, {0, 0.5, 0.2}, references::Ends::clamped);
///     Reference mine = [](double t) { return Wanted{t * t, 2 * t, 2}; };
#pragma once

#include <vector>

#include "chasles/export.hpp"
#include "chasles/simulation/signal.hpp"

namespace chasles CHASLES_API {

/// What a coordinate should do at one moment.
struct Setpoint {
  double q = 0, v = 0, a = 0;  // [rad] or [m], and their rates
};

/// A function of time, continuous from the right, and where it is not smooth.
class Reference {
 public:
  using Function = std::function<Setpoint(double t)>;

  /// A place to stay at.
  Reference(double q = 0) : wanted_([q](double) { return Setpoint{q, 0, 0}; }) {}
  /// @param next_break  the first time after t at which it is not smooth (Signal::next_break);
  ///                    empty: smooth
  /// @throws Error if the function is empty
  template <std::convertible_to<Function> F>
  Reference(F wanted, Signal::Function next_break = {})
      : wanted_(std::move(wanted)), next_break_(std::move(next_break)) {
    if (!wanted_) throw Error("a reference has no function; give one, or a number");
  }

  Setpoint operator()(double t) const { return wanted_(t); }
  double next_break(double t) const { return next_break_ ? next_break_(t) : Signal::never; }

 private:
  Function wanted_;
  Signal::Function next_break_;
};

namespace references {

/// offset + amplitude sin(2 pi frequency t + phase), and its rates.
/// @throws Error naming the entry that is not finite
Reference sinusoid(const signals::Sinusoid& wave);

/// How a spline ends: without curvature, or at rest.
enum class Ends : unsigned char { natural, clamped };

/// The cubic spline through (times[i], values[i]): q, v and a are continuous. Before the first and
/// after the last time it stays at the first and the last value, which is a jump of v unless the ends
/// are clamped. One point: it stays there.
///
///     h_i m_i + 2 (h_i + h_{i+1}) m_{i+1} + h_{i+1} m_{i+2} = 6 (d_{i+1} - d_i)             (1)
///
/// with h the times and d the slopes between points, m the accelerations at them; m = 0 at natural
/// ends, 2 h m_0 + h m_1 = 6 d_0 and likewise at the last at clamped ones.
/// @throws Error unless there are as many values as times, at least one, all finite, and each time is
///         after the one before
Reference spline(std::vector<double> times, std::vector<double> values, Ends ends = Ends::natural);

}  // namespace references

}  // namespace CHASLES_API
