/// Adds a ForceTangent to the dense matrices K and D of dr = K dq + D dv, r = M a - f. The generalized forces are
///
///     f_r = tau_r + H_r . (W if joint r carries b, -W if it carries a)                        (1)
///
/// In world axes about one fixed point, with the symbols of tree_newton.hpp, a coordinate c on the path from ground to
/// a link moves that link by
///
///     eta = H_c dq_c,     dV = H_c dv_c + (Psi_c + S_v,c + ad_{H_c} V) dq_c                   (2)
///
/// and changes the screws of all links beyond it, H_r by ad_{H_c} H_r; screws of its own link that depend on q have an
/// additional term. With dW of chasles/systems/force_tangent.hpp (2),
///
///     df_r = d tau_r + H_r . (dW_b - dW_a) + dH_r . (W_b - W_a)                               (3)
#pragma once

#include "chasles/kinematics/kinematics.hpp"
#include "chasles/systems/force_tangent.hpp"
#include "chasles/systems/mechanical_system.hpp"

namespace chasles {

/// Moves the reference point of a 6 x 6 matrix from p to `point`, d = p - point: X^T A X, X = [[1, 0], [-d~, 1]].
void shift_matrix(const std::array<double, 36>& A, const Vec3& d, double* out);

/// After construction no call allocates.
class ForceTangentAssembly {
 public:
  explicit ForceTangentAssembly(const Model& model);
  /// Subtracts (3) from K and D.
  void subtract(const VelocityKinematics& kin, const ForceTangent& forces,
                MechanicalSystem::Tangent& out);

 private:
  void take_columns(const VelocityKinematics& kin);
  void subtract(const ForceTangent::Element& element, MechanicalSystem::Tangent& out);
  bool carries(int c, int link) const;
  Twist turned(int c, int r) const;  // dH_r / dq_c

  Model model_;
  Vec3 point_;
  std::vector<Twist> H_, by_q_;  // nv: screws; Psi + S_v
  std::vector<Twist> V_;         // links
  std::vector<int> offsets_;     // links: index of the first entry in slopes_
  std::vector<Twist> slopes_;    // dH_r / dq_c within one link, in its own frame
};

}  // namespace chasles
