/// Time derivatives of twists (acceleration, jerk, snap, ...) and partial derivatives of Jacobians,
/// of any order.
///
/// Twists. Let u be the body-fixed twist of joint i and T the pose of link i in its parent p, all quantities
/// body-fixed. For a quantity W in the frame of i write D W = Wd + ad_u W: its time derivative as seen from p,
/// expressed in i. With Y_k = Ad_T^-1 V_p^(k), the parent's derivatives in the frame of i,
///
///     V_i = W + u,      D^k W = Y_k                               003 (14)                 (1)
///
/// and the table G_{k,m} = (D^k W)^(m) leads from its first column Y_k to its first row W^(m):
///
///     G_{k,m+1} = G_{k+1,m} - sum_j (m over j) ad_{u^(j)} G_{k,m-j}                        (2)
///     V_i^(m)   = G_{0,m} + u^(m)                                                          (3)
///
/// m = 1, 2 are 000 (6) and, corrected, 000 (13). Read from the first row to the first column, the same table gives the
/// other representations for a frame with pose C = (R, r) and twist V:
///
///     spatial  V^s(k) = Ad_C D^k V,  D Y = Yd + ad_V Y                                     (4)
///     hybrid   V^h(k) = Ad_R D^k V,  D Y = Yd + ad_(w; 0) Y       000 (31), corrected      (5)
///     mixed    V^m(k) = (w^b(k); linear part of V^h(k))           000 (33), corrected      (6)
///
/// u^(j) = X v^(j), except for joints in canonical coordinates of the first kind (custom joints with
/// Parameterization::sum), where u = dexp_{-Zq} Z qd is expanded into a Taylor series.
///
///     TwistDerivatives D(model, 4);                        // V, Vd, Vdd, Vddd
///     Matrix rates(model.nv(), 4);                         // columns v, vd, vdd, vddd
///     twist_derivatives(model, q, rates, model.frame("hand"), Representation::hybrid, D);
///     Vec3 jerk = D.V[2].v;                                // of its origin, world axes [m/s^3]
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/jacobian.hpp"

namespace chasles CHASLES_API {

/// Result and workspace: make one per thread and reuse it; after construction no call allocates.
struct TwistDerivatives {
  std::vector<Twist> V;  // V, Vd, ..., V^(order-1)

  /// @throws Error if order < 1
  TwistDerivatives(const Model& model, int order);

 private:
  friend void twist_derivatives(const Model&, ConstVectorRef, ConstMatrixRef, const Frame&,
                                Representation, TwistDerivatives&);
  Model model_;
  std::vector<Twist> u_, table_;  // twist derivatives of the joint, and G of (2)
  std::vector<int> path_;         // links from the frame to ground
};

/// The highest order of the Taylor series of a joint in coordinates of the first kind.
inline constexpr int max_series_order = 16;

/// (1) to (6) for a body or frame. O(depth N^3) for N = out.V.size().
/// @param rates  nv x N: v and its first N - 1 time derivatives, [rad/s^k] or [m/s^k]
/// @throws SizeError; Error naming the joint if N > max_series_order and a joint in coordinates of the first kind moves
///         the frame
/// @paper 000 (13), (21), (22), (31)-(33)
void twist_derivatives(const Model& model, ConstVectorRef q, ConstMatrixRef rates,
                       const Frame& frame, Representation rep, TwistDerivatives& out);

/// The partial derivative of the Jacobian of order nu = indices.size(),
///
///     dJ = d/ds_1 ... d/ds_nu J(q + s_1 e_a1 + ... + s_nu e_anu) at s = 0,   a = indices   (7)
///
/// where + is plus(): for joints on a Lie group the increments are applied in the order of `indices` (their derivatives
/// do not commute), otherwise the order does not matter. Below a_1 <= a_2 <= ... are sorted from the base to the tip;
/// columns j of joints that do not move the frame, and columns for which an index is out of range, are zero. j < k: the
/// link of k is strictly outboard of that of j.
///
///     body     dJ_j = [...[[J_j, J_a1], J_a2]..., J_anu],   j < a_k <= i       000 (14)    (8)
///     spatial  dJ_j = [J_a1, [J_a2, ... [J_anu, J_j]...]],  a_k <= j           000 (23)    (9)
///     hybrid   dJ_j = w_a1 x (w_a2 x ... (w_am x B))                           000 (25)   (10)
///              B = J_j if all a_k <= j, else
///              B = (0; w_j x (w_a{m+1} x ... (w_a{nu-1} x v_anu)))
///     mixed    angular part of (8), linear part of (10)                                   (11)
///
/// In (10) m is the number of indices a_k <= j, (w_k; v_k) = J^h_k, and w x B applies to both parts.
/// 000 prints (3) with j <= k and (25) only for j <= k.
///
/// In coordinates of the first kind and on SO(3) x R^3 the screws X depend on q. Several indices of such a joint may
/// act jointly: with n the last index of a set B, s_B the product of their s_k,
///
///     T(q + s_1 e_1 + s_2 e_2 + ...) = T(q) prod_B exp(s_B X_B),   X_B = d_{B \ n} X_n      (12)
///
/// up to squares of s_k, factors in the order of n: e.g. exp(s_1 X_1) exp(s_2 X_2) exp(s_1 s_2 d_1 X_2).
/// So dJ_j is the sum of (8) to (11) over all partitions of these indices into sets,
///
///     dJ_j = sum (8) to (11) with J_B in place of J_ak                                      (13)
///
/// where for a column j of the same joint at most one set D changes its screw: d_D X_j in place of X_j.
///
///     const int indices[] = {0, 2};
///     Matrix6X dJ(6, model.nv());
///     jacobian_derivative(model, kin, hand, Representation::body, indices, dJ);  // d2J / dq0 dq2
///
/// @param out  6 x nv
/// @throws SizeError; Error if an index is not in 0 ... nv - 1, or if an indexed joint in coordinates of the first kind
///         is rotated by more than 1e8 rad
/// @paper 000 (5), (12), (14), (15), (20), (23), (25)
/// @paper 003 Remark 5, Remark 11
void jacobian_derivative(const Model& model, const PositionKinematics& kin, const Frame& frame,
                         Representation rep, std::span<const int> indices, Matrix6XRef out);

/// The kinematic Hessian: H[k] = dJ / dv_k, each 6 x nv. Then Jd = sum_k H[k] v_k.
///
///     std::vector<Matrix6X> H = kinematic_hessian(model, kin, hand, Representation::hybrid);
std::vector<Matrix6X> kinematic_hessian(const Model& model, const PositionKinematics& kin,
                                        const Frame& frame, Representation rep);

/// J, Jd, Jdd, ..., J^(N) along a motion, by power series of the poses and screws of the links in (2) to (5) of
/// jacobian.hpp; of every order, for all joints. N = 2 is 000 (30).
///
///     Matrix rates(model.nv(), 2);                                        // columns v, vd
///     std::vector<Matrix6X> J = jacobian_time_derivatives(model, q, rates, hand, Representation::hybrid);
///     Matrix6X J_ddot = J[2];
/// @param rates  nv x N: v and its first N - 1 time derivatives
/// @returns  N + 1 matrices, each 6 x nv
/// @throws SizeError; Error if a joint in coordinates of the first kind is rotated by more than 1e8 rad
/// @paper 000 (11), (21), (30)
std::vector<Matrix6X> jacobian_time_derivatives(const Model& model, ConstVectorRef q,
                                                ConstMatrixRef rates, const Frame& frame,
                                                Representation rep);

}  // namespace CHASLES_API
