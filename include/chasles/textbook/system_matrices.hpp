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
struct SystemMatrices {
  SystemKinematics kinematics;  // body-fixed
  Sparse X_rate;                // 6n x nv: Xd, block diagonal
  Sparse a, b, M, Q;            // 6n x 6n, block diagonal
  Vector armature;              // nv: I_a
  Matrix connection;  // nv x nv: of armatures, I_a w~ / 2 of joints with an angular velocity w
};
/// (1) to (3).
/// @param kin  up to date at (q, v)
SystemMatrices system_matrices(const Model& model, const VelocityKinematics& kin);

/// (4), 6n x nv; (5) and (6), nv x nv.
Matrix system_jacobian_rate(const SystemMatrices& s);
Matrix mass_matrix(const SystemMatrices& s);
Matrix mass_matrix_rate(const SystemMatrices& s);

/// (7), as in the paper; (8); (9).
Matrix lagrange_matrix(const SystemMatrices& s);
Matrix coriolis_matrix(const SystemMatrices& s);
Matrix christoffel_matrix(const SystemMatrices& s);

}  // namespace textbook
}  // namespace CHASLES_API
