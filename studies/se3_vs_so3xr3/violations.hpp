/// The numerical study of 004 section 5: bodies in maximal coordinates on SE(3) or SO(3) x R^3,
/// Munthe-Kaas of order 4 on the index-1 form, no projection. How far do joints open, and how does
/// energy drift? Constraint equations are those of the paper, in world axes (004 (42), (46), (47)). In
/// addition to the two groups of the paper, its final proposal is included: a group chosen for each body
/// (BodyGroup::automatic).
///
///     for (const Row& row : rows()) ...        // computed numbers beside those of the figures
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "chasles/mechanism/maximal_coordinates.hpp"
#include "studies/mechanisms/spherical.hpp"

namespace chasles::studies::se3_vs_so3xr3 {

inline constexpr BodyGroup groups[] = {BodyGroup::se3, BodyGroup::so3xr3, BodyGroup::automatic};
/// "SE(3)", "SO(3) x R^3", "automatic"
const char* name_of(BodyGroup group);

struct Problem {
  const char *section, *title, *file;  // file: part of the name of its data
  Example (*example)();
  double step, duration;  // [s]
};
/// Those of sections 5.1 to 5.4; 5.3 and 5.4, where the step is not printed, with 1 and 2 ms.
const std::vector<Problem>& problems();

struct GapSample {
  double t;                  // [s]
  std::vector<double> gaps;  // joint by joint, the largest component of its gap in the world [m]
  double energy;             // E(t) - E(0) [J]
};
/// @param each   called at the start and after every step
/// @param nudge  added to the first velocity of the last joint [rad/s]
/// @paper 004 (37)-(47)
void run(const Problem& problem, BodyGroup group, const std::function<void(const GapSample&)>& each,
         double nudge = 0);

/// Extremes of a run up to some time: the largest gaps, and the largest energy deviation. NaN: not available.
struct Extremes {
  std::array<double, 3> gaps;
  double energy;
};
struct Row {
  Problem problem;
  double until;  // [s]
  BodyGroup group;
  Extremes computed;
  Extremes figure;  // read off the axes of the paper's figures
  Extremes second;  // by an independent implementation
};
/// @param each  called with all samples of all runs, if it is given
using Observer = std::function<void(const Problem&, BodyGroup, const GapSample&)>;
/// @paper 004 Figures 2-3, Figures 5-7, Figures 9-10, Figures 12-15
std::vector<Row> rows(const Observer& each = {});

/// The double pendulum is chaotic, so a single run is not representative. Extremes after 10 s, from starts
/// that differ by 1e-6 rad/s.
std::vector<Extremes> pendulum_runs(BodyGroup group, int starts = 8);

/// A claim of the paper, and whether these numbers support it.
struct Claim {
  std::string text, evidence;
  bool holds;
};
/// @param pendulum  pendulum_runs of SE(3), SO(3) x R^3 and automatic
std::vector<Claim> claims(const std::vector<Row>& rows,
                          const std::array<std::vector<Extremes>, 3>& pendulum);

}  // namespace chasles::studies::se3_vs_so3xr3
