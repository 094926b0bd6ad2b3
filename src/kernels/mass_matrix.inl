// Read by dynamics.inl. Composite bodies in the frame of the root link, all about its origin: no
// transformations between links, and M does not depend on where the root stands. Per link, E = Binet
// tensor and h = R c + m p / 2 (c first moment):
//
//   c' = R c + m p,   E' = R E R^T + p h^T + h p^T       summed over descendants
//   screw (z; s), s = p x z:   n = c' x s + (tr E' 1 - E') z,   f = m s - c' x z
//   M_ij = z_j.n_i + s_j.f_i                             for ancestors j of i
#pragma once

#include "kernels/joints.inl"
#include "kernels/vectors/columns.inl"

template <class Sp>
struct CompositeLink {
  typename Sp::Mat R;
  typename Sp::Vec p, c;
  typename Sp::Sym E;
  typename Sp::S m;
};

template <class Sp>
CHASLES_FLATTEN int run_mass_matrix(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // a copy that no store can change
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size()), nv = tree.nv;
  auto* stored = reinterpret_cast<CompositeLink<Sp>*>(pass.work);
  auto* screws = reinterpret_cast<Six<Sp>*>(stored + count);  // of all entries of v
  auto* momenta = screws + nv;                                // n, f of all entries of v
  S* M = reinterpret_cast<S*>(pass.out);
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(momenta + nv));
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  const auto put = [&](int k, const Vec& w, const Vec& v) { screws[k].w = w, screws[k].v = v; };

  // Short loops: in each, what is live fits the registers.
  typename Sp::Mat R = Sp::identity();
  Vec p = zero;
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    if (link.parent < 0) {
      R = Sp::identity();
      p = zero;
    } else {
      if (link.parent != i - 1) R = stored[link.parent].R, p = stored[link.parent].p;
      typename Sp::Mat T{Sp::times(R, link.C[0]), Sp::times(R, link.C[1]), Sp::times(R, link.C[2])};
      Vec d = Sp::times(R, link.r);
      move<Sp>(pass, angles, link, link.motion, T, d);
      R = T;
      p += d;
    }
    stored[i].R = R;
    stored[i].p = p;
  }
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    CompositeLink<Sp>& out = stored[i];
    out.m = S(link.mass());
    if (link.parent < 0) {
      out.c = Sp::constant(link.mc);
      out.E = Sp::sym(link.E_diag, link.E_off);
      continue;
    }
    const Vec c = Sp::times(out.R, link.mc);
    out.c = c + out.m * out.p;
    out.E = Sp::plus_symmetric_outer(Sp::rotated(out.R, link.E_diag, link.E_off), out.p,
                                     c + S(Real(0.5) * link.mass()) * out.p);
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
      put(link.v, axis, cross(out.p, axis) + S(link.pitch()) * axis);
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
    if (link.parent < 0) continue;
    const CompositeLink<Sp>& in = stored[i];
    CompositeLink<Sp>& parent = stored[link.parent];
    parent.m = parent.m + in.m;
    parent.c += in.c;
    parent.E = parent.E + in.E;
  }
  for (int i = 0; i < count; ++i) {
    const CompositeLink<Sp>& in = stored[i];
    const S trace = Sp::trace(in.E);
    for (int k = links[i].v; k < links[i].v + links[i].nv; ++k) {
      const Six<Sp>& X = screws[k];
      momenta[k].w = cross(in.c, X.v) + (trace * X.w - in.E * X.w);
      momenta[k].v = in.m * X.v - cross(in.c, X.w);
    }
  }
  if (!tree.full)
    for (int k = 0; k < nv * nv; ++k) M[k] = S(0);
  const auto product = [&](int row, int j) {
    return Sp::dot(screws[j].w, momenta[row].w, screws[j].v, momenta[row].v);
  };
  for (const Entry& e : tree.fours) {
    S *to = M + e.row * nv + e.column, *across = M + e.column * nv + e.row;
    if constexpr (takes_four<Sp>) {
      const auto four = Sp::four_products(screws + e.column, momenta[e.row].w, momenta[e.row].v);
      Take<Pack<Real, 4>>().put(to, four);
      for (int j = 0; j < 4; ++j) across[j * nv] = four.x[j];
    } else {
      for (int j = 0; j < 4; ++j) to[j] = across[j * nv] = product(e.row, e.column + j);
    }
  }
  for (const Entry& e : tree.ones)
    M[e.row * nv + e.column] = M[e.column * nv + e.row] = product(e.row, e.column);
  return -1;
}
template <class Sp>
std::size_t mass_matrix_work(std::size_t count, int nq, int nv) {
  return count * sizeof(CompositeLink<Sp>) + static_cast<std::size_t>(2 * nv) * sizeof(Six<Sp>) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
