/// Energies and momenta of the moving bodies, without those fixed to ground.
///
///     T = sum_i V_i^T M_i V_i / 2                                  [J]        000 (81)     (1)
///     U = -sum_i m_i g . r_com,i                                   [J]                     (2)
///     h = sum_i Ad_{C_i}^-T M_i V_i = (L; P)  about a point        [kg m^2/s, kg m/s]      (3)
///     h_G = A_G(q) v                          about the center of mass                     (4)
///
/// U is zero at the height of the world origin. Momenta are in world axes.
///
///     double E = kinetic_energy(model, kin) + potential_energy(model, kin);
///     Wrench h = spatial_momentum(model, kin);
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/jacobian.hpp"

namespace chasles CHASLES_API {

/// Kinetic energy (1).
double kinetic_energy(const Model& model, const VelocityKinematics& kin);
/// Potential energy of gravity (2).
double potential_energy(const Model& model, const PositionKinematics& kin);

/// Momentum (3) about a point given in the world [m].
Wrench momentum_about(const Model& model, const VelocityKinematics& kin, const Vec3& point);
/// Momentum (3) about the world origin: the spatial momentum. Constant without external forces.
/// @paper 000 (35)
Wrench spatial_momentum(const Model& model, const VelocityKinematics& kin);
/// Momentum (3) about the center of mass.
/// @throws Error if no moving body has mass
Wrench centroidal_momentum(const Model& model, const VelocityKinematics& kin);

/// A_G of (4), O(n). Column k is the momentum of the subtree of joint k at unit velocity:
///
///     A_G,k = M^c_i J_k,     M^c_i = sum of the M of i and its descendants                 (5)
///
/// inertias and screws about the center of mass, in world axes.
/// Workspace and result: one per thread; after construction no call allocates.
struct CentroidalMomentumMatrix {
  Matrix6X A;  // 6 x nv
  Vec3 com;    // [m]
  explicit CentroidalMomentumMatrix(const Model& model);

 private:
  friend const Matrix6X& centroidal_momentum_matrix(const Model&, const PositionKinematics&,
                                                    CentroidalMomentumMatrix&);
  Model model_;
  std::vector<Inertia> composite_;  // links
};
/// (5) into out.A, which is returned.
/// @throws Error if no moving body has mass
const Matrix6X& centroidal_momentum_matrix(const Model& model, const PositionKinematics& kin,
                                           CentroidalMomentumMatrix& out);

}  // namespace CHASLES_API
