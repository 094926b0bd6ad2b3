#include "chasles/systems/closed_dynamics.hpp"

#include <cmath>

#include "chasles/derivatives/inverse_dynamics.hpp"
#include "math/decompositions.hpp"

namespace chasles {

ClosedInverseDynamics closed_inverse_dynamics(ConstrainedSystem& system,
                                              const ClosedKinematics& closed, ConstVectorRef q,
                                              ConstVectorRef v, ConstVectorRef a,
                                              const std::vector<int>& actuators,
                                              const Vector& weights, AppliedWrenches applied) {
  const Model& model = system.model();
  require_model("the closed kinematics", closed.model(), model);
  require_size("q", q, model.nq());
  if (closed.q() != q)
    throw Error("the closed kinematics are at another configuration; call at(q, v) first");
  const auto count = static_cast<Eigen::Index>(actuators.size());
  if (weights.size() > 0) require_size("the weights", weights, static_cast<int>(count));
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(count);  // 1 / sqrt(weight)
  for (Eigen::Index k = 0; k < weights.size(); ++k) {
    if (!(weights[k] > 0 && std::isfinite(weights[k])))
      throw Error("weight " + std::to_string(k) + " of the actuators is " + to_text(weights[k]) +
                  "; it must be positive");
    scale[k] = 1 / std::sqrt(weights[k]);
  }
  InverseDynamics inverse(model);
  const Vector needed = inverse_dynamics(model, q, v, a, inverse, applied);
  const Eigen::VectorXd right = closed.N().transpose() * needed;
  Eigen::MatrixXd A(closed.N().cols(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const int entry = actuators[static_cast<std::size_t>(k)];
    if (entry < 0 || entry >= model.nv())
      throw Error("v has no entry " + std::to_string(entry) + " for an actuator; it has " +
                  std::to_string(model.nv()));
    A.col(k) = scale[k] * closed.N().row(entry).transpose();
  }
  ClosedInverseDynamics out;
  Eigen::VectorXd scaled = Eigen::VectorXd::Zero(count);
  if (A.size() > 0) scaled = solve_least_norm(A, right).x;
  out.tau = scale.cwiseProduct(scaled);
  if (const double missing = (A * scaled - right).norm();
      missing > 1e-9 * (1 + right.norm() + needed.norm()))
    throw Error("the " + std::to_string(count) + " actuators cannot bring about this motion of '" +
                model.name() + "', which has " + std::to_string(closed.N().cols()) +
                " degrees of freedom: " + to_short_text(missing) + " N m or N are missing");
  // B^T lambda = S^T tau - needed.
  Eigen::VectorXd rest = -needed;
  for (Eigen::Index k = 0; k < count; ++k)
    rest[actuators[static_cast<std::size_t>(k)]] += out.tau[k];
  Matrix B, U;
  out.lambda.setZero(system.constraint_count());
  if (system.constraint_count() == 0) return out;
  system.set(system.at().t, q, v);
  system.constraint_matrix(B);
  system.independent_equations(U);
  const Eigen::VectorXd lambda = solve_pivoted_qr(B.transpose() * U, rest);
  out.lambda = U * lambda;
  return out;
}

ClosedForwardDerivatives closed_forward_derivatives(ConstrainedSystem& system, ConstVectorRef q,
                                                    ConstVectorRef v, ConstVectorRef tau,
                                                    AppliedWrenches applied) {
  const Model& model = system.model();
  const int n = model.nv(), m = system.constraint_count();
  ClosedForwardDerivatives out;
  out.a = system.forward_dynamics(q, v, tau, applied);
  out.lambda = system.multipliers();

  InverseDynamicsDerivatives d(model);
  d_inverse_dynamics(model, q, v, out.a, d, applied);
  Matrix S(n, n);
  if (m > 0) system.constraint_stiffness(out.lambda, S);
  const Eigen::MatrixXd r_dq = d.dq() + S, r_dv = d.dv();

  // s = B a + Bd v.
  Vector rate(m), bias(m), there(model.nq()), way = Vector::Zero(n), moved(n);
  const auto s_at = [&](const Vector& at) {
    system.set(system.at().t, at, v);
    system.constraint_times(out.a, rate);
    system.constraint_bias(bias);
    return Eigen::VectorXd(rate + bias);
  };
  constexpr double h = 5e-3;
  constexpr double c[] = {672, -168, 32, -3};
  Eigen::MatrixXd s_dq = Eigen::MatrixXd::Zero(m, n), s_dv = s_dq;
  for (int k = 0; k < n && m > 0; ++k) {
    for (int i = 1; i <= 4; ++i)
      for (const double sign : {1.0, -1.0}) {
        way[k] = sign * i * h;
        plus(model, q, way, there);
        s_dq.col(k) += sign * c[i - 1] / (840 * h) * s_at(there);
      }
    way[k] = 0;
    for (const double sign : {0.5, -0.5}) {
      moved = v;
      moved[k] += 2 * sign;
      system.set(system.at().t, q, moved);
      system.constraint_bias(bias);
      s_dv.col(k) += sign * bias;
    }
  }
  const auto solve_all = [&](const Eigen::MatrixXd& r, const Eigen::MatrixXd& s, Matrix& a,
                             Matrix& lambda) {
    a.resize(n, n), lambda.resize(m, n);
    Vector x(n), y(m);
    system.set(system.at().t, q, v);
    for (int k = 0; k < n; ++k) {
      const Vector b = -r.col(k), g = -s.col(k);
      system.solve(b, g, x, y);
      a.col(k) = x, lambda.col(k) = y;
    }
  };
  solve_all(r_dq, s_dq, out.dq, out.lambda_dq);
  solve_all(r_dv, s_dv, out.dv, out.lambda_dv);
  solve_all(-Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Zero(m, n), out.dtau,
            out.lambda_dtau);
  return out;
}

}  // namespace chasles
