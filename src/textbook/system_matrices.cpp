#include "chasles/textbook/system_matrices.hpp"

#include "dynamics/links.hpp"
#include "kinematics/system_blocks.hpp"
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

/// The pose whose Ad converts body-fixed twists and screws to the representation.
SE3 converting(const SE3& C, Representation rep) {
  return rep == Representation::body ? SE3{} : rep == Representation::spatial ? C : SE3{C.R, {}};
}

/// E_i of (10).
Twist rotation_of(const Twist& V, Representation rep) {
  return rep == Representation::body      ? Twist{}
         : rep == Representation::spatial ? V
                                          : Twist{V.w, {}};
}

/// Dd of (10).
Sparse transfer_rates(const Model& model, const VelocityKinematics& kin, const Vector& u,
                      Representation rep) {
  const system_blocks::Tree t = system_blocks::moving_tree(model);
  system_blocks::Blocks D_rate;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t.parents[i] < 0 || rep == Representation::spatial) continue;
    const auto p = static_cast<std::size_t>(t.parents[i]);
    const Frame &own = system_blocks::frame_of(model, t.bodies[i]),
                &parent = system_blocks::frame_of(model, t.bodies[p]);
    const Vec3 r_rate =
        twist(kin, parent, Representation::hybrid).v - twist(kin, own, Representation::hybrid).v;
    const SE3 C_ip = inverse(pose(kin, own)) * pose(kin, parent);
    const Twist u_i = from_eigen<Twist>(u.segment<6>(system_blocks::block_column(i)));
    const auto block = [&]() -> Eigen::Matrix<double, 6, 6> {
      if (rep == Representation::hybrid) return to_eigen(lie::ad_matrix(Twist{{}, r_rate}));
      return -to_eigen(lie::ad_matrix(u_i)) * to_eigen(Ad_matrix(C_ip));
    }();
    D_rate.add(i, system_blocks::block_column(p), block);
  }
  return D_rate.matrix(t.size(), system_blocks::block_column(t.size()));
}

/// Jd - E J, by (10).
Eigen::MatrixXd rate_in_bodies(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J);
  return system_jacobian_rate(s) - s.E * J;
}

}  // namespace

SystemMatrices system_matrices(const Model& model, const VelocityKinematics& kin,
                               Representation rep) {
  lie::require_known(rep);
  if (rep == Representation::mixed)
    throw Error("system matrices are body-fixed, spatial or hybrid; the mixed form has no bracket");
  SystemMatrices s;
  s.kinematics = system_kinematics(model, kin, rep);
  const std::vector<int>& bodies = s.kinematics.bodies;
  const auto rows = 6 * static_cast<Eigen::Index>(bodies.size());
  const bool spatial = rep == Representation::spatial;
  system_blocks::Blocks change;  // of body-fixed twists to rep
  for (std::size_t i = 0; i < bodies.size(); ++i)
    change.add(i, system_blocks::block_column(i),
               to_eigen(Ad_matrix(converting(s.kinematics.C[i], rep))));
  const Sparse Ad = change.matrix(bodies.size(), rows);
  // In the spatial form X of SystemKinematics is body-fixed.
  s.S = spatial ? system_blocks::owned(Ad * s.kinematics.X) : s.kinematics.X;
  s.F = spatial ? subtree_sums(model) : s.kinematics.A;
  s.X_rate = system_blocks::owned(Ad * screw_rates(model, kin, bodies));
  const Vector u = s.S * kin.v();  // X_i v_i
  Columns a(rows), b(rows), M(rows), Q(rows), E(rows);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int row = 6 * static_cast<int>(i);
    const ModelBody& body = model.bodies()[static_cast<std::size_t>(bodies[i])];
    const Twist V = twist(kin, body.frame, rep);
    const Inertia M_i = transform(converting(s.kinematics.C[i], rep), body.inertia);
    a.add(row, to_eigen(lie::ad_matrix(from_eigen<Twist>(u.segment<6>(row)))));
    b.add(row, to_eigen(lie::ad_matrix(V)));
    E.add(row, to_eigen(lie::ad_matrix(rotation_of(V, rep))));
    M.add(row, to_eigen(lie::matrix(M_i)));
    Q.add(row, momentum_matrix(M_i * V));
  }
  s.a = a.matrix(), s.b = b.matrix(), s.M = M.matrix(), s.Q = Q.matrix(), s.E = E.matrix();
  s.D_rate = transfer_rates(model, kin, u, rep);
  s.armature = Eigen::VectorXd::Zero(model.nv());
  for (const Link& link : tree_links(model))
    s.armature.segment(link.v_index, link.nv).setConstant(link.armature);
  s.connection.resize(model.nv(), model.nv());
  s.connection.setZero();
  dynamics::add_armature_connection(model, kin.v().data(), s.connection);
  return s;
}

Matrix system_jacobian_rate(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J), S(s.S), X_rate(s.X_rate);
  return s.F * (X_rate + s.E * S + s.D_rate * J);
}

Matrix mass_matrix(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J);
  Matrix M = J.transpose() * (s.M * J);
  M.diagonal() += s.armature;
  return M;
}

Matrix mass_matrix_rate(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J);
  const Eigen::MatrixXd half = J.transpose() * (s.M * rate_in_bodies(s));
  return half + half.transpose();
}

Matrix lagrange_matrix(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J), M_J = s.M * J;
  return J.transpose() * (s.M * rate_in_bodies(s) - s.b.transpose() * M_J);
}

Matrix coriolis_matrix(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J);
  return J.transpose() * (s.M * rate_in_bodies(s) - s.Q * J);
}

Matrix christoffel_matrix(const SystemMatrices& s) {
  const Eigen::MatrixXd J(s.kinematics.J), b_J = s.b * J, M_J = s.M * J;
  return J.transpose() *
             (s.M * rate_in_bodies(s) + 0.5 * (s.M * b_J - s.b.transpose() * M_J - s.Q * J)) +
         s.connection;
}

KineticEnergyTerms kinetic_energy_terms(const SystemMatrices& s, ConstVectorRef v,
                                        ConstVectorRef a) {
  const auto nv = static_cast<int>(s.armature.size());
  require_size("v", v, nv);
  require_size("a", a, nv);
  const Eigen::MatrixXd S(s.S), X_rate(s.X_rate);
  const Eigen::MatrixXd M = mass_matrix(s);
  const Eigen::VectorXd Pi = s.M * Eigen::VectorXd(s.kinematics.J * v);
  const Eigen::MatrixXd dV = s.F * (s.b * S + X_rate);
  return {M * v, M * a + mass_matrix_rate(s) * v, dV.transpose() * Pi};
}

}  // namespace chasles::textbook
