/// Dynamics of many states of one model at once: SIMD lanes over states, threads over lanes.
///
///     Batch<double> batch(model, 2);                    // two threads
///     batch.inverse_dynamics(1000, q, v, a, tau);       // q: 1000 rows of nq numbers, ...
///
/// Results do not depend on the number of threads. Sizes are those of the single-state functions,
/// one row per state: q nq; v, a, tau nv; matrices nv * nv; energies (T, U); momenta (L; P), 6.
///
/// Layout::lanes is the order in which the kernels work, without transposing: blocks of `lanes`
/// states, in each block entry after entry, in each entry lane after lane,
///
///     entry e of state s of n entries:   data[(s / lanes * n + e) * lanes + s % lanes]
///
/// with room for whole blocks: `padded(states)` states.
#pragma once

#include <memory>
#include <span>

#include "chasles/model/model.hpp"

namespace chasles {

enum class Layout { rows, lanes };

/// Real: double or float. One per caller; calls of one Batch must not overlap. It refers to the
/// model, which must outlive it. After construction no call allocates.
template <class Real>
class Batch {
 public:
  /// States in a SIMD register: 4 doubles, 8 floats.
  static constexpr int lanes = 32 / sizeof(Real);
  using In = std::span<const Real>;
  using Out = std::span<Real>;

  /// @param threads  0: one for each processor
  explicit Batch(const Model& model, int threads = 1);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  /// `states` rounded up to whole blocks: the rows that Layout::lanes needs.
  static constexpr int padded(int states) { return (states + lanes - 1) / lanes * lanes; }

  /// tau = M a + h. An empty `a` means zero: the bias h.
  /// @throws SizeError naming the argument and both sizes
  void inverse_dynamics(int states, In q, In v, In a, Out tau, Layout layout = Layout::rows);
  /// a = M^-1 (tau - h).
  /// @throws SizeError; SingularError naming the joint
  void forward_dynamics(int states, In q, In v, In tau, Out a, Layout layout = Layout::rows);
  void mass_matrix(int states, In q, Out M, Layout layout = Layout::rows);
  /// @throws SizeError; SingularError naming the joint
  void mass_matrix_inverse(int states, In q, Out M_inv, Layout layout = Layout::rows);
  /// (T, U) [J]: kinetic, and potential energy of gravity, zero at the height of the world origin.
  void energies(int states, In q, In v, Out energy, Layout layout = Layout::rows);
  /// Spatial momentum (L; P) about the world origin [kg m^2/s, kg m/s].
  void momenta(int states, In q, In v, Out momentum, Layout layout = Layout::rows);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

extern template class Batch<double>;
extern template class Batch<float>;

}  // namespace chasles
