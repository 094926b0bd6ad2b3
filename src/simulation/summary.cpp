#include "chasles/simulation/summary.hpp"

#include <algorithm>

#include "chasles/constraints/point_constraints.hpp"
#include "simulation/monitoring.hpp"

namespace chasles {

void fill_in_causes(const Scenario& scenario, Summary& s) {
  const Model& model = scenario.model;
  s.momentum_causes = momentum_causes(model, scenario.forces, false);
  s.spin_causes = momentum_causes(model, scenario.forces, true);
  const auto add = [&](const std::string& cause) {
    s.momentum_causes.push_back(cause), s.spin_causes.push_back(cause);
  };
  for (const RunEvent& e : scenario.events)
    if (e.action == RunEvent::set_velocity ||
        (e.action == RunEvent::impact && model.on_ground(model.joint_of_v(e.hit.v))))
      add("event '" + e.event.name + "'");
  for (const ModelJoint& joint : model.joints())
    if (scenario.limits == LimitMode::rigid && joint.limits && model.on_ground(joint))
      add("stop of joint '" + joint.name + "'");
  if (!s.closed) return;
  const auto grounded = [](const ModelLoop& l) { return l.from.link < 0 || l.to.link < 0; };
  if (std::ranges::any_of(model.loops(), grounded)) add("loops on ground");
  for (const auto& constraint : constraints_of(model))
    add("constraint '" + constraint->name() + "'");
  for (const auto& constraint : scenario.constraints.more)
    add(constraint->kind() + " '" + constraint->name() + "'");
}

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
          {"constraint_reciprocal_condition", s.reciprocal_condition},
          {"singular_time", s.singular_time},
          {"orthogonality", s.worst.orthogonality},
          {"final_energy_drift", s.last.energy},
          {"final_linear_momentum_drift", s.last.linear_momentum},
          {"final_angular_momentum_drift", s.last.angular_momentum},
          {"final_angular_momentum_com_drift", s.last.angular_momentum_com},
          {"final_constraint_violation", s.last_violation},
          {"work", s.end.work},
          {"stiff_steps", count(s.statistics.stiff)},
          {"implicit_steps", count(s.statistics.implicit_steps)},
          {"method_changes", count(s.statistics.switches)},
          {"origin", s.checkpoint.origin},
          {"next_step", s.checkpoint.next_step},
          {"last_error", s.checkpoint.last_error},
          {"time", s.time},
          {"samples", count(s.samples)},
          {"wall_seconds", s.wall_seconds}};
}

}  // namespace chasles
