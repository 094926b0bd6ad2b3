// Included by dynamics.inl. Composite bodies in the frame of the root link, all about its origin: no
// transformations between links, and M does not depend on where the root stands. Per link, E = Binet
// tensor and h = R c + m p / 2 (c first moment):
//
//   c' = R c + m p,   E' = R E R^T + p h^T + h p^T       summed over descendants
//   screw (z; s), s = p x z:   n = c' x s + (tr E' 1 - E') z,   f = m s - c' x z
//   M_ij = z_j.n_i + s_j.f_i                             for ancestors j of i

template <class Sp>
struct CompositeLink {
  typename Sp::Mat R;
  typename Sp::Vec p, c;
  typename Sp::Sym E;
  typename Sp::S m;
};

template <class Sp>
__attribute__((flatten)) int run_mass_matrix(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // a copy that no store can change
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size()), nv = tree.nv;
  auto* stored = reinterpret_cast<CompositeLink<Sp>*>(pass.work);
  S* z = reinterpret_cast<S*>(stored + count);  // of all entries of v: six rows
  const Angles<Sp> angles(pass.q, tree.nq, reinterpret_cast<Real*>(z + 6 * nv));
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  const auto put = [&](int k, const Vec& w, const Vec& v) {
    z[k] = Sp::x(w), z[nv + k] = Sp::y(w), z[2 * nv + k] = Sp::z(w);
    z[3 * nv + k] = Sp::x(v), z[4 * nv + k] = Sp::y(v), z[5 * nv + k] = Sp::z(v);
  };

  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    CompositeLink<Sp>& out = stored[i];
    out.m = S(link.mc[3]);
    if (link.parent < 0) {
      out.R = Sp::identity();
      out.p = zero;
      out.c = Sp::constant(link.mc);
      out.E = Sp::sym(link.E_diag, link.E_off);
    } else {
      const CompositeLink<Sp>& parent = stored[link.parent];
      typename Sp::Mat T{Sp::times(parent.R, link.C[0]), Sp::times(parent.R, link.C[1]),
                         Sp::times(parent.R, link.C[2])};
      Vec d = Sp::times(parent.R, link.r);
      move<Sp>(pass, angles, link, link.motion, T, d);
      const Vec p = parent.p + d, c = Sp::times(T, link.mc);
      out.R = T;
      out.p = p;
      out.c = c + out.m * p;
      out.E = Sp::plus_symmetric_outer(Sp::rotated(T, link.E_diag, link.E_off), p,
                                       c + S(Real(0.5) * link.mc[3]) * p);
    }
    const Vec axis = out.R.c2;
    if (link.motion == LinkMotion::turn) {
      put(link.v, axis, cross(out.p, axis));
    } else if (link.motion == LinkMotion::slide) {
      put(link.v, zero, axis);
    } else if (link.motion == LinkMotion::screw) {
      put(link.v, axis, cross(out.p, axis) + S(link.E_off[3]) * axis);
    } else {
      for (int k = 0; k < link.nv; ++k) {
        const Six<Sp> X = group_screw<Sp>(pass, link, k);
        const Vec w = out.R * X.w;
        put(link.v + k, w, out.R * X.v + cross(out.p, w));
      }
    }
  }

  for (int i = count - 1; i >= 0; --i) {
    const auto& link = links[i];
    const CompositeLink<Sp>& in = stored[i];
    const S trace = Sp::trace(in.E);
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const Vec w = Sp::vec(z[k], z[nv + k], z[2 * nv + k]),
                v = Sp::vec(z[3 * nv + k], z[4 * nv + k], z[5 * nv + k]);
      const Vec n = cross(in.c, v) + (trace * w - in.E * w), f = in.m * v - cross(in.c, w);
      const S n0 = Sp::x(n), n1 = Sp::y(n), n2 = Sp::z(n), f0 = Sp::x(f), f1 = Sp::y(f), f2 = Sp::z(f);
      S *row = reinterpret_cast<S*>(pass.out) + k * nv, *column = reinterpret_cast<S*>(pass.out) + k;
      for (int end = k + 1, chain = i; chain >= 0;) {
        const int begin = links[links[chain].chain].v;
        for (int j = begin; j < end; ++j)
          row[j] = ((z[j] * n0 + z[nv + j] * n1) + (z[2 * nv + j] * n2 + z[3 * nv + j] * f0)) +
                   (z[4 * nv + j] * f1 + z[5 * nv + j] * f2);
        for (int j = begin; j < end; ++j) column[j * nv] = row[j];
        chain = links[links[chain].chain].parent;
        end = chain < 0 ? 0 : links[chain].v + links[chain].nv;
        for (int j = end; j < begin; ++j) row[j] = column[j * nv] = S(0);  // unrelated
      }
    }
    if (link.parent < 0) continue;
    CompositeLink<Sp>& parent = stored[link.parent];
    parent.m = parent.m + in.m;
    parent.c += in.c;
    parent.E = parent.E + in.E;
  }
  return -1;
}
template <class Sp>
std::size_t mass_matrix_work(std::size_t count, int nq, int nv) {
  return count * sizeof(CompositeLink<Sp>) + static_cast<std::size_t>(nv) * 6 * sizeof(typename Sp::S) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
