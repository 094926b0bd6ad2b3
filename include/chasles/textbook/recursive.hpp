/// The recursive algorithms of the papers, O(n), in a representation chosen by the caller; one algorithm for all, the
/// representation is data (src/textbook/forms.hpp). A reference implementation that also gives joint reactions;
/// optimized versions: dynamics/inverse_dynamics.hpp, dynamics/forward_dynamics.hpp.
///
///     Q = M(q) vd + h(q, v) - sum_i J_i^T W_app,i                                          (0)
///
/// Inverse dynamics. Outward, p = parent(i), ground: V_0 = 0, Vd_0 = (0; -g):
///
///     V_i  = T_ip V_p + X_i v_i                                                            (1)
///     Vd_i = T_ip Vd_p + X_i vd_i + zeta_i,     zeta_i = Td_ip V_p + Xd_i v_i              (2)
///     W_i  = M_i Vd_i + gyroscopic terms of V_i (newton_euler.hpp) - W_app,i               (3)
/// Inward:
///     Q_i  = X_i^T W_i                                                                     (4)
///     W_p += T_ip^T W_i                                                                    (5)
///
/// Body-fixed: T_ip = Ad_{C_ip}, 000 (66), (67). Spatial: T_ip = I, (70), (71). Hybrid: T_ip =
/// Ad_{r_ip}, (75), (76). Mixed: T_ip of 003 (52), with 000 (56), (57). All with i = n ... 1 and
/// -W_app for a wrench ON the body.
///
/// Forward dynamics (ABA, 002 (4.3), (4.11)): z_i = W_i of (3) at Vd_i = 0                  (6)
///
///     U_i = P_i X_i,  D_i = X_i^T U_i + I_a,  G_i = U_i D_i^-1,
///     eps_i = Q_i - X_i^T (z_i + P_i zeta_i)                                               (7)
///     P_p += T^T (P_i - U_i G_i^T) T,  z_p += T^T (z_i + P_i zeta_i + G_i eps_i)           (8)
///     vd_i = D_i^-1 eps_i - G_i^T T Vd_p                                                   (9)
///     Vd_i of (2),  W_i = P_i Vd_i + z_i                                                  (10)
///
/// Operation counts per joint: docs/theory/newton-euler.md, articulated-body.md.
///
///     VelocityKinematics kin(model);
///     forward_kinematics(model, q, v, kin);
///     textbook::RecursiveDynamics work(model);
///     textbook::inverse_dynamics(model, kin, a, Representation::hybrid, work);
///     Wrench W = textbook::reaction(model, kin, work, joint, Representation::body);
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/export.hpp"
#include "chasles/screws/articulated_inertia.hpp"

namespace chasles CHASLES_API {
namespace textbook {

/// Workspace and result: one per thread; after construction no call allocates. Entries per link are in the frame of the
/// link and in the representation of the last call.
struct RecursiveDynamics {
  Representation rep = Representation::body;
  Vector a;                  // nv: vd
  Vector Q;                  // nv
  std::vector<Twist> X;      // nv: screws
  std::vector<Twist> V;      // links
  std::vector<Twist> V_dot;  // links; including the ground acceleration -g
  std::vector<Twist> zeta;   // links
  std::vector<Wrench> W;     // links: wrench transmitted by the joint to the link
  std::vector<Inertia> M;    // links; mixed: body-fixed
  // Forward dynamics only.
  std::vector<ArticulatedInertia> P;  // links
  std::vector<Wrench> U, G;           // nv
  std::vector<double> D;              // nv_i x nv_i per link, factorized
  Vector eps;                         // nv

  explicit RecursiveDynamics(const Model& model);

  const Model& model() const { return model_; }
  struct Scratch;

 private:
  friend struct detail::Access;
  Scratch& fit(const Model& model);
  Model model_;
  ValuePtr<Scratch> scratch_;
};

/// (0) by (1) to (5): the joint forces into out.Q, which is returned; the reactions into out.W.
/// @param kin  up to date at (q, v)
/// @param a    nv: time derivative of v
/// @param applied  wrenches on bodies; empty means none
/// @throws SizeError naming the argument and both sizes; Error if the frame of a wrench is of another model
/// @paper 000 (66)-(71), (75), (76)
/// @paper 002 (2.11), (2.12), (2.16), (2.19)
/// @paper 003 (52)
const Vector& inverse_dynamics(const Model& model, const VelocityKinematics& kin, ConstVectorRef a,
                               Representation rep, RecursiveDynamics& out,
                               AppliedWrenches applied = {});

/// (0) solved for vd by (6) to (10), into out.a, which is returned; the reactions into out.W.
/// @param Q  nv: joint forces
/// @throws as inverse_dynamics; SingularError naming the joint without inertia
/// @paper 002 (4.3), (4.10), (4.11)
const Vector& forward_dynamics(const Model& model, const VelocityKinematics& kin, ConstVectorRef Q,
                               Representation rep, RecursiveDynamics& out,
                               AppliedWrenches applied = {});

/// The wrench that a joint transmits from its parent to its child body, in the frame of the child body [N m, N], in any
/// representation; after inverse or forward dynamics at `kin`. Its component along the joint screws is the joint force,
/// without the part that accelerates armature and rotor, the rest is the constraint wrench of the bearing.
/// @param joint  index in Model::joints()
/// @paper 000 (77)
Wrench reaction(const Model& model, const PositionKinematics& kin,
                const RecursiveDynamics& dynamics, std::size_t joint, Representation rep);

}  // namespace textbook
}  // namespace CHASLES_API
