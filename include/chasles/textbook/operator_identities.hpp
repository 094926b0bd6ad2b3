/// The identities behind the linearized dynamics, 002 Lemmas A.1 and A.2, corrected, as functions that give both sides. For
/// studies and tests: dense matrices of 6 n x 6 n for n links.
///
/// Spatial form about the reference point of a Factorization. phi(i, j) = 1 if link i is link j or before it, otherwise 0;
/// psi(i, j) is the product of taub_c = 1 - G_c H_c^T of the links c on the way, without i. With a matrix X_i for each link,
/// X = diag(X_i), phi~ = phi - 1, psi~ = psi - 1:
///
///     phi X phi^T     = phi S + S phi~^T,      S_i = X_i + sum over children S_c                       (1)
///     psi X phi^T     = psi S + S phi~^T,      S_i = X_i + sum over children taub_c S_c                (2)
///     psi^T X psi     = psi^T S + S psi~,      S_i = X_i + taub_i^T S_p taub_i         chains only     (3)
///     phi^T X phi~^T  = S phi^T - phi^T S,     S_i = X_i + S_p                                         (4)
///     psi^T X phi~^T  = S phi^T - psi^T S,     S_i = X_i + taub_i^T S_p                                (5)
///
/// with the parent p and S_p = 0 on ground. In trees (3) lacks the blocks of links on different branches, as 002 (4.20).
///
/// Derivatives by steps dq of the joints, with J = phi^T H, the displacements of the links:
///
///     d(H x)     = diag(S*[H_i x_i]) J                  S*[V] = -ad_V                                  (6)
///     d(H^T X)   = H^T diag(Q[X_i]) J                   Q[(L; P)] = [[L~, P~], [P~, 0]]                (7)
///     d(M X)     = -(diag(Q[M_i X_i]) + M diag(S*[X_i])) J                                             (8)
///     d(M V)     = -diag(Q[M_i V_i]) J + M phi^T Hd     Hd = ad_V H                                    (9)
///
/// In (9) V = phi^T H v changes as well; Hd is that of the parent, ad_{V_p} H, where a joint has several coordinates.
#pragma once

#include <span>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/textbook/factorization.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// 002 (A.1) to (A.5), here (1) to (5).
enum class OperatorIdentity : unsigned char {
  phi_X_phi,
  psi_X_phi,
  psi_transposed_X_psi,
  phi_transposed_X_phi,
  psi_transposed_X_phi
};

struct IdentitySides {
  Matrix left, right;      // 6 n x 6 n
  std::vector<Matrix6> S;  // by its recursion, links
};
/// @paper 002 (A.1)-(A.5), Lemma A.1
/// @param X  one for each link
/// @throws SizeError; Error for psi_transposed_X_psi in a tree that is not a chain
IdentitySides operator_identity(const Factorization& f, OperatorIdentity identity,
                                std::span<const Matrix6> X);
/// phi and psi: 6 n x 6 n.
Matrix phi_operator(const Factorization& f);
Matrix psi_operator(const Factorization& f);

// In the functions below J is about the reference point, which is held fixed. They throw SizeError, and Error for custom
// joints whose screws depend on q.

/// @paper 002 (A.6), Lemma A.2
/// (6): 6 n x nv. @param x  nv
Matrix joint_twist_gradient(const Factorization& f, ConstVectorRef x);
/// @paper 002 (A.7), Lemma A.2
/// (7): nv x nv. @param X  links
Matrix projected_wrench_gradient(const Factorization& f, std::span<const Wrench> X);
/// @paper 002 (A.8), Lemma A.2
/// (8): 6 n x nv. @param X  links, held constant
Matrix momentum_gradient(const Factorization& f, std::span<const Twist> X);
/// @paper 002 (A.9), Lemma A.2
/// (9): 6 n x nv. @param v  nv, held constant
Matrix momentum_gradient_at(const Factorization& f, ConstVectorRef v);

}  // namespace textbook
}  // namespace CHASLES_API
