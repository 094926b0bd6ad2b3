/// Jacobians of bodies and frames, their time derivatives, and the Jacobian of the center of mass.
///
///     V = J(q) v,    Vd = J vd + Jd v                                                      (1)
///
/// Column k belongs to v_k. With the joint's screw in world axes, (e; l) = R_j X_k at the origin
/// r_j of link j, and the frame at r,
///
///     hybrid   J^h_k = (e; l + e x (r - r_j))                                003 (40)      (2)
///     spatial  J^s_k = (e; l + r_j x e)                                      003 (28)      (3)
///     body     J^b_k = (R^T e; R^T (l + e x (r - r_j)))                      003 (16)      (4)
///     mixed    J^m_k = (R^T e; l + e x (r - r_j))                            003 (50)      (5)
///
/// Columns of joints that do not move the frame are zero. Nothing here allocates.
///
///     Matrix6X J(6, model.nv());
///     jacobian(model, kin, model.frame("hand"), Representation::body, J);
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/kinematics.hpp"

namespace chasles CHASLES_API {

/// (2) to (5). J: 6 x nv.
/// @paper 000 (101)-(106)
/// @paper 003 (13), (16)-(18), (27)-(29), (36), (37), (40), (46), (48)-(50), (54)-(56), (58), (59)
void jacobian(const Model& model, const PositionKinematics& kin, const Frame& frame,
              Representation rep, Matrix6XRef J);
/// The same from q, without kinematics of the whole tree: only the path from the frame to ground is computed.
///
///     FrameJacobian work(model);
///     const Matrix6X& J = jacobian(model, q, tip, Representation::hybrid, work);
///
/// Workspace and result: one per thread; after construction no call allocates.
struct FrameJacobian {
  Matrix6X J;  // 6 x nv
  SE3 C;       // the pose of the frame in the world
  explicit FrameJacobian(const Model& model);

 private:
  friend const Matrix6X& jacobian(const Model&, ConstVectorRef, const Frame&, Representation,
                                  FrameJacobian&);
  struct Scratch;
  Model model_;
  ValuePtr<Scratch> scratch_;
};
/// (2) to (5) into out.J, which is returned, and the pose into out.C. q: nq.
/// @throws SizeError naming the argument and both sizes; ForeignError naming both models
/// @paper 003 (19), (41), (51)
const Matrix6X& jacobian(const Model& model, ConstVectorRef q, const Frame& frame,
                         Representation rep, FrameJacobian& out);
/// Time derivative of the Jacobian along v. J_rate: 6 x nv.
/// @paper 000 (2), (16), (26), (27)
void jacobian_rate(const Model& model, const VelocityKinematics& kin, const Frame& frame,
                   Representation rep, Matrix6XRef J_rate);
/// The Jacobian of the twist of `to` relative to `from`, represented in the frame `from`.
void relative_jacobian(const Model& model, const PositionKinematics& kin, const Frame& from,
                       const Frame& to, Matrix6XRef J);
/// The Jacobian of the center of mass in world axes [m/s], in O(n): column k is
/// (m l + e x (m c - m r_j)) / mass with m and m c of the subtree of link j.
struct CenterOfMassJacobian {
  Matrix3X J;  // 3 x nv
  explicit CenterOfMassJacobian(const Model& model);

 private:
  friend void center_of_mass_jacobian(const Model&, const PositionKinematics&,
                                      CenterOfMassJacobian&);
  Model model_;
  std::vector<double> m_;  // links: mass of the subtree
  std::vector<Vec3> mc_;   // links: first moment of the subtree, in the world
};
/// @throws Error if no moving body has mass
void center_of_mass_jacobian(const Model& model, const PositionKinematics& kin,
                             CenterOfMassJacobian& out);

}  // namespace CHASLES_API
