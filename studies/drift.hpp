/// Deviation of a run from the invariants of a motion under gravity alone: energy, and, without gravity and
/// joints to ground, both momenta (simulation/invariants.hpp).
///
///     const State end = run(*integrator, start, 200);
///     const Drift d = drift(model, start, end);
///     // d.energy, d.linear_momentum, d.angular_momentum, d.angular_momentum_com
#pragma once

#include "chasles/integrators/integrator.hpp"
#include "chasles/simulation/invariants.hpp"

namespace chasles::studies {

/// From a start to a time [s]; the state there.
State run(Integrator& integrator, const State& start, double until);

/// Invariants of a state without forces other than gravity.
Invariants invariants(const Model& model, const State& state);

/// Absolute deviations [J, kg m/s, kg m^2/s].
Drift drift(const Invariants& from, const Invariants& to);
Drift drift(const Model& model, const State& from, const State& to);

}  // namespace chasles::studies
