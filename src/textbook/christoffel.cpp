#include <algorithm>

#include "chasles/lie/se3.hpp"
#include "chasles/textbook/closed_form.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles::textbook {
namespace {

using namespace dynamics;
using Matrix4 = lie::Matrix<double, 4>;

/// Screws about the reference point, composite inertias, and the derivatives of screws.
class Paths {
 public:
  Paths(const Model& model, const PositionKinematics& kin)
      : model_(model), kin_(kin), bodies_(model) {
    composite_bodies(model, kin, bodies_);
  }
  const Twist& J(int k) const { return bodies_.J[static_cast<std::size_t>(k)]; }
  int link(int k) const { return link_of_v(model_)[static_cast<std::size_t>(k)]; }

  /// The composite inertia of the last of the three links; null: they are not on one path.
  const Inertia* common(int i, int j, int k) const {
    const int last = std::max({link(i), link(j), link(k)});
    for (const int x : {i, j, k})
      if (!carries(model_, link(x), last)) return nullptr;
    return &bodies_.Mc[static_cast<std::size_t>(last)];
  }
  /// d_k J_j of (8).
  Twist derivative(int j, int k) const {
    if (link(j) != link(k)) return link(j) < link(k) ? ad(J(j), J(k)) : Twist{};
    const auto i = static_cast<std::size_t>(link(j));
    const Link& l = tree_links(model_)[i];
    double unit[6] = {};  // the rate at unit velocity k
    unit[k - l.v_index] = 1;
    return Ad(about(bodies_.reference_point, kin_.C()[i]),
              links::screw_rate(model_, l, kin_.q().data() + l.q_index, unit, j - l.v_index));
  }

 private:
  const Model& model_;
  const PositionKinematics& kin_;
  CompositeBodies bodies_;
};

/// gamma(i, j, k, M^c) for all triples on one path.
template <class Entry>
ChristoffelSymbols tensor(const Model& model, const PositionKinematics& kin, const Entry& gamma) {
  const Paths paths(model, kin);
  const int n = model.nv();
  ChristoffelSymbols symbols;
  symbols.Gamma.assign(static_cast<std::size_t>(n), Eigen::MatrixXd::Zero(n, n));
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) {
      if (!paths.common(j, j, k)) continue;
      const Twist d = paths.derivative(j, k);
      for (int i = 0; i < n; ++i)
        if (const Inertia* M = paths.common(i, j, k))
          symbols.Gamma[static_cast<std::size_t>(k)](i, j) =
              gamma(*M, paths.J(i), paths.J(j), paths.J(k), d);
    }
  for (int k = 0; k < n; ++k)
    add_armature_connection(model, Eigen::VectorXd(Eigen::VectorXd::Unit(n, k)).data(),
                            symbols.Gamma[static_cast<std::size_t>(k)]);
  return symbols;
}

}  // namespace

Matrix ChristoffelSymbols::matrix(ConstVectorRef v) const {
  const auto n = static_cast<Eigen::Index>(Gamma.size());
  require_size("v", v, static_cast<int>(n));
  Matrix C = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k) C += v[k] * Gamma[static_cast<std::size_t>(k)];
  return C;
}

ChristoffelSymbols christoffel_symbols(const Model& model, const PositionKinematics& kin) {
  return tensor(model, kin,
                [](const Inertia& M, const Twist& J_i, const Twist& J_j, const Twist& J_k,
                   const Twist& d_k_J_j) {
                  return dot(M * J_i, 0.5 * ad(J_k, J_j) + d_k_J_j) +
                         0.5 * dot(M * J_j, ad(J_i, J_k)) + 0.5 * dot(M * J_k, ad(J_i, J_j));
                });
}

ChristoffelSymbols christoffel_symbols_by_pseudo_inertia(const Model& model,
                                                         const PositionKinematics& kin) {
  return tensor(model, kin,
                [](const Inertia& M, const Twist& J_i, const Twist& J_j, const Twist& J_k,
                   const Twist& d_k_J_j) {
                  const Matrix4 left = hat(J_i) * lie::pseudo_inertia(M);
                  const Matrix4 product = hat(J_k) * hat(J_j), derivative = hat(d_k_J_j);
                  double trace = 0;
                  for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 4; ++b)
                      trace += left(a, b) * (product(a, b) + derivative(a, b));
                  return trace;
                });
}

}  // namespace chasles::textbook
