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
  S* W = reinterpret_cast<S*>(pass.out);
  S* F = reinterpret_cast<S*>(reinterpret_cast<char*>(pass.work) +
                              ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, nv));
  S* P = F + 6 * nv;

  articulated_frames(pass, work, Angles<Sp>(pass.q, tree.nq, work.angles));

  // Screws, u = U / D and d as plain numbers, for loops over columns.
  struct Column {
    S w0, w1, w2, v0, v1, v2;
    CHASLES_INLINE Column(const Vec& w, const Vec& v)
        : w0(Sp::x(w)), w1(Sp::y(w)), w2(Sp::z(w)), v0(Sp::x(v)), v1(Sp::y(v)), v2(Sp::z(v)) {}
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
      S* row = W + (v + k) * nv;
      for (int j = v + n; j < end; ++j)
        row[j] = ((X.w0 * F[j] + X.w1 * F[nv + j]) + (X.w2 * F[2 * nv + j] + X.v0 * F[3 * nv + j])) +
                 (X.v1 * F[4 * nv + j] + X.v2 * F[5 * nv + j]);
    }
    for (int k = 0; k < n; ++k) {
      const Column u = weight(i, k);
      const S* row = W + (v + k) * nv;
      for (int j = v + n; j < end; ++j) {
        F[j] = F[j] - u.w0 * row[j];
        F[nv + j] = F[nv + j] - u.w1 * row[j];
        F[2 * nv + j] = F[2 * nv + j] - u.w2 * row[j];
        F[3 * nv + j] = F[3 * nv + j] - u.v0 * row[j];
        F[4 * nv + j] = F[4 * nv + j] - u.v1 * row[j];
        F[5 * nv + j] = F[5 * nv + j] - u.v2 * row[j];
      }
      F[v + k] = u.w0, F[nv + v + k] = u.w1, F[2 * nv + v + k] = u.w2;
      F[3 * nv + v + k] = u.v0, F[4 * nv + v + k] = u.v1, F[5 * nv + v + k] = u.v2;
    }
    if (n == 1) {
      S* row = W + v * nv;
      for (int j = v + 1; j < end; ++j) row[j] = -(D_inv[0] * row[j]);
      row[v] = D_inv[0];
    } else {
      for (int j = v + n; j < end; ++j) {
        S t[6];
        for (int k = 0; k < n; ++k) t[k] = W[(v + k) * nv + j];
        for (int k = 0; k < n; ++k) {
          S sum = D_inv[6 * k] * t[0];
          for (int l = 1; l < n; ++l) sum = sum + D_inv[6 * k + l] * t[l];
          W[(v + k) * nv + j] = -sum;
        }
      }
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l) W[(v + k) * nv + v + l] = D_inv[6 * k + l];
    }
    if (link.parent < 0) return;
    const Vec d = work.links[i].d;
    const S dx = Sp::x(d), dy = Sp::y(d), dz = Sp::z(d);
    for (int j = v; j < end; ++j) {
      const S fx = F[3 * nv + j], fy = F[4 * nv + j], fz = F[5 * nv + j];
      F[j] = F[j] + (dy * fz - dz * fy);
      F[nv + j] = F[nv + j] + (dz * fx - dx * fz);
      F[2 * nv + j] = F[2 * nv + j] + (dx * fy - dy * fx);
    }
  };
  if (const int i = articulated_inward<Sp, false>(pass, work, inward); i >= 0) return i;

  int root_begin = 0, root_end = 0;
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    const int v = link.v, n = link.nv;
    S* to = P + 6 * nv * link.slot;
    if (link.parent < 0) {
      root_begin = v, root_end = link.end_v;
      for (int c = 0; c < 6; ++c)
        for (int j = v; j < root_end; ++j) to[c * nv + j] = S(0);
    } else {
      const S* from = P + 6 * nv * links[link.parent].slot;
      const Vec d = work.links[i].d;
      const S dx = Sp::x(d), dy = Sp::y(d), dz = Sp::z(d);
      for (int j = v; j < root_end; ++j) {
        const S wx = from[j], wy = from[nv + j], wz = from[2 * nv + j];
        to[j] = wx, to[nv + j] = wy, to[2 * nv + j] = wz;
        to[3 * nv + j] = from[3 * nv + j] + (wy * dz - wz * dy);
        to[4 * nv + j] = from[4 * nv + j] + (wz * dx - wx * dz);
        to[5 * nv + j] = from[5 * nv + j] + (wx * dy - wy * dx);
      }
      for (int k = 0; k < n; ++k) {
        const Column u = weight(i, k);
        S* row = W + (v + k) * nv;
        const auto along = [&](int j) {
          return ((u.w0 * to[j] + u.w1 * to[nv + j]) + (u.w2 * to[2 * nv + j] + u.v0 * to[3 * nv + j])) +
                 (u.v1 * to[4 * nv + j] + u.v2 * to[5 * nv + j]);
        };
        for (int j = v; j < link.end_v; ++j) row[j] = row[j] - along(j);
        for (int j = link.end_v; j < root_end; ++j) row[j] = -along(j);
      }
    }
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < root_begin; ++j) W[(v + k) * nv + j] = W[j * nv + v + k] = S(0);
      const Column X = screw(i, k);
      const S* row = W + (v + k) * nv;
      for (int j = v; j < root_end; ++j) {
        to[j] = to[j] + X.w0 * row[j];
        to[nv + j] = to[nv + j] + X.w1 * row[j];
        to[2 * nv + j] = to[2 * nv + j] + X.w2 * row[j];
        to[3 * nv + j] = to[3 * nv + j] + X.v0 * row[j];
        to[4 * nv + j] = to[4 * nv + j] + X.v1 * row[j];
        to[5 * nv + j] = to[5 * nv + j] + X.v2 * row[j];
      }
      for (int j = v + n; j < root_end; ++j) W[j * nv + v + k] = row[j];
    }
  }
  return -1;
}
template <class Sp, class Real>
std::size_t mass_matrix_inverse_work(const Tree<Real>& tree) {
  const auto nv = static_cast<std::size_t>(tree.nv);
  return ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, tree.nv) +
         6 * nv * static_cast<std::size_t>(1 + tree.slots) * sizeof(typename Sp::S);
}
