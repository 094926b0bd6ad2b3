#include <algorithm>

#include "chasles/simulation/simulation.hpp"

namespace chasles {

Summary Simulation::summary() const {
  Summary s;
  s.method = scenario_.integrator.method;
  s.time = last_.t;
  s.wall_seconds = wall_seconds_;
  s.samples = samples_;
  s.finished = finished_;
  s.statistics = integrator_->statistics();
  s.start = monitor_.first(), s.end = end_;
  s.worst = monitor_.worst(), s.last = monitor_.last();
  s.momentum_causes = momentum_causes(scenario_.model, scenario_.forces, false);
  s.spin_causes = momentum_causes(scenario_.model, scenario_.forces, true);
  s.violations = bounds_.violations();
  s.events = log_, s.event_count = event_count_;
  for (const RunEvent& e : scenario_.events)
    if (e.action == RunEvent::set_velocity ||
        (e.action == RunEvent::impact &&
         scenario_.model.on_ground(scenario_.model.joint_of_v(e.hit.v))))
      for (std::vector<std::string>* causes : {&s.momentum_causes, &s.spin_causes})
        causes->push_back("event '" + e.event.name + "'");
  for (const ModelJoint& joint : scenario_.model.joints())
    if (scenario_.limits == LimitMode::rigid && joint.limits && scenario_.model.on_ground(joint))
      for (std::vector<std::string>* causes : {&s.momentum_causes, &s.spin_causes})
        causes->push_back("stop of joint '" + joint.name + "'");
  s.closed = closed_ != nullptr;
  if (s.closed)
    for (std::vector<std::string>* causes : {&s.momentum_causes, &s.spin_causes}) {
      if (std::ranges::any_of(scenario_.model.loops(), [](const ModelLoop& loop) {
            return loop.from.link < 0 || loop.to.link < 0;
          }))
        causes->emplace_back("loops on ground");
      for (const auto& constraint : scenario_.constraints.more)
        causes->push_back("constraint '" + constraint->name() + "'");
    }
  if (s.closed) s.mobility = closed_->mobility().mobility;
  s.constraint_violation = violation_, s.velocity_violation = velocity_violation_;
  s.last_violation = last_violation_, s.independence = independence_;
  if (started_) s.checkpoint = integrator_->checkpoint();
  return s;
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
