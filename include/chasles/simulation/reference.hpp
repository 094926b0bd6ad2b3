/// Reference trajectories of coordinates (position, velocity, acceleration) for controllers.
///
///     Reference up = 0.3;                                                   // constant
///     Reference wave = references::sinusoid({.amplitude = 0.2, .frequency = 2});
///     Reference path = references::spline({0, 1, 3}, {0, 0.5, 0.2}, references::Ends::clamped);
///     Reference mine = [](double t) { return Setpoint{t * t, 2 * t, 2}; };
#pragma once

#include <limits>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/simulation/signal.hpp"

namespace chasles CHASLES_API {

/// Desired motion of a coordinate at one time.
struct Setpoint {
  double q = 0, v = 0, a = 0;  // [rad] or [m], and time derivatives
  /// The third and fourth ones, for drives with springs; NaN: not known.
  double jerk = unknown, snap = unknown;
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
};

/// A function of time, continuous from the right, with the times at which it is not smooth.
class Reference {
 public:
  using Function = std::function<Setpoint(double t)>;

  /// A constant position.
  Reference(double q = 0) : wanted_([q](double) { return Setpoint{q, 0, 0, 0, 0}; }) {}
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

/// Constant velocity: q_0 + v (t - t_0).
Reference speed(double v, double q_0 = 0, double t_0 = 0);

/// c_0 + c_1 t + c_2 t^2 + ...
/// @throws Error if there is no coefficient, or one is not finite
Reference polynomial(std::vector<double> coefficients);

/// mean + sum_k cosines[k] cos((k + 1) w t) + sines[k] sin((k + 1) w t), w = 2 pi frequency.
struct Harmonics {
  double frequency = 1, mean = 0;  // [Hz], as q
  std::vector<double> cosines{}, sines{};
};
/// @throws Error naming the entry that is not finite
Reference harmonics(const Harmonics& series);

/// From one value to another by the polynomial 10 s^3 - 15 s^4 + 6 s^5 of s = (t - start) / duration, constant before
/// and after: q, v and a are continuous.
struct SmoothStep {
  double from = 0, to = 1, start = 0, duration = 1;  // [s]
};
/// @throws Error naming the entry that is not finite, or a duration that is not positive
Reference smooth_step(const SmoothStep& step);

/// End conditions of a spline: natural (zero curvature), clamped (at rest) or periodic.
enum class Ends : unsigned char { natural, clamped, periodic };

/// The cubic spline through (times[i], values[i]): q, v and a are continuous. Before the first and after the last
/// time it is constant, so v jumps there unless the ends are clamped; a periodic one repeats, and its first and last
/// values agree. A single point gives a constant.
/// The equations are those of math/curve.hpp.
/// @throws Error unless there are as many values as times, at least one, all finite, and times increase
Reference spline(std::vector<double> times, std::vector<double> values, Ends ends = Ends::natural);

}  // namespace references

}  // namespace CHASLES_API
