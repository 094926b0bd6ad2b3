/// The interpolant of a step, one_step.hpp (1): polynomials in coordinates about the start of the step.
///
/// The cubic Hermite polynomial has an error O(h^4), sufficient for methods up to order 4. Rates evaluated on it have
/// an error O(h^4), so that h times a rate has an error O(h^5): one such rate within the step gives a polynomial with
/// an error O(h^5), and two rates on that one O(h^6) (Enright, Jackson, Norsett & Thomsen 1986). With b_4 = s^2
/// (1-s)^2 and b_5 = s^3 (1-s)^2, whose derivatives vanish at both ends, and P the cubic,
///
///     y(s) = P(s) + b_4(s) F_4 + b_5(s) F_5,      y'(c) = h f(y(c)),  c = 1/4, 3/4            (1)
///
/// first with F_5 = 0 and c = 1/4 alone. Tableaux with extra stages for the interpolant are better (tableau.hpp).
#include <cmath>

#include "integrators/one_step.hpp"

namespace chasles {
namespace {

/// tableau.hpp (3) without y, and its derivative with respect to s.
void nested(const Matrix& F, double s, Vector& y) {
  y.setZero();
  for (Eigen::Index j = F.cols() - 1; j >= 0; --j) y = (j % 2 == 0 ? s : 1 - s) * (y + F.col(j));
}
void cubic_slope(const Matrix& F, double s, VectorRef out) {
  out = F.col(0) + (1 - 2 * s) * F.col(1) + s * (2 - 3 * s) * F.col(2);
}
double slope_4(double s) { return 2 * s * (1 - s) * (1 - 2 * s); }
double slope_5(double s) { return s * s * (1 - s) * (3 - 5 * s); }

}  // namespace

void OneStep::prepare_dense() const {
  if (dense_ready_) return;
  end_rates();
  start_rates();
  group().chart_rate(chart_, x_, V_1_, w_);
  for (const bool of_v : {false, true}) {
    auto& F = of_v ? F_v_ : F_x_;
    auto D = F.col(0);
    if (of_v)
      D = now_.v - before_.v;
    else
      D = x_;
    const Vector &k_0 = of_v ? a_0_ : V_0_, &k_1 = of_v ? a_1_ : w_;
    F.col(1) = h_ * k_0 - D;
    F.col(2) = 2 * D - h_ * (k_0 + k_1);
  }
  if (dense_rows() > 0) dense(F_x_, F_v_);
  dense_ready_ = true;
}

void OneStep::point(double s, Vector& q, Vector& v) const {
  nested(F_x_, s, x_s_);
  group().chart_plus(chart_, before_.q, x_s_, q);
  nested(F_v_, s, v);
  v += before_.v;
}
/// The rates of x and v on the present interpolant.
void OneStep::slope(double s, Vector& x_dot, Vector& v_dot) const {
  point(s, q_s_, v_s_);
  rates(before_.t + s * h_, q_s_, v_s_, V_s_, v_dot);
  group().chart_rate(chart_, x_s_, V_s_, x_dot);
}

/// (1).
void OneStep::raise(Matrix& F_x, Matrix& F_v) const {
  constexpr double a = 0.25, b = 0.75;
  const double det = slope_4(a) * slope_5(b) - slope_4(b) * slope_5(a);
  Matrix* const F[] = {&F_x, &F_v};
  // The error of the derivatives of the cubic at a and b.
  const auto lack = [&](double s, int column) {
    slope(s, w_, a_s_);
    for (const int i : {0, 1}) {
      cubic_slope(*F[i], s, V_s_);
      residual_[i].col(column) = h_ * (i == 0 ? w_ : a_s_) - V_s_;
    }
  };
  for (Matrix* f : F) f->rightCols(2).setZero();
  lack(a, 0);
  for (const int i : {0, 1}) F[i]->col(3) = residual_[i].col(0) / slope_4(a);
  lack(a, 0);
  lack(b, 1);
  for (const int i : {0, 1}) {
    const auto r_a = residual_[i].col(0), r_b = residual_[i].col(1);
    F[i]->col(3) = (slope_5(b) * r_a - slope_5(a) * r_b) / det;
    F[i]->col(4) = (slope_4(a) * r_b - slope_4(b) * r_a) / det;
  }
}

void OneStep::interpolate(double t, State& out) const {
  require_reset();
  if (!(t >= before_.t && t <= now_.t))
    throw Error(options_.method + ": t = " + to_text(t) + " s is not within the last step, " +
                to_text(before_.t) + " to " + to_text(now_.t) + " s");
  if (h_ == 0 || t == now_.t || t == before_.t) {
    out = t == before_.t ? before_ : now_;
    return;
  }
  prepare_dense();
  out.t = t;
  out.q.resize(system_->nq());
  out.v.resize(system_->nv());
  point((t - before_.t) / h_, out.q, out.v);
  keep_on_constraints(out);
}

/// Projects a state on the interpolant, which violates the constraints by its error; near singular configurations there
/// is no projection.
void OneStep::keep_on_constraints(State& state) const {
  MechanicalSystem* mechanical = system_->mechanical();
  if (options_.stabilization != Stabilization::projection || !mechanical ||
      mechanical->constraint_count() == 0)
    return;
  projected_ = state;
  try {
    mechanical->project(projected_);
    state.q = projected_.q, state.v = projected_.v;
  } catch (const StateError&) {
  }
}

}  // namespace chasles
