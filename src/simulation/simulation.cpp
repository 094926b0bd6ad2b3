#include "chasles/simulation/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "chasles/dynamics/energy.hpp"
#include "chasles/simulation/contact.hpp"
#include "simulation/switching.hpp"

namespace chasles {
namespace {

constexpr double most_samples = 1e9;

/// Gauss-Legendre on [0, 1] with n nodes, order 2 n, by Newton's method on Legendre's polynomial.
std::vector<std::array<double, 2>> gauss_legendre(int n) {
  std::vector<std::array<double, 2>> rule;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(M_PI * (i + 0.75) / (n + 0.5)), slope = 0;
    for (int k = 0; k < 10; ++k) {
      double p = x, before = 1;
      for (int j = 2; j <= n; ++j)
        before = std::exchange(p, ((2 * j - 1) * x * p - (j - 1) * before) / j);
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    rule.push_back({0.5 * (1 - x), 1 / ((1 - x * x) * slope * slope)});
  }
  return rule;
}
/// The work is a quadrature along the interpolant, of the order of the method at least.
std::vector<std::array<double, 2>> quadrature_for(const IntegratorOptions& options) {
  const int order = options.order.value_or(method_info(options.method).order);
  return gauss_legendre(std::max(4, (order + 1) / 2));
}

const Scenario& checked(const Scenario& s) {
  require_size("q", s.start.q, s.model.nq());
  require_size("v", s.start.v, s.model.nv());
  if (!s.start.v.allFinite() || !std::isfinite(s.start.t))
    throw Error("the start is not finite: v = " + tuple_text(s.start.v));
  if (!(s.duration > 0 && std::isfinite(s.duration)))
    throw Error("duration " + to_text(s.duration) + " is not positive; give seconds");
  if (!std::isfinite(s.work)) throw Error("the work of the run before is " + to_text(s.work));
  if (!(s.every >= 0)) throw Error("every " + to_text(s.every) + " is not positive; give seconds");
  if (s.every > 0 && s.duration / s.every > most_samples)
    throw Error("a sample every " + to_text(s.every) + " s of " + to_text(s.duration) +
                " s is more than 1e9 of them; record less often");
  const double ulp = std::nextafter(std::abs(s.start.t) + s.duration, HUGE_VAL) -
                     (std::abs(s.start.t) + s.duration);
  if (!(s.duration > 1e6 * ulp && (s.every == 0 || s.every > 16 * ulp)))
    throw Error("a run of " + to_text(s.duration) + " s from t = " + to_text(s.start.t) +
                " s: doubles are " + to_short_text(ulp) +
                " s apart there, too far to tell steps and samples apart; start nearer to t = 0");
  return s;
}

/// With the forces that the joints have by themselves, and none that remembers another run.
Scenario complete(Scenario s) {
  s.forces = s.forces.fresh();
  if (s.joint_dynamics)
    for (Force& force : joint_dynamics(s.model)) s.forces.add(std::move(force));
  if (s.limits == LimitMode::soft)
    for (Force& force : soft_stops(s.model, s.start.q, s.stops)) s.forces.add(std::move(force));
  s.joint_dynamics = false;
  return s;
}

/// Whether anything binds the joints to each other.
bool is_bound(const Scenario& s) {
  if (!s.loops) return false;
  const auto binds = [&](const ModelCoupling& c) { return !c.mimic || s.constraints.mimic; };
  return !s.model.loops().empty() || !s.constraints.more.empty() ||
         std::ranges::any_of(s.model.couplings(), binds);
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
      closed_(nullptr),
      system_(make_system()),
      integrator_(make_integrator(*system_, scenario_.integrator)),
      evaluation_(scenario_.model, besides_the_state(scenario_.quantities), Source::run),
      moment_(scenario_.model),
      kin_(scenario_.model),
      scratch_{Vector(scenario_.model.nv()), {}},
      last_(scenario_.start),
      between_(scenario_.start),
      bounds_(scenario_.model, scenario_.forces, scenario_.limits != LimitMode::ignore),
      motors_(std::ranges::find(scenario_.quantities, "motor_energy") !=
              scenario_.quantities.end()),
      motor_energy_(scenario_.model.nv()),
      energy_before_(scenario_.model.nv()),
      quadrature_(quadrature_for(scenario_.integrator)),
      every_(scenario_.every > 0 ? scenario_.every : scenario_.duration / 200),
      work_(scenario_.work) {
  last_.q = checked_configuration(scenario_.model, last_.q);
  if (closed_ != nullptr && !scenario_.checkpoint) {
    last_.q = closed_->assembled();
    last_.v = consistent_velocity(closed_->constraints(), last_.q, last_.v, scenario_.kept_v);
  }
  moment_.forces = &scenario_.forces;
  moment_.closed = closed_;
  for (const std::string& name : scenario_.quantities)
    if (name.starts_with("contact:")) contact_named(scenario_.forces, name.substr(8));
  make_events();
  moment_.held = switching_ ? switching_->system().get() : nullptr;
}
Simulation::~Simulation() = default;

/// The tree, or with its loops closed. It has its forces before an integrator asks for them.
std::shared_ptr<System> Simulation::make_system() {
  const auto with_forces = [this](MechanismState& state) {
    if (scenario_.forces.empty()) return;
    TangentFunction tangent;
    if (scenario_.forces.has_tangent())
      tangent = [this](double t, const VelocityKinematics& kin, ForceTangent& out) {
        scenario_.forces.tangent(std::clamp(t, smooth_from_, smooth_to_), kin, out);
      };
    state.set_forces(
        [this](double t, const VelocityKinematics& kin, JointForces& out) {
          scenario_.forces.apply(std::clamp(t, smooth_from_, smooth_to_), kin, out);
        },
        scenario_.forces.expansion(), std::move(tangent));
  };
  const auto with_switching =
      [this](std::shared_ptr<MechanicalSystem> system) -> std::shared_ptr<System> {
    if (!Switching::needed(scenario_)) return system;
    switching_ = std::make_unique<Switching>(scenario_, std::move(system));
    return switching_->system();
  };
  if (is_bound(scenario_)) {
    const auto closed = std::make_shared<ConstrainedSystem>(
        scenario_.model, scenario_.constraints,
        checked_configuration(scenario_.model, scenario_.start.q), scenario_.kept_q);
    with_forces(*closed);
    closed_ = closed.get();
    return with_switching(closed);
  }
  const auto tree = std::make_shared<ModelSystem>(scenario_.model);
  with_forces(*tree);
  return with_switching(tree);
}

/// |Phi|, |B v| and how independent the rows are, at the end of a step.
void Simulation::watch_constraints(const State& state) {
  if (closed_ == nullptr) return;
  last_violation_ = closed_->violation(state.q);
  violation_ = std::max(violation_, last_violation_);
  velocity_violation_ =
      std::max(velocity_violation_, closed_->velocity_violation(state.q, state.v));
  independence_ = std::min(independence_, closed_->independence());
}

void Simulation::run(Recorder& recorder, const Proceed& proceed) {
  const auto begin = std::chrono::steady_clock::now();
  const auto stop_clock = [&, before = wall_seconds_] {
    wall_seconds_ =
        before + std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double end = scenario_.start.t + scenario_.duration;
  if (finished_)
    throw Error("the run has come to its end at t = " + to_text(last_.t) +
                " s; make another Simulation to go on from its state");
  recorder_ = &recorder;
  recorded_ = -std::numeric_limits<double>::infinity();
  recorder.begin(scenario_, evaluation_.quantities());
  try {
    if (!started_) start();
    record(last_, work_);
    bool go_on = true;
    while (go_on && last_.t < end) {
      advance(end);
      go_on = !stopped_;
      if (go_on) go_on = !proceed || proceed(last_.t);
    }
    if (motors_) moment_.motor_energy = motor_energy_;
    if (recorded_ < last_.t) record(last_, work_);
  } catch (const Error& error) {
    stop_clock();
    end_early();
    const bool lost = dynamic_cast<const StepError*>(&error) != nullptr;
    throw RunError("t = " + to_text(last_.t) + ": " + error.what() +
                   (lost ? "; fastest is joint '" + fastest_joint() + "'" : ""));
  } catch (...) {
    stop_clock();
    end_early();
    throw;
  }
  stop_clock();
  finished_ = last_.t >= end || stopped_;
  recorder.end(summary());
}

void Simulation::start() {
  sample_forces(last_.t);
  if (switching_) switching_->resolve(last_);
  if (scenario_.checkpoint)
    integrator_->resume(last_, *scenario_.checkpoint);
  else
    integrator_->reset(last_);
  if (events_) events_->start(*integrator_);
  velocities(scenario_.model, last_.q, last_.v, kin_);
  monitor_.start(end_ = invariants(scenario_.model, scenario_.forces, kin_, work_));
  bounds_.start(last_);
  watch_constraints(last_);
  next_sample_ = 1;
  started_ = true;
}

/// After a failure: the last good state is recorded, and the recorder ended. If it was a quantity that
/// failed, the state is kept without it; if it was the recorder, there is nothing to be done.
void Simulation::end_early() {
  try {
    if (recorded_ < last_.t) {
      moment_.motor_energy = motor_energy_;
      try {
        evaluate(last_, work_);
      } catch (...) {
        evaluation_.forget();
      }
      deliver(last_);
    }
    recorder_->end(summary());
  } catch (...) {
  }
}

/// The time of the next sample.
double Simulation::sample_time() const {
  return scenario_.start.t + static_cast<double>(next_sample_) * every_;
}
/// Samples nearer to the end of a step than this are taken there.
double Simulation::snap() const {
  return 1e-9 * (integrator_->state().t - integrator_->before().t);
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
  sample_forces(smooth_from_);
  double next = scenario_.forces.next_break(smooth_from_);
  for (int i = 0; next <= last_.t + near; ++i) {
    if (i == most)
      throw Error("the forces have more than " + std::to_string(most) + " breaks within " +
                  to_short_text(near) + " s of t = " + to_text(last_.t) + " s");
    smooth_from_ = next;
    sample_forces(smooth_from_);
    next = scenario_.forces.next_break(next);
  }
  stop_ = next < end - near ? next : end;
  smooth_to_ = std::max(smooth_from_, std::nextafter(next, last_.t));
  if (!(last_.t > scenario_.start.t)) return;
  if (switching_) switching_->resolve(last_);
  integrator_->replace(last_.q, last_.v);
}

/// Forces that are sampled look at the last state.
void Simulation::sample_forces(double t) {
  if (!scenario_.forces.sampled()) return;
  velocities(scenario_.model, last_.q, last_.v, kin_);
  scenario_.forces.sample(t, kin_);
}

void Simulation::advance(double until) {
  pass_breaks(until);
  take_step();
  const State& now = integrator_->state();
  work_before_ = work_;
  if (scenario_.forces.works()) work_ += work_between(integrator_->before().t, now.t);
  if (motors_) {
    energy_before_ = motor_energy_;
    add_motor_energy(integrator_->before().t, now.t, motor_energy_);
  }
  velocities(scenario_.model, now.q, now.v, kin_);
  monitor_.watch(end_ = invariants(scenario_.model, scenario_.forces, kin_, work_));
  last_ = now;
  bounds_.watch(*integrator_);
  watch_constraints(now);
  if (switching_ && !switching_->pending()) switching_->check(now);
  if (now.t >= stop_)
    sample_forces(now.t);  // so that what is recorded there is what acts from there
  record_until(until);
  act_on_event();
}

/// The samples of the last step. The one at the end of the run is left to `run`.
void Simulation::record_until(double end) {
  const State& now = integrator_->state();
  for (; sample_time() <= now.t + snap() && sample_time() < end - snap(); ++next_sample_) {
    if (sample_time() >= now.t - snap()) {
      between_ = now;
      between_.t = sample_time();
      if (motors_) moment_.motor_energy = motor_energy_;
      record(between_, work_);
      continue;
    }
    const double t = sample_time();
    const double work = scenario_.forces.works() ? work_between(integrator_->before().t, t) : 0;
    if (motors_) {
      moment_.motor_energy = energy_before_;
      add_motor_energy(integrator_->before().t, t, moment_.motor_energy);
    }
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
  for (const auto& [node, weight] : quadrature_) {
    const double t = t0 + node * (t1 - t0);
    integrator_->interpolate(t, between_);
    velocities(scenario_.model, between_.q, between_.v, kin_);
    sum += weight * scenario_.forces.power(t, kin_, scratch_);
  }
  return (t1 - t0) * sum;
}

/// The work of the motors between two times of the last step, each coordinate by itself, like the above.
void Simulation::add_motor_energy(double t0, double t1, Vector& energy) {
  for (const auto& [node, weight] : quadrature_) {
    const double t = t0 + node * (t1 - t0);
    integrator_->interpolate(t, between_);
    velocities(scenario_.model, between_.q, between_.v, kin_);
    scratch_.tau.setZero();
    scratch_.wrenches.clear();
    scenario_.forces.apply_motors(t, kin_, scratch_);
    energy += (t1 - t0) * weight * scratch_.tau.cwiseProduct(between_.v);
  }
}

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

}  // namespace chasles
