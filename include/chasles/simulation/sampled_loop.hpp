/// Stability of sampled control: the eigenvalues of the closed loop from sample to sample.
///
/// At rest at q, without gravity and other forces, the controlled entries y of v obey
///
///     y'' = L u,       L = (M^-1)_cc                                                          (1)
///
/// where all other joints move freely. A sample gives u_k = -P y_k - D y'_k (LinearGains), which acts from
/// kT + delay on, delay = m T + f. Over one period T, with s = T - f,
///
///     y_{k+1}  = y_k + T y'_k + L ( (T^2 - s^2) / 2  u_{k-m-1} + s^2 / 2  u_{k-m} )
///     y'_{k+1} = y'_k + L ( f u_{k-m-1} + s u_{k-m} )                                         (2)
///
/// The loop is unstable if (2), as a matrix on (y_k, y'_k, u_{k-1}, ..., u_{k-m-1}), has an eigenvalue
/// outside the unit circle. One joint without delay is stable if 0 < T P < 2 D and T D L < 2: the
/// eigenvalues are the roots of
///
///     z^2 + (T^2 P L / 2 + T D L - 2) z + (T^2 P L / 2 - T D L + 1).                          (3)
#pragma once

#include <complex>

#include "chasles/simulation/control.hpp"

namespace chasles {

struct SampledLoop {
  std::complex<double> eigenvalue;  // of (2), the one of largest modulus
  std::string joint;  // that moves most in its eigenvector, in units of work sqrt(P) y
  double radius() const { return std::abs(eigenvalue); }
  /// With room for the rounding of double eigenvalues at 1.
  bool unstable() const { return radius() > 1 + 1e-6; }
};

/// The loop of a sampled controller at q.
/// @return none if the controller is not sampled, its gains are not known or zero, q is not finite, M is
///         singular, the mechanism has loops or couplings, or the delay makes (2) larger than 600 x 600
/// @throws SizeError
std::optional<SampledLoop> sampled_loop(const Controller& controller, ConstVectorRef q);

/// A sentence for every controller among the forces whose sampled loop is unstable at q: "the gains of
/// controller 'arm' at period 0.001 s are unstable: ...".
std::vector<std::string> unstable_gains(const Forces& forces, ConstVectorRef q);

}  // namespace chasles
