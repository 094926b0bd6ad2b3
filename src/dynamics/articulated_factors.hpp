/// The articulated-body factors of the mass matrix, in whatever frames the caller works in:
///
///     U = P X,   D = X^T U + I_a,   G = U D^-1                of every joint, from the leaves      (1)
///     P = M + sum_children T^T (P - U G^T) T                                                       (2)
///
/// T transforms the twist of the parent to the link; D is stored as L diag L^T. For the criterion for
/// singular joints see docs/theory/articulated-body.md.
///
///     P, M   articulated and rigid-body inertia of a link        X   joint screws
///     U, G   P X and U D^-1                                      D   joint-space inertia
///     I_a    armature, times the identity
#pragma once

#include <algorithm>
#include <limits>

#include "chasles/screws/articulated_inertia.hpp"
#include "dynamics/ldl.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles::dynamics {

/// Workspace and result: after construction no call allocates.
class ArticulatedFactors {
 public:
  explicit ArticulatedFactors(const Model& model) : D_index_(square_offsets(model)) {
    const std::size_t n = tree_links(model).size(), nv = static_cast<std::size_t>(model.nv());
    P_.resize(n), composite_.resize(n), sizes_.resize(n);
    U_.resize(nv), G_.resize(nv);
    D_.resize(static_cast<std::size_t>(D_index_.back()));
  }

  /// (1), (2).
  /// @param X      nv: screws, each in the frame of its link
  /// @param M      links
  /// @param carry  carry(i, Y): transforms Y, an Inertia or ArticulatedInertia of link i, to the frame of its
  /// parent
  /// @throws SingularError naming the joint
  template <class Carry>
  void factorize(const Model& model, const Twist* X, const Inertia* M, const Carry& carry) {
    for (std::size_t i = 0; i < P_.size(); ++i) {
      composite_[i] = M[i];
      P_[i] = ArticulatedInertia(M[i]);
      sizes_[i] = {0, 0, 1};
    }
    for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t) {
      if (const int pivot = factor_joint(link, i, X + first); pivot >= 0)
        throw_singular(model, link.v_index + pivot);
      if (link.parent < 0) return;
      const std::size_t p = parent_of(link);
      composite_[p] += carry(i, composite_[i]);
      ArticulatedInertia P = P_[i];
      for (int k = link.v_index; k < link.v_index + link.nv; ++k)
        P.subtract(U_[static_cast<std::size_t>(k)], G_[static_cast<std::size_t>(k)]);
      // Exact zeros; computed, they would be rounding errors of A times the condition of D.
      if (link.armature == 0 && links::is_ball(link)) P.A = {}, P.B = {};
      if (link.armature == 0 && link.nv == 6) P = {};
      P_[p] += carry(i, P);
    });
  }

  const ArticulatedInertia& P(std::size_t link) const { return P_[link]; }
  const Wrench& G(std::size_t k) const { return G_[k]; }  // of entry k of v
  const std::vector<Wrench>& G() const { return G_; }
  /// x := D_i^-1 x, x the entries of link i.
  void solve_joint(const Link& link, std::size_t i, double* x) const {
    ldl_solve(D_.data() + D_index_[i], link.nv, x);
  }

 private:
  /// Scales of the numbers from which pivots are computed: the largest traces of the blocks A and C of P so
  /// far, and the amplification of rounding errors by cancellation.
  struct Sizes {
    double angular, linear, growth;
    double of(const Twist& X) const { return dot(X.w, X.w) * angular + dot(X.v, X.v) * linear; }
  };

  /// (1), passing the scales inward. Returns the index of a pivot that counts as zero, or -1.
  int factor_joint(const Link& link, std::size_t i, const Twist* X) {
    const int n = link.nv;
    Wrench *U = U_.data() + link.v_index, *G = G_.data() + link.v_index;
    double* D = D_.data() + D_index_[i];
    Sizes& sizes = sizes_[i];
    sizes.angular = std::max(sizes.angular, trace(P_[i].A));
    sizes.linear = std::max(sizes.linear, trace(P_[i].C));
    const double error = 32 * std::numeric_limits<double>::epsilon() * sizes.growth;
    double least[6];
    for (int k = 0; k < n; ++k) {
      U[k] = G[k] = P_[i] * X[k];
      for (int j = 0; j <= k; ++j) D[k * n + j] = dot(U[k], X[j]);
      D[k * (n + 1)] += link.armature;
      least[k] =
          std::max(2 * singular * kinetic_energy(composite_[i], X[k]), error * sizes.of(X[k]));
    }
    if (const int pivot = ldl_factor(D, n, least); pivot >= 0) return pivot;
    ldl_solve(D, n, G);
    if (link.parent < 0) return -1;
    Sizes& to = sizes_[parent_of(link)];
    to.angular = std::max(to.angular, sizes.angular);
    to.linear = std::max(to.linear, sizes.linear);
    to.growth = std::max(to.growth, sizes.growth);
    for (int k = 0; k < n; ++k) to.growth = std::max(to.growth, sizes.of(X[k]) / D[k * (n + 1)]);
    return -1;
  }

  std::vector<ArticulatedInertia> P_;  // links
  std::vector<Inertia> composite_;     // links: inertia of the subtree
  std::vector<Sizes> sizes_;           // links
  std::vector<Wrench> U_, G_;          // nv
  std::vector<double> D_;              // nv_i x nv_i of every link, row by row
  std::vector<int> D_index_;           // links
};

}  // namespace chasles::dynamics
