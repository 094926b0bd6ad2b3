/// Where a mechanism stays at rest, and how it vibrates there.
///
///     N^T f(t, q, 0) = 0,  Phi(q) = 0     equilibrium: applied forces, weight and constraint forces
///                                         are in balance                                     (1)
///     M_r z'' + D_r z' + K_r z = 0        near it;   (lambda^2 M_r + lambda D_r + K_r) z = 0   (2)
///
/// with M_r, D_r, K_r and N of control/linear_system.hpp (4); a mode moves all joints by s = N z. Without
/// damping, K_r is symmetric and lambda = +-i omega.
///
///     Vector q = find_equilibrium(system, 0, start);
///     for (const VibrationMode& mode : modes(system, 0, q))
///       std::printf("%g Hz, damping %g\n", mode.frequency / (2 * M_PI), mode.damping);
#pragma once

#include <complex>

#include "chasles/control/linear_system.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A configuration of (1) near `start`, by damped Newton steps on the group and along the constraints; where these end
/// without one, by steps down the potential.
/// @param held  entries of v that stay where they are (CoordinateChoice)
/// @throws Error naming the joint and the force that is left there, if none is found; the constraint that cannot
///         be met near the start
Vector find_equilibrium(MechanicalSystem& system, double t, ConstVectorRef start,
                        const std::vector<int>& held = {});

struct VibrationMode {
  std::complex<double> lambda;  // [1/s]; of a pair the one with positive imaginary part
  double frequency;             // |lambda| [rad/s]
  double damping;  // -Re lambda / |lambda|: 0 undamped, 1 and more no vibration, < 0 grows
  std::vector<std::complex<double>> shape;  // s of all joints: nv, its largest entry is one
};
/// (2) at an equilibrium, from the slowest. A pair of complex numbers is one mode; a real lambda is one
/// by itself, and so is a motion that nothing resists, with lambda = 0 (twice, if it is not damped).
/// @throws Error if (t, q) is no equilibrium, naming the joint that accelerates most; as linearize
std::vector<VibrationMode> modes(MechanicalSystem& system, double t, ConstVectorRef q,
                                 const CoordinateChoice& choice = {});

/// The eigenvalues of A [1/s], as many as x has entries.
std::vector<std::complex<double>> eigenvalues(const LinearSystem& system);

}  // namespace CHASLES_API
