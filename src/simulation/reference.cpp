#include "chasles/simulation/reference.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace chasles::references {
namespace {

struct Spline {
  std::vector<double> t, q, m;  // times, values, accelerations

  double h(std::size_t i) const { return t[i + 1] - t[i]; }
  double slope(std::size_t i) const { return (q[i + 1] - q[i]) / h(i); }

  /// (1) by elimination without pivots: the matrix is diagonally dominant.
  void solve(Ends ends) {
    const std::size_t n = t.size();
    m.assign(n, 0);
    if (n < 2) return;
    std::vector<double> diagonal(n, 1), above(n, 0), below(n, 0);
    if (ends == Ends::clamped) {
      diagonal[0] = 2 * h(0), above[0] = h(0), m[0] = 6 * slope(0);
      diagonal[n - 1] = 2 * h(n - 2), below[n - 1] = h(n - 2), m[n - 1] = -6 * slope(n - 2);
    }
    for (std::size_t i = 1; i + 1 < n; ++i) {
      below[i] = h(i - 1), diagonal[i] = 2 * (h(i - 1) + h(i)), above[i] = h(i);
      m[i] = 6 * (slope(i) - slope(i - 1));
    }
    for (std::size_t i = 1; i < n; ++i) {
      const double factor = below[i] / diagonal[i - 1];
      diagonal[i] -= factor * above[i - 1];
      m[i] -= factor * m[i - 1];
    }
    m[n - 1] /= diagonal[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) m[i] = (m[i] - above[i] * m[i + 1]) / diagonal[i];
  }

  /// Whether all coefficients are finite.
  bool is_finite() const {
    for (std::size_t i = 0; i + 1 < t.size(); ++i)
      for (const double s : {0.0, h(i)}) {
        const Setpoint x = piece(i, s);
        if (!std::isfinite(x.q) || !std::isfinite(x.v) || !std::isfinite(x.a)) return false;
      }
    return true;
  }
  /// At t_i + s.
  Setpoint piece(std::size_t i, double s) const {
    const double jerk = (m[i + 1] - m[i]) / h(i);
    const double v = slope(i) - h(i) * (2 * m[i] + m[i + 1]) / 6;  // at t_i
    return {q[i] + s * (v + s * (m[i] / 2 + s * jerk / 6)), v + s * (m[i] + s * jerk / 2),
            m[i] + s * jerk};
  }
  Setpoint at(double time) const {
    const auto after = std::upper_bound(t.begin(), t.end(), time);
    if (after == t.begin()) return {q.front(), 0, 0};
    if (after == t.end()) return {q.back(), 0, 0};
    const auto i = static_cast<std::size_t>(after - t.begin()) - 1;
    return piece(i, time - t[i]);
  }
  double next(double time) const {
    const auto after = std::upper_bound(t.begin(), t.end(), time);
    return after == t.end() ? Signal::never : *after;
  }
};

}  // namespace

Reference sinusoid(const signals::Sinusoid& wave) {
  const Signal q = signals::sinusoid(wave);
  const double w = 2 * M_PI * wave.frequency;
  if (!std::isfinite(w * w * wave.amplitude))
    throw Error("the acceleration of a sinusoid of amplitude " + to_text(wave.amplitude) +
                " and frequency " + to_text(wave.frequency) + " Hz leaves the range of numbers");
  return [wave, q, w](double t) {
    const double angle = w * t + wave.phase;
    return Setpoint{q(t), w * wave.amplitude * std::cos(angle),
                    -w * w * wave.amplitude * std::sin(angle)};
  };
}

Reference spline(std::vector<double> times, std::vector<double> values, Ends ends) {
  if (times.empty() || times.size() != values.size())
    throw Error("a spline has " + std::to_string(times.size()) + " times and " +
                std::to_string(values.size()) + " values; give as many of each, at least one");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i]))
      throw Error("entry " + std::to_string(i) + " of a spline is not finite");
    if (i > 0 && !(times[i - 1] < times[i]))
      throw Error("the times of a spline do not increase: " + to_text(times[i]) + " after " +
                  to_text(times[i - 1]));
  }
  auto data = std::make_shared<Spline>(Spline{std::move(times), std::move(values), {}});
  require_known(ends, Ends::clamped, "end of a spline");
  data->solve(ends);
  if (!data->is_finite())
    throw Error(
        "a spline leaves the range of numbers between its points: its values are too large, or its "
        "times too close");
  return {[data](double t) { return data->at(t); }, [data](double t) { return data->next(t); }};
}

}  // namespace chasles::references
