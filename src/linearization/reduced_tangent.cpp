#include "linearization/reduced_tangent.hpp"

#include <cmath>

#include "chasles/systems/mechanism_state.hpp"
#include "math/central_difference.hpp"
#include "math/decompositions.hpp"
#include "model/coordinate_name.hpp"

namespace chasles {
namespace {

void require_finite(const char* what, ConstVectorRef x, const auto& name) {
  for (Eigen::Index k = 0; k < x.size(); ++k)
    if (!std::isfinite(x[k]))
      throw Error(std::string(what) + " of " + name(static_cast<int>(k)) + " is " + to_text(x[k]) +
                  "; give a finite number");
}

}  // namespace

const Model* model_of(MechanicalSystem& system) {
  const MechanismState* mechanism = system.mechanism();
  return mechanism != nullptr ? &mechanism->model() : nullptr;
}
std::string entry_name(MechanicalSystem& system, Eigen::Index k) {
  const Model* model = model_of(system);
  return model != nullptr ? coordinate_name(*model, static_cast<int>(k))
                          : "entry " + std::to_string(k) + " of v";
}

Eigen::MatrixXd bound_rows(MechanicalSystem& system, std::span<const int> held, bool positions) {
  const Eigen::Index n = system.nv();
  Eigen::MatrixXd rows(0, n);
  if (system.constraint_count() > 0) {
    Matrix B, U;
    system.constraint_matrix(B);
    system.independent_equations(U);
    require_regular(system);
    // Combinations are within one block, and a block constrains either positions or velocities.
    const Eigen::Index last = system.position_constraint_count();
    std::vector<Eigen::Index> kept;
    for (Eigen::Index k = 0; k < U.cols(); ++k)
      if (!positions || last == U.rows() ||
          U.col(k).tail(U.rows() - last).lpNorm<Eigen::Infinity>() == 0)
        kept.push_back(k);
    rows = U(Eigen::all, kept).transpose() * B;
  }
  // Fixed coordinates are added one by one: constraints may couple them.
  if (held.empty()) return rows;
  Eigen::MatrixXd basis(n, 0);
  if (rows.rows() > 0) basis = orthonormal_columns(rows.transpose());
  for (const int k : held) {
    if (k < 0 || k >= n)
      throw Error("v has no entry " + std::to_string(k) + " that could be held; it has " +
                  std::to_string(n));
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(n, k);
    Eigen::VectorXd left = unit - basis * (basis.transpose() * unit);
    left -= basis * (basis.transpose() * left);
    if (!(left.norm() > 1e-9)) continue;
    basis.conservativeResize(n, basis.cols() + 1);
    basis.rightCols(1) = left.normalized();
    rows.conservativeResize(rows.rows() + 1, n);
    rows.bottomRows(1) = unit.transpose();
  }
  return rows;
}

ReducedTangent::ReducedTangent(MechanicalSystem& system, double t, ConstVectorRef q,
                               ConstVectorRef v, const CoordinateChoice& choice)
    : a(system.nv()), stiffness(0), force(0) {
  require_size("q", q, system.nq());
  require_size("v", v, system.nv());
  const Model* model = model_of(system);
  require_finite("q", q, [&](int k) {
    return model != nullptr ? position_name(*model, k) : "entry " + std::to_string(k) + " of q";
  });
  require_finite("v", v, [&](int k) { return entry_name(system, k); });
  Vector velocity(v.size());
  system.rates(t, q, v, velocity, a);
  const Vector lambda = system.multipliers();
  MechanicalSystem::Tangent tangent;
  system.tangent(a, tangent);
  for (Eigen::Index k = 0; k < tangent.K.cols(); ++k)
    if (!tangent.K.col(k).allFinite() || !tangent.D.col(k).allFinite())
      throw Error("the derivatives of the forces by " + entry_name(system, k) +
                  " are not finite at this state; look at the forces there");
  if (system.constraint_count() > 0) {
    Matrix S;
    system.constraint_stiffness(lambda, S);
    tangent.K += S;
  }
  v_free = FreeMotions(bound_rows(system, choice.held, false), model, choice.independent);
  q_free = system.position_constraint_count() == system.constraint_count()
               ? v_free
               : FreeMotions(bound_rows(system, choice.held, true), model);
  Vector f(v.size());
  system.force(f);
  if (f.size() > 0) force = f.cwiseAbs().maxCoeff();
  const Eigen::MatrixXd &N = v_free.N(), &N_q = q_free.N();
  if (N.rows() == N.cols() && N.isIdentity(0)) {  // unconstrained
    T.setZero(N.rows(), N.rows());
    M_r = tangent.M, D_r = tangent.D, K_r = tangent.K;
    if (K_r.size() > 0) stiffness = K_r.cwiseAbs().maxCoeff();
    return;
  }
  Eigen::MatrixXd P, Q;
  find_rates(system, P, Q);
  M_r = N.transpose() * tangent.M * N;
  D_r = N.transpose() * (tangent.D * N + tangent.M * Q);
  K_r = N.transpose() * tangent.K * N_q;
  if (K_r.size() > 0) stiffness = K_r.cwiseAbs().maxCoeff();
  K_r += N.transpose() * (tangent.D * T + tangent.M * P);
}

/// T, P and Q of (3), by differences; Bd v is a quadratic form in v, so that Q is exact.
void ReducedTangent::find_rates(MechanicalSystem& system, Eigen::MatrixXd& P, Eigen::MatrixXd& Q) {
  const Eigen::Index n = a.size();
  const Eigen::MatrixXd &N = v_free.N(), &N_q = q_free.N();
  T.setZero(n, N_q.cols()), P.setZero(n, N_q.cols()), Q.setZero(n, N.cols());
  const Eigen::Index m = system.constraint_count();
  if (m == 0) return;
  const State here = system.at();
  const bool moving = here.v.cwiseAbs().maxCoeff() > 0;
  Matrix U;
  system.independent_equations(U);
  // Rows of fixed coordinates are constant.
  const Eigen::Index equations = n - N.cols();
  const auto combined = [&](const Vector& x) {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(equations);
    out.head(U.cols()) = U.transpose() * x;
    return out;
  };
  Vector out(m), bias(m), there(here.q.size()), way(n), rate(n);
  const auto move = [&](const Eigen::VectorXd& e, const Eigen::VectorXd& dv) {
    way = e, rate = here.v + dv;
    system.group().plus(here.q, way, there);
    system.set(here.t, there, rate);
  };
  const auto acceleration_level = [&] {  // B a + Bd v
    system.constraint_times(a, out);
    system.constraint_bias(bias);
    out += bias;
    return combined(out);
  };
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < N_q.cols(); ++k) {
    const Eigen::VectorXd e = N_q.col(k);
    if (moving)
      T.col(k) = -v_free.follow(central_difference([&](double s) {
        move(s * e, still);
        system.constraint_rate(out);
        return combined(out);
      }));
    const Eigen::VectorXd dv = T.col(k);
    P.col(k) = -v_free.follow(central_difference([&](double s) {
      move(s * e, s * dv);
      return acceleration_level();
    }));
  }
  for (Eigen::Index k = 0; moving && k < N.cols(); ++k) {
    move(still, N.col(k));
    const Eigen::VectorXd plus = acceleration_level();
    move(still, -N.col(k));
    Q.col(k) = -v_free.follow(0.5 * (plus - acceleration_level()));
  }
  system.set(here);
}

}  // namespace chasles
