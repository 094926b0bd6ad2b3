#include "chasles/linearization/linear_system.hpp"

#include <cmath>

#include "linearization/reduced_tangent.hpp"
#include "math/decompositions.hpp"
#include "math/sampled_transition.hpp"

namespace chasles {
LinearSystem linearize(MechanicalSystem& system, double t, ConstVectorRef q, ConstVectorRef v,
                       const CoordinateChoice& choice) try {
  const ReducedTangent at(system, t, q, v, choice);
  const Eigen::Index n = v.size(), z = at.q_free.N().cols(), w = at.v_free.N().cols();
  LinearSystem out{Matrix(z + w, z + w), Matrix(z + w, n), at.q_free.independent(),
                   at.v_free.independent(), Matrix(2 * n, z + w)};
  // Row k of ad_v is ad_v^T e_k.
  Vector unit(n), row(n);
  const Eigen::MatrixXd T = at.q_free.rows(at.T);
  for (Eigen::Index i = 0; i < z; ++i) {
    const int k = out.positions[static_cast<std::size_t>(i)];
    unit[k] = 1;
    system.group().ad_dual(v, unit, row);
    out.A.row(i).head(z) += T.row(i);
    out.A.row(i).head(z) -= row.transpose() * at.q_free.N();  // avoids -0
    unit[k] = 0;
  }
  out.A.topRightCorner(z, w) = at.q_free.rows(at.v_free.N());
  RowPivotedLu M;
  M.compute(at.M_r);
  out.A.bottomLeftCorner(w, z) -= M.solve_columns(at.K_r);
  out.A.bottomRightCorner(w, w) -= M.solve_columns(at.D_r);
  out.B.bottomRows(w) = M.solve_columns(at.v_free.N().transpose());
  out.C.topLeftCorner(n, z) = at.q_free.N();
  out.C.bottomLeftCorner(n, z) = at.T;
  out.C.bottomRightCorner(n, w) = at.v_free.N();
  return out;
} catch (const std::bad_alloc&) {
  const double n = 2 * static_cast<double>(v.size());
  throw Error("there is not enough memory to linearize a mechanism with nv = " +
              std::to_string(v.size()) + ": A alone is " + to_short_text(n) + " x " +
              to_short_text(n) + " numbers, " + to_short_text(8e-9 * n * n) + " GB");
}

ReducedDynamics reduced_dynamics(MechanicalSystem& system, double t, ConstVectorRef q,
                                 ConstVectorRef v, const CoordinateChoice& choice) {
  if (system.position_constraint_count() != system.constraint_count())
    throw Error(
        "constraints that bind velocities and not positions leave more positions than velocities "
        "free, so there is no square K; take linearize");
  const ReducedTangent at(system, t, q, v, choice);
  return {at.M_r, at.D_r, at.K_r, at.v_free.N(), at.v_free.independent()};
}

LinearSystem discretize(const LinearSystem& system, double h) {
  if (!(h >= 0) || !std::isfinite(h))
    throw Error("a force cannot be held for " + std::to_string(h) +
                " s; give a time that is not negative");
  const Eigen::Index n = system.A.rows(), m = system.B.cols();
  if (system.A.cols() != n || system.B.rows() != n)
    throw Error("a linear system has A of n x n and B of n x m; this one has A of " +
                std::to_string(n) + " x " + std::to_string(system.A.cols()) + " and B of " +
                std::to_string(system.B.rows()) + " x " + std::to_string(m));
  const Eigen::MatrixXd step = held_step(system.A, system.B, h);
  return {step.leftCols(n), step.rightCols(m), system.positions, system.velocities, system.C};
}

}  // namespace chasles
