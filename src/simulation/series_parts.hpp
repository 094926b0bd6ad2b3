/// Forces as power series along a motion (systems/motion_series.hpp), shared by the files of forces.
///
/// A law with `void add(MotionSeries&, VectorRef tau) const` becomes the expansion of its force by `series_of`. On the
/// line from a to b, with r = x_b - x_a, d = |r|: a tension T bears -T r / d on b.
#pragma once

#include <memory>

#include "chasles/simulation/signal.hpp"
#include "systems/motion_series.hpp"

namespace chasles::forces {

using derivatives::MotionSeries;
using derivatives::VectorSeries;

/// @param poses  whether the law asks for positions
template <class Law>
ExpandFunction series_of(Law law, bool poses) {
  struct Wrapped final : SeriesForce {
    Wrapped(Law given, bool with_poses) : law(std::move(given)), poses(with_poses) {}
    bool needs_poses() const override { return poses; }
    void add(MotionSeries& motion, VectorRef tau) const override { law.add(motion, tau); }
    Law law;
    bool poses;
  };
  return [force = std::make_shared<const Wrapped>(std::move(law), poses)](ForceExpansion& out) {
    out.series.push_back(force);
  };
}

/// Coefficients 0 ... order of a signal; @pre signal.has_expansion()
inline PowerSeries signal_series(const Signal& signal, const MotionSeries& motion) {
  PowerSeries out(0, motion.order() + 1);
  std::array<double, PowerSeries::most> c{};
  signal.expand(motion.time()[0], std::span(c).first(motion.order() + 1));
  for (std::size_t k = 0; k <= motion.order(); ++k) out[k] = c[k];
  return out;
}
inline bool all_expand(std::span<const Signal> signals) {
  return std::ranges::all_of(signals, [](const Signal& s) { return s.has_expansion(); });
}
inline void add_to(VectorRef tau, int entry, const PowerSeries& force, const MotionSeries& motion) {
  tau[entry] += force[motion.order()];
}

/// The line between two points, and its length d, one coefficient longer than the motion.
struct LineSeries {
  VectorSeries r;
  PowerSeries d;
};
inline LineSeries line_series(const MotionSeries& motion, const Frame& a, const Frame& b) {
  const VectorSeries r = motion.position(b) - motion.position(a);
  return {r, sqrt(dot(r, r))};
}
/// T / d along r.
inline void add_tension(MotionSeries& motion, const Frame& a, const Frame& b, const LineSeries& s,
                        const PowerSeries& T_by_d) {
  const VectorSeries f = T_by_d * s.r;
  motion.push(a, f);
  motion.push(b, PowerSeries(-1, motion.order() + 1) * f);
}

}  // namespace chasles::forces
