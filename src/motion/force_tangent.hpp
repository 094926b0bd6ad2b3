/// A ForceTangent as part of dense matrices: r = M a - f changes by K dq + D dv, of which forces are
///
///     f_r = tau_r + H_r . (W if joint r carries b, -W if it carries a)                        (1)
///
/// In world axes about one fixed point, with the symbols of tree_newton.hpp, a coordinate c that carries a link moves
/// it by
///
///     eta = H_c dq_c,     dV = H_c dv_c + (Psi_c + S_v,c + ad_{H_c} V) dq_c                   (2)
///
/// and turns the screws of all links that it carries, H_r by ad_{H_c} H_r; screws of its own link that depend on q change
/// besides. With dW of chasles/motion/force_tangent.hpp (2),
///
///     df_r = d tau_r + H_r . (dW_b - dW_a) + dH_r . (W_b - W_a)                               (3)
#pragma once

#include "chasles/kinematics/kinematics.hpp"
#include "chasles/motion/force_tangent.hpp"
#include "chasles/motion/mechanical_system.hpp"

namespace chasles {

/// A matrix of an element about p in terms of another point, d = p - point: X^T A X, X = [[1, 0], [-d~, 1]].
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
  std::vector<int> offsets_;     // links: in slopes_
  std::vector<Twist> slopes_;    // dH_r / dq_c of one link, as seen from it
};

}  // namespace chasles
