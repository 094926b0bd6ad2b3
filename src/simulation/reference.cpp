#include "chasles/simulation/reference.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "math/spline.hpp"

namespace chasles::references {
namespace {

/// A cubic: the jerk is constant on each piece.
Setpoint on_piece(const CubicSpline& spline, double t) {
  const CurveValue at = spline.inside(t);
  const auto after = std::upper_bound(spline.x.begin() + 1, spline.x.end() - 1, t);
  const auto i = static_cast<std::size_t>(after - spline.x.begin()) - 1;
  return {at.f, at.df, at.ddf, (spline.m[i + 1] - spline.m[i]) / spline.h(i), 0};
}
Setpoint spline_at(const CubicSpline& spline, double t) {
  if (spline.x.size() < 2 || t < spline.x.front()) return {spline.y.front(), 0, 0, 0, 0};
  if (t >= spline.x.back()) return {spline.y.back(), 0, 0, 0, 0};
  return on_piece(spline, t);
}
double next_point(const CubicSpline& spline, double t) {
  const auto after = std::upper_bound(spline.x.begin(), spline.x.end(), t);
  return after == spline.x.end() ? Signal::never : *after;
}

}  // namespace

Reference sinusoid(const signals::Sinusoid& wave) {
  const Signal q = signals::sinusoid(wave);
  const double w = 2 * M_PI * wave.frequency;
  if (!std::isfinite(w * w * wave.amplitude))
    throw Error("the acceleration of a sinusoid of amplitude " + to_text(wave.amplitude) +
                " and frequency " + to_text(wave.frequency) + " Hz leaves the range of numbers");
  return [wave, q, w](double t) {
    const double angle = w * t + wave.phase;
    const double s = wave.amplitude * std::sin(angle), c = wave.amplitude * std::cos(angle);
    return Setpoint{q(t), w * c, -w * w * s, -w * w * w * c, w * w * w * w * s};
  };
}

namespace {

void require_finite(const char* of, std::initializer_list<std::pair<const char*, double>> entries) {
  for (const auto& [name, value] : entries)
    if (!std::isfinite(value))
      throw Error(std::string("the ") + name + " of " + of + " is " + to_text(value) +
                  "; give a finite number");
}
/// The breaks of a periodic table: its points, repeated.
double next_periodic(const CubicSpline& spline, double t) {
  const double first = spline.x.front(), period = spline.x.back() - first;
  const double turns = std::floor((t - first) / period);
  for (const double shift : {turns * period, (turns + 1) * period}) {
    const double at = t - shift;
    for (auto x = std::upper_bound(spline.x.begin(), spline.x.end(), at); x != spline.x.end(); ++x)
      if (*x + shift > t) return *x + shift;
  }
  return t + period;
}

}  // namespace

Reference speed(double v, double q_0, double t_0) {
  require_finite("a motion at constant speed", {{"speed", v}, {"start", q_0}, {"time", t_0}});
  return [=](double t) { return Setpoint{q_0 + v * (t - t_0), v, 0, 0, 0}; };
}

Reference polynomial(std::vector<double> coefficients) {
  const Curve curve = Curve::polynomial(coefficients);
  return [curve, c = std::move(coefficients)](double t) {
    const CurveValue at = curve(t);
    Setpoint out{at.f, at.df, at.ddf, 0, 0};
    for (std::size_t i = c.size(); i-- > 3;) {  // Horner, for two derivatives at once
      const double k = static_cast<double>(i);
      out.jerk = out.jerk * t + k * (k - 1) * (k - 2) * c[i];
      if (i > 3) out.snap = out.snap * t + k * (k - 1) * (k - 2) * (k - 3) * c[i];
    }
    return out;
  };
}

Reference harmonics(const Harmonics& series) {
  require_finite("a harmonic series", {{"frequency", series.frequency}, {"mean", series.mean}});
  for (const auto* list : {&series.cosines, &series.sines})
    for (const double c : *list) require_finite("a harmonic series", {{"coefficient", c}});
  return [series](double t) {
    Setpoint out{series.mean, 0, 0, 0, 0};
    for (std::size_t k = 0; k < std::max(series.cosines.size(), series.sines.size()); ++k) {
      const double w = 2 * M_PI * series.frequency * static_cast<double>(k + 1);
      const double a = k < series.cosines.size() ? series.cosines[k] : 0;
      const double b = k < series.sines.size() ? series.sines[k] : 0;
      const double c = std::cos(w * t), s = std::sin(w * t);
      out.q += a * c + b * s;
      out.v += w * (b * c - a * s);
      out.a -= w * w * (a * c + b * s);
      out.jerk -= w * w * w * (b * c - a * s);
      out.snap += w * w * w * w * (a * c + b * s);
    }
    return out;
  };
}

Reference smooth_step(const SmoothStep& step) {
  require_finite("a smooth step", {{"value", step.from},
                                   {"value", step.to},
                                   {"start", step.start},
                                   {"duration", step.duration}});
  if (!(step.duration > 0))
    throw Error("the duration of a smooth step is " + to_text(step.duration) +
                " s; it must be positive");
  return {[step](double t) -> Setpoint {
            const double s = (t - step.start) / step.duration, way = step.to - step.from;
            if (s < 0) return {step.from, 0, 0, 0, 0};
            if (s >= 1) return {step.to, 0, 0, 0, 0};
            const double T = step.duration;
            return {step.from + way * s * s * s * (10 + s * (-15 + 6 * s)),
                    way / T * 30 * s * s * (1 - s) * (1 - s),
                    way / (T * T) * 60 * s * (1 + s * (-3 + 2 * s)),
                    way / (T * T * T) * 60 * (1 + s * (-6 + 6 * s)),
                    way / (T * T * T * T) * 360 * (2 * s - 1)};
          },
          [step](double t) {
            for (const double at : {step.start, step.start + step.duration})
              if (t < at) return at;
            return Signal::never;
          }};
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
  auto data = std::make_shared<CubicSpline>(CubicSpline{std::move(times), std::move(values), {}});
  require_known(ends, Ends::periodic, "end of a spline");
  const bool periodic = ends == Ends::periodic;
  if (periodic && (data->x.size() < 4 || data->y.front() != data->y.back()))
    throw Error("a periodic spline has " + std::to_string(data->x.size()) +
                " points, the first at " + to_text(data->y.front()) + ", the last at " +
                to_text(data->y.back()) +
                "; give at least four, the last one equal to the first, a period later");
  data->solve(static_cast<Curve::Ends>(ends));
  if (!data->is_finite())
    throw Error(
        "a spline leaves the range of numbers between its points: its values are too large, or its "
        "times too close");
  if (periodic)
    return {[data](double t) {
              const double first = data->x.front(), period = data->x.back() - first;
              return on_piece(*data, t - period * std::floor((t - first) / period));
            },
            [data](double t) { return next_periodic(*data, t); }};
  return {[data](double t) { return spline_at(*data, t); },
          [data](double t) { return next_point(*data, t); }};
}

}  // namespace chasles::references
