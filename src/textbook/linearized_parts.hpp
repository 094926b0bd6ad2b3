/// Shared by the linearized recursions; equations as in linearized.hpp.
#pragma once

#include "chasles/textbook/linearized.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles::textbook {

inline Wrench times(const Matrix6& m, const Twist& x) {
  return from_eigen<Wrench>(m * to_eigen(x));
}
inline Wrench transpose_times(const Matrix6& m, const Twist& x) {
  return from_eigen<Wrench>(m.transpose() * to_eigen(x));
}

/// The coefficients of (1) to (5) at (q, v, a), spatial about the reference point, and scratch for the
/// recursions.
struct LinearizedInverseDynamics::Parts {
  std::vector<SE3> C;                  // links
  std::vector<Inertia> M;              // links
  std::vector<Twist> V, A;             // links; A includes the acceleration -g of the ground
  std::vector<Wrench> W;               // links: wrench transmitted by the joint to the link
  std::vector<Matrix6> E;              // links
  std::vector<Twist> H, Psi, U, Psid;  // nv
  std::vector<Wrench> F;         // nv: -ad_H^T W, the change of W as it rotates with the screws
  std::vector<int> square;       // links: offsets of their nv x nv matrices
  std::vector<Twist> X_partial;  // nv x nv of each link: Ad_C X_k,l at k nv + l
  std::vector<double> K;         // nv x nv of each link

  std::vector<Twist> eta, th, xi;      // links
  std::vector<Wrench> y, y_th, y_eta;  // links
  std::vector<Inertia> R;              // links: M, RN and RE are sums over the subtree
  std::vector<Matrix6> RN, RE;         // links
  std::vector<Wrench> X, XA, XB;       // nv of one link
  std::vector<Wrench> XN, XE;          // nv of one link

  explicit Parts(const Model& model)
      : square(dynamics::square_offsets(model)), X(6), XA(6), XB(6), XN(6), XE(6) {
    const std::size_t n = tree_links(model).size(), nv = static_cast<std::size_t>(model.nv());
    for (auto* x : {&V, &A, &eta, &th, &xi}) x->resize(n);
    for (auto* x : {&H, &Psi, &U, &Psid}) x->resize(nv);
    for (auto* x : {&W, &y, &y_th, &y_eta}) x->resize(n);
    C.resize(n), M.resize(n), R.resize(n), F.resize(nv);
    E.resize(n), RN.resize(n), RE.resize(n);
    X_partial.resize(static_cast<std::size_t>(square.back())), K.resize(X_partial.size());
  }

  /// N_i x and N_i^T x of (9): all parts except Q are symmetric.
  Wrench N(std::size_t i, const Twist& x) const {
    return symmetric_N(i, x) - ad_dual(x, M[i] * V[i]);
  }
  Wrench N_transposed(std::size_t i, const Twist& x) const {
    return symmetric_N(i, x) + ad_dual(x, M[i] * V[i]);
  }
  Matrix6 N(std::size_t i) const {
    return to_eigen(lie::matrix_of<Twist>([&](const Twist& x) { return N(i, x); }));
  }
  /// K_kl of the link: force k of its joint per unit step l.
  double K_of(std::size_t i, const Link& link, std::size_t k, std::size_t l) const {
    return K[static_cast<std::size_t>(square[i]) + k * static_cast<std::size_t>(link.nv) + l];
  }

 private:
  Wrench symmetric_N(std::size_t i, const Twist& x) const {
    return -ad_dual(V[i], M[i] * x) - M[i] * ad(V[i], x);
  }
};

/// x_first c_first + ... of the columns of a link.
template <class Columns>
auto combine(const Columns& columns, ConstVectorRef x, std::size_t first, std::size_t last) {
  typename Columns::value_type sum{};
  for (std::size_t k = first; k < last; ++k) sum += x[static_cast<Eigen::Index>(k)] * columns[k];
  return sum;
}

inline Eigen::Index at(std::size_t k) { return static_cast<Eigen::Index>(k); }

}  // namespace chasles::textbook
