/// Matrix-free products with the derivatives of dynamics and with their transposes, in O(n).
///
///     dtau = dtau/dq dq + dtau/dv dv + M da                                                 (1)
///     da   = da/dq dq + da/dv dv + M^-1 dtau                                                (2)
///
/// along a direction, 002 Algorithms 1 and 5, and for weights lambda of the results the gradients
///
///     grad_q = (dtau/dq)^T lambda,   grad_v = (dtau/dv)^T lambda,   grad_a = M lambda              (3)
///     grad_q = (da/dq)^T lambda,     grad_v = (da/dv)^T lambda,     grad_tau = M^-1 lambda         (4)
///
/// so that lambda.dtau = grad_q.dq + grad_v.dv + grad_a.da. dq and wrenches as in derivatives/inverse_dynamics.hpp.
/// Each function also computes the undifferentiated result, and takes about twice its time:
/// docs/theory/linearization.md, src/kernels/derivatives/inverse_tangent.inl.
///
///     InverseDynamicsProducts d(model);
///     const Vector& dtau = d_inverse_dynamics_times(model, q, v, a, dq, dv, da, d);
///     d_inverse_dynamics_transposed_times(model, q, v, a, lambda, d);      // d.grad_q(), d.grad_v(), d.grad_a()
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace and result: one per thread; after construction no call allocates (the first applied wrench does, once).
/// All vectors have nv entries.
class InverseDynamicsProducts {
 public:
  explicit InverseDynamicsProducts(const Model& model);
  const Vector& tau() const { return tau_; }        // at (q, v, a)
  const Vector& dtau() const { return dtau_; }      // (1)
  const Vector& grad_q() const { return grad_q_; }  // (3)
  const Vector& grad_v() const { return grad_v_; }
  const Vector& grad_a() const { return grad_a_; }

 private:
  friend class ProductRun;
  Workspace work_;
  Vector tau_, dtau_, grad_q_, grad_v_, grad_a_;
};
/// The same for forward dynamics.
class ForwardDynamicsProducts {
 public:
  explicit ForwardDynamicsProducts(const Model& model);
  const Vector& a() const { return a_; }            // at (q, v, tau)
  const Vector& da() const { return da_; }          // (2)
  const Vector& grad_q() const { return grad_q_; }  // (4)
  const Vector& grad_v() const { return grad_v_; }
  const Vector& grad_tau() const { return grad_tau_; }

 private:
  friend class ProductRun;
  Workspace work_;
  Vector a_, da_, grad_q_, grad_v_, grad_tau_, room_;
};

/// (1) into `out`; returns out.dtau(). q: nq; all others: nv; all finite.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
/// @paper 002 Algorithm 1
const Vector& d_inverse_dynamics_times(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                       ConstVectorRef a, ConstVectorRef dq, ConstVectorRef dv,
                                       ConstVectorRef da, InverseDynamicsProducts& out,
                                       AppliedWrenches applied = {});
/// (3) into `out`.
const InverseDynamicsProducts& d_inverse_dynamics_transposed_times(
    const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, ConstVectorRef lambda,
    InverseDynamicsProducts& out, AppliedWrenches applied = {});

/// (2) into `out`; returns out.da().
/// @throws as above; SingularError naming the joint without inertia
/// @paper 002 Algorithm 5
const Vector& d_forward_dynamics_times(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                       ConstVectorRef tau, ConstVectorRef dq, ConstVectorRef dv,
                                       ConstVectorRef dtau, ForwardDynamicsProducts& out,
                                       AppliedWrenches applied = {});
/// (4) into `out`.
const ForwardDynamicsProducts& d_forward_dynamics_transposed_times(
    const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
    ConstVectorRef lambda, ForwardDynamicsProducts& out, AppliedWrenches applied = {});

}  // namespace CHASLES_API
