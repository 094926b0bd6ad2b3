// Included by dynamics.inl. The Coriolis matrix from Christoffel symbols, C = sum_k Gamma_ijk v_k
// (textbook/closed_form.hpp (6)), for which Mdot - 2 C is skew, along the paths of the tree. In an inertial
// frame, with S_j the screws and Psi_j their rates (composite.inl (4)), I and B summed over the descendants
// of the later of the two joints:
//
//   C_ij = S_i.(I Psi_j + B S_j),    B (x; .) = ((I_dot x - k x x) / 2; -l x x)
//
// B is (I_dot - [[k~, l~], [l~, 0]]) / 2, whose linear columns cancel. For ancestors j of i
//
//   C_ji = S_j.G_i,   G = I Psi + B S                                                            (1)
//   C_ij = F_i.Psi_j + h_i.z_j,   F = I S,   (h; 0) = B^T S: h = (I_dot z + k x z) / 2 + l x s      (2)
//
// I_dot x = tr(E_dot) x - E_dot x. Psi contains an Xdot only for floating_so3xr3 and custom joints. The
// screws of a floating root, with the twist (w_0; v_0), are unit vectors: its rows are the G_i, its columns
// (n x w_0 + f x v_0 + h; f x w_0) of F_i = (n; f). F also gives M. The armature of a joint on SO(3) has the connection
// of its own metric, I_a w~ / 2, whose product with w is zero.
#pragma once

#include "kernels/matrices/mass_matrix.inl"

template <class Sp>
struct CoriolisColumn {
  Six<Sp> F, G;
  typename Sp::Vec h;
};

/// (1) and (2) of the screws of one link.
template <class Sp>
CHASLES_INLINE CoriolisColumn<Sp> coriolis_column(const CompositeLink<Sp>& body,
                                                  const CompositeRate<Sp>& rate,
                                                  const typename Sp::S& trace,
                                                  const typename Sp::S& trace_rate,
                                                  const Six<Sp>& X, const Six<Sp>& Psi) {
  const auto half = typename Sp::S(typename Sp::Real(0.5)) * X.w;
  const auto turning = trace_rate * half - rate.E * half, across = cross(rate.k, half);
  const Six<Sp> G = composite_momentum<Sp>(body, trace, Psi);
  return {composite_momentum<Sp>(body, trace, X),
          {G.w + (turning - across), G.v - cross(rate.l, X.w)},
          (turning + across) + cross(rate.l, X.v)};
}

/// Sums of the components of four registers whose fourth components are zero.
template <class Real, class V>
CHASLES_INLINE Pack<Real, 4> four_sums(const V& a, const V& b, const V& c, const V& d) {
  const V ab =
              __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7),
          cd =
              __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return Pack<Real, 4>::of(__builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
                           __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
}

/// (1) and (2) of all joints on one path.
template <class Sp>
CHASLES_INLINE void coriolis_entries(const Tree<typename Sp::Real>& tree, const Six<Sp>* screws,
                                     const Six<Sp>* Psi, const CoriolisColumn<Sp>* columns,
                                     const CompositeRate<Sp>* rates, typename Sp::S* C) {
  const int nv = tree.nv;
  const auto put = [&](int i, int j) {
    const CoriolisColumn<Sp>& k = columns[i];
    C[i * nv + j] = Sp::dot(Psi[j].w, k.F.w, Psi[j].v, k.F.v) + dot(screws[j].w, k.h);
    C[j * nv + i] = Sp::dot(screws[j].w, k.G.w, screws[j].v, k.G.v);
  };
  for (const Entry& e : tree.column_quads) {
    if constexpr (takes_four<Sp>) {
      using P = Pack<typename Sp::Real, 4>;
      const CoriolisColumn<Sp>& k = columns[e.row];
      const auto sum = [&](int j) {
        const Six<Sp>&rate = Psi[e.column + j], &X = screws[e.column + j];
        return rate.w.v * k.F.w.v + rate.v.v * k.F.v.v + X.w.v * k.h.v;
      };
      Take<P>().put(C + e.row * nv + e.column,
                    four_sums<typename Sp::Real>(sum(0), sum(1), sum(2), sum(3)));
      const P down = Sp::four_products(screws + e.column, k.G.w, k.G.v);
      for (int j = 0; j < 4; ++j) C[(e.column + j) * nv + e.row] = down.x[j];
    } else {
      for (int j = 0; j < 4; ++j) put(e.row, e.column + j);
    }
  }
  for (const Entry& e : tree.single_entries) put(e.row, e.column);
  for (const FloatingRoot& root : tree.floating_roots) {
    const Six<Sp> V = rates[root.link].V;
    for (int i = root.v; i < root.end_v; ++i) {
      const CoriolisColumn<Sp>& k = columns[i];
      put_row<Sp>({(cross(k.F.w, V.w) + cross(k.F.v, V.v)) + k.h, cross(k.F.v, V.w)},
                  C + i * nv + root.v);
      put_column<Sp>(k.G, C + root.v * nv + i, nv);
    }
  }
}

/// Armatures I_a of joints with an angular velocity w: C += I_a w~ / 2.
template <class Sp>
__attribute__((noinline)) void add_connection(const Pass<typename Sp::Real>& pass,
                                              typename Sp::S* C) {
  using S = typename Sp::S;
  const int nv = pass.tree->nv;
  for (const auto& link : pass.tree->links) {
    if (link.armature == 0 || one_screw(link.motion) || given_as_data(link.motion)) continue;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const S half = S(typename Sp::Real(0.5) * link.armature) * Sp::load(pass.v, link.v + i);
      S &up = C[(link.v + k) * nv + link.v + j], &down = C[(link.v + j) * nv + link.v + k];
      up = up + half, down = down - half;
    }
  }
}

template <class Sp>
CHASLES_FLATTEN int run_coriolis_matrix(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size()), nv = tree.nv;
  auto* stored = reinterpret_cast<CompositeLink<Sp>*>(pass.work);
  auto* rates = reinterpret_cast<CompositeRate<Sp>*>(stored + count);
  auto* screws = reinterpret_cast<Six<Sp>*>(rates + count);
  auto* Psi = screws + nv;
  auto* columns = reinterpret_cast<CoriolisColumn<Sp>*>(Psi + nv);
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(columns + nv));

  composite_poses<Sp>(pass, angles, stored);
  composite_inertias<Sp>(tree, stored);
  composite_screws<Sp>(pass, stored, screws);
  composite_rates<Sp>(pass, stored, screws, rates, Psi);
  composite_sums<Sp>(tree, stored);
  composite_sums<Sp>(tree, rates);
  for (int i = 0; i < count; ++i) {
    const S trace = Sp::trace(stored[i].E), trace_rate = Sp::trace(rates[i].E);
    for (int k = links[i].v; k < links[i].v + links[i].nv; ++k) {
      const auto to =
          coriolis_column<Sp>(stored[i], rates[i], trace, trace_rate, screws[k], Psi[k]);
      columns[k].F.w = to.F.w, columns[k].F.v = to.F.v;
      columns[k].G.w = to.G.w, columns[k].G.v = to.G.v;
      columns[k].h = to.h;
    }
  }
  S* C = reinterpret_cast<S*>(pass.out);
  clear_unrelated<Sp>(pass, C);
  coriolis_entries<Sp>(tree, screws, Psi, columns, rates, C);
  if (!tree.armatures.empty()) add_connection<Sp>(pass, C);
  if (!pass.out_M) return -1;
  S* M = reinterpret_cast<S*>(pass.out_M);
  clear_unrelated<Sp>(pass, M);
  mass_matrix_entries<Sp>(
      tree, screws, [&](int k) -> const Six<Sp>& { return columns[k].F; }, M);
  add_armatures<Sp>(tree, M);
  return -1;
}
template <class Sp>
std::size_t coriolis_work(std::size_t count, int nq, int nv) {
  return count * (sizeof(CompositeLink<Sp>) + sizeof(CompositeRate<Sp>)) +
         static_cast<std::size_t>(nv) * (2 * sizeof(Six<Sp>) + sizeof(CoriolisColumn<Sp>)) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
