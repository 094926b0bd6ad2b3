/// Stability of sampled control: the eigenvalues of the discrete-time closed loop.
///
/// A controller holds u between samples. With the stiffness K and damping C of other joint forces, the affected
/// entries y of v obey, linearized at rest at q, without gravity and saturation,
///
///     y'' = L (u - K y - C y'),       L = the block of M^-1 that belongs to y                  (1)
///
/// where all other joints move freely. Over a time h with constant u, x = (y; y') becomes Phi(h) x + Gamma(h) u.
/// Sample k gives u_k = -(P, D) x_k (LinearGains), applied from k T + delay on, delay = m T + f. Hence
///
///     x_{k+1} = Phi(T) x_k + Phi(T - f) Gamma(f) u_{k-m-1} + Gamma(T - f) u_{k-m}              (2)
///
/// The loop is unstable if (2), as a matrix on (x_k, u_{k-1}, ..., u_{k-m-1}), has an eigenvalue outside the
/// unit circle. One joint alone (K = C = 0) without delay is stable if 0 < T P < 2 D and T D L < 2: the
/// eigenvalues are the roots of
///
///     z^2 + (T^2 P L / 2 + T D L - 2) z + (T^2 P L / 2 - T D L + 1).                          (3)
#pragma once

#include <complex>

#include "chasles/export.hpp"
#include "chasles/simulation/control.hpp"

namespace chasles CHASLES_API {

struct SampledLoop {
  std::complex<double> eigenvalue;  // eigenvalue of (2) with the largest modulus
  std::string joint;  // with the largest velocity in its eigenvector, scaled by sqrt(1 / L_ii)
  double radius() const { return std::abs(eigenvalue); }
  /// 1e-6: margin for the rounding error of a double eigenvalue at 1.
  bool unstable() const { return radius() > 1 + 1e-6; }
};

/// The closed loop of a sampled controller at q.
/// @param others  K and C of (1): the joint blocks of other forces, entries of v of the model
/// @return none if the controller is not sampled, its gains are unknown or zero, q is not finite, M is singular,
///         the mechanism has loops or couplings, or the delay makes (2) larger than 600 x 600
/// @throws SizeError
std::optional<SampledLoop> sampled_loop(const Controller& controller, ConstVectorRef q,
                                        const ForceTangent& others = {});

/// A sentence for every controller among the forces whose sampled loop is unstable at the state of `kin`, given the
/// tangents of the other forces there: "the gains of controller 'arm' at period 0.001 s are unstable: ...".
/// @throws Error of a force that fails there
std::vector<std::string> unstable_gains(const Forces& forces, double t,
                                        const VelocityKinematics& kin);

}  // namespace CHASLES_API
