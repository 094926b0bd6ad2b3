// Read by dynamics.inl. Composite bodies about one pole, composite.inl: with the momenta (n; f)
// of the screws, M_ij = z_j.n_i + s_j.f_i for ancestors j of i. M does not depend on where the root
// stands.
#pragma once

#include "kernels/matrices/composite.inl"
#include "kernels/matrices/mass_matrix_blocks.inl"
#include "kernels/vectors/columns.inl"

/// Zeros where no path joins the two joints.
template <class Sp>
CHASLES_INLINE void clear_unrelated(const Pass<typename Sp::Real>& pass, typename Sp::S* M) {
  if (pass.zeroed) return;
  for (const Run& run : pass.tree->unrelated)
    for (int k = run.begin; k < run.end; ++k) M[k] = typename Sp::S(0);
}
/// Six numbers as a row, or as a column of a matrix with rows of nv.
template <class Sp>
CHASLES_INLINE void put_row(const Six<Sp>& x, typename Sp::S* to) {
  auto* numbers = reinterpret_cast<typename Sp::Real*>(to);
  Sp::store_vec(numbers, 0, x.w);
  Sp::store_vec(numbers, 3, x.v);
}
template <class Sp>
CHASLES_INLINE void put_column(const Six<Sp>& x, typename Sp::S* to, int nv) {
  to[0] = Sp::x(x.w), to[nv] = Sp::y(x.w), to[2 * nv] = Sp::z(x.w);
  to[3 * nv] = Sp::x(x.v), to[4 * nv] = Sp::y(x.v), to[5 * nv] = Sp::z(x.v);
}
/// M_ij of all joints on one path; momentum(i) of their screws.
template <class Sp, class Momentum>
CHASLES_INLINE void mass_matrix_entries(const Tree<typename Sp::Real>& tree, const Six<Sp>* screws,
                                        const Momentum& momentum, typename Sp::S* M) {
  using S = typename Sp::S;
  const int nv = tree.nv;
  const auto product = [&](int row, int j) {
    return Sp::dot(screws[j].w, momentum(row).w, screws[j].v, momentum(row).v);
  };
  for (const Entry& e : tree.fours) {
    S *to = M + e.row * nv + e.column, *across = M + e.column * nv + e.row;
    if constexpr (takes_four<Sp>) {
      const auto four = Sp::four_products(screws + e.column, momentum(e.row).w, momentum(e.row).v);
      Take<Pack<typename Sp::Real, 4>>().put(to, four);
      for (int j = 0; j < 4; ++j) across[j * nv] = four.x[j];
    } else {
      for (int j = 0; j < 4; ++j) to[j] = across[j * nv] = product(e.row, e.column + j);
    }
  }
  for (const Entry& e : tree.ones)
    M[e.row * nv + e.column] = M[e.column * nv + e.row] = product(e.row, e.column);
  for (const FreeRoot& root : tree.free_roots)
    for (int i = root.v; i < root.end_v; ++i) {
      put_row<Sp>(momentum(i), M + i * nv + root.v);
      put_column<Sp>(momentum(i), M + root.v * nv + i, nv);
    }
}

/// Joints of one state per register, where that is faster: mass_matrix_blocks.inl. 0: nowhere.
#if defined(__AVX512F__)
inline constexpr int block_width = 8;
#elif defined(__AVX2__)
inline constexpr int block_width = 4;
#else
inline constexpr int block_width = 0;
#endif
template <class Real>
CHASLES_INLINE const auto& blocks_of(const Tree<Real>& tree) {
  if constexpr (block_width == 8)
    return tree.blocks8;
  else
    return tree.blocks4;
}

/// M, and of every joint what M_ii = S.I S would be if nothing cancelled, in `sizes` (null: not):
/// z.(tr E' 1 - E') z + m s.s.
template <class Sp>
CHASLES_INLINE void mass_matrix_of(const Pass<typename Sp::Real>& pass, typename Sp::S* sizes) {
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size()), nv = tree.nv;
  auto* stored = reinterpret_cast<CompositeLink<Sp>*>(pass.work);
  auto* screws = reinterpret_cast<Six<Sp>*>(stored + count);  // of all entries of v
  auto* momenta = screws + nv;                                // n, f of all entries of v
  S* M = reinterpret_cast<S*>(pass.out);
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(momenta + nv));

  // Short loops: in each, what is live fits the registers.
  composite_poses<Sp>(pass, angles, stored);
  composite_inertias<Sp>(tree, stored);
  composite_screws<Sp>(pass, stored, screws);
  composite_sums<Sp>(tree, stored);
  for (int i = 0; i < count; ++i) {
    const CompositeLink<Sp>& body = stored[i];
    const S trace = Sp::trace(body.E);
    for (int k = links[i].v; k < links[i].v + links[i].nv; ++k) {
      const Six<Sp> X = screws[k], h = composite_momentum<Sp>(body, trace, X);
      momenta[k].w = h.w, momenta[k].v = h.v;
      if (sizes) sizes[k] = dot(X.w, trace * X.w - body.E * X.w) + body.m * dot(X.v, X.v);
    }
  }
  clear_unrelated<Sp>(pass, M);
  mass_matrix_entries<Sp>(
      tree, screws, [&](int k) -> const Six<Sp>& { return momenta[k]; }, M);
}
template <class Sp>
CHASLES_FLATTEN int run_mass_matrix(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // a copy that no store can change
  if constexpr (takes_four<Sp> && block_width > 0)
    if (const auto& from = blocks_of(*pass.tree); !from.blocks.empty()) {
      mass_matrix_of_blocks(pass, from);
      return -1;
    }
  mass_matrix_of<Sp>(pass, nullptr);
  return -1;
}
template <class Sp>
std::size_t mass_matrix_work(const Tree<typename Sp::Real>& tree) {
  if constexpr (takes_four<Sp> && block_width > 0)
    if (const auto& from = blocks_of(tree); !from.blocks.empty())
      return mass_matrix_blocks_work(tree, from);
  return tree.links.size() * sizeof(CompositeLink<Sp>) +
         static_cast<std::size_t>(2 * tree.nv) * sizeof(Six<Sp>) +
         static_cast<std::size_t>(Angles<Sp>::memory(tree.nq)) * sizeof(typename Sp::Real);
}
