/// Three spheres tumbling for 200 s (three_spheres.hpp), 001 figures 7 and 8: growth of drifts, and cost of a
/// given accuracy.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "chasles/integrators/integrator.hpp"
#include "chasles/simulation/invariants.hpp"
#include "studies/park_chung/methods.hpp"

namespace chasles::studies::park_chung {

inline constexpr double long_run = 200;  // [s]

/// The methods of figure 7 (order 3) or 8 (order 4).
std::vector<PaperMethod> methods_of_order(int order);
/// Drifts of those methods with a step of 0.05 s, every half second.
/// @param each  called with the time [s] and the drifts, in the order of methods_of_order
/// @paper 001 Figures 7-8
void drift_over_time(int order,
                     const std::function<void(double t, std::span<const Drift> drifts)>& each);

/// Cost and accuracy of a method at one setting of its step or tolerance.
struct WorkPrecision {
  std::string title;  // "mk4 h=0.05", "dop853 tol=1e-10"
  long evaluations;
  Drift drift;   // at the end
  double error;  // of the joint angles at the end [rad], against mk8 with a step of 0.02 s
};
/// For the methods of the paper and others.
/// @param each  called as results come
void work_precision(const std::function<void(const WorkPrecision&)>& each);

}  // namespace chasles::studies::park_chung
