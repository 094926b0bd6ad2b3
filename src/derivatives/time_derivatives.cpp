#include "chasles/derivatives/time_derivatives.hpp"

#include "access.hpp"
#include "derivatives/tree_series.hpp"
#include "math/not_computed.hpp"

namespace chasles {
namespace {

int checked(int order) {
  if (order < 0 || order > max_time_derivative)
    throw Error("TimeDerivatives: order " + std::to_string(order) + " is not possible; give 0 to " +
                std::to_string(max_time_derivative));
  return order;
}

[[noreturn]] void throw_columns(const char* what, Eigen::Index given, int order,
                                const std::string& needed) {
  throw Error(std::string(what) + " has " + std::to_string(given) +
              " columns; TimeDerivatives of order " + std::to_string(order) + needed);
}

}  // namespace

TimeDerivatives::TimeDerivatives(const Model& model, int order)
    : Q(not_computed<Matrix>(model.nv(), checked(order) + 1)),
      a(Q),
      order_(order),
      model_(model),
      series_(ValuePtr<derivatives::TreeSeries>::make(model, order)) {}

derivatives::TreeSeries& TimeDerivatives::series(const Model& model) {
  require_model("the workspace", model_, model);
  Q.resize(model.nv(), order_ + 1);
  a.resize(model.nv(), order_ + 1);
  return *series_;
}

const Matrix& inverse_dynamics_derivatives(const Model& model, ConstVectorRef q,
                                           ConstMatrixRef rates, TimeDerivatives& out,
                                           AppliedWrenches applied,
                                           std::span<const Wrench> wrench_rates) {
  derivatives::TreeSeries& series = detail::Access::series(out, model);
  require_size("q", q, model.nq());
  require_size("rates, by rows,", static_cast<std::size_t>(rates.rows()), model.nv());
  const int N = out.order();
  if (rates.cols() != N + 2)
    throw_columns("rates", rates.cols(), N,
                  " need " + std::to_string(N + 2) + ": v and its first derivatives");
  double factorial = 1;
  for (int k = 0; k < N + 2; factorial *= ++k) series.v.col(k) = rates.col(k) / factorial;
  series.start(q, {applied, wrench_rates});
  factorial = 1;
  for (int k = 0; k < N + 1; factorial *= ++k) {
    series.inverse(static_cast<std::size_t>(k));
    out.Q.col(k) = factorial * series.tau.col(k);
  }
  return out.Q;
}

const Matrix& forward_dynamics_derivatives(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                           ConstMatrixRef tau, TimeDerivatives& out,
                                           AppliedWrenches applied,
                                           std::span<const Wrench> wrench_rates) {
  derivatives::TreeSeries& series = detail::Access::series(out, model);
  require_size("q", q, model.nq());
  require_size("v", v, model.nv());
  require_size("tau, by rows,", static_cast<std::size_t>(tau.rows()), model.nv());
  const int N = out.order();
  if (tau.cols() > N + 1)
    throw_columns("tau", tau.cols(), N, " take at most " + std::to_string(N + 1));
  series.v.col(0) = v;
  series.start(q, {applied, wrench_rates});
  series.factorize();
  double factorial = 1;
  for (int k = 0; k < N + 1; factorial *= ++k)  // all before use: tau may alias out.a
    if (k < tau.cols())
      series.tau.col(k) = tau.col(k) / factorial;
    else
      series.tau.col(k).setZero();
  factorial = 1;
  for (int k = 0; k < N + 1; factorial *= ++k) {
    series.forward(static_cast<std::size_t>(k));
    out.a.col(k) = (factorial * (k + 1)) * series.v.col(k + 1);
  }
  return out.a;
}

}  // namespace chasles
