#include "simulation/run_watch.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

constexpr double fastest_ever = 1e8;       // [rad/s, m/s], (1)
constexpr double created_energy = 1e6;     // (2)
constexpr double growth = 16;              // (3)
constexpr int growing_samples = 5;         // (3)
constexpr double farthest_between = 1000;  // [rad], (4)
constexpr double gained_energy = 1000;     // (4)
constexpr long window = 1'000'000;         // trials, (5)
constexpr double window_part = 1e-3;       // of the duration, (5)
constexpr double shortened = 1e-3;         // (5)

[[noreturn]] void give_up(const std::string& what, const Symptoms& seen) {
  throw Error(what + likely_cause(seen));
}
std::string fastest_of(const Symptoms& seen) {
  return "; fastest is joint '" + fastest_joint(seen.scenario, seen.state) + "'";
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
    for (const Twist& X : joint.X) turns_.push_back(max_abs(X.w) > 0);
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
}

void RunWatch::step(const Integrator& integrator, const Invariants& at, double independence) {
  Symptoms seen{scenario_, integrator.state(), integrator.statistics(), independence};
  most_work_ = std::max(most_work_, std::abs(at.work));
  const double off = std::abs(at.energy() - start_energy_);
  seen.energy_created = off > 1e-3 * (scale_ + most_work_) && off > 1e-3 * at.kinetic;
  watch_velocities(seen);
  if (!(off <= created_energy * (scale_ + most_work_)))
    give_up("the motion diverged: the balance of energy is off by " + to_short_text(off) + " J" +
                fastest_of(seen),
            seen);
  watch_progress(seen);
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
  if (trials - window_trials_ < window) return;
  const double h = (seen.state.t - window_time_) / static_cast<double>(window);
  if (h < shortened * n.largest || n.is_stiff())
    give_up("a million steps led over " + to_short_text(seen.state.t - window_time_) +
                " s, less than a thousandth of the duration: there is no end" + fastest_of(seen),
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
  const double period = state.t - sampled_time_;
  for (Eigen::Index i = 0; i < state.v.size(); ++i)
    if (turns_[static_cast<std::size_t>(i)] && std::abs(state.v[i]) * period > farthest_between &&
        at.kinetic > gained_energy * (start_kinetic_ + unit_energy_))
      give_up(diverged(seen, i) + " rad/s, " + to_short_text(std::abs(state.v[i]) * period) +
                  " rad between two samples of a controller",
              seen);
  sampled_time_ = state.t, sampled_kinetic_ = at.kinetic;
}

}  // namespace chasles
