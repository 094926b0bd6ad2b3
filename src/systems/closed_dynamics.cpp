#include "chasles/systems/closed_dynamics.hpp"

#include <cmath>

#include "chasles/derivatives/inverse_dynamics.hpp"
#include "math/central_difference.hpp"
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

namespace {

/// The derivatives of s = B a + Bd v by q and v; leaves the system at another state.
void acceleration_rows(ConstrainedSystem& system, const Vector& q, const Vector& v, const Vector& a,
                       Eigen::MatrixXd& s_dq, Eigen::MatrixXd& s_dv) {
  const int n = system.nv(), m = system.constraint_count();
  const double t = system.at().t;
  Vector rate(m), bias(m), there(system.nq()), way(n), moved(n);
  s_dq.setZero(m, n), s_dv.setZero(m, n);
  for (int k = 0; k < n && m > 0; ++k) {
    s_dq.col(k) = central_difference([&](double x) {
      way.setZero();
      way[k] = x;
      system.group().plus(q, way, there);
      system.set(t, there, v);
      system.constraint_times(a, rate);
      system.constraint_bias(bias);
      return Eigen::VectorXd(rate + bias);
    });
    for (const double sign : {0.5, -0.5}) {
      moved = v;
      moved[k] += 2 * sign;
      system.set(t, q, moved);
      system.constraint_bias(bias);
      s_dv.col(k) += sign * bias;
    }
  }
}

}  // namespace

ClosedForwardDerivatives closed_forward_derivatives(ConstrainedSystem& system, ConstVectorRef at_q,
                                                    ConstVectorRef at_v, ConstVectorRef tau,
                                                    AppliedWrenches applied) {
  const Vector q = at_q, v = at_v;  // may be those of the system, which moves
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

  Eigen::MatrixXd s_dq, s_dv;
  acceleration_rows(system, q, v, out.a, s_dq, s_dv);
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

ClosedForwardDerivatives closed_forward_derivatives_along(ConstrainedSystem& system,
                                                          ConstVectorRef at_q, ConstVectorRef at_v,
                                                          ConstVectorRef tau,
                                                          const Direction& direction) {
  const Vector q = at_q, v = at_v;
  const Model& model = system.model();
  const int n = model.nv(), m = system.constraint_count();
  const double t = system.at().t;
  const auto part = [n](const char* name, const Vector& given) {
    if (given.size() > 0) require_size(name, given, n);
    return given.size() > 0 ? given : Vector(n);
  };
  const Vector dq = part("direction.dq", direction.dq), dv = part("direction.dv", direction.dv),
               du = part("direction.du", direction.du);
  const ClosedForwardDerivatives first = closed_forward_derivatives(system, q, v, tau);
  ClosedForwardDerivatives out;
  out.a = first.dq * dq + first.dv * dv + first.dtau * du;
  out.lambda = first.lambda_dq * dq + first.lambda_dv * dv + first.lambda_dtau * du;

  DirectionalDerivatives tree(model);
  d_inverse_dynamics_along(model, q, v, first.a, {dq, dv, out.a}, tree);
  // B, S, s_q and s_v along the direction.
  const Eigen::Index nn = n, mm = m, all = mm * nn + nn * nn + 2 * mm * nn;
  Matrix S(n, n), B;
  const double size = std::max(dq.cwiseAbs().maxCoeff(), dv.cwiseAbs().maxCoeff());
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(all);
  if (m > 0 && size > 0)
    rates = size * central_difference([&](double x) {
              const Vector way = x / size * dq, v_there = v + x / size * dv;
              Vector there(model.nq());
              plus(model, q, way, there);
              system.set(t, there, v_there);
              system.constraint_matrix(B);
              system.constraint_stiffness(first.lambda, S);
              Eigen::MatrixXd s_dq, s_dv;
              acceleration_rows(system, there, v_there, first.a, s_dq, s_dv);
              Eigen::VectorXd list(all);
              list << Eigen::MatrixXd(B).reshaped(), Eigen::MatrixXd(S).reshaped(), s_dq.reshaped(),
                  s_dv.reshaped();
              return list;
            });
  const auto piece = [&](Eigen::Index from, Eigen::Index rows) {
    return Eigen::MatrixXd(rates.segment(from, rows * nn).reshaped(rows, nn));
  };
  const Eigen::MatrixXd B_rate = piece(0, mm), s_dv = piece(2 * mm * nn + nn * nn, mm);
  // s is linear in a: the part of the changing acceleration is not differenced, since it may be large.
  Eigen::MatrixXd of_a, of_none, not_used;
  acceleration_rows(system, q, v, out.a, of_a, not_used);
  acceleration_rows(system, q, v, Vector(n), of_none, not_used);
  const Eigen::MatrixXd s_dq = piece(mm * nn + nn * nn, mm) + of_a - of_none;
  Eigen::MatrixXd S_rate = piece(mm * nn, nn);
  system.set(t, q, v);
  if (m > 0) {
    system.constraint_stiffness(out.lambda, S);
    S_rate += S;
  }
  const auto solve_all = [&](const Eigen::MatrixXd& r, const Eigen::MatrixXd& s, const Matrix& a,
                             const Matrix& lambda, Matrix& a_rate, Matrix& lambda_rate) {
    const Eigen::MatrixXd right = r + tree.du() * a + B_rate.transpose() * lambda,
                          below = s + B_rate * a;
    a_rate.resize(n, n), lambda_rate.resize(m, n);
    Vector x(n), y(m);
    for (int k = 0; k < n; ++k) {
      const Vector b = -right.col(k), g = -below.col(k);
      system.solve(b, g, x, y);
      a_rate.col(k) = x, lambda_rate.col(k) = y;
    }
  };
  solve_all(tree.dq() + S_rate, s_dq, first.dq, first.lambda_dq, out.dq, out.lambda_dq);
  solve_all(tree.dv(), s_dv, first.dv, first.lambda_dv, out.dv, out.lambda_dv);
  solve_all(Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(m, n), first.dtau, first.lambda_dtau,
            out.dtau, out.lambda_dtau);
  return out;
}

}  // namespace chasles
