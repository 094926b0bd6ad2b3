// Included by dynamics.inl. The mass matrix of one state by joint_blocks.inl. Lane j of
//
//   sum_c F_c[i] S_c        is M_ij for ancestors j of i
//   sum_c S_c[i] F_c        is M_ij for descendants j of i
//
// with momenta F and screws S, so that rows are stored by whole registers.
#pragma once

#include "kernels/matrices/composite.inl"
#include "kernels/matrices/joint_blocks.inl"

/// M += diag(I_a).
template <class Sp, class Entry>
CHASLES_INLINE void add_armatures(const Tree<typename Sp::Real>& tree, Entry* M) {
  for (const auto& at : tree.armatures) {
    Entry& to = M[at.v * (tree.nv + 1)];
    to = to + typename Sp::S(at.inertia);
  }
}
/// mass_matrix.inl (3) for slender links; center(i), tensor(i), origin(i) and axis(i) of links and
/// composites.
template <class Sp, class Center, class Tensor, class Origin, class Axis, class Entry>
CHASLES_INLINE void correct_slender(const Tree<typename Sp::Real>& tree, const Center& center,
                                    const Tensor& tensor, const Origin& origin, const Axis& axis,
                                    Entry* M) {
  using S = typename Sp::S;
  const int count = static_cast<int>(tree.links.size());
  for (const int i : tree.slender) {
    const auto& link = tree.links[static_cast<std::size_t>(i)];
    const auto z = axis(i);
    S sum = S(link.I_diag[2]) + S(link.pitch() * link.pitch() * link.carried());
    for (int k = i + 1; k < count; ++k) {
      const auto& child = tree.links[static_cast<std::size_t>(k)];
      if (child.parent < i) break;
      if (child.parent > i) continue;
      const auto u = cross(z, center(k) - origin(i));
      sum = sum + (dot(z, Sp::momentum(tensor(k), z)) + S(child.carried()) * dot(u, u));
    }
    M[link.v * (tree.nv + 1)] = sum;
  }
}

template <class Real, int W>
struct MassMatrixBlocks : JointBlocks<Real, W> {
  using K = JointBlocks<Real, W>;
  using P = typename K::P;
  using V = typename K::V;
  using IV = typename K::IV;
  using Stored = typename K::Stored;

  /// Stores the W x W block for the rows of one block and the columns of another. Entries written beyond the
  /// valid rows and columns are zero or overwritten later.
  static CHASLES_INLINE void put(Real* M, int nv, const Block<Real, W>& rows,
                                 const Block<Real, W>& columns, const P* x) {
    Real* to = M + rows.v * nv + columns.v;
    if (rows.room == W && columns.room == W) [[likely]] {
      for (int l = 0; l < W; ++l) Take<P>().put(to + l * nv, x[l]);
    } else {
      for (int l = 0; l < rows.room; ++l) put_some(to + l * nv, columns, x[l]);
    }
  }
  static CHASLES_INLINE void put_some(Real* to, const Block<Real, W>& columns, const P& x) {
    if (columns.room == W)
      Take<P>().put(to, x);
    else
      K::template copy_some<W - 1>(columns.room, &x, to);
  }
  /// sum_c a_c[l] b_c.
  static CHASLES_INLINE P along(const P* a, int l, const P* b) {
    return (K::lane(a[0], l) * b[0] + K::lane(a[1], l) * b[1] + K::lane(a[2], l) * b[2]) +
           (K::lane(a[3], l) * b[3] + K::lane(a[4], l) * b[4] + K::lane(a[5], l) * b[5]);
  }
  /// Lanes 0 ... l from `below`, the others from `above`.
  static CHASLES_INLINE P either(int l, const P& below, const P& above) {
    const IV is_below = K::count_up(typename K::Index()) <= typename K::Int(l);
    return P::of(bits<V>((bits<IV>(below.x) & is_below) | (bits<IV>(above.x) & ~is_below)));
  }
  static CHASLES_INLINE void rows(const Block<Real, W>* blocks, const Step* paths, int b,
                                  const Stored* all, bool lower, int nv, Real* M) {
    const Block<Real, W>& block = blocks[b];
    const Stored& at = all[b];
    // Keeps the column arrays in registers.
    const auto products = [](const P* row, const P* columns, P* x) {
      P y[6];
      for (int c = 0; c < 6; ++c) y[c] = columns[c];
      for (int l = 0; l < W; ++l) x[l] = along(row, l, y);
    };
    P x[W], y[W];
    for (int k = block.path; k < block.path_end; ++k) {
      const auto [a, last] = paths[k];
      products(at.F, all[a].S, x);
      for (int l = 0; l < W; ++l) x[l] = K::up_to(last, x[l]);
      put(M, nv, block, blocks[a], x);
      if (lower) continue;
      if constexpr (W == 4) {
        K::transpose(x);
      } else {
        products(all[a].S, at.F, x);
        for (int l = 0; l < W; ++l)
          if (l > last) x[l] = P(0);
      }
      put(M, nv, blocks[a], block, x);
    }
    products(at.F, at.S, x);
    if constexpr (W == 4) {
      for (int l = 0; l < W; ++l) y[l] = x[l];
      K::transpose(y);
    } else {
      products(at.S, at.F, y);
    }
    for (int l = 0; l < W; ++l) x[l] = either(l, x[l], y[l]);
    put(M, nv, block, block, x);
  }
  /// The same for blocks.
  __attribute__((noinline)) static void correct_slender_blocks(const Tree<Real>& tree,
                                                               const Blocks<Real, W>& from,
                                                               const Stored* all, Real* M) {
    using One = Lanes<Pack<Real, 1>, Real>;
    using S = typename One::S;
    const auto three = [&](const P* x, int lane) {
      return One::vec(S(x[0].x[lane]), S(x[1].x[lane]), S(x[2].x[lane]));
    };
    const auto at = [&](int i) -> const Step& { return from.where[static_cast<std::size_t>(i)]; };
    correct_slender<One>(
        tree, [&](int i) { return three(all[at(i).block].c, at(i).lane); },
        [&](int i) {
          const auto d = three(all[at(i).block].E, at(i).lane),
                     o = three(all[at(i).block].E + 3, at(i).lane);
          return typename One::Sym{d.x, o.x, o.z, d.y, o.y, d.z};
        },
        [&](int i) { return three(all[at(i).block].p, at(i).lane); },
        [&](int i) { return three(all[at(i).block].S, at(i).lane); }, reinterpret_cast<S*>(M));
  }
  /// Rows and columns of a floating root: momenta, and the total inertia.
  static CHASLES_INLINE void root(const LinkConstants<Real>& link, const Block<Real, W>* blocks,
                                  int size, const Stored* all, int nv, Real* M) {
    const Real m = link.carried();
    Real c[3], I[6];  // total first moment and rotational inertia about the root's origin
    for (int k = 0; k < 3; ++k) c[k] = link.mc[k], I[k] = link.I_diag[k], I[3 + k] = link.I_off[k];
    for (int b = 0; b < size; ++b) {
      const Stored& at = all[b];
      for (int k = 0; k < 6; ++k) put_some(M + k * nv + blocks[b].v, blocks[b], at.F[k]);
      Real* own = M + blocks[b].v * nv;
      if constexpr (W == 4) {
        for (int k = 0; k < 4; k += 2) {  // columns k ... k + 3
          P x[4] = {at.F[k], at.F[k + 1], at.F[k + 2], at.F[k + 3]};
          K::transpose(x);
          for (int l = 0; l < W; ++l)
            if (l < blocks[b].room) Take<P>().put(own + l * nv + k, x[l]);
        }
      } else {
        for (int l = 0; l < blocks[b].count; ++l)
          for (int k = 0; k < 6; ++k) own[l * nv + k] = at.F[k].x[l];
      }
      if (blocks[b].parent >= 0) continue;
      const Real mass = blocks[b].composite[0];
      Real g[3], E[6];
      for (int k = 0; k < 3; ++k) g[k] = at.c[k].x[0], c[k] += mass * g[k];
      for (int k = 0; k < 6; ++k) E[k] = at.E[k].x[0];
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        I[i] += (E[j] + E[k]) + mass * (g[j] * g[j] + g[k] * g[k]);
        I[3 + i] -= E[3 + i] + mass * g[i] * g[j];
      }
    }
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      M[i * nv + i] = I[i];
      M[i * nv + j] = M[j * nv + i] = I[3 + i];
      M[(3 + i) * nv + 3 + i] = m;
      M[(3 + i) * nv + 3 + j] = M[(3 + i) * nv + 3 + k] = Real(0);
      // c~ above the diagonal, its transpose below.
      M[i * nv + 3 + i] = M[(3 + i) * nv + i] = Real(0);
      M[j * nv + 3 + i] = M[(3 + i) * nv + j] = c[k];
      M[k * nv + 3 + i] = M[(3 + i) * nv + k] = -c[j];
    }
  }
};

template <class Real, int W>
CHASLES_INLINE void mass_matrix_of_blocks(const Pass<Real>& pass, const Blocks<Real, W>& from) {
  using K = MassMatrixBlocks<Real, W>;
  const Tree<Real>& tree = *pass.tree;
  const auto* blocks = from.blocks.data();
  const int size = static_cast<int>(from.blocks.size()), nv = tree.nv;
  auto* all = reinterpret_cast<JointBlock<Real, W>*>(pass.work);
  if constexpr (W == 4) {
    using Sp = Quad<Real>;
    auto* links = reinterpret_cast<CompositeLink<Sp>*>(all + size);
    const Angles<Sp> angles(pass, reinterpret_cast<Real*>(links + tree.links.size()));
    composite_poses<Sp>(pass, angles, links);
    for (int b = 0; b < size; ++b) {
      typename K::P R[9], p[3];
      K::gather(blocks[b], links, R, p);
      K::bodies(blocks[b], R, p, all[b]);
    }
  } else {
    for (int b = 0; b < size; ++b) {
      typename K::P q(0);
      if (blocks[b].q + W <= tree.nq)
        q = K::get(pass.q + blocks[b].q);
      else
        K::template copy_some<W - 1>(blocks[b].count, pass.q + blocks[b].q, &q);
      K::poses(blocks[b], q, all, all[b]);
    }
    for (int b = 0; b < size; ++b) K::bodies(blocks[b], all[b].R, all[b].p, all[b]);
  }
  for (int b = size - 1; b >= 0; --b) K::composites(blocks, b, all);
  if (!pass.zeroed)
    for (const Run& run : tree.unrelated)
      for (int k = run.begin; k < run.end; ++k) pass.out[k] = Real(0);
  if (from.root_nv) K::root(tree.links[0], blocks, size, all, nv, pass.out);
  for (int b = 0; b < size; ++b)
    K::rows(blocks, from.paths.data(), b, all, pass.lower, nv, pass.out);
  if (!tree.slender.empty()) [[unlikely]]
    K::correct_slender_blocks(tree, from, all, pass.out);
  add_armatures<Quad<Real>>(tree, pass.out);
}
template <class Real, int W>
std::size_t mass_matrix_blocks_work(const Tree<Real>& tree, const Blocks<Real, W>& from) {
  return from.blocks.size() * sizeof(JointBlock<Real, W>) +
         tree.links.size() * sizeof(CompositeLink<Quad<Real>>) +
         static_cast<std::size_t>(Angles<Quad<Real>>::memory(tree.nq)) * sizeof(Real);
}
