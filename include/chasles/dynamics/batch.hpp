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
///     batch.inverse_dynamics(1000, q, v, a, tau);       // q: 1000 nq numbers, ...
///
/// BatchLayout::lanes is the order in which the kernels work, without transposing: blocks of `lanes()`
/// states, in each block entry after entry, in each entry lane after lane,
///
///     entry e of state s of n entries:   data[(s / lanes * n + e) * lanes + s % lanes]
///
/// with room for whole blocks: `padded(states)` states.
#pragma once

#include <memory>
#include <span>

#include "chasles/export.hpp"
#include "chasles/model/model.hpp"
#include "chasles/screws/representation.hpp"

namespace chasles CHASLES_API {

enum class BatchLayout { rows, lanes };

/// Wrenches on bodies from outside, at the same places in all states: torque [N m] and force [N] as
/// in applied_wrench.hpp.
template <class Real>
struct BatchWrenches {
  std::span<const Frame> frames;
  std::span<const Real> W;  // per state 6 for each place
  Representation representation = Representation::hybrid;
};

/// Real: double or float. One per caller; calls of one Batch must not overlap. It keeps
/// the model. The first call of a function allocates what it works in, and one with
/// more places than before; no other does.
///
/// Every function throws SizeError naming the argument and both sizes, and Error if the batch was
/// moved from, a place is not of this model, results overlap arguments, or a quaternion is zero, naming the
/// state and the joint.
/// Numbers that are not finite give results that are not (docs/notation.md, section 8).
template <class Real>
class Batch {
 public:
  using In = std::span<const Real>;
  using Out = std::span<Real>;
  using Frames = std::span<const Frame>;
  using Wrenches = BatchWrenches<Real>;
  /// Matrices with a column per state; their columns follow each other without gaps, or it is an Error.
  using Stride = Eigen::OuterStride<>;
  using Columns = const Eigen::Ref<const Eigen::Matrix<Real, -1, -1>, 0, Stride>&;
  using Results = Eigen::Ref<Eigen::Matrix<Real, -1, -1>, 0, Stride>;

  /// @param threads  0: one for each processor
  explicit Batch(const Model& model, int threads = 1);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  /// States in a SIMD register of this machine: 2, 4 or 8 doubles, 4, 8 or 16 floats.
  int lanes() const;
  /// `states` rounded up to whole blocks: the rows that BatchLayout::lanes needs.
  int padded(int states) const;
  /// What forward_dynamics is off by, as a part of the accelerations, seen against double at a few
  /// states when the batch was made; of Batch<double> 0. Where float has not one digit, above 0.1, as
  /// for robots whose inertias are many orders of magnitude apart, forward_dynamics and
  /// mass_matrix_inverse throw Error instead of giving numbers; all else is good in float.
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
  /// The centroidal momentum matrix of centroidal.hpp and its rate: per state 6 nv each, by columns,
  /// one after the other. Of a model in which something that moves has mass.
  void centroidal_matrices(int states, In q, In v, Out A, BatchLayout layout = BatchLayout::rows);
  /// (T, U) [J]: kinetic, and potential energy of gravity, zero at the height of the world origin.
  void energies(int states, In q, In v, Out energy, BatchLayout layout = BatchLayout::rows);
  /// Spatial momentum (L; P) about the world origin [kg m^2/s, kg m/s].
  void momenta(int states, In q, In v, Out momentum, BatchLayout layout = BatchLayout::rows);

  /// Poses in the world: per state and place 12, the rotation matrix by columns and the position.
  void poses(int states, In q, Frames frames, Out C, BatchLayout layout = BatchLayout::rows);
  /// Per state and place 6, in a representation: kinematics.hpp.
  void twists(int states, In q, In v, Frames frames, Representation representation, Out V,
              BatchLayout layout = BatchLayout::rows);
  void accelerations(int states, In q, In v, In a, Frames frames, Representation representation,
                     Out A, BatchLayout layout = BatchLayout::rows);
  /// Per state 6 nv: the Jacobian of a place by columns, V = J v.
  void jacobians(int states, In q, const Frame& frame, Representation representation, Out J,
                 BatchLayout layout = BatchLayout::rows);

  // The same with a column per state; the states are the columns of q. A matrix `a` without entries means
  // zero.
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

/// The inertial parameters of the links of a model, ten each, as dynamics/regressor.hpp orders them:
/// what Batch::link_regressor is multiplied by to give the joint forces.
Vector link_parameters(const Model& model);

extern template class Batch<double>;
extern template class Batch<float>;

}  // namespace CHASLES_API
