/// The equations of motion in matrices of the whole mechanism, 000 section 5.2, corrected, in the notation of the
/// paper. Over the n moving bodies, body-fixed, with A, X and J = A X of kinematics/system_jacobian.hpp, V = J v and
/// Pi_i = M_i V_i = (L_i; P_i),
///
///     a = diag(ad_{X_i v_i})                                          (9)                    (1)
///     b = diag(ad_{V_i})                                              (82)                   (2)
///     M = diag(M_i),     Q = diag([[L~, P~], [P~, 0]])                                       (3)
///
///     Jd   = -A a (J - X) + A Xd                                      (10), corrected        (4)
///     M(q) = J^T M J + diag(I_a)                                      (81), with armatures   (5)
///     Md   = J^T M Jd + Jd^T M J                                                             (6)
///
/// All matrices C below give the same C v. For one-dof joints Jd is -A a J, and
///
///     C_84   = J^T (M Jd - b^T M J) = -J^T (M A a + b^T M) J          (84)                   (7)
///     C_skew = J^T (M Jd - Q J)     = -J^T (M A a + Q) J                                     (8)
///     C_chr  = J^T (M Jd + (M b - b^T M - Q) J / 2) + I_a w~ / 2                             (9)
///
/// The paper states that (84) makes Md - 2 C skew; (7) does not, (8) and (9) do. For joints with several degrees of
/// freedom a must act only on the part of the parent, J - X, since ad_{X_i v_i} X_i need not vanish; and the body-fixed
/// screws of a joint may depend on its coordinates: Xd.
///
/// The paper has them body-fixed; the same matrices in spatial form, 000 (18), (19), and in hybrid form are
///
///     J = F S,     Jd = F (Xd + E S + Dd J)                                                  (10)
///
///               F      S                 E                  Dd_ip              Xd
///     body      A      X                 0                  -ad_{X_i v_i} D_ip d/dt X_i
///     spatial   L      diag(J^s_i)       b = diag(ad_{V_i}) 0                  Ad_{C_i} d/dt X_i
///     hybrid    A      X^h               diag(ad_{(w_i;0)}) ad_{(0; rd_p - rd_i)}  Ad_{R_i} d/dt X_i
///
/// L of subtree_sums. For one-dof joints the spatial row is Vd = J vd + L b S v, 000 (18). E is the rotation of the
/// representation relative to the body, so that in all three
///
///     Md = J^T M (Jd - E J) + its transpose                                                 (11)
///
/// and in (7) to (9) Jd - E J takes the place of Jd; M_i and Pi_i are represented as V_i is. All three give the same
/// M(q), Md, C_84, C_skew and C_chr. In the spatial form J^T (M Jd - b^T M J), which is (84) without E, is a matrix of
/// its own that makes Md - 2 C skew: b^T M + M b = -d/dt M there.
///
/// Lagrange's terms, 000 after (81) and (82), for all joints:
///
///     d/dt dT/dv = M(q) vd + Md v                                                            (12)
///     dT/dq      = (F (b S + Xd))^T M V                                                      (13)
///
/// (13) is the gradient of T where v = qd; for joints on a Lie group it includes the term ad_v^T (dT/dv) of the
/// Euler-Poincare (Boltzmann-Hamel) equations, so that (12) - (13) = M(q) vd + C v for every joint.
///
///     textbook::SystemMatrices s = textbook::system_matrices(model, kin);
///     Matrix C = textbook::coriolis_matrix(s);              // equals coriolis_matrix(model, kin)
///
/// These functions allocate, and multiply the matrices that closed_form.hpp sums in O(n depth). Derivations:
/// docs/theory/closed-form.md.
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/system_jacobian.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// The factors, block sparse: `Eigen::MatrixXd(s.a)` makes them dense.
/// @paper 000 (9), (18), (19), (81), (82)
struct SystemMatrices {
  SystemKinematics kinematics;  // in the representation of all others
  Sparse X_rate;                // 6n x nv: Xd of (10), block diagonal
  Sparse a, b, M, Q;            // 6n x 6n, block diagonal
  Sparse F, S, E, D_rate;       // of (10): 6n x 6n, 6n x nv, and 6n x 6n twice
  Vector armature;              // nv: I_a
  Matrix connection;  // nv x nv: of armatures, I_a w~ / 2 of joints with an angular velocity w
};
/// (1) to (3) and (10).
/// @param kin  up to date at (q, v)
/// @param rep  body, spatial or hybrid
/// @throws Error for the mixed form: its twists are not in a Lie algebra with the brackets of a and b
/// @paper 000 section 5.2
SystemMatrices system_matrices(const Model& model, const VelocityKinematics& kin,
                               Representation rep = Representation::body);

/// (4) or (10), 6n x nv; (5), and (6) or (11), nv x nv.
/// @paper 000 (8), (10)
Matrix system_jacobian_rate(const SystemMatrices& s);
/// @paper 000 (81)
Matrix mass_matrix(const SystemMatrices& s);
Matrix mass_matrix_rate(const SystemMatrices& s);

/// (7), as in the paper; (8); (9).
/// @paper 000 (83), (84)
Matrix lagrange_matrix(const SystemMatrices& s);
/// @paper 000 Remark 2
Matrix coriolis_matrix(const SystemMatrices& s);
Matrix christoffel_matrix(const SystemMatrices& s);

/// The derivatives of the kinetic energy T(q, v) in Lagrange's equations.
struct KineticEnergyTerms {
  Vector p;       // nv: dT/dv = M(q) v
  Vector p_rate;  // nv: (12)
  Vector dT_dq;   // nv: (13)
};
/// @param v, a  nv: the velocities at which s was computed, and accelerations
/// @throws SizeError
/// @paper 000 (80), (82)
KineticEnergyTerms kinetic_energy_terms(const SystemMatrices& s, ConstVectorRef v,
                                        ConstVectorRef a);

}  // namespace textbook
}  // namespace CHASLES_API
