/// A mechanism with closed loops, couplings and user-defined constraints as a dynamical system:
///
///     M(q) vd = f(t, q, v) - B^T lambda,     Phi(q, t) = 0,     B v + Phi_t = 0               (1)
///
/// Accelerations and multipliers come from a sparse KKT factorization along the tree, in O(n) for loops that are small
/// compared with the tree and for chains in maximal coordinates (docs/theory/loops.md). All constraint equations are
/// included; if they are dependent (constraints/analysis.hpp), independent combinations are used.
///
///     ConstrainedSystem system(model);                       // finds an assembled configuration
///     State state{0, system.assembled(), Vector(model.nv())};
///     auto integrator = make_integrator(system, {.method = "dop853"});
#pragma once

#include "chasles/export.hpp"
#include "chasles/systems/mechanism_state.hpp"

namespace chasles CHASLES_API {

/// @paper 004 (1), (2)
class ConstrainedSystem : public MechanismState {
 public:
  /// @param near  nq: initial guess for the assembled configuration; empty: q = 0
  /// @param kept  nv: entries that must not move during assembly; empty: all may
  /// @throws Error naming the loop that cannot be closed and its gap
  explicit ConstrainedSystem(const Model& model, const ConstraintOptions& options = {},
                             const Vector& near = {}, const std::vector<bool>& kept = {});

  /// The assembled configuration: all loops closed, near the given one.
  const Vector& assembled() const { return assembled_; }

  /// `set` at the last time, then the largest |Phi| or |B v + Phi_t| of all equations [rad, m; rad/s, m/s].
  double violation(ConstVectorRef q);
  double velocity_violation(ConstVectorRef q, ConstVectorRef v);
  /// `set` at the last time, then constrained forward dynamics.
  const Vector& forward_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
                                 AppliedWrenches applied = {});
  using MechanismState::forward_dynamics;

 private:
  struct Assembly;
  ConstrainedSystem(const Model& model, Assembly assembly);
  Vector assembled_;
};

}  // namespace CHASLES_API
