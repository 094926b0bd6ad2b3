#include "simulation/run_watch.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

constexpr double fastest_ever = 1e8;       // [rad/s, m/s], (1)
constexpr double created_energy = 1e3;     // (2)
constexpr double growth = 16;              // (3)
constexpr int growing_samples = 5;         // (3)
constexpr double farthest_between = 1000;  // [rad], (4)
constexpr double gained_energy = 1000;     // (3), (4)
constexpr int suspicious_samples = 2;      // (3)
constexpr long window = 1'000'000;         // trials, (5)
constexpr double window_part = 1e-3;       // of the duration, (5)
constexpr long hopeless_window = 10'000;   // trials, (6)
constexpr double hopeless_part = 1e-12;    // of the duration, (6)
constexpr double hopeless_rate = 1e-13;    // of the duration per trial, (6)
constexpr double shortened = 1e-3;         // (5)

[[noreturn]] void give_up(const std::string& what, const Symptoms& seen) {
  throw Error(what + likely_cause(seen));
}
std::string fastest_of(const Symptoms& seen) {
  return "; fastest is joint '" + fastest_joint(seen.scenario, seen.state) + "'";
}
std::string stiffest_of(const Symptoms& seen) {
  const std::string name = stiffest_force(seen.scenario, seen.state);
  return name.empty() ? "" : "; the force that changes fastest is that of " + name;
}
/// "the motion diverged: v of joint 'elbow' is 1.2e+08".
std::string diverged(const Symptoms& seen, Eigen::Index i) {
  return "the motion diverged: v of joint '" +
         seen.scenario.model.joint_of_v(static_cast<int>(i)).name + "' is " +
         to_short_text(seen.state.v[i]);
}

}  // namespace

RunWatch::RunWatch(const Scenario& scenario) : scenario_(scenario), mass_(scenario.model) {
  for (const ModelJoint& joint : scenario.model.joints())
    for (const JointCoordinate& c : joint.coordinates)
      turns_.insert(turns_.end(), static_cast<std::size_t>(c.nv), c.is_angular());
}

void RunWatch::start(const State& state, const Invariants& at) {
  unit_energy_ = 0.5 * mass_matrix(scenario_.model, state.q, mass_).trace();
  start_energy_ = at.energy();
  start_kinetic_ = at.kinetic;
  scale_ = at.kinetic + std::abs(at.potential) + unit_energy_;
  most_work_ = std::abs(at.work);
  sampled_time_ = window_time_ = state.t;
  sampled_kinetic_ = at.kinetic;
  growing_ = 0, window_trials_ = 0;
  analyzed_ = unstable_ = false;
}

/// Names the force whose potential, or whose power, is not a number.
void RunWatch::require_finite(const Invariants& at, const State& state) const {
  if (std::isfinite(at.potential) && std::isfinite(at.work)) return;
  VelocityKinematics kin(scenario_.model);
  forward_kinematics(scenario_.model, state.q, state.v, kin);
  for (const Force& force : scenario_.forces.list()) {
    if (!force.law.potential) continue;
    if (const double U = force.law.potential(kin); !std::isfinite(U))
      throw Error("force '" + force.name + "': its potential is " + to_text(U) +
                  " J, so there is no balance of energy; it must be finite");
  }
  for (const Force& force : scenario_.forces.list()) {
    if (!force.law.power) continue;
    if (const double P = force.law.power(state.t, kin); !std::isfinite(P))
      throw Error("force '" + force.name + "': its power is " + to_text(P) +
                  " W, so there is no balance of energy; it must be finite");
  }
  throw Error("the balance of energy is not finite: potential energy " + to_text(at.potential) +
              " J, work " + to_text(at.work) +
              " J; look at the potentials and powers of the forces");
}

void RunWatch::step(const Integrator& integrator, const Invariants& at,
                    double reciprocal_condition) {
  Symptoms seen{scenario_, integrator.state(), integrator.statistics(), reciprocal_condition};
  most_work_ = std::max(most_work_, std::abs(at.work));
  const double off = std::abs(at.energy() - start_energy_);
  seen.energy_created = off > 1e-3 * (scale_ + most_work_) && off > 1e-3 * at.kinetic;
  watch_velocities(seen);
  if (!(off <= created_energy * (scale_ + most_work_)))
    give_up("the motion diverged: the balance of energy is off by " + to_short_text(off) + " J" +
                fastest_of(seen),
            seen);
  watch_progress(seen);
  watch_loop(seen, at);
}

bool RunWatch::has_gained(const Invariants& at) const {
  return at.kinetic > gained_energy * (start_kinetic_ + unit_energy_);
}

/// Checked between samples too: a loop that grows so fast may need very many steps to the next sample.
void RunWatch::watch_loop(Symptoms seen, const Invariants& at) {
  if (!scenario_.forces.sampled() || !has_gained(at)) return;
  seen.loop_grows = true;
  if (growing_ >= suspicious_samples && !analyzed_) {
    analyzed_ = true;
    unstable_ = is_loop_unstable(scenario_);
  }
  if (growing_ >= suspicious_samples && unstable_)
    give_up("the motion diverged: the kinetic energy grew more than " + to_short_text(growth) +
                "-fold from sample to sample of a controller, " + std::to_string(growing_) +
                " times in a row, to " + to_short_text(at.kinetic) + " J" + fastest_of(seen),
            seen);
  watch_turns(seen, seen.state.t - sampled_time_);
}
void RunWatch::watch_turns(const Symptoms& seen, double period) const {
  const Vector& v = seen.state.v;
  for (Eigen::Index i = 0; i < v.size(); ++i)
    if (turns_[static_cast<std::size_t>(i)] && std::abs(v[i]) * period > farthest_between)
      give_up(diverged(seen, i) + " rad/s, " + to_short_text(std::abs(v[i]) * period) +
                  " rad between two samples of a controller",
              seen);
}

void RunWatch::watch_velocities(Symptoms seen) const {
  const Vector& v = seen.state.v;
  Eigen::Index i = 0;
  const double speed = v.size() > 0 ? v.cwiseAbs().maxCoeff(&i) : 0;
  seen.loop_grows = !seen.energy_created;
  if (speed > fastest_ever)
    give_up(diverged(seen, i) + (turns_[static_cast<std::size_t>(i)] ? " rad/s" : " m/s"), seen);
}

void RunWatch::watch_progress(const Symptoms& seen) {
  const StepStatistics& n = seen.statistics;
  const long trials = n.steps + n.rejected;
  if (seen.state.t - window_time_ >= window_part * scenario_.duration) {
    window_time_ = seen.state.t, window_trials_ = trials;
    return;
  }
  const double covered = seen.state.t - window_time_;
  if (trials - window_trials_ >= hopeless_window && covered < hopeless_part * scenario_.duration)
    give_up(std::to_string(trials - window_trials_) + " steps led over " + to_short_text(covered) +
                " s of a run of " + to_short_text(scenario_.duration) + " s: there is no end" +
                fastest_of(seen) + stiffest_of(seen),
            seen);
  if (trials - window_trials_ < window) return;
  const double h = covered / static_cast<double>(window);
  if (h < shortened * n.largest || h < hopeless_rate * scenario_.duration || n.is_stiff())
    give_up("a million steps led over " + to_short_text(covered) +
                " s, less than a thousandth of the duration: there is no end" + fastest_of(seen) +
                stiffest_of(seen),
            seen);
  window_time_ = seen.state.t, window_trials_ = trials;
}

void RunWatch::sampled(const State& state, const Invariants& at, const StepStatistics& statistics) {
  if (!scenario_.forces.sampled() || !(state.t > sampled_time_)) return;
  Symptoms seen{scenario_, state, statistics};
  seen.loop_grows = true;
  growing_ = at.kinetic > growth * sampled_kinetic_ ? growing_ + 1 : 0;
  if (growing_ >= growing_samples && at.kinetic > scale_)
    give_up("the motion diverged: the kinetic energy grew more than " + to_short_text(growth) +
                "-fold from sample to sample of a controller, " + std::to_string(growing_) +
                " times in a row, to " + to_short_text(at.kinetic) + " J" + fastest_of(seen),
            seen);
  if (has_gained(at)) watch_turns(seen, state.t - sampled_time_);
  sampled_time_ = state.t, sampled_kinetic_ = at.kinetic;
}

}  // namespace chasles
