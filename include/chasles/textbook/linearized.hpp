/// Linearized dynamics, 002 Algorithms 1 to 6, corrected, on trees, and for every joint: derivatives of the joint
/// forces with respect to (q, v, a), and of the accelerations with respect to (q, v, tau).
///
/// An increment of q is taken on the Lie group, q -> plus(q, dq): derivatives have nv columns. v, a and tau are held
/// constant entry by entry. Spatial form about a fixed reference point. With eta the displacement of a link, use the
/// variations as seen from the link: th = dV - ad_eta V, xi = dVd - ad_eta Vd + ad_V th, y = dW + ad_eta^T W. Then
///
///     eta_i = eta_p + H_i dq_i                                                             (1)
///     th_i  = th_p + H_i dv_i + Psi_i dq_i                                                 (2)
///     xi_i  = xi_p + H_i da_i + U_i dv_i + Psid_i dq_i                                     (3)
///     y_i   = M_i xi_i + N_i th_i - E_i eta_i + sum over children c of y_c + F_c dq_c,
///             F_c dq_c = -ad_{H_c dq_c}^T W_c                                              (4)
///     dtau_i = H_i^T y_i + K_i dq_i                                                        (5)
///
/// X_k,l is the derivative of screw k of the joint along its coordinate l; zero unless screws depend on q.
///
///     Z_l  = Ad_C sum_k X_k,l v_k,   Zd_l = Ad_C d(X a + Xd v)/dq_l,   K_kl = W . Ad_C X_k,l   (6)
///     Psi  = ad_{V_p} H + Z,         U = ad_{V_p} H + ad_V H + Ad_C Xd + Z                 (7)
///     Psid = ad_{Vd_p} H + ad_{V_p} Psi + ad_V Z + Zd                                      (8)
///     N    = -ad_V^T M - M ad_V - Q[M V] = 2 Mhat,    Q[(L; P)] = [[L~, P~], [P~, 0]]      (9)
///
/// Applied wrenches move with their frames according to their representation, dW = -ad_eta^T W + E eta:
///
///     body      follows the body                                E = 0
///     spatial   constant in space                               E = Q[W]
///     hybrid    dead force, dead couple, at the frame origin p  E = [[t~ + p~ f~, 0], [f~, 0]]
///     mixed     dead force, torque follows the body             E = [[p~ f~, 0], [f~, 0]]
///
/// Derivations, and errata of the paper: docs/theory/linearization.md.
///
///     textbook::LinearizedForwardDynamics lin(model);
///     textbook::linearize(model, kin, tau, lin);   // kin at (q, v); lin.a() are the accelerations
///     lin.along(dq, dv, dtau, da);                 // O(n)
///     textbook::ForwardDynamicsMatrices d(model);
///     lin.matrices(d);                             // d.da_dq, d.da_dv, d.M_inv, O(n^2)
#pragma once

#include "chasles/export.hpp"
#include "chasles/textbook/factorization.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// dtau/dq = B_D, dtau/dv = A_D, dtau/da = M of 002: nv x nv.
struct InverseDynamicsMatrices {
  Matrix dtau_dq, dtau_dv, M;
  explicit InverseDynamicsMatrices(const Model& model);

 private:
  friend struct detail::Access;
  void fit(const Model& model);
  Model model_;
};
/// da/dq = -B_C, da/dv = -A_C, da/dtau = M^-1 of 002: nv x nv.
struct ForwardDynamicsMatrices {
  Matrix da_dq, da_dv, M_inv;
  explicit ForwardDynamicsMatrices(const Model& model);

 private:
  friend struct detail::Access;
  void fit(const Model& model);
  Model model_;
};

/// Inverse dynamics linearized at (q, v, a). Workspace and result: one per thread; after construction no call
/// allocates. Vectors have nv entries; results must not overlap arguments.
/// @paper 002 (1.2), (2.8)
class LinearizedInverseDynamics {
 public:
  explicit LinearizedInverseDynamics(const Model& model);
  const Model& model() const { return model_; }
  /// The joint forces at the point of linearization.
  const Vector& tau() const { return tau_; }

  /// Algorithm 1, O(n): dtau = dtau/dq dq + dtau/dv dv + M da.
  /// @throws SizeError naming the argument and both sizes; Error before `linearize`
  /// @paper 002 Algorithm 1, (3.3)-(3.5)
  void along(ConstVectorRef dq, ConstVectorRef dv, ConstVectorRef da, VectorRef dtau);
  /// Transposed products, O(n): lambda^T dtau/dq, lambda^T dtau/dv and lambda^T M = M lambda.
  void transposed(ConstVectorRef lambda, VectorRef grad_q, VectorRef grad_v, VectorRef grad_a);
  /// Algorithm 2, O(n depth): all matrices in one pass.
  /// @paper 002 Algorithm 2, Lemma 3.1, Lemma 3.2, (3.1), (3.2), (3.6)-(3.8)
  const InverseDynamicsMatrices& matrices(InverseDynamicsMatrices& out);

  struct Parts;  // the terms of (1) to (9)

 private:
  friend class LinearizedForwardDynamics;
  friend struct detail::Access;
  Parts& parts();
  friend void linearize(const Model&, const VelocityKinematics&, ConstVectorRef,
                        LinearizedInverseDynamics&, AppliedWrenches);
  Model model_;
  Vector tau_;
  ValuePtr<Parts> parts_;
  bool ready_ = false;
};
/// (6) to (9) at (q, v, a), O(n).
/// @param kin  up to date at (q, v)
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
void linearize(const Model& model, const VelocityKinematics& kin, ConstVectorRef a,
               LinearizedInverseDynamics& out, AppliedWrenches applied = {});

/// Forward dynamics linearized at (q, v, tau), without M. The articulated-body recursion of factorization.hpp applied
/// to (4), with taub = 1 - G H^T:
///
///     P = M + sum taub_c P_c,   PN = N + sum taub_c PN_c,   PE = -E + sum taub_c PE_c     (10)
///     G = P H D^-1,             GN = PN^T H D^-1,           GE = PE^T H D^-1              (11)
///     YA = P U + PN H,          YB = P Psid + PN Psi + PE H                               (12)
///
/// Workspace and result as above.
/// @paper 002 (1.4), (4.12)
class LinearizedForwardDynamics {
 public:
  explicit LinearizedForwardDynamics(const Model& model);
  const Model& model() const { return inverse_.model(); }
  /// The accelerations at the point of linearization.
  const Vector& a() const { return a_; }

  /// Algorithm 5, O(n): da = da/dq dq + da/dv dv + M^-1 dtau.
  /// @throws as LinearizedInverseDynamics::along
  /// @paper 002 Algorithm 5, Lemma 4.7, (4.13)-(4.18)
  void along(ConstVectorRef dq, ConstVectorRef dv, ConstVectorRef dtau, VectorRef da);
  /// Transposed products, O(n): lambda^T da/dq, lambda^T da/dv and lambda^T M^-1 = M^-1 lambda.
  void transposed(ConstVectorRef lambda, VectorRef grad_q, VectorRef grad_v, VectorRef grad_tau);
  /// Algorithm 6, O(n^2), entry by entry; on trees including the blocks of links on different branches.
  /// @paper 002 Algorithm 6, Lemma 4.9, (4.21)-(4.26)
  const ForwardDynamicsMatrices& matrices(ForwardDynamicsMatrices& out);

  /// Inverse dynamics linearized at the same point, and M factorized there.
  LinearizedInverseDynamics& inverse() { return inverse_; }
  Factorization& factorization() { return factorization_; }

 private:
  friend void linearize(const Model&, const VelocityKinematics&, ConstVectorRef,
                        LinearizedForwardDynamics&, AppliedWrenches);
  struct Scratch;
  void require_ready();
  LinearizedInverseDynamics inverse_;
  Factorization factorization_;
  Vector a_;
  ValuePtr<Scratch> scratch_;
  bool ready_ = false;
};
/// The accelerations due to tau, and (6) to (12) there, O(n).
/// @throws as above; SingularError naming the joint without inertia
void linearize(const Model& model, const VelocityKinematics& kin, ConstVectorRef tau,
               LinearizedForwardDynamics& out, AppliedWrenches applied = {});

/// The conventional algorithm, for comparison: M and the matrices of inverse dynamics by Algorithm 2, then M is
/// factorized. O(n^3). Workspace as above; requires inverse dynamics linearized at the accelerations of forward
/// dynamics.
class ConventionalLinearization {
 public:
  explicit ConventionalLinearization(const Model& model);
  /// Algorithm 2 and the factors of M. `inverse` is used again below and must not change.
  /// @throws SingularError naming the joint without inertia
  void factorize(LinearizedInverseDynamics& inverse);
  /// Algorithm 3: M da = dtau - (Algorithm 1 with da = 0).
  /// @paper 002 Algorithm 3
  void along(LinearizedInverseDynamics& inverse, ConstVectorRef dq, ConstVectorRef dv,
             ConstVectorRef dtau, VectorRef da);
  /// Algorithm 4: M^-1, and M^-1 times the matrices of Algorithm 2.
  /// @paper 002 Algorithm 4, Lemma 4.1, (4.2)
  const ForwardDynamicsMatrices& matrices(ForwardDynamicsMatrices& out);

 private:
  void solve(double* x);
  void require_ready() const;
  Model model_;
  InverseDynamicsMatrices d_;
  std::vector<double> factors_, least_pivot_, x_;  // nv x nv, nv, nv: in reverse order
  Vector zero_;
  bool ready_ = false;
};

}  // namespace textbook
}  // namespace CHASLES_API
