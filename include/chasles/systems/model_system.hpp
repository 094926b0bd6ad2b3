/// A tree mechanism as a dynamical system: forward dynamics with forces, without constraint equations.
///
///     ModelSystem system(model);                                  // gravity only
///     system.set_forces([](double t, const VelocityKinematics& kin, JointForces& out) {
///       out.tau[0] -= 0.1 * kin.v()[0];
///     });
#pragma once

#include "chasles/derivatives/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/export.hpp"
#include "chasles/systems/mechanism_state.hpp"

namespace chasles CHASLES_API {

/// @paper 001 (35), (36), (43)-(45)
using ModelSystem = MechanismState;

}  // namespace CHASLES_API
