#include "studies/drift.hpp"

namespace chasles::studies {

State run(Integrator& integrator, const State& start, double until) {
  integrator.reset(start);
  while (integrator.state().t < until) integrator.step(until);
  return integrator.state();
}

Invariants invariants(const Model& model, const State& state) {
  VelocityKinematics kin(model);
  forward_kinematics(model, state.q, state.v, kin);
  return chasles::invariants(model, {}, kin, 0);
}

Drift drift(const Invariants& from, const Invariants& to) {
  InvariantMonitor monitor;
  monitor.start(from);
  monitor.watch(to);
  return monitor.last();
}

Drift drift(const Model& model, const State& from, const State& to) {
  return drift(invariants(model, from), invariants(model, to));
}

}  // namespace chasles::studies
