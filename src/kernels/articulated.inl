// Included by dynamics.inl. Articulated bodies in the axes of the root link, each link about its own
// origin, so that nothing is rotated on the way inward and precision does not depend on where the
// mechanism stands. An articulated inertia maps (w; v) to
//
//   n = A w + G^T v,   f = G w + C v          A, C symmetric
//
// Joint with screw (z; s):  U = (A z + G^T s; G z + C s),  D = z.U_n + s.U_f; it transmits
//
//   A - U_n U_n^T / D,   G - U_f U_n^T / D,   C - U_f U_f^T / D                                  (1)
//
// and moving the pole inward by d, Q = C d~ / 2, H = G - Q, Y = d~ H (twice the shift is halfway):
//
//   G' = H - Q,   A' = A + Y + Y^T                                                               (2)

template <class Sp>
struct Articulated {
  typename Sp::Sym A;
  typename Sp::Mat G;
  typename Sp::Sym C;
};
template <class Sp>
CHASLES_INLINE Articulated<Sp> operator+(const Articulated<Sp>& a, const Articulated<Sp>& b) {
  return {a.A + b.A, a.G + b.G, a.C + b.C};
}
template <class Sp>
CHASLES_INLINE Six<Sp> operator*(const Articulated<Sp>& I, const Six<Sp>& x) {
  return {I.A * x.w + Sp::back_times(I.G, x.v), I.G * x.w + I.C * x.v};
}
/// (1), with u = U / D.
template <class Sp>
CHASLES_INLINE void project(Articulated<Sp>& I, const Six<Sp>& U, const Six<Sp>& u) {
  I.A = Sp::minus_outer(I.A, U.w, u.w);
  I.G = Sp::minus_outer(I.G, U.v, u.w);
  I.C = Sp::minus_outer(I.C, U.v, u.v);
}
/// (2).
template <class Sp>
CHASLES_INLINE void shift(Articulated<Sp>& I, const typename Sp::Vec& d) {
  const typename Sp::Mat Q = Sp::half_times_hat(I.C, d), H = I.G - Q;
  I.A = Sp::plus_twice_hat_times(I.A, d, H);
  I.G = H - Q;
}

template <class Sp>
struct ArticulatedLink {
  typename Sp::Sym E;      // Binet tensor in root axes
  typename Sp::Vec c, d;   // first moment; origin from the parent's
  typename Sp::Mat R;
  Six<Sp> bias;            // wrench at zero joint acceleration
  Six<Sp> u;               // U / D of a joint with one screw
  typename Sp::S x;        // (tau - bias along the screw) / D of such a joint
};
/// Of an entry of v of a joint with several screws, in root axes.
template <class Sp>
struct ArticulatedScrew {
  Six<Sp> X, u;            // screw; column of U D^-1
  typename Sp::S x;        // entry of D^-1 (tau - bias along the screws)
};
template <class Sp>
struct ArticulatedMotion {
  typename Sp::Vec w, al, a;
  typename Sp::Mat O;
};

template <class Sp>
struct ArticulatedWork {
  using Real = typename Sp::Real;
  ArticulatedLink<Sp>* links;
  ArticulatedScrew<Sp>* screws;        // nv
  Articulated<Sp>* extra;              // sum of what children other than the next link transmit
  ArticulatedMotion<Sp>* motions;      // of links that branch; then their acceleration increments
  Real* angles;
  ArticulatedWork(Real* work, std::size_t count, int nv)
      : links(reinterpret_cast<ArticulatedLink<Sp>*>(work)),
        screws(reinterpret_cast<ArticulatedScrew<Sp>*>(links + count)),
        extra(reinterpret_cast<Articulated<Sp>*>(screws + nv)),
        motions(reinterpret_cast<ArticulatedMotion<Sp>*>(extra + count)),
        angles(reinterpret_cast<Real*>(motions + count)) {}
  static std::size_t bytes(std::size_t count, int nq, int nv) {
    return count * (sizeof(ArticulatedLink<Sp>) + sizeof(Articulated<Sp>) +
                    sizeof(ArticulatedMotion<Sp>)) +
           static_cast<std::size_t>(nv) * sizeof(ArticulatedScrew<Sp>) +
           static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(Real);
  }
};

/// From the root outward: frames, inertias; with Bias the wrenches at zero joint acceleration, by the
/// recursion of inverse_dynamics.inl in root axes.
template <class Sp, bool Bias>
CHASLES_INLINE void articulated_outward(const Pass<typename Sp::Real>& pass,
                                        const ArticulatedWork<Sp>& work) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const int count = static_cast<int>(tree.links.size());
  const Angles<Sp> angles(pass.q, tree.nq, work.angles);
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  ArticulatedMotion<Sp> m;
  typename Sp::Mat R;
  for (int i = 0; i < count; ++i) {
    const auto& link = tree.links[static_cast<std::size_t>(i)];
    ArticulatedLink<Sp>& out = work.links[i];
    if (link.parent < 0) {
      // The axes are those of this link.
      R = Sp::identity();
      out.d = zero;
      if constexpr (Bias) {
        typename Sp::Mat T = constant_matrix<Sp>(link.C);
        Vec d = zero;
        move<Sp>(pass, angles, link, link.motion, T, d);
        m = {zero, zero, -Sp::back_times(T, Sp::constant(tree.gravity)), {zero, zero, zero}};
      }
      out.E = Sp::sym(link.E_diag, link.E_off);
      out.c = Sp::constant(link.mc);
    } else {
      if (link.parent != i - 1) {
        R = work.links[link.parent].R;
        if constexpr (Bias) m = work.motions[link.parent];
      }
      typename Sp::Mat T{Sp::times(R, link.C[0]), Sp::times(R, link.C[1]), Sp::times(R, link.C[2])};
      Vec d = Sp::times(R, link.r);
      move<Sp>(pass, angles, link, link.motion, T, d);
      R = T;
      out.d = d;
      out.E = Sp::rotated(R, link.E_diag, link.E_off);
      out.c = Sp::times(R, link.mc);
      if constexpr (Bias) m.a += m.O * d;
    }
    out.R = R;
    if constexpr (Bias) {
      const Vec w = m.w;
      if (link.motion <= LinkMotion::screw) {
        const Vec u = Sp::load(pass.v, link.v) * R.c2;
        if (link.motion != LinkMotion::slide) {
          m.w += u;
          m.al += cross(w, u);
        }
        if (link.motion == LinkMotion::slide) m.a += cross(w + w, u);
        if (link.motion == LinkMotion::screw) m.a += S(link.E_off[3]) * cross(w + w, u);
      } else {
        const Six<Sp> b = group_twist<Sp>(pass, link, pass.v);
        Six<Sp> bd{zero, zero};
        add_screw_rate<Sp>(pass, link, bd);
        const Six<Sp> u{R * b.w, R * b.v};
        m.w += u.w;
        m.al += cross(w, u.w) + R * bd.w;
        m.a += cross(w + m.w, u.v) + R * bd.v;
      }
      m.O = Sp::omega(m.w, m.al);
      out.bias.v = S(link.mc[3]) * m.a + m.O * out.c;
      out.bias.w = cross(out.c, m.a) + Sp::spin(m.O, out.E, S(link.E_diag[3]), m.w, m.al);
      if (pass.wrench) {
        out.bias.w -= R * Sp::load_vec(pass.wrench, 6 * i);
        out.bias.v -= R * Sp::load_vec(pass.wrench, 6 * i + 3);
      }
      if (link.branches) work.motions[i] = m;
    }
  }
}

/// A symmetric positive definite matrix of at most 6 rows, factored in place as L D L^T.
template <class S>
struct Small {
  S a[6][6];
  /// False if a pivot is not above `tiny` times the diagonal entry it came from.
  CHASLES_INLINE bool factor(int n, const S& tiny) {
    bool regular = true;
    for (int j = 0; j < n; ++j) {
      const S before = a[j][j];
      S pivot = before, scaled[6];
      for (int k = 0; k < j; ++k) {
        scaled[k] = a[j][k] * a[k][k];  // a[k][k] holds D_k
        pivot = pivot - scaled[k] * a[j][k];
      }
      regular = regular && all_above(pivot, tiny * before);
      a[j][j] = pivot;
      const S inverse = S(1) / pivot;
      for (int i = j + 1; i < n; ++i) {
        S sum = a[i][j];
        for (int k = 0; k < j; ++k) sum = sum - a[i][k] * scaled[k];
        a[i][j] = sum * inverse;
      }
    }
    return regular;
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

/// A joint with several screws: its columns, and what its articulated body transmits.
template <class Sp, bool Bias>
bool articulated_group(const Pass<typename Sp::Real>& pass, const ArticulatedWork<Sp>& work, int i,
                       Articulated<Sp>& I, Six<Sp>& bias, typename Sp::S* inverse) {
  using S = typename Sp::S;
  const auto& link = pass.tree->links[static_cast<std::size_t>(i)];
  const int n = link.nv;
  ArticulatedScrew<Sp>* screws = work.screws + link.v;
  Six<Sp> U[6];
  Small<S> D;
  for (int k = 0; k < n; ++k) {
    const Six<Sp> X = group_screw<Sp>(pass, link, k);
    screws[k].X = {work.links[i].R * X.w, work.links[i].R * X.v};
    U[k] = I * screws[k].X;
    for (int l = 0; l <= k; ++l)
      D.a[k][l] = dot(screws[l].X.w, U[k].w) + dot(screws[l].X.v, U[k].v);
  }
  if (!D.factor(n, S(singular<typename Sp::Real>))) return false;
  for (int k = 0; k < n; ++k) {
    S column[6];
    for (int l = 0; l < n; ++l) column[l] = S(l == k ? 1 : 0);
    D.solve(n, column);
    Six<Sp> u{column[0] * U[0].w, column[0] * U[0].v};
    for (int l = 1; l < n; ++l) u.w += column[l] * U[l].w, u.v += column[l] * U[l].v;
    screws[k].u = u;
    if (inverse)
      for (int l = 0; l < n; ++l) inverse[l * 6 + k] = column[l];
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
  for (int k = 0; k < n; ++k) project(I, U[k], screws[k].u);
  return true;
}

/// From the leaves inward: (1) and (2). Calls each(i, D^-1), rows of six numbers, for every joint.
/// Returns the first link that moves no inertia, or -1.
template <class Sp, bool Bias, class Each>
CHASLES_INLINE int articulated_inward(const Pass<typename Sp::Real>& pass,
                                      const ArticulatedWork<Sp>& work, const Each& each) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const auto* links = pass.tree->links.data();
  const int count = static_cast<int>(pass.tree->links.size());
  const S tiny(singular<Real>);
  Articulated<Sp> I{};
  Six<Sp> bias{};
  S D_inv[36];
  for (int i = count - 1; i >= 0; --i) {
    const auto& link = links[i];
    ArticulatedLink<Sp>& in = work.links[i];
    const bool carried = i + 1 < count && links[i + 1].parent == i;
    const S m(link.mc[3]);
    const auto A = Sp::complement(S(link.E_diag[3]), in.E);
    if (carried) {
      I.A = I.A + A, I.G = Sp::minus_hat(I.G, in.c), I.C = Sp::plus_scalar(I.C, m);
      if constexpr (Bias) bias.w += in.bias.w, bias.v += in.bias.v;
    } else {
      const Vec zero = Sp::vec(S(0), S(0), S(0));
      I = {A, Sp::minus_hat({zero, zero, zero}, in.c), Sp::scalar(m)};
      if constexpr (Bias) bias = in.bias;
    }
    if (link.branches) I = I + work.extra[i];

    if (link.motion <= LinkMotion::screw) {
      const Vec z = in.R.c2;
      Six<Sp> U;
      S D, size, along(0);
      if (link.motion == LinkMotion::turn) {
        U = {I.A * z, I.G * z};
        D = dot(z, U.w), size = Sp::trace(I.A);
        if constexpr (Bias) along = dot(z, bias.w);
      } else if (link.motion == LinkMotion::slide) {
        U = {Sp::back_times(I.G, z), I.C * z};
        D = dot(z, U.v), size = Sp::trace(I.C);
        if constexpr (Bias) along = dot(z, bias.v);
      } else {
        const S h(link.E_off[3]);
        U = I * Six<Sp>{z, h * z};
        D = dot(z, U.w + h * U.v), size = Sp::trace(I.A);
        if constexpr (Bias) along = dot(z, bias.w + h * bias.v);
      }
      if (!all_above(D, tiny * size)) [[unlikely]] return i;
      const S inverse = D_inv[0] = S(1) / D;
      in.u = {inverse * U.w, inverse * U.v};
      each(i, D_inv);
      if constexpr (Bias) {
        in.x = (Sp::load(pass.force, link.v) - along) * inverse;
        bias.w += in.x * U.w;
        bias.v += in.x * U.v;
      }
      if (link.parent >= 0) project(I, U, in.u);
    } else {
      if (!articulated_group<Sp, Bias>(pass, work, i, I, bias, Bias ? nullptr : D_inv)) return i;
      each(i, D_inv);
    }
    if (link.parent < 0) continue;
    shift(I, in.d);
    if constexpr (Bias) bias.w += cross(in.d, bias.v);
    if (link.parent == i - 1) continue;
    work.extra[link.parent] = link.last ? I : work.extra[link.parent] + I;
    if constexpr (Bias) {
      Six<Sp>& to = work.links[link.parent].bias;
      to.w += bias.w, to.v += bias.v;
    }
  }
  return -1;
}
