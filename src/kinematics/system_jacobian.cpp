#include "chasles/kinematics/system_jacobian.hpp"

#include "chasles/screws/eigen.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// The moving bodies, their parents among them and their joints.
struct Tree {
  std::vector<int> bodies;                // n
  std::vector<int> parents;               // n: positions in `bodies`; -1: ground
  std::vector<const ModelJoint*> joints;  // n: null if fixed to the parent
};

Tree tree(const Model& model) {
  Tree t;
  std::vector<int> position(model.bodies().size(), -1);
  t.bodies = moving_bodies(model);
  for (std::size_t i = 0; i < t.bodies.size(); ++i)
    position[static_cast<std::size_t>(t.bodies[i])] = static_cast<int>(i);
  std::vector<const ModelJoint*> joint_of(model.bodies().size());
  for (const ModelJoint& joint : model.joints())
    joint_of[static_cast<std::size_t>(joint.child)] = &joint;
  for (const int b : t.bodies) {
    const int parent = model.bodies()[static_cast<std::size_t>(b)].parent;
    t.parents.push_back(parent < 0 ? -1 : position[static_cast<std::size_t>(parent)]);
    t.joints.push_back(joint_of[static_cast<std::size_t>(b)]);
  }
  return t;
}

const Frame& frame_of(const Model& model, int body) {
  return model.bodies()[static_cast<std::size_t>(body)].frame;
}

/// A matrix of 6 x m blocks, filled block by block. Zeros are left out.
class Blocks {
 public:
  template <class Block>
  void add(std::size_t block_row, Eigen::Index column, const Block& block) {
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      for (Eigen::Index j = 0; j < block.cols(); ++j)
        if (block(i, j) != 0)
          entries_.emplace_back(6 * static_cast<int>(block_row) + static_cast<int>(i),
                                static_cast<int>(column + j), block(i, j));
  }
  Sparse matrix(std::size_t block_rows, Eigen::Index columns) const {
    Eigen::SparseMatrix<double> m(6 * static_cast<Eigen::Index>(block_rows), columns);
    m.setFromTriplets(entries_.begin(), entries_.end());
    return Sparse({m.rows(),
                   m.cols(),
                   {m.outerIndexPtr(), m.outerIndexPtr() + m.outerSize() + 1},
                   {m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros()},
                   {m.valuePtr(), m.valuePtr() + m.nonZeros()}});
  }

 private:
  std::vector<Eigen::Triplet<double>> entries_;
};

Matrix6 Ad_of(const SE3& C) { return to_eigen(Ad_matrix(C)); }

/// A_ij of the table, which is D_ip for j = p (but for the spatial form, where D is body-fixed).
Matrix6 transfer(const SE3& C_i, const SE3& C_j, Representation rep) {
  switch (rep) {
    case Representation::body:
      return Ad_of(inverse(C_i) * C_j);
    case Representation::spatial:
      return Ad_of(C_j);
    case Representation::hybrid:
      return Ad_of({SO3{}, C_j.r - C_i.r});
    case Representation::mixed:
      break;
  }
  Matrix6 T = Matrix6::Identity();
  T.topLeftCorner<3, 3>() = to_eigen(transpose_times(C_i.R.matrix(), C_j.R.matrix()));
  T.bottomLeftCorner<3, 3>() = to_eigen(hat(C_j.r - C_i.r) * C_j.R.matrix());
  return T;
}

/// Contribution of a joint to the twist of its body, V_i - Ad_{C_ip} V_p, in body-fixed form. The
/// difference is taken in the hybrid form: nothing cancels far from the origin of the world.
Twist joint_part(const Twist& V_i, const Twist& V_p, const SE3& C_i, const SE3& C_p) {
  const Twist here = lie::convert(V_i, C_i, Representation::body, Representation::hybrid),
              there = lie::convert(V_p, C_p, Representation::body, Representation::hybrid);
  const Twist d{here.w - there.w, here.v - (there.v + cross(there.w, C_i.r - C_p.r))};
  return lie::to_body(d, C_i, Representation::hybrid);
}

/// Calls each(i, joint, C_i, X_i) for the moving bodies whose joints are not fixed; J is scratch.
template <class Each>
void for_joints(const Model& model, const PositionKinematics& kin, const Tree& t,
                const Each& each) {
  Matrix6X J(6, model.nv());
  for (std::size_t i = 0; i < t.bodies.size(); ++i) {
    if (!t.joints[i]) continue;
    jacobian(model, kin, frame_of(model, t.bodies[i]), Representation::body, J);
    each(i, *t.joints[i], J.middleCols(t.joints[i]->v_index, t.joints[i]->nv));
  }
}

std::vector<SE3> poses(const Model& model, const PositionKinematics& kin, const Tree& t) {
  std::vector<SE3> C;
  for (const int b : t.bodies) C.push_back(pose(kin, frame_of(model, b)));
  return C;
}

}  // namespace

std::vector<int> moving_bodies(const Model& model) {
  std::vector<int> list;
  for (std::size_t i = 0; i < model.bodies().size(); ++i)
    if (model.bodies()[i].frame.link >= 0) list.push_back(static_cast<int>(i));
  return list;
}

SystemKinematics system_kinematics(const Model& model, const PositionKinematics& kin,
                                   Representation rep) {
  lie::require_known(rep);
  const Tree t = tree(model);
  const std::size_t n = t.bodies.size();
  const auto column = [](std::size_t i) { return 6 * static_cast<Eigen::Index>(i); };
  const bool spatial = rep == Representation::spatial;
  const Representation factor = spatial ? Representation::body : rep;  // of X and D
  const std::vector<SE3> C = poses(model, kin, t);
  Blocks J, A, X, D, A_inverse;
  Matrix6X J_i(6, model.nv());
  for (std::size_t i = 0; i < n; ++i) {
    jacobian(model, kin, frame_of(model, t.bodies[i]), rep, J_i);
    J.add(i, 0, J_i);
    if (t.joints[i]) {
      if (spatial) jacobian(model, kin, frame_of(model, t.bodies[i]), Representation::body, J_i);
      X.add(i, t.joints[i]->v_index, J_i.middleCols(t.joints[i]->v_index, t.joints[i]->nv));
    }
    A.add(i, column(i), transfer(C[i], C[i], rep));
    for (int j = t.parents[i]; j >= 0; j = t.parents[static_cast<std::size_t>(j)]) {
      const auto a = static_cast<std::size_t>(j);
      A.add(i, column(a), transfer(C[i], C[a], rep));
    }
    const Matrix6 diagonal = spatial ? Ad_of(inverse(C[i])) : Matrix6::Identity();
    A_inverse.add(i, column(i), diagonal);
    if (t.parents[i] >= 0) {
      const auto p = static_cast<std::size_t>(t.parents[i]);
      const Matrix6 block = transfer(C[i], C[p], factor);
      D.add(i, column(p), block);
      // Ad_{C_ip} Ad_{C_p}^-1 = Ad_{C_i}^-1 in the spatial form.
      A_inverse.add(i, column(p), spatial ? Matrix6(-diagonal) : Matrix6(-block));
    }
  }
  const Eigen::Index size = column(n);
  return {rep,
          t.bodies,
          C,
          J.matrix(n, model.nv()),
          A.matrix(n, size),
          X.matrix(n, model.nv()),
          D.matrix(n, size),
          A_inverse.matrix(n, size)};
}

Vector inverse_velocities(const Model& model, const PositionKinematics& kin,
                          std::span<const Twist> V, Representation rep) {
  lie::require_known(rep);
  const Tree t = tree(model);
  require_size("V", V.size(), static_cast<int>(t.bodies.size()));
  const std::vector<SE3> C = poses(model, kin, t);
  Vector v = Eigen::VectorXd::Zero(model.nv());
  for_joints(model, kin, t, [&](std::size_t i, const ModelJoint& joint, const auto& X) {
    const auto p = static_cast<std::size_t>(t.parents[i]);
    const bool on_ground = t.parents[i] < 0;
    const Twist u = joint_part(lie::to_body(V[i], C[i], rep),
                               on_ground ? Twist{} : lie::to_body(V[p], C[p], rep), C[i],
                               on_ground ? SE3{} : C[p]);
    v.segment(joint.v_index, joint.nv) = solve_least_norm(X, to_eigen(u)).x;
  });
  return v;
}

Vector inverse_accelerations(const Model& model, const VelocityKinematics& kin,
                             std::span<const Twist> V_dot, Representation rep) {
  lie::require_known(rep);
  const Tree t = tree(model);
  require_size("V_dot", V_dot.size(), static_cast<int>(t.bodies.size()));
  const std::vector<SE3> C = poses(model, kin, t);
  const auto acceleration_b = [&](std::size_t i) {
    const Twist V = twist(kin, frame_of(model, t.bodies[i]), rep);
    return lie::convert_acceleration(V_dot[i], V, C[i], rep, Representation::body);
  };
  Vector vd = Eigen::VectorXd::Zero(model.nv());
  Matrix6X J_rate(6, model.nv());
  for_joints(model, kin, t, [&](std::size_t i, const ModelJoint& joint, const auto& X) {
    const auto p = static_cast<std::size_t>(t.parents[i]);
    const bool on_ground = t.parents[i] < 0;
    const Frame& frame = frame_of(model, t.bodies[i]);
    const SE3 C_p = on_ground ? SE3{} : C[p];
    const auto v = kin.v().segment(joint.v_index, joint.nv);
    jacobian_rate(model, kin, frame, Representation::body, J_rate);
    const Twist u = from_eigen<Twist>(X * v), V_i = twist(kin, frame, Representation::body);
    const Twist A =
        joint_part(acceleration_b(i), on_ground ? Twist{} : acceleration_b(p), C[i], C_p);
    // [V_i, Ad V_p] = [V_i, V_i - u] = -[V_i, u]
    const Eigen::Matrix<double, 6, 1> rest =
        to_eigen(A - ad(V_i, u)) - J_rate.middleCols(joint.v_index, joint.nv) * v;
    vd.segment(joint.v_index, joint.nv) = solve_least_norm(X, rest).x;
  });
  return vd;
}

VelocityFit least_squares_velocities(const Model& model, const PositionKinematics& kin,
                                     std::span<const MeasuredTwist> measured, Representation rep) {
  lie::require_known(rep);
  const auto rows = 6 * static_cast<Eigen::Index>(measured.size());
  Matrix W_J(rows, model.nv());
  Vector W_V(rows);
  Matrix6X J(6, model.nv());
  for (std::size_t m = 0; m < measured.size(); ++m) {
    const MeasuredTwist& given = measured[m];
    for (const double weight : {given.angular, given.linear})
      if (!(weight >= 0 && std::isfinite(weight)))
        throw Error("measurement " + std::to_string(m) + ": weight " + to_text(weight) +
                    "; give a finite weight that is not negative");
    if (!is_finite(given.V.w) || !is_finite(given.V.v))
      throw Error("measurement " + std::to_string(m) + ": the twist " +
                  tuple_text(coordinates(given.V)) + " is not finite; leave it out");
    Eigen::Matrix<double, 6, 1> weights;
    weights << Eigen::Vector3d::Constant(std::sqrt(given.angular)),
        Eigen::Vector3d::Constant(std::sqrt(given.linear));
    jacobian(model, kin, given.frame, rep, J);
    const auto row = 6 * static_cast<Eigen::Index>(m);
    W_J.middleRows<6>(row) = weights.asDiagonal() * J;
    W_V.segment<6>(row) = weights.cwiseProduct(to_eigen(given.V));
  }
  VelocityFit fit{Eigen::VectorXd::Zero(model.nv()), 0, W_V.norm(), {}};
  if (rows > 0 && model.nv() > 0) {
    const LeastNorm solved = solve_least_norm(W_J, W_V);
    fit.v = solved.x;
    fit.rank = solved.rank;
  }
  const Vector error = W_J * fit.v - W_V;
  fit.residual = error.norm();
  fit.gap.resize(static_cast<Eigen::Index>(measured.size()));
  for (Eigen::Index m = 0; m < fit.gap.size(); ++m) fit.gap[m] = error.segment<6>(6 * m).norm();
  return fit;
}

}  // namespace chasles
