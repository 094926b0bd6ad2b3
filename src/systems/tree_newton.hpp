/// Newton's equations along the tree, O(n). The articulated-body recursion, generalized: displacement,
/// velocity and acceleration of a link vary independently, so a link carries a matrix of 6 x 12 or 6 x 18
/// numbers in place of its 6 x 6 articulated inertia. Derivation: docs/theory/implicit.md.
///
/// All in world axes about one fixed reference point. Per link, with parent p: H joint screws (columns), V twist, al
/// acceleration minus gravity, M inertia, f wrench through the joint, and the variations
///
///     eta   displacement,   th = dV - ad_eta V,   xi = dal - ad_eta al + ad_V th
///     y     variation of f as seen from the link, df + ad_eta^T f
///
/// With Psi = ad_{V_p} H, Q[f] x = ad_x^T f, and S_v, Y, S_a the partial derivatives of joints whose screws
/// depend on q (of X v by q, Xd v by v, X a + Xd v by q; zero for all others):
///
///     eta_k = eta_p + H dq                                                                    (1)
///     th_k  = th_p + H dv + (Psi + S_v) dq                                                    (2)
///     xi_k  = xi_p + H da + (Psi + ad_V H + Y) dv
///             + (ad_{al_p} H + ad_{V_p} Psi + (ad_{V_p} + ad_V) S_v + S_a) dq                 (3)
///     y_k   = M xi + N th - E eta + sum_children (y_c - Q[f_c] H_c dq_c)                      (4)
///     joint row:  H^T y + K dq + D dv + I_a da = r                                            (5)
///
/// N = -ad_V^T M - M ad_V - Q[M V] has twelve distinct numbers. E and parts of N come from applied
/// wrenches; K and D from joint forces and from screws that depend on q; I_a is the armature. With (1) to (3) as
/// s_k = s_p + G_k d_k and (4) as y = Z s + ..., a joint is eliminated by
///
///     U = Z G,  D_k = H^T U + Delta,  U += F,  Z_p += Z - U D_k^-1 H^T Z                      (6)
///
/// F = -Q[f] H Q_ij. Blocks of further unknowns mu (multipliers of loops and couplings, geometric stiffness
/// of loops, force elements between links) are carried inward as rows K and columns R until their ends
/// meet, then eliminated: sum_k K_k s_k + L mu = g, y_k += R_k mu,
///
///     rho = H^T R + E_b,  kap = K G + E_b^T T                                                 (7)
///     R_p += R - U D^-1 rho,  K_p += K - kap D^-1 H^T Z,  L -= kap D^-1 rho                   (8)
///     Z -= R_i L_ii^-1 K_i,  R_j -= R_i L_ii^-1 L_ij,  K_j -= L_ji L_ii^-1 K_i,
///     L_jk -= L_ji L_ii^-1 L_ik                                                               (9)
///
/// A coordinate that is held has d = 0 in place of its row (5): its rows of D, H^T Z and rho are zero, except for a 1
/// on the diagonal of D.
///
/// Stages are stacked: with S stages every number above is a block over stages.
#pragma once

#include <memory>

#include "chasles/constraints/constraints.hpp"
#include "chasles/systems/force_tangent.hpp"
#include "systems/newton_matrix.hpp"

namespace chasles {

/// Independent combinations of the equations of a constraint block: `rank` columns of `rows` numbers.
struct KeptEquations {
  int first, rows, rank;
  const double* U;  // rows x rank, column after column
};

/// Inputs of Newton's matrix from a state.
struct LinearizationPoint {
  const AccelerationKinematics& kin;  // at the accelerations a
  ConstVectorRef a;                   // nv
  AppliedWrenches applied;
  const ForceTangent& forces;
  const Constraints& constraints;
};

class TreeNewton {
 public:
  static constexpr int most_stages = 3;  // for more, DenseNewton
  virtual ~TreeNewton() = default;
  virtual void choose(std::span<const KeptEquations> kept) = 0;
  virtual void hold(std::span<const int> entries) = 0;
  virtual void linearize(int stage, const LinearizationPoint& at, ConstVectorRef lambda) = 0;
  virtual bool factorize(const StageRelations& relations) = 0;
  virtual void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) = 0;
  /// Bodies visited by factorizations and solutions so far: a measure of cost.
  virtual long visits() const = 0;
};

/// Which part of the geometric stiffness of loops is in the matrix: none; the part along the freedoms of the cut joint
/// (complete for position constraints, up to O(h) for velocity constraints); or all.
enum class GeometricStiffness : unsigned char { none, free, full };

/// @param loads  wrenches or loops act, so that displacements enter (4): 6 x 18 numbers per link, not 6 x 12
std::unique_ptr<TreeNewton> make_tree_newton(const Model& model, const Constraints& constraints,
                                             ConstraintLevel level, int stages, bool loads,
                                             GeometricStiffness stiffness);

}  // namespace chasles
