/// Composite rigid bodies: the mass matrix (CRBA), following the papers.
///
///     M_jk = J_j^T M^c_l J_k,       M^c_l = sum of the M of the subtree of l               (1)
///
/// l is the outer one of the links moved by v_j and v_k, if one is an ancestor of the other (or the same); else
/// M_jk = 0. Spatial form (000 (81) with J^s, whose columns are the same for all bodies), but about a reference point
/// (`reference_point`) near the mechanism, the origin of its first link, so that accuracy does not depend on its location.
/// Optimized version: dynamics/mass_matrix.hpp.
///
///     textbook::CompositeBodies work(model);
///     const Matrix& M = textbook::mass_matrix(model, kin, work);
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/kinematics.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// Workspace and result: one per thread; after construction no call allocates.
struct CompositeBodies {
  Vec3 reference_point;     // reference point [m]
  std::vector<Twist> J;     // nv: screws about the reference point, world axes
  std::vector<Inertia> Mc;  // links: M^c
  Matrix M;                 // nv x nv
  explicit CompositeBodies(const Model& model);

 private:
  friend struct detail::Access;
  void fit(const Model& model);
  Model model_;
};

/// J and M^c of (1).
void composite_bodies(const Model& model, const PositionKinematics& kin, CompositeBodies& out);
/// (1) into out.M, which is returned. O(n depth).
/// @paper 000 (81)
/// @paper 002 (2.20), Lemma 3.2
const Matrix& mass_matrix(const Model& model, const PositionKinematics& kin, CompositeBodies& out);

}  // namespace textbook
}  // namespace CHASLES_API
