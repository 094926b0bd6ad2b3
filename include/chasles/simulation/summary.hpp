/// Statistics of a run: what it conserved, which limits it passed, how it was integrated.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/simulation/invariants.hpp"
#include "chasles/simulation/limit_monitor.hpp"
#include "chasles/simulation/run_event.hpp"

namespace chasles CHASLES_API {

/// Drifts are deviations from the start, taken after every step: the largest
/// of the run, and the last.
struct Summary {
  std::string method{};
  double time = 0;  // reached [s]
  double wall_seconds = 0;
  long samples = 0;
  bool finished = false;
  StepStatistics statistics{};
  Invariants start{}, end{};
  Drift worst{}, last{};
  /// What changes the momenta, and that about the center of mass, from outside: momentum_causes.
  std::vector<std::string> momentum_causes{}, spin_causes{};
  std::vector<Violation> violations{};  // of the bounds of joints
  std::vector<EventRecord> events{};    // in order of time, the first 1000
  long event_count = 0;                 // of all
  /// Of loops and other constraints: the largest |Phi| and |B v| of the run, |Phi| at its end, and how
  /// near it came to a configuration where rows depend on each other (1: far, 0: there).
  double constraint_violation = 0, velocity_violation = 0, last_violation = 0,
         reciprocal_condition = 1;
  double singular_time = 0;  // when `independence` was least [s]
  /// max(1e-6, 1000 tolerance) [rad, m]: a larger |Phi| is an error or, of samples and of methods that let it drift,
  /// told among the notes.
  double allowed_violation = 1e-6;
  /// Names redundant constraints that contradict each other in their last digits (Constraints::contradiction).
  std::string contradiction{};
  bool closed = false;
  int mobility = 0;  // the degrees of freedom that they leave; 0: nothing moves
  Checkpoint checkpoint{};
  Vector joints_q{};  // in maximal coordinates: of the joints of the tree, at the end
  /// As numbers with the names that files have: steps, evaluations, energy_drift, ...
  std::vector<std::pair<std::string, double>> entries() const;
};

}  // namespace CHASLES_API
