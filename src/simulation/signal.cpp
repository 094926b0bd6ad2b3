#include "chasles/simulation/signal.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace chasles {

void Signal::expand(double t, std::span<double> c) const {
  if (!has_expansion()) throw Error("a signal has no expansion; give it one");
  std::ranges::fill(c, 0.0);
  if (expansion_)
    expansion_(t, c);
  else if (!c.empty())
    c[0] = value_(t);
}

}  // namespace chasles

namespace chasles::signals {
namespace {

struct Table {
  std::vector<double> times, values;

  double at(double t) const {
    const auto after = std::upper_bound(times.begin(), times.end(), t);
    if (after == times.begin()) return values.front();
    if (after == times.end()) return values.back();
    const auto i = static_cast<std::size_t>(after - times.begin());
    const double part = (t - times[i - 1]) / (times[i] - times[i - 1]);
    const double way = values[i] - values[i - 1];
    return std::isfinite(way) ? values[i - 1] + part * way
                              : (1 - part) * values[i - 1] + part * values[i];
  }
  double next(double t) const {
    const auto after = std::upper_bound(times.begin(), times.end(), t);
    if (after == times.end()) return Signal::never;
    return *after;
  }
};

}  // namespace

Signal constant(double value) { return value; }

Signal sinusoid(const Sinusoid& wave) {
  const std::pair<const char*, double> entries[] = {{"amplitude", wave.amplitude},
                                                    {"frequency", wave.frequency},
                                                    {"phase", wave.phase},
                                                    {"offset", wave.offset}};
  for (const auto& [name, value] : entries)
    if (!std::isfinite(value))
      throw Error(std::string("the ") + name + " of a sinusoid is " + to_text(value) +
                  "; give a finite number");
  const auto angle = [wave](double t) { return 2 * M_PI * wave.frequency * t + wave.phase; };
  return {[wave, angle](double t) { return wave.offset + wave.amplitude * std::sin(angle(t)); },
          {},
          [wave, angle](double t, std::span<double> c) {
            const double s = std::sin(angle(t)), o = std::cos(angle(t)), turns[] = {s, o, -s, -o};
            double factor = wave.amplitude;  // amplitude w^k / k!
            for (std::size_t k = 0; k < c.size(); ++k) {
              c[k] = factor * turns[k % 4] + (k == 0 ? wave.offset : 0);
              factor *= 2 * M_PI * wave.frequency / static_cast<double>(k + 1);
            }
          }};
}

Signal table(std::vector<double> times, std::vector<double> values) {
  if (times.empty() || times.size() != values.size())
    throw Error("a table has " + std::to_string(times.size()) + " times and " +
                std::to_string(values.size()) + " values; give as many of each, at least one");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i]))
      throw Error("entry " + std::to_string(i) + " of a table is not finite");
    if (i > 0 && times[i - 1] > times[i])
      throw Error("the times of a table do not increase: " + to_text(times[i]) + " after " +
                  to_text(times[i - 1]));
    if (i > 1 && times[i - 2] == times[i])
      throw Error("a table has the time " + to_text(times[i]) +
                  " three times; twice is a jump from one value to the other");
  }
  if (!std::isfinite(times.back() - times.front()))
    throw Error("the times of a table are too far apart: " + to_text(times.front()) + " to " +
                to_text(times.back()));
  const auto data = std::make_shared<const Table>(Table{std::move(times), std::move(values)});
  return {[data](double t) { return data->at(t); }, [data](double t) { return data->next(t); }};
}

}  // namespace chasles::signals
