/// A mechanism with closed loops, couplings and user constraints as a system:
///
///     M(q) vd = f(t, q, v) - B(q)^T lambda,     Phi(q) = 0,     B v = 0                       (1)
///
/// Accelerations and multipliers come from elimination along the tree, in O(n) for loops that are small
/// compared with the tree and for chains in maximal coordinates (docs/theory/loops.md). All constraint
/// equations are there; of equations that depend on each other (constraints/analysis.hpp) the independent
/// combinations are kept.
///
///     ConstrainedSystem system(model);                       // finds a configuration that closes
///     State state{0, system.assembled(), Vector(model.nv())};
///     auto integrator = make_integrator(system, {.method = "dop853"});
#pragma once

#include "chasles/export.hpp"
#include "chasles/motion/mechanism_state.hpp"

namespace chasles CHASLES_API {

class ConstrainedSystem : public MechanismState {
 public:
  /// @param near  nq: where to look for the configuration at which loops are closed; empty: q = 0
  /// @param kept  nv: what may not move on the way there; empty: all may
  /// @throws Error naming the loop that cannot be closed and its gap
  explicit ConstrainedSystem(const Model& model, const ConstraintOptions& options = {},
                             const Vector& near = {}, const std::vector<bool>& kept = {});

  /// A configuration near the given one at which all loops are closed.
  const Vector& assembled() const { return assembled_; }

  /// `set`, and the largest |Phi| and |B v| of all equations [rad, m; 1/s of that].
  double violation(ConstVectorRef q);
  double velocity_violation(ConstVectorRef q, ConstVectorRef v);
  /// `set` at t = 0, and constrained forward dynamics.
  const Vector& forward_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
                                 AppliedWrenches applied = {});
  using MechanismState::forward_dynamics;

 private:
  struct Assembly;
  ConstrainedSystem(const Model& model, Assembly assembly);
  Vector assembled_;
};

}  // namespace CHASLES_API
