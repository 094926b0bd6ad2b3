/// Dynamics and kinematics of many states of one model at once: SIMD lanes over states, threads over
/// lanes.
///
///     Batch<double> batch(model, 2);                    // two threads
///     Eigen::MatrixXd tau(model.nv(), q.cols());
///     batch.inverse_dynamics(q, v, a, tau);             // q: nq x N, v, a: nv x N, a column per state
///
/// Results do not depend on the number of threads. Sizes are those of the single-state functions, a column
/// per state: q nq; v, a, tau nv; matrices nv * nv; energies (T, U); momenta (L; P), 6.
///
/// Every function also takes spans, with the number of states first. BatchLayout::rows is the memory of the same
/// matrices, state after state:
///
///     std::vector<double> q(1000 * nq), v(1000 * nv), a(v), tau(v);
///     batch.inverse_dynamics(1000, q, v, a, tau);
///
/// BatchLayout::lanes is the internal order of the kernels, without transposition: blocks of `lanes()` states; in each
/// block entry after entry, in each entry lane after lane,
///
///     entry e of state s of n entries:   data[(s / lanes * n + e) * lanes + s % lanes]
///
/// padded to whole blocks: `padded(states)` states.
#pragma once

#include <memory>
#include <span>

#include "chasles/export.hpp"
#include "chasles/model/model.hpp"
#include "chasles/screws/representation.hpp"

namespace chasles CHASLES_API {

enum class BatchLayout { rows, lanes };

/// External wrenches on bodies, at the same frames in all states: torque [N m] and force [N] as in
/// applied_wrench.hpp.
template <class Real>
struct BatchWrenches {
  std::span<const Frame> frames;
  std::span<const Real> W;  // per state 6 for each frame
  Representation representation = Representation::hybrid;
};

/// Real: double or float. One per caller; calls of one Batch must not overlap. It holds the model. The first call of a
/// function allocates its workspace, as does a call with more frames than before; no other call allocates.
///
/// Every function throws SizeError naming the argument and both sizes, and Error if the batch was moved from, a frame
/// is of another model, results overlap arguments, or a quaternion is zero, naming the state and the joint.
/// Non-finite inputs give non-finite results (docs/notation.md, section 8).
template <class Real>
class Batch {
 public:
  using In = std::span<const Real>;
  using Out = std::span<Real>;
  using Frames = std::span<const Frame>;
  using Wrenches = BatchWrenches<Real>;
  /// Matrices with a column per state; columns must be contiguous, or it is an Error.
  using Stride = Eigen::OuterStride<>;
  using Columns = const Eigen::Ref<const Eigen::Matrix<Real, -1, -1>, 0, Stride>&;
  using Results = Eigen::Ref<Eigen::Matrix<Real, -1, -1>, 0, Stride>;

  /// @param threads  0: one per processor
  explicit Batch(const Model& model, int threads = 1);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  /// States per SIMD register of this machine: 2, 4 or 8 doubles, 4, 8 or 16 floats.
  int lanes() const;
  /// `states` rounded up to whole blocks: the number of states to allocate for BatchLayout::lanes.
  int padded(int states) const;
  /// Relative error of float forward dynamics, estimated against double at sample states when the batch was made; 0 for
  /// Batch<double>. Above 0.1, as for robots whose inertias differ by many orders of magnitude, forward_dynamics and
  /// mass_matrix_inverse throw Error; all other functions are accurate in float.
  double forward_error() const;

  /// tau = M a + h - sum J^T W. An empty `a` means zero: the bias h.
  void inverse_dynamics(int states, In q, In v, In a, Out tau,
                        BatchLayout layout = BatchLayout::rows, const Wrenches& applied = {});
  /// a = M^-1 (tau - h + sum J^T W).
  /// @throws SingularError naming the state and the joint; Error naming both if the inertia is not finite there
  void forward_dynamics(int states, In q, In v, In tau, Out a,
                        BatchLayout layout = BatchLayout::rows, const Wrenches& applied = {});
  void mass_matrix(int states, In q, Out M, BatchLayout layout = BatchLayout::rows);
  /// @throws as forward_dynamics
  void mass_matrix_inverse(int states, In q, Out M_inv, BatchLayout layout = BatchLayout::rows);
  /// The Coriolis matrix of coriolis.hpp: per state nv * nv, row after row.
  void coriolis_matrix(int states, In q, In v, Out C, BatchLayout layout = BatchLayout::rows);
  /// dtau/dq, dtau/dv and M of derivatives/inverse_dynamics.hpp: per state 3 nv * nv, row after row,
  /// matrix after matrix. An empty `a` means zero.
  void d_inverse_dynamics(int states, In q, In v, In a, Out D,
                          BatchLayout layout = BatchLayout::rows, const Wrenches& applied = {});
  /// da/dq, da/dv and M^-1 of derivatives/forward_dynamics.hpp, in the same way.
  /// @throws as forward_dynamics
  void d_forward_dynamics(int states, In q, In v, In tau, Out D,
                          BatchLayout layout = BatchLayout::rows, const Wrenches& applied = {});
  /// The torque regressor, with respect to the parameters of links (link_parameters): per state nv
  /// rows of 10 * links numbers. An empty `a` means zero.
  void link_regressor(int states, In q, In v, In a, Out Y, BatchLayout layout = BatchLayout::rows);
  /// The centroidal momentum matrix of centroidal.hpp and its time derivative: per state 6 nv each, by columns, one
  /// after the other. Requires a moving body with mass.
  void centroidal_matrices(int states, In q, In v, Out A, BatchLayout layout = BatchLayout::rows);
  /// (T, U) [J]: kinetic, and potential energy of gravity, zero at the height of the world origin.
  void energies(int states, In q, In v, Out energy, BatchLayout layout = BatchLayout::rows);
  /// Spatial momentum (L; P) about the world origin [kg m^2/s, kg m/s].
  void momenta(int states, In q, In v, Out momentum, BatchLayout layout = BatchLayout::rows);

  /// Poses in the world: per state and frame 12 numbers, the rotation matrix by columns and the position.
  void poses(int states, In q, Frames frames, Out C, BatchLayout layout = BatchLayout::rows);
  /// Per state and frame 6 numbers, in a representation: kinematics.hpp.
  void twists(int states, In q, In v, Frames frames, Representation representation, Out V,
              BatchLayout layout = BatchLayout::rows);
  void accelerations(int states, In q, In v, In a, Frames frames, Representation representation,
                     Out A, BatchLayout layout = BatchLayout::rows);
  /// Per state 6 nv: the Jacobian of a frame by columns, V = J v.
  void jacobians(int states, In q, const Frame& frame, Representation representation, Out J,
                 BatchLayout layout = BatchLayout::rows);

  // The same with a column per state; the number of states is that of the columns of q. An empty matrix `a` means zero.
  void inverse_dynamics(Columns q, Columns v, Columns a, Results tau,
                        const Wrenches& applied = {}) {
    inverse_dynamics(count(q), in("q", q, q), in("v", v, q), in("a", a, q), out("tau", tau, q),
                     BatchLayout::rows, applied);
  }
  void forward_dynamics(Columns q, Columns v, Columns tau, Results a,
                        const Wrenches& applied = {}) {
    forward_dynamics(count(q), in("q", q, q), in("v", v, q), in("tau", tau, q), out("a", a, q),
                     BatchLayout::rows, applied);
  }
  void mass_matrix(Columns q, Results M) { mass_matrix(count(q), in("q", q, q), out("M", M, q)); }
  void mass_matrix_inverse(Columns q, Results M_inv) {
    mass_matrix_inverse(count(q), in("q", q, q), out("M_inv", M_inv, q));
  }
  void coriolis_matrix(Columns q, Columns v, Results C) {
    coriolis_matrix(count(q), in("q", q, q), in("v", v, q), out("C", C, q));
  }
  void d_inverse_dynamics(Columns q, Columns v, Columns a, Results D,
                          const Wrenches& applied = {}) {
    d_inverse_dynamics(count(q), in("q", q, q), in("v", v, q), in("a", a, q), out("D", D, q),
                       BatchLayout::rows, applied);
  }
  void d_forward_dynamics(Columns q, Columns v, Columns tau, Results D,
                          const Wrenches& applied = {}) {
    d_forward_dynamics(count(q), in("q", q, q), in("v", v, q), in("tau", tau, q), out("D", D, q),
                       BatchLayout::rows, applied);
  }
  void link_regressor(Columns q, Columns v, Columns a, Results Y) {
    link_regressor(count(q), in("q", q, q), in("v", v, q), in("a", a, q), out("Y", Y, q));
  }
  void centroidal_matrices(Columns q, Columns v, Results A) {
    centroidal_matrices(count(q), in("q", q, q), in("v", v, q), out("A", A, q));
  }
  void energies(Columns q, Columns v, Results energy) {
    energies(count(q), in("q", q, q), in("v", v, q), out("energy", energy, q));
  }
  void momenta(Columns q, Columns v, Results momentum) {
    momenta(count(q), in("q", q, q), in("v", v, q), out("momentum", momentum, q));
  }
  void poses(Columns q, Frames frames, Results C) {
    poses(count(q), in("q", q, q), frames, out("C", C, q));
  }
  void twists(Columns q, Columns v, Frames frames, Representation representation, Results V) {
    twists(count(q), in("q", q, q), in("v", v, q), frames, representation, out("V", V, q));
  }
  void accelerations(Columns q, Columns v, Columns a, Frames frames, Representation representation,
                     Results A) {
    accelerations(count(q), in("q", q, q), in("v", v, q), in("a", a, q), frames, representation,
                  out("A", A, q));
  }
  void jacobians(Columns q, const Frame& frame, Representation representation, Results J) {
    jacobians(count(q), in("q", q, q), frame, representation, out("J", J, q));
  }

 private:
  static int count(Columns q);
  static In in(const char* name, Columns x, Columns q);
  static Out out(const char* name, Results& x, Columns q);
  struct Implementation;
  Implementation& here() const;
  std::unique_ptr<Implementation> implementation_;
};

/// The inertial parameters of the links of a model, ten each, ordered as in dynamics/regressor.hpp: the factor of
/// Batch::link_regressor that gives the joint forces.
Vector link_parameters(const Model& model);

extern template class Batch<double>;
extern template class Batch<float>;

}  // namespace CHASLES_API
