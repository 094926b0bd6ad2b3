#include "chasles/integrators/events.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

Events::Events(std::vector<Event> events, int samples)
    : events_(std::move(events)),
      samples_(samples),
      sign_(events_.size(), 0),
      located_(events_.size()),
      g_(static_cast<std::size_t>(samples + 2)),
      at_(static_cast<std::size_t>(samples + 2)) {
  if (samples < 0)
    throw Error("events: " + std::to_string(samples) + " samples per step; it must be 0 or more");
  for (const Event& e : events_)
    if (!e.g) throw Error("event '" + e.name + "' has no function g");
}

double Events::value(std::size_t i, const State& state) const {
  const double g = events_[i].g(state);
  if (!std::isfinite(g))
    throw Error("event '" + events_[i].name + "': g = " + to_text(g) +
                " at t = " + to_text(state.t) + " s is not finite");
  return g;
}

void Events::start(const Integrator& integrator) {
  for (std::size_t i = 0; i < events_.size(); ++i) sign_[i] = sign(value(i, integrator.state()));
  for (State& s : at_) s = integrator.state();
  scratch_ = integrator.state();
}

bool Events::wanted(std::size_t i, double to) const {
  return events_[i].direction == Event::both || (to > 0) == (events_[i].direction == Event::rising);
}

/// The zero of g between the times a and b of the last step, where its signs differ.
double Events::locate(std::size_t i, double a, double b, const Integrator& integrator) {
  const auto g = [&](double t) {
    integrator.interpolate(t, scratch_);
    return value(i, scratch_);
  };
  const double h = integrator.state().t - integrator.before().t;
  const double eps = std::max(1e-14 * h, 2e-16 * std::abs(b)), k1 = 0.2 / (b - a);
  double g_a = g(a), g_b = g(b);
  if (g_a == 0 || sign(g_a) == sign(g_b)) return a;  // the crossing is at the start
  const int n_max = static_cast<int>(std::ceil(std::log2((b - a) / (2 * eps)))) + 1;
  for (int j = 0; b - a > 2 * eps && j < 200; ++j) {
    const double middle = 0.5 * (a + b),
                 r = eps * std::exp2(std::max(0, n_max - j)) - 0.5 * (b - a);
    const double falsi = (g_b * a - g_a * b) / (g_b - g_a), s = sign(middle - falsi);
    const double d = std::min(k1 * (b - a) * (b - a), std::abs(middle - falsi));
    double t = falsi + s * d;
    if (std::abs(t - middle) > r) t = middle - s * r;
    t = std::clamp(t, a, b);
    const double y = g(t);
    if (y == 0) return t;
    if (sign(y) == sign(g_a))
      a = t, g_a = y;
    else
      b = t, g_b = y;
  }
  return 0.5 * (a + b);
}

/// The step again to the event: by Newton's method with the slope of the interpolant, since the
/// interpolant is less accurate than the step.
void Events::improve(std::size_t i, Integrator& integrator, double t, double slope) {
  const double start = integrator.before().t, end = integrator.state().t;
  integrator.retry(t);
  for (int j = 0; j < 4 && slope != 0; ++j) {
    const double d = -value(i, integrator.state()) / slope;
    const double next = std::clamp(t + d, start + 1e-3 * (t - start), end);
    if (!(std::abs(next - t) > 1e-15 * std::max(std::abs(t), end - start))) break;
    t = next;
    integrator.retry(t);
  }
}

bool Events::advance(Integrator& integrator, double until, const Report& report) {
  integrator.step(until);
  const double a = integrator.before().t, b = integrator.state().t;
  const auto last = static_cast<std::size_t>(samples_ + 1);
  if (!events_.empty()) {
    for (std::size_t j = 1; j < last; ++j)
      integrator.interpolate(a + (b - a) * static_cast<double>(j) / static_cast<double>(last),
                             at_[j]);
    at_[0] = integrator.before();
    at_[last] = integrator.state();
  }

  std::size_t first = events_.size();
  const double soonest = a + 1e-15 * std::max(std::abs(a), b - a);
  double t_first = b, slope = 0;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    double s = sign_[i];  // where the step starts; g there may be an event's zero, with any sign
    g_[0] = value(i, at_[0]);
    located_[i] = {};
    for (std::size_t j = 1; j <= last; ++j) {
      g_[j] = value(i, at_[j]);
      const double to = sign(g_[j]);
      if (to == 0 || to == s) continue;
      if (s != 0 && wanted(i, to)) {
        const double t = std::max(locate(i, at_[j - 1].t, at_[j].t, integrator), soonest);
        located_[i] = {t, s, to};
        if (first == events_.size() || t < t_first) {
          first = i, t_first = t;
          slope = (g_[j] - g_[j - 1]) / (at_[j].t - at_[j - 1].t);
        }
        break;
      }
      s = to;
    }
  }
  if (first < events_.size()) {
    // The slope at the event itself, from the interpolant.
    const double d = 1e-4 * (b - a), lo = std::max(a, t_first - d), hi = std::min(b, t_first + d);
    integrator.interpolate(lo, scratch_);
    const double g_lo = value(first, scratch_);
    integrator.interpolate(hi, scratch_);
    if (const double g_hi = value(first, scratch_); g_hi != g_lo) slope = (g_hi - g_lo) / (hi - lo);
    improve(first, integrator, t_first, slope);
  }

  // All that has happened up to here, the one that was located first.
  bool stop = false;
  const auto happen = [&](std::size_t i, double to) {
    const bool counts = sign_[i] != 0 && wanted(i, to);
    sign_[i] = to;
    if (!counts) return;
    if (report) report(events_[i], integrator.state());
    stop = stop || events_[i].terminal;
  };
  const double reached = integrator.state().t + 1e-13 * (b - a);
  const auto crossed = [&](std::size_t i) {
    sign_[i] = located_[i].from;
    happen(i, located_[i].to);
  };
  if (first < events_.size()) crossed(first);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (i == first) continue;
    if (located_[i].t <= reached) {
      crossed(i);
    } else if (const double to = sign(value(i, integrator.state())); to != 0 && to != sign_[i]) {
      happen(i, to);
    }
  }
  return stop;
}

}  // namespace chasles
