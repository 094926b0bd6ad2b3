/// Kinematic analysis: the motion of a mechanism all of whose degrees of freedom are driven (driver.hpp). Positions
/// solve Phi(q, t) = 0 by Newton's method from the last time, velocities and accelerations follow from
///
///     B v = -Phi_t,        B v' = -b                                                          (1)
///
/// so that masses do not matter; bodies may have none. Forces are those of inverse dynamics:
///
///     B^T lambda = f - M v'                                                                   (2)
///
/// Everything else is as in a run: recorded quantities, limits, reports.
///
///     Simulation(kinematic(scenario)).run(recorder)
#pragma once

#include "chasles/export.hpp"
#include "chasles/simulation/scenario.hpp"

namespace chasles CHASLES_API {

/// The scenario with a method in place of its integrator that solves (1) at the sampling times. A Simulation of it
/// throws an Error that says how many degrees of freedom are not driven, and which joints could be; a run ends with a
/// RunError at a dead center, where the constraint Jacobian is singular, naming the time and the joint.
Scenario kinematic(Scenario scenario);

}  // namespace CHASLES_API
