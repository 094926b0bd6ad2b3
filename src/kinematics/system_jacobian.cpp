#include "chasles/kinematics/system_jacobian.hpp"

#include "chasles/kinematics/higher_order.hpp"
#include "chasles/screws/eigen.hpp"
#include "kinematics/measurements.hpp"
#include "kinematics/system_blocks.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

using namespace system_blocks;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

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
  const Tree t = moving_tree(model);
  const std::size_t n = t.bodies.size();
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
    A.add(i, block_column(i), transfer(C[i], C[i], rep));
    for (int j = t.parents[i]; j >= 0; j = t.parents[static_cast<std::size_t>(j)]) {
      const auto a = static_cast<std::size_t>(j);
      A.add(i, block_column(a), transfer(C[i], C[a], rep));
    }
    const Matrix6 diagonal = spatial ? Ad_of(inverse(C[i])) : Matrix6::Identity();
    A_inverse.add(i, block_column(i), diagonal);
    if (t.parents[i] >= 0) {
      const auto p = static_cast<std::size_t>(t.parents[i]);
      const Matrix6 block = transfer(C[i], C[p], factor);
      D.add(i, block_column(p), block);
      // Ad_{C_ip} Ad_{C_p}^-1 = Ad_{C_i}^-1 in the spatial form.
      A_inverse.add(i, block_column(p), spatial ? Matrix6(-diagonal) : Matrix6(-block));
    }
  }
  const Eigen::Index size = block_column(n);
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
  const Tree t = moving_tree(model);
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
  const Tree t = moving_tree(model);
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

SpatialFactors spatial_factors(const Model& model, const PositionKinematics& kin,
                               SpatialForm form) {
  require_known(form, SpatialForm::hybrid, "form of the factors");
  const Tree t = moving_tree(model);
  const std::size_t n = t.size();
  const std::vector<SE3> C = poses(model, kin, t);
  std::vector<SE3> reference(n);
  if (form == SpatialForm::reference) {
    PositionKinematics zero(model);
    forward_kinematics(model, model.neutral(), zero);
    reference = poses(model, zero, t);
  }
  // F_i and X_i = Ad_{F_i}^-1 J^s_i
  const auto factor = [&](std::size_t i) {
    return form == SpatialForm::hybrid ? SE3{SO3{}, C[i].r} : C[i] * inverse(reference[i]);
  };
  Blocks A, X, A_inverse;
  for_joints(model, kin, t, [&](std::size_t i, const ModelJoint& joint, const auto& X_b) {
    const SE3 own = form == SpatialForm::hybrid ? SE3{C[i].R, {}} : reference[i];
    X.add(i, joint.v_index, Ad_of(own) * X_b);
  });
  for (std::size_t i = 0; i < n; ++i) {
    A.add(i, block_column(i), Ad_of(factor(i)));
    for (int j = t.parents[i]; j >= 0; j = t.parents[static_cast<std::size_t>(j)])
      A.add(i, block_column(static_cast<std::size_t>(j)),
            Ad_of(factor(static_cast<std::size_t>(j))));
    const Matrix6 back = Ad_of(inverse(factor(i)));
    A_inverse.add(i, block_column(i), back);
    if (t.parents[i] >= 0)
      A_inverse.add(i, block_column(static_cast<std::size_t>(t.parents[i])), Matrix6(-back));
  }
  const Eigen::Index size = block_column(n);
  return {A.matrix(n, size), X.matrix(n, model.nv()), A_inverse.matrix(n, size)};
}

Sparse subtree_sums(const Model& model) {
  const Tree t = moving_tree(model);
  Blocks L;
  for (std::size_t i = 0; i < t.size(); ++i)
    for (int j = static_cast<int>(i); j >= 0; j = t.parents[static_cast<std::size_t>(j)])
      L.add(i, block_column(static_cast<std::size_t>(j)), Matrix6::Identity());
  return L.matrix(t.size(), block_column(t.size()));
}

namespace {

/// (8) for the twists V_m - known(m).
template <class Known>
VelocityFit fit_measurements(const Model& model, const PositionKinematics& kin,
                             std::span<const MeasuredTwist> measured, Representation rep,
                             const Known& known) {
  const MeasurementRows rows(model, kin, measured, rep, known);
  if (rows.J.size() == 0) return rows.fit(Eigen::VectorXd::Zero(model.nv()), 0);
  LeastNorm solved = solve_least_norm(rows.J, rows.V);
  return rows.fit(std::move(solved.x), solved.rank);
}

}  // namespace

VelocityFit least_squares_velocities(const Model& model, const PositionKinematics& kin,
                                     std::span<const MeasuredTwist> measured, Representation rep) {
  lie::require_known(rep);
  return fit_measurements(model, kin, measured, rep, [](std::size_t) { return Twist{}; });
}

VelocityFit least_squares_rates(const Model& model, ConstVectorRef q, ConstMatrixRef rates,
                                std::span<const MeasuredTwist> measured, Representation rep) {
  lie::require_known(rep);
  require_size("rates, by rows,", static_cast<std::size_t>(rates.rows()), model.nv());
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  // V^(n) with v^(n) = 0
  Eigen::MatrixXd known = Eigen::MatrixXd::Zero(model.nv(), rates.cols() + 1);
  known.leftCols(rates.cols()) = rates;
  TwistDerivatives V(model, static_cast<int>(known.cols()));
  return fit_measurements(model, kin, measured, rep, [&](std::size_t m) {
    twist_derivatives(model, q, known, measured[m].frame, rep, V);
    return V.V.back();
  });
}

}  // namespace chasles
