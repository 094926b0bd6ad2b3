#include "chasles/constraints/constrained_system.hpp"

#include "chasles/dynamics/mass_matrix.hpp"
#include "constraints/elimination.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Rows with pivots below the first nearly depend on each other: they get the second on the diagonal of
/// L, and corrections take back what that changes, but of rows that do depend on each other.
constexpr double doubtful = 1e-6, proximal = 1e-10;
/// Below this, rates are taken where the motion is, not where the stage of a method is.
constexpr double singular_nearby = 0.02;
/// Below this, as limits; and states are left where they are, since rounding would move them.
constexpr double singular_here = 1e-6;

int count_below(const std::vector<int>& rows, int bound) {
  return static_cast<int>(
      std::count_if(rows.begin(), rows.end(), [&](int r) { return r < bound; }));
}

/// Blocks that keep their independent rows and no others.
Elimination::Blocks independent_blocks(const Constraints& constraints,
                                       const MobilityReport& mobility) {
  Elimination::Blocks blocks = mobility.blocks;
  std::size_t k = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const ConstraintBlock& of = constraints.blocks()[b];
    blocks[b].kept.setZero(of.rows, blocks[b].rank);
    for (int j = 0; j < blocks[b].rank; ++j)
      blocks[b].kept(mobility.independent_rows[k++] - of.first, j) = 1;
  }
  return blocks;
}

}  // namespace

/// (2) of mechanical_system.hpp as one matrix, for bodies without mass that constraints hold.
struct ConstrainedSystem::Dense {
  MassMatrix mass;
  Matrix B;
  Eigen::MatrixXd A;
  Eigen::VectorXd b, scale;
  FullyPivotedLu lu;
  explicit Dense(const Model& model) : mass(model) {}
};

ConstrainedSystem::ConstrainedSystem(const Model& model, const ConstraintOptions& options,
                                     const Vector& near, const std::vector<bool>& kept)
    : tree_(model),
      constraints_(model, options),
      assembled_(assemble(constraints_, near.size() == 0 ? model.neutral() : near, kept)),
      mobility_(analyse(constraints_, assembled_)),
      position_rows_(count_below(mobility_.independent_rows, constraints_.position_rows())),
      kin_(model),
      moving_(model),
      elimination_(Hidden<Elimination>::make(constraints_, mobility_.blocks)),
      chosen_(Hidden<Elimination>::make(constraints_, independent_blocks(constraints_, mobility_))),
      independent_are_kept_(rows_are_kept()),
      dense_(Hidden<Dense>::make(model)),
      all_(constraints_.rows()),
      all_lambda_(constraints_.rows()),
      inverse_(model),
      a_(model.nv()),
      still_(model.nv()),
      step_(model.nv()),
      more_(model.nv()),
      q_(model.nq()) {
  rates_multipliers().setZero(rows());
  for (Vector* x : {&c_all_, &change_all_, &more_all_, &scratch_all_})
    x->setZero(constraints_.rows());
  // What pivots are like, should it begin where rows depend on each other.
  std::vector<Vector> usual = mobility_.nearby;
  if (usual.empty()) usual.push_back(assembled_);
  for (const Vector& q : usual) try {
      elimination_->calibrate(positions_at(q), constraints_);
    } catch (const SingularError&) {  // where M is singular
    }
}

/// Whether V of all blocks has the columns of unit vectors of the independent rows, and no U.
bool ConstrainedSystem::rows_are_kept() const {
  std::size_t k = 0;
  for (std::size_t b = 0; b < mobility_.blocks.size(); ++b) {
    const MobilityReport::Block& block = mobility_.blocks[b];
    if (block.rank < block.kept.cols()) return false;
    for (int j = 0; j < block.rank; ++j, ++k)
      if (block.kept(mobility_.independent_rows[k] - constraints_.blocks()[b].first, j) != 1)
        return false;
  }
  return true;
}
void ConstrainedSystem::pick(ConstVectorRef all, VectorRef some) const {
  for (int k = 0; k < rows(); ++k)
    some[k] = all[mobility_.independent_rows[static_cast<std::size_t>(k)]];
}

/// Multipliers of the independent rows among all, zero for the others.
void ConstrainedSystem::spread(ConstVectorRef lambda, Vector& all) const {
  require_size("lambda", lambda, rows());
  all.setZero();
  for (int k = 0; k < rows(); ++k)
    all[mobility_.independent_rows[static_cast<std::size_t>(k)]] = lambda[k];
}

/// Poses at q, where the constraints are then as well.
const PositionKinematics& ConstrainedSystem::positions_at(ConstVectorRef q) {
  require_size("q", q, nq());
  const PositionKinematics* kin = &kin_;
  if (moving_.q() == q)
    kin = &static_cast<const PositionKinematics&>(moving_);
  else if (kin_.q() != q)
    positions(model(), q, kin_);
  constraints_.update(*kin);
  return *kin;
}
/// moving_ at q and v, with v' = 0.
void ConstrainedSystem::move_at(ConstVectorRef q, ConstVectorRef v) {
  accelerations(model(), q, v, still_, moving_);
  constraints_.update(moving_);
}

bool ConstrainedSystem::is_factored_at(ConstVectorRef q) const {
  return is_factored_ && factored_at_ == q;
}
/// The factors of (2), unless they are there already.
void ConstrainedSystem::factorize_at(ConstVectorRef q) {
  if (is_factored_at(q)) return;
  is_factored_ = false;
  independence_ = 1;
  const PositionKinematics& kin = positions_at(q);
  try {
    elimination_->factorize(kin, constraints_);
    end_factors(kin);
  } catch (const SingularError&) {
    if (!factorize_dense(q)) throw;
  }
}
/// Rows that nearly depend on each other are factored again.
void ConstrainedSystem::end_factors(const PositionKinematics& kin) {
  is_dense_ = false;
  independence_ = elimination_->least_pivot();
  if (independence_ < doubtful) elimination_->factorize(kin, constraints_, proximal);
  factored_at_ = kin.q();
  is_factored_ = true;
}
/// False if (2) is singular, not M alone.
bool ConstrainedSystem::factorize_dense(ConstVectorRef q) {
  Dense& d = *dense_;
  const int n = nv(), m = rows();
  constraint_matrix(q, d.B);
  d.A.setZero(n + m, n + m);
  d.A.topLeftCorner(n, n) = chasles::mass_matrix(model(), q, d.mass);
  d.A.bottomLeftCorner(m, n) = d.B;
  d.A.topRightCorner(n, m) = d.B.transpose();
  // Joints of very different masses weigh the same.
  d.scale = d.A.cwiseAbs().rowwise().maxCoeff().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  d.A = d.scale.asDiagonal() * d.A * d.scale.asDiagonal();
  d.lu.compute(d.A, 1e-13);
  is_dense_ = true;
  independence_ = 1;
  factored_at_ = q;
  return is_factored_ = d.lu.is_invertible();
}

/// Whether one solution of (2) is all that it takes.
bool ConstrainedSystem::is_regular() const { return !is_dense_ && independence_ >= doubtful; }

/// c and lambda of all rows.
void ConstrainedSystem::solve_once(ConstVectorRef b, ConstVectorRef c, VectorRef x,
                                   VectorRef lambda) {
  if (!is_dense_) return elimination_->solve(b, c, x, lambda);
  Dense& d = *dense_;
  const int m = rows();
  d.b.resize(b.size() + m);
  d.b.head(b.size()) = b;
  pick(c, d.b.tail(m));
  d.b = d.scale.cwiseProduct(d.b);
  d.b = d.scale.cwiseProduct(d.lu.solve(d.b));
  x = d.b.head(b.size());
  lambda.setZero();
  for (int k = 0; k < m; ++k)
    lambda[mobility_.independent_rows[static_cast<std::size_t>(k)]] = d.b[b.size() + k];
}

void ConstrainedSystem::solve_all(ConstVectorRef q, ConstVectorRef b, ConstVectorRef c, VectorRef x,
                                  VectorRef lambda) {
  factorize_at(q);
  solve_once(b, c, x, lambda);
  if (rows() == 0 || !(independence_ < doubtful)) return;
  // M x + B^T lambda = b holds; what B x lacks is added.
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 4; ++k) {
    move_at(q, x);
    constraints_.rate(moving_, change_all_);
    change_all_ = c - change_all_;
    const double gap = gap_of(change_all_);
    if (!(gap < last) || gap <= 8 * epsilon * (x.norm() + c.norm())) return;
    last = gap;
    solve_once(still_, change_all_, more_, more_all_);
    x += more_;
    lambda += more_all_;
  }
}
/// The largest entry by the constraints of the last factorization.
double ConstrainedSystem::gap_of(ConstVectorRef Phi) const {
  if (!is_dense_) return elimination_->largest(Phi);
  double gap = 0;
  for (const int row : mobility_.independent_rows)
    if (!(std::abs(Phi[row]) <= gap) && !std::isnan(gap)) gap = std::abs(Phi[row]);
  return gap;
}

void ConstrainedSystem::solve(ConstVectorRef q, ConstVectorRef b, ConstVectorRef c, VectorRef x,
                              VectorRef lambda) {
  require_size("q", q, nq());
  require_size("b", b, nv());
  require_size("c", c, rows());
  require_size("x", x, nv());
  require_size("lambda", lambda, rows());
  factorize_at(q);
  spread(c, c_all_);
  if (is_dense_ || independent_are_kept_) {
    solve_all(q, b, c_all_, x, scratch_all_);
  } else {
    const PositionKinematics& kin = positions_at(q);
    chosen_->factorize(kin, constraints_);
    if (chosen_->least_pivot() < doubtful) chosen_->factorize(kin, constraints_, proximal);
    chosen_->solve(b, c_all_, x, scratch_all_);
  }
  pick(scratch_all_, lambda);
}

/// M x + B^T lambda = B_all^T lambda_all with B x = 0: x = 0.
void ConstrainedSystem::independent_multipliers(ConstVectorRef q, VectorRef lambda) {
  if (is_dense_ || independent_are_kept_) return pick(all_lambda_, lambda);
  constraints_.force(positions_at(q), all_lambda_, step_);
  zero_.setZero(rows());
  solve(q, step_, zero_, more_, lambda);
}

/// Off Phi = 0, accelerations grow without bound towards a singular configuration; on it they do not.
/// At the configuration itself they are limits: of the motion through it, from both sides.
void ConstrainedSystem::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                              VectorRef v_dot) {
  move_at(q, v);
  bool done = false;
  if (baumgarte() == Baumgarte{}) {
    const JointForces& acting = tree_.forces(t, moving_);
    done = accelerate(acting.wrenches, acting.tau, v_dot, all_lambda_);
  } else {
    factorize_at(q);
  }
  if (rows() > 0 && independence_ < singular_nearby) {
    on_it_.t = t, on_it_.q = q, on_it_.v = v;
    try {
      project(on_it_);
      factorize_at(on_it_.q);
      if (!(independence_ < singular_here && across_singularity(t, v_dot)))
        rates_by_solution(t, on_it_.q, on_it_.v, v_dot);
      done = true;
    } catch (const Error&) {  // a stage that is too far away
      done = false;
    }
  }
  if (!done) rates_by_solution(t, q, v, v_dot);
  velocity = v;
  independent_multipliers(factored_at_, rates_multipliers());
}
/// (2) of mechanical_system.hpp with all rows; multipliers to all_lambda_.
void ConstrainedSystem::rates_by_solution(double t, ConstVectorRef q, ConstVectorRef v,
                                          VectorRef v_dot) {
  force(t, q, v, step_);
  move_at(q, v);
  constraints_.bias(moving_, all_);
  c_all_ = -all_;
  if (const Baumgarte& to = baumgarte(); to != Baumgarte{}) {
    constraints_.rate(moving_, all_);
    c_all_ -= 2 * to.alpha * all_;
    constraints_.residual(moving_, all_);
    c_all_ -= to.beta * to.beta * all_;
  }
  solve_all(q, step_, c_all_, v_dot, all_lambda_);
}

/// (2) of mechanical_system.hpp where moving_ is, together with its factors if they are not there. False
/// if one solution is not all that it takes.
bool ConstrainedSystem::accelerate(AppliedWrenches applied, ConstVectorRef tau, VectorRef v_dot,
                                   VectorRef lambda) {
  constraints_.bias(moving_, all_);
  all_ = -all_;
  if (is_factored_at(moving_.q())) {
    if (is_regular()) elimination_->accelerate(moving_, applied, tau, all_, v_dot, lambda);
    return is_regular();
  }
  is_factored_ = false;
  independence_ = 1;
  try {
    elimination_->accelerate_anew(moving_, constraints_, applied, tau, all_, v_dot, lambda);
    end_factors(moving_);
  } catch (const SingularError&) {
    if (!factorize_dense(moving_.q())) throw;
  }
  return is_regular();
}

/// v' and the multipliers at on_it_ by interpolation of order 8 between states a little further along
/// its velocity and back. False if it stands still.
bool ConstrainedSystem::across_singularity(double t, VectorRef v_dot) {
  constexpr double weights[] = {56.0 / 70, -28.0 / 70, 8.0 / 70, -1.0 / 70};
  const double fastest = on_it_.v.lpNorm<Eigen::Infinity>();
  if (!(fastest > 1e-3)) return false;
  const double step = 5e-3 / fastest;  // [s], in which the fastest goes 5e-3 rad or m
  const State here = on_it_;
  Vector sum = Vector::Zero(nv()), lambda = Vector::Zero(constraints_.rows()), rate(nv());
  State there = here;
  for (int k = 1; k <= 4; ++k)
    for (const double sign : {1.0, -1.0}) {
      const Vector way = sign * k * step * here.v;
      group().plus(here.q, way, there.q);
      there.v = here.v;
      project(there);
      rates_by_solution(t, there.q, there.v, rate);
      sum += weights[k - 1] * rate;
      lambda += weights[k - 1] * all_lambda_;
    }
  v_dot = sum;
  all_lambda_ = lambda;
  return true;
}

void ConstrainedSystem::mass_times(ConstVectorRef q, ConstVectorRef x, VectorRef out) {
  if (is_dense_) {
    out = chasles::mass_matrix(model(), q, dense_->mass) * x;
    return;
  }
  tree_.mass_times(q, x, out);
}
void ConstrainedSystem::mass_matrix(ConstVectorRef q, Matrix& M) { tree_.mass_matrix(q, M); }
void ConstrainedSystem::imbalance(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                                  VectorRef out) {
  tree_.imbalance(t, q, v, a, out);
}
void ConstrainedSystem::momentum_rate(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  tree_.momentum_rate(t, q, v, out);
}
void ConstrainedSystem::prepare(Tangent& out) {
  MechanicalSystem::prepare(out);
  tree_.prepare(out);
}
void ConstrainedSystem::force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  tree_.force(t, q, v, out);
}
void ConstrainedSystem::tangent(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                                Tangent& out) {
  tree_.tangent(t, q, v, a, out);
}

void ConstrainedSystem::residual(ConstVectorRef q, VectorRef Phi) {
  constraints_.residual(positions_at(q), all_);
  pick(all_, Phi);
}
void ConstrainedSystem::constraint_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  move_at(q, v);
  constraints_.rate(moving_, all_);
  pick(all_, out);
}
void ConstrainedSystem::constraint_bias(ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  move_at(q, v);
  constraints_.bias(moving_, all_);
  pick(all_, out);
}
void ConstrainedSystem::constraint_force(ConstVectorRef q, ConstVectorRef lambda, VectorRef out) {
  const PositionKinematics& kin = positions_at(q);
  spread(lambda, all_);
  constraints_.force(kin, all_, out);
}
void ConstrainedSystem::constraint_matrix(ConstVectorRef q, Matrix& B) {
  Matrix all;
  constraints_.matrix(positions_at(q), all);
  B.resize(rows(), nv());
  for (int k = 0; k < rows(); ++k)
    B.row(k) = all.row(mobility_.independent_rows[static_cast<std::size_t>(k)]);
}

const Vector& ConstrainedSystem::forward_dynamics(ConstVectorRef q, ConstVectorRef v,
                                                  ConstVectorRef tau, AppliedWrenches applied) {
  require_size("tau", tau, nv());
  move_at(q, v);
  if (accelerate(applied, tau, a_, all_lambda_)) return a_;
  step_ = tau - inverse_dynamics(model(), q, v, still_, inverse_, applied);
  constraints_.bias(moving_, all_);
  c_all_ = -all_;
  solve_all(q, step_, c_all_, a_, all_lambda_);
  return a_;
}

void ConstrainedSystem::constraint_forces(ConstVectorRef q, JointForces& out) {
  constraints_.forces(positions_at(q), multipliers_of_all(), out.wrenches, out.tau);
}

double ConstrainedSystem::violation(ConstVectorRef q) {
  if (constraints_.rows() == 0) return 0;
  constraints_.residual(positions_at(q), all_);
  return all_.lpNorm<Eigen::Infinity>();
}
double ConstrainedSystem::velocity_violation(ConstVectorRef q, ConstVectorRef v) {
  if (constraints_.rows() == 0) return 0;
  move_at(q, v);
  constraints_.rate(moving_, all_);
  return all_.lpNorm<Eigen::Infinity>();
}

void ConstrainedSystem::project(State& state) {
  group().normalize(state.q);
  if (rows() == 0) return;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 30; ++k) {
    factorize_at(state.q);
    constraints_.residual(positions_at(state.q), all_);
    const double gap = gap_of(all_);
    if (!(gap > 1e-15) || (gap <= 1e-12 && !(gap < 0.25 * last))) break;
    if (gap <= 1e-12 && independence_ < singular_here) return;
    if (k > 4 && !(gap < last)) {
      Eigen::Index worst = 0;
      all_.cwiseAbs().maxCoeff(&worst);
      throw Error(constraints_.block_of(static_cast<int>(worst)).text() +
                  " cannot be met near this configuration: " + to_short_text(gap) +
                  " is left of it");
    }
    last = gap;
    c_all_ = -all_;
    solve_all(state.q, still_, c_all_, step_, scratch_all_);
    group().plus(state.q, step_, q_);
    state.q = q_;
  }
  move_at(state.q, state.v);
  constraints_.rate(moving_, all_);
  c_all_ = -all_;
  solve_all(state.q, still_, c_all_, step_, scratch_all_);
  state.v += step_;
}

}  // namespace chasles
