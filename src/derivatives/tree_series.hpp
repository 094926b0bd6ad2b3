/// Dynamics of a tree along a motion, as power series in time. All body-fixed; x[k] is the coefficient
/// of t^k, p the parent, T[j] the coefficients of Ad of the relative pose. With A[k] = (k+1) V[k+1] and
/// a[k] = (k+1) v[k+1],
///
///     V[k+1]   = T[0] V_p[k+1] + X[0] v[k+1] + c[k+1]                                         (1)
///     c[k+1]   = sum_{j>0} T[j] V_p[k+1-j] + X[j] v[k+1-j]
///     W[k]     = M A[k] + z[k] + sum_children T[0]^T W[k]                                     (2)
///     z[k]     = M (0; g)[k] - sum_j ad_{V[j]}^T M V[k-j] - W_app[k]
///                + sum_children sum_{j>0} T[j]^T W[k-j]
///     Q[k]     = X[0]^T W[k] + sum_{j>0} X[j]^T W[k-j] + I_a a[k]                             (3)
///     g'       = -w x g,     g[0] = -R^T gravity                                              (4)
///     Y_m'     = ad_V^T Y_m + Y_{m+1},   W_app = Y_0                                          (5)
///
/// Y_m is the m-th derivative of the components of an applied wrench in its representation; spatial ones are
/// transformed by Ad_C^T; hybrid ones rotate with (w; 0), mixed ones only in the force, body-fixed ones not
/// at all.
///
/// c[k+1] and z[k] depend only on V[0 ... k] and W[0 ... k-1]: given these, (1) to (3) are the recursion of
/// inverse dynamics, and solved for a[k] that of forward dynamics, with the articulated inertias at t = 0 at
/// every order. The sums over j make it O(n N^2) for N coefficients.
#pragma once

#include "chasles/dynamics/applied_wrench.hpp"
#include "dynamics/articulated_factors.hpp"
#include "kinematics/link_series.hpp"
#include "model/model_data.hpp"

namespace chasles::derivatives {

/// Wrenches on bodies, and the derivatives of their components in their representations: the same number for
/// each, ordered by wrench. Empty: constant.
struct AppliedSeries {
  AppliedWrenches wrenches;
  std::span<const Wrench> rates;
};

class TreeSeries {
 public:
  /// Q[0 ... order], v[0 ... order + 1].
  TreeSeries(const Model& model, int order);

  const Model& model() const { return model_; }
  int order() const { return static_cast<int>(length_) - 2; }
  Matrix v;    // nv x (order + 2)
  Matrix tau;  // nv x (order + 1)

  /// At q, with v[0]: computes everything of order 0 except accelerations.
  /// @throws Error, ForeignError for bad wrenches
  void start(ConstVectorRef q, const AppliedSeries& applied);
  /// Articulated inertias at q, for `forward`.
  /// @throws SingularError naming the joint
  void factorize();
  /// tau[k] from v[0 ... k+1], and v[k+1] from tau[k]; call for all lower orders first.
  void inverse(std::size_t k);
  void forward(std::size_t k);
  /// Wrenches on the links besides the applied ones, in their axes at their origins: coefficient k, to be set before
  /// `inverse` or `forward` of order k. Zero at first.
  std::vector<Wrench>& loads() { return loads_; }
  /// Coefficient k of the twist of a link, as far as v is known.
  const Twist& twist(std::size_t link, std::size_t k) const { return V_[at(link, k)]; }
  /// Coefficient k of the position coordinates of a floating joint; available as far as v is.
  Vec3 position(std::size_t link, std::size_t k) const {
    return inverse_times(tree_links(model_)[link].Q, series_[link].r()[k]);
  }

 private:
  struct AppliedTable {
    Frame frame;
    Representation representation;
    std::vector<Wrench> Y;  // levels x length, in the axes of the frame
    std::vector<Twist> V;   // length: twist of the frame that rotates the wrench
  };
  std::size_t at(std::size_t link, std::size_t k) const { return link * length_ + k; }
  void start_wrenches(const AppliedSeries& applied);
  void add_wrench(AppliedTable& table, std::size_t k);

  void prepare(std::size_t k);                                     // series up to k + 1, c, z
  Twist carried(std::size_t i, std::size_t k);                     // sum_{j>0} T[j] V_p[k-j]
  Wrench returned(std::size_t i, std::size_t k);                   // sum_{j>0} T[j]^T W[k-j]
  void set_twist(std::size_t i, std::size_t k, const Twist& V);    // V[k], and dependent series
  void set_wrench(std::size_t i, std::size_t k, const Wrench& W);  // W[k]
  double turned_screws(std::size_t i, std::size_t k, std::size_t c) const;  // terms j > 0 of (3)

  Model model_;
  std::size_t length_, nv_;
  std::vector<links::LinkSeries> series_;
  std::vector<SE3> C_rel_;  // links: in the parent, at t = 0
  // links x length:
  std::vector<Twist> V_, V_p_;  // V_p in the joint frame
  std::vector<Vec3> moved_;     // v - r x w of V_p
  std::vector<Vec3> g_;
  std::vector<Wrench> W_;
  std::vector<Vec3> force_;  // of W, in the axes of the joint frame
  // links:
  std::vector<Twist> c_, A_;
  std::vector<Wrench> z_, sum_, loads_;
  std::vector<AppliedTable> applied_;
  std::vector<SE3> C_;  // in the world, if wrenches are applied
  std::size_t wrenches_ = 0, levels_ = 1;
  // Forward dynamics:
  std::vector<Twist> X_0_;  // nv
  std::vector<Inertia> M_;
  std::vector<double> eps_;  // nv
  dynamics::ArticulatedFactors factors_;
};

}  // namespace chasles::derivatives
