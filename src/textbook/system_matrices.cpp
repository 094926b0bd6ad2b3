#include "chasles/textbook/system_matrices.hpp"

#include "dynamics/links.hpp"
#include "textbook/momentum_matrix.hpp"

namespace chasles::textbook {
namespace {

/// A sparse matrix with six consecutive nonzeros per column.
class Columns {
 public:
  explicit Columns(Eigen::Index rows) { arrays_.rows = rows; }
  /// Appends columns; their nonzeros start in row `first_row`.
  template <class Block>
  void add(int first_row, const Block& block) {
    for (Eigen::Index j = 0; j < block.cols(); ++j) {
      for (int i = 0; i < 6; ++i) {
        arrays_.row_indices.push_back(first_row + i);
        arrays_.values.push_back(block(i, j));
      }
      ++arrays_.columns;
      arrays_.starts.push_back(static_cast<int>(arrays_.values.size()));
    }
  }
  Sparse matrix() { return Sparse(std::move(arrays_)); }

 private:
  Sparse::Arrays arrays_;
};

/// Xd: the blocks of Jd of a joint in its own body, by columns of v.
Sparse screw_rates(const Model& model, const VelocityKinematics& kin,
                   const std::vector<int>& bodies) {
  std::vector<int> row_of(model.bodies().size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    row_of[static_cast<std::size_t>(bodies[i])] = 6 * static_cast<int>(i);
  Columns X_rate(6 * static_cast<Eigen::Index>(bodies.size()));
  Matrix6X J_rate(6, model.nv());
  for (int k = 0; k < model.nv();) {
    const ModelJoint& joint = model.joint_of_v(k);
    const auto child = static_cast<std::size_t>(joint.child);
    jacobian_rate(model, kin, model.bodies()[child].frame, Representation::body, J_rate);
    X_rate.add(row_of[child], J_rate.middleCols(joint.v_index, joint.nv));
    k += joint.nv;
  }
  return X_rate.matrix();
}

}  // namespace

SystemMatrices system_matrices(const Model& model, const VelocityKinematics& kin) {
  SystemMatrices s;
  s.kinematics = system_kinematics(model, kin, Representation::body);
  const std::vector<int>& bodies = s.kinematics.bodies;
  const auto rows = 6 * static_cast<Eigen::Index>(bodies.size());
  const Vector u = s.kinematics.X * kin.v();  // X_i v_i
  Columns a(rows), b(rows), M(rows), Q(rows);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int row = 6 * static_cast<int>(i);
    const ModelBody& body = model.bodies()[static_cast<std::size_t>(bodies[i])];
    const Twist V = twist(kin, body.frame, Representation::body);
    a.add(row, to_eigen(lie::ad_matrix(from_eigen<Twist>(u.segment<6>(row)))));
    b.add(row, to_eigen(lie::ad_matrix(V)));
    M.add(row, to_eigen(lie::matrix(body.inertia)));
    Q.add(row, momentum_matrix(body.inertia * V));
  }
  s.X_rate = screw_rates(model, kin, bodies);
  s.a = a.matrix(), s.b = b.matrix(), s.M = M.matrix(), s.Q = Q.matrix();
  s.armature = Eigen::VectorXd::Zero(model.nv());
  for (const Link& link : tree_links(model))
    s.armature.segment(link.v_index, link.nv).setConstant(link.armature);
  s.connection.resize(model.nv(), model.nv());
  s.connection.setZero();
  dynamics::add_armature_connection(model, kin.v().data(), s.connection);
  return s;
}

Matrix system_jacobian_rate(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J), X(s.kinematics.X), X_rate(s.X_rate);
  return s.kinematics.A * (X_rate - s.a * (J - X));
}

Matrix mass_matrix(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J);
  Matrix M = J.transpose() * (s.M * J);
  M.diagonal() += s.armature;
  return M;
}

Matrix mass_matrix_rate(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J);
  const Eigen::MatrixXd half = J.transpose() * (s.M * system_jacobian_rate(s));
  return half + half.transpose();
}

Matrix lagrange_matrix(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J), M_J = s.M * J;
  return J.transpose() * (s.M * system_jacobian_rate(s) - s.b.transpose() * M_J);
}

Matrix coriolis_matrix(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J);
  return J.transpose() * (s.M * system_jacobian_rate(s) - s.Q * J);
}

Matrix christoffel_matrix(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J), b_J = s.b * J, M_J = s.M * J;
  return J.transpose() *
             (s.M * system_jacobian_rate(s) + 0.5 * (s.M * b_J - s.b.transpose() * M_J - s.Q * J)) +
         s.connection;
}

}  // namespace chasles::textbook
