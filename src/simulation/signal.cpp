#include "chasles/simulation/signal.hpp"

#include <algorithm>
#include <cmath>

namespace chasles::signals {

Signal constant(double value) {
  return [value](double) { return value; };
}

Signal sinusoid(const Sinusoid& wave) {
  return [wave](double t) {
    return wave.offset + wave.amplitude * std::sin(2 * M_PI * wave.frequency * t + wave.phase);
  };
}

Signal table(std::vector<double> times, std::vector<double> values) {
  if (times.empty() || times.size() != values.size())
    throw Error("a table has " + std::to_string(times.size()) + " times and " +
                std::to_string(values.size()) + " values; give as many of each, at least one");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i]))
      throw Error("entry " + std::to_string(i) + " of a table is not finite");
    if (i > 0 && !(times[i - 1] < times[i]))
      throw Error("the times of a table do not increase: " + to_text(times[i]) + " after " +
                  to_text(times[i - 1]));
  }
  return [times = std::move(times), values = std::move(values)](double t) {
    const auto after = std::upper_bound(times.begin(), times.end(), t);
    if (after == times.begin()) return values.front();
    if (after == times.end()) return values.back();
    const auto i = static_cast<std::size_t>(after - times.begin());
    const double part = (t - times[i - 1]) / (times[i] - times[i - 1]);
    return values[i - 1] + part * (values[i] - values[i - 1]);
  };
}

}  // namespace chasles::signals
