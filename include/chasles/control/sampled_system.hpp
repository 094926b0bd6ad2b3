/// A mechanism under sampled control near a state, as a linear system in discrete time.
///
/// With x' = A x + B u of control/linear_system.hpp and feedbacks g of period T that act with the delay d_g on some
/// joints,
///
///     u_g = F_g x(k T)     from  k T + d_g  on, held until the next sample acts                  (1)
///
/// the state from sample to sample is y = (x; u_0,k-1; u_0,k-2; ...; u_1,k-1; ...): x, and of every feedback the
/// samples that are still to act, ceil(d_g / T) of them, the latest first. Without delay y = x. With joint forces w
/// that come on top and are held as well,
///
///     y_{k+1} = A y_k + B w_k                                                                   (2)
///
/// Exact in equilibria; at other states A and B of the mechanism are those at the start of the period. The loop is
/// stable if all eigenvalues z of A have |z| < 1. A mode z^k is what exp(s t) is at the samples, s = log(z) / T.
///
///     LinearSystem plant = linearize(system, t, q, v);       // under the efforts that are held
///     SampledFeedback loop{.entries = {0}, .gain = -K};      // or control_tangent of a Controller
///     SampledSystem s = sample(plant, 1e-3, {&loop, 1});
///     if (!s.is_stable()) ...
#pragma once

#include <complex>
#include <span>

#include "chasles/control/linear_system.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

struct SampledFeedback {
  std::vector<int> entries;  // of v: where its efforts act
  Matrix gain;               // F: entries x rows of the plant's A
  double delay = 0;          // [s]
};

struct SampledSystem {
  struct Delayed {
    std::size_t feedback;
    int entry;    // of v
    int samples;  // how many samples ago
  };
  double period = 0;               // T [s]
  Matrix A, B;                     // (2)
  std::vector<Delayed> delayed{};  // the entries of y that follow those of x

  /// The eigenvalues of A, the largest first.
  std::vector<std::complex<double>> eigenvalues() const;
  /// The largest modulus of them.
  double spectral_radius() const;
  /// With room for the rounding of a double eigenvalue at 1, as of a body that nothing holds.
  bool is_stable() const { return spectral_radius() < 1 - 1e-9; }
  bool is_unstable() const { return spectral_radius() > 1 + 1e-6; }
};

/// (2).
/// @param period  [s]
/// @throws Error if a period, delay, entry or size is wrong, or if y has more than 5000 entries
SampledSystem sample(const LinearSystem& plant, double period,
                     std::span<const SampledFeedback> feedback);

}  // namespace CHASLES_API
