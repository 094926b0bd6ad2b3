/// Where a mechanism stays at rest, and how it vibrates there.
///
///     f(t, q, 0) = 0        equilibrium: what acts, weight included, is in balance           (1)
///     M e'' + D e' + K e = 0     near it;   (lambda^2 M + lambda D + K) s = 0    modes       (2)
///
/// with K, D, M of motion/mechanical_system.hpp (3). Without damping, K is symmetric and
/// lambda = +-i omega.
///
///     Vector q = find_equilibrium(system, 0, start);
///     for (const Mode& mode : modes(system, 0, q))
///       std::printf("%g Hz, damping %g\n", mode.frequency / (2 * M_PI), mode.damping);
#pragma once

#include <complex>

#include "chasles/control/linear_system.hpp"

namespace chasles {

/// A configuration of (1) near `start`, by damped Newton steps on the group.
/// @throws Error naming the worst entry of v and the force that is left there, if none is found
Vector find_equilibrium(MechanicalSystem& system, double t, ConstVectorRef start);

struct Mode {
  std::complex<double> lambda;  // [1/s]; of a pair the one with positive imaginary part
  double frequency;             // |lambda| [rad/s]
  double damping;  // -Re lambda / |lambda|: 0 undamped, 1 and more no vibration, < 0 grows
  std::vector<std::complex<double>> shape;  // s: nv, its largest entry is one
};
/// (2) at an equilibrium, from the slowest. A pair of complex numbers is one mode; a real lambda is one
/// by itself, and so is a motion that nothing resists, with lambda = 0 (twice, if it is not damped).
/// @throws Error if (t, q) is no equilibrium, naming the entry of v that accelerates most
std::vector<Mode> modes(MechanicalSystem& system, double t, ConstVectorRef q);

/// The eigenvalues of A [1/s], 2 nv of them.
std::vector<std::complex<double>> eigenvalues(const LinearSystem& system);

}  // namespace chasles
