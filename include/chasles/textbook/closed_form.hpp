/// The equations of motion in closed form, for analysis: sums over the bodies i with their Jacobians, 000 section 5,
/// corrected.
///
///     Q = sum_i J_i^T (M_i Vd_i - ad_{V_i}^T M_i V_i - W_grav,i - W_app,i)   (78)            (1)
///     M = sum_i J_i^T M_i J_i                                                (81)            (2)
///     Md = sum_i J_i^T M_i Jd_i + Jd_i^T M_i J_i                                             (3)
///     Q = M vd + C v + g - sum_i J_i^T W_app,i                                               (4)
///
/// Two choices of C. With Pi = M V = (L; P), Q_i = [[L~, P~], [P~, 0]] (so that ad_V^T Pi = Q V),
/// b_i = ad_{V_i}, all body-fixed:
///
///     C_skew = sum_i J^T (M Jd - Q J)                                (84), corrected         (5)
///     C_chr  = sum_i J^T (M Jd + (M b - b^T M - Q) J / 2) + I_a w~ / 2                       (6)
///
/// For one-dof joints Jd is -A a J of the paper; as matrices of the whole mechanism these forms are in
/// system_matrices.hpp. Both give the same C v, and Md - 2 C is skew for both. (6) is the one of the Christoffel
/// symbols: sum_k Gamma_ijk v_k. Its last term is for armatures I_a of joints with an angular velocity w.
///
/// (3), (5) and (6) are summed over the bodies first, in spatial form, where a column J_k is the same
/// for all bodies that joint k moves: with Jd^b = Ad_C^-1 (Jd - b J),
///
///     C_jk = J_j^T (M^c Jd_k - B^c J_k),     B_skew = M b + Q,  B_chr = (M b + b^T M + Q) / 2 (5a)
///
/// M^c, B^c: sums over the subtree of the outer one of the links of j and k, if one is an ancestor of the other (or the
/// same); else C_jk = 0. O(n depth) instead of O(n nv^2).
///
/// Where v is not dq/dt (spherical and floating joints), Gamma is the Levi-Civita connection of M in the frame of
/// velocities, which reduces to the Christoffel symbols where v = qd:
///
///     Gamma_ijk - Gamma_ikj = sum_m M_im c^m_kj,      c: structure constants of the joint    (7)
///
///     Matrix C = textbook::coriolis_matrix(model, kin);
///     // (textbook::mass_matrix_rate(model, kin) - 2 * C) is skew
///
/// These functions allocate. Derivations: docs/theory/closed-form.md.
#pragma once

#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/export.hpp"
#include "chasles/textbook/composite.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// (1), the projection equations, also called Euler-Jourdain equations (Jourdain's principle) and, with the columns of J_i
/// as partial velocities, Kane's equations; with the Newton-Euler equations of newton_euler.hpp in any representation.
/// nv.
/// @param kin  up to date at (q, v, vd)
/// @paper 000 (78)
Vector projection_equations(const Model& model, const AccelerationKinematics& kin,
                            Representation rep, AppliedWrenches applied = {});

/// (2), in any representation. nv x nv.
/// @paper 000 (81)
Matrix projected_mass_matrix(const Model& model, const PositionKinematics& kin, Representation rep);
/// (3), the time derivative of M along v.
Matrix mass_matrix_rate(const Model& model, const VelocityKinematics& kin);

/// C of (5) [N m s/rad or corresponding units].
/// @paper 000 (84), Remark 2
Matrix coriolis_matrix(const Model& model, const VelocityKinematics& kin);
/// C of (6).
Matrix christoffel_matrix(const Model& model, const VelocityKinematics& kin);

/// The terms of (4) one by one: M vd, C v, g, and sum_i J_i^T W_app,i.
Vector inertia_forces(const Model& model, const PositionKinematics& kin, ConstVectorRef vd);
Vector coriolis_forces(const Model& model, const VelocityKinematics& kin);
Vector gravity_forces(const Model& model, const PositionKinematics& kin);
Vector applied_forces(const Model& model, const PositionKinematics& kin, AppliedWrenches applied);
/// All terms: Lagrange's equations (80), Q = inertia + coriolis + gravity - applied.
struct LagrangeTerms {
  Vector inertia, coriolis, gravity, applied;  // nv
  Vector Q() const { return inertia + coriolis + gravity - applied; }
};
/// @param kin  up to date at (q, v)
/// @param vd   nv
/// @throws SizeError naming the argument and both sizes
/// @paper 000 (80)
LagrangeTerms lagrange_terms(const Model& model, const VelocityKinematics& kin, ConstVectorRef vd,
                             AppliedWrenches applied = {});
/// C v + g.
Vector bias(const Model& model, const VelocityKinematics& kin);

/// Gamma_ijk for all i, j, k: nv^3 numbers, zero unless the three joints are on one path.
struct ChristoffelSymbols {
  std::vector<Matrix> Gamma;  // nv matrices; Gamma[k](i, j)
  double operator()(int i, int j, int k) const { return Gamma[static_cast<std::size_t>(k)](i, j); }
  /// sum_k Gamma_ijk v_k = C_chr of (6).
  Matrix matrix(ConstVectorRef v) const;
};
/// (86), corrected and for all joints:
///
///     2 Gamma_ijk = J_i.M ([J_k, J_j] + 2 d_k J_j) + J_j.M [J_i, J_k] + J_k.M [J_i, J_j]     (8)
///
/// M: composite inertia of the outermost of the three links. d_k J_j = [J_j, J_k] if link k is outboard of link j; zero
/// if it is not; for two screws of one link the derivative of the body-fixed screw.
/// @paper 000 (85), (86)
ChristoffelSymbols christoffel_symbols(const Model& model, const PositionKinematics& kin);
/// (87), corrected and for all joints: with the hats as 4x4 matrices and the composite pseudo-inertia S, of which only
/// the first three rows are used,
///
///     Gamma_ijk = tr(J^_i S (J^_k J^_j + d_k J^_j)^T)                                        (9)
///
/// which is tr(J^_i S (J^_j J^_k)^T) for j < k. The same numbers from another formula.
/// @paper 000 (87)
ChristoffelSymbols christoffel_symbols_by_pseudo_inertia(const Model& model,
                                                         const PositionKinematics& kin);

}  // namespace textbook
}  // namespace CHASLES_API
