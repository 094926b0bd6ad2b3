#include "kinematics/screw_derivative.hpp"

#include "chasles/screws/eigen.hpp"
#include "chasles/state_error.hpp"
#include "model/model_data.hpp"

namespace chasles::links {
namespace {

using Operator = Eigen::Matrix<double, 6, 6>;
using Column = Eigen::Matrix<double, 6, 1>;

/// A quantity that depends on s_1, ..., s_m, by its derivatives with respect to them, each taken at
/// most once: entry B is the one with respect to the s_k whose bits are in B. So products are
///
///     (f g)_B = sum_{D in B} f_D g_{B \ D}                                                     (2)
template <class X>
using Mixed = std::vector<X>;

template <class X>
Mixed<X> product(const Mixed<Operator>& f, const Mixed<X>& g) {
  Mixed<X> h(g.size(), X::Zero());
  for (std::size_t B = 0; B < g.size(); ++B) {
    std::size_t D = B;
    do {
      h[B].noalias() += f[D] * g[B ^ D];
      D = (D - 1) & B;
    } while (D != B);
  }
  return h;
}

/// -ad_a g of a linear function a = a_0 + sum_k s_k a_k, times `factor`.
template <class X>
Mixed<X> minus_ad(const Operator& ad_0, const std::vector<Operator>& ad_k, const Mixed<X>& g,
                  double factor) {
  Mixed<X> h(g.size());
  for (std::size_t B = 0; B < g.size(); ++B) {
    X sum = ad_0 * g[B];
    for (std::size_t k = 0; k < ad_k.size(); ++k)
      if (const std::size_t bit = std::size_t{1} << k; B & bit) sum += ad_k[k] * g[B ^ bit];
    h[B] = -factor * sum;
  }
  return h;
}
template <class X>
bool add(Mixed<X>& sum, const Mixed<X>& term) {
  bool changed = false;
  for (std::size_t B = 0; B < sum.size(); ++B) {
    const X before = sum[B];
    sum[B] += term[B];
    changed = changed || sum[B] != before;
  }
  return changed;
}

/// sum_n (-ad_a)^n / (n + shift)! of g: exp(-ad_a) g or dexp_{-a} g. Summed until nothing changes, with at
/// least as many terms as a has parts, which carry the derivatives.
template <class X>
Mixed<X> power_series(const Operator& ad_0, const std::vector<Operator>& ad_k, const Mixed<X>& g,
                      std::size_t shift) {
  Mixed<X> sum = g, term = g;
  for (std::size_t n = 1; n < 200; ++n) {
    term = minus_ad(ad_0, ad_k, term, 1.0 / static_cast<double>(n + shift));
    if (!add(sum, term) && n > ad_k.size()) break;
  }
  return sum;
}

/// (1) with a = x / 2^h, doubled h times: Ad_{exp 2a}^-1 = (Ad_{exp a}^-1)^2 and
///
///     dexp_{-2a} = (1 + Ad_{exp a}^-1) / 2 dexp_{-a}
Twist exponential_derivative(const Model& model, const Link& link, const double* q, int n,
                             std::span<const int> along) {
  const auto screw = [&](int k) {
    return custom_screws(model)[static_cast<std::size_t>(link.screws + k)];
  };
  int doublings = halvings(model, link, q);
  const double scale = std::ldexp(1.0, -doublings);
  const Operator ad_0 = to_eigen(ad_matrix(scale * combine(model, link, q)));
  std::vector<Operator> ad_k;
  for (const int k : along) ad_k.push_back(to_eigen(ad_matrix(scale * screw(k))));

  const std::size_t size = std::size_t{1} << along.size();
  Mixed<Column> X(size, Column::Zero());
  X[0] = to_eigen(screw(n));
  X = power_series(ad_0, ad_k, X, 1);
  if (doublings > 0) {
    Mixed<Operator> E(size, Operator::Zero());
    E[0] = Operator::Identity();
    E = power_series(ad_0, ad_k, E, 0);
    for (; doublings > 0; --doublings) {
      const Mixed<Column> turned = product(E, X);
      for (std::size_t B = 0; B < size; ++B) X[B] = 0.5 * (X[B] + turned[B]);
      if (doublings > 1) E = product(E, E);
    }
  }
  return from_eigen<Twist>(X.back());
}

Twist direct_derivative(const Model& model, const Link& link, const double* q, int n,
                        std::span<const int> along) {
  Twist X = screw_of(model, link, q, n);
  if (n < 3) return along.empty() ? X : Twist{};
  for (const int k : along) {
    if (k >= 3) return {};
    Vec3 e;
    e[k] = 1;
    X.v = cross(X.v, e);
  }
  return X;
}

}  // namespace

int halvings(const Model& model, const Link& link, const double* q) {
  double angle = norm(combine(model, link, q).w);
  if (!(angle < 1e8))
    throw StateError("joint '" + model.joint_of_v(link.v_index).name + "': q turns it by " +
                     to_short_text(angle) +
                     " rad, in which derivatives are lost; bring it below 1e8 rad");
  int count = 0;
  while (angle > 0.5) angle /= 2, ++count;
  return count;
}

Twist screw_derivative(const Model& model, const Link& link, const double* q, int n,
                       std::span<const int> along) {
  if (along.empty()) return screw_of(model, link, q, n);
  if (!screws_turn(link)) return {};
  return has_position_axes(link) ? direct_derivative(model, link, q, n, along)
                                 : exponential_derivative(model, link, q, n, along);
}

}  // namespace chasles::links
