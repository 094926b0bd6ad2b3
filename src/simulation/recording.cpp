#include "simulation/recording.hpp"

#include <algorithm>

#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/driver.hpp"

namespace chasles {
namespace {

constexpr double never_recorded = -std::numeric_limits<double>::infinity();

/// Removes q and v, also of single joints, which are part of every sample.
std::vector<std::string> besides_the_state(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return is_part_of_every_sample(name); });
  return names;
}

/// "N m" or "N": of the coordinate that it drives.
std::string_view force_unit(const Driver& driver, const Model& model) {
  const auto of = [](const JointCoordinate& c) { return coordinate_kind_info(c.kind).force_unit; };
  const std::vector<int> entries = driver.entries();
  for (const ModelJoint& joint : model.joints())
    for (const JointCoordinate& c : joint.coordinates)
      if (!entries.empty() && c.v_index == entries.front()) return of(c);
  for (const ModelLoop& loop : model.loops())
    if (loop.name == driver.joint()) return of(loop.joint.joints().at(0).coordinates.at(0));
  return "N";
}

std::vector<Quantity> with_units_of_drivers(std::span<const Quantity> list,
                                            const Scenario& scenario) {
  std::vector<Quantity> out(list.begin(), list.end());
  for (Quantity& quantity : out)
    for (const auto& constraint : scenario.constraints.more)
      if (const auto* driver = dynamic_cast<const Driver*>(constraint.get());
          driver != nullptr && quantity.name == "driver_force:" + driver->name())
        quantity.unit = force_unit(*driver, scenario.model);
  return out;
}

}  // namespace

Recording::Recording(const Scenario& scenario, const RunSystem& run, WorkAccount& account)
    : scenario_(scenario),
      account_(account),
      evaluation_(scenario.model, besides_the_state(scenario.quantities), QuantitySource::run),
      quantities_(with_units_of_drivers(evaluation_.quantities(), scenario)),
      moment_(scenario.model),
      between_(scenario.start),
      every_(scenario.every > 0 ? scenario.every : scenario.duration / 200),
      from_(scenario.origin ? scenario.origin->t : scenario.start.t),
      recorded_(never_recorded) {
  skip(scenario.start.t);
  moment_.forces = &scenario.forces;
  moment_.closed = run.closed();
  for (const std::string& name : scenario.actuators) {
    const ModelJoint& joint = scenario.model.joint(name);
    for (int k = 0; k < joint.nv; ++k) moment_.actuators.push_back(joint.v_index + k);
  }
  moment_.held = run.switching() ? run.switching()->system().get() : nullptr;
  for (const std::string& name : scenario.quantities)
    if (name.starts_with("contact:")) contact_named(scenario.forces, name.substr(8));
}

/// The next sample is at the first multiple of every_ after t; a multiple within rounding counts as t.
void Recording::skip(double t) {
  next_sample_ = 1 + static_cast<long>((t - from_) / every_ + 1e-6);
}

void Recording::begin(Recorder& recorder) {
  recorder_ = &recorder;
  recorded_ = never_recorded;
  recorder.begin(scenario_, quantities_);
}

double Recording::next_time() const { return from_ + static_cast<double>(next_sample_) * every_; }

void Recording::state(const State& last) {
  if (recorded_ >= last.t) return;
  moment_.motor_energy = account_.motor_energy();
  evaluate(last, account_.work());
  deliver(last);
}

void Recording::step(const Integrator& integrator, double end) {
  const State& now = integrator.state();
  // Samples nearer to the end of the step than this are taken there.
  const double snap = 1e-9 * (now.t - integrator.before().t);
  for (double t = next_time(); t <= now.t + snap && t < end - snap; t = next_time()) {
    if (t >= now.t - snap) {
      between_ = now;
      moment_.motor_energy = account_.motor_energy();
      between_.t = t;
      evaluate(between_, account_.work());
    } else {
      const double work = account_.work_at(integrator, t);
      account_.motor_energy_at(integrator, t, moment_.motor_energy);
      integrator.interpolate(t, between_);
      between_.t = t;
      evaluate(between_, work);
    }
    deliver(between_);
    ++next_sample_;
  }
}

void Recording::last_good(const State& last) {
  if (recorded_ >= last.t) return;
  moment_.motor_energy = account_.motor_energy();
  try {
    evaluate(last, account_.work());
  } catch (...) {
    evaluation_.forget();
  }
  deliver(last);
}

void Recording::evaluate(const State& state, double work) {
  moment_.t = state.t, moment_.q = state.q, moment_.v = state.v;
  moment_.work = work;
  evaluation_.at(moment_);
}
void Recording::deliver(const State& state) {
  ++samples_;
  recorded_ = state.t;
  recorder_->sample({state, quantities_, evaluation_.values()});
  if (watch) watch(state);
}

}  // namespace chasles
