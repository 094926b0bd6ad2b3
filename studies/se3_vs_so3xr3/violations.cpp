#include "studies/se3_vs_so3xr3/violations.hpp"

#include <cmath>
#include <limits>

#include "chasles/dynamics/energy.hpp"
#include "chasles/integrators/integrator.hpp"
#include "studies/se3_vs_so3xr3/index_one.hpp"

namespace chasles::studies::se3_vs_so3xr3 {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
using Numbers = std::array<double, 4>;  // of joints 1 to 3, energy
Extremes extremes(const Numbers& a) { return {{a[0], a[1], a[2]}, a[3]}; }

/// Numbers of figures 2, 3, 5 to 7, 9, 10 and 12 to 15, and of a second implementation; by section, step and
/// time, for SE(3) and SO(3) x R^3.
struct Known {
  std::size_t problem;
  double until;
  Numbers figure[2], second[2];
};
constexpr Known known[] = {
    {0,
     10,
     {{5e-15, none, none, 6e-4}, {3e-5, none, none, 5e-3}},
     {{2.1e-13, none, none, -3.9e-3}, {8.1e-6, none, none, -4.1e-3}}},
    {1,
     5,
     {{2e-15, 4e-5, none, none}, {none, none, none, none}},
     {{2.0e-14, 9.2e-5, none, 2.8e-3}, {3.5e-5, 9.8e-5, none, 4.9e-3}}},
    {1,
     10,
     {{none, none, none, none}, {none, none, none, none}},
     {{5.7e-14, 5.3e-4, none, 1.4e-2}, {1.3e-4, 2.6e-4, none, 1.3e-2}}},
    {1,
     15,
     {{none, none, none, -2e-2}, {4e-5, 1e-3, none, -2e-2}},
     {{1.2e-13, 1.5e-3, none, 4.0e-2}, {2.8e-4, 4.5e-4, none, 1.3e-2}}},
    {2,
     10,
     {{3e-7, none, none, -1.2e-7}, {2.5e-7, none, none, -8e-8}},
     {{1.4e-8, none, none, -5.2e-9}, {1.25e-8, none, none, -2.7e-9}}},
    {3,
     10,
     {{3e-7, none, none, -1.2e-7}, {2.5e-7, none, none, -8e-8}},
     {{2.3e-7, none, none, -8.8e-8}, {2.0e-7, none, none, -4.4e-8}}},
    {4,
     10,
     {{1e-13, 3e-5, 5e-14, 2e-3}, {1e-5, 1.5e-5, 1e-5, 2.5e-3}},
     {{7.8e-14, 2.6e-6, 8.6e-14, 2.6e-4}, {1.1e-6, 1.3e-6, 7.8e-7, 3.1e-4}}},
    {5,
     10,
     {{1e-13, 3e-5, 5e-14, 2e-3}, {1e-5, 1.5e-5, 1e-5, 2.5e-3}},
     {{3.5e-14, 4.0e-5, 4.4e-14, 4.0e-3}, {1.9e-5, 2.0e-5, 1.3e-5, 4.9e-3}}}};

void widen(Extremes& e, const GapSample& sample) {
  for (std::size_t k = 0; k < sample.gaps.size(); ++k)
    e.gaps[k] = std::isnan(e.gaps[k]) ? sample.gaps[k] : std::max(e.gaps[k], sample.gaps[k]);
  if (!(std::abs(sample.energy) <= std::abs(e.energy))) e.energy = sample.energy;
}

}  // namespace

const char* name_of(BodyGroup group) {
  return group == BodyGroup::se3      ? "SE(3)"
         : group == BodyGroup::so3xr3 ? "SO(3) x R^3"
                                      : "automatic";
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> list = {
      {"5.1", "heavy top", "top", spinning_top, 1e-3, 10},
      {"5.2", "spherical double pendulum", "double-pendulum", double_pendulum, 1e-3, 15},
      {"5.3", "floating bodies", "floating-1ms", floating_bodies, 1e-3, 10},
      {"5.3", "floating bodies", "floating-2ms", floating_bodies, 2e-3, 10},
      {"5.4", "closed 3-bar linkage", "three-bar-1ms", three_bar, 1e-3, 10},
      {"5.4", "closed 3-bar linkage", "three-bar-2ms", three_bar, 2e-3, 10}};
  return list;
}

void run(const Problem& problem, BodyGroup group, const std::function<void(const GapSample&)>& each,
         double nudge) {
  Example example = problem.example();
  example.start.v[example.start.v.size() - 3] += nudge;
  const Balls balls(to_maximal_coordinates(example.mechanism, group));
  const Model& model = balls.model;
  ConstrainedSystem constrained(model, balls.options);
  IndexOne system(constrained);
  const auto integrator = make_integrator(system, {.method = "mk4", .step = problem.step});
  integrator->reset(absolute_start(example, model));

  VelocityKinematics kin(model);
  double start = 0;
  GapSample sample{0, std::vector<double>(balls.loops.size()), 0};
  const auto look = [&] {
    const State& state = integrator->state();
    forward_kinematics(model, state.q, state.v, kin);
    for (std::size_t k = 0; k < sample.gaps.size(); ++k) {
      const ModelLoop& loop = balls.loops[k];
      sample.gaps[k] = max_abs(pose(kin, loop.to).r - pose(kin, loop.from).r);
    }
    const double energy = kinetic_energy(model, kin) + potential_energy(model, kin);
    if (state.t == 0) start = energy;
    sample.t = state.t;
    sample.energy = energy - start;
    each(sample);
  };
  for (look(); integrator->state().t < problem.duration; look()) integrator->step(problem.duration);
}

std::vector<Row> rows(const Observer& each) {
  constexpr Numbers nothing{none, none, none, none};
  std::vector<Row> list;
  for (std::size_t p = 0; p < problems().size(); ++p) {
    const std::size_t first = list.size();
    for (const Known& k : known)
      for (std::size_t g = 0; g < 3 && k.problem == p; ++g)
        list.push_back({problems()[p], k.until, groups[g], extremes(nothing),
                        extremes(g < 2 ? k.figure[g] : nothing),
                        extremes(g < 2 ? k.second[g] : nothing)});
    for (const BodyGroup group : groups)
      run(problems()[p], group, [&](const GapSample& sample) {
        for (std::size_t i = first; i < list.size(); ++i)
          if (list[i].group == group && sample.t <= list[i].until * (1 + 1e-12))
            widen(list[i].computed, sample);
        if (each) each(problems()[p], group, sample);
      });
  }
  return list;
}

std::vector<Extremes> pendulum_runs(BodyGroup group, int starts) {
  Problem problem = problems()[1];
  problem.duration = 10;
  std::vector<Extremes> list;
  for (int k = 1; k <= starts; ++k) {
    list.push_back(extremes({none, none, none, none}));
    run(
        problem, group, [&](const GapSample& sample) { widen(list.back(), sample); }, 1e-6 * k);
  }
  return list;
}

}  // namespace chasles::studies::se3_vs_so3xr3
