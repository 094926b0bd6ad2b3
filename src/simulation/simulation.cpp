#include "chasles/simulation/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace chasles {
namespace {

constexpr double most_samples = 1e9;

/// Gauss-Legendre on [0, 1], order 8: the work is a quadrature along the interpolant.
constexpr double nodes[] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813,
                            0.93056815579702629};
constexpr double weights[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                              0.17392742256872693};

const Scenario& checked(const Scenario& s) {
  require_size("q", s.start.q, s.model.nq());
  require_size("v", s.start.v, s.model.nv());
  if (!s.model.loops().empty())
    throw Error("loop '" + s.model.loops()[0].name +
                "': simulation of closed loops is not available yet; only of trees");
  if (!s.start.v.allFinite() || !std::isfinite(s.start.t))
    throw Error("the start is not finite: v = " + tuple_text(s.start.v));
  if (!(s.duration > 0 && std::isfinite(s.duration)))
    throw Error("duration " + to_text(s.duration) + " is not positive; give seconds");
  if (!(s.every >= 0)) throw Error("every " + to_text(s.every) + " is not positive; give seconds");
  if (s.every > 0 && s.duration / s.every > most_samples)
    throw Error("a sample every " + to_text(s.every) + " s of " + to_text(s.duration) +
                " s is more than 1e9 of them; record less often");
  return s;
}

/// With the forces that the joints have by themselves.
Scenario complete(Scenario s) {
  if (s.joint_dynamics)
    for (Force& force : joint_dynamics(s.model)) s.forces.add(std::move(force));
  s.joint_dynamics = false;
  return s;
}

/// q and v are part of every sample.
std::vector<std::string> besides_the_state(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return name == "q" || name == "v"; });
  return names;
}

}  // namespace

Simulation::Simulation(const Scenario& scenario)
    : scenario_(complete(checked(scenario))),
      smooth_from_(scenario_.start.t),
      smooth_to_(scenario_.start.t),
      stop_(scenario_.start.t),
      system_(with_forces()),
      integrator_(make_integrator(system_, scenario_.integrator)),
      evaluation_(scenario_.model, besides_the_state(scenario_.quantities), Source::run),
      moment_(scenario_.model),
      kin_(scenario_.model),
      scratch_{Vector(scenario_.model.nv()), {}},
      last_(scenario_.start),
      between_(scenario_.start),
      bounds_(scenario_.model, scenario_.forces),
      fixed_(!method_info(scenario_.integrator.method).adaptive),
      every_(scenario_.every > 0 ? scenario_.every : scenario_.duration / 200) {
  last_.q = checked_configuration(scenario_.model, last_.q);
  moment_.forces = &scenario_.forces;
}

/// The system has its forces before an integrator asks for them.
ModelSystem Simulation::with_forces() {
  ModelSystem system(scenario_.model);
  if (!scenario_.forces.empty())
    system.set_forces([this](double t, const VelocityKinematics& kin, JointForces& out) {
      scenario_.forces.apply(std::clamp(t, smooth_from_, smooth_to_), kin, out);
    });
  return system;
}

void Simulation::run(Recorder& recorder, const Proceed& proceed) {
  const auto begin = std::chrono::steady_clock::now();
  const auto stop_clock = [&] {
    wall_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double end = last_.t + scenario_.duration;
  recorder_ = &recorder;
  recorder.begin(scenario_, evaluation_.quantities());
  velocities(scenario_.model, last_.q, last_.v, kin_);
  monitor_.start(end_ = invariants(scenario_.model, scenario_.forces, kin_, 0));
  try {
    record(last_, 0);
    integrator_->reset(last_);
    bounds_.start(last_);
    bool go_on = true;
    while (go_on && last_.t < end) {
      advance(end);
      go_on = !proceed || proceed(last_.t);
    }
    if (recorded_ < last_.t) record(last_, work_);
  } catch (const Error& error) {
    stop_clock();
    record_what_is_left();
    recorder.end(summary());
    const bool lost = dynamic_cast<const StepError*>(&error) != nullptr;
    throw RunError("t = " + to_text(last_.t) + ": " +
                   (lost ? "joint '" + fastest_joint() + "': " : "") + error.what());
  }
  stop_clock();
  finished_ = last_.t >= end;
  recorder.end(summary());
}

/// The last good state, after a failure. If it was a quantity that failed, the state is kept.
void Simulation::record_what_is_left() {
  if (recorded_ >= last_.t) return;
  try {
    evaluate(last_, work_);
  } catch (const Error&) {
    evaluation_.forget();
  }
  deliver(last_);
}

/// The time of the next sample.
double Simulation::sample_time() const {
  return scenario_.start.t + static_cast<double>(samples_) * every_;
}
/// Samples nearer to the end of a step than this are taken there.
double Simulation::snap() const {
  return 1e-9 * (integrator_->state().t - integrator_->before().t);
}

/// The end of the next step. Fixed steps end at multiples of the step after the start, so that their
/// rounding does not add up to a tiny step at the end.
double Simulation::step_end(double until) const {
  const double h = scenario_.integrator.step;
  if (!fixed_) return until;
  const double start = scenario_.start.t;
  const double rounding = 1e-9 + 4 * std::numeric_limits<double>::epsilon() *
                                     std::max(std::abs(start), std::abs(last_.t)) / h;
  const double t = start + (std::floor((last_.t - start) / h + rounding) + 1) * h;
  return t < until - 1e-6 * h ? t : until;
}

/// At a break of the forces: what comes next is smooth up to the next one. At the end of a step they
/// give what they have just before it, at the start of the next what they have after it. Breaks that
/// are nearer to each other than rounding are one.
void Simulation::pass_breaks(double end) {
  if (last_.t < stop_) return;
  constexpr int most = 1000;
  const double near = 64 * std::numeric_limits<double>::epsilon() *
                      std::max(std::abs(scenario_.start.t), std::abs(end));
  smooth_from_ = last_.t;
  double next = scenario_.forces.next_break(smooth_from_);
  for (int i = 0; next <= last_.t + near; ++i) {
    if (i == most)
      throw Error("the forces have more than " + std::to_string(most) + " breaks within " +
                  to_short_text(near) + " s of t = " + to_text(last_.t) + " s");
    smooth_from_ = next;
    next = scenario_.forces.next_break(next);
  }
  stop_ = next < end - near ? next : end;
  smooth_to_ = std::max(smooth_from_, std::nextafter(next, last_.t));
  if (last_.t > scenario_.start.t) integrator_->replace(last_.q, last_.v);
}

void Simulation::advance(double until) {
  pass_breaks(until);
  integrator_->step(step_end(stop_));
  const State& now = integrator_->state();
  if (!now.q.allFinite() || !now.v.allFinite())
    throw StepError("the state is not finite after the step to t = " + to_text(now.t) +
                    "; take smaller steps, or an adaptive method");
  work_before_ = work_;
  if (scenario_.forces.works()) work_ += work_between(integrator_->before().t, now.t);
  velocities(scenario_.model, now.q, now.v, kin_);
  monitor_.watch(end_ = invariants(scenario_.model, scenario_.forces, kin_, work_));
  last_ = now;
  bounds_.watch(*integrator_);
  record_until(until);
}

/// The samples of the last step. The one at the end of the run is left to `run`.
void Simulation::record_until(double end) {
  const State& now = integrator_->state();
  while (sample_time() <= now.t + snap() && sample_time() < end - snap()) {
    if (sample_time() >= now.t - snap()) {
      between_ = now;
      between_.t = sample_time();
      record(between_, work_);
      continue;
    }
    const double t = sample_time();
    const double work = scenario_.forces.works() ? work_between(integrator_->before().t, t) : 0;
    integrator_->interpolate(t, between_);
    between_.t = t;
    record(between_, work_before_ + work);
  }
}

void Simulation::record(const State& state, double work) {
  evaluate(state, work);
  deliver(state);
}
void Simulation::evaluate(const State& state, double work) {
  moment_.t = state.t, moment_.q = state.q, moment_.v = state.v;
  moment_.work = work;
  evaluation_.at(moment_);
}
void Simulation::deliver(const State& state) {
  ++samples_;
  recorded_ = state.t;
  recorder_->sample({state, evaluation_.quantities(), evaluation_.values()});
}

double Simulation::work_between(double t0, double t1) {
  double sum = 0;
  for (std::size_t i = 0; i < std::size(nodes); ++i) {
    const double t = t0 + nodes[i] * (t1 - t0);
    integrator_->interpolate(t, between_);
    velocities(scenario_.model, between_.q, between_.v, kin_);
    sum += weights[i] * scenario_.forces.power(t, kin_, scratch_);
  }
  return (t1 - t0) * sum;
}

/// The joint that is most likely to blame when a run breaks down: the one that moves fastest.
std::string Simulation::fastest_joint() {
  std::string name = "?";
  double fastest = -1;
  for (const ModelJoint& joint : scenario_.model.joints()) {
    if (joint.nv == 0) continue;
    const double speed = last_.v.segment(joint.v_index, joint.nv).norm();
    if (speed > fastest) fastest = speed, name = joint.name;
  }
  return name;
}

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
          {"constraint_violation", 0},
          {"orthogonality", s.worst.orthogonality},
          {"final_energy_drift", s.last.energy},
          {"final_linear_momentum_drift", s.last.linear_momentum},
          {"final_angular_momentum_drift", s.last.angular_momentum},
          {"final_angular_momentum_com_drift", s.last.angular_momentum_com},
          {"final_constraint_violation", 0},
          {"work", s.end.work},
          {"time", s.time},
          {"samples", count(s.samples)},
          {"wall_seconds", s.wall_seconds}};
}

}  // namespace chasles
