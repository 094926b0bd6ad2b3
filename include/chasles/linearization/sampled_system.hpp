/// A mechanism under sampled control near a state, as a discrete-time linear system.
///
/// With x' = A x + B u of linearization/linear_system.hpp and feedbacks g of period T that act on some joints with delay
/// d_g,
///
///     u_g = F_g x(k T)     from  k T + d_g  on, with zero-order hold                             (1)
///
/// the discrete state is y = (x; u_0,k-1; u_0,k-2; ...; u_1,k-1; ...): x, and for every feedback its ceil(d_g / T)
/// pending samples, the latest first. Without delay y = x. With additional joint forces w, also held,
///
///     y_{k+1} = A y_k + B w_k                                                                   (2)
///
/// Exact in equilibria; at other states A and B of the mechanism are those at the start of the period. The loop is
/// stable if all eigenvalues z of A have |z| < 1. A mode z^k equals exp(s t) at the samples, s = log(z) / T.
///
///     LinearSystem plant = linearize(system, t, q, v);       // under the held efforts
///     SampledFeedback loop{.entries = {0}, .gain = -K};      // or control_tangent of a Controller
///     SampledSystem s = sample(plant, 1e-3, {&loop, 1});
///     if (!s.is_stable()) std::puts("unstable");
#pragma once

#include <complex>
#include <span>

#include "chasles/export.hpp"
#include "chasles/linearization/linear_system.hpp"

namespace chasles CHASLES_API {

struct SampledFeedback {
  std::vector<int> entries;  // entries of v on which its efforts act
  Matrix gain;               // F: entries x rows of the plant's A
  double delay = 0;          // [s]
};

struct SampledSystem {
  struct Delayed {
    std::size_t feedback;
    int entry;    // of v
    int samples;  // age in samples
  };
  double period = 0;               // T [s]
  Matrix A, B;                     // (2)
  std::vector<Delayed> delayed{};  // the entries of y after those of x

  /// The eigenvalues of A, largest modulus first.
  std::vector<std::complex<double>> eigenvalues() const;
  /// Their largest modulus.
  double spectral_radius() const;
  /// Margins for the rounding error of a double eigenvalue at 1, as of a free body.
  bool is_stable() const { return spectral_radius() < 1 - 1e-9; }
  bool is_unstable() const { return spectral_radius() > 1 + 1e-6; }
};

/// The closed loop (2).
/// @param period  [s]
/// @throws Error if a period, delay, entry or size is wrong, or if y has more than 5000 entries
SampledSystem sample(const LinearSystem& plant, double period,
                     std::span<const SampledFeedback> feedback);

}  // namespace CHASLES_API
