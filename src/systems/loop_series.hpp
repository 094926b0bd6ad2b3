/// Constraints along a motion as power series: multipliers order by order. For a loop with the pose E of its end `to` seen
/// from `from`, W a basis of the wrenches of the cut joint,
///
///     V_rel = V_to - Ad_E^-1 V_from,     E' = E hat(V_rel),     W^T V_rel = 0                 (1)
///
/// and a linear coupling has the rows B v = 0. Coefficient k + 1 of V_rel contains a[k] = (k+1) v[k+1] as B[0] v[k+1];
/// everything else in it is known. So with a[k] of the tree alone, under the multipliers of lower orders, and the
/// residual rho of (1) at coefficient k + 1, the correction and the multipliers of order k solve the KKT system of the
/// start of the step,
///
///     M da + B^T lambda[k] = 0,     B da = -(k + 1) rho                                       (2)
///
/// and the wrenches -W lambda(t) on `to`, Ad_E^-T W lambda(t) on `from`, are loads of the recursion of the tree. A
/// truncated series violates (1) by its truncation error alone.
///
/// If the motions of the joint are not a subgroup (universal, most custom joints), its screws S turn with its coordinates
/// theta, and W with them. Let W be the basis at the start of the step. Motion and wrench are those of the joint,
///
///     V_rel = S theta',     S^T F = 0                                                         (3)
///
/// so that with c[k] the part of S theta' at coefficient k that theta' of lower orders determines, and S^+ S = 1,
///
///     W^T (V_rel[k+1] - c[k+1]) = 0,     theta'[k+1] = S[0]^+ (V_rel[k+1] - c[k+1])           (4)
///     F[k] = W lambda[k] - S[0]^{+T} sum_{j>0} S[j]^T F[k-j]                                  (5)
///
/// c and the sum are twists and joint forces of the joint as a mechanism of its own, without mass.
#pragma once

#include "chasles/systems/mechanism_state.hpp"
#include "constraints/cut_joint.hpp"
#include "derivatives/tree_series.hpp"

namespace chasles::derivatives {

class LoopSeries {
 public:
  /// @throws Error naming a constraint without a series
  LoopSeries(MechanismState& system, TreeSeries& tree, std::size_t order);

  bool empty() const { return count_ == 0; }
  /// At the state of the system, whose velocities the tree knows.
  void start();
  /// Adds the forces of order k of the multipliers of lower orders to the loads.
  void load(std::size_t k);
  /// From a[k] of the tree under these: the multipliers of order k. Adds their forces to the loads, and to tau those of
  /// couplings; order k of the tree is to be run again.
  void solve(std::size_t k, VectorRef tau);

 private:
  /// Screws and wrenches of a joint that are not constant: (3) to (5).
  struct TurningJoint {
    std::string name;  // of the loop
    TreeSeries motion;
    PositionKinematics kin;
    Frame body;  // the end `to`
    Matrix6X S;
    Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6> S_inverse;  // S[0]^+
    Twist c{};                                                    // c[k+1]

    TurningJoint(const ModelLoop& loop, std::size_t order);
    /// @throws SingularError where S loses rank
    void start(const Vector& theta, const Twist& V_rel, std::size_t rank);
    /// From V_rel[k] and F[k-1]: c[k+1]. Returns what (5) adds to W lambda[k].
    Wrench extend(std::size_t k, const Twist& V_rel, const Wrench& F_before);
  };
  struct Loop {
    Frame from, to;
    std::vector<Wrench> W;
    int row;
    links::PoseSeries E;                    // its u is V_rel
    std::vector<Twist> V, moved;            // of `from`, in its axes; v - r x w of Ad_E^-1 V
    std::vector<Wrench> F, turned;          // W lambda in `to`; R F
    std::optional<TurningJoint> turning{};  // (3)
  };
  void find_relative(Loop& loop, std::size_t k);  // V_rel[k]
  void load(const Frame& frame, const Wrench& F);

  MechanismState* system_;
  TreeSeries& tree_;
  int count_;
  std::vector<Loop> loops_;
  Matrix B_;  // of couplings: rows of loops are zero
  std::vector<bool> coupled_;
  Vector none_, residual_, change_, lambda_;
};

}  // namespace chasles::derivatives
