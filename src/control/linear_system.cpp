#include "chasles/control/linear_system.hpp"

#include <Eigen/LU>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "control/tangent_at.hpp"

namespace chasles {

LinearSystem linearize(MechanicalSystem& system, double t, ConstVectorRef q, ConstVectorRef v) try {
  const TangentAt at(system, t, q, v);
  const Eigen::Index n = v.size();
  LinearSystem out{Matrix(2 * n, 2 * n), Matrix(2 * n, n)};
  // Row k of ad_v is ad_v^T e_k.
  Vector unit(n), row(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    unit[k] = 1;
    system.group().ad_dual(v, unit, row);
    out.A.row(k).head(n) -= row.transpose();  // and no -0
    unit[k] = 0;
  }
  out.A.topRightCorner(n, n).setIdentity();
  const Eigen::PartialPivLU<Eigen::MatrixXd> M(at.tangent.M);
  out.A.bottomLeftCorner(n, n) -= M.solve(at.tangent.K);
  out.A.bottomRightCorner(n, n) -= M.solve(at.tangent.D);
  out.B.bottomRows(n) = M.inverse();
  return out;
} catch (const std::bad_alloc&) {
  const double n = 2 * static_cast<double>(v.size());
  throw Error("there is not enough memory to linearize a mechanism with nv = " +
              std::to_string(v.size()) + ": A alone is " + to_short_text(n) + " x " +
              to_short_text(n) + " numbers, " + to_short_text(8e-9 * n * n) + " GB");
}

LinearSystem hold(const LinearSystem& system, double h) {
  if (!(h >= 0) || !std::isfinite(h))
    throw Error("a force cannot be held for " + std::to_string(h) +
                " s; give a time that is not negative");
  const Eigen::Index n = system.A.rows(), m = system.B.cols();
  if (system.A.cols() != n || system.B.rows() != n)
    throw Error("a linear system has A of n x n and B of n x m; this one has A of " +
                std::to_string(n) + " x " + std::to_string(system.A.cols()) + " and B of " +
                std::to_string(system.B.rows()) + " x " + std::to_string(m));
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n + m, n + m);
  both.topLeftCorner(n, n) = h * system.A;
  both.topRightCorner(n, m) = h * system.B;
  const Eigen::MatrixXd step = both.exp();
  return {step.topLeftCorner(n, n), step.topRightCorner(n, m)};
}

}  // namespace chasles
