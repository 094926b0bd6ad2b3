/// The innovations factorization of the mass matrix, 002 (4.6)-(4.8), with products and solutions in O(n) per vector:
/// neither M nor its Cholesky factor is formed.
///
///     M    = L D L^T,            L    = I + H Phi K                                         (1)
///     M^-1 = L^-T D^-1 L^-1,     L^-1 = I - H Psi K                                         (2)
///
/// D is block diagonal, one block per link: D_i = H_i^T P_i H_i with the articulated-body inertia P_i. As recursions,
/// with G = P H D^-1 (K of the papers is G of the children), in spatial form about a fixed reference point (`reference_point`), so
/// that nothing is transformed from link to link:
///
///     y = L^T x     outward  y_i = x_i + G_i^T V_p,      V_i = V_p + H_i x_i                (3)
///     y = L^-T x    outward  y_i = x_i - G_i^T V_p,      V_i = V_p + H_i y_i                (4)
///     y = L x       inward   y_i = x_i + H_i^T z_i,      z_p += z_i + G_i x_i               (5)
///     y = L^-1 x    inward   y_i = x_i - H_i^T z_i,      z_p += z_i + G_i y_i               (6)
///
/// The square root is S = L D^1/2, with M = S S^T; D_i^1/2 is the Cholesky factor of D_i.
/// nu = S^T v are the diagonalized velocities: T = nu^T nu / 2.
///
///     textbook::Factorization f(model);
///     textbook::factorize(model, kin, f);
///     f.solve(tau, a);                    // a = M^-1 tau
///     double d = f.log_determinant();
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/export.hpp"
#include "chasles/screws/articulated_inertia.hpp"
#include "chasles/screws/eigen.hpp"

namespace chasles CHASLES_API {
namespace textbook {

using Matrix6 = lie::Unaligned<double, 6, 6>;

/// Workspace and result: one per thread; after construction no call allocates. In all functions x, y: nv; they may be
/// the same vector.
class Factorization {
 public:
  explicit Factorization(const Model& model);

  /// y = M x, by (3) and (5).
  /// @throws SizeError naming the argument and both sizes
  void multiply(ConstVectorRef x, VectorRef y);
  /// y = M^-1 x, by (6) and (4).
  /// @paper 002 Lemma 4.3, (4.7), Lemma 4.4, (4.8)
  void solve(ConstVectorRef x, VectorRef y);
  /// log det M; 0 without joints.
  double log_determinant() const;

  /// y = S x, S^T x, S^-1 x, S^-T x.
  void sqrt_multiply(ConstVectorRef x, VectorRef y);
  void sqrt_transpose_multiply(ConstVectorRef x, VectorRef y);
  void sqrt_solve(ConstVectorRef x, VectorRef y);
  void sqrt_transpose_solve(ConstVectorRef x, VectorRef y);
  /// nu = S^T v [J^1/2].
  void diagonal_velocities(ConstVectorRef v, VectorRef nu) { sqrt_transpose_multiply(v, nu); }

  const Model& model() const { return model_; }
  const Vec3& reference_point() const { return reference_point_; }  // reference point [m]
  const std::vector<Twist>& H() const { return H_; }                // nv
  const std::vector<Wrench>& G() const { return G_; }               // nv
  const std::vector<ArticulatedInertia>& P() const { return P_; }   // links
  const std::vector<Inertia>& M() const { return M_; }  // links, about the reference point
  /// D_i as L diag L^T: nv_i x nv_i, row by row, with the entries of diag on the diagonal.
  const double* D(std::size_t link) const { return D_.data() + D_index_[link]; }

 private:
  friend void factorize(const Model&, const PositionKinematics&, Factorization&);
  void outward(double sign, VectorRef x);          // (3): sign +, (4): sign -
  void inward(double sign, VectorRef x);           // (5): sign +, (6): sign -
  void take(ConstVectorRef x, VectorRef y) const;  // y = x, sizes checked

  Model model_;
  Vec3 reference_point_;
  std::vector<SE3> C_;           // links, about the reference point
  std::vector<Twist> H_;         // nv
  std::vector<Inertia> M_, Mc_;  // links: single and composite inertias
  std::vector<ArticulatedInertia> P_;
  std::vector<Wrench> U_, G_;  // nv
  std::vector<double> D_, least_pivot_, sizes_;
  std::vector<int> D_index_;
  std::vector<Twist> V_;   // links
  std::vector<Wrench> z_;  // links
};

/// Articulated-body inertias and gains at q. O(n).
/// @throws SingularError naming the joint; Error if `out` is of another model
/// @paper 002 (4.3), Lemma 4.2, (4.6)
void factorize(const Model& model, const PositionKinematics& kin, Factorization& out);

/// M^-1 in O(n^2), entry by entry from the operator form 002 (4.23), corrected for trees:
///
///     Z_k = Ups_p G_k,   Lam_k = D_k^-1 + G_k^T Z_k,   B_k = Lam_k H_k^T - Z_k^T            (7)
///     Ups_k = Ups_p + H_k B_k - Z_k H_k^T                                                   (8)
///     M^-1_kk = Lam_k;  outward from k:  M^-1_kj = -B_p G_j,  B_j = B_p + M^-1_kj H_j^T     (9)
///     other branches, at every ancestor c of k:  the same from  -G_k^T psi(k, c) Ups_c     (10)
///
/// Ups_k = J_k M^-1 J_k^T is the inverse operational-space inertia of link k about the reference point (Jain's
/// operational-space compliance): its acceleration per unit wrench.
/// Workspace and result: one per thread; after construction no call allocates.
struct OperatorInverse {
  Matrix M_inv;              // nv x nv
  std::vector<Matrix6> Ups;  // links
  std::vector<Twist> B;      // links: one row of B
  explicit OperatorInverse(const Model& model);

 private:
  friend struct detail::Access;
  void fit(const Model& model);
  Model model_;
};
/// (7) to (10) into out.M_inv, which is returned.
/// @paper 002 Lemma 4.9, (4.21)-(4.23)
const Matrix& mass_matrix_inverse(const Factorization& f, OperatorInverse& out);

/// (8) only: the inverse operational-space inertia Ups_k of every link, O(n).
/// @throws SizeError unless `Ups` has an entry for every link
/// @paper 002 (4.19)
void inverse_operational_space_inertias(const Factorization& f, std::vector<Matrix6>& Ups);
/// Cross term of the inverse operational-space inertia: the acceleration of link k per unit wrench on link j. With c
/// the last common ancestor (or one of the two), and taub_i = 1 - G_i H_i^T for each link after c on the paths to k and
/// j,
///
///     Ups(k, j) = J_k M^-1 J_j^T = (taub ... taub_k)^T Ups_c (taub ... taub_j)              (11)
///
/// and zero without such a c. About the reference point; 6 x 6; O(depth).
/// @param Ups  result of `inverse_operational_space_inertias`
/// @throws Error naming a link index out of range; SizeError
/// @paper 002 Lemma 4.8, (4.20)
Matrix6 inverse_operational_space_inertia(const Factorization& f, const std::vector<Matrix6>& Ups,
                                          int k, int j);

}  // namespace textbook
}  // namespace CHASLES_API
