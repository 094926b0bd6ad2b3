#include "chasles/integrators/events.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double soon = 1e-3;  // fraction of a step: g that starts at zero has its sign there

}  // namespace

Events::Events(std::vector<IntegratorEvent> events, int samples)
    : events_(std::move(events)), located_(events_.size()) {
  if (samples < 0 || samples > 10'000)
    throw Error("events: " + std::to_string(samples) +
                " samples per step; it must be 0 or more, up to 10000");
  for (const IntegratorEvent& e : events_) {
    if (!e.g) throw Error("event '" + e.name + "' has no function g");
    require_known(e.direction);
  }
  sign_.resize(events_.size());
  left_.resize(events_.size());
  fastest_.resize(events_.size());
  far_.resize(events_.size());
  happened_.resize(events_.size());
  g_.resize(static_cast<std::size_t>(samples + 2));
  at_.resize(static_cast<std::size_t>(samples + 2));
}

double Events::value(std::size_t i, const State& state) const {
  const double g = events_[i].g(state);
  if (!std::isfinite(g))
    throw Error("event '" + events_[i].name + "': g = " + to_text(g) +
                " at t = " + to_text(state.t) + " s is not finite");
  return g;
}

void Events::start(const Integrator& integrator) {
  for (std::size_t i = 0; i < events_.size(); ++i)
    sign_[i] = sign(left_[i] = value(i, integrator.state()));
  for (State& s : at_) s = integrator.state();
  scratch_ = integrator.state();
}

/// A change of g between steps means that the state was replaced: the search restarts there.
void Events::go_on_from(const State& state) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (const double g = value(i, state); g != left_[i]) sign_[i] = sign(left_[i] = g);
    fastest_[i] = fastest(i, state);
  }
}

double Events::fastest(std::size_t i, const State& state) const {
  return events_[i].fastest ? events_[i].fastest(state) : std::numeric_limits<double>::infinity();
}
/// Whether g cannot have had a zero in the last step, of length h: a zero requires |g_0| + |g_1| <= h |g'|, and |g'| is
/// assumed to be at most twice its values at the ends.
bool Events::is_far(std::size_t i, double h, const State& end) const {
  if (!events_[i].fastest || sign_[i] == 0 || sign(left_[i]) != sign_[i]) return false;
  const double g = value(i, end);
  return sign(g) == sign_[i] &&
         std::abs(left_[i]) + std::abs(g) > 2 * h * std::max(fastest_[i], fastest(i, end));
}

bool Events::wanted(std::size_t i, double to) const {
  return events_[i].direction == IntegratorEvent::both ||
         (to > 0) == (events_[i].direction == IntegratorEvent::rising);
}

/// The zero of g between the times a and b of the last step, where its signs differ.
double Events::locate(std::size_t i, double a, double b, const Integrator& integrator) {
  const auto g = [&](double t) {
    integrator.interpolate(t, scratch_);
    return value(i, scratch_);
  };
  const double h = integrator.state().t - integrator.before().t;
  const double least = std::max(1e-14 * h, 2e-16 * std::abs(b)), k1 = 0.2 / (b - a);
  double g_a = g(a), g_b = g(b);
  if (g_a == 0 || sign(g_a) == sign(g_b)) return a;  // the crossing is at the start
  const int n_max = static_cast<int>(std::ceil(std::log2((b - a) / (2 * least)))) + 1;
  for (int j = 0; b - a > 2 * least && j < 200; ++j) {
    const double middle = 0.5 * (a + b),
                 r = least * std::exp2(std::max(0, n_max - j)) - 0.5 * (b - a);
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

/// Repeats the step up to the event: by Newton's method with the derivative of the interpolant, since the interpolant
/// is less accurate than the step.
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

/// The sign that g, zero at the start of the last step, takes afterwards, and the time from which it has it; 0 if it
/// stays zero or is not farther from zero than at the start. If the rate of g is known, its sign decides, even if g
/// soon reverses.
double Events::next_sign(std::size_t i, const Integrator& integrator, double& begin) {
  const double a = integrator.before().t, b = integrator.state().t;
  const auto at = [&](double t) {
    integrator.interpolate(t, scratch_);
    return value(i, scratch_);
  };
  const double begins = events_[i].rate ? sign(events_[i].rate(integrator.before())) : 0;
  double d = soon * (b - a);
  for (int k = 0; begins != 0 && k < 30; ++k, d /= 2)
    if (const double g = at(a + d); sign(g) == begins && std::abs(g) > 4 * std::abs(left_[i])) {
      begin = a + d;
      return begins;
    }
  const double g = at(a + soon * (b - a));
  if (!(std::abs(g) > 4 * std::abs(left_[i]))) return 0;
  begin = a + soon * (b - a);
  return sign(g);
}

/// If g has the sign s at the samples j - 1 and j and its rates indicate the opposite sign in between: the time of the
/// extremum of the cubic with these values and rates. Otherwise NaN.
double Events::turns(std::size_t i, std::size_t j, double s, const Integrator& integrator) {
  constexpr double never = std::numeric_limits<double>::quiet_NaN();
  if (!events_[i].rate || s == 0) return never;
  const double h = at_[j].t - at_[j - 1].t;
  const double m_0 = h * events_[i].rate(at_[j - 1]), m_1 = h * events_[i].rate(at_[j]);
  if (!(s * m_0 < 0 && s * m_1 > 0)) return never;
  // g_0 + u m_0 + u^2 B + u^3 C; its derivative m_0 + 2 u B + 3 u^2 C changes sign once in (0, 1).
  const double D = g_[j] - g_[j - 1], B = 3 * D - 2 * m_0 - m_1, C = m_0 + m_1 - 2 * D;
  double u = 0.5, low = 0, high = 1;
  for (int k = 0; k < 60; ++k) {
    (s * (m_0 + u * (2 * B + 3 * u * C)) < 0 ? low : high) = u;
    u = 0.5 * (low + high);
  }
  const double least = g_[j - 1] + u * (m_0 + u * (B + u * C));
  if (s * least > 0.1 * std::max(std::abs(m_0), std::abs(m_1))) return never;
  const double t = at_[j - 1].t + u * h;
  integrator.interpolate(t, scratch_);
  return sign(value(i, scratch_)) == -s ? t : never;
}

/// The first zero of g in the last step with a requested direction, from the samples at_.
Events::Zero Events::first_zero(std::size_t i, const Integrator& integrator) {
  const std::size_t last = at_.size() - 1;
  const double a = at_[0].t, b = at_[last].t;
  const double soonest = a + 1e-15 * std::max(std::abs(a), b - a);
  double begin = a;
  g_[0] = left_[i];
  if (sign_[i] == 0) sign_[i] = next_sign(i, integrator, begin);
  double s = sign_[i];
  for (std::size_t j = 1; j <= last; ++j) {
    g_[j] = value(i, at_[j]);
    const double from = j == 1 ? begin : at_[j - 1].t;
    const double slope = (g_[j] - g_[j - 1]) / (at_[j].t - at_[j - 1].t);
    const double to = sign(g_[j]);
    // At the end of the step, zero means zero within the rounding of time.
    const bool at_end = j == last && s != 0 && to != -s &&
                        std::abs(g_[j]) <= 4 * eps * std::abs(slope * b) &&
                        (to == 0 || slope * s < 0);
    if (at_end && wanted(i, -s)) return {b, slope, true};
    if (to == s)
      if (const double t = turns(i, j, s, integrator); t > from) {
        const double zero =
            wanted(i, -s) ? locate(i, from, t, integrator) : locate(i, t, at_[j].t, integrator);
        return {std::max(zero, soonest), slope, false};
      }
    if (to == 0 || to == s) continue;
    if (s != 0 && wanted(i, to))
      return {std::max(locate(i, from, at_[j].t, integrator), soonest), slope, false};
    s = to;
  }
  return {};
}

/// Repeats the step up to the zero of g in it.
void Events::refine(std::size_t i, Integrator& integrator) {
  const Zero& zero = located_[i];
  if (zero.at_end) return;
  // The derivative at the event, from the interpolant.
  const double a = integrator.before().t, b = integrator.state().t;
  const double d = 1e-4 * (b - a), lo = std::max(a, zero.t - d), hi = std::min(b, zero.t + d);
  integrator.interpolate(lo, scratch_);
  const double g_lo = value(i, scratch_);
  integrator.interpolate(hi, scratch_);
  const double g_hi = value(i, scratch_);
  improve(i, integrator, zero.t, g_hi != g_lo ? (g_hi - g_lo) / (hi - lo) : zero.slope);
}

bool Events::advance(Integrator& integrator, double until, const Report& report) {
  go_on_from(integrator.state());
  integrator.step(until);
  if (events_.empty()) return false;
  const double a = integrator.before().t, b = integrator.state().t;
  const std::size_t last = at_.size() - 1;
  for (std::size_t i = 0; i < events_.size(); ++i)
    far_[i] = is_far(i, b - a, integrator.state()) ? 1 : 0;
  if (std::ranges::find(far_, 0) != far_.end()) {
    at_[0] = integrator.before();
    at_[last] = integrator.state();
    for (std::size_t j = 1; j < last; ++j)
      integrator.interpolate(a + (b - a) * static_cast<double>(j) / static_cast<double>(last),
                             at_[j]);
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    located_[i] = far_[i] ? Zero{} : first_zero(i, integrator);
    if (located_[i].t < located_[first].t) first = i;
  }
  const bool any = located_[first].t <= b;
  if (any) refine(first, integrator);

  // All events up to here; callbacks are called last, since they may replace the state.
  const double reached = integrator.state().t + 1e-13 * (b - a);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    left_[i] = value(i, integrator.state());
    const double to = sign(left_[i]);
    happened_[i] = static_cast<char>((any && i == first) || located_[i].t <= reached ||
                                     (to != 0 && sign_[i] == -to && wanted(i, to)));
    if (happened_[i])
      sign_[i] = 0;
    else if (to != 0)
      sign_[i] = to;
  }
  bool stop = false;
  const auto tell = [&](std::size_t i) {
    if (report) report(events_[i], integrator.state());
    stop = stop || events_[i].terminal;
  };
  if (any) tell(first);
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (happened_[i] && !(any && i == first)) tell(i);
  return stop;
}

}  // namespace chasles
