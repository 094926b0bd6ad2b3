// Included by dynamics.inl. Articulated bodies in the axes of the root link, each link about its own origin,
// so that nothing is rotated in the inward pass and precision does not depend on the position of the
// mechanism. An articulated inertia maps (w; v) to
//
//   n = A w + G^T v,   f = G w + C v          A, C symmetric
//
// Joint with screw (z; s) and armature I_a:  U = (A z + G^T s; G z + C s),  D = z.U_n + s.U_f + I_a; it
// transmits
//
//   A - U_n U_n^T / D,   G - U_f U_n^T / D,   C - U_f U_f^T / D                                  (1)
//
// and moving the reference point inward by d, with H = G - C d~ / 2 (halfway) and Y = d~ H:
//
//   G' = 2 H - G,   A' = A + Y + Y^T                                                              (2)
#pragma once

#include "kernels/group_screws.inl"

template <class Sp>
struct Articulated {
  typename Sp::Block A;
  typename Sp::Mat G;
  typename Sp::Block C;
};
template <class Sp>
CHASLES_INLINE Six<Sp> operator*(const Articulated<Sp>& I, const Six<Sp>& x) {
  return {I.A * x.w + Sp::back_times(I.G, x.v), I.G * x.w + I.C * x.v};
}
/// (1), with u = U / D.
template <class Sp>
CHASLES_INLINE void project(typename Sp::Block& A, typename Sp::Mat& G, typename Sp::Block& C,
                            const Six<Sp>& U, const Six<Sp>& u) {
  A = Sp::minus_outer(A, u.w, U.w);
  G = Sp::minus_outer(G, u.v, U.w);
  C = Sp::minus_outer(C, u.v, U.v);
}
/// (1) for a joint with n screws, u(k) being column k of U D^-1 and X(k) screw k. A spherical joint and a floating body
/// transmit nothing along their screws, which are unit vectors, without armature; with it I_a u X^T. These are set
/// explicitly: computed by (1), they would have rounding errors of A times the condition of D, and A grows with the
/// squared distances of all descendants.
template <class Sp, class Columns, class Screws>
CHASLES_INLINE void project_screws(const LinkConstants<typename Sp::Real>& link, int n,
                                   Articulated<Sp>& I, const Six<Sp>* U, const Columns& u,
                                   const Screws& X) {
  using S = typename Sp::S;
  const bool ball = link.motion == LinkMotion::spherical;
  if (!ball && (n < 6 || (link.armature != 0 && given_as_data(link.motion)))) {
    for (int k = 0; k < n; ++k) project<Sp>(I.A, I.G, I.C, U[k], u(k));
    return;
  }
  if (ball)
    for (int k = 0; k < n; ++k) I.C = Sp::minus_outer(I.C, u(k).v, U[k].v);
  else
    I.C = Sp::scalar(S(0));
  I.A = Sp::scalar(S(0));
  I.G.c0 = I.G.c1 = I.G.c2 = Sp::vec(S(0), S(0), S(0));
  if (link.armature == 0) return;
  for (int k = 0; k < n; ++k) {
    const S less(-link.armature);
    const Six<Sp> with{less * u(k).w, less * u(k).v}, along = X(k);
    I.A = Sp::minus_outer(I.A, with.w, along.w);
    I.G = Sp::minus_outer(I.G, with.v, along.w);
    if (!ball) I.C = Sp::minus_outer(I.C, with.v, along.v);
  }
}
/// (2).
template <class Sp>
CHASLES_INLINE void shift(typename Sp::Block& A, typename Sp::Mat& G, const typename Sp::Block& C,
                          const typename Sp::Vec& d) {
  const typename Sp::Mat H = Sp::minus_half_times_hat(G, C, d);
  A = Sp::plus_twice_hat_times(A, d, H);
  G = Sp::twice_minus(H, G);
}

template <class Sp>
struct ArticulatedLink {
  typename Sp::Sym I;       // rotational inertia in root axes
  typename Sp::Vec column;  // I z, computed in link axes: accurate where a body is slender along z;
                            // with Pass::keep_factors, later 1 / D
  typename Sp::Vec c, d, z;  // first moment; origin from the parent's; axis
  union {
    Six<Sp> bias;  // wrench at zero joint acceleration; then
    Six<Sp> u;     // U / D of a joint with one screw
  };
  typename Sp::S x;  // (tau - bias along the screw) / D for one screw; without bias 1 / D
};
/// One entry of v of a joint with several screws, in root axes.
template <class Sp>
struct ArticulatedScrew {
  Six<Sp> X, u;               // screw; column of U D^-1
  typename Sp::S x;           // entry of D^-1 (tau - bias along the screws)
  typename Sp::S inverse[6];  // column of D^-1; for root links of the factors of D, if needed
};
template <class Sp>
struct ArticulatedMotion {
  typename Sp::Vec w, al, a;
  typename Sp::Mat O;
};

/// Error bounds, carried inward with the articulated inertia: the largest trace of A, and the error growth.
/// See "Singular joints" below.
template <class Sp>
struct Precision {
  typename Sp::S size, growth;
  CHASLES_INLINE Precision() : size(0), growth(1) {}
  CHASLES_INLINE void join(const Precision& other) {
    size = larger(size, other.size), growth = larger(growth, other.growth);
  }
};
template <class Sp>
struct ArticulatedWork {
  using Real = typename Sp::Real;
  ArticulatedLink<Sp>* links;
  typename Sp::Mat* R;             // per link
  ArticulatedScrew<Sp>* screws;    // nv
  Articulated<Sp>* extra;          // contributions of children other than link i + 1
  ArticulatedMotion<Sp>* motions;  // of branching links; later their acceleration increments
  Precision<Sp>* precision;        // of branching links
  Real* angles;
  ArticulatedWork(Real* work, std::size_t count, int nv)
      : links(reinterpret_cast<ArticulatedLink<Sp>*>(work)),
        R(reinterpret_cast<typename Sp::Mat*>(links + count)),
        screws(reinterpret_cast<ArticulatedScrew<Sp>*>(R + count)),
        extra(reinterpret_cast<Articulated<Sp>*>(screws + nv)),
        motions(reinterpret_cast<ArticulatedMotion<Sp>*>(extra + count)),
        precision(reinterpret_cast<Precision<Sp>*>(motions + count)),
        angles(reinterpret_cast<Real*>(precision + count)) {}
  static std::size_t bytes(std::size_t count, int nq, int nv) {
    return count *
               (sizeof(ArticulatedLink<Sp>) + sizeof(typename Sp::Mat) + sizeof(Articulated<Sp>) +
                sizeof(ArticulatedMotion<Sp>) + sizeof(Precision<Sp>)) +
           static_cast<std::size_t>(nv) * sizeof(ArticulatedScrew<Sp>) +
           static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(Real);
  }
};

/// Cylindrical joints: a link that is prismatic along the axis of its massless revolute parent may be far
/// from the parent's origin. Then the reference point of the parent moves along its axis by that distance, so
/// that its articulated inertia does not contain the squared distance. The distance is kept in `x` until the
/// joint is factored.
template <class Sp>
__attribute__((noinline)) void shift_cylindrical(const Pass<typename Sp::Real>& pass,
                                                 const ArticulatedWork<Sp>& work) {
  using S = typename Sp::S;
  const auto* links = pass.tree->links.data();
  for (const CylindricalPair& g : pass.tree->cylindrical_pairs) {
    const auto& child = links[g.child];
    ArticulatedLink<Sp>& at = work.links[g.link];
    const S q = Sp::load(pass.q, child.q), way = S(child.r[2]) + q * S(child.C[2][2]);
    at.x = way;
    const auto step = way * at.z;
    work.links[g.child].d = work.R[g.link] * Sp::vec(S(child.r[0]) + q * S(child.C[2][0]),
                                                     S(child.r[1]) + q * S(child.C[2][1]), S(0));
    for (int k = g.link + 1; k < g.end; ++k)
      if (links[k].parent == g.link && k != g.child) work.links[k].d -= step;
    at.d += step;
  }
}

/// Outward pass: frames and inertias in the axes of the root link.
template <class Sp>
CHASLES_INLINE void articulated_frames(const Pass<typename Sp::Real>& pass,
                                       const ArticulatedWork<Sp>& work, const Angles<Sp>& angles) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const auto* links = pass.tree->links.data();
  const int count = static_cast<int>(pass.tree->links.size());
  typename Sp::Mat R = Sp::identity();
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    ArticulatedLink<Sp>& out = work.links[i];
    if (link.parent < 0) {
      R = Sp::identity();
      out.d = Sp::vec(S(0), S(0), S(0));
    } else {
      if (link.parent != i - 1) R = work.R[link.parent];
      typename Sp::Mat T{Sp::times(R, link.C[0]), Sp::times(R, link.C[1]), Sp::times(R, link.C[2])};
      Vec d = Sp::times(R, link.r);
      move<Sp>(pass, angles, link, link.motion, T, d);
      R = T;
      out.d = d;
    }
    out.z = R.c2;
    work.R[i] = R;
  }
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    ArticulatedLink<Sp>& out = work.links[i];
    if (link.parent < 0) {
      out.I = Sp::sym(link.I_diag, link.I_off);
      out.column = Sp::vec(S(link.I_off[2]), S(link.I_off[1]), S(link.I_diag[2]));
      out.c = Sp::constant(link.mc);
    } else {
      out.I = Sp::rotated(work.R[i], link.I_diag, link.I_off, out.column);
      out.c = Sp::times(work.R[i], link.mc);
    }
  }
  if (!pass.tree->cylindrical_pairs.empty()) [[unlikely]]
    shift_cylindrical<Sp>(pass, work);
}

/// Bias wrenches, at zero joint acceleration, by the recursion of inverse_dynamics.inl in root axes.
template <class Sp>
CHASLES_INLINE void articulated_bias(const Pass<typename Sp::Real>& pass,
                                     const ArticulatedWork<Sp>& work, const Angles<Sp>& angles) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const auto* links = pass.tree->links.data();
  const int count = static_cast<int>(pass.tree->links.size());
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  Vec w = zero, al = zero, a = zero;
  typename Sp::Mat O{zero, zero, zero};
  const auto outward = [&](auto turn, int i) {
    const auto& link = links[i];
    const LinkMotion motion = turn ? LinkMotion::revolute : link.motion;
    ArticulatedLink<Sp>& out = work.links[i];
    a = Sp::plus_times(a, O, out.d);
    if (one_screw(motion)) {
      const Vec u = Sp::load(pass.v, link.v) * out.z;
      if (motion == LinkMotion::prismatic) a += cross(w + w, u);
      if (motion == LinkMotion::helical) a += S(link.pitch()) * cross(w + w, u);
      if (motion != LinkMotion::prismatic) {
        al = Sp::plus_cross(al, w, u);
        w += u;
      }
    } else if (motion == LinkMotion::floating_so3xr3) {
      const Vec u = work.R[i] * Sp::load_vec(pass.v, link.v);
      if (link.parent >= 0)
        a += cross(w + w,
                   work.R[link.parent] *
                       position_axes<Sp>(pass, link).in_parent(Sp::load_vec(pass.v, link.v + 3)));
      al += cross(w, u);
      w += u;
    } else {
      const typename Sp::Mat R = work.R[i];
      const GroupScrews<Sp> X(pass, link);
      const Six<Sp> b = X.twist(pass.v);
      Six<Sp> bd{zero, zero};
      X.add_rate(bd);
      const Six<Sp> u{R * b.w, R * b.v};
      a += cross(w + w + u.w, u.v) + R * bd.v;
      al += cross(w, u.w) + R * bd.w;
      w += u.w;
    }
    O = Sp::omega(w, al);
    out.bias.v = Sp::plus_times(S(link.mass()) * a, O, out.c);
    out.bias.w = Sp::moment(out.c, a, O, Sp::turning(out.I, S(link.trace())), w, al);
  };
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    if (link.parent < 0) {
      // Root axes are the axes of this link.
      typename Sp::Mat T = constant_matrix<Sp>(link.C);
      Vec d = zero;
      move<Sp>(pass, angles, link, link.motion, T, d);
      w = zero, al = zero, a = -Sp::back_times(T, Sp::constant(pass.tree->gravity));
      O = {zero, zero, zero};
    } else if (link.parent != i - 1) {
      const ArticulatedMotion<Sp>& p = work.motions[link.parent];
      w = p.w, al = p.al, a = p.a, O = p.O;
    }
    if (link.motion == LinkMotion::revolute)
      outward(Yes(), i);
    else
      outward(No(), i);
    if (link.branches) work.motions[i] = {w, al, a, O};
  }
}

/// A symmetric positive definite matrix of at most 6 rows, factored in place as L D L^T.
template <class S>
struct Small {
  S a[6][6];
  CHASLES_INLINE void factor(int n) {
    for (int j = 0; j < n; ++j) {
      S pivot = a[j][j], scaled[6];
      for (int k = 0; k < j; ++k) {
        scaled[k] = a[j][k] * a[k][k];  // a[k][k] holds D_k
        pivot = pivot - scaled[k] * a[j][k];
      }
      a[j][j] = pivot;
      const S inverse = S(1) / pivot;
      for (int i = j + 1; i < n; ++i) {
        S sum = a[i][j];
        for (int k = 0; k < j; ++k) sum = sum - a[i][k] * scaled[k];
        a[i][j] = sum * inverse;
      }
    }
  }
  CHASLES_INLINE void solve(int n, S* x) const {
    for (int i = 1; i < n; ++i)
      for (int k = 0; k < i; ++k) x[i] = x[i] - a[i][k] * x[k];
    for (int i = n - 1; i >= 0; --i) {
      x[i] = x[i] / a[i][i];
      for (int k = i + 1; k < n; ++k) x[i] = x[i] - a[k][i] * x[k];
    }
  }
};

// Singular joints. The pivot D of joint i is the diagonal entry M_ii of the mass matrix, the inertia of the
// whole subtree, reduced by the projections (1) of the joints beyond it. It counts as zero if it is less than
// `singular` M_ii or less than the rounding errors in it. As D = x.M x with x_i = 1
// and the accelerations x_k of the joints beyond i at which their forces vanish, these errors are
//
//   roundings of  J' + sum of x_k^2 J_k,     J = integral of x.x dm over the subtree of a joint
//
// where J' excludes the link itself, whose contribution to the pivot of a single screw is exact. These sums
// are not computed during the pass; bounds are. For all states
//
//   M_ii <= 2 B^2 + m far,   far = 2 n sum of d.d over the n displaced links
//
// with B of LinkConstants, and errors are at most roundings of the largest trace of any A so far, times the
// largest ratio of a trace to the pivot that divided it (Precision). Only pivots that do not clearly exceed
// both bounds are examined.

/// Whether the pivot D of a screw X of link i clearly exceeds both thresholds.
template <class Sp>
__attribute__((noinline)) bool stands_out(const Tree<typename Sp::Real>& tree,
                                          const ArticulatedWork<Sp>& work, int i, Six<Sp> X,
                                          typename Sp::S D) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const auto* links = tree.links.data();
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  // `motions` are unused during the inward pass. Here w is the origin relative to that of link i, (al; a) the
  // acceleration, and O holds the first moment and J of the subtree.
  const auto moment = [&](int k) -> Vec& { return work.motions[k].O.c0; };
  const auto J = [&](int k) { return Sp::x(work.motions[k].O.c1); };
  int end = i + 1;
  while (end < static_cast<int>(tree.links.size()) && links[end].parent >= i) ++end;
  for (int k = i; k < end; ++k) {
    moment(k) = work.links[k].c;
    work.motions[k].O.c1 = Sp::vec(S(links[k].trace()), S(0), S(0));
  }
  for (int k = end - 1; k > i; --k) {
    const int p = links[k].parent;
    const Vec d = work.links[k].d, c = moment(k);
    const S m(links[k].carried());
    work.motions[p].O.c1 = Sp::vec(J(p) + (J(k) + dot(d, c + c) + m * dot(d, d)), S(0), S(0));
    moment(p) += c + m * d;
  }
  S M(links[i].armature), size = J(i);
  if (one_screw(links[i].motion)) size = size - S(links[i].trace());
  for (int k = i; k < end; ++k) {
    const auto& link = links[k];
    const ArticulatedLink<Sp>& in = work.links[k];
    ArticulatedMotion<Sp>& at = work.motions[k];
    const S m(link.carried());
    Six<Sp> y = X;
    at.w = zero;
    if (k > i) {
      const ArticulatedMotion<Sp>& p = work.motions[link.parent];
      at.w = p.w + in.d;
      y.w = p.al, y.v = p.a + cross(p.al, in.d);
    }
    const Vec v = X.v + cross(X.w, at.w);
    M = M + (dot(X.w, in.I * X.w) + S(link.mass()) * dot(v, v) + S(2) * dot(v, cross(X.w, in.c)));
    if (k > i) {
      const Six<Sp> before = y;
      for (int j = 0; j < link.nv; ++j) {
        Six<Sp> Z{in.z, zero}, u = in.u;
        if (link.motion == LinkMotion::prismatic) Z.w = zero, Z.v = in.z;
        if (link.motion == LinkMotion::helical) Z.v = S(link.pitch()) * in.z;
        if (!one_screw(link.motion)) Z = work.screws[link.v + j].X, u = work.screws[link.v + j].u;
        const S x = -Sp::dot(u.w, before.w, u.v, before.v);
        size = size + x * x * (dot(Z.w, Z.w) * J(k) + dot(Z.v, Z.v) * m);
        y.w += x * Z.w, y.v += x * Z.v;
      }
    }
    at.al = y.w, at.a = y.v;
  }
  return all_above(D, S(singular<Real>) * M) && all_above(D, S(rounding<Real>) * size);
}
/// `far` of the bound above, from the displaced links.
template <class Sp>
CHASLES_INLINE typename Sp::S farthest(const Tree<typename Sp::Real>& tree,
                                       const ArticulatedWork<Sp>& work) {
  typename Sp::S sum(0);
  for (const int k : tree.displaced) sum = sum + dot(work.links[k].d, work.links[k].d);
  return typename Sp::S(static_cast<typename Sp::Real>(2 * tree.displaced.size())) * sum;
}

/// Screws X of a joint with several, in root axes.
template <class Sp>
CHASLES_INLINE void group_screws(const Pass<typename Sp::Real>& pass,
                                 const ArticulatedWork<Sp>& work, int i,
                                 ArticulatedScrew<Sp>* screws) {
  using S = typename Sp::S;
  const auto& link = pass.tree->links[static_cast<std::size_t>(i)];
  const typename Sp::Mat R = work.R[i];
  if (given_as_data(link.motion)) {
    const GroupScrews<Sp> own(pass, link);
    for (int k = 0; k < link.nv; ++k) {
      const Six<Sp> X = own[k];
      screws[k].X = {R * X.w, R * X.v};
    }
    return;
  }
  const auto zero = Sp::vec(S(0), S(0), S(0));
  screws[0].X = {R.c0, zero}, screws[1].X = {R.c1, zero}, screws[2].X = {R.c2, zero};
  if (link.motion == LinkMotion::spherical) return;
  typename Sp::Mat L = R;
  if (link.motion == LinkMotion::floating_so3xr3) {
    if (link.parent >= 0)
      L = product<Sp>(work.R[link.parent],
                      constant_matrix<Sp>(position_axes<Sp>(pass, link).axes.in_parent));
    else  // root axes are its own
      L = GroupScrews<Sp>(pass, link).position();
  }
  screws[3].X = {zero, L.c0}, screws[4].X = {zero, L.c1}, screws[5].X = {zero, L.c2};
}
/// A joint with several screws: its columns, and the articulated inertia it transmits.
template <class Sp, bool Bias>
__attribute__((noinline)) bool articulated_group(const Pass<typename Sp::Real>& pass,
                                                 const ArticulatedWork<Sp>& work,
                                                 const typename Sp::S& far, int i,
                                                 Articulated<Sp>& I, Six<Sp>& bias,
                                                 Precision<Sp>& precision) {
  using S = typename Sp::S;
  const auto& link = pass.tree->links[static_cast<std::size_t>(i)];
  const int n = link.nv;
  ArticulatedScrew<Sp>* screws = work.screws + link.v;
  Six<Sp> U[6];
  Small<S> D;
  group_screws<Sp>(pass, work, i, screws);
  for (int k = 0; k < n; ++k) {
    U[k] = I * screws[k].X;
    for (int l = 0; l <= k; ++l)
      D.a[k][l] = dot(screws[l].X.w, U[k].w) + dot(screws[l].X.v, U[k].v);
    D.a[k][k] = D.a[k][k] + S(link.armature);
  }
  D.factor(n);
  const S m(link.carried()), most = S(link.reach()) + m * far;
  precision.size = larger(precision.size, Sp::trace(I.A));
  S growth = precision.growth;
  for (int k = 0; k < n; ++k) {
    const Six<Sp> X = screws[k].X;
    const S D_k = D.a[k][k], ww = dot(X.w, X.w), vv = dot(X.v, X.v),
            size = ww * precision.size + vv * m,
            error = S(rounding<typename Sp::Real>) * precision.growth * size;
    if (!all_above(D_k, S(2) * S(singular<typename Sp::Real>) * (ww * most + vv * m) + error))
        [[unlikely]]
      if (!stands_out<Sp>(*pass.tree, work, i, X, D_k)) return false;
    growth = larger(growth, size / D_k);
  }
  precision.growth = growth;
  // A root link transmits nothing further, and its acceleration needs only a solve with D, not D^-1.
  const bool to_ground = Bias && link.parent < 0;
  const auto zero = Sp::vec(S(0), S(0), S(0));
  for (int k = 0; k < n; ++k) {
    if (to_ground) {
      screws[k].u.w = zero, screws[k].u.v = zero;
      if (pass.keep_factors)
        for (int l = 0; l <= k; ++l) screws[k].inverse[l] = D.a[k][l];
      continue;
    }
    S* column = screws[k].inverse;
    for (int l = 0; l < n; ++l) column[l] = S(l == k ? 1 : 0);
    D.solve(n, column);
    Six<Sp> u{column[0] * U[0].w, column[0] * U[0].v};
    for (int l = 1; l < n; ++l) u.w += column[l] * U[l].w, u.v += column[l] * U[l].v;
    screws[k].u = u;
  }
  if constexpr (Bias) {
    S x[6];
    for (int k = 0; k < n; ++k)
      x[k] = Sp::load(pass.force, link.v + k) -
             (dot(screws[k].X.w, bias.w) + dot(screws[k].X.v, bias.v));
    D.solve(n, x);
    for (int k = 0; k < n; ++k) {
      screws[k].x = x[k];
      bias.w += x[k] * U[k].w, bias.v += x[k] * U[k].v;
    }
  }
  if (to_ground) return true;
  project_screws<Sp>(
      link, n, I, U, [&](int k) -> const Six<Sp>& { return screws[k].u; },
      [&](int k) -> const Six<Sp>& { return screws[k].X; });
  return true;
}

/// Inward pass: (1) and (2). Returns the first link with a singular joint inertia, or -1.
template <class Sp, bool Bias>
CHASLES_INLINE int articulated_inward(const Pass<typename Sp::Real>& pass,
                                      const Pass<typename Sp::Real>& arguments,
                                      const ArticulatedWork<Sp>& work) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const auto* links = pass.tree->links.data();
  const int count = static_cast<int>(pass.tree->links.size());
  const S tiny(singular<Real>), far = farthest<Sp>(*pass.tree, work);
  Precision<Sp> precision;
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  typename Sp::Block A = Sp::scalar(S(0)), C = A;
  typename Sp::Mat G{zero, zero, zero};
  Six<Sp> bias{zero, zero};
  for (int i = count - 1; i >= 0; --i) {
    const auto& link = links[i];
    ArticulatedLink<Sp>& in = work.links[i];
    const bool carried = i + 1 < count && links[i + 1].parent == i;
    const S m(link.mass());
    if (!carried) {
      A = C = Sp::scalar(S(0));
      G.c0 = G.c1 = G.c2 = zero;
      precision = {};
      if constexpr (Bias) bias.w = bias.v = zero;
    }
    G = Sp::minus_hat(G, in.c);
    C = Sp::plus_scalar(C, m);
    if constexpr (Bias) bias.w += in.bias.w, bias.v += in.bias.v;
    if (link.branches) {
      const Articulated<Sp>& extra = work.extra[i];
      A = A + extra.A, G = G + extra.G, C = C + extra.C;
      precision.join(work.precision[i]);
    }

    if (one_screw(link.motion)) {
      // A sums only the children so far: the link's own part of U and D is added from link axes, where it is
      // exact.
      const Vec z = in.z;
      const S h(link.pitch()), load(link.carried());
      Six<Sp> U;
      S D, bound, size, along(0);
      const S trace = Sp::trace(A);
      precision.size = larger(precision.size, trace);
      if (link.motion == LinkMotion::revolute) {
        const Vec Az = A * z;
        U.w = Az + in.column, U.v = G * z;
        D = dot(z, Az) + S(link.own_D);
        bound = S(link.reach()) + load * far, size = precision.size;
        if constexpr (Bias) along = dot(z, bias.w);
      } else if (link.motion == LinkMotion::prismatic) {
        U.w = Sp::back_times(G, z), U.v = C * z;
        D = dot(z, U.v) + S(link.armature), bound = size = load;
        if constexpr (Bias) along = dot(z, bias.v);
      } else {
        const Vec Az = A * z, Gz = h * Sp::back_times(G, z);
        U.w = (Az + in.column) + Gz, U.v = G * z + h * (C * z);
        D = (dot(z, Az) + S(link.own_D)) + dot(z, Gz + h * U.v);
        bound = S(2) * (S(link.reach()) + load * far + h * h * load);
        size = precision.size + h * h * load;
        if constexpr (Bias) along = dot(z, bias.w + h * bias.v);
      }
      const S error = S(rounding<Real>) * precision.growth * size;
      if (!all_above(D, tiny * bound + error)) [[unlikely]] {
        Six<Sp> X{z, zero};
        if (link.motion == LinkMotion::prismatic) X.w = zero, X.v = z;
        if (link.motion == LinkMotion::helical) X.v = h * z;
        if (!stands_out<Sp>(*pass.tree, work, i, X, D)) return i;
      }
      A = A + Sp::block(in.I);
      const S inverse = S(1) / D;
      precision.size = larger(precision.size, trace + S(2 * link.trace()));
      precision.growth = larger(precision.growth, size * inverse);
      in.u = {inverse * U.w, inverse * U.v};
      if constexpr (Bias) {
        in.x = (Sp::load(pass.force, link.v) - along) * inverse;
        if (pass.keep_factors) in.column = Sp::vec(inverse, S(0), S(0));
        bias.w += in.x * U.w;
        bias.v += in.x * U.v;
      } else {
        in.x = inverse;
      }
      if (link.parent >= 0) project<Sp>(A, G, C, U, in.u);
    } else {
      Articulated<Sp> I{A + Sp::block(in.I), G, C};
      Six<Sp> b = bias;
      if (!articulated_group<Sp, Bias>(arguments, work, far, i, I, b, precision)) return i;
      A = I.A, G = I.G, C = I.C, bias = b;
    }
    if (link.parent < 0) continue;
    shift<Sp>(A, G, C, in.d);
    if constexpr (Bias) bias.w = Sp::plus_cross(bias.w, in.d, bias.v);
    if (link.parent == i - 1) continue;
    Articulated<Sp>& extra = work.extra[link.parent];
    if (link.last) {
      extra.A = A, extra.G = G, extra.C = C;
      work.precision[link.parent] = precision;
    } else {
      extra.A = extra.A + A, extra.G = extra.G + G, extra.C = extra.C + C;
      work.precision[link.parent].join(precision);
    }
    if constexpr (Bias) {
      Six<Sp>& to = work.links[link.parent].bias;
      to.w += bias.w, to.v += bias.v;
    }
  }
  return -1;
}
