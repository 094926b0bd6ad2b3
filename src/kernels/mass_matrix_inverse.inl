// Included by dynamics.inl. M^-1 in O(n^2) from the articulated inertias, without M: inward, the
// wrenches F_j that a unit force at joint j leaves to be transmitted; outward, the accelerations P_j
// that it causes. Row i, for j in the subtree of i and then for all j >= i:
//
//   inward    W_ij = -D^-1 S_i.F_j,  W_ii = D^-1;   F_j += U W_ij, moved to the parent
//   outward   W_ij -= u.P_j (moved to the joint);   P_j += S_i W_ij

template <class Sp>
__attribute__((flatten)) int run_mass_matrix_inverse(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // a copy that no store can change
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size()), nv = tree.nv;
  const ArticulatedWork<Sp> work(pass.work, tree.links.size(), nv);
  const int row_size = padded_columns<Sp>(nv);
  S* F = reinterpret_cast<S*>(reinterpret_cast<char*>(pass.work) +
                              ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, nv));
  S* W = triangle<Sp>(F + 6 * row_size, pass.out);
  S* P = F + (6 + nv) * row_size;

  articulated_frames(pass, work, Angles<Sp>(pass.q, tree.nq, work.angles));

  // Screws and u = U / D as plain numbers, for loops over columns.
  struct Column {
    S x[6];
    CHASLES_INLINE Column(const Vec& w, const Vec& v)
        : x{Sp::x(w), Sp::y(w), Sp::z(w), Sp::x(v), Sp::y(v), Sp::z(v)} {}
  };
  const auto along = [row_size](auto take, const Column& X, const S* p, int j) {
    const auto at = [&](int c) { return take.get(p + c * row_size + j) * X.x[c]; };
    return ((at(0) + at(1)) + (at(2) + at(3))) + (at(4) + at(5));
  };
  const auto add = [row_size](auto take, S* p, int j, const Column& X, const auto& factor) {
    for (int c = 0; c < 6; ++c)
      take.put(p + c * row_size + j, take.get(p + c * row_size + j) + factor * X.x[c]);
  };
  const auto screw = [&](int i, int k) -> Column {
    const auto& link = links[i];
    const ArticulatedLink<Sp>& in = work.links[i];
    const Vec z = in.z, zero = Sp::vec(S(0), S(0), S(0));
    if (link.motion == LinkMotion::turn) return {z, zero};
    if (link.motion == LinkMotion::slide) return {zero, z};
    if (link.motion == LinkMotion::screw) return {z, S(link.E_off[3]) * z};
    return {work.screws[link.v + k].X.w, work.screws[link.v + k].X.v};
  };
  const auto weight = [&](int i, int k) -> Column {
    const auto& link = links[i];
    if (link.motion <= LinkMotion::screw) return {work.links[i].u.w, work.links[i].u.v};
    return {work.screws[link.v + k].u.w, work.screws[link.v + k].u.v};
  };

  const auto inward = [&](int i, const S* D_inv) {
    const auto& link = links[i];
    const int v = link.v, n = link.nv, end = link.end_v;
    // Columns of the descendants first: W_ij = -D^-1 S.F_j and F_j += U W_ij = -u (S.F_j).
    for (int k = 0; k < n; ++k) {
      const Column X = screw(i, k);
      S* row = W + (v + k) * row_size;
      for_columns<Sp>(v + n, end, [&](auto take, int j) { take.put(row + j, along(take, X, F, j)); });
    }
    for (int k = 0; k < n; ++k) {
      const Column u = weight(i, k);
      const S* row = W + (v + k) * row_size;
      for_columns<Sp>(v + n, end, [&](auto take, int j) { add(take, F, j, u, -take.get(row + j)); });
      for (int c = 0; c < 6; ++c) F[c * row_size + v + k] = u.x[c];
    }
    if (n == 1) {
      S* row = W + v * row_size;
      const S minus = -D_inv[0];
      for_columns<Sp>(v + 1, end,
                      [&](auto take, int j) { take.put(row + j, take.get(row + j) * minus); });
      row[v] = D_inv[0];
    } else {
      for (int j = v + n; j < end; ++j) {
        S t[6];
        for (int k = 0; k < n; ++k) t[k] = W[(v + k) * row_size + j];
        for (int k = 0; k < n; ++k) {
          S sum = D_inv[6 * k] * t[0];
          for (int l = 1; l < n; ++l) sum = sum + D_inv[6 * k + l] * t[l];
          W[(v + k) * row_size + j] = -sum;
        }
      }
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l) W[(v + k) * row_size + v + l] = D_inv[6 * k + l];
    }
    if (link.parent < 0) return;
    const Vec d = work.links[i].d;
    const S dx = Sp::x(d), dy = Sp::y(d), dz = Sp::z(d);
    for_columns<Sp>(v, end, [&](auto take, int j) {
      const auto f = [&](int c) { return take.get(F + (3 + c) * row_size + j); };
      const auto to = [&](int c, const auto& x) {
        take.put(F + c * row_size + j, take.get(F + c * row_size + j) + x);
      };
      to(0, f(2) * dy - f(1) * dz), to(1, f(0) * dz - f(2) * dx), to(2, f(1) * dx - f(0) * dy);
    });
  };
  if (const int i = articulated_inward<Sp, false>(pass, work, inward); i >= 0) return i;

  int root_end = 0;
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    const int v = link.v, n = link.nv;
    S* to = P + 6 * row_size * link.slot;
    if (link.parent < 0) {
      root_end = link.end_v;
      for (int c = 0; c < 6; ++c)
        for (int j = v; j < root_end; ++j) to[c * row_size + j] = S(0);
    } else {
      const S* from = P + 6 * row_size * links[link.parent].slot;
      const Vec d = work.links[i].d;
      const S dx = Sp::x(d), dy = Sp::y(d), dz = Sp::z(d);
      for_columns<Sp>(v, root_end, [&](auto take, int j) {
        const auto p = [&](int c) { return take.get(from + c * row_size + j); };
        const auto x = p(0), y = p(1), z = p(2);
        take.put(to + j, x), take.put(to + row_size + j, y), take.put(to + 2 * row_size + j, z);
        take.put(to + 3 * row_size + j, p(3) + (y * dz - z * dy));
        take.put(to + 4 * row_size + j, p(4) + (z * dx - x * dz));
        take.put(to + 5 * row_size + j, p(5) + (x * dy - y * dx));
      });
      for (int k = 0; k < n; ++k) {
        const Column u = weight(i, k);
        S* row = W + (v + k) * row_size;
        for_columns<Sp>(v, link.end_v, [&](auto take, int j) {
          take.put(row + j, take.get(row + j) - along(take, u, to, j));
        });
        for_columns<Sp>(link.end_v, root_end,
                        [&](auto take, int j) { take.put(row + j, -along(take, u, to, j)); });
      }
    }
    for (int k = 0; k < n; ++k) {
      for (int j = root_end; j < nv; ++j) W[(v + k) * row_size + j] = S(0);
      const Column X = screw(i, k);
      const S* row = W + (v + k) * row_size;
      if (link.end_v > v + n)
        for_columns<Sp>(v, root_end, [&](auto take, int j) { add(take, to, j, X, take.get(row + j)); });
    }
  }
  write_symmetric<Sp>(W, row_size, nv, reinterpret_cast<S*>(pass.out));
  return -1;
}
template <class Sp, class Real>
std::size_t mass_matrix_inverse_work(const Tree<Real>& tree) {
  const auto row_size = static_cast<std::size_t>(padded_columns<Sp>(tree.nv));
  return ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, tree.nv) +
         row_size * static_cast<std::size_t>(6 + tree.nv + 6 * tree.slots) * sizeof(typename Sp::S);
}
