#include "chasles/linearization/sensitivities.hpp"

#include <cmath>

#include "chasles/suggest.hpp"
#include "integrators/explicit/tableau.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

const Tableau& tableau_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const NamedTableau& row : fixed_step_tableaux()) {
    if (row.name == name) return *row.tableau;
    names.push_back(row.name);
  }
  throw Error("sensitivities are those of Munthe-Kaas methods with fixed steps, not of '" +
              std::string(name) + "'" + choices(name, names));
}

}  // namespace

DifferentiableStep::DifferentiableStep(MechanicalSystem& system, std::string_view method)
    : system_(&system), tableau_(&tableau_named(method)) {
  if (system.constraint_count() > 0)
    throw Error("sensitivities of systems with constraints are not computed here");
  const int n = system.nv();
  stage_.resize(static_cast<std::size_t>(tableau_->stages));
  for (Stage& s : stage_)
    for (Vector* x : {&s.x, &s.v, &s.K, &s.F}) x->setZero(n);
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

/// (2) and (3) for stage i, from those before it.
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
  s.d_F = -solve_ldlt_columns(tangent_.M, r);
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
  Vector q(system_->nq()), f(nv()), none(0), no_lambda(0);
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
    system_->solve(f, none, s.F, no_lambda);
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
  dx_ << e.leftCols(2 * n), d_v.leftCols(2 * n);
  du_ << e.middleCols(2 * n, n), d_v.middleCols(2 * n, n);
  if (parameters_ > 0) dp_ << e.rightCols(parameters_), d_v.rightCols(parameters_);
  system_->group().plus(state.q, x, q);
  state.q = q;
  state.t += h;
}

MotionSensitivities sensitivities(DifferentiableStep& step, const State& start, double h,
                                  ConstMatrixRef U) {
  const Eigen::Index n = step.nv();
  MotionSensitivities out{
      start, Eigen::MatrixXd::Identity(2 * n, 2 * n), {}, Matrix(2 * n, step.parameters())};
  for (Eigen::Index k = 0; k < U.cols(); ++k) {
    step(h, U.col(k), out.end);
    out.dx = Eigen::MatrixXd(step.dx() * out.dx);
    for (Matrix& earlier : out.du) earlier = Eigen::MatrixXd(step.dx() * earlier);
    out.du.push_back(step.du());
    out.dp = Eigen::MatrixXd(step.dx() * out.dp + step.dp());
  }
  return out;
}

MotionGradient adjoint(
    DifferentiableStep& step, const State& start, double h, ConstMatrixRef U,
    const std::function<Vector(const State&)>& end,
    const std::function<void(int, const State&, VectorRef, VectorRef)>& running) {
  const Eigen::Index n = step.nv(), N = U.cols();
  // Checkpoints: states at every `apart`-th step are stored; those between are recomputed.
  const auto apart = static_cast<Eigen::Index>(
      std::ceil(std::sqrt(static_cast<double>(std::max<Eigen::Index>(1, N)))));
  std::vector<State> kept, between;
  State state = start;
  for (Eigen::Index k = 0; k < N; ++k) {
    if (k % apart == 0) kept.push_back(state);
    step.move(h, U.col(k), state);
  }
  MotionGradient out{state, end(state), Matrix(n, N), Vector(step.parameters())};
  require_size("dJ/dx", out.dx, 2 * step.nv());
  Vector dx(2 * n), du(n);
  for (Eigen::Index first = (N - 1) / apart * apart; N > 0 && first >= 0; first -= apart) {
    const Eigen::Index last = std::min(N, first + apart);
    between.assign(1, kept[static_cast<std::size_t>(first / apart)]);
    for (Eigen::Index k = first; k + 1 < last; ++k) {
      between.push_back(between.back());
      step.move(h, U.col(k), between.back());
    }
    for (Eigen::Index k = last - 1; k >= first; --k) {
      State at = between[static_cast<std::size_t>(k - first)];
      dx.setZero(), du.setZero();
      if (running) running(static_cast<int>(k), at, dx, du);
      step(h, U.col(k), at);
      out.dU.col(k) = step.du().transpose() * out.dx + du;
      out.dp += step.dp().transpose() * out.dx;
      out.dx = Eigen::VectorXd(step.dx().transpose() * out.dx + dx);
    }
  }
  return out;
}

}  // namespace chasles
