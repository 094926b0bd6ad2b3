// Included by dynamics.inl. M^-1 of deep trees (shallow ones: factored_inverse.inl) in O(n^2) from the
// articulated inertias, without M. Inward: wrenches F_j transmitted because of a unit force at joint j;
// outward: the accelerations P_j it causes. Row i, for j in the subtree of i and then for all j >= i:
//
//   inward    W_ij = -D^-1 X_i.F_j,  W_ii = D^-1;   F_j += U W_ij = -u X_i.F_j, moved to the parent
//   outward   W_ij -= u.P_j (moved to the joint);   P_j += X_i W_ij
#pragma once

#include "kernels/articulated.inl"
#include "kernels/vectors/columns.inl"

template <class Sp>
struct InverseRows {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Links = const LinkConstants<typename Sp::Real>*;
  Links links;
  ArticulatedWork<Sp> work;
  int nv, row_size;
  S *F, *W, *P;  // 6 rows; nv rows; 6 rows per slot

  /// A twist or a wrench as plain numbers, for loops over columns.
  struct Column {
    S x[6];
    CHASLES_INLINE Column(const Vec& w, const Vec& v)
        : x{Sp::x(w), Sp::y(w), Sp::z(w), Sp::x(v), Sp::y(v), Sp::z(v)} {}
  };
  /// Column j of six rows.
  template <class T>
  struct Six6 {
    T x[6];
    CHASLES_INLINE T along(const Column& c) const {
      return ((x[0] * c.x[0] + x[1] * c.x[1]) + (x[2] * c.x[2] + x[3] * c.x[3])) +
             (x[4] * c.x[4] + x[5] * c.x[5]);
    }
    CHASLES_INLINE void add(const T& factor, const Column& c) {
      for (int k = 0; k < 6; ++k) x[k] = x[k] + factor * c.x[k];
    }
    /// The same for a screw; revolute: the linear part is zero.
    template <class Turn>
    CHASLES_INLINE T along(Turn, const Column& c) const {
      if constexpr (Turn::value)
        return x[0] * c.x[0] + x[1] * c.x[1] + x[2] * c.x[2];
      else
        return along(c);
    }
    template <class Turn>
    CHASLES_INLINE void add(Turn, const T& factor, const Column& c) {
      for (int k = 0; k < (Turn::value ? 3 : 6); ++k) x[k] = x[k] + factor * c.x[k];
    }
    /// Moves a wrench inward by d.
    CHASLES_INLINE void move_in(const S* d) {
      x[0] = x[0] + (x[5] * d[1] - x[4] * d[2]);
      x[1] = x[1] + (x[3] * d[2] - x[5] * d[0]);
      x[2] = x[2] + (x[4] * d[0] - x[3] * d[1]);
    }
    /// Moves a twist outward by d.
    CHASLES_INLINE void move_out(const S* d) {
      x[3] = x[3] + (x[1] * d[2] - x[2] * d[1]);
      x[4] = x[4] + (x[2] * d[0] - x[0] * d[2]);
      x[5] = x[5] + (x[0] * d[1] - x[1] * d[0]);
    }
  };
  template <class Taken>
  CHASLES_INLINE auto get(const Taken& take, const S* rows, int j) const {
    return Six6<decltype(take.get(rows))>{
        {take.get(rows + j), take.get(rows + row_size + j), take.get(rows + 2 * row_size + j),
         take.get(rows + 3 * row_size + j), take.get(rows + 4 * row_size + j),
         take.get(rows + 5 * row_size + j)}};
  }
  template <class Taken, class T>
  CHASLES_INLINE void put(const Taken& take, S* rows, int j, const Six6<T>& six) const {
#pragma GCC unroll 6  // otherwise spilled to the stack
    for (int k = 0; k < 6; ++k) take.put(rows + k * row_size + j, six.x[k]);
  }

  CHASLES_INLINE Column screw(int i, int k) const {
    const auto& link = links[i];
    const Vec z = work.links[i].z, zero = Sp::vec(S(0), S(0), S(0));
    if (link.motion == LinkMotion::revolute) return {z, zero};
    if (link.motion == LinkMotion::prismatic) return {zero, z};
    if (link.motion == LinkMotion::helical) return {z, S(link.pitch()) * z};
    return {work.screws[link.v + k].X.w, work.screws[link.v + k].X.v};
  }
  CHASLES_INLINE Column weight(int i, int k) const {
    const auto& link = links[i];
    if (one_screw(link.motion)) return {work.links[i].u.w, work.links[i].u.v};
    return {work.screws[link.v + k].u.w, work.screws[link.v + k].u.v};
  }

  /// Inward, joint with one screw.
  template <class Turn>
  CHASLES_INLINE void one_inward(Turn turn, int i) const {
    const auto& link = links[i];
    const S D_inv = work.links[i].x;
    const Column X = screw(i, 0), u = weight(i, 0);
    const S d[3] = {Sp::x(work.links[i].d), Sp::y(work.links[i].d), Sp::z(work.links[i].d)};
    S* row = W + link.v * row_size;
    for_columns<Sp>(link.v + 1, link.end_v, nv, [&](auto take, int j) {
      auto f = get(take, F, j);
      const auto t = -f.along(turn, X);
      take.put(row + j, t * D_inv);
      f.add(t, u);
      f.move_in(d);
      put(take, F, j, f);
    });
    row[link.v] = D_inv;
    Six6<S> own{{u.x[0], u.x[1], u.x[2], u.x[3], u.x[4], u.x[5]}};
    own.move_in(d);
    put(Take<S>(), F, link.v, own);
  }
  /// Inward, joint with several screws.
  void group_inward(int i) const {
    const auto& link = links[i];
    const int v = link.v, n = link.nv;
    const S d[3] = {Sp::x(work.links[i].d), Sp::y(work.links[i].d), Sp::z(work.links[i].d)};
    for_columns<Sp>(v + n, link.end_v, nv, [&](auto take, int j) {
      auto f = get(take, F, j);
      using T = decltype(f.x[0] + f.x[0]);
      T t[6];
      for (int k = 0; k < n; ++k) t[k] = -f.along(screw(i, k));
      for (int k = 0; k < n; ++k) {
        const S* D_inv = work.screws[v + k].inverse;
        T sum = t[0] * D_inv[0];
        for (int l = 1; l < n; ++l) sum = sum + t[l] * D_inv[l];
        take.put(W + (v + k) * row_size + j, sum);
        f.add(t[k], weight(i, k));
      }
      f.move_in(d);
      put(take, F, j, f);
    });
    for (int k = 0; k < n; ++k) {
      for (int l = 0; l < n; ++l) W[(v + k) * row_size + v + l] = work.screws[v + k].inverse[l];
      const Column u = weight(i, k);
      Six6<S> own{{u.x[0], u.x[1], u.x[2], u.x[3], u.x[4], u.x[5]}};
      own.move_in(d);
      put(Take<S>(), F, v + k, own);
    }
  }
  /// Outward, joint with one screw: rows up to `end`, the last column of the descendants of the root.
  template <class Turn>
  CHASLES_INLINE void one_outward(Turn turn, int i, int end) const {
    const auto& link = links[i];
    const Column X = screw(i, 0), u = weight(i, 0);
    const S d[3] = {Sp::x(work.links[i].d), Sp::y(work.links[i].d), Sp::z(work.links[i].d)};
    S *row = W + link.v * row_size, *to = P + 6 * row_size * link.slot;
    const bool leaf = link.end_v == link.v + 1;
    if (link.parent < 0) {
      for_columns<Sp>(link.v, end, nv, [&](auto take, int j) {
        const auto w = take.get(row + j);
        for (int k = 0; k < 6; ++k) take.put(to + k * row_size + j, w * X.x[k]);
      });
      return;
    }
    const S* from = P + 6 * row_size * links[link.parent].slot;
    for (int j = link.end_v; j < end; ++j) row[j] = S(0);
    for_columns<Sp>(link.v, end, nv, [&](auto take, int j) {
      auto p = get(take, from, j);
      p.move_out(d);
      const auto w = take.get(row + j) - p.along(u);
      take.put(row + j, w);
      if (leaf) return;
      p.add(turn, w, X);
      put(take, to, j, p);
    });
  }
  /// Outward, joint with several screws.
  void group_outward(int i, int end) const {
    const auto& link = links[i];
    S* to = P + 6 * row_size * link.slot;
    const S d[3] = {Sp::x(work.links[i].d), Sp::y(work.links[i].d), Sp::z(work.links[i].d)};
    for (int k = link.v; k < link.v + link.nv; ++k)
      for (int j = link.end_v; j < end; ++j) W[k * row_size + j] = S(0);
    const S* from = link.parent < 0 ? to : P + 6 * row_size * links[link.parent].slot;
    for_columns<Sp>(link.v, end, nv, [&](auto take, int j) {
      auto p = get(take, from, j);
      if (link.parent < 0)
        for (auto& x : p.x) x = S(0);
      else
        p.move_out(d);
      auto sum = p;
      for (int k = 0; k < link.nv; ++k) {
        S* row = W + (link.v + k) * row_size + j;
        const auto w = take.get(row) - p.along(weight(i, k));
        take.put(row, w);
        sum.add(w, screw(i, k));
      }
      put(take, to, j, sum);
    });
  }
};

template <class Sp>
CHASLES_FLATTEN int run_mass_matrix_inverse(const Pass<typename Sp::Real>& arguments) {
  if (factors<Sp>(*arguments.tree)) return run_factored_inverse<Sp>(arguments);
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  const auto& tree = *pass.tree;
  const int nv = tree.nv, row_size = padded_columns<Sp>(nv);
  const ArticulatedWork<Sp> work(pass.work, tree.links.size(), nv);
  S* F = reinterpret_cast<S*>(reinterpret_cast<char*>(pass.work) +
                              ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, nv));
  S* W = triangle<Sp>(F + 6 * row_size, pass.out);
  const InverseRows<Sp> rows{tree.links.data(), work, nv, row_size, F, W, F + (6 + nv) * row_size};

  articulated_frames(pass, work, Angles<Sp>(pass, work.angles));
  if (const int i = articulated_inward<Sp, false>(pass, arguments, work); i >= 0) return i;
  for (int i = static_cast<int>(tree.links.size()) - 1; i >= 0; --i) {
    const auto& link = tree.links[static_cast<std::size_t>(i)];
    if (link.motion == LinkMotion::revolute)
      rows.one_inward(Yes(), i);
    else if (one_screw(link.motion))
      rows.one_inward(No(), i);
    else
      rows.group_inward(i);
  }
  int end = 0;
  for (int i = 0; i < static_cast<int>(tree.links.size()); ++i) {
    const auto& link = tree.links[static_cast<std::size_t>(i)];
    if (link.parent < 0) end = link.end_v;
    if (link.motion == LinkMotion::revolute)
      rows.one_outward(Yes(), i, end);
    else if (one_screw(link.motion))
      rows.one_outward(No(), i, end);
    else
      rows.group_outward(i, end);
    for (int k = link.v; k < link.v + link.nv; ++k)
      for (int j = end; j < nv; ++j) W[k * row_size + j] = S(0);  // structural zeros
  }
  write_symmetric<Sp>(W, row_size, nv, reinterpret_cast<S*>(pass.out));
  return -1;
}
template <class Sp, class Real>
std::size_t mass_matrix_inverse_work(const Tree<Real>& tree) {
  if (factors<Sp>(tree)) return factored_inverse_work<Sp>(tree);
  const auto row_size = static_cast<std::size_t>(padded_columns<Sp>(tree.nv));
  return ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, tree.nv) +
         row_size * static_cast<std::size_t>(6 + tree.nv + 6 * tree.slots) * sizeof(typename Sp::S);
}
