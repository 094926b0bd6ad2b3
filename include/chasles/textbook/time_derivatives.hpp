/// The first two time derivatives of inverse dynamics, recursively in O(n), in body-fixed, spatial or hybrid form, for
/// flatness-based control and trajectory optimization. Derivatives of any order are in
/// derivatives/time_derivatives.hpp; this file has the explicit formulas.
///
///     Q = M(q) vd + h(q, v) - sum_i J_i^T W_app,i      and Qd, Qdd, along q(t)
///
/// u = X v is the twist of joint i, u1, u2, u3 its derivatives (X may depend on q); A, B, D are those of V. Ground:
/// V = 0, A = (0; -g), B = D = 0. Outward:
///
///   body-fixed, U_k = Ad_{C_ip} times V, A, B, D of the parent, a = ad_u, a1 = ad_u1, a2 = ad_u2
///     V = U0 + u                                                                           (1)
///     A = U1 - a U0 + u1                                                                   (2)
///     B = U2 - 2 a U1 - a1 U0 + a a U0 + u2                                                (3)
///     D = U3 - 3 a U2 - 3 a1 U1 + 3 a a U1 - a2 U0 + 2 a1 a U0 + a a1 U0 - a a a U0 + u3   (4)
///
///   spatial, J = Ad_C X, with J1 = ad_V J + Ad_C Xd and so on                              (5)
///     V = V_p + J v,   A = A_p + J vd + J1 v,   B = B_p + J vdd + 2 J1 vd + J2 v           (6)
///     D = D_p + J vddd + 3 J1 vdd + 3 J2 vd + J3 v
///
///   hybrid, J = Ad_R X, with J1 = ad_(w; 0) J + Ad_R Xd and so on; r = r_p - r_i, and r1, r2, r3
///   its derivatives as elements (0; r) of ad
///     V = Ad_r V_p + J v,      A = Ad_r A_p + r1 V_p + J vd + J1 v                         (7)
///     B = Ad_r B_p + 2 r1 A_p + r2 V_p + J vdd + 2 J1 vd + J2 v
///     D = Ad_r D_p + 3 r1 B_p + 3 r2 A_p + r3 V_p + J vddd + 3 J1 vdd + 3 J2 vd + J3 v
///
/// W, Wd, Wdd: the differentiated Newton-Euler equations of the form, minus the applied wrench. Inward,
/// S = Ad_{C_ip}, I or Ad_r with its derivatives S1, S2:
///
///     Q = J^T W,   Qd = J^T Wd + J1^T W,   Qdd = J^T Wdd + 2 J1^T Wd + J2^T W              (8)
///     W_p += S^T W,  Wd_p += S^T Wd + S1^T W,  Wdd_p += S^T Wdd + 2 S1^T Wd + S2^T W       (9)
///
/// In spatial form applied wrenches move with the ground acceleration -g, since the points at which they act move with
/// the ground (docs/theory/time-derivatives.md).
///
///     textbook::InverseDynamicsRates work(model);
///     textbook::inverse_dynamics_rates(model, kin, a, jerk, snap, Representation::body, work);
///     std::cout << work.Q_dot << work.Q_ddot;
#pragma once

#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// Workspace and result: one per thread; after construction no call allocates. Entries per link are in the frame of the
/// link and in the representation of the last call.
struct InverseDynamicsRates {
  Vector Q, Q_dot, Q_ddot;  // nv
  std::vector<Twist> V, A, B,
      D;  // links: V and its derivatives, including the ground acceleration -g
  std::vector<Wrench> W, W_dot, W_ddot;  // links: wrench transmitted by the joint to the link

  explicit InverseDynamicsRates(const Model& model);

  struct Scratch;

 private:
  friend struct detail::Access;
  Scratch& fit(const Model& model);
  Model model_;
  ValuePtr<Scratch> scratch_;
};

/// First and second derivative of the components of an applied wrench in its representation.
struct WrenchRates {
  Wrench W_dot, W_ddot;
};

/// (1) to (9): Q, Qd and Qdd into `out`.
/// @param kin   up to date at (q, v)
/// @param a, jerk, snap  nv: derivatives of v
/// @param rep   body, spatial or hybrid
/// @param applied  wrenches on bodies
/// @param rates    one per wrench; empty: constant in their representations
/// @throws SizeError naming the argument and both sizes; ForeignError; Error for the mixed form
/// @paper 000 section 6.3
void inverse_dynamics_rates(const Model& model, const VelocityKinematics& kin, ConstVectorRef a,
                            ConstVectorRef jerk, ConstVectorRef snap, Representation rep,
                            InverseDynamicsRates& out, AppliedWrenches applied = {},
                            std::span<const WrenchRates> rates = {});

}  // namespace textbook
}  // namespace CHASLES_API
