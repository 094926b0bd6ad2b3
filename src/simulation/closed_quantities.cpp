#include "simulation/closed_quantities.hpp"

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "math/decompositions.hpp"
#include "model/coordinate_name.hpp"

namespace chasles {
namespace {

/// Relative tolerance for the comparison of forces and of accelerations.
constexpr double agree = 1e-8;

/// Why no joint forces produce the given accelerations; empty if some do.
std::string contradiction(const EvaluationState& m) {
  ConstrainedSystem& closed = *m.closed;
  Vector rate(closed.constraint_count()), bias(closed.constraint_count());
  closed.set(m.t, m.q, m.v);
  closed.constraint_times(m.a, rate);
  closed.constraint_bias(bias);
  const double scale =
      1 + rate.lpNorm<Eigen::Infinity>() + bias.lpNorm<Eigen::Infinity>() + m.a.norm();
  rate += bias;
  Eigen::Index worst = 0;
  const double off = rate.cwiseAbs().maxCoeff(&worst);
  if (off <= agree * scale) return {};
  return "the given a contradicts " +
         closed.constraints().block_of(static_cast<int>(worst)).text() + ": B a + B' v is " +
         to_short_text(off) +
         " there; give accelerations that the constraints permit, or leave a "
         "out for those that tau gives";
}

/// The combinations, among the columns of U, in which drivers have no part; drivers are independent of all else.
Eigen::MatrixXd without_drivers(const Constraints& constraints, const Eigen::MatrixXd& U) {
  std::vector<int> driven;
  for (const ConstraintBlock& block : constraints.blocks())
    for (int k = 0; block.kind == "driver" && k < block.rows; ++k)
      driven.push_back(block.first + k);
  if (driven.empty()) return U;
  return U * orthogonal_complement(U(driven, Eigen::all).transpose()).basis;
}

}  // namespace

ClosedInverse::ClosedInverse(const EvaluationState& moment) : moment_(moment) {
  ConstrainedSystem& closed = *moment.closed;
  closed.set(moment.t, moment.q, moment.v);
  Matrix B, U;
  closed.constraint_matrix(B);
  closed.independent_equations(U);
  require_regular(closed);
  B_ = B, U_ = U;
  U_free_ = moment.actuators.empty() ? U_ : without_drivers(closed.constraints(), U_);
  free_ = FreeMotions(U_free_.transpose() * B_, &moment.model);
}

Vector ClosedInverse::efforts(ConstVectorRef needed) const {
  const Eigen::MatrixXd& N = free_.N();
  const Eigen::VectorXd right = N.transpose() * needed;
  const std::vector<int>& motors =
      moment_.actuators.empty() ? free_.independent() : moment_.actuators;
  Vector out(N.rows());
  if (moment_.actuators.empty()) {
    for (std::size_t k = 0; k < motors.size(); ++k)
      out[motors[k]] = right[static_cast<Eigen::Index>(k)];
    return out;
  }
  const auto count = static_cast<Eigen::Index>(motors.size());
  Eigen::MatrixXd A(N.cols(), count);
  for (Eigen::Index k = 0; k < count; ++k)
    A.col(k) = N.row(motors[static_cast<std::size_t>(k)]).transpose();
  const Eigen::VectorXd tau = solve_least_norm(A, right).x;
  if (const double missing = (A * tau - right).norm(); missing > agree * (1e-3 + needed.norm())) {
    std::string names;
    for (const int k : motors)
      names += (names.empty() ? "" : "; ") + coordinate_name(moment_.model, k);
    throw Error("motors in " + names + " cannot bring about this motion of " +
                std::to_string(N.cols()) + " degrees of freedom: " + to_short_text(missing) +
                " N m or N are missing; name more of them");
  }
  for (Eigen::Index k = 0; k < count; ++k) out[motors[static_cast<std::size_t>(k)]] = tau[k];
  return out;
}

Vector ClosedInverse::multipliers(ConstVectorRef rest) const {
  return U_ * solve_least_norm(B_.transpose() * U_, rest).x;
}

Vector ClosedInverse::caused() const {
  Vector bias(moment_.closed->constraint_count());
  moment_.closed->set(moment_.t, moment_.q, moment_.v);
  moment_.closed->constraint_bias(bias);
  return -free_.follow(U_free_.transpose() * bias);
}

/// With c = needed - S^T tau, N^T c = 0 at all times:
///
///     N^T S^T tau'  = N^T needed'  + N'^T c
///     N^T S^T tau'' = N^T needed'' + 2 N'^T c' + N''^T c                                       (2)
///
/// N along q(s) = q exp(s v + s^2 a / 2), which agrees with the motion to second order; its derivatives by central
/// differences of order 8.
Matrix ClosedInverse::effort_rates(ConstMatrixRef needed) const {
  constexpr double h = 5e-3;
  constexpr double first[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  constexpr double second[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  const EvaluationState& m = moment_;
  EvaluationState there = m;
  const auto N_at = [&](double s) -> Eigen::MatrixXd {
    const Vector way = s * m.v + s * s / 2 * m.a;
    m.closed->group().plus(m.q, way, there.q);
    m.closed->set(m.t, there.q, m.v);
    Matrix B;
    m.closed->constraint_matrix(B);
    return FreeMotions(U_free_.transpose() * B, &m.model, free_.independent()).N();
  };
  const double fastest =
      std::max(m.v.lpNorm<Eigen::Infinity>(), std::sqrt(m.a.lpNorm<Eigen::Infinity>()));
  const double step = h / std::max(fastest, 1.0);
  Eigen::MatrixXd N_1 = Eigen::MatrixXd::Zero(free_.N().rows(), free_.N().cols());
  Eigen::MatrixXd N_2 = -205.0 / 72 / (step * step) * free_.N();
  for (int k = 1; k <= 4; ++k) {
    const Eigen::MatrixXd plus = N_at(k * step), minus = N_at(-k * step);
    N_1 += first[k - 1] / step * (plus - minus);
    N_2 += second[k - 1] / (step * step) * (plus + minus);
  }
  m.closed->set(m.t, m.q, m.v);
  // x with N^T x = right: in the independent coordinates.
  const auto lift = [&](const Eigen::VectorXd& right) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(free_.N().rows());
    for (std::size_t k = 0; k < free_.independent().size(); ++k)
      x[free_.independent()[k]] = right[static_cast<Eigen::Index>(k)];
    return x;
  };
  Matrix out(needed.rows(), needed.cols());
  out.col(0) = efforts(needed.col(0));
  const Eigen::VectorXd c = needed.col(0) - out.col(0);
  out.col(1) = efforts(needed.col(1) + lift(N_1.transpose() * c));
  if (needed.cols() < 3) return out;
  const Eigen::VectorXd c_1 = needed.col(1) - out.col(1);
  out.col(2) = efforts(needed.col(2) + lift(2 * N_1.transpose() * c_1 + N_2.transpose() * c));
  return out;
}

void bind(EvaluationState& m) {
  ConstrainedSystem& closed = *m.closed;
  m.undetermined.clear();
  if (!m.gives_a) {
    m.a = closed.forward_dynamics(m.q, m.v, m.acting.tau, m.acting.wrenches);
    m.multipliers = closed.multipliers();
    closed.constraint_forces(m.binding);
    if (m.actuators.empty()) return;
  }
  try {
    Matrix U;
    closed.set(m.t, m.q, m.v);
    closed.independent_equations(U);  // factorizes, for `reciprocal_condition`
    m.undetermined = contradiction(m);
    if (!m.undetermined.empty()) return;
    InverseDynamics work(m.model);
    const Vector needed = inverse_dynamics(m.model, m.q, m.v, m.a, work, m.acting.wrenches);
    const ClosedInverse inverse(m);
    // A given tau determines the constraint forces, unless motors are named; otherwise the motors produce a.
    Vector rest = m.acting.tau - needed;
    m.multipliers = inverse.multipliers(rest);
    Vector borne(m.model.nv());
    closed.constraint_force(m.multipliers, borne);
    if (!m.gives_tau || !m.actuators.empty() ||
        (borne - rest).norm() > agree * (1e-3 + needed.norm() + rest.norm())) {
      rest = inverse.efforts(needed) - needed;
      m.multipliers = inverse.multipliers(rest);
    }
    closed.constraints().forces(closed.position(), m.multipliers, m.binding.wrenches,
                                m.binding.tau);
  } catch (const Error& error) {
    m.undetermined = error.what();
  }
}

}  // namespace chasles
