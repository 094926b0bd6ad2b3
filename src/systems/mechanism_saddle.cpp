/// The KKT system of a MechanismState: factorization, accelerations, projection, and the neighborhood of singular
/// configurations.
#include <cmath>

#include "access.hpp"
#include "chasles/systems/mechanism_state.hpp"
#include "constraints/unit_rows.hpp"
#include "systems/mechanism_factors.hpp"

namespace chasles {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Equations with pivots below `doubtful` are nearly dependent: `proximal` is added to the diagonal of the Delassus
/// matrix, and iterative refinement removes its effect.
constexpr double doubtful = 1e-6, proximal = 1e-10;
/// Pivots below this: accelerations are evaluated on the constraint manifold, not at the stage of the method.
constexpr double singular_nearby = 0.02;
/// Pivots below this: accelerations are limits, and states are not projected, since rounding would move them.
constexpr double singular_here = 1e-6;

}  // namespace

/// Factorizes the KKT matrix, unless the factors are up to date.
void MechanismState::factorize() {
  if (factored_) return;
  reciprocal_condition_ = 1;
  if (detail::Access::parts(constraints_).follows) update_constraints();
  try {
    factors_->eliminate([&](KktFactorization& by) { by.factorize(at().q, constraints_); });
    end_factors();
  } catch (const SingularError&) {
    if (!factorize_dense()) throw;
  }
}
/// Factorizes again with regularization if equations are nearly dependent.
void MechanismState::end_factors() {
  factors_->is_dense = false;
  reciprocal_condition_ = factors_->elimination().least_pivot();
  if (reciprocal_condition_ < doubtful)
    factors_->elimination().factorize(at().q, constraints_, proximal);
  factored_ = true;
}
/// False if the KKT matrix is singular, not only M.
bool MechanismState::factorize_dense() {
  DenseSaddle& d = factors_->dense;
  const int n = nv();
  constraint_matrix(d.B);
  mass_matrix(d.M);
  // The rows that are farthest from depending on each other here.
  const int m = std::min(mobility_.rank, n);
  const LeadingRows leading(unit_rows(d.M, d.B), m);
  d.U.setZero(constraint_count(), m);
  for (int k = 0; k < m; ++k) d.U(leading.rows[static_cast<std::size_t>(k)], k) = 1;
  d.A.setZero(n + m, n + m);
  d.A.topLeftCorner(n, n) = d.M;
  d.A.bottomLeftCorner(m, n) = d.U.transpose() * d.B;
  d.A.topRightCorner(n, m) = d.A.bottomLeftCorner(m, n).transpose();
  // Row scaling, for joints of very different masses.
  d.scale = d.A.cwiseAbs().rowwise().maxCoeff().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  d.A = d.scale.asDiagonal() * d.A * d.scale.asDiagonal();
  d.lu.compute(d.A, 1e-13);
  factors_->is_dense = true;
  d.pivot = leading.pivot;
  reciprocal_condition_ = d.usual > 0 ? std::min(1.0, d.pivot / d.usual) : d.pivot;
  return factored_ = d.lu.is_invertible();
}

/// Whether one solution suffices, without refinement.
bool MechanismState::is_regular() const {
  return !factors_->is_dense && reciprocal_condition_ >= doubtful;
}

void MechanismState::solve_once(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  if (!factors_->is_dense) return factors_->elimination().solve(b, c, x, lambda);
  DenseSaddle& d = factors_->dense;
  d.b.resize(b.size() + d.U.cols());
  d.b << b, d.U.transpose() * c;
  d.b = d.scale.cwiseProduct(d.b);
  d.b = d.scale.cwiseProduct(d.lu.solve(d.b));
  x = d.b.head(b.size());
  lambda = d.U * d.b.tail(d.U.cols());
}

void MechanismState::solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  require_size("b", b, nv());
  require_size("c", c, constraint_count());
  require_size("x", x, nv());
  require_size("lambda", lambda, constraint_count());
  factorize();
  solve_once(b, c, x, lambda);
  if (constraint_count() == 0 || !(reciprocal_condition_ < doubtful)) return;
  // M x + B^T lambda = b holds; corrects the residual of B x = c.
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 4; ++k) {
    constraint_times(x, change_);
    change_ = c - change_;
    const double gap = factors_->largest(change_);
    if (!(gap < last) || gap <= 8 * epsilon * (x.norm() + c.norm())) return;
    last = gap;
    solve_once(still_, change_, more_, more_lambda_);
    x += more_;
    lambda += more_lambda_;
  }
}

/// Accelerations; factorizes if the factors are out of date. False if one solution does not suffice.
bool MechanismState::accelerate(AppliedWrenches applied, ConstVectorRef tau, VectorRef v_dot,
                                VectorRef lambda) {
  if (detail::Access::parts(constraints_).follows) {
    constraint_bias(Phi_);
    Phi_ = -Phi_;
  }
  const KktFactorization::Moving here{at().q.data(),
                                      at().v.data(),
                                      tau.data(),
                                      Phi_.data(),
                                      applied.empty() ? nullptr : &position(),
                                      applied,
                                      v_dot.data(),
                                      lambda.data()};
  if (factored_) {
    if (is_regular()) factors_->elimination().accelerate(here);
    return is_regular();
  }
  reciprocal_condition_ = 1;
  try {
    factors_->eliminate([&](KktFactorization& by) { by.accelerate(constraints_, here); });
    end_factors();
  } catch (const SingularError&) {
    if (!factorize_dense()) throw;
  }
  return is_regular();
}

/// Off Phi = 0, accelerations grow without bound towards a singular configuration; on it they do not.
/// At the configuration itself they are limits along the motion through it, from both sides.
void MechanismState::acceleration(VectorRef v_dot) {
  require_size("v_dot", v_dot, nv());
  if (constraint_count() == 0) {
    const JointForces& acting = forces();
    v_dot = chasles::forward_dynamics(model_, at().q, at().v, acting.tau, factors_->forward,
                                      acting.wrenches);
    return;
  }
  bool done = false;
  if (baumgarte() == Baumgarte{}) {
    const JointForces& acting = forces();
    done = accelerate(acting.wrenches, acting.tau, v_dot, lambda());
  } else {
    factorize();
  }
  if (reciprocal_condition_ < singular_nearby) return accelerate_by_projection(v_dot);
  if (!done) MechanicalSystem::acceleration(v_dot);
}

void MechanismState::accelerate_by_projection(VectorRef v_dot) {
  const State here = at();
  const double reciprocal_condition = reciprocal_condition_;
  State on_it = here;
  try {
    project(on_it);
    set(on_it);
    factorize();
    if (!(reciprocal_condition_ < singular_here && across_singularity(on_it, v_dot))) {
      set(on_it);
      MechanicalSystem::acceleration(v_dot);
    }
    set(here);
  } catch (const StateError&) {  // a stage that is too far away
    set(here);
    MechanicalSystem::acceleration(v_dot);
  }
  reciprocal_condition_ = reciprocal_condition;
}

/// v' and the multipliers by interpolation of order 8 between states slightly ahead and behind along the velocity.
/// False if the mechanism stands still.
bool MechanismState::across_singularity(const State& here, VectorRef v_dot) {
  constexpr double weights[] = {56.0 / 70, -28.0 / 70, 8.0 / 70, -1.0 / 70};
  const double fastest = here.v.lpNorm<Eigen::Infinity>();
  if (!(fastest > 1e-3)) return false;
  const double step = 5e-3 / fastest;  // [s], in which the fastest coordinate moves 5e-3 rad or m
  Vector sum = Vector::Zero(nv()), multipliers_sum = Vector::Zero(constraint_count()), rate(nv()),
         way(nv());
  State there = here;
  for (int k = 1; k <= 4; ++k)
    for (const double sign : {1.0, -1.0}) {
      way = sign * k * step * here.v;
      group().plus(here.q, way, there.q);
      there.v = here.v;
      // Constraints with time hold at those configurations at another time.
      if (constraints_.depends_on_time()) there.t = here.t + sign * k * step;
      project(there);
      set(there.t, there.q, there.v);
      MechanicalSystem::acceleration(rate);
      sum += weights[k - 1] * rate;
      multipliers_sum += weights[k - 1] * multipliers();
    }
  v_dot = sum;
  lambda() = multipliers_sum;
  return true;
}

const Vector& MechanismState::forward_dynamics(ConstVectorRef tau, AppliedWrenches applied) {
  require_size("tau", tau, nv());
  if (constraint_count() == 0)
    return a_ = chasles::forward_dynamics(model_, at().q, at().v, tau, factors_->forward, applied);
  if (accelerate(applied, tau, a_, lambda())) return a_;
  factors_->newton_euler(bias(), applied);
  factors_->project_on_joints(bias(), step_);
  step_ = tau - step_;
  constraint_bias(Phi_);
  Phi_ = -Phi_;
  solve(step_, Phi_, a_, lambda());
  return a_;
}

void MechanismState::project(State& state) {
  require_size("q", state.q, nq());
  require_size("v", state.v, nv());
  group().normalize(state.q);
  set(state);
  if (constraint_count() == 0) return;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 30; ++k) {
    factorize();
    constraint_error(Phi_);
    const double gap = factors_->largest(Phi_);
    if (!(gap > 1e-15) || (gap <= 1e-12 && !(gap < 0.25 * last))) break;
    if (gap <= 1e-12 && reciprocal_condition_ < singular_here) return;
    if (k > 4 && !(gap < last)) {
      if (gap <= 1e-11 && reciprocal_condition_ < singular_here) return;  // to rounding
      Eigen::Index worst = 0;
      Phi_.cwiseAbs().maxCoeff(&worst);
      throw StateError(constraints_.block_of(static_cast<int>(worst)).text() +
                       " cannot be met near this configuration: " + to_short_text(gap) +
                       " is left of it");
    }
    last = gap;
    Phi_ = -Phi_;
    solve(still_, Phi_, step_, lambda_);
    group().plus(state.q, step_, q_);
    state.q = q_;
    set(state);
  }
  constraint_rate(Phi_);
  Phi_ = -Phi_;
  solve(still_, Phi_, step_, lambda_);
  state.v += step_;
  set(state);
}

}  // namespace chasles
