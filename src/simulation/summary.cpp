#include "chasles/simulation/simulation.hpp"

namespace chasles {

std::vector<std::pair<std::string, double>> Summary::entries() const {
  const Summary& s = *this;
  const auto count = [](long n) { return static_cast<double>(n); };
  return {{"steps", count(s.statistics.steps)},
          {"rejected", count(s.statistics.rejected)},
          {"evaluations", count(s.statistics.evaluations)},
          {"iterations", count(s.statistics.iterations)},
          {"smallest_step", s.statistics.steps > 0 ? s.statistics.smallest : 0},
          {"largest_step", s.statistics.largest},
          {"energy_drift", s.worst.energy},
          {"linear_momentum_drift", s.worst.linear_momentum},
          {"angular_momentum_drift", s.worst.angular_momentum},
          {"angular_momentum_com_drift", s.worst.angular_momentum_com},
          {"constraint_violation", s.constraint_violation},
          {"constraint_velocity_violation", s.velocity_violation},
          {"constraint_independence", s.independence},
          {"orthogonality", s.worst.orthogonality},
          {"final_energy_drift", s.last.energy},
          {"final_linear_momentum_drift", s.last.linear_momentum},
          {"final_angular_momentum_drift", s.last.angular_momentum},
          {"final_angular_momentum_com_drift", s.last.angular_momentum_com},
          {"final_constraint_violation", s.last_violation},
          {"work", s.end.work},
          {"stiff_steps", count(s.statistics.stiff)},
          {"origin", s.checkpoint.origin},
          {"next_step", s.checkpoint.next_step},
          {"last_error", s.checkpoint.last_error},
          {"time", s.time},
          {"samples", count(s.samples)},
          {"wall_seconds", s.wall_seconds}};
}

}  // namespace chasles
