/// Inverse dynamics over truncated power series: the recursion of textbook/recursive_core.hpp with
/// numbers that carry all derivatives. For models of turns, slides and screws.
#pragma once

#include "math/series.hpp"
#include "model/model_data.hpp"
#include "textbook/recursion_over.hpp"

namespace chasles::test {

/// x(t) from its value and derivatives.
template <int N>
Series<N> series_of(double value, const Eigen::VectorXd& derivatives) {
  Series<N> s(value);
  double factorial = 1;
  for (int k = 1; k < N && k <= derivatives.size(); ++k)
    s.c[static_cast<std::size_t>(k)] = derivatives[k - 1] / (factorial *= k);
  return s;
}
/// Cosine and sine, by their power series in x - x(0), which end.
template <int N>
std::pair<Series<N>, Series<N>> cos_sin(const Series<N>& x) {
  Series<N> d = x, power(1), c(1), s;
  d.c[0] = 0;
  for (int n = 1; n < N; ++n) {
    power = power * d * Series<N>(1.0 / n);
    const Series<N> term = (n % 4 < 2 ? Series<N>(1) : Series<N>(-1)) * power;
    n % 2 == 1 ? s = s + term : c = c + term;
  }
  const Series<N> c0(std::cos(x.c[0])), s0(std::sin(x.c[0]));
  return {c0 * c - s0 * s, s0 * c + c0 * s};
}

/// Q, Q', ..., Q^(N-3): nv x (N - 2). rates: v, v', ...
template <int N, template <class> class Form>
Eigen::MatrixXd force_derivatives(const Model& model, const Eigen::VectorXd& q,
                                  const Eigen::MatrixXd& rates) {
  using S = Series<N>;
  std::vector<lie::SE3<S>> C_rel;
  std::vector<S> v, a;
  for (const Link& link : tree_links(model)) {
    const Eigen::VectorXd d = rates.row(link.v_index);
    const S x = series_of<N>(q[link.q_index], d);
    v.push_back(series_of<N>(d[0], d.tail(d.size() - 1)));
    a.push_back(series_of<N>(d[1], d.tail(d.size() - 2)));
    const Twist X = links::screw_of(model, link, nullptr, 0);
    auto [c, s] = cos_sin(S(X.w.z) * x);
    const lie::Mat3<S> R{{c, s, S()}, {-s, c, S()}, {S(), S(), S(1)}};
    C_rel.push_back(RecursionOver<S>::pose(link.P) *
                    lie::SE3<S>{lie::SO3<S>::unchecked(R), {S(), S(), S(X.v.z) * x}});
  }
  RecursionOver<S> recursion(model, C_rel, v);
  const std::vector<S>& tau = recursion.template inverse<Form>(a);
  Eigen::MatrixXd Q(model.nv(), N - 2);
  for (int i = 0; i < model.nv(); ++i) {
    double factorial = 1;
    for (int k = 0; k < N - 2; factorial *= ++k)
      Q(i, k) = factorial * tau[static_cast<std::size_t>(i)].c[static_cast<std::size_t>(k)];
  }
  return Q;
}

inline std::vector<JointKind> one_screw_kinds() {
  return {{JointType::revolute},  {JointType::prismatic},   {JointType::helical},
          {JointType::universal}, {JointType::cylindrical}, {JointType::planar}};
}

}  // namespace chasles::test
