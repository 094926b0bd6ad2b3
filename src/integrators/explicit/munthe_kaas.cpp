#include "integrators/explicit/munthe_kaas.hpp"

#include <cmath>

#include "integrators/explicit/combine.hpp"

namespace chasles {
namespace {

using integrators::combine;

/// Largest rotation in a chart, with a margin below its singularity: a full turn (exp), half a turn as 2 tan(t/2)
/// (cay), a quarter turn about the middle axis (second kind).
double limit(Chart chart, bool controlled) {
  switch (chart) {
    case Chart::cayley:
      return controlled ? 2.5 : 20;
    case Chart::second_kind:
      return controlled ? 1 : 1.5;
    default:
      return controlled ? 2 : 6.2;
  }
}

}  // namespace

MuntheKaas::MuntheKaas(DynamicalSystem& system, const IntegratorOptions& options,
                       const Tableau& tableau, int k)
    : OneStep(system, options),
      tableau_(&tableau),
      limit_(limit(options.chart.value_or(Chart::exponential), k > 0)) {
  k_ = k;
  order_ = tableau.order;
  stability_ = tableau.stability;
  chart_ = options.chart.value_or(Chart::exponential);
  K_.setZero(system.nv(), tableau.stages + 1 + tableau.extra);
  a_ = K_;
  q_i_.setZero(system.nq());
  for (Vector* x : {&x_i_, &v_i_}) x->setZero(system.nv());
}

void MuntheKaas::stage(const double* a, int n, double c, int column) const {
  combine(a, n, step_, K_, x_i_);  // (1)
  combine(a, n, step_, a_, v_i_);
  v_i_ += before_.v;
  group().chart_plus(chart_, before_.q, x_i_, q_i_);
  rates(before_.t + c * step_, q_i_, v_i_, w_, a_.col(column));  // (2)
  group().chart_rate(chart_, x_i_, w_, K_.col(column));
}

/// (1) from the rates of the step.
bool MuntheKaas::stage(int i, double& weight, State& out) const {
  const Tableau& t = *tableau_;
  if (i < 0 || i >= t.stages || h_ == 0 || step_ != h_) return false;
  const auto row = static_cast<std::size_t>(i);
  weight = h_ * t.b[row];
  const double* a = t.a.data() + row * (row - (i > 0 ? 1 : 0)) / 2;
  combine(a, i, step_, K_, x_i_);
  combine(a, i, step_, a_, v_i_);
  out.t = before_.t + t.c[row] * step_;
  out.v = before_.v + v_i_;
  out.q.resize(before_.q.size());
  group().chart_plus(chart_, before_.q, x_i_, out.q);
  return true;
}

double MuntheKaas::attempt(double h) {
  const Tableau& t = *tableau_;
  step_ = h;
  K_.col(0) = V_0_;
  a_.col(0) = a_0_;
  double turn = 0;
  const double* a = t.a.data();
  for (int i = 1; i < t.stages; a += i, ++i) {
    stage(a, i, t.c[static_cast<std::size_t>(i)], i);
    turn = std::max(turn, group().rotation(x_i_));
  }
  combine(t.b.data(), t.stages, h, K_, x_);  // (3)
  combine(t.b.data(), t.stages, h, a_, now_.v);
  now_.v += before_.v;
  turn = std::max(turn, group().rotation(x_));
  if (turn > limit_) {
    if (k_ > 0) return std::pow(turn / limit_, k_) * 2;
    fail("a joint turns by " + to_short_text(turn) + " rad within the step of " + to_short_text(h) +
         " s, more than its coordinates can hold; take a step below " +
         to_short_text(h * limit_ / turn) + " s, or a method without this limit such as cf4");
  }
  group().chart_plus(chart_, before_.q, x_, now_.q);
  if (k_ == 0) return 0;

  if (t.e.back() != 0) {
    end_rates();
    group().chart_rate(chart_, x_, V_1_, K_.col(t.stages));
    a_.col(t.stages) = a_1_;
  }
  const double err3 = t.e3.empty() ? 0 : estimate(t.e3, h);
  const double err = estimate(t.e, h);
  if (err3 == 0 || err == 0) return err;
  return err * err / std::sqrt(err * err + 0.01 * err3 * err3);
}

double MuntheKaas::estimate(std::span<const double> e, double h) {
  const int n = tableau_->stages + (e.back() != 0 ? 1 : 0);
  combine(e.data(), n, h, K_, e_x_);
  combine(e.data(), n, h, a_, e_v_);
  return error_norm(e_x_, e_v_);
}

void MuntheKaas::dense(Matrix& F_x, Matrix& F_v) const {
  const Tableau& t = *tableau_;
  if (t.rows == 0) return OneStep::dense(F_x, F_v);
  K_.col(t.stages) = w_;  // the rate of x at the end
  a_.col(t.stages) = a_1_;
  const double* a = t.a_extra.data();
  for (int i = 0; i < t.extra; ++i) {
    const int n = t.stages + 1 + i;
    stage(a, n, t.c[static_cast<std::size_t>(t.stages + i)], n);
    a += n;
  }
  const int n = t.stages + 1 + t.extra;
  for (int m = 0; m < t.rows; ++m) {
    const double* d = t.d.data() + static_cast<std::ptrdiff_t>(m) * n;
    combine(d, n, h_, K_, x_i_);
    combine(d, n, h_, a_, v_i_);
    F_x.col(3 + m) = x_i_;
    F_v.col(3 + m) = v_i_;
  }
}

}  // namespace chasles
