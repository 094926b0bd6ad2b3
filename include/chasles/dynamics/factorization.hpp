/// Articulated-body factorization of the mass matrix: M^-1 b in O(n) per vector b, without forming M.
///
///     M = L D L^T,     D block diagonal, one block per link                                         (1)
///
/// In world axes, about the origin of each link; d_i = r_i - r_p, p the parent, H the screws of joint i. With the
/// articulated-body inertias P and, for every joint, D = H^T P H and G = P H D^-1,
///
///     inward    y_i = b_i - H_i^T z_i,    z_p += z_i + G_i y_i, shifted by d_i                      (2)
///     outward   x_i = D_i^-1 y_i - G_i^T V_p,    V_i = V_p + H_i x_i                                (3)
///
/// where V_p is the twist (w_p; rd_p + w_p x d_i) of the parent at r_i.
///
///     MassFactorization M(model);
///     M.factorize(model, kin);
///     M.solve(b, x);                      // x = M^-1 b
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace and result: one per thread; after construction no call allocates.
class MassFactorization {
 public:
  explicit MassFactorization(const Model& model);

  /// Computes the factors at the q of `kin`. O(n).
  /// @throws SingularError naming the joint; ForeignError naming both models
  void factorize(const Model& model, const PositionKinematics& kin);
  /// y = M^-1 x, by (2) and (3). x, y: nv; they may be the same vector.
  /// @throws SizeError naming the argument and both sizes; Error before the first `factorize`, and after a failed one
  void solve(ConstVectorRef x, VectorRef y);
  /// y = M x, from the same factors.
  void multiply(ConstVectorRef x, VectorRef y);

  const Model& model() const { return model_; }
  /// The joint screws at q, in world axes about the origin of their link: nv.
  const std::vector<Twist>& H() const { return H_; }

 private:
  struct Factors;
  friend void inverse_operational_space_inertia(const MassFactorization&, const Frame&,
                                                Representation, Matrix6Ref);
  void require_ready() const;
  /// The gains G of (2), and x := D_i^-1 x for the entries x of link i.
  const std::vector<Wrench>& G() const;
  void solve_joint(const struct Link& link, std::size_t i, double* x) const;
  void require_factors(ConstVectorRef x, ConstVectorRef y) const;
  Model model_;
  ValuePtr<Factors> factors_;
  std::vector<Twist> H_;    // nv
  std::vector<SE3> C_;      // links
  std::vector<Vec3> d_;     // links
  std::vector<Inertia> M_;  // links
  std::vector<Twist> V_;    // links
  std::vector<Wrench> z_;   // links
  bool ready_ = false;
};

}  // namespace CHASLES_API
