/// Composite bodies: the mass matrix (CRBA) in the words of the papers.
///
///     M_jk = J_j^T M^c_l J_k,       M^c_l = sum of the M of l and of all that it carries   (1)
///
/// l is the later of the links that v_j and v_k move, if one carries the other; else M_jk = 0.
/// Spatial form (000 (81) with J^s, whose columns are the same for all bodies), but about a pole
/// near the mechanism, the origin of its first link, so that precision does not depend on where it
/// stands. The fast one is mass_matrix.hpp.
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
  Vec3 pole;                // [m]
  std::vector<Twist> J;     // nv: screws about the pole, world axes
  std::vector<Inertia> Mc;  // links: M^c
  Matrix M;                 // nv x nv
  explicit CompositeBodies(const Model& model);
  void fit(const Model& model);  // for the model it was made for, with all of the right sizes

 private:
  Model model_;
};

/// J and M^c of (1).
void composite_bodies(const Model& model, const PositionKinematics& kin, CompositeBodies& out);
/// (1) into out.M, and returns it. O(n depth).
const Matrix& mass_matrix(const Model& model, const PositionKinematics& kin, CompositeBodies& out);

}  // namespace textbook
}  // namespace CHASLES_API
