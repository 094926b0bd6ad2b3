// Included by dynamics.inl. Composite bodies, each about its own center of mass g, so that inertias are not
// lost in the squared distance to the root. Joining two of them (BodyConstants) gives
//
//   d = g_2 - g_1,   g = g_1 + part d,   E = E_1 + E_2 + mu d d^T                                  (1)
//
// Momenta of the screws about the origin of the root link; revolute joint, p the origin of its link:
//
//   f = m z x (g - p),   n = (tr E 1 - E) z + g x f                                               (2)
//
// and M_ij = z_j.n_i + s_j.f_i for ancestors j of i. M does not depend on the pose of the root. Errors of
// entries relative to (M_ii M_jj)^1/2 are roundings times the size of the mechanism over the radii of
// gyration of the links moved. For a slender body spinning about its own axis, M_ii would have the square of
// that error in other axes; it is computed in link axes:
//
//   M_ii = I_zz + sum over children of z.(tr E 1 - E) z + m (z x (g - p))^2                        (3)
//
// Armatures are added to the diagonal at the end.
#pragma once

#include "kernels/matrices/composite.inl"
#include "kernels/matrices/mass_matrix_blocks.inl"
#include "kernels/vectors/columns.inl"

/// Writes the structural zeros.
template <class Sp, class Entry>
CHASLES_INLINE void clear_unrelated(const Pass<typename Sp::Real>& pass, Entry* M) {
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
/// M_ij of all joints on one path; momentum(i): momentum of screw i.
template <class Sp, class Momentum>
CHASLES_INLINE void mass_matrix_entries(const Tree<typename Sp::Real>& tree, const Six<Sp>* screws,
                                        const Momentum& momentum, typename Sp::S* M) {
  using S = typename Sp::S;
  const int nv = tree.nv;
  const auto product = [&](int row, int j) {
    return Sp::dot(screws[j].w, momentum(row).w, screws[j].v, momentum(row).v);
  };
  for (const Entry& e : tree.column_quads) {
    S *to = M + e.row * nv + e.column, *across = M + e.column * nv + e.row;
    if constexpr (takes_four<Sp>) {
      const auto four = Sp::four_products(screws + e.column, momentum(e.row).w, momentum(e.row).v);
      Take<Pack<typename Sp::Real, 4>>().put(to, four);
      for (int j = 0; j < 4; ++j) across[j * nv] = four.x[j];
    } else {
      for (int j = 0; j < 4; ++j) to[j] = across[j * nv] = product(e.row, e.column + j);
    }
  }
  for (const Entry& e : tree.single_entries)
    M[e.row * nv + e.column] = M[e.column * nv + e.row] = product(e.row, e.column);
  for (const FloatingRoot& root : tree.floating_roots)
    for (int i = root.v; i < root.end_v; ++i) {
      put_row<Sp>(momentum(i), M + i * nv + root.v);
      put_column<Sp>(momentum(i), M + root.v * nv + i, nv);
    }
}

/// Number of joints of one state per register, where that is faster (mass_matrix_blocks.inl); 0: never.
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

/// (1): center and tensor of the composite body of every link, in c and E.
template <class Sp>
CHASLES_INLINE void join_composites(const Tree<typename Sp::Real>& tree,
                                    CompositeLink<Sp>* stored) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const int count = static_cast<int>(tree.links.size());
  for (int i = count - 1; i >= 0; --i) {
    const auto& link = tree.links[static_cast<std::size_t>(i)];
    const auto& body = tree.bodies[static_cast<std::size_t>(i)];
    CompositeLink<Sp>& at = stored[i];
    Vec g = at.p + Sp::times(at.R, body.com);
    typename Sp::Sym E = Sp::rotated(at.R, body.E_diag, body.E_off);
    if (i + 1 < count && tree.links[static_cast<std::size_t>(i + 1)].parent == i) {
      const Vec d = g - at.c;
      E = Sp::plus_square(at.E + E, S(body.own_mu), d);
      g = at.c + S(body.own_part) * d;
    }
    at.c = g, at.E = E;
    if (link.parent < 0) continue;
    CompositeLink<Sp>& to = stored[link.parent];
    if (link.last) {
      to.c = g, to.E = E;
    } else {
      const Vec d = g - to.c;
      to.E = Sp::plus_square(to.E + E, S(body.mu), d);
      to.c += S(body.part) * d;
    }
  }
}
template <class Sp>
CHASLES_INLINE void mass_matrix_of(const Pass<typename Sp::Real>& pass) {
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size()), nv = tree.nv;
  auto* stored = reinterpret_cast<CompositeLink<Sp>*>(pass.work);
  auto* screws = reinterpret_cast<Six<Sp>*>(stored + count);  // per entry of v
  auto* momenta = screws + nv;                                // (n; f) per entry of v
  S* M = reinterpret_cast<S*>(pass.out);
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(momenta + nv));

  // Short loops, so that the live values of each fit in registers.
  composite_poses<Sp>(pass, angles, stored);
  composite_screws<Sp>(pass, stored, screws);
  join_composites<Sp>(tree, stored);
  for (int i = 0; i < count; ++i) {
    const CompositeLink<Sp>& body = stored[i];
    const S m(links[i].carried());
    for (int k = links[i].v; k < links[i].v + links[i].nv; ++k) {
      const Six<Sp> X = screws[k];
      const typename Sp::Vec f =
          m * (links[i].motion == LinkMotion::revolute ? cross(X.w, body.c - body.p)
                                                       : X.v + cross(X.w, body.c));
      momenta[k].w = Sp::plus_cross(Sp::momentum(body.E, X.w), body.c, f);
      momenta[k].v = f;
    }
  }
  clear_unrelated<Sp>(pass, M);
  mass_matrix_entries<Sp>(
      tree, screws, [&](int k) -> const Six<Sp>& { return momenta[k]; }, M);
  if (!tree.slender.empty()) [[unlikely]]
    correct_slender<Sp>(
        tree, [&](int i) { return stored[i].c; }, [&](int i) { return stored[i].E; },
        [&](int i) { return stored[i].p; }, [&](int i) { return stored[i].R.c2; }, M);
  add_armatures<Sp>(tree, M);
}
template <class Sp>
std::size_t mass_matrix_of_work(const Tree<typename Sp::Real>& tree) {
  return tree.links.size() * sizeof(CompositeLink<Sp>) +
         static_cast<std::size_t>(2 * tree.nv) * sizeof(Six<Sp>) +
         static_cast<std::size_t>(Angles<Sp>::memory(tree.nq)) * sizeof(typename Sp::Real);
}
template <class Sp>
CHASLES_FLATTEN int run_mass_matrix(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  if constexpr (takes_four<Sp> && block_width > 0)
    if (const auto& from = blocks_of(*pass.tree); from.pay()) {
      mass_matrix_of_blocks(pass, from);
      return -1;
    }
  mass_matrix_of<Sp>(pass);
  return -1;
}
template <class Sp>
std::size_t mass_matrix_work(const Tree<typename Sp::Real>& tree) {
  if constexpr (takes_four<Sp> && block_width > 0)
    if (const auto& from = blocks_of(tree); from.pay()) return mass_matrix_blocks_work(tree, from);
  return mass_matrix_of_work<Sp>(tree);
}
