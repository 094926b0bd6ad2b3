/// Statistics of a run: conservation, limit violations, integration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/simulation/invariants.hpp"
#include "chasles/simulation/run_event.hpp"
#include "chasles/simulation/violation.hpp"

namespace chasles CHASLES_API {

/// Drifts are deviations from the start, measured after every step: the largest of the run, and the last.
struct Summary {
  std::string method{};
  double time = 0;  // reached [s]
  double wall_seconds = 0;
  long samples = 0;
  bool finished = false;
  StepStatistics statistics{};
  Invariants start{}, end{};
  Drift worst{}, last{};
  /// External causes of changes of the momenta, and of the momentum about the center of mass: momentum_causes.
  std::vector<std::string> momentum_causes{}, spin_causes{};
  std::vector<Violation> violations{};  // of joint limits
  std::vector<EventRecord> events{};    // in order of time, the first 1000
  long event_count = 0;                 // of all events
  /// Loops and other constraints: the largest |Phi| and |B v| of the run, |Phi| at its end, and the smallest reciprocal
  /// condition of the constraint Jacobian (1: independent constraints, 0: singular).
  double constraint_violation = 0, velocity_violation = 0, last_violation = 0,
         reciprocal_condition = 1;
  double singular_time = 0;  // when `reciprocal_condition` was smallest [s]
  /// max(1e-6, 1000 tolerance) [rad, m]: a larger |Phi| is an error; for samples, and for methods without
  /// stabilization, a note of the summary.
  double allowed_violation = 1e-6;
  /// Names redundant constraints that are inconsistent in their last digits (Constraints::contradiction).
  std::string contradiction{};
  bool closed = false;
  int mobility = 0;     // degrees of freedom under the constraints; 0: nothing moves, unless driven
  bool driven = false;  // constraints depend on time
  Checkpoint checkpoint{};
  Vector joints_q{};  // in maximal coordinates: q of the joints of the tree, at the end
  /// As numbers with the names used in files: steps, evaluations, energy_drift, ...
  std::vector<std::pair<std::string, double>> entries() const;
};

}  // namespace CHASLES_API
