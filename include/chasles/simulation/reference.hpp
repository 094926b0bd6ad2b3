/// Reference trajectories of coordinates (position, velocity, acceleration) for controllers.
///
///     Reference up = 0.3;                                                   // constant
///     Reference wave = references::sinusoid({.amplitude = 0.2, .frequency = 2});
///     Reference path = references::spline({0, 1, 3}, {0, 0.5, 0.2}, references::Ends::clamped);
///     Reference mine = [](double t) { return Setpoint{t * t, 2 * t, 2}; };
#pragma once

#include <vector>

#include "chasles/export.hpp"
#include "chasles/simulation/signal.hpp"

namespace chasles CHASLES_API {

/// Desired motion of a coordinate at one time.
struct Setpoint {
  double q = 0, v = 0, a = 0;  // [rad] or [m], and time derivatives
};

/// A function of time, continuous from the right, with the times at which it is not smooth.
class Reference {
 public:
  using Function = std::function<Setpoint(double t)>;

  /// A constant position.
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

/// offset + amplitude sin(2 pi frequency t + phase), and its derivatives.
/// @throws Error naming the entry that is not finite
Reference sinusoid(const signals::Sinusoid& wave);

/// End conditions of a spline: natural (zero curvature) or clamped (at rest).
enum class Ends : unsigned char { natural, clamped };

/// The cubic spline through (times[i], values[i]): q, v and a are continuous. Before the first and after the last
/// time it is constant, so v jumps there unless the ends are clamped. A single point gives a constant.
///
///     h_i m_i + 2 (h_i + h_{i+1}) m_{i+1} + h_{i+1} m_{i+2} = 6 (d_{i+1} - d_i)             (1)
///
/// with interval lengths h, difference quotients d and accelerations m at the points; m = 0 at natural ends,
/// 2 h m_0 + h m_1 = 6 d_0 (and the mirror image at the last point) at clamped ends.
/// @throws Error unless there are as many values as times, at least one, all finite, and times increase
Reference spline(std::vector<double> times, std::vector<double> values, Ends ends = Ends::natural);

}  // namespace references

}  // namespace CHASLES_API
