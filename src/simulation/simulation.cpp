#include "chasles/simulation/simulation.hpp"

#include <chrono>

#include "simulation/absolute_joints.hpp"
#include "simulation/monitoring.hpp"
#include "simulation/recording.hpp"
#include "simulation/stepping.hpp"

namespace chasles {
namespace {

/// Adds the forces that the joints of a model have by themselves.
void add_own_forces(const Scenario& s, const Model& model, ConstVectorRef q, Forces& forces) {
  if (s.joint_dynamics)
    for (Force& force : joint_dynamics(model)) forces.add(std::move(force));
  if (s.limits == LimitMode::soft)
    for (Force& force : soft_stops(model, s.origin ? s.origin->q : Vector(q), s.stops))
      forces.add(std::move(force));
}

/// In absolute coordinates: what is said about joints becomes a function of the free bodies.
void see_joints(Scenario& s) {
  s.absolute = std::make_shared<AbsoluteJoints>(s.joints, s.model, s.joints_q);
  s.absolute->follow(s.start);
  s.joint_forces = s.joint_forces.fresh();
  add_own_forces(s, s.joints, s.joints_q, s.joint_forces);
  for (const Force& force : s.joint_forces.list())
    s.forces.add(in_absolute_coordinates(force, s.model, s.absolute));
  for (RunEvent& event : s.events)
    if (event.of_joints)
      event.event.g = [g = event.event.g, joints = s.absolute](const State& state) {
        return g(joints->at(state));
      };
}

/// With the forces that the joints have by themselves, and none that remembers another run.
Scenario complete(Scenario s) {
  check(s);
  s.forces = s.forces.fresh();
  if (s.joints)
    see_joints(s);
  else
    add_own_forces(s, s.model, s.start.q, s.forces);
  s.joint_dynamics = false;
  return s;
}

/// Seconds of clock, added up over the calls of `run`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), before_(seconds) {}
  void stop() { seconds_ = before_ + std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  double before_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

struct Simulation::Parts {
  const Scenario scenario;
  RunSystem system;
  Stepping stepping;
  WorkAccount account;
  Recording recording;
  Monitoring monitoring;
  double end, wall_seconds = 0;
  bool started = false, finished = false;

  explicit Parts(const Scenario& given)
      : scenario(complete(given)),
        system(scenario),
        stepping(scenario, system),
        account(scenario),
        recording(scenario, system, account),
        monitoring(scenario, system),
        end(scenario.start.t + scenario.duration) {
    recording.watch = [this](const State& state) { monitoring.sample(state); };
  }

  void start() {
    stepping.start();
    follow_joints(stepping.state());
    monitoring.start(stepping.state(), account.work());
    started = true;
  }

  void follow_joints(const State& state) {
    if (scenario.absolute) scenario.absolute->follow(state);
  }
  void advance() {
    stepping.step(end);
    const Integrator& integrator = stepping.integrator();
    follow_joints(integrator.state());
    monitoring.look_at(integrator);
    if (system.closed() != nullptr) system.closed()->constraints().follow();
    account.add_step(integrator);
    monitoring.take_invariants(account.work());
    stepping.accept();
    monitoring.step(integrator, stepping.at_break());
    if (const Switching* switching = system.switching(); switching && !switching->pending())
      switching->check(stepping.state());
    stepping.look_at_break();
    recording.step(integrator, end);
    if (!stepping.act_on_events()) return;
    follow_joints(stepping.state());
    account.add_impulse(monitoring.impulse(stepping.state()));
    monitoring.after_impulse(account.work());
  }
};

Simulation::Simulation(const Scenario& scenario) : parts_(std::make_unique<Parts>(scenario)) {}
Simulation::~Simulation() = default;
const Scenario& Simulation::scenario() const { return parts_->scenario; }
const State& Simulation::state() const { return parts_->stepping.state(); }

void Simulation::run(Recorder& recorder, const Proceed& proceed) {
  Parts& p = *parts_;
  const State& last = p.stepping.state();
  Stopwatch watch(p.wall_seconds);
  // The last good state is recorded, and the recorder ended; if it was the recorder that failed, there is
  // nothing to be done.
  const auto end_early = [&] {
    watch.stop();
    try {
      p.recording.last_good(last);
      recorder.end(summary());
    } catch (...) {
    }
  };
  if (p.finished)
    throw Error("the run has come to its end at t = " + to_text(last.t) +
                " s; make another Simulation to go on from its state");
  p.recording.begin(recorder);
  try {
    if (!p.started) p.start();
    p.recording.state(last);
    for (bool go_on = true; go_on && last.t < p.end;) {
      p.advance();
      go_on = !p.stepping.stopped() && (!proceed || proceed(last.t));
    }
    p.recording.state(last);
  } catch (const Error& error) {
    end_early();
    const bool lost = dynamic_cast<const StepError*>(&error) != nullptr;
    throw RunError("t = " + to_text(last.t) + ": " + error.what() +
                   (lost ? "; fastest is joint '" + fastest_joint(p.scenario, last) + "'" : ""));
  } catch (...) {
    end_early();
    throw;
  }
  watch.stop();
  p.finished = last.t >= p.end || p.stepping.stopped();
  recorder.end(summary());
}

Summary Simulation::summary() const {
  const Parts& p = *parts_;
  Summary s;
  s.method = p.scenario.integrator.method;
  s.time = p.stepping.state().t;
  s.wall_seconds = p.wall_seconds;
  s.samples = p.recording.samples();
  s.finished = p.finished;
  s.statistics = p.stepping.integrator().statistics();
  s.events = p.stepping.log(), s.event_count = p.stepping.event_count();
  p.monitoring.fill_in(s);
  fill_in_causes(p.scenario, s);
  if (p.scenario.absolute) s.joints_q = p.scenario.absolute->last().q;
  if (p.started) s.checkpoint = p.stepping.integrator().checkpoint();
  return s;
}

}  // namespace chasles
