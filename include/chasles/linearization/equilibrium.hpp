/// Equilibria of a mechanism, and its vibration modes there.
///
///     N^T f(t, q, 0) = 0,  Phi(q) = 0     equilibrium of applied forces, gravity and constraint forces
///                                                                                            (1)
///     M_r z'' + D_r z' + K_r z = 0        near it;   (lambda^2 M_r + lambda D_r + K_r) z = 0   (2)
///
/// with M_r, D_r, K_r and N of linearization/linear_system.hpp (4); a mode moves all joints by s = N z. Without
/// damping, K_r is symmetric and lambda = +-i omega.
///
///     Vector q = find_equilibrium(system, 0, start);
///     for (const VibrationMode& mode : modes(system, 0, q))
///       std::printf("%g Hz, damping %g\n", mode.frequency / (2 * M_PI), mode.damping);
#pragma once

#include <complex>

#include "chasles/export.hpp"
#include "chasles/linearization/linear_system.hpp"

namespace chasles CHASLES_API {

/// A configuration of (1) near `start`, by damped Newton steps on the Lie group and along the constraints; if these
/// fail, by descent of the potential.
/// @param held  entries of v that do not move (CoordinateChoice)
/// @throws Error naming the joint with the largest remaining force, if no equilibrium is found; or the constraint that
///         cannot be satisfied near the start
Vector find_equilibrium(MechanicalSystem& system, double t, ConstVectorRef start,
                        const std::vector<int>& held = {});

struct VibrationMode {
  std::complex<double> lambda;  // [1/s]; for a conjugate pair the one with positive imaginary part
  double frequency;             // |lambda| [rad/s]
  double damping;  // -Re lambda / |lambda|: 0 undamped, >= 1 no vibration, < 0 unstable
  std::vector<std::complex<double>> shape;  // s of all joints: nv, largest entry 1
};
/// Modes (2) at an equilibrium, slowest first. A conjugate pair is one mode; each real lambda is a mode, including
/// lambda = 0 of a rigid-body motion (twice, if undamped).
/// @throws Error if (t, q) is not an equilibrium, naming the joint with the largest acceleration; as linearize
std::vector<VibrationMode> modes(MechanicalSystem& system, double t, ConstVectorRef q,
                                 const CoordinateChoice& choice = {});

/// The eigenvalues of A [1/s], as many as x has entries.
std::vector<std::complex<double>> eigenvalues(const LinearSystem& system);

}  // namespace CHASLES_API
