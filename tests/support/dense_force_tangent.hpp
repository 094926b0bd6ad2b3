/// The derivative of the generalized force of a ForceTangent as dense matrices.
///
///     Q = tau + sum_elements ( J_b^T W - J_a^T W )                                             (1)
///
/// J: Jacobian of a link about the point p of the element, which is fixed in space, in world axes. So
///
///     dQ = d tau + sum ( J_b - J_a )^T dW + sum ( dJ_b - dJ_a )^T W                            (2)
///     eta = J dq,     dV = J dv + dJ v                                                         (3)
///
/// with dW of force_tangent.hpp (2). About the origin of the world, J is the spatial Jacobian and dJ its
/// time derivative along the velocity dq; about p, both are shifted by a constant matrix.
#pragma once

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/systems/force_tangent.hpp"

namespace chasles::test {

struct DenseForceTangent {
  Eigen::MatrixXd by_q, by_v;  // nv x nv; by_q along plus(q, dq)
};

/// (w; v at p) from (w; v at the origin): v_p = v_o - p x w.
inline Eigen::MatrixXd about(const Vec3& p, const Eigen::MatrixXd& J) {
  Eigen::Matrix3d shift;
  shift << 0, -p.z, p.y, p.z, 0, -p.x, -p.y, p.x, 0;
  Eigen::MatrixXd out = J;
  out.bottomRows<3>() -= shift * J.topRows<3>();
  return out;
}

class DenseAssembly {
 public:
  DenseAssembly(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v)
      : model_(model), q_(q), v_(v), kin_(model) {
    forward_kinematics(model, q, v, kin_);
  }

  DenseForceTangent operator()(const ForceTangent& tangent) {
    const int n = model_.nv();
    DenseForceTangent out{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, n)};
    for (const ForceTangent::JointBlock& block : tangent.joints)
      for (int i = 0; i < block.size; ++i)
        for (int j = 0; j < block.size; ++j) {
          out.by_q(block.v + i, block.v + j) -= block.K[block.size * i + j];
          out.by_v(block.v + i, block.v + j) -= block.D[block.size * i + j];
        }
    for (const ForceTangent::Cross& cross : tangent.crosses) {
      out.by_q(cross.row, cross.column) -= cross.K;
      out.by_v(cross.row, cross.column) -= cross.D;
    }
    for (const ForceTangent::Element& e : tangent.elements) add(e, out);
    return out;
  }

 private:
  using Square = Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>;

  Eigen::MatrixXd jacobian_about(const Vec3& p, int link) {
    Matrix6X J(6, model_.nv());
    if (link >= 0) jacobian(model_, kin_, {link, {}, model_.id()}, Representation::spatial, J);
    return about(p, J);
  }
  /// dJ along entry k of dq.
  Eigen::MatrixXd jacobian_change(const Vec3& p, int link, int k) {
    VelocityKinematics along(model_);
    forward_kinematics(model_, q_, Eigen::VectorXd::Unit(model_.nv(), k), along);
    Matrix6X J(6, model_.nv());
    if (link >= 0)
      jacobian_rate(model_, along, {link, {}, model_.id()}, Representation::spatial, J);
    return about(p, J);
  }
  void add(const ForceTangent::Element& e, DenseForceTangent& out) {
    const Square K_a(e.K_a.data()), K_b(e.K_b.data()), D_a(e.D_a.data()), D_b(e.D_b.data());
    const Eigen::Map<const Eigen::Matrix<double, 6, 1>> W(e.W.data());
    const Eigen::MatrixXd J_a = jacobian_about(e.p, e.a), J_b = jacobian_about(e.p, e.b);
    out.by_v += (J_b - J_a).transpose() * (D_a * J_a + D_b * J_b);
    out.by_q += (J_b - J_a).transpose() * (K_a * J_a + K_b * J_b);
    for (int k = 0; k < model_.nv(); ++k) {
      const Eigen::MatrixXd dJ_a = jacobian_change(e.p, e.a, k),
                            dJ_b = jacobian_change(e.p, e.b, k);
      out.by_q.col(k) += (J_b - J_a).transpose() * (D_a * (dJ_a * v_) + D_b * (dJ_b * v_));
      out.by_q.col(k) += (dJ_b - dJ_a).transpose() * W;
    }
  }

  Model model_;
  Eigen::VectorXd q_, v_;
  VelocityKinematics kin_;
};

}  // namespace chasles::test
