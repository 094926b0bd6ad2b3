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
#include <span>

#include "chasles/export.hpp"
#include "chasles/linearization/linear_system.hpp"

namespace chasles CHASLES_API {

/// A configuration of (1) near `start`, by damped Newton steps on the Lie group and along the constraints; if these
/// fail, by descent of the potential. Angles are within half a revolution of those of the start, where that is an
/// equilibrium as well.
/// @param held  entries of v that do not move (CoordinateChoice)
/// @throws Error naming the joint with the largest remaining force, if no equilibrium is found; or the constraint that
///         cannot be satisfied near the start
Vector find_equilibrium(MechanicalSystem& system, double t, ConstVectorRef start,
                        const std::vector<int>& held = {});

struct EquilibriumOptions {
  std::vector<int> held{};  // entries of v that do not move (CoordinateChoice)
  /// With n > 0 the forces that are out of balance at the start are released in n steps, or more where these are too
  /// long: f(q) - (1 - s) f(q_0) is in equilibrium for s = 1/n, 2/n, ..., 1. For stiff springs and far starts: the
  /// solution then is the one that a slow release leads to.
  int load_steps = 0;
};
/// @throws Error also for a negative number of steps
Vector find_equilibrium(MechanicalSystem& system, double t, ConstVectorRef start,
                        const EquilibriumOptions& options);
/// The different configurations of (1) that are found from several starts, in the order of these; starts that lead to
/// none are left out. Angles are between -pi and pi, where that is an equilibrium as well.
std::vector<Vector> find_equilibria(MechanicalSystem& system, double t,
                                    std::span<const Vector> starts,
                                    const EquilibriumOptions& options = {});

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
