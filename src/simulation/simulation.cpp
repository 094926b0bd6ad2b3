#include "chasles/simulation/simulation.hpp"

#include <chrono>
#include <cmath>

#include "simulation/likely_cause.hpp"
#include "simulation/maximal_joints.hpp"
#include "simulation/monitoring.hpp"
#include "simulation/recording.hpp"
#include "simulation/stepping.hpp"

namespace chasles {
namespace {

/// Accumulates wall-clock seconds over the calls of `run`.
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

/// Joint forces set by the caller, constant between calls.
struct JointInputs {
  std::shared_ptr<const Vector> tau;  // nv
  void operator()(double, const VelocityKinematics&, JointForces& out) const { out.tau += *tau; }
  void tangent(double, const VelocityKinematics&, ForceTangent&) const {}
};
Scenario with_inputs(Scenario scenario, const std::shared_ptr<const Vector>& tau) {
  if (!scenario.joint_inputs) return scenario;
  const bool absolute = static_cast<bool>(scenario.joints);
  Forces& forces = absolute ? scenario.joint_forces : scenario.forces;
  forces.add({"joint inputs", absolute ? scenario.joints : scenario.model, JointInputs{tau}});
  return scenario;
}
const Model& input_model(const Scenario& scenario) {
  return scenario.joints ? scenario.joints : scenario.model;
}

}  // namespace

struct Simulation::Parts {
  const std::shared_ptr<Vector> inputs;
  const Scenario scenario;
  RunSystem system;
  Stepping stepping;
  WorkAccount account;
  Recording recording;
  Monitoring monitoring;
  double end, wall_seconds = 0;
  bool started = false, finished = false;

  explicit Parts(const Scenario& given)
      : inputs(std::make_shared<Vector>(given.joint_inputs ? input_model(given).nv() : 0)),
        scenario(complete(with_inputs(given, inputs))),
        system(scenario),
        stepping(scenario, system),
        account(scenario, system.closed()),
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

  void require_more() const {
    if (!finished) return;
    throw Error("the run has come to its end at t = " + to_text(stepping.state().t) +
                " s; make another Simulation to go on from its state");
  }
  [[noreturn]] void fail(const Error& error) {
    const State& last = stepping.state();
    std::string more;
    if (dynamic_cast<const StepError*>(&error) != nullptr) {
      more = "; fastest is joint '" + fastest_joint(scenario, last) + "'";
      if (system.closed() != nullptr && !scenario.integrator.own)
        more += near_singular(*system.closed(), last);
    }
    throw RunError("t = " + to_text(last.t) + ": " + error.what() + more);
  }

  void follow_joints(const State& state) {
    if (scenario.absolute) scenario.absolute->follow(state);
  }
  /// One step, not beyond `until`.
  void advance(double until, bool recorded) {
    stepping.step(until);
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
    recorded ? recording.step(integrator, end) : recording.skip(stepping.state().t);
    if (!stepping.act_on_events()) return;
    follow_joints(stepping.state());
    account.add_impulse(monitoring.impulse(stepping.state()));
    monitoring.after_impulse(account.work());
  }
};

Simulation::Simulation(const Scenario& scenario)
    : given_(std::make_unique<Scenario>(scenario)), parts_(std::make_unique<Parts>(scenario)) {}
Simulation::~Simulation() = default;
const Scenario& Simulation::scenario() const { return parts_->scenario; }
const State& Simulation::state() const { return parts_->stepping.state(); }

void Simulation::run(Recorder& recorder, const Proceed& proceed) {
  Parts& p = *parts_;
  const State& last = p.stepping.state();
  Stopwatch watch(p.wall_seconds);
  // Records the last good state and ends the recorder; errors of the recorder itself are ignored.
  const auto end_early = [&] {
    watch.stop();
    try {
      p.recording.last_good(last);
      recorder.end(summary());
    } catch (...) {
    }
  };
  p.require_more();
  p.recording.begin(recorder);
  try {
    if (!p.started) p.start();
    p.recording.state(last);
    for (bool go_on = true; go_on && last.t < p.end;) {
      p.advance(p.end, true);
      go_on = !p.stepping.stopped() && (!proceed || proceed(last.t));
    }
    p.recording.state(last);
  } catch (const Error& error) {
    end_early();
    p.fail(error);
  } catch (...) {
    end_early();
    throw;
  }
  watch.stop();
  p.finished = last.t >= p.end || p.stepping.stopped();
  recorder.end(summary());
}

const State& Simulation::step(double until, const Proceed& proceed) {
  Parts& p = *parts_;
  const State& last = p.stepping.state();
  p.require_more();
  if (!(until > last.t && std::isfinite(until)))
    throw Error("the step must lead beyond t = " + to_text(last.t) + " s; it is asked to end at " +
                to_text(until) + " s");
  Stopwatch watch(p.wall_seconds);
  try {
    if (!p.started) p.start();
    for (bool go_on = true; go_on && last.t < until && !p.stepping.stopped();) {
      p.advance(until, false);
      go_on = !proceed || proceed(last.t);
    }
  } catch (const Error& error) {
    watch.stop();
    p.fail(error);
  }
  watch.stop();
  p.finished = p.stepping.stopped();
  return last;
}

void Simulation::set_joint_forces(ConstVectorRef tau) {
  Parts& p = *parts_;
  if (!p.scenario.joint_inputs)
    throw Error(
        "the scenario has no inputs; set Scenario::joint_inputs before the Simulation is made");
  require_size("tau", tau, static_cast<int>(p.inputs->size()));
  for (Eigen::Index k = 0; k < tau.size(); ++k)
    if (!std::isfinite(tau[k]))
      throw Error("tau[" + std::to_string(k) + "], of joint '" +
                  input_model(p.scenario).joint_of_v(static_cast<int>(k)).name + "', is " +
                  to_text(tau[k]) + "; give finite joint forces");
  *p.inputs = tau;
  p.stepping.forces_changed();
}

void Simulation::reset() { parts_ = std::make_unique<Parts>(*given_); }
void Simulation::reset(const State& start) {
  auto given = std::make_unique<Scenario>(*given_);
  given->start = start;
  given->checkpoint.reset(), given->origin.reset(), given->work = 0;
  auto parts = std::make_unique<Parts>(*given);
  given_ = std::move(given), parts_ = std::move(parts);
}

Summary Simulation::summary() const {
  const Parts& p = *parts_;
  Summary s;
  s.method = method_info(p.scenario.integrator).name;
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
