/// The compliance (inverse operational-space inertia) of one link, factorization.hpp (7), (8): a step of the
/// outward recursion.
#pragma once

#include <array>

#include "chasles/textbook/factorization.hpp"
#include "dynamics/ldl.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles::textbook {

using dynamics::ldl_solve;

struct LinkCompliance {
  Matrix6 Ups;
  std::array<Twist, 6> Z;      // nv of the link
  std::array<double, 36> Lam;  // nv x nv, symmetric
  std::array<Twist, 6> B;  // nv: Lam H^T - Z^T, the response of the link to a force in the joint
};

/// @param Ups_p  of the parent; null: ground
inline LinkCompliance link_compliance(const Factorization& f, std::size_t i, const Matrix6* Ups_p) {
  const Link& link = tree_links(f.model())[i];
  const auto n = static_cast<std::size_t>(link.nv), first = static_cast<std::size_t>(link.v_index);
  const Wrench* G = f.G().data() + first;
  const Twist* H = f.H().data() + first;
  LinkCompliance out{Ups_p ? *Ups_p : Matrix6::Zero(), {}, {}, {}};
  for (std::size_t b = 0; b < n; ++b) {
    double* column = out.Lam.data() + b * n;
    column[b] = 1;
    ldl_solve(f.D(i), link.nv, column);
    if (Ups_p) out.Z[b] = from_eigen<Twist>(*Ups_p * to_eigen(G[b]));
    for (std::size_t a = 0; a < n; ++a) column[a] += dot(G[a], out.Z[b]);
  }
  for (std::size_t a = 0; a < n; ++a) {
    out.B[a] = -out.Z[a];
    for (std::size_t b = 0; b < n; ++b) out.B[a] += out.Lam[b * n + a] * H[b];
    const auto H_a = to_eigen(H[a]);
    out.Ups += H_a * to_eigen(out.B[a]).transpose() - to_eigen(out.Z[a]) * H_a.transpose();
  }
  return out;
}
/// taub m: the wrenches m after transmission by the joint of a link.
inline Matrix6 left_by_joint(const Factorization& f, const Link& link, const Matrix6& m) {
  Matrix6 left = m;
  for (int a = link.v_index; a < link.v_index + link.nv; ++a) {
    const auto k = static_cast<std::size_t>(a);
    left -= to_eigen(f.G()[k]) * (to_eigen(f.H()[k]).transpose() * m);
  }
  return left;
}
inline Wrench left_by_joint(const Factorization& f, const Link& link, const Wrench& W) {
  Wrench left = W;
  for (int a = link.v_index; a < link.v_index + link.nv; ++a) {
    const auto k = static_cast<std::size_t>(a);
    left -= dot(W, f.H()[k]) * f.G()[k];
  }
  return left;
}
/// The compliance of the parent; null: ground.
inline const Matrix6* compliance_of_parent(const Factorization& f, std::size_t i,
                                           const std::vector<Matrix6>& Ups) {
  const int p = tree_links(f.model())[i].parent;
  return p < 0 ? nullptr : &Ups[static_cast<std::size_t>(p)];
}

}  // namespace chasles::textbook
