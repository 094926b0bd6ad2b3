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
  const int row_size = padded_columns<Sp>(nv);
  auto* screws = reinterpret_cast<Six<Sp>*>(stored + count);  // of all entries of v
  S* z = reinterpret_cast<S*>(screws + nv);                   // for one state, the same in six rows
  S* room = z + (takes_four<Sp> ? 6 * row_size : 0);
  S* M = triangle<Sp>(room, pass.out);
  const Angles<Sp> angles(pass.q, tree.nq,
                          reinterpret_cast<Real*>(room + (takes_four<Sp> ? nv * row_size : 0)));
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  const auto put = [&](int k, const Vec& w, const Vec& v) {
    screws[k].w = w, screws[k].v = v;
    if constexpr (takes_four<Sp>) {
      S* to = z + k;
      to[0] = Sp::x(w), to[row_size] = Sp::y(w), to[2 * row_size] = Sp::z(w);
      to[3 * row_size] = Sp::x(v), to[4 * row_size] = Sp::y(v), to[5 * row_size] = Sp::z(v);
    }
  };

  // Short loops: in each, what is live fits the registers.
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    CompositeLink<Sp>& out = stored[i];
    if (link.parent < 0) {
      out.R = Sp::identity();
      out.p = zero;
      continue;
    }
    const CompositeLink<Sp>& parent = stored[link.parent];
    typename Sp::Mat T{Sp::times(parent.R, link.C[0]), Sp::times(parent.R, link.C[1]),
                       Sp::times(parent.R, link.C[2])};
    Vec d = Sp::times(parent.R, link.r);
    move<Sp>(pass, angles, link, link.motion, T, d);
    out.R = T;
    out.p = parent.p + d;
  }
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    CompositeLink<Sp>& out = stored[i];
    out.m = S(link.mc[3]);
    if (link.parent < 0) {
      out.c = Sp::constant(link.mc);
      out.E = Sp::sym(link.E_diag, link.E_off);
      continue;
    }
    const Vec c = Sp::times(out.R, link.mc);
    out.c = c + out.m * out.p;
    out.E = Sp::plus_symmetric_outer(Sp::rotated(out.R, link.E_diag, link.E_off), out.p,
                                     c + S(Real(0.5) * link.mc[3]) * out.p);
  }
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    const CompositeLink<Sp>& out = stored[i];
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
    for (int k = link.v; k < link.v + link.nv; ++k) {  // row k of the lower triangle
      const Six<Sp>& X = screws[k];
      const Vec n = cross(in.c, X.v) + (trace * X.w - in.E * X.w), f = in.m * X.v - cross(in.c, X.w);
      S* row = M + k * row_size;
      for (int end = k + 1, chain = i; chain >= 0;) {
        const int begin = links[links[chain].chain].v;
        if constexpr (takes_four<Sp>) {
          const S n0 = Sp::x(n), n1 = Sp::y(n), n2 = Sp::z(n), f0 = Sp::x(f), f1 = Sp::y(f),
                  f2 = Sp::z(f);
          for_columns<Sp>(begin, end, [&](auto take, int j) {
            const auto x = [&](int c) { return take.get(z + c * row_size + j); };
            take.put(row + j, ((x(0) * n0 + x(1) * n1) + (x(2) * n2 + x(3) * f0)) +
                                  (x(4) * f1 + x(5) * f2));
          });
        } else {
          for (int j = begin; j < end; ++j) row[j] = dot(screws[j].w, n) + dot(screws[j].v, f);
        }
        chain = links[links[chain].chain].parent;
        end = chain < 0 ? 0 : links[chain].v + links[chain].nv;
        for (int j = end; j < begin; ++j) row[j] = S(0);  // unrelated
      }
    }
    if (link.parent < 0) continue;
    CompositeLink<Sp>& parent = stored[link.parent];
    parent.m = parent.m + in.m;
    parent.c += in.c;
    parent.E = parent.E + in.E;
  }
  write_symmetric<Sp, true>(M, row_size, nv, reinterpret_cast<S*>(pass.out));
  return -1;
}
template <class Sp>
std::size_t mass_matrix_work(std::size_t count, int nq, int nv) {
  const auto row_size = static_cast<std::size_t>(padded_columns<Sp>(nv));
  return count * sizeof(CompositeLink<Sp>) +
         static_cast<std::size_t>(nv) * sizeof(Six<Sp>) +
         row_size * static_cast<std::size_t>(6 + nv) * sizeof(typename Sp::S) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
