/// Generalized momenta p = M(q) v and their time derivative, in O(n), without forming M and without accelerations.
///
/// In world axes, about the origin r_i of each link; d_i = r_i - r_p, p the parent; H_k are the screws of joint i, M_i
/// its inertia:
///
///     V_i = (w_p; rd_p + w_p x d_i) + H_i x_i               twists at the joint velocities x        (1)
///     h_i = M_i V_i + sum_children (t_j + d_j x f_j; f_j)   momentum of the subtree of i            (2)
///     p_k = H_k^T h_i                                       which is M x                            (3)
///
/// Differentiate (3) about the fixed point that r_i passes through. There Hd_k = ad_{V_i} H_k + R_i Xd_k (Xd: time
/// derivative of the screw in the link frame, zero except for custom joints with coordinates of the first kind and
/// floating joints on SO(3) x R^3), and hd_i is the wrench of joint i, whose component along H_k is tau_k, plus gravity
/// and the applied wrenches W_i on the subtree of i:
///
///     pd_k = tau_k + H_k^T (W_i + ad_{V_i}^T h_i) + (R_i Xd_k)^T h_i                                (4)
///
/// Where v = qd, this is Lagrange's pd = dL/dq + tau; on a Lie group it contains the Euler-Poincare term ad_v^T p.
/// Constraint forces are not included.
///
///     MomentumDynamics work(model);
///     mass_times(model, kin, v, p, work);
///     momentum_rate(model, kin, tau, p_dot, work);
#pragma once

#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace: one per thread; after construction no call allocates.
class MomentumDynamics {
 public:
  explicit MomentumDynamics(const Model& model);
  const Model& model() const { return model_; }
  struct Sweeps;  // src/dynamics/momentum.cpp

 private:
  friend struct Sweeps;
  Model model_;
  std::vector<Twist> V_;       // links: of (1)
  std::vector<Wrench> h_, W_;  // links: of (2), (4)
};

// In all functions `kin` is up to date at q; x, tau: nv. Results have nv entries and may be the same vector as an
// argument. All throw SizeError naming the argument and both sizes, and ForeignError naming both models.

/// p = M x, by (1) to (3).
void mass_times(const Model& model, const PositionKinematics& kin, ConstVectorRef x, VectorRef p,
                MomentumDynamics& work);
/// The generalized force of all applied forces and gravity: tau + H_k^T W_i. It is (4) at rest.
void generalized_force(const Model& model, const PositionKinematics& kin, ConstVectorRef tau,
                       VectorRef out, MomentumDynamics& work, AppliedWrenches applied = {});
/// p = M x, and (4) at the velocity x without any forces, not even gravity.
void free_momentum_rate(const Model& model, const PositionKinematics& kin, ConstVectorRef x,
                        VectorRef p, VectorRef rate, MomentumDynamics& work);
/// (4) at the velocity of `kin`.
void momentum_rate(const Model& model, const VelocityKinematics& kin, ConstVectorRef tau,
                   VectorRef p_dot, MomentumDynamics& work, AppliedWrenches applied = {});

}  // namespace CHASLES_API
