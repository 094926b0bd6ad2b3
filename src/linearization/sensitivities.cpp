#include "chasles/linearization/sensitivities.hpp"

#include <cmath>

#include "chasles/suggest.hpp"
#include "integrators/explicit/tableau.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

const Tableau& tableau_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const NamedTableau& row : munthe_kaas_tableaux()) {
    if (row.name == name) return *row.tableau;
    names.push_back(row.name);
  }
  throw Error("sensitivities are those of Munthe-Kaas methods, not of '" + std::string(name) + "'" +
              choices(name, names));
}

}  // namespace

DifferentiableStep::DifferentiableStep(MechanicalSystem& system, std::string_view method)
    : system_(&system), tableau_(&tableau_named(method)) {
  const int n = system.nv();
  stage_.resize(static_cast<std::size_t>(tableau_->stages));
  for (Stage& s : stage_) {
    for (Vector* x : {&s.x, &s.v, &s.K, &s.F}) x->setZero(n);
    s.lambda.setZero(system.constraint_count());
  }
  set_parameters(0, {});
}

void DifferentiableStep::set_parameters(int count, ParameterJacobian jacobian) {
  if (count < 0 || (count > 0 && !jacobian))
    throw Error("parameters: give their number, and a function for the slopes");
  parameters_ = count;
  parameter_jacobian_ = std::move(jacobian);
  const Eigen::Index n = nv();
  dx_.setZero(2 * n, 2 * n), du_.setZero(2 * n, n), dp_.setZero(2 * n, count);
  P_.setZero(n, count);
  for (Stage& s : stage_) {
    s.columns = 3 * n + count;
    s.d_K.setZero(n, s.columns), s.d_F.setZero(n, s.columns);
  }
}

/// (1) for all columns, with e_0 in the first nv: e = Ad_{exp(-x)} e_0 + dexp_{-x} d_x.
void DifferentiableStep::neighbor(ConstVectorRef x, const Matrix& d_x, Matrix& e) const {
  const Group& group = system_->group();
  const Eigen::Index n = x.size();
  Vector in(n), out(n), back = -x;
  for (Eigen::Index k = 0; k < d_x.cols(); ++k) {
    in = d_x.col(k);
    if (k < n) {  // Ad_{exp(-x)} = dexp_{-x} dexp_x^-1
      const Vector unit = Eigen::VectorXd::Unit(n, k);
      group.dexp_inv(back, unit, out);
      in += out;
    }
    group.dexp(x, in, out);
    e.col(k) = out;
  }
}

namespace {

/// The derivative of f(s) at s = 0, by differences of order 8.
template <class F>
Eigen::VectorXd difference_of_order_8(const F& f) {
  constexpr double h = 5e-3;
  constexpr double c[] = {672, -168, 32, -3};
  Eigen::VectorXd sum = c[0] * (f(h) - f(-h));
  for (int i = 2; i <= 4; ++i) sum += c[i - 1] * (f(i * h) - f(-i * h));
  return sum / (840 * h);
}

}  // namespace

/// (4): adds S e to r, and sets ds. Bd v is a quadratic form in v, so that ds/dv is exact; ds/dq is a difference of
/// order 8, accurate to about 1e-11.
void DifferentiableStep::differentiate_constraints(std::size_t i, double t, ConstVectorRef q,
                                                   Matrix& r, Matrix& ds, const Matrix& e,
                                                   const Matrix& d_v) {
  const Eigen::Index n = nv(), m = system_->constraint_count();
  const Stage& s = stage_[i];
  Matrix S(n, n);
  system_->constraint_stiffness(s.lambda, S);
  r += S * e;
  Vector rate(m), bias(m), there(system_->nq()), way(n), v(n);
  const auto acceleration = [&](double along_q, double along_v, Eigen::Index k) {
    way.setZero(), v = s.v;
    way[k] = along_q, v[k] += along_v;
    system_->group().plus(q, way, there);
    system_->set(t, there, v);
    system_->constraint_times(s.F, rate);
    system_->constraint_bias(bias);
    return Eigen::VectorXd(rate + bias);
  };
  Eigen::MatrixXd s_dq(m, n), s_dv(m, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    s_dq.col(k) = difference_of_order_8([&](double x) { return acceleration(x, 0, k); });
    s_dv.col(k) = 0.5 * (acceleration(0, 1, k) - acceleration(0, -1, k));
  }
  ds = s_dq * e + s_dv * d_v;
  system_->set(t, q, s.v);
}

/// Projects a state onto the constraints, and its neighbors with it: the projection of velocities is linear, that of
/// positions and its effect on velocities are differences of order 8 along q.
void DifferentiableStep::project(State& state, Matrix* e, Matrix* d_v) {
  const Eigen::Index n = nv(), m = system_->constraint_count();
  if (m == 0) return;
  const State before = state;
  system_->project(state);
  if (e == nullptr) return;
  Eigen::MatrixXd by_q(2 * n, n), by_v(n, n);
  State near = before;
  Vector way(n), apart(n), momentum(n), x(n), lambda(m), none(m);
  for (Eigen::Index k = 0; k < n; ++k)
    by_q.col(k) = difference_of_order_8([&](double s) {
      way.setZero();
      way[k] = s;
      system_->group().plus(before.q, way, near.q);
      near.v = before.v;
      system_->project(near);
      system_->group().minus(near.q, state.q, apart);
      Eigen::VectorXd both(2 * n);
      both << apart, near.v - state.v;
      return both;
    });
  system_->set(state);
  for (Eigen::Index k = 0; k < n; ++k) {
    way.setZero();
    way[k] = 1;
    system_->mass_times(way, momentum);
    system_->solve(momentum, none, x, lambda);
    by_v.col(k) = x;
  }
  const Eigen::MatrixXd moved = by_q * *e;
  *e = moved.topRows(n);
  *d_v = Eigen::MatrixXd(moved.bottomRows(n) + by_v * *d_v);
}

/// (2) or (4), and (3), for stage i, from those before it.
void DifferentiableStep::differentiate_stage(std::size_t i, double t, double h, ConstVectorRef q) {
  const Eigen::Index n = nv();
  Stage& s = stage_[i];
  Matrix d_x(n, s.columns), d_v(n, s.columns), e(n, s.columns);
  d_v.middleCols(n, n).setIdentity();
  const double* a = tableau_->a.data() + i * (i - 1) / 2;
  for (std::size_t j = 0; j < i; ++j) {
    d_x += h * a[j] * stage_[j].d_K;
    d_v += h * a[j] * stage_[j].d_F;
  }
  neighbor(s.x, d_x, e);
  system_->set(t, q, s.v);
  system_->tangent(s.F, tangent_);
  Matrix r = tangent_.K * e + tangent_.D * d_v;
  r.middleCols(2 * n, n).diagonal().array() -= 1;
  if (parameters_ > 0) {
    parameter_jacobian_(t, q, s.v, s.F, P_);
    r.rightCols(parameters_) += P_;
  }
  if (const Eigen::Index m = system_->constraint_count(); m > 0) {
    Matrix ds(m, s.columns);
    differentiate_constraints(i, t, q, r, ds, e, d_v);
    Vector b(n), c(m), x(n), lambda(m);
    for (Eigen::Index k = 0; k < s.columns; ++k) {
      b = -r.col(k), c = -ds.col(k);
      system_->solve(b, c, x, lambda);
      s.d_F.col(k) = x;
    }
  } else {
    s.d_F = -solve_ldlt_columns(tangent_.M, r);
  }
  Vector in(n), out(n), x_change(n);
  for (Eigen::Index k = 0; k < s.columns; ++k) {
    in = d_v.col(k), x_change = d_x.col(k);
    system_->group().dexp_inv(s.x, in, out);
    s.d_K.col(k) = out;
    system_->group().d_dexp_inv(s.x, x_change, s.v, out);
    s.d_K.col(k) += out;
  }
}

void DifferentiableStep::stages(double h, ConstVectorRef u, const State& state,
                                bool differentiate) {
  require_size("u", u, nv());
  require_size("q", state.q, system_->nq());
  require_size("v", state.v, nv());
  if (!std::isfinite(h)) throw Error("a step must be finite, not " + std::to_string(h));
  Vector q(system_->nq()), f(nv()), bias(system_->constraint_count());
  const double* a = tableau_->a.data();
  for (std::size_t i = 0; i < stage_.size(); ++i) {
    Stage& s = stage_[i];
    s.x.setZero();
    s.v = state.v;
    for (std::size_t j = 0; j < i; ++j) {
      s.x += h * a[j] * stage_[j].K;
      s.v += h * a[j] * stage_[j].F;
    }
    a += i;
    system_->group().plus(state.q, s.x, q);
    const double t = state.t + tableau_->c[i] * h;
    system_->set(t, q, s.v);
    system_->force(f);
    f += u;
    if (bias.size() > 0) {
      system_->constraint_bias(bias);
      bias = -bias;
    }
    system_->solve(f, bias, s.F, s.lambda);
    system_->group().dexp_inv(s.x, s.v, s.K);
    if (differentiate) differentiate_stage(i, t, h, q);
  }
}

void DifferentiableStep::move(double h, ConstVectorRef u, State& state) {
  stages(h, u, state, false);
  Vector x(nv()), q(system_->nq());
  for (std::size_t i = 0; i < stage_.size(); ++i) {
    x += h * tableau_->b[i] * stage_[i].K;
    state.v += h * tableau_->b[i] * stage_[i].F;
  }
  system_->group().plus(state.q, x, q);
  state.q = q;
  state.t += h;
  project(state, nullptr, nullptr);
}

void DifferentiableStep::operator()(double h, ConstVectorRef u, State& state) {
  const Eigen::Index n = nv(), columns = stage_[0].columns;
  stages(h, u, state, true);
  Vector x(n), q(system_->nq());
  Matrix d_x(n, columns), d_v(n, columns), e(n, columns);
  d_v.middleCols(n, n).setIdentity();
  for (std::size_t i = 0; i < stage_.size(); ++i) {
    const double b = h * tableau_->b[i];
    x += b * stage_[i].K;
    state.v += b * stage_[i].F;
    d_x += b * stage_[i].d_K;
    d_v += b * stage_[i].d_F;
  }
  neighbor(x, d_x, e);
  system_->group().plus(state.q, x, q);
  state.q = q;
  state.t += h;
  project(state, &e, &d_v);
  dx_ << e.leftCols(2 * n), d_v.leftCols(2 * n);
  du_ << e.middleCols(2 * n, n), d_v.middleCols(2 * n, n);
  if (parameters_ > 0) dp_ << e.rightCols(parameters_), d_v.rightCols(parameters_);
}

namespace {

std::vector<double> equal_steps(double h, ConstMatrixRef U) {
  return std::vector<double>(static_cast<std::size_t>(U.cols()), h);
}
void require_steps(std::span<const double> h, ConstMatrixRef U) {
  if (static_cast<Eigen::Index>(h.size()) != U.cols())
    throw Error("there are " + std::to_string(h.size()) + " steps, and forces U of " +
                std::to_string(U.cols()) + "; give one column for each step");
}

}  // namespace

MotionSensitivities sensitivities(DifferentiableStep& step, const State& start, double h,
                                  ConstMatrixRef U) {
  return sensitivities(step, start, equal_steps(h, U), U);
}

MotionSensitivities sensitivities(DifferentiableStep& step, const State& start,
                                  std::span<const double> h, ConstMatrixRef U) {
  require_steps(h, U);
  const Eigen::Index n = step.nv();
  MotionSensitivities out{
      start, Eigen::MatrixXd::Identity(2 * n, 2 * n), {}, Matrix(2 * n, step.parameters())};
  for (Eigen::Index k = 0; k < U.cols(); ++k) {
    step(h[static_cast<std::size_t>(k)], U.col(k), out.end);
    out.dx = Eigen::MatrixXd(step.dx() * out.dx);
    for (Matrix& earlier : out.du) earlier = Eigen::MatrixXd(step.dx() * earlier);
    out.du.push_back(step.du());
    out.dp = Eigen::MatrixXd(step.dx() * out.dp + step.dp());
  }
  return out;
}

MotionGradient adjoint(DifferentiableStep& step, const State& start, double h, ConstMatrixRef U,
                       const EndGradient& end, const RunningGradient& running) {
  return adjoint(step, start, equal_steps(h, U), U, end, running);
}

MotionGradient adjoint(DifferentiableStep& step, const State& start, std::span<const double> steps,
                       ConstMatrixRef U, const EndGradient& end, const RunningGradient& running) {
  require_steps(steps, U);
  const auto h = [&](Eigen::Index k) { return steps[static_cast<std::size_t>(k)]; };
  const Eigen::Index n = step.nv(), N = U.cols();
  // Checkpoints: states at every `apart`-th step are stored; those between are recomputed.
  const auto apart = static_cast<Eigen::Index>(
      std::ceil(std::sqrt(static_cast<double>(std::max<Eigen::Index>(1, N)))));
  std::vector<State> kept, between;
  State state = start;
  for (Eigen::Index k = 0; k < N; ++k) {
    if (k % apart == 0) kept.push_back(state);
    step.move(h(k), U.col(k), state);
  }
  MotionGradient out{state, end(state), Matrix(n, N), Vector(step.parameters())};
  require_size("dJ/dx", out.dx, 2 * step.nv());
  Vector dx(2 * n), du(n);
  for (Eigen::Index first = (N - 1) / apart * apart; N > 0 && first >= 0; first -= apart) {
    const Eigen::Index last = std::min(N, first + apart);
    between.assign(1, kept[static_cast<std::size_t>(first / apart)]);
    for (Eigen::Index k = first; k + 1 < last; ++k) {
      between.push_back(between.back());
      step.move(h(k), U.col(k), between.back());
    }
    for (Eigen::Index k = last - 1; k >= first; --k) {
      State at = between[static_cast<std::size_t>(k - first)];
      dx.setZero(), du.setZero();
      if (running) running(static_cast<int>(k), at, dx, du);
      step(h(k), U.col(k), at);
      out.dU.col(k) = step.du().transpose() * out.dx + du;
      out.dp += step.dp().transpose() * out.dx;
      out.dx = Eigen::VectorXd(step.dx().transpose() * out.dx + dx);
    }
  }
  return out;
}

Matrix saltation_matrix(ConstVectorRef before, ConstVectorRef after, const EventJump& jump) {
  const Eigen::Index n = before.size();
  require_size("after", after, static_cast<int>(n));
  require_size("g_x", jump.g_x, static_cast<int>(n));
  if (jump.R_x.rows() != n || jump.R_x.cols() != n)
    throw Error("R_x of an event is " + std::to_string(jump.R_x.rows()) + " x " +
                std::to_string(jump.R_x.cols()) + "; it needs " + std::to_string(n) + " x " +
                std::to_string(n));
  if (jump.R_t.size() > 0) require_size("R_t", jump.R_t, static_cast<int>(n));
  const double speed = jump.g_t + jump.g_x.dot(before);
  const double size = std::abs(jump.g_t) + jump.g_x.cwiseAbs().dot(before.cwiseAbs());
  if (!(std::abs(speed) > 1e-12 * size) || !std::isfinite(speed))
    throw Error("the motion does not cross the event: the rate of g is " + to_short_text(speed) +
                " 1/s; at a grazing contact there is no derivative");
  Eigen::VectorXd late = after - jump.R_x * before;
  if (jump.R_t.size() > 0) late -= jump.R_t;
  return Eigen::MatrixXd(jump.R_x + late * jump.g_x.transpose() / speed);
}

}  // namespace chasles
